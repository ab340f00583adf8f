"""The function of a site at the eigenvalues: the product of all its factors, with derivatives.

    (V * sqrt(w) / c) @ V.T        f(x) = sqrt(x) / c, at the constants w:   f, f' and f'' as arrays

Factors that are not functions of the eigenvalues are numbers that differ from column to column: then the
function does. Columns that are not taken have the factor 0."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value
from mlirad.errors import DifferentiationError
from mlirad.ir.free_values import own_operands
from mlirad.passes.spectral_functions.differences import Jet
from mlirad.passes.spectral_functions.facts import ALL, Pair, Spectral, Term, Trace
from mlirad.passes.spectral_functions.frames import AT_I, FrameCode
from mlirad.passes.spectral_functions.images import SpectralImages
from mlirad.passes.spectral_functions.jets import MOVES, derivative, rounding, unrepeated
from mlirad.passes.spectral_functions.named import Named
from mlirad.passes.spectral_functions.reading import Reading
from mlirad.passes.spectral_functions.sources import FRAMES
from mlirad.rules.elementwise_derivatives import BINARY, UNARY


def function_at(images: SpectralImages, code: FrameCode, site: Pair | Trace, orders: int) -> Jet:
    """The function with derivatives up to `orders`; the last one may be missing."""
    n, b = code.n, images.b
    values = code.values()
    nodes = n.named(values, *code.batch, AT_I)
    product = n.named(b.splat(1, values.type), *nodes.names)
    for term in site.terms:
        product = _times(images, site, product, term, nodes)
    taken = images.is_taken(site.pick, site.frame.extent)
    if taken is not None:
        product = n.named(taken, AT_I).keep(product)
    names = (*(name for name in product.names if name != AT_I), AT_I)
    found: list[Value] = [product.aligned(names)]
    for order in range(1, orders + 1):
        try:
            slope = derivative(b, found[-1], values)
        except DifferentiationError:
            # The last one only makes a result more exact.
            if order < orders:
                raise
            break
        found.append(b.zeros(found[-1].type) if slope is None else slope)
    missing = [None] * (orders + 1 - len(found))
    roundings = tuple(n.named(rounding(b, v, values), *names) for v in found[:orders])
    return Jet(nodes, (*(n.named(v, *names) for v in found), *missing), roundings)


def _times(images: SpectralImages, site: Pair | Trace, product: Named, term: Term, nodes: Named) -> Named:
    """The product with one more factor."""
    core, dims = unrepeated(term.value)
    names = tuple(term.names[d] for d in dims)
    fact = images.reading.facts.get(core)
    if site.label not in names:
        value = images.value(core)
    elif isinstance(fact, Spectral):
        value = images.spectral(core, fact, nodes.value)
    else:
        value = images.whole(core, names.index(site.label), site.pick, site.frame.extent)
    x = Named(product.n, value, names).renamed({site.label: AT_I})
    match term.how:
        case "times":
            return product * x
        case "over":
            return product / x
        case "where":
            return x.keep(product)
        case "unless":
            return (~x).keep(product)


def constant(jet: Jet) -> Jet:
    """The same numbers without derivatives."""
    orders = tuple(None if o is None else o.unary(ew.StopGradientOp) for o in jet.orders)
    return Jet(jet.x, orders, tuple(r.unary(ew.StopGradientOp) for r in jet.roundings))


def is_smooth(reading: Reading, site: Pair | Trace) -> bool:
    """Tell whether all columns have one function, without jumps and kinks but at its poles."""
    return site.pick == ALL and all(_is_smooth_factor(reading, site, term) for term in site.terms)


def _is_smooth_factor(reading: Reading, site: Pair | Trace, term: Term) -> bool:
    core, dims = unrepeated(term.value)
    if site.label not in (term.names[d] for d in dims):
        return True
    fact = reading.facts.get(core)
    is_plain = term.how in ("times", "over") and isinstance(fact, Spectral)
    return is_plain and all(_is_smooth_op(reading, op) for op in _ops_behind(reading, core))


def _ops_behind(reading: Reading, x: Value) -> Iterator[Operation]:
    """The ops by which an array is computed from the values of a frame."""
    pending, seen = [x], {x}
    while pending:
        op = pending.pop().owner
        if isinstance(op, FRAMES) or not isinstance(op, Operation):
            continue
        yield op
        for operand in own_operands(op):
            if isinstance(reading.facts.get(operand), Spectral) and operand not in seen:
                seen.add(operand)
                pending.append(operand)


def _is_smooth_op(reading: Reading, op: Operation) -> bool:
    if isinstance(op, MOVES):
        return True
    fact = reading.facts[op.results[0]]
    assert isinstance(fact, Spectral)
    others = (o for o in own_operands(op) if not isinstance(reading.facts.get(o), Spectral))
    is_same_for_all = all(fact.label not in unrepeated(o)[1] for o in others)
    return is_same_for_all and isinstance(op, SMOOTH)


SMOOTH = (
    *(op for op in UNARY if op is not ew.AbsOp),
    *(op for op in BINARY if op not in (ew.Atan2Op, ew.RemOp, ew.FmodOp, ew.CopysignOp)),
    ew.ConvertOp,
)
"""Elementwise ops without jumps and kinks."""
