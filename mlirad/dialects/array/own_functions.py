"""What the special functions mean that SciPy does not have: textbook formulas on arrays of NumPy.

    OWN_FUNCTIONS["log_ratio"](x, y)          log(x) - log(y), in more digits than those of x and y

Constant folding and the interpreter take it from here. Compiled programs have other formulas
(`mlirad.passes.expand_formulas`), which are tested against these.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import pi
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

_Array: TypeAlias = npt.NDArray[Any]


def _unit(x: _Array, y: _Array, r: _Array) -> _Array:
    far = np.sign(x) * np.isinf(x) / np.sqrt(1.0 + np.isinf(y))
    return np.where(r == 0, 0.0, np.where(np.isinf(r), far, x / r)).astype(x.dtype)


def _log_ratio(x: _Array, y: _Array) -> _Array:
    low, high = np.minimum(x, y), np.maximum(x, y)
    close = np.log1p((high - low) / low)
    distance = np.where(high < 2 * low, close, np.log(high) - np.log(low))
    return np.copysign(distance, x - y)


def _pseudo_huber_by_delta(delta: _Array, r: _Array) -> _Array:
    size = np.hypot(delta, r)
    sagitta = r * (r / (size + delta))
    found = np.where(np.isinf(r), np.abs(r), sagitta / size * sagitta)
    return np.where((delta < 0) | (r == 0), r * 0, found)


def _pseudo_huber_by_r(delta: _Array, r: _Array) -> _Array:
    found = delta * np.where(np.isinf(r), np.sign(r), r / np.hypot(delta, r))
    return np.where((delta < 0) | (r == 0), delta * 0, found)


def _sinc_slope(x: _Array) -> _Array:
    far = (np.cos(x) - np.sin(x) / x) / x
    return np.where(np.isinf(x), x.dtype.type(0), np.where(np.abs(x) < 1, -x * _series(x, 3), far))


def _series(x: _Array, start: int) -> _Array:
    """The sum over k of (-x^2 / 2)^k / (k! (2 k + start)!!)."""
    square = x * x
    total, term = np.zeros_like(x), np.ones_like(x) / {3: 3, 5: 15}[start]
    for k in range(1, 30):
        total = total + term
        term = term * square * (-0.5 / (k * (2 * k + start)))
    return total


def _sinc(x: _Array) -> _Array:
    return np.where(x == 0, np.ones_like(x), np.sin(x) / x)


def _turned(x: _Array) -> _Array:
    """pi x less whole turns."""
    return pi * np.remainder(x, 2.0)


def _sincpi_reduced(x: _Array) -> _Array:
    return np.where(np.abs(x) < 1, np.sinc(x), np.sin(_turned(x)) / x / pi).astype(x.dtype)


def _sincpi_slope(x: _Array) -> _Array:
    far = (np.cos(_turned(x)) - np.sin(_turned(x)) / x / pi) / x
    far = np.where(np.isinf(x), 0.0, far)
    return np.where(np.abs(x) < 0.5, pi * _sinc_slope(pi * x), far).astype(x.dtype)


OWN_FUNCTIONS: Final[dict[str, Callable[..., _Array]]] = {
    "unit": _unit,
    "log_ratio": _log_ratio,
    "pseudo_huber_by_delta": _pseudo_huber_by_delta,
    "pseudo_huber_by_r": _pseudo_huber_by_r,
    "sinc": _sinc,
    "sinc_slope": _sinc_slope,
    "sincpi": np.sinc,
    "sincpi_reduced": _sincpi_reduced,
    "sincpi_slope": _sincpi_slope,
    "sinc_series": partial(_series, start=3),
    "sinc_series_slope": partial(_series, start=5),
}
