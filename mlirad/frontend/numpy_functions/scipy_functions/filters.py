"""Linear filters of `scipy.ndimage` and convolutions of `scipy.signal`, on traced arrays.

All are correlations: the windows of a padded array, contracted with weights,

    out[i] = sum_j weights[j] x[i + j - before]

linear in the array and in the weights, so they are differentiable in both. Convolutions are computed directly
whatever `method` says, and by `fftconvolve` too: values agree up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, cast

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import ArrayLike, Axis, Int, Ints, Number, kind, static
from mlirad.frontend.numpy_functions.signals.windows import windows
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import common, inexact, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error, unsupported_error
from mlirad.frontend.tracing.shapes import one_axis

PADDING = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "constant": "constant", "grid-constant": "constant",
    "nearest": "edge", "mirror": "reflect", "wrap": "wrap", "grid-wrap": "wrap",
}  # fmt: skip
"""The name in `np.pad` of a boundary, by its name in SciPy."""

Boundary = Literal[
    "reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "wrap", "grid-wrap"
]
Extent = Literal["full", "same", "valid"]
Method = Literal["auto", "direct", "fft"]


def _per_axis(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A value for all axes, or a sequence with one for each."""

    def reader(value: Any) -> Any:
        static(value)
        if isinstance(value, list | tuple | np.ndarray):
            return tuple(map(read, cast("Sequence[Any]", value)))
        return read(value)

    return reader


def _boundary(value: Any) -> str:
    if value not in PADDING:
        raise TypeError
    return str(value)


def _optional_integer(value: Any) -> int | None:
    return None if value is None else int(value)


Boundaries = Annotated[Any, kind("a mode such as 'reflect', or one for each axis", _per_axis(_boundary))]
Floats = Annotated[Any, kind("a number, or one for each axis", _per_axis(float))]
Radii = Annotated[Any, kind("an integer, or one for each axis", _per_axis(_optional_integer))]


def _each(value: Any, rank: int, name: str, what: str) -> list[Any]:
    found = list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else [value] * rank
    if len(found) != rank:
        raise shape_error(f"{name}: {len(found)} values of `{what}` for {rank} axes", "give one, or one each")
    return found


def _floats(x: Array, name: str) -> Array:
    """The input, which SciPy would round to where it holds integers."""
    if x.dtype.kind != "f":
        raise unsupported_error(f"{name} of {x.dtype} would round its results", "write x.astype(float)")
    return x


# Filters of images --------------------------------------------------------------------------------


def _filtered(x: Array, weights: Array, origins: Sequence[int], mode: str, cval: Any, name: str) -> Array:
    """The correlation of all dimensions, as large as x."""
    if weights.ndim != x.ndim:
        raise shape_error(
            f"{name}: weights of shape {weights.shape} for an array of shape {x.shape}",
            "the weights have a dimension for each of the array's",
        )
    widths: list[tuple[int, int]] = []
    for size, origin in zip(weights.shape, origins, strict=True):
        before = size // 2 + origin
        if not 0 <= before < size:
            raise argument_error(
                f"{name}: the origin {origin} is outside of {size} weights", "origin=0 is in the middle"
            )
        widths.append((before, size - 1 - before))
    own, factors = common([x, weights])
    if not x.ndim:
        return (own * factors).astype(x.dtype)
    constant = {"constant_values": cval} if PADDING[mode] == "constant" else {}
    padded = xp.pad(own, widths, mode=PADDING[mode], **constant) if x.size else own
    rank = x.ndim
    seen = windows(padded, x.shape, factors.shape, [1] * rank, [1] * rank)
    axes = range(rank, 2 * rank), range(rank)
    return xp.tensordot(seen, factors, tuple(map(list, axes))).astype(x.dtype)


def _mirrored(weights: Array, origins: Sequence[int]) -> tuple[Array, list[int]]:
    """The weights and origins of a correlation that is a convolution."""
    return xp.flip(weights), [-o - (size + 1) % 2 for o, size in zip(origins, weights.shape, strict=True)]


