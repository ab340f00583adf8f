"""Code with a derivative of its own and checkpoints inside builds: their regions over all lanes.

build n (i. custom x (a. t) (a da. u))   -->   custom (build n (i. x)) (as. ts) (as das. us)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Region

from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.shapes import Value, is_float
from mlirad.ir.builder import yields
from mlirad.rules.bulk.paths import Paths
from mlirad.rules.bulk.terms import Lanes, Term


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
    """The results of the op over all lanes, with the derivative over all lanes."""
    r = p.r
    inputs = [p.term(x) for x in op.inputs]
    lanes = p.result_lanes(op)

    def bulk(source: Region, arguments: Sequence[Term], own: Sequence[Lanes]) -> Region:
        def body(*values: Value) -> list[Value]:
            given = [r.term(t.lanes, v) for t, v in zip(arguments, values, strict=True)]
            found = p.evaluate(p.mask, source, given)
            return [r.align(t, lane) for t, lane in zip(found, own, strict=True)]

        return r.b.region([r.value(t).type for t in arguments], body)

    tangents = [t for x, t in zip(op.inputs, inputs, strict=True) if is_float(x)]
    floats = [lane for y, lane in zip(op.outputs, lanes, strict=True) if is_float(y)]
    regions = [bulk(op.body, inputs, lanes), bulk(op.derivative, [*inputs, *tangents], floats)]
    types = [v.type for v in yields(regions[0])]
    results = r.b.insert(CustomOp, [r.value(t) for t in inputs], types, None, regions).results
    return [r.term(lane, y) for lane, y in zip(lanes, results, strict=True)]
