"""Linear systems become LU factorisations and two triangular systems each.

                                         %f = array.lu factors %a
                                         %p = array.lu permutation %a
    %x = array.solve %a, %b     -->      %c = array.gather %b (%i, %j) { yield %p[%i], %j }
                                         %y = array.triangular_solve %f, %c {unit}
                                         %x = array.triangular_solve %f, %y {upper}

Derivatives of solutions solve with the factors of the same matrix, so it is factorised once for all of them.

Composed of its LU factors, a system would have a derivative that costs n^3 more than the system itself,
whatever the number of right sides. As the op `solve` it has the map that uses the factors again, forward and
transposed. It is expanded only after all derivatives, so that every system of one matrix finds the same
factors. A second derivative differentiates the factors, and does cost n^3.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.factorisations import SolveOp
from mlirad.dialects.shapes import shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.free_values import own_operands
from mlirad.ir.matrices import by_row
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, holds, visit_regions


@dataclass(frozen=True)
class ExpandSolvesPass(FunctionPass):
    """Solve linear systems by LU factorisations, which all systems of a matrix share."""

    name = "expand-solves"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without `array.solve`."""
        return rebuild_function(function, _visit) if holds(function, SolveOp) else function


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    if not isinstance(op, SolveOp):
        visit_regions(b, op, env, _visit)
        return
    b.location, b.name_hint = op.location, None
    matrix, x = (env.get(v, v) for v in own_operands(op))
    is_complex = op.complex is not None
    factors, order = (b.lu(part, matrix, is_complex=is_complex) for part in ("factors", "permutation"))
    rows = b.gather(x, shape_of(x), by_row(b, order))
    inner = b.triangular_solve(factors, rows, unit=True, complex=is_complex)
    env[op.result] = found = b.triangular_solve(factors, inner, upper=True, complex=is_complex)
    found.name_hint = found.name_hint or op.result.name_hint
