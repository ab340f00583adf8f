"""Spectra, smoothing and recursive filters of `scipy.signal`, against SciPy and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import signal

import mlirad as ad
from tests.frontend.scipy_checks import check

RNG = np.random.default_rng(7)
X = RNG.normal(size=(2, 13))
Y = RNG.normal(size=13)
SOS = signal.butter(3, 0.3, output="sos")
B, A = signal.butter(2, 0.3)

CALLS: dict[str, Callable[[Any], Any]] = {
    "hilbert": lambda x: np.imag(signal.hilbert(x)),
    "hilbert even": lambda x: np.imag(signal.hilbert(x, 12)) + np.real(signal.hilbert(x, 12)),
    "hilbert axis": lambda x: np.imag(signal.hilbert(x, axis=0)),
    "detrend": lambda x: signal.detrend(x),
    "detrend constant": lambda x: signal.detrend(x, axis=0, type="constant"),
    "detrend pieces": lambda x: signal.detrend(x, bp=[4, 9]),
    "savgol_filter": lambda x: signal.savgol_filter(x, 5, 2),
    "savgol_filter whole": lambda x: signal.savgol_filter(x, 13, 3),
    "savgol_filter slope": lambda x: signal.savgol_filter(x, 5, 2, deriv=1, delta=0.5),
    **{
        f"savgol_filter {mode}": lambda x, mode=mode: signal.savgol_filter(
            x.T, 3, 1, axis=0, mode=mode, cval=2.0
        )
        for mode in ("mirror", "constant", "nearest", "wrap")
    },
    "welch": lambda x: signal.welch(x, nperseg=6)[1],
    "welch two-sided": lambda x: signal.welch(x, 3.0, "hamming", 5, 2, return_onesided=False)[1],
    "welch spectrum": lambda x: signal.welch(x, nperseg=4, nfft=7, scaling="spectrum", detrend=False)[1],
    "welch linear": lambda x: signal.welch(x, nperseg=5, detrend="linear")[1],
    "welch median": lambda x: signal.welch(x, nperseg=4, average="median")[1],
    "welch weights": lambda x: signal.welch(x.T, window=np.arange(1.0, 6.0), axis=0)[1],
    "welch frequencies": lambda x: signal.welch(x, nperseg=6)[0] * x[0, 0],
    "periodogram": lambda x: signal.periodogram(x, 2.0)[1],
    "periodogram of fewer": lambda x: signal.periodogram(x, nfft=8, window="hann")[1],
    "periodogram of more": lambda x: signal.periodogram(x.T, nfft=16, axis=0, detrend="linear")[1],
    "csd": lambda x: np.imag(signal.csd(x, Y, nperseg=6)[1]),
    "csd median": lambda x: np.real(signal.csd(x, Y, nperseg=4, average="median")[1]),
    "csd of a shorter one": lambda x: np.imag(signal.csd(x[0, :9], x[1], nperseg=6)[1]),
    "coherence": lambda x: signal.coherence(x, Y, nperseg=4)[1],
    "stft": lambda x: np.imag(signal.stft(x, nperseg=4)[2]),
    "stft padded": lambda x: np.real(signal.stft(x.T, nperseg=5, noverlap=3, boundary="even", axis=0)[2]),
    "istft": lambda x: signal.istft(signal.stft(x, nperseg=4)[2] ** 2, nperseg=4)[1],
    "spectrogram": lambda x: signal.spectrogram(x, nperseg=4, noverlap=1)[2],
    "spectrogram magnitude": lambda x: signal.spectrogram(x, nperseg=6, mode="magnitude")[2],
    "lfilter": lambda x: signal.lfilter(B, A, x),
    "lfilter from a state": lambda x: signal.lfilter(B, A, x, zi=0.3 * x[:, :2])[0],
    "lfilter to a state": lambda x: signal.lfilter(B, A, x.T, axis=0, zi=np.ones((2, 1)))[1],
    "lfilter short feedback": lambda x: signal.lfilter([1.0, 0.2, 0.1], [2.0], x, zi=np.ones((2, 2)))[0],
    "lfilter by one": lambda x: signal.lfilter([3.0], [2.0], x, zi=np.ones((2, 0)))[0],
    "sosfilt": lambda x: signal.sosfilt(SOS, x),
    "sosfilt from a state": lambda x: signal.sosfilt(SOS, x, zi=0.1 * np.ones((2, 2, 2)))[1],
    "filtfilt": lambda x: signal.filtfilt(B, A, x),
    **{
        f"filtfilt {kind}": lambda x, kind=kind: signal.filtfilt(B, A, x.T, axis=0, padtype=kind, padlen=3)
        for kind in ("odd", "even", "constant")
    },
    "filtfilt bare": lambda x: signal.filtfilt(B, A, x, padtype=None),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_and_derivatives(name: str) -> None:
    check(CALLS[name], X)


def test_derivatives_by_coefficients() -> None:
    check(lambda b, a: signal.lfilter(b, a, X), B, A)
    check(lambda b, a: signal.filtfilt(b, a, X), B, A)
    check(lambda c: signal.sosfilt(np.insert(c, 3, 1.0, axis=1).copy(), X), SOS[:, [0, 1, 2, 4, 5]].copy())
    check(lambda zi: signal.lfilter(B, A, X[0], zi=zi)[0], np.ones(2))


@pytest.mark.parametrize("name", CALLS)
def test_compiled_in_batches_and_single_precision(name: str) -> None:
    x = RNG.normal(size=(2, *X.shape))
    got = ad.vmap(CALLS[name])(x)
    np.testing.assert_allclose(got, [CALLS[name](part) for part in x], rtol=1e-10, atol=1e-12)
    single = ad.jit(CALLS[name])(X.astype(np.float32))
    np.testing.assert_allclose(single, CALLS[name](X), rtol=1e-3, atol=1e-4)


MISTAKES: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda x: signal.hilbert(x, N=0), ad.ArgumentError, "N is 0"),
    (lambda x: signal.hilbert(x[0, 0]), ad.ShapeError, "hilbert of a number"),
    (lambda x: signal.detrend(x, bp=99), ad.ArgumentError, "breakpoints 99"),
    (lambda x: signal.savgol_filter(x, 3, 3), ad.ArgumentError, "polyorder is 3"),
    (lambda x: signal.savgol_filter(x, 15, 3), ad.ShapeError, "a window of 15 of 13 values"),
    (lambda x: signal.welch(x, nperseg=0), ad.ArgumentError, "nperseg is 0"),
    (lambda x: signal.welch(x, nperseg=4, noverlap=4), ad.ArgumentError, "noverlap is 4"),
    (lambda x: signal.welch(x, window=np.ones(3), nperseg=4), ad.ShapeError, "a window of shape"),
    (lambda x: signal.welch(x[:, :0]), ad.ShapeError, "without values"),
    (lambda x: signal.lfilter(B, A, x, zi=np.ones((2, 3))), ad.ShapeError, "zi has shape"),
    (lambda x: signal.sosfilt(SOS[:, :5], x), ad.ShapeError, "six coefficients"),
    (lambda x: signal.sosfilt(SOS, x, zi=np.ones((1, 2, 2))), ad.ShapeError, "a state for each section"),
    (lambda x: signal.filtfilt(B, A, x, padlen=13), ad.ArgumentError, "13 values are added"),
    (lambda x: signal.filtfilt([2.0], [4.0], x), ad.ShapeError, "multiply the signal"),
]


@pytest.mark.parametrize("case", range(len(MISTAKES)))
def test_mistakes(case: int) -> None:
    function, error, words = MISTAKES[case]
    with pytest.raises(error, match=words):
        ad.jit(function, interpret=True)(X)
