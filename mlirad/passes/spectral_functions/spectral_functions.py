"""Gives functions of eigenvalues between eigenvectors the derivatives that they have at equal eigenvalues.

    %w = array.eigh values %a
    %v = array.eigh vectors %a
    %f = array.exp %w
    %u = array.mul %v, (broadcast %f)
    %y = array.dot %u, %v                                        y = V exp(w) V^T

    -->  %z = array.add (array.stop_gradient %y), (array.deviation %t)

The vectors of equal eigenvalues can be chosen in many ways, so they have no derivative, but sums over all of
them do. A rule for V alone divides by differences of eigenvalues, and cannot know that f(w_i) - f(w_j) goes
with them. So such a sum (`reading.py`) gets the derivative of %t, the Taylor expansion of it as a function of
the matrix (`products.py`, `singular.py`, `traces.py`), made of constants and of `array.deviation`s of the
matrix. Its value stays what it was.

An expansion is made to the order up to which the function is differentiated. Beyond the second order there is
no rule: there, and for all other uses of vectors, the rules of the factorisations apply.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.ir.call_graph import derivative_orders, functions_by_name
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import holds, replace_function
from mlirad.passes.spectral_functions.sources import HIGHEST_ORDER, WITH_VECTORS


@dataclass(frozen=True)
class SpectralFunctionsPass(ModulePass):
    """Give sums over all eigenvectors or singular vectors their derivatives at equal values."""

    name = "spectral-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that are differentiated."""
        functions = functions_by_name(op)
        if not any(holds(f, WITH_VECTORS) for f in functions.values()):
            return
        for name, order in derivative_orders(functions, HIGHEST_ORDER + 1).items():
            replace_function(functions[name], expand_spectral_functions(functions[name], order))


def expand_spectral_functions(function: FuncOp, order: int) -> FuncOp:
    """The function with expansions for taking `order` derivatives; itself if it needs none."""
    if not order or not holds(function, WITH_VECTORS):
        return function
    from mlirad.passes.spectral_functions.expansions import with_expansions

    return with_expansions(function, order)
