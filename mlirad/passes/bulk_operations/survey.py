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
from mlirad.rules.bulk.readings import READING_RULES

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
        self.indexed: set[Operation] = set()
        self.fleeting: set[Value] = set()
        self._readers: set[Operation] = set()
        self._block(function.body.block, inside=False)

    def _block(self, block: Block, *, inside: bool) -> None:
        op = block.last_op
        while op is not None:
            if isinstance(op, BuildOp):
                if not inside and is_waiting(op):
                    self.waiting.add(op)
                else:
                    self._block(op.body.block, inside=True)
            if isinstance(op, IndexOp):
                self._readers.add(op)
            self._use(op)
            op = op.prev_op

    def _use(self, op: Operation) -> None:
        """Whether the result of `op` is fleeting; its use comes later, so it is known already."""
        if type(op) not in READING_RULES and not isinstance(op, BuildOp):
            return
        result = op.results[0]
        use = result.get_unique_use()
        if use is None:
            return
        user = use.operation
        if user in self._readers:
            if use.index == 0:
                self.fleeting.add(result)
                if isinstance(op, BuildOp) and op not in self.waiting:
                    self.indexed.add(op)
        elif type(user) in READING_RULES and not user.regions and user.results[0] in self.fleeting:
            self.fleeting.add(result)
