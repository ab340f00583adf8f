"""Code with a derivative of its own inside builds: its regions over the batch.

build n (i. custom x (a. t) (a da. u))   -->   custom (build n (i. x)) (as. ts) (as das. us)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.shapes import Value, array_type, element_of, is_float, shape_of
from mlirad.ir.builder import yields
from mlirad.passes.bulk_operations.paths import Paths
from mlirad.passes.bulk_operations.terms import BatchAxes, Term, extents, joined


def bulk_custom(p: Paths, op: CustomOp) -> list[Term]:
    """The results of the op over the batch, with the derivative over the batch.

    A transposed rule gives a cotangent per member, so operands and results then have all batch axes, and what
    members share is summed where it is broadcast to them. Members off the path have cotangent 0, and get 0.
    An op that all members share has one cotangent, the sum of theirs.
    """
    r = p.r
    inputs = [p.term(x) for x in op.inputs]
    axes = p.result_axes(op)
    operands = [r.value(t) for t in inputs]
    if op.transposed_rule is not None:
        everywhere = joined([*axes, *(t.axes for t in inputs)])
        if everywhere and p.mask is not None:
            everywhere = joined((everywhere, p.mask.axes))
        axes = [everywhere] * len(axes)
        operands = [r.align(t, everywhere) for t in inputs]
        own = [everywhere] * len(inputs)
    else:
        own = [t.axes for t in inputs]

    def bulk(
        source: Region, arguments: Sequence[BatchAxes], made: Sequence[BatchAxes], *, masked: bool = False
    ) -> Region:
        def body(*values: Value) -> list[Value]:
            given = [r.term(along, v) for along, v in zip(arguments, values, strict=True)]
            found = p.evaluate(p.mask, source, given)
            if masked and p.mask is not None:
                found = [_off_the_path(p, p.mask, t) for t in found]
            return [r.align(t, along) for t, along in zip(found, made, strict=True)]

        leading = zip(source.block.args, arguments, strict=True)
        types = [array_type((*extents(along), *shape_of(a)), element_of(a)) for a, along in leading]
        return r.b.region(types, body)

    tangents = [along for x, along in zip(op.inputs, own, strict=True) if is_float(x)]
    floats = [along for y, along in zip(op.outputs, axes, strict=True) if is_float(y)]
    regions = [bulk(op.body, own, axes)]
    known = [*own, *axes] if op.reads_results is not None else own
    if op.forward_rule is not None:
        regions.append(bulk(op.forward_rule, [*known, *tangents], floats))
    if op.transposed_rule is not None:
        regions.append(bulk(op.transposed_rule, [*known, *floats], tangents, masked=any(tangents)))
    types = [v.type for v in yields(regions[0])]
    results = r.b.insert(CustomOp, operands, types, op.properties, regions).results
    return [r.term(along, y) for along, y in zip(axes, results, strict=True)]


def _off_the_path(p: Paths, mask: Term, x: Term) -> Term:
    """x for the members on the path, 0 in the others."""
    zero = p.r.whole(p.b.zeros(array_type(x.shape, x.element)))
    return p.r.elementwise(ew.SelectOp, (mask, x, zero), x.element)
