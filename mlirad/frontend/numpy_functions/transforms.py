"""Fourier transforms: `numpy.fft`, and `scipy.fft` with its cosine and sine transforms.

fft(x)            array.fft forward, of pairs
rfft(x)           array.fft real
irfft(s, n)       array.fft half, of a spectrum in which what stands for two numbers counts twice
dct(x)            a Fourier transform of the elements in another order, turned
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Annotated, Any, Literal

import numpy as np

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.array.transforms import PAIR, spectrum_shape
from mlirad.dialects.shapes import array_type
from mlirad.frontend.numpy_functions.parameters import (
    ArrayLike,
    Axis,
    AxisList,
    Flag,
    Int,
    Ints,
    Static,
    kind,
    own_dtype,
)
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.complex_array import ComplexArray, is_complex
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import inexact, operand_of, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error
from mlirad.frontend.tracing.shapes import one_axis


def _spectrum(value: Any) -> Any:
    return as_complex(value) if is_complex(value) else inexact(own_dtype(operand_of(value)))


def _of_any_dtype(value: Any) -> Any:
    return as_complex(value) if is_complex(value) else own_dtype(operand_of(value))


ComplexLike = Annotated[Any, kind("an array", _spectrum)]
"""A traced array, which may be complex, else of floats."""

AnyArray = Annotated[Any, kind("an array", _of_any_dtype)]
"""A traced array of any dtype."""

Norm = Literal["backward", "ortho", "forward", None]

Pair = tuple[Array, Array]
"""Real and imaginary parts."""


def _factor(norm: Norm, n: int, *, is_inverse: bool) -> float:
    """What a transform is multiplied by."""
    if norm == "ortho":
        return 1 / sqrt(n)
    return 1 / n if (norm == "forward") != is_inverse else 1.0


def _moved(x: Array, axis: int, n: int | None, what: str) -> tuple[Array, int]:
    """The array with the axis last and n long, by zeros or without its last elements, and n."""
    x = xp.moveaxis(x, one_axis(axis, x.ndim), -1)
    length = x.shape[-1]
    n = length if n is None else n
    if n < 1:
        raise shape_error(f"{what} of {n} numbers", "a Fourier transform is of one number at least")
    if n < length:
        x = x[..., :n]
    elif n > length:
        x = xp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, n - length)])
    return x, n


def _emitted(kind_: str, x: Array, shape: tuple[int, ...]) -> Array:
    return made(emitting().fft(kind_, x.value, array_type(shape, ELEMENT_TYPES[x.dtype])))


def _scaled(x: Array, factor: float) -> Array:
    return x if factor == 1.0 else x * factor


def _back(x: Array, axis: int) -> Array:
    return xp.moveaxis(x, -1, axis)


def _complex_transform(a: Any, n: int | None, axis: int, norm: Norm, *, is_inverse: bool) -> ComplexArray:
    what = "an inverse transform" if is_inverse else "a transform"
    z = a if isinstance(a, ComplexArray) else ComplexArray(a, xp.zeros_like(a))
    (real, n), (imag, _) = (_moved(part, axis, n, what) for part in (z.real, z.imag))
    pairs = xp.stack([real, imag], axis=-1)
    factor = _factor(norm, n, is_inverse=is_inverse)
    found = _scaled(_emitted("backward" if is_inverse else "forward", pairs, pairs.shape), factor)
    return ComplexArray(_back(found[..., 0], axis), _back(found[..., 1], axis))


def _require_real(a: Any, name: str) -> Array:
    if isinstance(a, ComplexArray):
        raise argument_error(f"{name} is of real numbers, got {a!r}", "write np.fft.fft(z)")
    return a


def fft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """The Fourier transform along an axis."""
    return _complex_transform(a, n, axis, norm, is_inverse=False)


def ifft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """Its inverse."""
    return _complex_transform(a, n, axis, norm, is_inverse=True)


def rfft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """Half the transform of real numbers, which determines the rest."""
    x, n = _moved(_require_real(a, "rfft"), axis, n, "a transform")
    found = _emitted("real", x, spectrum_shape(x.shape))
    found = _scaled(found, _factor(norm, n, is_inverse=False))
    return ComplexArray(_back(found[..., 0], axis), _back(found[..., 1], axis))


def irfft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """The real numbers with this half of a transform."""
    z = as_complex(a)
    length = 2 * (z.shape[one_axis(axis, z.ndim)] - 1) if n is None else n
    if length < 1:
        raise shape_error(f"irfft of {length} numbers", "a Fourier transform is of one number at least")
    (real, taken), (imag, _) = (_moved(part, axis, length // 2 + 1, "irfft") for part in (z.real, z.imag))
    weights = np.full((taken, 1), 2.0)
    weights[0] = 1.0
    if length % 2 == 0:
        weights[-1] = 1.0
    weights *= _factor(norm, length, is_inverse=True)
    pairs = xp.stack([real, imag], axis=-1) * weights.astype(real.dtype)
    return _back(_emitted("half", pairs, (*pairs.shape[:-PAIR], length)), axis)


_SWAPPED: dict[Any, Norm] = {"forward": "backward", "ortho": "ortho"}


def hfft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """The real transform of a signal of which half is given, as the other is conjugate to it."""
    z = as_complex(a)
    return irfft(ComplexArray(z.real, -z.imag), n, axis, _SWAPPED.get(norm, "forward"))


def ihfft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """The inverse of `hfft`."""
    z = rfft(_require_real(a, "ihfft"), n, axis, _SWAPPED.get(norm, "forward"))
    return ComplexArray(z.real, -z.imag)


# Several dimensions --------------------------------------------------------------------------------


def _sizes_and_axes(a: Any, s: Any, axes: Any) -> list[tuple[int | None, int]]:
    """The length and the axis of every transform, in order."""
    if axes is None:
        axes = range(a.ndim) if s is None else range(-len(s), 0)
    axes = [one_axis(axis, a.ndim) for axis in np.atleast_1d(np.asarray(axes, int))]
    if s is None:
        return [(None, axis) for axis in axes]
    sizes: list[int | None] = [int(n) for n in np.atleast_1d(np.asarray(s))]
    if len(sizes) != len(axes):
        raise shape_error(f"{len(sizes)} lengths for {len(axes)} axes", "give one length per axis")
    return [(None if n == -1 else n, axis) for n, axis in zip(sizes, axes, strict=True)]


def fftn(a: ComplexLike, s: Ints | None = None, axes: AxisList | None = None, norm: Norm = None) -> Any:
    """The transform along several axes."""
    for n, axis in reversed(_sizes_and_axes(a, s, axes)):
        a = fft(a, n, axis, norm)
    return a


def ifftn(a: ComplexLike, s: Ints | None = None, axes: AxisList | None = None, norm: Norm = None) -> Any:
    """Its inverse."""
    for n, axis in reversed(_sizes_and_axes(a, s, axes)):
        a = ifft(a, n, axis, norm)
    return a


def _last_apart(a: Any, s: Any, axes: Any) -> tuple[list[tuple[int | None, int]], int | None, int]:
    """The lengths and axes but for the last, and these."""
    found = _sizes_and_axes(a, s, axes)
    if not found:
        raise shape_error("a transform along no axis", "rfftn and irfftn go along one axis at least")
    return found[:-1], *found[-1]


def rfftn(a: ComplexLike, s: Ints | None = None, axes: AxisList | None = None, norm: Norm = None) -> Any:
    """Half the transform of real numbers along several axes: that of the last is cut."""
    others, n, axis = _last_apart(a, s, axes)
    z = rfft(a, n, axis, norm)
    for n, axis in reversed(others):
        z = fft(z, n, axis, norm)
    return z


def irfftn(a: ComplexLike, s: Ints | None = None, axes: AxisList | None = None, norm: Norm = None) -> Any:
    """The inverse of `rfftn`."""
    others, n, axis = _last_apart(a, s, axes)
    for m, other in others:
        a = ifft(a, m, other, norm)
    return irfft(a, n, axis, norm)


_TWO = (-2, -1)


def fft2(a: ComplexLike, s: Ints | None = None, axes: AxisList = _TWO, norm: Norm = None) -> Any:
    """The transform along two axes."""
    return fftn(a, s, axes, norm)


def ifft2(a: ComplexLike, s: Ints | None = None, axes: AxisList = _TWO, norm: Norm = None) -> Any:
    """Its inverse."""
    return ifftn(a, s, axes, norm)


def rfft2(a: ComplexLike, s: Ints | None = None, axes: AxisList = _TWO, norm: Norm = None) -> Any:
    """Half the transform of real numbers along two axes."""
    return rfftn(a, s, axes, norm)


def irfft2(a: ComplexLike, s: Ints | None = None, axes: AxisList = _TWO, norm: Norm = None) -> Any:
    """Its inverse."""
    return irfftn(a, s, axes, norm)


def _shift(sign: int) -> Callable[..., Any]:
    def shift(x: AnyArray, axes: AxisList | None = None) -> Any:
        if axes is None:
            axes = tuple(range(x.ndim))
        several = (axes,) if isinstance(axes, int) else axes
        steps = [x.shape[d] // 2 if sign > 0 else -(x.shape[d] // 2) for d in several]
        return xp.roll(x, steps, several)

    return shift


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.fft.fft: fft, np.fft.ifft: ifft, np.fft.rfft: rfft, np.fft.irfft: irfft, np.fft.hfft: hfft,
    np.fft.ihfft: ihfft, np.fft.fftn: fftn, np.fft.ifftn: ifftn, np.fft.rfftn: rfftn,
    np.fft.irfftn: irfftn, np.fft.fft2: fft2, np.fft.ifft2: ifft2, np.fft.rfft2: rfft2,
    np.fft.irfft2: irfft2, np.fft.fftshift: _shift(1), np.fft.ifftshift: _shift(-1),
}  # fmt: skip
"""The functions of `numpy.fft` of arrays."""

TRANSFORMS = frozenset(FUNCTIONS)
"""Those that read complex arrays themselves."""


# Cosine and sine transforms --------------------------------------------------------------------------


def _even_first(x: Array) -> Array:
    """The elements at even places, then those at odd places from the end."""
    return xp.concatenate([x[..., ::2], xp.flip(x[..., 1::2], -1)], axis=-1)


def _even_first_undone(x: Array) -> Array:
    n = x.shape[-1]
    even, odd = x[..., : (n + 1) // 2], xp.flip(x[..., (n + 1) // 2 :], -1)
    if n % 2:
        odd = xp.pad(odd, [(0, 0)] * (x.ndim - 1) + [(0, 1)])
    return xp.reshape(xp.stack([even, odd], axis=-1), (*x.shape[:-1], n + n % 2))[..., :n]


def _turned(z: Any, angles: Any) -> Array:
    """The real parts of 2 z exp(-i angles)."""
    dtype = z.real.dtype
    return z.real * (2 * np.cos(angles)).astype(dtype) + z.imag * (2 * np.sin(angles)).astype(dtype)


def _cosine(x: Array, type_: int) -> Array:
    """The cosine transform of the last axis, not normalised."""
    n = x.shape[-1]
    if type_ == 1:
        if n < 2:
            raise shape_error("a cosine transform of type 1 of one number", "it is of two at least")
        return rfft(xp.concatenate([x, xp.flip(x[..., 1:-1], -1)], axis=-1)).real
    angles = np.pi * np.arange(n) / (2 * n)
    if type_ == 2:
        return _turned(fft(_even_first(x)), angles)
    if type_ == 3:
        # With x[0] halved it is the transpose of type 2.
        halved = x * np.where(np.arange(n) == 0, 0.5, 1.0).astype(x.dtype)
        cosine, sine = ((2 * f(angles)).astype(x.dtype) for f in (np.cos, np.sin))
        return _even_first_undone(fft(ComplexArray(halved * cosine, halved * -sine)).real)
    return _quarter(x, 0.0)


def _quarter(x: Array, turn: float) -> Array:
    """The transform of type 4: of cosines or, turned back by a quarter, of sines."""
    n = x.shape[-1]
    angles = np.pi * np.arange(n) / (2 * n)
    z = ComplexArray(x * np.cos(angles).astype(x.dtype), x * -np.sin(angles).astype(x.dtype))
    found = fft(z, 2 * n)
    first = ComplexArray(found.real[..., :n], found.imag[..., :n])
    return _turned(first, np.pi * (2 * np.arange(n) + 1) / (4 * n) - turn)


def _sine(x: Array, type_: int) -> Array:
    """The sine transform of the last axis, not normalised."""
    n = x.shape[-1]
    signs = np.where(np.arange(n) % 2, -1, 1).astype(x.dtype)
    if type_ == 1:
        zero = xp.zeros_like(x[..., :1])
        odd = xp.concatenate([zero, x, zero, -xp.flip(x, -1)], axis=-1)
        return -rfft(odd).imag[..., 1 : n + 1]
    if type_ == 2:
        return xp.flip(_cosine(x * signs, 2), -1)
    if type_ == 3:
        return _cosine(xp.flip(x, -1), 3) * signs
    return _quarter(x, 0.5 * np.pi)


_INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


def _trigonometric(transform: Callable[[Array, int], Array], *, is_inverse: bool) -> Callable[..., Any]:
    is_sine = transform is _sine

    def whole(
        x: ArrayLike, type: Int = 2, n: Int | None = None, axis: Axis = -1, norm: Norm = None,
        overwrite_x: Flag = False, workers: Static = None, *, orthogonalize: Static = None,
    ) -> Any:  # fmt: skip
        if type not in _INVERSES:
            raise argument_error(f"there is no transform of type {type}", "types are 1, 2, 3 and 4")
        taken = _INVERSES[type] if is_inverse else type
        rows, length = _moved(inexact(x), axis, n, "a transform")
        ends = [length - 1 if is_sine else 0]
        period = 2 * length if taken != 1 else 2 * (length + 1 if is_sine else length - 1)
        first, last = np.ones(length), np.ones(length)
        is_orthogonal = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
        if is_orthogonal:
            if taken == 1 and not is_sine:
                first[[0, -1]], last[[0, -1]] = sqrt(2), 1 / sqrt(2)
            elif taken == 2:
                last[ends] = 1 / sqrt(2)
            elif taken == 3:
                first[ends] = sqrt(2)
        last *= _factor(norm, period, is_inverse=is_inverse)
        if (first != 1).any():
            rows = rows * first.astype(rows.dtype)
        found = transform(rows, taken)
        if (last != 1).any():
            found = found * last.astype(found.dtype)
        return _back(found, axis)

    return whole


def _as_scipy(function: Callable[..., Any]) -> Callable[..., Any]:
    """What traces a function of `scipy.fft`, of one dimension, as one of `numpy.fft`."""

    def transform(
        x: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None, overwrite_x: Flag = False,
        workers: Static = None, *, plan: Static = None,
    ) -> Any:  # fmt: skip
        return function(x, n, axis, norm)

    return transform


def _as_scipy_of_several(function: Callable[..., Any], default: tuple[int, ...] | None) -> Callable[..., Any]:
    """The same of several dimensions."""

    def transform(
        x: ComplexLike, s: Ints | None = None, axes: AxisList | None = default, norm: Norm = None,
        overwrite_x: Flag = False, workers: Static = None, *, plan: Static = None,
    ) -> Any:  # fmt: skip
        return function(x, s, axes, norm)

    return transform


SCIPY: dict[str, Callable[..., Any]] = {
    **{f.__name__: _as_scipy(f) for f in (fft, ifft, rfft, irfft, hfft, ihfft)},
    **{f.__name__: _as_scipy_of_several(f, None) for f in (fftn, ifftn, rfftn, irfftn)},
    **{f.__name__: _as_scipy_of_several(f, _TWO) for f in (fft2, ifft2, rfft2, irfft2)},
    "fftshift": _shift(1),
    "ifftshift": _shift(-1),
    "dct": _trigonometric(_cosine, is_inverse=False),
    "idct": _trigonometric(_cosine, is_inverse=True),
    "dst": _trigonometric(_sine, is_inverse=False),
    "idst": _trigonometric(_sine, is_inverse=True),
}
"""The functions of `scipy.fft`."""
