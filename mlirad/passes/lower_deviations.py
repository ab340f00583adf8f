"""Drops deviations, once nothing is left to differentiate: they are 0, and so is what is multiplied with
them.

    %d = array.deviation %a
    %e = array.dot %v, %d
    %z = array.add %y, %e           -->        %y

A deviation is not a number that happens to be 0 but the absence of one: a product with it is 0 even if the
other factor is infinite. Constants around it need no `array.stop_gradient` any more.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, structural
from mlirad.dialects.array.control import CONTROL_OPS
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.shapes import Value, is_float
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import FunctionPass, holds, visit_regions


@dataclass(frozen=True)
class LowerDeviationsPass(FunctionPass):
    """Replaces deviations, and what is computed of them, by nothing."""

    name = "lower-deviations"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without deviations."""
        if not holds(function, ew.DeviationOp):
            return function
        nothing: set[Value] = set()

        def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
            if op.regions and isinstance(op, CONTROL_OPS):
                visit_regions(b, op, env, visit)
                return
            if isinstance(op, ew.StopGradientOp):
                env[op.result] = env.get(op.operand, op.operand)
                if op.operand in nothing:
                    nothing.add(op.result)
                return
            if len(op.results) == 1 and _vanishes(op, nothing):
                (result,) = op.results
                nothing.add(result)
                env[result] = b.splat(-0.0, result.type)
                return
            b.rebuild(op, env)

        return eliminate_dead_code(rebuild_function(function, visit))


def _vanishes(op: Operation, nothing: set[Value]) -> bool:
    """Return whether the result is nothing, as some operands are."""
    if isinstance(op, ew.DeviationOp):
        return True
    if not is_float(op.results[0]):
        return False
    are: Sequence[bool] = [o in nothing for o in own_operands(op)]
    match op:
        case ew.MulOp() | ew.AbsorbingMulOp() | DotOp():
            return any(are)
        case ew.DivOp():
            return are[0]
        case ew.AddOp() | ew.SubOp():
            return all(are)
        case ew.SelectOp():
            return are[1] and are[2]
        case ew.NegOp() | ew.ConvertOp() | SumOp():
            return all(are)
        case (
            structural.BroadcastOp()
            | structural.TransposeOp()
            | structural.ReshapeOp()
            | structural.SliceOp()
            | structural.ReverseOp()
            | structural.ConcatenateOp()
            | structural.StackOp()
        ):
            return all(are)
        case indexing.IndexOp() | indexing.GatherOp() | indexing.ScatterOp():
            return are[0]
        case _:
            return False
