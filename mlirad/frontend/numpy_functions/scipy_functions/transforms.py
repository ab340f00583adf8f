"""`scipy.fft`: Fourier transforms by their names there, and cosine and sine transforms, made of those.

scipy.fft.dct(x)      the real parts of a Fourier transform of the elements in another order, turned
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import (
    ArrayLike,
    Axis,
    AxisList,
    ComplexLike,
    Flag,
    Int,
    Ints,
    Static,
)
from mlirad.frontend.numpy_functions.signals.transforms import (
    LAST_TWO,
    Norm,
    fft,
    fft2,
    fftn,
    hfft,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    irfft,
    irfft2,
    irfftn,
    moved,
    moved_back,
    norm_factor,
    rfft,
    rfft2,
    rfftn,
    shift,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.operations import inexact, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error


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
        rows, length = moved(inexact(x), axis, n, "a transform")
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
        last *= norm_factor(norm, period, is_inverse=is_inverse)
        if (first != 1).any():
            rows = rows * first.astype(rows.dtype)
        found = transform(rows, taken)
        if (last != 1).any():
            found = found * last.astype(found.dtype)
        return moved_back(found, axis)

    return whole


def _as_scipy(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what traces a function of `scipy.fft`, of one dimension, as one of `numpy.fft`."""

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


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{f.__name__: _as_scipy(f) for f in (fft, ifft, rfft, irfft, hfft, ihfft)},
    **{f.__name__: _as_scipy_of_several(f, None) for f in (fftn, ifftn, rfftn, irfftn)},
    **{f.__name__: _as_scipy_of_several(f, LAST_TWO) for f in (fft2, ifft2, rfft2, irfft2)},
    "fftshift": shift(1),
    "ifftshift": shift(-1),
    "dct": _trigonometric(_cosine, is_inverse=False),
    "idct": _trigonometric(_cosine, is_inverse=True),
    "dst": _trigonometric(_sine, is_inverse=False),
    "idst": _trigonometric(_sine, is_inverse=True),
}
"""The functions of `scipy.fft`."""
