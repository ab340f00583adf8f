"""Images at other points: `map_coordinates`, `shift`, `zoom`, `rotate` and their kin of `scipy.ndimage`.

    map_coordinates(x, at, order=1)      sum of w[j](at) x[floor(at) + j], in each dimension
    shift(x, s, order=3)                 the same of splines, whose coefficients are linear in x
    spline_filter(x)                     these coefficients

Beyond its edges an image goes on by its mode: coordinates come back by `_inside`, samples beside the edge by
`_samples`. The results are linear in the image, and piecewise polynomials in the coordinates: at whole
coordinates, where pieces of order 1 meet, the derivative is that of the next piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from typing import Annotated, Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.numpy_functions.calls.parameters import (
    Anything,
    ArrayLike,
    Axis,
    AxisList,
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
from mlirad.frontend.tracing.shapes import listed, one_axis

_PAD: Final = 12
"""The samples by which SciPy pads an image of a mode of `_PADDED` before it computes a spline."""

_PADDED: Final = {"nearest": "edge", "grid-constant": "constant"}
"""By such modes, what `np.pad` calls them."""


def _shape(value: Any) -> tuple[int, ...] | None:
    return None if value is None else tuple(int(n) for n in value)


Extents = Annotated[Any, kind("a tuple of integers", _shape)]


# Coordinates --------------------------------------------------------------------------------------


def _inside(c: Array, n: int, order: int, mode: str) -> Array:
    """Coordinates brought back to where an image of n samples is known."""
    if mode in ("constant", "grid-constant"):
        return c
    if mode == "nearest":  # so far outside that all samples of a piece are those of the edge
        return xp.clip(c, -order - 1, n + order)
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


def _coefficients(x: Array, axes: Iterable[int], order: int, mode: str) -> Array:
    """The coefficients of the spline through an image along some dimensions: a matrix along each."""
    from scipy import ndimage

    for axis in axes:
        matrix = np.eye(x.shape[axis])
        matrix = np.asarray(cast(Any, ndimage).spline_filter1d(matrix, order, axis=0, mode=mode))
        x = xp.moveaxis(xp.tensordot(as_array(matrix), x, ([1], [axis])), 0, axis)
    return x


def _filtered(x: Array, rank: int, order: int, mode: str, cval: Any) -> tuple[Array, int]:
    """The coefficients along the first dimensions, and by how many samples these are longer at each end."""
    if order < 2:
        return x, 0
    if mode not in _PADDED:
        return _coefficients(x, range(rank), order, mode), 0
    widths = [(_PAD, _PAD) if d < rank else (0, 0) for d in range(x.ndim)]
    values = {"constant_values": cval} if mode == "grid-constant" else {}
    return _coefficients(xp.pad(x, widths, _PADDED[mode], **values), range(rank), order, mode), _PAD


def _known_order(name: str, order: int) -> None:
    if not 0 <= order <= 5:
        raise argument_error(f"{name}: order={order}", "write an order from 0 to 5")


def _sampled(
    name: str, x: Array, at: list[Array], output: Any, order: int, mode: str, cval: Any, prefilter: bool
) -> Array:
    """An image at points, whose coordinates are given for its first dimensions; others follow as they are."""
    if output is not None:
        raise unsupported_error(f"{name}: `output` is written", "leave it out, and use the result")
    if x.dtype.kind != "f":
        raise unsupported_error(f"{name} of {x.dtype} would round its results", "write x.astype(float)")
    _known_order(name, order)
    image, pad = converted(x, F64), 0
    if prefilter:
        image, pad = _filtered(image, len(at), order, mode, cval)
    is_known: Any = True
    places: list[list[Array]] = []
    weights: list[list[Array]] = []
    flags: list[list[Any]] = []
    for c, n in zip(at, image.shape, strict=False):
        c = converted(c, F64) + float(pad)
        if mode == "constant":
            is_known = is_known & (c >= 0) & (c <= n - 1)
        c = _inside(c, n, order, mode)
        whole = xp.floor(c if order % 2 else c + 0.5)
        first = converted(xp.where(xp.abs(whole) < 2.0**62, whole, 0.0), np.dtype(np.int64)) - order // 2
        rows = [first + j for j in range(order + 1)]
        places.append([_samples(row, n, mode) for row in rows])
        flags.append([(row >= 0) & (row < n) if mode == "grid-constant" else True for row in rows])
        weights.append(_weights((c if order % 2 else c + 0.5) - whole, order))
    others = (1,) * (x.ndim - len(at))

    def beside_others(a: Any) -> Any:
        return xp.reshape(a, (*a.shape, *others)) if others else a

    total: Any = 0.0
    for corner in product(range(order + 1), repeat=len(at)):
        value: Any = image[tuple(places[d][j] for d, j in enumerate(corner))]
        for d, j in enumerate(corner):
            if flags[d][j] is not True:
                value = xp.where(beside_others(flags[d][j]), value, cval)
        for d, j in enumerate(corner):
            value = value * beside_others(weights[d][j])
        total = total + value
    found = total if is_known is True else xp.where(beside_others(is_known), total, cval)
    return as_array(found).astype(x.dtype)


def _grid(shape: tuple[int, ...]) -> list[Array]:
    return [as_array(c) for c in np.indices(shape, np.float64)]


def _moved(at: list[Array], matrix: Any, offset: Any) -> list[Any]:
    """Coordinates times a matrix, plus an offset: added in SciPy's order, as order 0 rounds at halves."""
    return [sum((matrix[d, k] * c for k, c in enumerate(at)), start=offset[d]) for d in range(len(at))]


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
        at = _moved(grid, factors, begins)
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


