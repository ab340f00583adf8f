"""Fourier transforms: `numpy.fft`.

fft(z)            array.fft forward, of pairs
rfft(x)           array.fft real
fft(x)            the same, with what is conjugate to it
irfft(s, n)       array.fft half, of a spectrum in which what stands for two numbers counts twice
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Annotated, Any, Literal

import numpy as np

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.array.transforms import Axes
from mlirad.dialects.shapes import array_type
from mlirad.frontend.numpy_functions.calls.parameters import (
    Axis,
    AxisList,
    ComplexLike,
    Int,
    Ints,
    kind,
    own_dtype,
)
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.complex_array import ComplexArray, is_complex
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import operand_of, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error
from mlirad.frontend.tracing.shapes import one_axis


def _of_any_dtype(value: Any) -> Any:
    return as_complex(value) if is_complex(value) else own_dtype(operand_of(value))


AnyArray = Annotated[Any, kind("an array", _of_any_dtype)]
"""A traced array of any dtype."""

Norm = Literal["backward", "ortho", "forward", None]

Pair = tuple[Array, Array]
"""Real and imaginary parts."""


def norm_factor(norm: Norm, n: int, *, is_inverse: bool) -> float:
    """Return what a transform is multiplied by."""
    if norm == "ortho":
        return 1 / sqrt(n)
    return 1 / n if (norm == "forward") != is_inverse else 1.0


def moved(x: Array, axis: int, n: int | None, what: str) -> tuple[Array, int]:
    """The array with the axis last and n long, by zeros or without its last elements, and n."""
    return _resized(xp.moveaxis(x, one_axis(axis, x.ndim), -1), -1, n, what)


def _resized(x: Array, axis: int, n: int | None, what: str) -> tuple[Array, int]:
    """The array n long along an axis, by zeros or without its last elements, and n."""
    axis = one_axis(axis, x.ndim)
    length = x.shape[axis]
    n = length if n is None else n
    if n < 1:
        raise shape_error(f"{what} of {n} numbers", "a Fourier transform is of one number at least")
    if n < length:
        x = x[(slice(None),) * axis + (slice(n),)]
    elif n > length:
        x = xp.pad(x, [(0, n - length if d == axis else 0) for d in range(x.ndim)])
    return x, n


def _emitted(kind_: str, x: Array, shape: tuple[int, ...], axis: int) -> Array:
    """A transform along this axis of real numbers; of complex ones there are two planes in front."""
    type_ = array_type(shape, ELEMENT_TYPES[x.dtype])
    return made(emitting().fft(kind_, x.value, type_, Axes(axis, 0)))


def _scaled(x: Array, factor: float) -> Array:
    return x if isinstance(factor, float) and factor == 1.0 else x * factor


def moved_back(x: Array, axis: int) -> Array:
    return xp.moveaxis(x, -1, axis)


def _complex_transform(
    z: ComplexArray, sizes: Sequence[tuple[int | None, int]], norm: Norm, *, is_inverse: bool
) -> ComplexArray:
    """The transforms of a given length along axes, from the last one on."""
    what = "an inverse transform" if is_inverse else "a transform"
    factor = 1.0
    for m, axis in reversed(sizes):
        (real, n), (imag, _) = (_resized(part, axis, m, what) for part in (z.real, z.imag))
        planes = xp.stack([real, imag])
        kind_ = "backward" if is_inverse else "forward"
        found = _emitted(kind_, planes, planes.shape, one_axis(axis, z.ndim))
        z = ComplexArray(found[0], found[1])
        factor *= norm_factor(norm, n, is_inverse=is_inverse)
    return ComplexArray(_scaled(z.real, factor), _scaled(z.imag, factor))


def _whole(half: ComplexArray, n: int, axis: int, others: Sequence[int]) -> ComplexArray:
    """The transform of real numbers along all of these axes, given the first n // 2 + 1 places of one axis.

    The values at places k and -k are conjugate.
    """
    parts: list[Array] = []
    for part in (half.real, half.imag):
        mirrored = xp.moveaxis(part, axis, 0)[(n - 1) // 2 : 0 : -1]
        mirrored = xp.moveaxis(mirrored, 0, axis)
        for other in others:
            rows = xp.moveaxis(mirrored, other, 0)
            mirrored = xp.moveaxis(xp.concatenate([rows[:1], rows[:0:-1]]), 0, other)
        parts.append(xp.concatenate([part, mirrored if part is half.real else -mirrored], axis=axis))
    return ComplexArray(*parts)


def _conjugate(z: ComplexArray) -> ComplexArray:
    return ComplexArray(z.real, -z.imag)


def _require_real(a: Any, name: str) -> Array:
    if isinstance(a, ComplexArray):
        raise argument_error(f"{name} is of real numbers, got {a!r}", "write np.fft.fft(z)")
    return a


def fft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """The Fourier transform along an axis, of real numbers by the half that determines it."""
    if isinstance(a, ComplexArray):
        return _complex_transform(a, [(n, axis)], norm, is_inverse=False)
    return _whole(rfft(a, n, axis, norm), a.shape[axis] if n is None else n, axis, ())


def ifft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """Its inverse."""
    if isinstance(a, ComplexArray):
        return _complex_transform(a, [(n, axis)], norm, is_inverse=True)
    return _conjugate(fft(a, n, axis, _SWAPPED.get(norm, "forward")))


def rfft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """Half the transform of real numbers, which determines the rest."""
    axis = one_axis(axis, a.ndim)
    x, n = _resized(_require_real(a, "rfft"), axis, n, "a transform")
    found = _emitted("real", x, Axes(axis, 0).spectrum_shape(x.shape), axis)
    factor = norm_factor(norm, n, is_inverse=False)
    return ComplexArray(_scaled(found[0], factor), _scaled(found[1], factor))


def irfft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """The real numbers with this half of a transform."""
    z = as_complex(a)
    axis = one_axis(axis, z.ndim)
    length = 2 * (z.shape[axis] - 1) if n is None else n
    if length < 1:
        raise shape_error(f"irfft of {length} numbers", "a Fourier transform is of one number at least")
    (real, taken), (imag, _) = (_resized(part, axis, length // 2 + 1, "irfft") for part in (z.real, z.imag))
    weights = np.full(taken, 2.0)
    weights[0] = 1.0
    if not length % 2:
        weights[-1] = 1.0
    weights *= norm_factor(norm, length, is_inverse=True)
    weights = weights.astype(real.dtype).reshape(-1, *(1,) * (real.ndim - 1 - axis))
    planes = xp.stack([real * weights, imag * weights])
    shape = (*real.shape[:axis], length, *real.shape[axis + 1 :])
    return _emitted("half", planes, shape, axis)


_SWAPPED: dict[Any, Norm] = {"forward": "backward", "ortho": "ortho"}


def hfft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """The real transform of a signal given by one half, as the other half is conjugate to it."""
    z = as_complex(a)
    return irfft(_conjugate(z), n, axis, _SWAPPED.get(norm, "forward"))


def ihfft(a: ComplexLike, n: Int | None = None, axis: Axis = -1, norm: Norm = None) -> Any:
    """The inverse of `hfft`."""
    return _conjugate(rfft(_require_real(a, "ihfft"), n, axis, _SWAPPED.get(norm, "forward")))


# Several dimensions --------------------------------------------------------------------------------


def _sizes_and_axes(a: Any, s: Any, axes: Any) -> list[tuple[int | None, int]]:
    """The length and the axis of every transform, in order; None is the usual length of the last one."""
    if axes is None:
        axes = range(a.ndim) if s is None else range(-len(s), 0)
    axes = [one_axis(axis, a.ndim) for axis in np.atleast_1d(np.asarray(axes, int))]
    if not axes:
        raise shape_error("a transform along no axis", "an array of rank 0, or axes=(), is its own transform")
    if s is None:
        *others, last = axes
        return [*((a.shape[axis], axis) for axis in others), (None, last)]
    sizes = [int(n) for n in np.atleast_1d(np.asarray(s))]
    if len(sizes) != len(axes):
        raise shape_error(f"{len(sizes)} lengths for {len(axes)} axes", "give one length per axis")
    return [(a.shape[axis] if n == -1 else n, axis) for n, axis in zip(sizes, axes, strict=True)]


def fftn(a: ComplexLike, s: Ints | None = None, axes: AxisList | None = None, norm: Norm = None) -> Any:
    """The transform along several axes."""
    sizes = _sizes_and_axes(a, s, axes)
    *others, (n, axis) = sizes
    if isinstance(a, ComplexArray):
        return _complex_transform(a, sizes, norm, is_inverse=False)
    if len({axis, *(d for _, d in others)}) > len(others):
        length = a.shape[axis] if n is None else n
        return _whole(rfftn(a, s, axes, norm), length, axis, [d for _, d in others])
    return _complex_transform(fft(a, n, axis, norm), others, norm, is_inverse=False)


def ifftn(a: ComplexLike, s: Ints | None = None, axes: AxisList | None = None, norm: Norm = None) -> Any:
    """Its inverse."""
    if not isinstance(a, ComplexArray):
        return _conjugate(fftn(a, s, axes, _SWAPPED.get(norm, "forward")))
    return _complex_transform(a, _sizes_and_axes(a, s, axes), norm, is_inverse=True)


def rfftn(a: ComplexLike, s: Ints | None = None, axes: AxisList | None = None, norm: Norm = None) -> Any:
    """Half the transform of real numbers along several axes: that of the last is cut."""
    *others, (n, axis) = _sizes_and_axes(a, s, axes)
    return _complex_transform(rfft(a, n, axis, norm), others, norm, is_inverse=False)


def irfftn(a: ComplexLike, s: Ints | None = None, axes: AxisList | None = None, norm: Norm = None) -> Any:
    """The inverse of `rfftn`."""
    *others, (n, axis) = _sizes_and_axes(a, s, axes)
    return irfft(_complex_transform(as_complex(a), others[::-1], norm, is_inverse=True), n, axis, norm)


LAST_TWO = (-2, -1)


def fft2(a: ComplexLike, s: Ints | None = None, axes: AxisList = LAST_TWO, norm: Norm = None) -> Any:
    """The transform along two axes."""
    return fftn(a, s, axes, norm)


def ifft2(a: ComplexLike, s: Ints | None = None, axes: AxisList = LAST_TWO, norm: Norm = None) -> Any:
    """Its inverse."""
    return ifftn(a, s, axes, norm)


def rfft2(a: ComplexLike, s: Ints | None = None, axes: AxisList = LAST_TWO, norm: Norm = None) -> Any:
    """Half the transform of real numbers along two axes."""
    return rfftn(a, s, axes, norm)


def irfft2(a: ComplexLike, s: Ints | None = None, axes: AxisList = LAST_TWO, norm: Norm = None) -> Any:
    """Its inverse."""
    return irfftn(a, s, axes, norm)


def shift(sign: int) -> Callable[..., Any]:
    def shifted(x: AnyArray, axes: AxisList | None = None) -> Any:
        if axes is None:
            axes = tuple(range(x.ndim))
        several = (axes,) if isinstance(axes, int) else axes
        steps = [x.shape[d] // 2 if sign > 0 else -(x.shape[d] // 2) for d in several]
        return xp.roll(x, steps, several)

    return shifted


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.fft.fft: fft, np.fft.ifft: ifft, np.fft.rfft: rfft, np.fft.irfft: irfft, np.fft.hfft: hfft,
    np.fft.ihfft: ihfft, np.fft.fftn: fftn, np.fft.ifftn: ifftn, np.fft.rfftn: rfftn,
    np.fft.irfftn: irfftn, np.fft.fft2: fft2, np.fft.ifft2: ifft2, np.fft.rfft2: rfft2,
    np.fft.irfft2: irfft2, np.fft.fftshift: shift(1), np.fft.ifftshift: shift(-1),
}  # fmt: skip
"""The functions of `numpy.fft` of arrays."""

TRANSFORMS = frozenset(FUNCTIONS)
"""Those that read complex arrays themselves."""
