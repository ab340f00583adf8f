"""Meanings of the special functions that SciPy lacks: textbook formulas on NumPy arrays.

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

from mlirad.dialects.array.special_functions import FUNCTIONS_OF_COMPLEX
from mlirad.dialects.array.special_values import complex_values
from mlirad.packages import scipy_module, special_ufunc

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


def _square_angle(x: _Array) -> tuple[_Array, _Array]:
    """Whole quarters of a turn that pi x^2 / 2 is, up to whole turns, and the rest in radians."""
    whole = np.round(x)
    part = x - whole
    quarters = np.remainder(whole, 2.0) ** 2 + np.remainder(2 * whole * part, 4.0) + part * part
    near = np.round(quarters)
    return near, (quarters - near) * (pi / 2)


def _square_sine(x: _Array) -> _Array:
    quarters, rest = _square_angle(x)
    odd = np.remainder(quarters, 2.0) == 1
    sign = np.where(np.remainder(quarters, 4.0) >= 2, -1, 1)
    return (sign * np.where(odd, np.cos(rest), np.sin(rest))).astype(x.dtype)


def _square_cosine(x: _Array) -> _Array:
    quarters, rest = _square_angle(x)
    odd = np.remainder(quarters, 2.0) == 1
    sign = np.where(np.remainder(quarters + 1, 4.0) >= 2, -1, 1)
    return (sign * np.where(odd, np.sin(rest), np.cos(rest))).astype(x.dtype)


def _carlson(y: _Array, z: _Array) -> _Array:
    """Carlson's integral R_D(0, y, z), by a module that is slow to import."""
    return np.asarray(special_ufunc("elliprd")(0, y, z), z.dtype)


def _ellipk_slope(m: _Array) -> _Array:
    return _carlson(np.ones_like(m), 1 - m) / 6


def _ellipkm1_slope(p: _Array) -> _Array:
    return -_carlson(np.ones_like(p), p) / 6


def _ellipe_slope(m: _Array) -> _Array:
    return -_carlson(1 - m, np.ones_like(m)) / 6


def _agm_slope(a: _Array, b: _Array) -> _Array:
    """By Landen's steps, of the means and of their derivatives by a."""
    by_arithmetic, by_geometric = np.ones_like(a), np.zeros_like(a)
    a, is_end = np.where(a == 0, np.zeros_like(a), a), (b == 0) | (a == np.inf)
    for _ in range(14):
        ratio = np.sqrt(b) / np.sqrt(a)
        moved = by_arithmetic * ratio + np.where(by_geometric == 0, by_geometric, by_geometric / ratio)
        a, b = a / 2 + b / 2, np.sqrt(a) * np.sqrt(b)
        by_arithmetic, by_geometric = (by_arithmetic + by_geometric) / 2, moved / 2
    return np.where(is_end, np.zeros_like(b), by_arithmetic)


def _lambert(branch: int) -> Callable[[_Array], _Array]:
    """Values of a branch, NaN where they are not real."""

    def value(x: _Array) -> _Array:
        found = np.asarray(scipy_module("special").lambertw(x, branch), np.complex128)
        return np.where(found.imag == 0, found.real, np.nan).astype(x.dtype)

    return value


def _lambert_slope(x: _Array, w: _Array) -> _Array:
    return np.exp(-w) / (1 + w)


def _lambert_lower_slope(x: _Array, w: _Array) -> _Array:
    return w / (1 + w) / -np.abs(x)


def _exp_over(x: _Array) -> _Array:
    return np.where(x > 700, np.exp(x - np.log(np.clip(x, 1, 1e30))), np.exp(x) / x).astype(x.dtype)


def _spence_slope(x: _Array) -> _Array:
    distance = x - 1
    near = -(1 - distance / 2 + distance**2 / 3)
    return np.where(np.abs(distance) < 1e-5, near, np.log(x) / -distance).astype(x.dtype)


def _log_gamma_power(j: _Array, a: _Array, x: _Array) -> _Array:
    return (_xlogy(a - 1 - j, x) - x - special_ufunc("gammaln")(a)).astype(x.dtype)