def rotate(
    input: ArrayLike, angle: OperandLike, axes: AxisList = (1, 0), reshape: Flag = True,
    output: Anything = None, order: Int = 3, mode: Boundary = "constant", cval: Number = 0.0,
    prefilter: Flag = True,
) -> Array:  # fmt: skip
    """`scipy.ndimage.rotate`. With `reshape` the angle, in degrees, must be static."""
    from scipy import special

    plane = sorted({one_axis(axis, input.ndim) for axis in listed(axes)})
    if len(plane) != 2 or len(listed(axes)) != 2:
        raise argument_error(
            f"rotate: the plane {axes} of an image of shape {input.shape}", "write two of its dimensions"
        )
    if reshape and isinstance(angle, Array):
        raise unsupported_error(
            "rotate: the shape of the result depends on an angle that is traced", "write reshape=False"
        )
    c, s = cast(Any, special).cosdg(angle), cast(Any, special).sindg(angle)
    turn = np.array([[c, s], [-s, c]]) if reshape else xp.stack([xp.stack([c, s]), xp.stack([-s, c])])
    image = xp.moveaxis(input, plane, (0, 1))
    n, m = image.shape[:2]
    extents = np.array([n, m])
    if reshape:
        corners = turn @ [[0, 0, n, n], [0, m, 0, m]]
        extents = (np.ptp(corners, axis=1) + 0.5).astype(int)
    begins = (np.array([n, m]) - 1) / 2 - turn @ ((extents - 1) / 2)
    grid = _grid(tuple(int(e) for e in extents))
    at = _moved(grid, turn, begins)
    found = _sampled("rotate", image, at, output, order, mode, cval, prefilter)
    return xp.moveaxis(found, (0, 1), plane)


def _coefficients_along(
    name: str, input: Array, axes: Iterable[int], order: int, output: Any, mode: str
) -> Array:
    if isinstance(output, np.ndarray | Array):
        raise unsupported_error(f"{name}: `output` is written", "leave it out, and use the result")
    _known_order(name, order)
    found = converted(input, F64)
    return (_coefficients(found, axes, order, mode) if order > 1 else found).astype(np.dtype(output))


def spline_filter1d(
    input: ArrayLike, order: Int = 3, axis: Axis = -1, output: Anything = np.float64,
    mode: Boundary = "mirror",
) -> Array:  # fmt: skip
    """`scipy.ndimage.spline_filter1d`."""
    axes = (one_axis(axis, input.ndim),)
    return _coefficients_along("spline_filter1d", input, axes, order, output, mode)


def spline_filter(
    input: ArrayLike, order: Int = 3, output: Anything = np.float64, mode: Boundary = "mirror"
) -> Array:
    """`scipy.ndimage.spline_filter`."""
    if order < 2:
        raise argument_error(f"spline_filter: order={order}", "write an order from 2 to 5")
    return _coefficients_along("spline_filter", input, range(input.ndim), order, output, mode)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "map_coordinates": map_coordinates, "shift": shift, "affine_transform": affine_transform, "zoom": zoom,
    "rotate": rotate, "spline_filter1d": spline_filter1d, "spline_filter": spline_filter,
}  # fmt: skip
"""The functions that trace those of `scipy.ndimage`, by their names there."""
