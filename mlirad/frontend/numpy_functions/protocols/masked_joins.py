"""Selections `x[mask]` that are joined, put in order, or combined with all elements of an array.

np.concatenate((x[m], y))        the elements of both, and a mask of both
np.vstack((x[m], y[m]))          rows, of whose columns m chooses
np.sort(x[m]), np.diff(x[m])     the elements that count stand in front
np.multiply.outer(x[m], y)       rows, chosen by m
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from mlirad.frontend.indexing.masks import MaskedElements, require_same, unknown_length
from mlirad.frontend.numpy_functions.calls.binding import qualified_name
from mlirad.frontend.numpy_functions.protocols.masked_places import in_front
from mlirad.frontend.numpy_functions.protocols.masked_reductions import (
    Options,
    count,
    filled,
    like,
    reduced,
    rows,
    selections,
)
from mlirad.frontend.tracing.operations import xp


def combined(function: Callable[..., Any], options: Options) -> Any:
    """Return what a function makes of selections, given by names; `None` of what it does not know."""
    if function in JOINS:
        return JOINS[function](**options) if selections([*options.values()]) else None
    first, *others = options.values()
    if not isinstance(first, MaskedElements):
        return None
    rest = dict(zip([*options][1:], others, strict=True))
    if function == np.histogram:
        return _histogram(first, **rest)
    return _ordered(function, first, rest) if function in ORDERED else None


def _concatenate(arrays: Sequence[Any], axis: int | None = 0) -> MaskedElements | None:
    values = list(arrays)
    first = selections(values)[0]
    if axis is None:
        if any(np.ndim(value) != 1 for value in values if not isinstance(value, MaskedElements)):
            return None
        axis = 0
    axis %= first.ndim
    elements = list(map(_elements, values))
    if first.dim != axis:
        for value in values:
            if not isinstance(value, MaskedElements) or value.dim != first.dim:
                raise unknown_length("an array beside it")
            require_same(rows(first), rows(value))
        return like(first, xp.concatenate(elements, axis))
    masks: list[Any] = []
    for value in values:
        if isinstance(value, MaskedElements) and value.dim != axis:
            return None
        masks.append(_mask(value, axis))
    return MaskedElements(xp.concatenate(elements, axis), xp.concatenate(masks), axis)


def _elements(value: Any) -> Any:
    return value.elements if isinstance(value, MaskedElements) else value


def _mask(value: Any, axis: int = 0) -> Any:
    """Return which elements of a selection or an array count along an axis."""
    return value.mask if isinstance(value, MaskedElements) else np.ones(np.shape(value)[axis], np.bool_)


def _append(arr: Any, values: Any, axis: int | None = None) -> MaskedElements | None:
    given = [
        arr,
        values if isinstance(values, MaskedElements) or np.ndim(values) else xp.reshape(values, (1,)),
    ]
    if axis is None and any(isinstance(value, MaskedElements) and value.ndim > 1 for value in given):
        return None
    return _concatenate(given, axis)


def _expanded(value: Any, axis: int) -> Any:
    """A value with another dimension."""
    if not isinstance(value, MaskedElements):
        return xp.expand_dims(value, axis)
    return like(value, xp.expand_dims(value.elements, axis), value.dim + (axis <= value.dim))


def _rank(value: Any) -> int:
    return value.ndim if isinstance(value, MaskedElements) else np.ndim(value)


def _stack(arrays: Sequence[Any], axis: int = 0) -> MaskedElements | None:
    axis %= _rank(arrays[0]) + 1
    return _concatenate([_expanded(value, axis) for value in arrays], axis)


def _hstack(tup: Sequence[Any]) -> MaskedElements | None:
    return _concatenate(tup, 0 if _rank(tup[0]) == 1 else 1)


def _vstack(tup: Sequence[Any]) -> MaskedElements | None:
    return _concatenate([_expanded(value, 0) if _rank(value) == 1 else value for value in tup], 0)


def _column_stack(tup: Sequence[Any]) -> MaskedElements | None:
    return _concatenate([_expanded(value, 1) if _rank(value) == 1 else value for value in tup], 1)


JOINS: Final[dict[Callable[..., Any], Callable[..., MaskedElements | None]]] = {
    np.concatenate: _concatenate,
    np.append: _append,
    np.stack: _stack,
    np.hstack: _hstack,
    np.vstack: _vstack,
    np.column_stack: _column_stack,
}
"""The functions that join selections as these functions join arrays."""


# Orders ------------------------------------------------------------------------------------------


def _ordered(function: Callable[..., Any], x: MaskedElements, options: Options) -> Any:
    """Return what a function of `ORDERED` makes of a selection, `None` for options that it does not take."""
    if x.ndim != 1 or x.dtype.kind == "c" or options.pop("axis", -1) not in (0, -1):
        return None
    return ORDERED[function](x, **options)


def _sort(x: MaskedElements, kind: str | None = None, stable: bool | None = None) -> MaskedElements:
    order = xp.lexsort((x.elements, xp.logical_not(x.mask)))
    return MaskedElements(x.elements[order], x.mask[order], 0)


def _diff(x: MaskedElements, n: int = 1, prepend: Any = None, append: Any = None) -> MaskedElements | None:
    if n != 1:
        return None
    ends = [None if end is None else np.atleast_1d(end) for end in (prepend, append)]
    if any(end is not None for end in ends):
        parts = [part for part in (ends[0], x, ends[1]) if part is not None]
        joined = xp.concatenate(list(map(_elements, parts)))
        x = MaskedElements(joined, xp.concatenate(list(map(_mask, parts))), 0)
    made = xp.diff(in_front(x))
    return MaskedElements(made, xp.less(np.arange(made.shape[0]), count(x) - 1), 0)


def flipped(x: MaskedElements) -> MaskedElements:
    """The elements of a vector in reverse order."""
    return MaskedElements(x.elements[::-1], x.mask[::-1], 0)


ORDERED: Final[dict[Callable[..., Any], Callable[..., Any]]] = {
    np.sort: _sort,
    np.diff: _diff,
    np.flip: flipped,
    np.flipud: flipped,
}
"""The functions that do with a selection what these do with a vector."""


# All elements ------------------------------------------------------------------------------------


def outer(ufunc: np.ufunc, one: Any, other: Any) -> MaskedElements:
    """`ufunc.outer` of a selection and an array."""
    if isinstance(one, MaskedElements) and isinstance(other, MaskedElements):
        raise unknown_length(f"np.{ufunc.__name__}.outer of two of them")
    chosen, place = (one, one.dim) if isinstance(one, MaskedElements) else (other, np.ndim(one) + other.dim)
    return like(chosen, ufunc.outer(_elements(one), _elements(other)), place)


def _histogram(
    a: MaskedElements, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None
) -> Any:
    """`np.histogram` of a selection: of all elements, with weight 0 for those that do not count."""
    if (
        isinstance(bins, str)
        or a.ndim != 1
        or (weights is not None and not isinstance(weights, MaskedElements))
    ):
        raise unknown_length(qualified_name(np.histogram))
    if weights is not None:
        require_same(rows(a), rows(weights))
    given = xp.where(a.mask, 1.0, 0.0) if weights is None else filled(weights, 0)
    one = xp.where(xp.any(a.mask), reduced(np.min, a, {}), 0.0)
    elements = xp.where(a.mask, a.elements, one)
    counts, edges = xp.histogram(elements, bins, range=range, density=density, weights=given)
    return (counts if density or weights is not None else counts.astype(np.int64)), edges