def _along(x: Array, weights: Array, axis: int, origin: int, mode: str, cval: Any, name: str) -> Array:
    """The correlation of one dimension."""
    if weights.ndim != 1 or not weights.size:
        raise shape_error(f"{name}: weights of shape {weights.shape}", "they are a vector with elements")
    at = one_axis(axis, x.ndim)
    shape = [weights.size if d == at else 1 for d in range(x.ndim)]
    origins = [origin if d == at else 0 for d in range(x.ndim)]
    return _filtered(x, xp.reshape(weights, shape), origins, mode, cval, name)


def correlate(
    input: ArrayLike, weights: ArrayLike, *, mode: Boundary = "reflect", cval: Number = 0.0, origin: Ints = 0
) -> Array:
    """`scipy.ndimage.correlate`."""
    x = _floats(input, "correlate")
    return _filtered(x, weights, _each(origin, x.ndim, "correlate", "origin"), mode, cval, "correlate")


def convolve(
    input: ArrayLike, weights: ArrayLike, *, mode: Boundary = "reflect", cval: Number = 0.0, origin: Ints = 0
) -> Array:
    """`scipy.ndimage.convolve`."""
    x = _floats(input, "convolve")
    origins = _each(origin, weights.ndim, "convolve", "origin")
    mirrored, shifted = _mirrored(weights, origins)
    return _filtered(x, mirrored, shifted, mode, cval, "convolve")


def correlate1d(
    input: ArrayLike, weights: ArrayLike, axis: Axis = -1, *, mode: Boundary = "reflect",
    cval: Number = 0.0, origin: Int = 0,
) -> Array:  # fmt: skip
    """`scipy.ndimage.correlate1d`."""
    return _along(_floats(input, "correlate1d"), weights, axis, origin, mode, cval, "correlate1d")


def convolve1d(
    input: ArrayLike, weights: ArrayLike, axis: Axis = -1, *, mode: Boundary = "reflect",
    cval: Number = 0.0, origin: Int = 0,
) -> Array:  # fmt: skip
    """`scipy.ndimage.convolve1d`."""
    x = _floats(input, "convolve1d")
    shifted = -origin - (weights.size + 1) % 2
    return _along(x, xp.flip(weights), axis, shifted, mode, cval, "convolve1d")


def uniform_filter1d(
    input: ArrayLike, size: Int, axis: Axis = -1, *, mode: Boundary = "reflect", cval: Number = 0.0,
    origin: Int = 0,
) -> Array:  # fmt: skip
    """`scipy.ndimage.uniform_filter1d`."""
    x = _floats(input, "uniform_filter1d")
    if size < 1:
        raise argument_error(f"uniform_filter1d: the size is {size}", "it is 1 at least")
    weights = xp.full((size,), 1 / size, x.dtype)
    return _along(x, weights, axis, origin, mode, cval, "uniform_filter1d")


def uniform_filter(
    input: ArrayLike, size: Ints = 3, *, mode: Boundaries = "reflect", cval: Number = 0.0, origin: Ints = 0
) -> Array:
    """`scipy.ndimage.uniform_filter`, along every axis."""
    x = _floats(input, "uniform_filter")
    sizes, modes, origins = (
        _each(value, x.ndim, "uniform_filter", what)
        for value, what in ((size, "size"), (mode, "mode"), (origin, "origin"))
    )
    for axis in range(x.ndim):
        if sizes[axis] > 1:
            x = uniform_filter1d(x, sizes[axis], axis, mode=modes[axis], cval=cval, origin=origins[axis])
    return x


