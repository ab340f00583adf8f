"""The value of an array with some elements set or added at a selection.

A write outside the array changes nothing. Since ops clamp, `x.at[i].add(v)` with i outside adds -0 to an
element at the border, and `set` writes back the old value. Padding the array with a margin for such writes
would cost as much as the array in every iteration of a loop; it is used only where several indices are set at
once and one outside could clamp to one inside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import EllipsisType

from mlirad.dialects.shapes import Value, element_of, is_float, shape_of
from mlirad.frontend.indexing.keys import Selection, Strided, Term
from mlirad.frontend.indexing.reads import all_inside, check_terms, element_at, wrapped_value
from mlirad.frontend.tracing.frames import emitting
from mlirad.ir.arrays import ArrayBuilder


def expanded_view(selection: Selection) -> list[int | EllipsisType | None]:
    """`view` with one entry per dimension of the result."""
    parts: list[int | EllipsisType | None] = []
    for part in selection.view:
        parts += [part] * (len(selection.space) if isinstance(part, EllipsisType) else 1)
    return parts


def _written(selection: Selection) -> list[int | EllipsisType]:
    """The same without the new dimensions."""
    return [part for part in expanded_view(selection) if part is not None]


def updated_value(base: Value, selection: Selection, new: Value, kind: str) -> Value:
    """`base` with `new`, of the shape of the selection, set or added there."""
    b = emitting()
    shape = selection.result_shape
    if 0 in shape:
        return base
    if kind == "set" and selection.is_whole:
        return new
    kept = [e for e, part in zip(shape, expanded_view(selection), strict=True) if part is not None]
    return _update(b, base, b.reshape(new, kept), selection, kind)


def _update(b: ArrayBuilder, base: Value, new: Value, selection: Selection, kind: str) -> Value:
    """`base` with `new` at the selected positions; `new` has one dimension per sliced one and per one of the
    space.

    Positions outside are clamped to a place inside and change nothing there: the value added is the neutral
    element, and a single place is set to what it holds. So a write costs what is written. Several places may
    clamp to one that is set as well, so these go to an extra element at the end of their dimension, which is
    cut off again.
    """
    shape = selection.shape
    check_terms(zip(selection.terms, shape, strict=True))
    wrapped = {
        d: wrapped_value(b, term, shape[d])
        for d, term in enumerate(selection.terms)
        if not isinstance(term, Strided)
    }
    if any(shape[d] == 0 for d in wrapped):
        return base
    inside = all_inside(b, list(wrapped.values()), [shape[d] for d in wrapped], selection.space)
    if b.scalar_of(inside) is True:
        return b.update(kind, base, new, *_places(b, selection, wrapped))
    if kind == "set" and selection.space:
        return _updated_with_margin(b, base, new, selection, wrapped)
    if kind == "add":
        unchanged = b.splat(-0.0 if is_float(base) else 0, new.type)  # -0 + -0 is -0
    else:
        count, positions = _places(b, selection, wrapped)
        unchanged = b.gather(base, shape_of(new)[:count], positions) if count else b.index(base, positions())
    spread = [k for k, part in enumerate(_written(selection)) if isinstance(part, EllipsisType)]
    mask = b.broadcast(inside, shape_of(new), spread)
    new = b.select(mask, new, unchanged)
    return b.update(kind, base, new, *_places(b, selection, wrapped))


def _updated_with_margin(
    b: ArrayBuilder, base: Value, new: Value, selection: Selection, wrapped: Mapping[int, Value]
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
    updated = b.update("set", larger, new, *_places(b, selection, moved))
    return b.slice(updated, none, list(shape), [1] * len(shape))


def _places(
    b: ArrayBuilder, selection: Selection, wrapped: Mapping[int, Value]
) -> tuple[int, Callable[..., list[Value]]]:
    """Return how many leading dimensions of what is written are indexed, and the positions as a function of
    them.

    Whole dimensions at the end are written as they are.
    """
    parts = _written(selection)
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
                found.append(element_at(b, wrapped[d], selection.space, point))
        return found

    return count, positions


def _is_whole(term: Term, extent: int) -> bool:
    return isinstance(term, Strided) and term.is_all(extent)
