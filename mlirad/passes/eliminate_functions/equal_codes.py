"""The structure of a code: what it does, except for the values that it captures.

    λz. z * w   and   λz. z * v        have the structure of λz. z * captured 0

Codes of one structure that capture the same kinds of values are one code, so that no tag tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Attribute, Region

from mlirad.dialects.function import LambdaOp, PartialOp
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import captures, own_operands


def captured_by(op: LambdaOp | PartialOp) -> list[Value]:
    """The values that a code captures, each once, in the order in which it reads them."""
    return list(dict.fromkeys(op.fixed)) if isinstance(op, PartialOp) else captures(op.body)


def structure_of(op: LambdaOp | PartialOp) -> object:
    """Return what two codes have in common exactly if they differ in what they capture alone."""
    places = {value: k for k, value in enumerate(captured_by(op))}
    if isinstance(op, PartialOp):
        return (op.closure.type, op.callee_name, tuple(places[v] for v in op.fixed))
    return (op.closure.type, _region(op.body, {}, places))


def _region(region: Region, local: dict[Value, int], captured: dict[Value, int]) -> object:
    def defined(values: Iterable[Value]) -> tuple[Attribute, ...]:
        types: list[Attribute] = []
        for value in values:
            local[value] = len(local)
            types.append(value.type)
        return tuple(types)

    parts: list[object] = [defined(region.block.args)]
    for op in region.block.ops:
        # Numbers of captured values are negative, those of local ones are not.
        operands = tuple(local[o] if o in local else ~captured[o] for o in own_operands(op))
        inner = tuple(_region(r, local, captured) for r in op.regions)
        properties = tuple(sorted(op.properties.items(), key=lambda item: item[0]))
        parts.append((type(op), operands, properties, inner, defined(op.results)))
    return tuple(parts)
