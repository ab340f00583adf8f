"""Makers of random code with a derivative of its own, which is the right one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import AnyFloat, FloatAttr
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp
from mlirad.dialects.shapes import ELEMENTS, FLAG, FLOATS, Value, element_of, ints, is_float
from tests.generators.builder import ProgramBuilder
from tests.generators.elementwise import Maker


def custom(g: ProgramBuilder) -> Value | None:
    """The sine or the hyperbolic tangent of one of two operands, with a rule for either direction or for both.

    Rules of the latter read the result.
    """
    allowed = [e for e in FLOATS if e in g.elements]
    if not allowed:
        return None
    x, other = g.some(allowed), g.some(ELEMENTS)
    types = [x.type, other.type]
    reads_result = g.rng.random() < 0.5

    def full(value: float, like: Value) -> Value:
        element = element_of(like)
        properties: dict[str, Attribute] = {"value": FloatAttr(value, cast(AnyFloat, element))}
        constant = g.emit(ConstantOp, [], element, properties, bound=value)
        return g.emit(BroadcastOp, [constant], like.type, {"dims": ints(())}, bound=value)

    def body(args: Sequence[Value]) -> Sequence[Value]:
        return [g.emit(ew.TanhOp if reads_result else ew.SinOp, [args[0]], x.type, bound=1)]

    def derivative(args: Sequence[Value]) -> Sequence[Value]:
        if reads_result:
            square = g.emit(ew.MulOp, [args[2], args[2]], x.type, bound=1)
            slope = g.emit(ew.SubOp, [full(1.0, x), square], x.type, bound=1)
        else:
            slope = g.emit(ew.CosOp, [args[0]], x.type, bound=1)
        return [g.emit(ew.MulOp, [slope, args[len(known)]], x.type, bound=1)]

    def transposed(args: Sequence[Value]) -> Sequence[Value]:
        (image,) = derivative(args)
        return [image, full(0.0, other)] if is_float(other) else [image]

    tangents = [v.type for v in (x, other) if is_float(v)]
    known = [*types, x.type] if reads_result else types
    kind = g.rng.randint(0, 2)
    regions = [g.typed_region(types, body)]
    if kind != 1:
        regions.append(g.typed_region([*known, *tangents], derivative))
    if kind != 0:
        regions.append(g.typed_region([*known, x.type], transposed))
    properties: dict[str, Attribute] = {"results": FLAG} if reads_result else {}
    if kind == 1:
        properties["transposed"] = FLAG
    return g.emit_all(CustomOp, [x, other], [x.type], properties, regions, [1])[-1]


def checkpoint(g: ProgramBuilder) -> Value | None:
    """A few ops that may run twice."""
    if len(g.blocks) > 2:
        return None

    def body(_: Sequence[Value]) -> Sequence[Value]:
        for _ in range(g.rng.randint(1, 3)):
            g.grow()
        return [g.some(ELEMENTS)]

    region = g.typed_region([], body)
    (made,) = region.block.last_op.operands  # pyright: ignore[reportOptionalMemberAccess]
    return g.emit_all(CheckpointOp, [], [made.type], {}, [region], [g.bound(made)])[-1]


CUSTOM_MAKERS: dict[type[Operation], Maker] = {CustomOp: custom, CheckpointOp: checkpoint}
