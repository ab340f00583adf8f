"""Sorts of an array that is also argsorted become gathers by the positions that the argsort finds.

    %s = array.sort %x {dim = 0}                     %p = array.argsort %x {dim = 0}
    %p = array.argsort %x {dim = 0}       -->        %s = array.gather %x (%i) { yield %p[%i] }

The derivative of a sort needs the order, so gradients have both.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array import ordering
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, holds, visit_regions


@dataclass(frozen=True)
class CseSortsPass(FunctionPass):
    """Replace sorts by gathers in the order that an argsort of the same block finds."""

    name = "cse-sorts"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function with a gather for every sort whose order is found in its block."""
        if not (holds(function, ordering.SortOp) and holds(function, ordering.ArgsortOp)):
            return function
        return rebuild_function(function, _visit)


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    if not isinstance(op, ordering.SortOp) or not _has_its_order(op):
        visit_regions(b, op, env, _visit)
        return
    b.location, b.name_hint = op.location, op.result.name_hint
    x, dim = env.get(op.operand, op.operand), op.dim.value.data
    order = b.argsort(x, dim)

    def place(*indices: Value) -> list[Value]:
        return [b.index(order, indices) if d == dim else i for d, i in enumerate(indices)]

    env[op.result] = b.gather(x, shape_of(x), place)


def _has_its_order(op: ordering.SortOp) -> bool:
    """Tell whether an op of the same block argsorts what is sorted."""
    return any(
        isinstance(user, ordering.ArgsortOp) and user.parent is op.parent and user.dim == op.dim
        for user in (use.operation for use in op.operand.uses)
    )