def _log_beta_power(i: _Array, j: _Array, a: _Array, b: _Array, x: _Array) -> _Array:
    powers = _xlogy(a - 1 - i, x) + special_ufunc("xlog1py")(b - 1 - j, -x)
    return (powers - _log_beta(a, b)).astype(x.dtype)


def _log_binomial_power(i: _Array, j: _Array, k: _Array, m: _Array, x: _Array) -> _Array:
    return _log_beta_power(i, j, k + 1, m + 1, x) - np.log1p(k + m)


def _log_beta(a: _Array, b: _Array) -> _Array:
    return np.asarray(special_ufunc("betaln")(a, b), a.dtype)


def _xlogy(x: _Array, y: _Array) -> _Array:
    return special_ufunc("xlogy")(x, y)


def _of_complex(ufunc: str, part: str, output: int = 0) -> Callable[..., _Array]:
    """A part of a function of complex numbers, or of one of its results, by the parts of its last operand."""

    def value(*operands: _Array) -> _Array:
        found = complex_values(ufunc, *operands)[output]
        return np.asarray(getattr(found, part), operands[-1].dtype)

    return value


_ZETA_TERMS: Final = 40
_ZETA_SERIES: Final = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600)


def _complex_zeta(part: str) -> Callable[[_Array, _Array, _Array], _Array]:
    """The zeta function by its first terms, and the formula of Euler and Maclaurin for the others."""

    def value(s: _Array, x: _Array, y: _Array) -> _Array:
        z = np.asarray(x, np.complex128) + 1j * y
        total = sum(((z + k) ** -s for k in range(_ZETA_TERMS)), np.zeros_like(z))
        end = z + _ZETA_TERMS
        total = total + end ** (1 - s) / (s - 1) + end**-s / 2
        term = s * end ** (-s - 1)
        for k, coefficient in enumerate(_ZETA_SERIES):
            total = total + coefficient * term
            term = term * (s + 2 * k + 1) * (s + 2 * k + 2) / end**2
        return np.asarray(getattr(total, part), x.dtype)

    return value


def _exp_of(logarithm: Callable[..., _Array]) -> Callable[..., _Array]:
    return lambda *operands: np.exp(logarithm(*operands))


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
    "lambert_w": _lambert(0),
    "lambert_w_lower": _lambert(-1),
    "lambert_w_slope": _lambert_slope,
    "lambert_w_lower_slope": _lambert_lower_slope,
    "exp_over": _exp_over,
    "spence_slope": _spence_slope,
    "ellipk_slope": _ellipk_slope,
    "ellipkm1_slope": _ellipkm1_slope,
    "ellipe_slope": _ellipe_slope,
    "agm_slope": _agm_slope,
    "gamma_power": _exp_of(_log_gamma_power),
    "log_gamma_power": _log_gamma_power,
    "beta_power": _exp_of(_log_beta_power),
    "log_beta_power": _log_beta_power,
    "binomial_power": _exp_of(_log_binomial_power),
    "log_binomial_power": _log_binomial_power,
    "log_beta": _log_beta,
    "square_sine": _square_sine,
    "square_cosine": _square_cosine,
    "faddeeva_real": _of_complex("wofz", "real"),
    "faddeeva_imag": _of_complex("wofz", "imag"),
    "complex_erf_real": _of_complex("erf", "real"),
    "complex_erf_imag": _of_complex("erf", "imag"),
    "complex_erfc_real": _of_complex("erfc", "real"),
    "complex_erfc_imag": _of_complex("erfc", "imag"),
    "complex_dawson_real": _of_complex("dawsn", "real"),
    "complex_dawson_imag": _of_complex("dawsn", "imag"),
    **{
        f"{name}_{part}": _of_complex(ufunc, part, k)
        for ufunc, (_, names) in FUNCTIONS_OF_COMPLEX.items()
        for k, name in enumerate(names)
        for part in ("real", "imag")
    },
    "complex_zeta_real": _complex_zeta("real"),
    "complex_zeta_imag": _complex_zeta("imag"),
    "sinc_series": partial(_series, start=3),
    "sinc_series_slope": partial(_series, start=5),
}
