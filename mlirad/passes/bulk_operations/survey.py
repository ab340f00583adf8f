"""What has to be known of a function before it is made bulk: which builds wait, which values are fleeting.

A build *waits* when it holds calls or derivatives, which have no bulk form: it is left as it stands, to be
made bulk after these are expanded.

A value is *fleeting* when its one use is to be indexed, at once or through ops that are fleeting too: then
indexing may be pushed into the op that computes it, which will compute what is read and nothing else.
"""

from __future__ import annotations

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array.indexing import BuildOp, IndexOp
from mlirad.dialects.linear import Linear
from mlirad.dialects.shapes import Value
from mlirad.passes.function_pass import nested_ops
from mlirad.rules.bulk import COMPUTING_RULES, PLACING_RULES

DEPTH_LIMIT = 16
"""How many builds, each indexed in the body of the next, are evaluated inside each other."""

_PUSHED_INTO = frozenset((*PLACING_RULES, *COMPUTING_RULES))
_WAITED_FOR = (CallOp, *Linear.operations)


def is_waiting(build: BuildOp) -> bool:
    """Whether a build holds ops without a bulk form that are still to be expanded."""
    return any(isinstance(op, _WAITED_FOR) for op in nested_ops(build.body))


class Survey:
    """The builds that wait, those whose one use is to be indexed, and the fleeting values of a function.

    One walk over the function, last op first.
    """

    def __init__(self, function: FuncOp):
        self.waiting: set[Operation] = set()
        self.indexed: dict[Operation, int] = {}
        self.fleeting: set[Value] = set()
        self._readers: dict[Operation, int] = {}
        self._block(function.body.block, 0, inside=False)

    def _block(self, block: Block, depth: int, *, inside: bool) -> None:
        """Note the ops of a block; `depth` indexed builds are under evaluation when it is evaluated."""
        op = block.last_op
        while op is not None:
            if isinstance(op, IndexOp):
                self._readers[op] = depth
            if isinstance(op, BuildOp) and not inside and is_waiting(op):
                self.waiting.add(op)
            else:
                self._note_use(op)
                if isinstance(op, BuildOp):
                    self._block(op.body.block, self.indexed.get(op, depth), inside=True)
            op = op.prev_op

    def _note_use(self, op: Operation) -> None:
        """Whether the result of `op` is fleeting; its use comes later, so it is known already."""
        if type(op) not in _PUSHED_INTO and not isinstance(op, BuildOp):
            return
        result = op.results[0]
        use = result.get_unique_use()
        if use is None:
            return
        user = use.operation
        depth = self._readers.get(user)
        if depth is not None:
            if use.index == 0:
                self.fleeting.add(result)
                if isinstance(op, BuildOp) and depth < DEPTH_LIMIT:
                    self.indexed[op] = depth + 1
        elif type(user) in _PUSHED_INTO and not user.regions and user.results[0] in self.fleeting:
            self.fleeting.add(result)
