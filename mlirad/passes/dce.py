"""Dead-code elimination: an op whose results nothing reads is erased. Every op of the language is pure.

%y = array.exp %x : f64        -->        (nothing, when %y is not used)
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

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

    One sweep from the last op to the first, outer ops before their regions: linear in the number of ops.
    """
    pending: list[Block] = list(function.body.blocks)
    while pending:
        block = pending.pop()
        op = block.last_op
        op = None if op is None else op.prev_op
        while op is not None:
            before = op.prev_op
            if any(result.first_use is not None for result in op.results):
                pending += [inner for region in op.regions for inner in region.blocks]
            else:
                op.detach()
                op.erase()
            op = before
    return function
