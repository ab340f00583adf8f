"""Selections `x[mask]` with other dimensions, and functions of points that a mask chooses.

x[m][:, None], x[m].reshape(-1, 1)      the same elements, and another dimension of extent 1
np.trapezoid(y[m], x[m])                over the points in front that count
np.interp(p, x[m], y[m])                between them
np.polyfit(x[m], y[m], 2)               all points, and those that do not count weigh nothing
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.indexing.masks import MaskedElements, require_same, unknown_length
from mlirad.frontend.numpy_functions.protocols.masked_places import in_front
from mlirad.frontend.numpy_functions.protocols.masked_reductions import (
    Options,
    count,
    filled,
    like,
    rows,
)
from mlirad.frontend.tracing.operations import xp

# Dimensions --------------------------------------------------------------------------------------


def with_dimensions(x: MaskedElements, items: Sequence[Any]) -> MaskedElements:
    """`x[:, None]` and its like: entries of a key that are slices, `None` and `...`."""
    given = sum(isinstance(item, slice) for item in items)
    if any(not (item is None or item is ... or isinstance(item, slice)) for item in items):
        raise unknown_length("a position in it")
    dims: list[int | None] = []
    for item in items if ... in items else (*items, ...):
        known = sum(dim is not None for dim in dims)
        more = x.ndim - given if item is ... else int(item is not None)
        dims += range(known, known + more) if item is not None else [None]
    if _slice_at(items, x.dim, x.ndim - given) != slice(None):
        raise unknown_length("a part of it")
    return like(x, x.elements[tuple(items)], dims.index(x.dim))


def _slice_at(items: Sequence[Any], dim: int, skipped: int) -> Any:
    """Return the slice of a key along a dimension; `...` stands for `skipped` full slices."""
    kept: list[Any] = []
    for item in items:
        if item is ...:
            kept += [slice(None)] * skipped
        elif item is not None:
            kept.append(item)
    return kept[dim] if dim < len(kept) else slice(None)


def _reshape(a: Any, shape: Any = None, order: str = "C") -> MaskedElements | None:
    """Reshape to a shape that differs in dimensions of extent 1, with -1 for the one of the mask."""
    extents: list[Any] = [*shape] if isinstance(shape, tuple | list) else [shape]
    if order != "C" or not isinstance(a, MaskedElements):
        return None
    if extents.count(-1) != 1 or not all(isinstance(extent, int | np.integer) for extent in extents):
        return None
    dim = extents.index(-1)
    own = list(a.elements.shape)
    if _long(extents, dim) != _long(own, a.dim):
        return None
    extents[dim] = own[a.dim]
    return like(a, xp.reshape(a.elements, tuple(extents)), dim)


def _long(extents: Sequence[Any], dim: int) -> list[Any]:
    """The extents that are not 1, with -1 in the place of the one at `dim`."""
    return [-1 if k == dim else extent for k, extent in enumerate(extents) if k == dim or extent != 1]


def _expand_dims(a: Any, axis: Any) -> MaskedElements | None:
    if not isinstance(axis, int) or not isinstance(a, MaskedElements):
        return None
    place = axis % (a.ndim + 1)
    return with_dimensions(a, [*[slice(None)] * place, None])


def _atleast_2d(arys: tuple[Any, ...]) -> MaskedElements | None:
    x = arys[0]
    if len(arys) > 1:
        return None
    return x if x.ndim > 1 else with_dimensions(x, [None])


# Points ------------------------------------------------------------------------------------------


def _vectors(*values: Any) -> list[MaskedElements] | None:
    """Return real vectors selected by one mask, with 0 elsewhere; `None` for anything else."""
    if not all(isinstance(v, MaskedElements) and v.ndim == 1 and v.dtype.kind != "c" for v in values):
        return None
    for value in values[1:]:
        require_same(rows(values[0]), rows(value))
    return [like(value, filled(value, 0)) for value in values]


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    known = _vectors(y) if x is None else _vectors(y, x)
    if known is None or axis not in (0, -1):
        return None
    heights = in_front(known[0])
    widths = dx if x is None else xp.diff(in_front(known[1]))
    areas = widths * (heights[1:] + heights[:-1]) / 2.0
    return xp.sum(xp.where(np.arange(areas.shape[0]) < count(y) - 1, areas, 0.0))


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    known = _vectors(xp, fp)
    if known is None or right is not None or period is not None:
        return None
    places, heights = map(in_front, known)
    last = count(known[0]) - 1
    raise_where(last < 0, ValueError("array of sample points is empty"))
    if isinstance(x, MaskedElements):
        return like(x, _between(x.elements, places, heights, last, left))
    return _between(x, places, heights, last, left)


def _between(x: Any, places: Any, heights: Any, last: Any, left: Any) -> Any:
    """Values between the points in front. Behind these the last one is repeated, each time further on."""
    end = places[last]
    behind = xp.subtract(np.arange(places.shape[0]), last)
    further = end + behind * (1.0 + xp.abs(end))  # a step that is not lost beside the last place
    points = xp.where(behind > 0, further, places)
    return xp.interp(x, points, xp.where(behind > 0, heights[last], heights), left=left)


def _polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    known = _vectors(x, y) if w is None else _vectors(x, y, w)
    if known is None or full or cov:
        return None
    weights = xp.where(x.mask, 1.0, 0.0) if w is None else known[2].elements
    return xp.polyfit(known[0].elements, known[1].elements, deg, rcond=rcond, w=weights)


SHAPES: Final[dict[Callable[..., Any], Callable[..., Any]]] = {
    np.reshape: _reshape,
    np.expand_dims: _expand_dims,
    np.atleast_2d: _atleast_2d,
    np.trapezoid: _trapezoid,
    np.interp: _interp,
    np.polyfit: _polyfit,
}
"""Forms of functions for selections, by the function; each returns `None` where the length is needed."""


def of_points(function: Callable[..., Any], options: Options) -> Any:
    """Apply a function to selections passed by name; return `None` if it has no form for them."""
    return SHAPES[function](**options) if function in SHAPES else None
