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
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import CONTROL_OPS
from mlirad.dialects.linear import DifferentiationOp
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.call_graph import functions_by_name, references_of
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import holds, replace_function, visit_regions
from mlirad.passes.spectral_functions.facts import Pair, Site, Trace
from mlirad.passes.spectral_functions.frames import FrameCode
from mlirad.passes.spectral_functions.images import Images
from mlirad.passes.spectral_functions.named import Name, NamedArrays
from mlirad.passes.spectral_functions.products import SymmetricProduct
from mlirad.passes.spectral_functions.reading import Reading
from mlirad.passes.spectral_functions.singular import SingularProduct
from mlirad.passes.spectral_functions.sources import FRAMES
from mlirad.passes.spectral_functions.systems import without_systems
from mlirad.passes.spectral_functions.traces import trace

HIGHEST_ORDER = 2
"""Up to which order expansions are made."""


@dataclass(frozen=True)
class SpectralFunctionsPass(ModulePass):
    """Give sums over all eigenvectors or singular vectors their derivatives at equal values."""

    name = "spectral-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that are differentiated."""
        functions = functions_by_name(op)
        if not any(holds(f, FRAMES) for f in functions.values()):
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
            order = min(found[name] + isinstance(op, DifferentiationOp), most)
            if callee in found and order > found[callee]:
                found[callee] = order
                changed.append(callee)
    return found


def expand_spectral_functions(function: FuncOp, order: int) -> FuncOp:
    """The function, of which `order` derivatives are taken, with expansions; itself if it needs none."""
    if not 0 < order <= HIGHEST_ORDER or not holds(function, FRAMES):
        return function
    given, function = function, without_systems(function)
    reading = Reading(function, with_traces=order > 1)
    sites = {op: site for op, site in reading.sites.items() if _is_differentiated(op)}
    if not sites:
        return given

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if op.regions and isinstance(op, CONTROL_OPS):
            visit_regions(b, op, env, visit)
            return
        b.rebuild(op, env)
        if op in sites:
            (result,) = op.results
            b.location = op.location
            expansion = expanded(Images(b, env, reading), sites[op], order)
            value = b.unary(ew.StopGradientOp, env[result])
            env[result] = b.add(value, b.unary(ew.DeviationOp, expansion))

    return eliminate_dead_code(rebuild_function(function, visit))


def _is_differentiated(op: Operation) -> bool:
    """Whether something reads a value that is no constant to it."""
    return any(not isinstance(use.operation, ew.StopGradientOp) for use in op.results[0].uses)


def expanded(images: Images, site: Site, order: int) -> Value:
    """The code of a site with derivatives up to an order."""
    if isinstance(site, Trace):
        return trace(images, _frame_code(images, site), site).aligned(site.names)
    b = images.b
    total: Value | None = None
    for pair in site.pairs:
        code = _frame_code(images, pair)
        product = SymmetricProduct if code.is_symmetric else SingularProduct
        found = product(images, code, pair, order).value().aligned(pair.names)
        found = found if pair.sign > 0 else b.neg(found)
        total = found if total is None else b.add(total, found)
    assert total is not None
    return total


def _frame_code(images: Images, site: Pair | Trace) -> FrameCode:
    """The code of the frame of a site, with the names of the site."""
    ends = (site.left, site.right) if isinstance(site, Pair) else ()
    sizes: dict[Name, int] = {}
    for term in (*ends, *site.terms):
        sizes.update(zip(term.names, shape_of(term.value), strict=True))
    n = NamedArrays(images.b, sizes)
    return FrameCode(n, site.frame, images.known(site.frame.matrix), site.kept[:-1])
