"""NumPy's indexing on traced arrays: reading.

Static positions outside are a `PositionError`. A traced position counts from the end where it is negative;
what is still outside then reads 0 and writes nothing. The guards that see to it disappear where the interval
of the position proves it inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import EllipsisType
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import i1

from mlirad.dialects.extents import Extent, at_most
from mlirad.dialects.shapes import Shape, Value, array_type, shape_of
from mlirad.frontend.indexing.keys import Positions, Selection, Strided, Term, items_of, select_key
from mlirad.frontend.indexing.masks import MaskedElements, holds_chosen, key_with_mask, masked
from mlirad.frontend.indexing.truths import without_truths
from mlirad.frontend.indexing.views import selected
from mlirad.frontend.tracing.array import Array, is_ordered, made
from mlirad.frontend.tracing.dtypes import I64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, broadcast_value
from mlirad.frontend.tracing.run_time_checks import check_position, from_start
from mlirad.ir.arrays import ArrayBuilder


def read(x: Array, key: Any) -> Any:
    """`x[key]`: as in NumPy a view for a basic key, a copy otherwise. A single element is a scalar.

    With a traced mask in the key, or positions of one, it is a `MaskedElements`.
    """
    x, key = without_truths(x, key)
    if holds_chosen(key):
        return _read_chosen(x, key)
    found = key_with_mask(key)
    if found is not None:
        mask, plain, place = found
        return masked(read(x, plain), mask, place)
    selection = select_key(x.shape, key)
    if not selection.is_basic or (not selection.view and not _has_ellipsis(key)):
        result = made(read_value(x.value, selection), weak=x.weak)
        result._is_row_major = is_ordered(x) and selection.is_leading  # pyright: ignore[reportPrivateUsage]
        return result
    return selected(x, selection, lambda value: read_value(value, selection), key)


def _read_chosen(x: Array, key: Any) -> MaskedElements:
    """`x[np.where(mask)]`: the elements at all positions; the same ones count."""
    from mlirad.frontend.indexing.chosen_positions import chosen_of, key_at  # most programs do without

    chosen, plain = chosen_of(key), key_at(key, 0)
    before = select_key(x.shape, plain).view.index(...)
    return MaskedElements(read(x, plain), chosen.mask, before + chosen.dim)


def _has_ellipsis(key: Any) -> bool:
    return any(item is ... for item in items_of(key))


# Parts -------------------------------------------------------------------------------------------


def read_value(x: Value, selection: Selection) -> Value:
    terms, shape = selection.terms, selection.shape
    b = emitting()
    moved = [d for d, term in enumerate(terms) if not isinstance(term, Strided)]
    if not any(isinstance(terms[d], Array | np.ndarray) for d in moved):
        # static positions further on are cut out as slices
        moved = [d for k, d in enumerate(moved) if d == k]
    rest = [d for d in range(len(shape)) if d not in moved]
    value = b.transpose(x, [*moved, *rest])
    if moved:
        value = _gather(b, value, [cast("int | Positions", terms[d]) for d in moved], selection.space)
    rank = len(selection.space)
    value = _slice(b, value, rank, [terms[d] for d in rest])
    return _arrange(b, value, selection, rest)


def _slice(b: ArrayBuilder, x: Value, rank: int, terms: list[Term]) -> Value:
    """Slices of the dimensions of `x` after the first `rank`; a static position is a slice of one."""
    shape = shape_of(x)
    starts, limits, strides = [0] * len(shape), list(shape), [1] * len(shape)
    backwards: list[int] = []
    for d, term in enumerate(terms, rank):
        if isinstance(term, int | Extent):
            starts[d], limits[d] = term, term + 1
        elif isinstance(term, Strided) and at_most(term.count, 0):
            starts[d], limits[d] = 0, term.count
        elif isinstance(term, Strided):
            last = term.start + (term.count - 1) * term.step
            first, last = (term.start, last) if term.step > 0 else (last, term.start)
            starts[d], limits[d] = first, last + 1
            strides[d] = abs(term.step)
            if term.step < 0:
                backwards.append(d)
    return b.reverse(b.slice(x, starts, limits, strides), backwards)


def _gather(b: ArrayBuilder, x: Value, terms: list[int | Positions], space: Shape) -> Value:
    """Leading dimensions of `x` read at positions that range over `space`."""
    check_terms(zip(terms, shape_of(x), strict=False))
    wrapped = [wrapped_value(b, term, extent) for term, extent in zip(terms, shape_of(x), strict=False)]
    if all(not shape_of(p) for p in wrapped) and not space:
        return b.guarded_index(x, wrapped)

    def positions(*at: Value) -> list[Value]:
        return [element_at(b, p, space, at) for p in wrapped]

    value = b.gather(x, space, positions)
    inside = all_inside(b, wrapped, shape_of(x), space)
    if b.scalar_of(inside) is True:
        return value
    rank = len(space)
    return b.select(b.broadcast(inside, shape_of(value), range(rank)), value, b.zeros(value.type))


def check_terms(terms: Iterable[tuple[Term | Positions, int]]) -> None:
    """Report traced positions outside of their extents, if the program is to do so."""
    for term, extent in terms:
        if isinstance(term, Array):
            check_position(term.value, extent, counts_from_end=True)


def wrapped_value(b: ArrayBuilder, term: int | Positions, extent: int) -> Value:
    """Positions as a value, negative ones counted from the end."""
    if isinstance(term, int | Extent):
        return b.index_constant(term)
    if not isinstance(term, Array):
        return as_array(np.asarray(term, np.int64), I64).value
    return from_start(b, term.value, extent)


def element_at(b: ArrayBuilder, positions: Value, space: Shape, at: Sequence[Value]) -> Value:
    """The element of `positions` broadcast to `space` at the point `at` of that space."""
    shape = shape_of(positions)
    offset = len(space) - len(shape)
    own = [b.index_constant(0) if e == 1 else at[offset + d] for d, e in enumerate(shape)]
    return b.index(positions, own)


def all_inside(b: ArrayBuilder, positions: Sequence[Value], shape: Sequence[int], space: Shape) -> Value:
    """Return whether all positions lie inside, at every point of `space`."""
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
