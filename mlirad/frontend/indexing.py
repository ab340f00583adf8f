"""NumPy's indexing on traced arrays, reading and writing.

Static positions outside are a `PositionError`. A traced position counts from the end where it is negative;
what is still outside then reads 0 and writes nothing. The guards that see to it disappear where the interval
of the position proves it inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import EllipsisType
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import i1

from mlirad.dialects.shapes import Shape, Value, array_type, element_of, is_float, shape_of
from mlirad.errors import ShapeError
from mlirad.frontend.dtypes import BOOL, I64
from mlirad.frontend.frames import emitting
from mlirad.frontend.keys import Positions, Selection, Strided, Term, select_key
from mlirad.frontend.operations import (
    as_array,
    broadcast_shapes,
    broadcast_value,
    made,
    operand_of,
    value_of,
)
from mlirad.frontend.run_time_checks import check_position
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array, handlers
from mlirad.ir.arrays import ArrayBuilder


def read(x: Array, key: Any) -> Array:
    """`x[key]`."""
    selection = select_key(x.shape, key)
    terms, shape = selection.terms, selection.shape
    b = emitting()
    moved = [d for d, term in enumerate(terms) if not isinstance(term, Strided)]
    if not any(isinstance(terms[d], Array | np.ndarray) for d in moved):
        moved = [
            d for k, d in enumerate(moved) if d == k
        ]  # static positions further on are cut out as slices
    rest = [d for d in range(len(shape)) if d not in moved]
    value = b.transpose(x.value, [*moved, *rest])
    if moved:
        value = _gather(b, value, [cast("int | Positions", terms[d]) for d in moved], selection.space)
    rank = len(selection.space)
    value = _slice(b, value, rank, [terms[d] for d in rest])
    return made(_arrange(b, value, selection, rest), weak=x.weak)


def write(x: Array, key: Any, values: Any, kind: str) -> Array:
    """`x` with `values` set or added at `key`; the elements take the dtype of `x`."""
    selection = select_key(x.shape, key)
    given = operand_of(values)
    b = emitting()
    new = value_of(given, x.dtype)
    shape = selection.result_shape
    if broadcast_shapes([shape, shape_of(new)], "x[key] = values") != shape:
        raise ShapeError(
            f"values of shape {shape_of(new)} do not fit a place of shape {shape}", location=user_line()
        )
    new = broadcast_value(b, new, shape)
    new = b.reshape(new, [e for e, part in zip(shape, _expanded(selection), strict=True) if part is not None])
    if 0 in shape:
        return made(x.value)
    return made(_update(b, x.value, new, selection, "set" if x.dtype == BOOL else kind))


# Reading -----------------------------------------------------------------------------------------


def _slice(b: ArrayBuilder, x: Value, rank: int, terms: list[Term]) -> Value:
    """Slices of the dimensions of `x` after the first `rank`; a static position is a slice of one."""
    shape = shape_of(x)
    starts, limits, strides = [0] * len(shape), list(shape), [1] * len(shape)
    backwards: list[int] = []
    for d, term in enumerate(terms, rank):
        if isinstance(term, int):
            starts[d], limits[d] = term, term + 1
        elif isinstance(term, Strided) and term.count == 0:
            starts[d] = limits[d] = 0
        elif isinstance(term, Strided):
            last = term.start + (term.count - 1) * term.step
            starts[d], limits[d] = min(term.start, last), max(term.start, last) + 1
            strides[d] = abs(term.step)
            if term.step < 0:
                backwards.append(d)
    return b.reverse(b.slice(x, starts, limits, strides), backwards)


def _gather(b: ArrayBuilder, x: Value, terms: list[int | Positions], space: Shape) -> Value:
    """Leading dimensions of `x` read at positions that range over `space`."""
    _check(zip(terms, shape_of(x), strict=False))
    wrapped = [_wrapped(b, term, extent) for term, extent in zip(terms, shape_of(x), strict=False)]
    if all(not shape_of(p) for p in wrapped) and not space:
        return b.guarded_index(x, wrapped)

    def positions(*at: Value) -> list[Value]:
        return [_element(b, p, space, at) for p in wrapped]

    value = b.gather(x, space, positions)
    inside = _inside(b, wrapped, shape_of(x), space)
    if b.scalar_of(inside) is True:
        return value
    rank = len(space)
    return b.select(b.broadcast(inside, shape_of(value), range(rank)), value, b.zeros(value.type))


def _check(terms: Iterable[tuple[Term | Positions, int]]) -> None:
    """Report traced positions outside of their extents, if the program is to do so."""
    for term, extent in terms:
        if isinstance(term, Array):
            check_position(term.value, extent, counts_from_end=True)


def _wrapped(b: ArrayBuilder, term: int | Positions, extent: int) -> Value:
    """Positions as a value, negative ones counted from the end."""
    if not isinstance(term, Array):
        return as_array(np.asarray(term, np.int64), I64).value
    value = term.value
    negative = b.compare("lt", value, b.splat(0, value.type))
    return b.select(negative, b.add(value, b.splat(extent, value.type)), value)


def _element(b: ArrayBuilder, positions: Value, space: Shape, at: Sequence[Value]) -> Value:
    """The element of `positions` broadcast to `space` at the point `at` of that space."""
    shape = shape_of(positions)
    offset = len(space) - len(shape)
    own = [b.index_constant(0) if e == 1 else at[offset + d] for d, e in enumerate(shape)]
    return b.index(positions, own)


def _inside(b: ArrayBuilder, positions: Sequence[Value], shape: Sequence[int], space: Shape) -> Value:
    """Whether all positions lie inside, at every point of `space`."""
    result = b.splat(True, array_type(space, i1))
    for p, extent in zip(positions, shape, strict=False):
        result = b.logical_and(result, broadcast_value(b, b.inside([p], [extent]), space))
    return result


def _arrange(b: ArrayBuilder, value: Value, selection: Selection, rest: list[int]) -> Value:
    """The dimensions of `value`, those of the space and then `rest`, in the order of the result."""
    rank = len(selection.space)
    order: list[int] = []
    for part in selection.view:
        if isinstance(part, EllipsisType):
            order += range(rank)
        elif part is not None:
            order.append(rank + rest.index(part))
    order += [d for d in range(len(shape_of(value))) if d not in order]  # extent 1, of static positions
    return b.reshape(b.transpose(value, order), selection.result_shape)


# Writing -----------------------------------------------------------------------------------------


def _expanded(selection: Selection) -> list[int | EllipsisType | None]:
    """`view` with one entry per dimension of the result."""
    parts: list[int | EllipsisType | None] = []
    for part in selection.view:
        parts += [part] * (len(selection.space) if isinstance(part, EllipsisType) else 1)
    return parts


def _update(b: ArrayBuilder, base: Value, new: Value, selection: Selection, kind: str) -> Value:
    """`base` with `new` at the selected positions; `new` has one dimension per sliced one and per one of the
    space.

    What goes outside is clamped to a place inside and changes nothing there: what is added is the neutral
    element, and a single place is set to what it holds. So a write costs what is written. Several places
    may clamp to one that is set as well, so these go to an extra element at the end of their dimension,
    which is cut off again.
    """
    shape = selection.shape
    _check(zip(selection.terms, shape, strict=True))
    wrapped = {
        d: _wrapped(b, term, shape[d])
        for d, term in enumerate(selection.terms)
        if not isinstance(term, Strided)
    }
    if any(shape[d] == 0 for d in wrapped):
        return base
    parts = [part for part in _expanded(selection) if part is not None]
    inside = _inside(b, list(wrapped.values()), [shape[d] for d in wrapped], selection.space)
    if b.scalar_of(inside) is True:
        return _updated(b, base, new, selection, wrapped, parts, kind)
    if kind == "set" and selection.space:
        return _updated_with_margin(b, base, new, selection, wrapped, parts)
    if kind == "add":
        unchanged = b.splat(-0.0 if is_float(base) else 0, new.type)  # -0 + -0 is -0
    else:
        count, positions = _places(b, selection, wrapped, parts)
        unchanged = b.gather(base, shape_of(new)[:count], positions) if count else b.index(base, positions())
    mask = b.broadcast(inside, shape_of(new), [k for k, p in enumerate(parts) if isinstance(p, EllipsisType)])
    new = b.select(mask, new, unchanged)
    return _updated(b, base, new, selection, wrapped, parts, kind)


Parts = Sequence[int | EllipsisType]


def _updated(
    b: ArrayBuilder,
    base: Value,
    new: Value,
    selection: Selection,
    wrapped: Mapping[int, Value],
    parts: Parts,
    kind: str,
) -> Value:
    count, positions = _places(b, selection, wrapped, parts)
    return b.update(kind, base, new, count, positions)


def _updated_with_margin(
    b: ArrayBuilder,
    base: Value,
    new: Value,
    selection: Selection,
    wrapped: Mapping[int, Value],
    parts: Parts,
) -> Value:
    shape = selection.shape
    moved = dict(wrapped)
    grown = [0] * len(shape)
    for d, p in wrapped.items():
        inside = b.inside([p], [shape[d]])
        if b.scalar_of(inside) is not True:
            grown[d] = 1
            moved[d] = b.select(inside, p, b.splat(shape[d], p.type))
    none = [0] * len(shape)
    larger = b.pad(base, b.zeros(element_of(base)), none, grown, none)
    updated = _updated(b, larger, new, selection, moved, parts, "set")
    return b.slice(updated, none, list(shape), [1] * len(shape))


def _places(
    b: ArrayBuilder, selection: Selection, wrapped: Mapping[int, Value], parts: Parts
) -> tuple[int, Callable[..., list[Value]]]:
    """How many leading dimensions of what is written are indexed, and the positions as a function of them.

    Whole dimensions at the end are written as they are.
    """
    shape, indexed, count = selection.shape, len(selection.shape), len(parts)
    while (
        indexed
        and _is_whole(selection.terms[indexed - 1], shape[indexed - 1])
        and count
        and parts[count - 1] == indexed - 1
    ):
        indexed -= 1
        count -= 1
    leading = list(parts[:count])

    def positions(*at: Value) -> list[Value]:
        point = [i for i, part in zip(at, leading, strict=True) if isinstance(part, EllipsisType)]
        found: list[Value] = []
        for d in range(indexed):
            term = selection.terms[d]
            if isinstance(term, Strided):
                i = at[leading.index(d)]
                step = b.mul(i, b.index_constant(term.step))
                found.append(b.add(step, b.index_constant(term.start)))
            else:
                found.append(_element(b, wrapped[d], selection.space, point))
        return found

    return count, positions


def _is_whole(term: Term, extent: int) -> bool:
    return isinstance(term, Strided) and term.is_all(extent)


handlers.read = read
handlers.write = write
