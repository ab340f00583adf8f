"""Dead-code elimination: an op whose results nothing reads is erased. Every op of the language is pure.

%y = array.exp %x : f64        -->        (nothing, when %y is not used)

The parts of loops and branches that only serve unused results go too; see `mlirad.ir.dead_results`.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from mlirad.ir.dead_results import prune_dead_results
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass


@dataclass(frozen=True)
class DcePass(FunctionPass):
    """Erases what is not used."""

    name = "mlirad-dce"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without dead ops."""
        return eliminate_dead_code(function)


def eliminate_dead_code(function: FuncOp) -> FuncOp:
    """Erase the dead ops of a function, in regions too; the function itself is changed and returned.

    Loops and branches also lose the results that nothing reads. One sweep from the last op to the first: an
    op is pruned, then its regions are swept, then what stands before it, which these may have been the last
    to read.
    """
    pending: list[Operation | None] = [_last(block) for block in function.body.blocks]
    while pending:
        op = pending.pop()
        if op is None:
            continue
        pending.append(op.prev_op)
        if any(result.first_use is not None for result in op.results):
            op = prune_dead_results(op)
            pending += [_last(block) for region in op.regions for block in region.blocks]
        else:
            op.detach()
            op.erase()
    return function


def _last(block: Block) -> Operation | None:
    """The op before the terminator."""
    terminator = block.last_op
    return None if terminator is None else terminator.prev_op
