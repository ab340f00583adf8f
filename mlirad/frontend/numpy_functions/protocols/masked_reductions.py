"""Reductions of `x[mask]`: over the elements that count, or along other dimensions for each of them.

np.mean(x[m])            np.mean(x, where=m)
np.median(x[m])          np.nanmedian of x with NaN where m does not hold
X[m].sum(axis=1)         a selection by m of the sums of all rows
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from mlirad.frontend.indexing.masks import MaskedElements, require_same, unknown_length
from mlirad.frontend.numpy_functions.calls.binding import qualified_name
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.dtypes import BOOL, F64
from mlirad.frontend.tracing.operations import select, xp
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.shapes import all_axes

Options: TypeAlias = dict[str, Any]

SUMS: frozenset[Callable[..., Any]] = frozenset(
    (
        np.sum, np.prod, np.mean, np.var, np.std, np.all, np.any, np.nansum, np.nanprod, np.nanmean,
        np.nanvar, np.nanstd,
    )
)  # fmt: skip
"""Reductions that take `where` and say themselves what nothing amounts to."""

EXTREMA: dict[Callable[..., Any], bool] = {
    np.max: True, np.amax: True, np.nanmax: True, np.min: False, np.amin: False, np.nanmin: False,
}  # fmt: skip
"""True if they are maxima."""

QUANTILES: dict[Callable[..., Any], Callable[..., Any]] = {
    np.median: np.nanmedian, np.quantile: np.nanquantile, np.percentile: np.nanpercentile,
    np.nanmedian: np.nanmedian, np.nanquantile: np.nanquantile, np.nanpercentile: np.nanpercentile,
}  # fmt: skip
"""The functions that leave NaN out, by the ones that they stand for."""

OF_ROWS: frozenset[Callable[..., Any]] = frozenset((np.argmax, np.argmin, np.linalg.norm))
"""Reductions that need the length, except along dimensions of known extents."""

RUNNING: dict[Callable[..., Any], int] = {np.cumsum: 0, np.cumprod: 1, np.nancumsum: 0, np.nancumprod: 1}
"""Running sums and products, by the number that changes nothing."""

# Selections beside each other ---------------------------------------------------------------------


def selections(values: object) -> list[MaskedElements]:
    """The selections in a nest of lists and tuples."""
    if isinstance(values, MaskedElements):
        return [values]
    if isinstance(values, list | tuple):
        return [s for v in cast("Sequence[object]", values) for s in selections(v)]
    return []


def all_elements(value: Any, selection: MaskedElements) -> Any:
    """An operand beside the elements of a selection, read without the number of elements."""
    if isinstance(value, MaskedElements):
        return value.elements
    if isinstance(value, list | tuple) and selections(cast(object, value)):
        return [all_elements(v, selection) for v in cast("Sequence[Any]", value)]
    if not isinstance(value, Array | ComplexArray | np.ndarray | list | tuple):
        return value
    shape = np.shape(cast(Any, value)) if not isinstance(value, Array | ComplexArray) else value.shape
    place = len(shape) - (selection.ndim - selection.dim)
    if len(shape) > selection.ndim or (place >= 0 and shape[place] != 1):
        raise tracing_error(
            f"an operand of shape {shape} beside {selection!r}, whose length depends on a traced mask",
            "select from it by the same mask: y[mask]",
        )
    return cast(Any, value)


def like(selection: MaskedElements, elements: Any, dim: int | None = None) -> MaskedElements:
    """A selection by the same mask of other elements."""
    return MaskedElements(real_or_complex(elements), selection.mask, selection.dim if dim is None else dim)


def rows(x: MaskedElements) -> MaskedElements:
    """The selection, as far as its length is in question."""
    return MaskedElements(x.mask, x.mask, 0)


# Reductions --------------------------------------------------------------------------------------


def _where(x: MaskedElements, where: Any = True) -> Any:
    """The mask as one of the elements of a selection, and with another."""
    mask = xp.reshape(x.mask, [-1 if d == x.dim else 1 for d in range(x.ndim)])
    return mask if where is True else mask & all_elements(where, x)


def filled(x: MaskedElements, value: Any) -> Any:
    """All elements, with a value in the place of those that do not count."""
    return xp.where(_where(x), x.elements, x.dtype.type(value))


def count(x: MaskedElements) -> Any:
    """Return how many elements count along the dimension of the mask, traced."""
    return xp.count_nonzero(x.mask)


def can_be_reduced(function: Callable[..., Any], x: MaskedElements, options: Options) -> bool:
    """Return whether `reduced` knows what a function reduces a selection to."""
    if function in OF_ROWS and x.dim not in all_axes(options.get("axis"), x.ndim):
        return True
    if function == np.linalg.norm:
        is_of_matrices = x.ndim > 1 and not isinstance(options.get("axis"), int)
        return options.get("ord") in ((None,) if is_of_matrices else (None, 1, 2, np.inf))
    return function in SUMS or function in EXTREMA or function in BY_HAND or function in QUANTILES


def reduced(function: Callable[..., Any], x: MaskedElements, options: Options) -> Any:
    """Return what a function of NumPy reduces a selection to, by its options."""
    axis = options.get("axis")
    axes = all_axes(axis, x.ndim)
    if x.dim not in axes:  # the elements of one position, for each
        keeps = options.get("keepdims") is True
        rest = {k: all_elements(v, x) for k, v in options.items()}
        return like(x, function(x.elements, **rest), x.dim if keeps else x.dim - sum(a < x.dim for a in axes))
    if function == np.prod and x.dtype.kind == "c" and "where" not in options:
        return function(filled(x, 1), **options)
    if function in SUMS:
        given = {k: all_elements(v, x) for k, v in options.items() if k != "where"}
        return function(x.elements, **given, where=_where(x, options.get("where", True)))
    if function in EXTREMA:
        return _extremum(function, x, options)
    if function in QUANTILES:
        return _quantile(function, x, options)
    return BY_HAND[function](x, **options)


def _extremum(function: Callable[..., Any], x: MaskedElements, options: Options) -> Any:
    """An extremum: of no elements NaN, or the last number of an integer type."""
    where = _where(x, options.pop("where", True))
    if options.get("initial") is not None:
        return function(x.elements, **options, where=where)
    options.pop("initial", None)
    if x.dtype == BOOL:
        return function(x.elements, **options, where=where, initial=not EXTREMA[function])
    if x.dtype.kind == "c":
        raise unknown_length(f"{qualified_name(function)} of complex numbers")
    if x.dtype.kind != "f":
        limits = np.iinfo(x.dtype)
        return function(
            x.elements, **options, where=where, initial=limits.min if EXTREMA[function] else limits.max
        )
    found = function(x.elements, **options, where=where, initial=-np.inf if EXTREMA[function] else np.inf)
    held = {k: options[k] for k in ("axis", "keepdims") if k in options}
    return select(xp.any(xp.broadcast_to(where, x.elements.shape), **held), found, x.dtype.type(np.nan))


def _quantile(function: Callable[..., Any], x: MaskedElements, options: Options) -> Any:
    """The quantile by the function that leaves NaN out, with NaN for elements that do not count."""
    if selections(list(options.values())):
        raise unknown_length(qualified_name(function))
    elements = x.elements if x.dtype.kind == "f" else x.elements.astype(F64)
    found = QUANTILES[function](select(_where(x), elements, elements.dtype.type(np.nan)), **options)
    if QUANTILES[function] is function or x.dtype.kind != "f":
        return found
    held = {k: options[k] for k in ("axis", "keepdims") if k in options}
    return select(xp.any(xp.isnan(elements) & _where(x), **held), found.dtype.type(np.nan), found)


def _count_nonzero(x: MaskedElements, **options: Any) -> Any:
    return xp.count_nonzero(x.elements.astype(bool) & _where(x), **options)


def _ptp(x: MaskedElements, **options: Any) -> Any:
    return xp.subtract(_extremum(np.max, x, dict(options)), _extremum(np.min, x, dict(options)))


def _average(x: MaskedElements, *, weights: Any = None, **options: Any) -> Any:
    if weights is None:
        return reduced(np.mean, x, options)
    if not isinstance(weights, MaskedElements):
        raise unknown_length("weights=")
    if weights.ndim == 1:
        require_same(rows(x), rows(weights))
    else:
        require_same(x, weights)
    return xp.average(filled(x, 0), weights=filled(weights, 0), **options)


def _norm(x: MaskedElements, **options: Any) -> Any:
    return xp.linalg.norm(filled(x, 0), **options)


BY_HAND: dict[Callable[..., Any], Callable[..., Any]] = {
    np.count_nonzero: _count_nonzero, np.ptp: _ptp, np.average: _average, np.linalg.norm: _norm,
}  # fmt: skip


def running(function: Callable[..., Any], x: MaskedElements, options: Options) -> Any:
    """A running sum or product of the elements that count, at each of them."""
    axis = options.get("axis", 0 if x.ndim == 1 else None)
    if axis is None or (x.ndim == 1 and axis not in (0, -1)):
        raise unknown_length(f"{qualified_name(function)} without axis=")
    return like(x, function(filled(x, RUNNING[function]), **options | {"axis": axis}))
