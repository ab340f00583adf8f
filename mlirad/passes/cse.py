"""Common-subexpression elimination: equal ops become one, in a block and in the blocks nested in it.

Two ops are equal when class, operands, properties, result types and regions are, up to the names of what the
regions define. The function is rebuilt, unfolded, through the builder, which shares equal ops; unlike
with `mlirad-canonicalize`, nothing else changes.

xDSL's `cse` ignores the result types of ops with regions. Names that both projects have begin with `mlirad-`,
because `xdsl-opt` shows both.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, visit_regions


@dataclass(frozen=True)
class CsePass(FunctionPass):
    """Shares equal ops."""

    name = "mlirad-cse"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function with equal ops shared."""
        return share_common_subexpressions(function)


def share_common_subexpressions(function: FuncOp) -> FuncOp:
    """The function rebuilt, with equal ops once."""
    return rebuild_function(function, _visit)


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    visit_regions(b, op, env, _visit)
