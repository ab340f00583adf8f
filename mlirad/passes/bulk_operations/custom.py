"""Code with a derivative of its own and checkpoints inside builds: their regions over all lanes.

build n (i. custom x (a. t) (a da. u))   -->   custom (build n (i. x)) (as. ts) (as das. us)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.shapes import Value, array_type, element_of, is_float, shape_of
from mlirad.ir.builder import yields
from mlirad.passes.bulk_operations.paths import Paths
from mlirad.passes.bulk_operations.terms import Lanes, Term, extents, joined


def bulk_checkpoint(p: Paths, op: CheckpointOp) -> list[Term]:
    """The region over all lanes."""
    lanes = p.result_lanes(op)

    def body() -> list[Value]:
        return [p.r.align(t, own) for t, own in zip(p.evaluate(p.mask, op.body, ()), lanes, strict=True)]

    region = p.r.b.region((), body)
    types = [v.type for v in yields(region)]
    results = p.r.b.insert(CheckpointOp, (), types, None, (region,)).results
    return [p.r.term(own, y) for own, y in zip(lanes, results, strict=True)]


def bulk_custom(p: Paths, op: CustomOp) -> list[Term]:
    """The results of the op over all lanes, with the derivative over all lanes.

    A transposed rule gives a cotangent per lane, so operands and results then have all lanes, and what lanes
    share is summed where it is broadcast to them. Lanes off the path have cotangent 0, and get 0.
    """
    r = p.r
    inputs = [p.term(x) for x in op.inputs]
    lanes = p.result_lanes(op)
    operands = [r.value(t) for t in inputs]
    if op.transposed_rule is not None:
        everywhere = joined([*lanes, *(t.lanes for t in inputs)])
        lanes = [everywhere] * len(lanes)
        operands = [r.align(t, everywhere) for t in inputs]
        own = [everywhere] * len(inputs)
    else:
        own = [t.lanes for t in inputs]

    def bulk(source: Region, arguments: Sequence[Lanes], made: Sequence[Lanes], masked: bool) -> Region:
        def body(*values: Value) -> list[Value]:
            given = [r.term(lane, v) for lane, v in zip(arguments, values, strict=True)]
            found = p.evaluate(p.mask, source, given)
            if masked and p.mask is not None:
                found = [_off_the_path(p, p.mask, t) for t in found]
            return [r.align(t, lane) for t, lane in zip(found, made, strict=True)]

        leading = zip(source.block.args, arguments, strict=True)
        types = [array_type((*extents(lane), *shape_of(a)), element_of(a)) for a, lane in leading]
        return r.b.region(types, body)

    tangents = [lane for x, lane in zip(op.inputs, own, strict=True) if is_float(x)]
    floats = [lane for y, lane in zip(op.outputs, lanes, strict=True) if is_float(y)]
    regions = [bulk(op.body, own, lanes, False)]
    if op.forward_rule is not None:
        regions.append(bulk(op.forward_rule, [*own, *tangents], floats, False))
    if op.transposed_rule is not None:
        regions.append(bulk(op.transposed_rule, [*own, *floats], tangents, True))
    types = [v.type for v in yields(regions[0])]
    results = r.b.insert(CustomOp, operands, types, op.properties, regions).results
    return [r.term(lane, y) for lane, y in zip(lanes, results, strict=True)]


def _off_the_path(p: Paths, mask: Term, x: Term) -> Term:
    """x in the lanes of the path, 0 in the others."""
    zero = p.r.whole(p.b.zeros(array_type(x.shape, x.element)))
    return p.r.elementwise(ew.SelectOp, (mask, x, zero), x.element)
