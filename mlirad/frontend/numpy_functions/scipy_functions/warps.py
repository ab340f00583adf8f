"""Images at other points: `map_coordinates`, `shift`, `zoom` and `affine_transform` of `scipy.ndimage`.

    map_coordinates(x, at, order=1)      sum of w[j](at) x[floor(at) + j], in each dimension
    shift(x, s, order=3)                 the same of splines, whose coefficients are linear in x

Beyond its edges an image goes on by its mode: coordinates come back by `_inside`, samples beside the edge by
`_samples`. The results are linear in the image, and piecewise polynomials in the coordinates: at whole
coordinates, where pieces of order 1 meet, the derivative is that of the next piece.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Annotated, Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.numpy_functions.calls.parameters import (
    Anything,
    ArrayLike,
    Flag,
    Int,
    Number,
    OperandLike,
    kind,
)
from mlirad.frontend.numpy_functions.scipy_functions.filters import Boundary
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.operations import as_array, converted, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error, unsupported_error

_PAD: Final = 12
"""The samples by which SciPy pads an image of `mode="grid-constant"` before it computes a spline."""


def _shape(value: Any) -> tuple[int, ...] | None:
    return None if value is None else tuple(int(n) for n in value)


Extents = Annotated[Any, kind("a tuple of integers", _shape)]


# Coordinates --------------------------------------------------------------------------------------


def _inside(c: Array, n: int, mode: str) -> Array:
    """Coordinates brought back to where an image of n samples is known."""
    if mode in ("constant", "grid-constant"):
        return c
    if mode == "nearest":
        return xp.clip(c, 0, n - 1)
    if mode in ("reflect", "grid-mirror"):
        found = xp.mod(c + 0.5, 2.0 * n) - 0.5
        return xp.where(found > n - 0.5, 2.0 * n - 1 - found, found)
    if mode == "grid-wrap":
        return xp.mod(c, float(n))
    if n == 1:
        return 0.0 * c
    if mode == "mirror":
        period = 2.0 * n - 2
        before = c + period * xp.trunc(-c / period)
        before = xp.where(before <= 1 - n, before + period, -before)
        after = c - period * xp.trunc(c / period)
        after = xp.where(after >= n, period - after, after)
        return xp.where(c < 0, before, xp.where(c > n - 1, after, c))
    size = n - 1.0  # "wrap": both ends are one point
    below = c + size * (xp.trunc(-c / size) + 1)
    return xp.where(c < 0, below, xp.where(c > size, c - size * xp.trunc(c / size), c))


def _samples(k: Array, n: int, mode: str) -> Array:
    """The samples at whole positions, some of them beside an edge."""
    if mode in ("nearest", "grid-constant"):
        return xp.clip(k, 0, n - 1)
    if mode in ("reflect", "grid-mirror"):
        found = xp.mod(k, 2 * n)
        return xp.where(found >= n, 2 * n - 1 - found, found)
    if mode == "grid-wrap":
        return xp.mod(k, n)
    if n == 1:
        return 0 * k
    found = xp.mod(k, 2 * n - 2)
    return xp.where(found >= n, 2 * n - 2 - found, found)


@cache
def _pieces(order: int) -> npt.NDArray[np.float64]:
    """The polynomials of a B-spline, by powers from the highest one on, one row for each piece."""
    from scipy import interpolate

    made = cast(Any, interpolate)
    found: Any = made.PPoly.from_spline(made.BSpline.basis_element(np.arange(order + 2.0)))
    middle = found.c[:, order : 2 * order + 1] if found.c.shape[1] > order + 1 else found.c
    return np.asarray(middle, np.float64).T


def _weights(s: Array, order: int) -> list[Array]:
    """The weights of the samples, for the place between two of them."""
    rows: list[Array] = []
    for piece in _pieces(order)[::-1]:
        total: Any = float(piece[0]) + 0.0 * s
        for factor in piece[1:]:
            total = total * s + float(factor)
        rows.append(total)
    return rows


# Images -------------------------------------------------------------------------------------------


def _coefficients(x: Array, order: int, mode: str) -> Array:
    """The coefficients of the spline through an image: a matrix along each dimension."""
    from scipy import ndimage

    for axis, n in enumerate(x.shape):
        matrix = np.asarray(cast(Any, ndimage).spline_filter1d(np.eye(n), order, axis=0, mode=mode))
        x = xp.moveaxis(xp.tensordot(as_array(matrix), x, ([1], [axis])), 0, axis)
    return x


def _filtered(x: Array, order: int, mode: str, cval: Any) -> tuple[Array, int]:
    if order < 2:
        return x, 0
    if mode != "grid-constant":
        return _coefficients(x, order, mode), 0
    return _coefficients(xp.pad(x, _PAD, constant_values=cval), order, mode), _PAD


def _sampled(
    name: str, x: Array, at: list[Array], output: Any, order: int, mode: str, cval: Any, prefilter: bool
) -> Array:
    """An image at points, whose coordinates are given for each dimension."""
    if output is not None:
        raise unsupported_error(f"{name}: `output` is written", "leave it out, and use the result")
    if x.dtype.kind != "f":
        raise unsupported_error(f"{name} of {x.dtype} would round its results", "write x.astype(float)")
    if not 0 <= order <= 5:
        raise argument_error(f"{name}: order={order}", "write an order from 0 to 5")
    if mode == "nearest" and order > 1:
        raise unsupported_error(
            f"{name}: mode='nearest' with order={order}", "write order=1, or mode='reflect' or 'mirror'"
        )
    image = converted(x, F64)
    image, pad = _filtered(image, order, mode, cval) if prefilter else (image, 0)
    is_known: Any = True
    places: list[list[Array]] = []
    weights: list[list[Array]] = []
    flags: list[list[Any]] = []
    for c, n in zip(at, image.shape, strict=True):
        c = converted(c, F64) + float(pad)
        if mode == "constant":
            is_known = is_known & (c >= 0) & (c <= n - 1)
        c = _inside(c, n, mode)
        whole = xp.floor(c if order % 2 else c + 0.5)
        first = converted(xp.where(xp.abs(whole) < 2.0**62, whole, 0.0), np.dtype(np.int64)) - order // 2
        rows = [first + j for j in range(order + 1)]
        places.append([_samples(row, n, mode) for row in rows])
        flags.append([(row >= 0) & (row < n) if mode == "grid-constant" else True for row in rows])
        weights.append(_weights((c if order % 2 else c + 0.5) - whole, order))
    total: Any = 0.0
    for corner in product(range(order + 1), repeat=x.ndim):
        value: Any = image[tuple(places[d][j] for d, j in enumerate(corner))]
        for d, j in enumerate(corner):
            if flags[d][j] is not True:
                value = xp.where(flags[d][j], value, cval)
        for d, j in enumerate(corner):
            value = value * weights[d][j]
        total = total + value
    found = total if is_known is True else xp.where(is_known, total, cval)
    return as_array(found).astype(x.dtype)


def _grid(shape: tuple[int, ...]) -> list[Array]:
    return [as_array(c) for c in np.indices(shape, np.float64)]


def map_coordinates(
    input: ArrayLike, coordinates: ArrayLike, output: Anything = None, order: Int = 3,
    mode: Boundary = "constant", cval: Number = 0.0, prefilter: Flag = True,
) -> Array:  # fmt: skip
    """`scipy.ndimage.map_coordinates`."""
    if coordinates.ndim < 2 or coordinates.shape[0] != input.ndim:
        raise shape_error(
            f"map_coordinates: coordinates of shape {coordinates.shape} for an image of shape {input.shape}",
            "give a row of coordinates for each dimension",
        )
    at = [coordinates[d] for d in range(input.ndim)]
    return _sampled("map_coordinates", input, at, output, order, mode, cval, prefilter)


def shift(
    input: ArrayLike, shift: OperandLike, output: Anything = None, order: Int = 3,
    mode: Boundary = "constant", cval: Number = 0.0, prefilter: Flag = True,
) -> Array:  # fmt: skip
    """`scipy.ndimage.shift`."""
    by = xp.broadcast_to(as_array(shift), (input.ndim,))
    at = [c - by[d] for d, c in enumerate(_grid(input.shape))]
    return _sampled("shift", input, at, output, order, mode, cval, prefilter)


def affine_transform(
    input: ArrayLike, matrix: OperandLike, offset: OperandLike = 0.0, output_shape: Extents = None,
    output: Anything = None, order: Int = 3, mode: Boundary = "constant", cval: Number = 0.0,
    prefilter: Flag = True,
) -> Array:  # fmt: skip
    """`scipy.ndimage.affine_transform`."""
    rank = input.ndim
    factors = as_array(matrix)
    begins = xp.broadcast_to(as_array(offset), (rank,))
    if factors.shape in ((rank, rank + 1), (rank + 1, rank + 1)):
        factors, begins = factors[:rank, :rank], factors[:rank, rank]
    elif factors.shape not in ((rank,), (rank, rank)):
        raise shape_error(
            f"affine_transform: a matrix of shape {factors.shape} for an image of shape {input.shape}",
            "give a matrix of as many rows and columns as dimensions, or a vector",
        )
    grid = _grid(input.shape if output_shape is None else output_shape)
    if factors.ndim == 1:
        at = [begins[d] + factors[d] * c for d, c in enumerate(grid)]
    else:
        at = [begins[d] + sum(factors[d, k] * c for k, c in enumerate(grid)) for d in range(rank)]
    return _sampled("affine_transform", input, at, output, order, mode, cval, prefilter)


def zoom(
    input: ArrayLike, zoom: Anything, output: Anything = None, order: Int = 3, mode: Boundary = "constant",
    cval: Number = 0.0, prefilter: Flag = True, *, grid_mode: Flag = False,
) -> Array:  # fmt: skip
    """`scipy.ndimage.zoom`, by static factors."""
    factors = np.broadcast_to(np.asarray(zoom, np.float64), (input.ndim,))
    shape = tuple(round(n * float(z)) for n, z in zip(input.shape, factors, strict=True))
    at: list[Array] = []
    for c, n, m in zip(_grid(shape), input.shape, shape, strict=True):
        if grid_mode:
            at.append((c + 0.5) * (n / m) - 0.5)
        else:
            at.append(c * ((n - 1) / (m - 1) if m > 1 else 1.0))
    return _sampled("zoom", input, at, output, order, mode, cval, prefilter)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "map_coordinates": map_coordinates, "shift": shift, "affine_transform": affine_transform, "zoom": zoom,
}  # fmt: skip
"""By its name in `scipy.ndimage` what traces a function."""
