"""A function with the expansions of its spectral functions, and with NaN for what is no such sum.

    with_expansions(function, order)

Only functions that have such vectors come here, so other programs do without importing it.
"""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import holds, visit_regions
from mlirad.passes.spectral_functions.batches import without_single_batches
from mlirad.passes.spectral_functions.columns import with_columns
from mlirad.passes.spectral_functions.doubt_moves import sum_of
from mlirad.passes.spectral_functions.doubts import Doubts
from mlirad.passes.spectral_functions.facts import Pair, Site, Trace
from mlirad.passes.spectral_functions.frames import FrameCode
from mlirad.passes.spectral_functions.functions import is_smooth
from mlirad.passes.spectral_functions.images import SpectralImages
from mlirad.passes.spectral_functions.named import Name, Named, NamedArrays
from mlirad.passes.spectral_functions.products import SymmetricProduct
from mlirad.passes.spectral_functions.reading import Reading
from mlirad.passes.spectral_functions.singular import SingularProduct
from mlirad.passes.spectral_functions.sources import HIGHEST_ORDER, NESTING, is_constant
from mlirad.passes.spectral_functions.systems import without_systems
from mlirad.passes.spectral_functions.traces import trace


def with_expansions(function: FuncOp, order: int) -> FuncOp:
    """The function with expansions for taking `order` derivatives.

    One that has derivatives in it may have had expansions before them: its vectors have their doubts.
    """
    is_new = not holds(function, ew.DeviationOp)
    function = without_single_batches(without_systems(function))
    if order <= HIGHEST_ORDER:
        function = with_columns(function)
    reading = Reading(function, order)
    sites = {op: site for op, site in reading.sites.items() if not is_constant(op.results[0])}
    doubts = Doubts(reading, order, begins=is_new)

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if isinstance(op, NESTING):
            visit_regions(b, op, env, visit)
        else:
            b.rebuild(op, env)
        doubts.follow(b, op, env)
        if op in sites:
            (result,) = op.results
            b.location = op.location
            expansion, doubt = _expanded(SpectralImages(b, env, reading), sites[op], order, doubts)
            value = b.unary(ew.StopGradientOp, env[result])
            env[result] = b.add(value, b.unary(ew.DeviationOp, expansion))
            doubts.add(b, op, doubt)
        doubts.state(b, op, env)

    return eliminate_dead_code(rebuild_function(function, visit))


def _expanded(images: SpectralImages, site: Site, order: int, doubts: Doubts) -> tuple[Value, Value | None]:
    """The code of a site with derivatives up to an order, and the doubt where these do not exist."""
    b = images.b
    total: Value | None = None
    unsure: list[Value] = []
    for part in (site,) if isinstance(site, Trace) else site.pairs:
        code = _frame_code(images, part)
        if isinstance(part, Trace):
            value, where = trace(images, code, part)
            unknown = [(2, x) for x in where]
        else:
            product = SymmetricProduct if code.is_symmetric else SingularProduct
            value = product(images, code, part, order).value()
            unknown = code.n.unknown
        found = value.aligned(part.names)
        if isinstance(part, Pair) and part.sign < 0:
            found = b.neg(found)
        total = found if total is None else b.add(total, found)
        if code.is_symmetric and is_smooth(images.reading, part):
            continue
        source = doubts.source(b, part.frame, images.env)
        for lowest, where in unknown:
            make = source.first if lowest == 1 else source.second
            doubt = Named(code.n, make(where.anywhere(code.batch)), code.batch)
            unsure.append(doubt.total(part.names).aligned(part.names))
    assert total is not None
    return total, sum_of(b, unsure)


def _frame_code(images: SpectralImages, site: Pair | Trace) -> FrameCode:
    """The code of the frame of a site, with the names of the site."""
    ends = (site.left, site.right) if isinstance(site, Pair) else ()
    sizes: dict[Name, int] = {}
    for term in (*ends, *site.terms):
        sizes.update(zip(term.names, shape_of(term.value), strict=True))
    n = NamedArrays(images.b, sizes)
    return FrameCode(n, site.frame, images.value(site.frame.matrix), site.kept[:-1])
