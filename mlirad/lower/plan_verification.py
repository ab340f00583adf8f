"""The check of a memory plan: nothing that is still needed is ever overwritten.

Independent of how the plan was made: it walks the function backwards with the set of values that are still to
be read, and at each op requires that what the op writes overlaps none of them.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.kernel import DotOp, LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.shapes import Value, values_of
from mlirad.errors import VerifyError
from mlirad.ir.builder import function_block, returned
from mlirad.ir.free_values import free_values
from mlirad.ir.locations import location_of
from mlirad.lower.plan_memory import ALIGNMENT, ARENA_ATTRIBUTE, bytes_of, is_row_major


def verify_plan(function: FuncOp) -> None:
    """Raise `VerifyError` unless every kernel result of a planned function has a sound place."""
    arena = function.attributes.get(ARENA_ATTRIBUTE)
    if not isinstance(arena, IntegerAttr):
        raise VerifyError(f"the function has no {ARENA_ATTRIBUTE}", location=location_of(function))
    places = _places(function, arena.value.data)
    live: set[Value] = set()
    for op in reversed(list(function_block(function).ops)):
        written = [r for r in op.results if r in places]
        live.difference_update(written)
        if isinstance(op, ScatterOp) and op.in_place is not None:
            _check_in_place(op, places)
        read = free_values(op)
        needed = {*live, *(v for v in read if not _is_overwritten_base(op, v))} if written else live
        for k, result in enumerate(written):
            for other in (*needed, *written[k + 1 :]):
                if other in places and _overlap(result, places[result], other, places[other]):
                    raise VerifyError(
                        f"a result at {places[result]} overwrites a value at {places[other]} "
                        "that is still needed",
                        location=location_of(op),
                        hint="this is a defect of the memory plan",
                    )
        live.update(read)


def _places(function: FuncOp, arena: int) -> dict[Value, int]:
    """The place of every kernel result, each inside the arena or in the output that it is."""
    outputs = returned(function)
    places: dict[Value, int] = {}
    for op in function_block(function).ops:
        if not isinstance(op, NestOp | ScatterOp | DotOp):
            continue
        stated = () if op.places is None else values_of(op.places)
        if len(stated) != len(op.results):
            raise VerifyError(f"{op.name} needs one place per result", location=location_of(op))
        for result, place in zip(op.results, stated, strict=True):
            places[result] = place
            if place >= 0:
                sound = place % ALIGNMENT == 0 and place + bytes_of(result) <= arena
            else:
                k = -1 - place
                sound = k < len(outputs) and outputs[k].type == result.type and is_row_major(result)
                sound = sound and (result not in outputs or outputs[k] is result)
            if not sound:
                raise VerifyError(f"place {place} does not fit {result.type}", location=location_of(op))
    return places


def _check_in_place(op: ScatterOp, places: dict[Value, int]) -> None:
    base = None if op.from_zero is not None else op.inputs[0]
    if base is None or places.get(base) != places[op.result]:
        raise VerifyError("a scatter in place must have its base's place", location=location_of(op))
    if any(isinstance(o, LoadOp | LoadIfOp) and o.buffer is base for o in op.body.block.ops):
        raise VerifyError("a scatter in place loads from its base", location=location_of(op))


def _is_overwritten_base(op: Operation, value: Value) -> bool:
    """Whether a value may be overwritten because it is the base that a scatter works on."""
    return isinstance(op, ScatterOp) and op.in_place is not None and op.inputs[0] is value


def _overlap(x: Value, place_x: int, y: Value, place_y: int) -> bool:
    """Whether two places share bytes."""
    if place_x < 0 or place_y < 0:
        return place_x == place_y and bytes_of(x) > 0
    return place_x < place_y + bytes_of(y) and place_y < place_x + bytes_of(x)
