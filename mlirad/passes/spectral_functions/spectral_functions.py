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

An expansion is made to the order up to which the function is differentiated. Beyond the second there is none:
there, as for all that is no such sum, the rules of the factorisations apply.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.linear import DifferentiationOp, JetOp
from mlirad.ir.call_graph import functions_by_name, references_of
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
        for name, order in orders(functions).items():
            replace_function(functions[name], expand_spectral_functions(functions[name], order))


def orders(functions: Mapping[str, FuncOp]) -> dict[str, int]:
    """How many nested derivatives are taken of each function; one more than expansions have is the most."""
    most = HIGHEST_ORDER + 1
    found = dict.fromkeys(functions, 0)
    changed = list(functions)
    while changed:
        name = changed.pop()
        for callee, op in references_of(functions[name]):
            taken = op.degree if isinstance(op, JetOp) else int(isinstance(op, DifferentiationOp))
            order = min(found[name] + taken, most)
            if callee in found and order > found[callee]:
                found[callee] = order
                changed.append(callee)
    return found


def expand_spectral_functions(function: FuncOp, order: int) -> FuncOp:
    """The function, of which `order` derivatives are taken, with expansions; itself if it needs none."""
    if not order or not holds(function, WITH_VECTORS):
        return function
    from mlirad.passes.spectral_functions.expansions import with_expansions

    return with_expansions(function, order)
