"""Facts about a function before it is made bulk: builds that wait, values with a single use.

A build *waits* when it holds derivatives, or calls that can be inlined, which have no bulk form: it is left
as it stands, to be made bulk after these are expanded. So does a loop whose tape a linear map reads. A build
that saves or restores records stays a loop: each record is of one position.

A value is *single-use* when its one use is to be indexed, directly or through ops that are single-use too:
then indexing may be pushed into the op that computes it, which will compute only what is read.
"""

from __future__ import annotations

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array.control import ScanOp, WhileOp
from mlirad.dialects.array.frames import NoFrameOp, RestoreOp, SaveOp
from mlirad.dialects.array.indexing import BuildOp, IndexOp
from mlirad.dialects.linear import Linear, MapOp
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import yields
from mlirad.ir.regions import nested_ops
from mlirad.passes.bulk_operations.calls import BulkCalls
from mlirad.passes.bulk_operations.computing_readings import COMPUTING_RULES
from mlirad.passes.bulk_operations.placing_readings import PLACING_RULES
from mlirad.passes.bulk_operations.table import CONTROL_RULES

DEPTH_LIMIT = 16
"""The number of builds, each indexed in the body of the next, that are evaluated inside each other."""

_PUSHED_INTO = frozenset((*PLACING_RULES, *COMPUTING_RULES))
_ENTERED = (BuildOp, *CONTROL_RULES)
_WAITED_FOR = (CallOp, *Linear.operations, SaveOp, RestoreOp, NoFrameOp)


def is_waiting(op: Operation, calls: BulkCalls | None = None) -> bool:
    """Return whether a build, or a loop that is one, holds ops without a bulk form."""
    return _is_build(op) and any(
        isinstance(o, _WAITED_FOR) and (calls is None or not calls.has_bulk_form(o))
        for o in nested_ops(op.regions[0])
    )


def _is_read_by_a_map(op: Operation) -> bool:
    """Return whether the tape of a loop is read by a linear map, which stays as it is."""
    tape = op.tape if isinstance(op, WhileOp) else None
    return tape is not None and any(isinstance(use.operation, MapOp) for use in tape.uses)


def _is_build(op: Operation) -> bool:
    """Return whether an op becomes batch axes, one for each of its indices: a build, or a scan without
    carries.
    """
    if isinstance(op, ScanOp):
        if op.kept is not None:
            return False
        made, args = yields(op.body), op.body.block.args[1:]
        return all(new is arg or new is old for new, arg, old in zip(made, args, op.init, strict=False))
    return isinstance(op, BuildOp)


class Survey:
    """The builds that wait, those whose one use is to be indexed, and the single-use values of a function.

    One walk over the function, last op first.
    """

    def __init__(self, function: FuncOp, calls: BulkCalls | None = None):
        self._calls = calls
        self.waiting: set[Operation] = set()
        self.indexed: dict[Operation, int] = {}
        self.single_use: set[Value] = set()
        self._readers: dict[Operation, int] = {}
        self._block(function.body.block, 0, inside=False)

    def _block(self, block: Block, depth: int, *, inside: bool) -> None:
        """Note the ops of a block; `depth` indexed builds are under evaluation when it is evaluated."""
        op = block.last_op
        while op is not None:
            if isinstance(op, IndexOp):
                self._readers[op] = depth
            if not inside and (is_waiting(op, self._calls) or _is_read_by_a_map(op)):
                self.waiting.add(op)
            else:
                self._note_use(op)
                if isinstance(op, _ENTERED):
                    for region in op.regions:
                        own = self.indexed.get(op, depth)
                        self._block(region.block, own, inside=inside or _is_build(op))
            op = op.prev_op

    def _note_use(self, op: Operation) -> None:
        """Note whether the result of `op` is single-use; its use comes later, so it is known already."""
        if type(op) not in _PUSHED_INTO and not isinstance(op, BuildOp):
            return
        result = op.results[0]
        use = result.get_unique_use()
        if use is None:
            return
        user = use.operation
        if _runs_apart(op, user):
            return
        depth = self._readers.get(user)
        if depth is not None:
            if use.index == 0:
                self.single_use.add(result)
                if isinstance(op, BuildOp) and depth < DEPTH_LIMIT:
                    self.indexed[op] = depth + 1
        elif type(user) in _PUSHED_INTO and not user.regions and user.results[0] in self.single_use:
            self.single_use.add(result)


def _runs_apart(op: Operation, user: Operation) -> bool:
    """Return whether `user` stands in a loop or branch that `op` is outside of, and so runs more or less
    often.
    """
    while user.parent is not op.parent:
        outer = user.parent_op()
        if not isinstance(outer, BuildOp):
            return True
        user = outer
    return False
