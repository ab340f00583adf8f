"""Linearisation by dual arrays: every `linear.linearize` becomes the callee's code and one linear map.

    %y, %d = linear.linearize %x {callee = @f, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)

with f(x) = sin(x) * x becomes

    %s = array.sin %x          %ds = linear.scale (cos %x)
    %y = array.mul %s, %x      %d  = linear.add (linear.compose (linear.scale %x), %ds), (linear.scale %s)

Every float value of the callee that depends on the inputs has a tangent map, the map from the inputs'
tangents to its own, made from the tangent maps of the operands by the derivative table (dual-numbers paper,
transformation D). A tangent map is in spine form: a map from the space of inputs that is the identity, zero,
a projection, a sum or tuple of tangent maps, or a local map composed with one. Sharing in the map is sharing
of SSA values, so the map has size linear in the program, and the primal code never reads it.

The callee is brought to array code first, by the steps that `mlirad.pipelines` names for the method. The
derivatives of calls that stay, as those of recursive functions do, are ops that name the function
(`mlirad.dialects.linear.calls`).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlirad.ir.call_graph import functions_of
from mlirad.ir.first_order import require_first_order
from mlirad.ir.inner_pipelines import INNER
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.callees import Callees, linearize_function
from mlirad.passes.function_pass import drop_unreferenced, replace_function
from mlirad.pipeline_options import SPECIFICATIONS, method_named


def _by_jacobian(module: ModuleOp) -> Callees:
    from mlirad.passes.jacobian.derivatives import Derivatives

    return Derivatives(module)


def _by_chad(module: ModuleOp) -> Callees:
    from mlirad.passes.chad.sweeps.functions import Sweeps

    return Sweeps(module)


METHODS: dict[str, Callable[[ModuleOp], Callees]] = {
    "dual-arrays": Callees,
    "jacobian": _by_jacobian,
    "chad": _by_chad,
}
"""By method, how its functions are prepared and differentiated."""


@dataclass(frozen=True)
class LinearizePass(ModulePass):
    """Expand every differentiation operator of the module."""

    name = "linearize"
    method: str = "dual-arrays"
    again: bool = False
    """True if what comes out is differentiated itself: loops on data have derivatives as functions have."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that hold a differentiation operator; private ones no longer used go."""
        method = method_named(self.method)
        if method in SPECIFICATIONS:
            INNER[method](ctx, op)
            return
        require_first_order(op)
        callees = METHODS[method](op)
        callees.prepare_kept()
        for function in functions_of(op):
            replace_function(function, linearize_function(function, callees, higher_order=self.again))
        callees.add_functions()
        drop_unreferenced(op)
