"""Functions whose results have as many elements as their arguments decide, with a static `size` instead.

ad.nonzero(x > 0, size=3)              the first three positions; 0 where there are fewer
ad.unique(x, size=4, fill_value=-1)    the first four different elements, in order; then -1

A traced array has a shape that is known, so a result of unknown length is cut, or filled, to `size`. Calls
that use plain NumPy functions give the same on NumPy arrays, so all of this works outside of traces too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from mlirad.errors import UnsupportedError
from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.numpy_functions.calls.alternatives import alternative_to
from mlirad.frontend.numpy_functions.calls.parameters import Anything, Int, OperandLike
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.argument_kinds import checked_flag, checked_integer
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array, contains_traced, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error, unsupported_error
from mlirad.frontend.tracing.tracebacks import plain_errors


@plain_errors
def nonzero(a: Any, *, size: int, fill_value: Any = 0) -> tuple[Any, ...]:
    """The positions at which `a` is not 0, as `np.nonzero(a)`: an int64 array of `size` per dimension.

    The first `size` positions in row-major order; if there are fewer, `fill_value` follows, one integer or
    one per dimension. Raises ArgumentError for a `size` that is not an integer, ShapeError for a scalar `a`.

        >>> ad.jit(lambda x: ad.nonzero(x, size=4, fill_value=-1)[0])(np.array([3.0, 0.0, 2.0, 3.0]))
        array([ 0,  2,  3, -1])
    """
    count = _size(size, "nonzero")
    x = _array(a)
    if not x.ndim:
        raise shape_error("ad.nonzero needs an array of at least one dimension", "np.atleast_1d(a)")
    fills = _fills(fill_value, x.ndim)
    flat, is_there = _first(xp.ravel(x) != 0, count)
    found = xp.unravel_index(flat, x.shape) if x.size else [flat] * x.ndim
    return tuple(xp.where(is_there, at, fill) for at, fill in zip(found, fills, strict=True))


@plain_errors
def extract(condition: Any, a: Any, *, size: int, fill_value: Any = 0) -> Any:
    """The elements of `a` where `condition` holds, as `a[condition]`: `size` of them, in the dtype of `a`.

    The condition has the shape of the leading dimensions of `a`; the result has the others after `size`. The
    first `size` elements in row-major order; if there are fewer, `fill_value` follows. Raises ShapeError for
    a condition of another shape.

        >>> x = np.array([3.0, -1.0, 2.0])
        >>> ad.jit(lambda x: ad.extract(x > 0, x, size=3, fill_value=np.nan))(x)
        array([ 3.,  2., nan])
    """
    count = _size(size, "extract")
    mask, x = _array(condition), _array(a)
    if mask.shape != x.shape[: mask.ndim]:
        raise shape_error(
            f"ad.extract: a condition of shape {mask.shape} for an array of shape {x.shape}",
            "a condition has the extents of the leading dimensions",
        )
    rest = x.shape[mask.ndim :]
    rows = xp.reshape(x, (mask.size, *rest))
    positions, is_there = _first(xp.ravel(mask).astype(bool), count)
    if not mask.size:
        return xp.full((count, *rest), fill_value, x.dtype)
    there = xp.reshape(is_there, (count, *[1] * len(rest)))
    return xp.where(there, rows[positions], _filling(fill_value, x))


@plain_errors
def unique(
    ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, *,
    size: int, fill_value: Any = None, equal_nan: bool = True,
) -> Any:  # fmt: skip
    """The different elements of `ar` in increasing order, as `np.unique(ar)`: a vector of `size`.

    The first `size` of them; if there are fewer, `fill_value` follows, by default the smallest element. NaN
    counts as one element, or with `equal_nan=False` each as one of its own, and is the last. With
    `return_index` also where each stands first in the flat array, with `return_inverse` for each element of
    `ar` its number in the result, in the shape of `ar`, with `return_counts` how often each stands there:
    int64, 0 for what is filled in.

        >>> ad.unique(np.array([3.0, 0.0, 3.0]), return_counts=True, size=3, fill_value=np.nan)
        (array([ 0.,  3., nan]), array([1, 2, 0]))
    """
    count = _size(size, "unique")
    has_index = checked_flag(return_index, "unique: return_index")
    has_inverse = checked_flag(return_inverse, "unique: return_inverse")
    has_counts = checked_flag(return_counts, "unique: return_counts")
    is_one_nan = checked_flag(equal_nan, "unique: equal_nan")
    x = _array(ar)
    flat = xp.ravel(x)
    order = _sorting(flat)
    ordered = flat[order]
    starts = _starts(ordered, is_one_nan)
    places, is_there = _first(starts, count)
    values = _held(ordered, places, is_there, fill_value)
    results: list[Any] = [values]
    if has_index:
        results.append(xp.where(is_there, order[places], 0) if x.size else places)
    if has_inverse:
        back = xp.argsort(order, kind="stable")
        results.append(xp.reshape((xp.cumsum(starts) - 1)[back], x.shape))
    if has_counts:
        total = xp.sum(starts)
        after, _ = _first(starts, count + 1)
        numbers = np.arange(count + 1)
        ends = xp.where(numbers < total, after, flat.size)
        results.append(xp.where(is_there, ends[1:] - ends[:-1], 0))
    return tuple(results) if len(results) > 1 else values


@plain_errors
def union1d(ar1: Any, ar2: Any, *, size: int, fill_value: Any = None) -> Any:
    """The different elements of both, in increasing order, as `np.union1d`: a vector of `size`.

    If there are fewer, `fill_value` follows, by default the smallest of them.

        >>> ad.union1d(np.array([3, 1]), np.array([2, 3]), size=4, fill_value=-1)
        array([ 1,  2,  3, -1])
    """
    return unique(_both(ar1, ar2), size=_size(size, "union1d"), fill_value=fill_value)


@plain_errors
def intersect1d(ar1: Any, ar2: Any, *, size: int, fill_value: Any = None) -> Any:
    """The different elements that are in both, in increasing order, as `np.intersect1d`: a vector of `size`.

    If there are fewer, `fill_value` follows, by default the smallest of them (0 if there are none).

        >>> ad.intersect1d(np.array([3.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0]), size=3, fill_value=np.nan)
        array([ 1.,  3., nan])
    """
    count = _size(size, "intersect1d")
    first, second = _parts(ar1, ar2)
    return _chosen(first, _among(first, second), count, fill_value)


@plain_errors
def setdiff1d(ar1: Any, ar2: Any, *, size: int, fill_value: Any = None) -> Any:
    """The different elements of `ar1` that are not in `ar2`, as `np.setdiff1d`: a vector of `size`.

    If there are fewer, `fill_value` follows, by default the smallest of them (0 if there are none).

        >>> ad.setdiff1d(np.array([3, 1, 2, 1]), np.array([2]), size=3, fill_value=-1)
        array([ 1,  3, -1])
    """
    count = _size(size, "setdiff1d")
    first, second = _parts(ar1, ar2)
    return _chosen(xp.ravel(_array(ar1)), ~_among(first, second), count, fill_value)


@plain_errors
def setxor1d(ar1: Any, ar2: Any, *, size: int, fill_value: Any = None) -> Any:
    """The different elements that are in one of both only, as `np.setxor1d`: a vector of `size`.

    NaN counts as one element, which is in one only. If there are fewer, `fill_value` follows, by default the
    smallest of them (0 if there are none).

        >>> ad.setxor1d(np.array([3, 1, 2]), np.array([2, 4]), size=4, fill_value=-1)
        array([ 1,  3,  4, -1])
    """
    count = _size(size, "setxor1d")
    first, second = _parts(ar1, ar2)
    alone = xp.concatenate([~_among(first, second), ~_among(second, first)])
    return _chosen(_both(first, second), alone, count, fill_value)


@plain_errors
def bincount(x: Any, weights: Any = None, *, length: int) -> Any:
    """Return how often each of the integers 0, 1, ..., `length` - 1 stands in the vector `x`, as
    `np.bincount(x)`.

    With `weights`, a vector as long as x, the sums of those. Integers outside count nowhere. Raises
    ShapeError unless `x` is a vector, ArgumentError unless it is of integers.

        >>> ad.bincount(np.array([0, 2, 2, 7]), length=3)
        array([1, 0, 2])
        >>> ad.jit(lambda x, w: ad.bincount(x, w, length=3))(np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]))
        array([1., 0., 5.])
    """
    count = checked_integer(length, "bincount: length", 0, "write length=n for the integers below n")
    numbers = _array(x)
    if numbers.ndim != 1:
        raise shape_error(f"ad.bincount needs a vector, got shape {numbers.shape}", "np.ravel(x)")
    if numbers.dtype.kind not in "ib":
        raise argument_error(f"ad.bincount counts integers, got {numbers.dtype}", "x.astype(np.int64)")
    added = np.ones(numbers.shape, np.int64) if weights is None else _array(weights)
    if added.shape != numbers.shape:
        raise shape_error(
            f"ad.bincount: weights of shape {added.shape} for shape {numbers.shape}", "one for each element"
        )
    if added.dtype.kind == "b":
        added = added.astype(np.int64)
    if weights is not None and added.dtype.kind != "f":
        added = added.astype(np.float64)
    at = xp.where(numbers < 0, count, numbers.astype(np.int64))
    if not is_tracing():
        kept = at < count
        return np.bincount(at[kept], None if weights is None else added[kept], count)[:count]
    return as_array(np.zeros(count, added.dtype)).at[at].add(added)


def known_bincount(x: Anything, weights: OperandLike | None = None, minlength: Int = 0) -> Any:
    """`np.bincount`. Of integers that are known the length is that of NumPy's result, of traced ones it is
    `minlength`, which they have to stay below.
    """
    if contains_traced(x):
        if not minlength:
            raise unsupported_error("np.bincount cannot be traced", alternative_to("bincount"))
        return _counted_below(x, weights, minlength)
    try:
        length = np.bincount(x, minlength=minlength).size
    except (TypeError, ValueError) as error:
        raise argument_error(f"np.bincount: {error}", "pass a vector of integers from 0 on") from error
    return bincount(np.asarray(x, np.int64), as_array(weights).astype(np.float64), length=length)


def _counted_below(x: Any, weights: Any, length: int) -> Any:
    numbers = as_array(x)
    found = bincount(
        numbers, None if weights is None else as_array(weights).astype(np.float64), length=length
    )
    raise_where(xp.any(xp.less(numbers, 0)), ValueError("'list' argument must have no negative elements"))
    too_long = UnsupportedError(
        f"np.bincount: a number is {length} or more, so the result has more than minlength={length} elements",
        hint="give minlength a number that all of them stay below",
    )
    raise_where(xp.any(xp.greater_equal(numbers, length)), too_long)
    return found


FUNCTIONS = tracings(bincount=known_bincount)
"""The functions that this file traces."""

# Parts -------------------------------------------------------------------------------------------


def _array(value: Any) -> Any:
    """A traced array of what is traced, else a NumPy array; in a trace all are traced."""
    if is_tracing() or isinstance(value, Array) or contains_traced(value):
        return real_or_complex(value)
    return np.asarray(value)


def _size(size: Any, name: str) -> int:
    return checked_integer(size, f"{name}: size", 0, "write size=n for at most n elements; it must be static")


def _first(flags: Any, count: int) -> tuple[Any, Any]:
    """The positions of the first `count` that hold, 0 after the last, and which of these there are."""
    if not flags.size:
        return np.zeros(count, np.int64), np.zeros(count, bool)
    reached = xp.cumsum(flags)
    is_there = np.arange(count) < reached[-1]
    return xp.where(is_there, xp.searchsorted(reached, np.arange(1, count + 1)), 0), is_there


def _sorting(flat: Any) -> Any:
    """The stable order of elements; complex ones are ordered by their parts, those with NaN come last."""
    if flat.dtype.kind != "c":
        return xp.argsort(flat, kind="stable")
    real, imag = flat.real, flat.imag
    return xp.lexsort((imag, real, 2 * xp.isnan(real) + xp.isnan(imag)))


def _starts(ordered: Any, is_one_nan: bool = True) -> Any:
    """Return where an element differs from the one before it; whether NaN differs from NaN is said."""
    differs = ordered[1:] != ordered[:-1]
    if is_one_nan and ordered.dtype.kind in "fc":
        differs = differs & ~(xp.isnan(ordered[1:]) & xp.isnan(ordered[:-1]))
    return xp.concatenate([np.ones(min(ordered.size, 1), bool), differs])


def _held(ordered: Any, places: Any, is_there: Any, fill_value: Any) -> Any:
    """The elements at the places, filled with the first of them unless another value is given."""
    count = len(is_there)
    if not ordered.size or not count:
        return xp.full(count, 0 if fill_value is None else fill_value, ordered.dtype)
    found = ordered[places]
    fill = xp.where(is_there[0], found[0], 0) if fill_value is None else fill_value
    return xp.where(is_there, found, _filling(fill, ordered))


def _filling(value: Any, like: Any) -> Any:
    return _array(value).astype(like.dtype)


def _fills(value: Any, rank: int) -> list[Any]:
    fills = list(cast("Sequence[Any]", value)) if isinstance(value, tuple | list) else [value] * rank
    if len(fills) != rank:
        raise argument_error(
            f"nonzero: {len(fills)} fill values for {rank} dimensions",
            "one for all, or one for each",
        )
    return fills


def _parts(ar1: Any, ar2: Any) -> tuple[Any, Any]:
    """Two arrays as vectors of one dtype."""
    one, other = xp.ravel(_array(ar1)), xp.ravel(_array(ar2))
    dtype = np.result_type(one.dtype, other.dtype)
    return one.astype(dtype), other.astype(dtype)


def _among(values: Any, others: Any) -> Any:
    """Return which values stand among others, by bisection; NaN is equal to nothing."""
    if not others.size:
        return xp.zeros(values.shape, bool)
    table = xp.sort(others)
    return table[xp.minimum(xp.searchsorted(table, values), others.size - 1)] == values


def _both(ar1: Any, ar2: Any) -> Any:
    return xp.concatenate(_parts(ar1, ar2))


def _chosen(values: Any, flags: Any, count: int, fill_value: Any) -> Any:
    """The different elements where flags hold, in order: those that do not count are sorted to the end."""
    order = xp.lexsort((values, ~flags))
    ordered, counts = values[order], flags[order]
    places, is_there = _first(_starts(ordered) & counts, count)
    return _held(ordered, places, is_there, fill_value)
