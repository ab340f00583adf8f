"""Spectra, trends and smoothing of `scipy.signal`, along an axis of traced arrays.

    welch(x, nperseg=64)              frequencies, and the mean over segments of |F(window * segment)|^2
    savgol_filter(x, 5, 2)            the values at the middle of parabolas through five points

Windows, lengths and frequencies are static.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal, cast

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import (
    Anything,
    ArrayLike,
    Axis,
    Flag,
    Int,
    Ints,
    Number,
    Static,
)
from mlirad.frontend.numpy_functions.scipy_functions.filters import Boundary, convolve1d
from mlirad.frontend.numpy_functions.signals.transforms import fft, ifft, rfft
from mlirad.frontend.numpy_functions.signals.windows import windows
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.operations import as_array, inexact, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error
from mlirad.frontend.tracing.shapes import one_axis

Scaling = Literal["density", "spectrum"]
Average = Literal["mean", "median"]


def _theirs(name: str) -> Any:
    """A function of `scipy.signal`, for plain values."""
    return vars(sys.modules["scipy.signal"])[name]


def _last(x: Array, axis: int, name: str) -> tuple[Array, int]:
    """Floats with the axis at the end, and where it was."""
    if not x.ndim:
        raise shape_error(f"{name} of a number", "a signal has an axis")
    at = one_axis(axis, x.ndim)
    return xp.moveaxis(inexact(x), at, -1), at


def hilbert(x: ArrayLike, N: Int | None = None, axis: Axis = -1) -> Any:
    """`scipy.signal.hilbert`: the analytic signal."""
    signal, at = _last(x, axis, "hilbert")
    n = signal.shape[-1] if N is None else N
    if n <= 0:
        raise argument_error(f"hilbert: N is {n}", "it is 1 at least")
    factors = np.zeros(n, signal.dtype)
    factors[0] = 1
    factors[1 : (n + 1) // 2] = 2
    if n % 2 == 0:
        factors[n // 2] = 1
    spectrum = fft(signal, n)
    return xp.moveaxis(ifft(spectrum * factors), -1, at)


def detrend(
    data: ArrayLike, axis: Axis = -1, type: Literal["linear", "l", "constant", "c"] = "linear", bp: Ints = 0,
    overwrite_data: Flag = False,
) -> Any:  # fmt: skip
    """`scipy.signal.detrend`: without the mean, or without lines through pieces that begin at `bp`."""
    signal, at = _last(data, axis, "detrend")
    if type in ("constant", "c"):
        return xp.moveaxis(signal - xp.mean(signal, axis=-1, keepdims=True), -1, at)
    n = signal.shape[-1]
    ends = np.unique(np.concatenate([[0], np.atleast_1d(bp), [n]]))
    if ends[0] < 0 or ends[-1] > n:
        raise argument_error(f"detrend: breakpoints {bp} of {n} values", "they lie between the values")
    pieces: list[Array] = []
    for first, last in pairwise(map(int, ends)):
        piece = signal[..., first:last]
        steps: list[Any] = [np.arange(1, last - first + 1) / (last - first), np.ones(last - first)]
        line = np.stack(steps, axis=-1)
        fitted = piece @ np.linalg.pinv(line).T.astype(signal.dtype)
        pieces.append(piece - fitted @ line.T.astype(signal.dtype))
    return xp.moveaxis(xp.concatenate(pieces, axis=-1), -1, at) if pieces else xp.asarray(data)


def savgol_filter(
    x: ArrayLike, window_length: Int, polyorder: Int, deriv: Int = 0, delta: Number = 1.0, axis: Axis = -1,
    mode: Literal["mirror", "constant", "nearest", "interp", "wrap"] = "interp", cval: Number = 0.0,
) -> Any:  # fmt: skip
    """`scipy.signal.savgol_filter`."""
    if not 0 <= polyorder < window_length or deriv < 0:
        raise argument_error(
            f"savgol_filter: polyorder is {polyorder}, window_length {window_length} and deriv {deriv}",
            "polyorder is less than window_length, and none is negative",
        )
    signal, at = _last(x, axis, "savgol_filter")
    weights = as_array(_theirs("savgol_coeffs")(window_length, polyorder, deriv=deriv, delta=delta))
    if mode != "interp":
        boundary: Boundary = mode
        return xp.moveaxis(convolve1d(signal, weights, -1, mode=boundary, cval=cval), -1, at)
    if window_length > signal.shape[-1]:
        raise shape_error(
            f"savgol_filter: a window of {window_length} of {signal.shape[-1]} values with mode='interp'",
            "take a shorter window, or mode='nearest'",
        )
    # At the ends all values are those of one polynomial, which is linear in what it is fitted to.
    at_ends = _theirs("savgol_filter")(np.eye(window_length), window_length, polyorder, deriv, delta, axis=0)
    half = window_length // 2
    first, last = (part.T.astype(signal.dtype) for part in (at_ends[:half], at_ends[window_length - half :]))
    inner = convolve1d(signal, weights, -1, mode="constant")[..., half : signal.shape[-1] - half]
    parts = [signal[..., :window_length] @ first, inner, signal[..., -window_length:] @ last]
    return xp.moveaxis(xp.concatenate(parts, axis=-1), -1, at)


# Spectra --------------------------------------------------------------------------------------------


def _window(window: Any, nperseg: int | None, n: int, name: str) -> Any:
    """The weights of a window of a length that fits n values."""
    if isinstance(window, str | tuple):
        length = 256 if nperseg is None else nperseg
        if length < 1:
            raise argument_error(f"{name}: nperseg is {length}", "it is 1 at least")
        return _theirs("get_window")(window, min(length, n))
    weights = np.asarray(window)
    if weights.ndim != 1 or (nperseg is not None and nperseg != len(weights)) or len(weights) > n:
        raise shape_error(
            f"{name}: a window of shape {weights.shape} for segments of {nperseg or n} values",
            "a window is a vector of nperseg weights",
        )
    return weights


def _without_trend(x: Array, trend: Any) -> Any:
    if trend is False or trend is None:
        return x
    return trend(x) if callable(trend) else detrend(x, -1, trend)


def _segments(x: Array, weights: Any, step: int, nfft: int, trend: Any, one_sided: bool) -> Any:
    """The transforms of windowed segments, [..., segments, frequencies]."""
    *outer, n = x.shape
    length = len(weights)
    count = (n - length) // step + 1
    rows = xp.reshape(x, (-1, n)) if outer else x[None]
    cut = windows(rows, (rows.shape[0], count), (1, length), [1, step], [1, 1])
    cut = xp.reshape(cut, (*outer, count, length))
    weighted = _without_trend(cut, trend) * weights.astype(x.dtype)
    return (rfft if one_sided else fft)(weighted, nfft)


def _median_bias(n: int) -> float:
    """The excess of the median of n exponential numbers over their mean."""
    even = 2 * np.arange(1.0, (n - 1) // 2 + 1)
    return float(1 + np.sum(1 / (even + 1) - 1 / even))


def _averaged(x: Any, average: str) -> Any:
    """The average over segments, which are the last but one axis."""
    count = x.shape[-2]
    if average == "mean" or count == 1:
        return xp.mean(x, axis=-2)
    parts = (x.real, x.imag) if isinstance(x, ComplexArray) else (x,)
    medians = [xp.median(part, axis=-2) / _median_bias(count) for part in parts]
    return ComplexArray(*medians) if isinstance(x, ComplexArray) else medians[0]


def csd(
    x: Anything, y: Anything, fs: Number = 1.0, window: Static = "hann", nperseg: Int | None = None,
    noverlap: Int | None = None, nfft: Int | None = None, detrend: Anything = "constant",
    return_onesided: Flag = True, scaling: Scaling = "density", axis: Axis = -1, average: Average = "mean",
) -> Any:  # fmt: skip
    """`scipy.signal.csd`; the frequencies are plain numbers."""
    is_same = y is x
    one, at = _last(as_array(x), axis, "csd")
    other = one if is_same else _last(as_array(y), axis, "csd")[0]
    n = max(one.shape[-1], other.shape[-1])
    if not n:
        raise shape_error("a spectrum of a signal without values", "give it a value at least")
    one, other = (
        s if s.shape[-1] == n else xp.pad(s, [(0, 0)] * (s.ndim - 1) + [(0, n - s.shape[-1])])
        for s in (one, other)
    )
    weights = _window(window, nperseg, n, "csd")
    length = len(weights)
    shared = length // 2 if noverlap is None else noverlap
    size = length if nfft is None else nfft
    if not 0 <= shared < length or size < length:
        raise argument_error(
            f"csd: noverlap is {shared} and nfft {size} for segments of {length} values",
            "noverlap is less than the length of segments, and nfft at least that",
        )
    step = length - shared
    first, second = (
        _segments(s, weights, step, size, detrend, return_onesided) for s in (one, other)
    )  # fmt: skip
    scale = 1 / (fs * np.sum(weights**2)) if scaling == "density" else 1 / np.sum(weights) ** 2
    factors = np.full(first.shape[-1], scale)
    if return_onesided:
        factors[1 : -1 if size % 2 == 0 else None] *= 2
    factors = factors.astype(one.dtype)
    if is_same:
        power: Any = (first.real * first.real + first.imag * first.imag) * factors
    else:
        power = xp.conjugate(first) * second * factors
    found = _averaged(power, average)
    made: Any = np.fft.rfftfreq if return_onesided else np.fft.fftfreq
    frequencies: Any = made(size, 1 / fs)
    return frequencies, xp.moveaxis(found, -1, at)


def welch(
    x: ArrayLike, fs: Number = 1.0, window: Static = "hann", nperseg: Int | None = None,
    noverlap: Int | None = None, nfft: Int | None = None, detrend: Anything = "constant",
    return_onesided: Flag = True, scaling: Scaling = "density", axis: Axis = -1, average: Average = "mean",
) -> Any:  # fmt: skip
    """`scipy.signal.welch`; the frequencies are plain numbers."""
    return csd(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


def periodogram(
    x: ArrayLike, fs: Number = 1.0, window: Static = "boxcar", nfft: Int | None = None,
    detrend: Anything = "constant", return_onesided: Flag = True, scaling: Scaling = "density",
    axis: Axis = -1,
) -> Any:  # fmt: skip
    """`scipy.signal.periodogram`; the frequencies are plain numbers."""
    signal, at = _last(x, axis, "periodogram")
    if nfft is not None and nfft < signal.shape[-1]:
        signal, nfft = signal[..., :nfft], None
    found, power = welch(
        signal, fs, "boxcar" if window is None else window, signal.shape[-1], 0, nfft, detrend,
        return_onesided, scaling,
    )  # fmt: skip
    return found, xp.moveaxis(power, -1, at)


def coherence(
    x: ArrayLike, y: ArrayLike, fs: Number = 1.0, window: Static = "hann",
    nperseg: Int | None = None, noverlap: Int | None = None, nfft: Int | None = None,
    detrend: Anything = "constant", axis: Axis = -1,
) -> Any:  # fmt: skip
    """`scipy.signal.coherence`; the frequencies are plain numbers."""
    options: dict[str, Any] = {
        "fs": fs, "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft,
        "detrend": detrend, "axis": axis,
    }  # fmt: skip
    frequencies, one = cast("tuple[Any, Any]", welch(x, **options))
    other = welch(y, **options)[1]
    cross = csd(x, y, **options)[1]
    return frequencies, (cross.real**2 + cross.imag**2) / one / other


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "hilbert": hilbert, "detrend": detrend, "savgol_filter": savgol_filter, "csd": csd, "welch": welch,
    "periodogram": periodogram, "coherence": coherence,
}  # fmt: skip
"""The functions that trace those of `scipy.signal`, by their names there."""