def gaussian_weights(sigma: float, order: int, radius: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A Gaussian that sums to 1, or its derivative: of order n a polynomial q_n times it, with
    q_(n+1) = q_n' - x q_n / sigma^2."""
    x = np.arange(-radius, radius + 1.0)
    bell = np.exp(-0.5 * (x / sigma) ** 2)
    polynomial = np.polynomial.Polynomial([1.0])
    for _ in range(order):
        polynomial = polynomial.deriv() - polynomial * np.polynomial.Polynomial([0.0, 1 / sigma**2])
    return np.asarray(polynomial(x) * bell / bell.sum())


def gaussian_filter1d(
    input: ArrayLike, sigma: Number, axis: Axis = -1, order: Int = 0, *, mode: Boundary = "reflect",
    cval: Number = 0.0, truncate: Number = 4.0, radius: Int | None = None,
) -> Array:  # fmt: skip
    """`scipy.ndimage.gaussian_filter1d`."""
    x = _floats(input, "gaussian_filter1d")
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    if not sigma > 0 or order < 0 or reach < 0:
        raise argument_error(
            f"gaussian_filter1d: sigma is {sigma}, order {order} and radius {reach}",
            "sigma is positive, order and radius are 0 at least",
        )
    weights = xp.asarray(gaussian_weights(float(sigma), order, reach)[::-1].copy())
    return _along(x, weights, axis, 0, mode, cval, "gaussian_filter1d")


def gaussian_filter(
    input: ArrayLike, sigma: Floats, order: Ints = 0, *, mode: Boundaries = "reflect", cval: Number = 0.0,
    truncate: Number = 4.0, radius: Radii | None = None,
) -> Array:  # fmt: skip
    """`scipy.ndimage.gaussian_filter`, along every axis."""
    x = _floats(input, "gaussian_filter")
    sigmas, orders, modes, radii = (
        _each(value, x.ndim, "gaussian_filter", what)
        for value, what in ((sigma, "sigma"), (order, "order"), (mode, "mode"), (radius, "radius"))
    )
    for axis in range(x.ndim):
        if sigmas[axis] > 1e-15:
            x = gaussian_filter1d(
                x, sigmas[axis], axis, orders[axis],
                mode=modes[axis], cval=cval, truncate=truncate, radius=radii[axis],
            )  # fmt: skip
    return x


# Derivatives of images ----------------------------------------------------------------------------


def _difference(x: Array, axis: int, across: Sequence[float], mode: Any, cval: Any, name: str) -> Array:
    """Differences along an axis, weighted along all others."""
    modes, at = _each(mode, x.ndim, name, "mode"), one_axis(axis, x.ndim)
    for d in (at, *(d for d in range(x.ndim) if d != at)):
        weights = xp.asarray(np.array([-1.0, 0.0, 1.0] if d == at else across))
        x = _along(x, weights, d, 0, modes[d], cval, name)
    return x


def sobel(input: ArrayLike, axis: Axis = -1, *, mode: Boundaries = "reflect", cval: Number = 0.0) -> Array:
    """`scipy.ndimage.sobel`."""
    return _difference(_floats(input, "sobel"), axis, [1.0, 2.0, 1.0], mode, cval, "sobel")


def prewitt(input: ArrayLike, axis: Axis = -1, *, mode: Boundaries = "reflect", cval: Number = 0.0) -> Array:
    """`scipy.ndimage.prewitt`."""
    return _difference(_floats(input, "prewitt"), axis, [1.0, 1.0, 1.0], mode, cval, "prewitt")


def laplace(input: ArrayLike, *, mode: Boundaries = "reflect", cval: Number = 0.0) -> Array:
    """`scipy.ndimage.laplace`."""
    x = _floats(input, "laplace")
    weights = xp.asarray(np.array([1.0, -2.0, 1.0]))
    modes = enumerate(_each(mode, x.ndim, "laplace", "mode"))
    return sum(
        (_along(x, weights, axis, 0, found, cval, "laplace") for axis, found in modes), xp.zeros_like(x)
    )


def _gaussian_derivatives(x: Array, sigma: Any, order: int, **options: Any) -> list[Array]:
    """The derivatives of one order along each axis."""
    orders = (tuple(order if d == axis else 0 for d in range(x.ndim)) for axis in range(x.ndim))
    return [gaussian_filter(x, sigma, found, **options) for found in orders]


def gaussian_laplace(
    input: ArrayLike, sigma: Floats, *, mode: Boundaries = "reflect", cval: Number = 0.0,
    truncate: Number = 4.0, radius: Radii | None = None,
) -> Array:  # fmt: skip
    """`scipy.ndimage.gaussian_laplace`."""
    x = _floats(input, "gaussian_laplace")
    found = _gaussian_derivatives(x, sigma, 2, mode=mode, cval=cval, truncate=truncate, radius=radius)
    return sum(found, xp.zeros_like(x))


def gaussian_gradient_magnitude(
    input: ArrayLike, sigma: Floats, *, mode: Boundaries = "reflect", cval: Number = 0.0,
    truncate: Number = 4.0, radius: Radii | None = None,
) -> Array:  # fmt: skip
    """`scipy.ndimage.gaussian_gradient_magnitude`."""
    x = _floats(input, "gaussian_gradient_magnitude")
    found = _gaussian_derivatives(x, sigma, 1, mode=mode, cval=cval, truncate=truncate, radius=radius)
    return xp.sqrt(sum(map(xp.square, found), xp.zeros_like(x)))


# Convolutions of signals --------------------------------------------------------------------------


def _convolution(in1: Array, in2: Array, mode: str, name: str) -> Array:
    """The convolution of all dimensions, in the dtype that both have in common."""
    x, k = common([in1, in2])
    if x.dtype.kind == "b":
        raise unsupported_error(f"{name} of booleans", "write x.astype(int)")
    if x.ndim != k.ndim:
        raise shape_error(f"{name} of shapes {x.shape} and {k.shape}", "both have as many dimensions")
    if not x.size or not k.size:
        raise shape_error(f"{name} of shapes {x.shape} and {k.shape}", "both have elements")
    wider = [m > n for m, n in zip(k.shape, x.shape, strict=True)]
    if mode == "valid" and any(wider):
        if any(n > m for m, n in zip(k.shape, x.shape, strict=True)):
            raise shape_error(
                f"{name} of shapes {x.shape} and {k.shape} with mode='valid'",
                "one is at least as large as the other in every dimension",
            )
        x, k = k, x
    elif mode == "full" and k.size > x.size:
        x, k = k, x
    if not x.ndim:
        return x * k
    widths: list[tuple[int, int]] = []
    for size in k.shape:
        reach = size - 1
        start = reach // 2
        widths.append({"full": (reach, reach), "same": (reach - start, start), "valid": (0, 0)}[mode])
    padded = xp.pad(x, widths)
    out = tuple(n - m + 1 for n, m in zip(padded.shape, k.shape, strict=True))
    rank = x.ndim
    seen = windows(padded, out, k.shape, [1] * rank, [1] * rank)
    return xp.tensordot(seen, xp.flip(k), (list(range(rank, 2 * rank)), list(range(rank))))


def signal_convolve(in1: ArrayLike, in2: ArrayLike, mode: Extent = "full", method: Method = "auto") -> Array:
    """`scipy.signal.convolve`."""
    return _convolution(in1, in2, mode, "convolve")


def fftconvolve(in1: ArrayLike, in2: ArrayLike, mode: Extent = "full") -> Array:
    """`scipy.signal.fftconvolve` and `oaconvolve`, over all axes; computed directly."""
    if in1.ndim == in2.ndim and not (in1.size and in2.size):
        return xp.zeros((0,), float)
    return _convolution(inexact(in1), inexact(in2), mode, "fftconvolve")


def signal_correlate(in1: ArrayLike, in2: ArrayLike, mode: Extent = "full", method: Method = "auto") -> Array:
    """`scipy.signal.correlate`."""
    return _convolution(in1, xp.flip(in2), mode, "correlate")


NDIMAGE: dict[str, Callable[..., Any]] = {
    "correlate": correlate, "convolve": convolve, "correlate1d": correlate1d, "convolve1d": convolve1d,
    "uniform_filter1d": uniform_filter1d, "uniform_filter": uniform_filter,
    "gaussian_filter1d": gaussian_filter1d, "gaussian_filter": gaussian_filter,
    "sobel": sobel, "prewitt": prewitt, "laplace": laplace, "gaussian_laplace": gaussian_laplace,
    "gaussian_gradient_magnitude": gaussian_gradient_magnitude,
}  # fmt: skip
"""The functions that trace those of `scipy.ndimage`, by their names there."""

SIGNAL: dict[str, Callable[..., Any]] = {
    "convolve": signal_convolve, "fftconvolve": fftconvolve, "oaconvolve": fftconvolve,
    "correlate": signal_correlate,
}  # fmt: skip
"""The functions that trace those of `scipy.signal`, by their names there."""
