"""Partial derivatives of the parts of functions of complex numbers, by complex derivatives of SciPy's.

COMPLEX_PARTIALS["complex_gamma_real"](x, y, r)     the parts of gamma(z) psi(z), for z = x + iy
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Any, Final, TypeAlias, cast

import numpy as np

from mlirad.dialects.array.own_functions import OWN_FUNCTIONS
from mlirad.interpreter.arrays import Array
from mlirad.packages import special_ufunc

_Slope: TypeAlias = Callable[[Any], Any] | Callable[[Any, Any], Any] | Callable[[Any, Any, Any, Any], Any]
"""A complex derivative, of real parameters and z."""


def _call(name: str, *operands: Any) -> Any:
    return special_ufunc(name)(*operands)


def _of_complex(slope: _Slope, part: str) -> Callable[..., tuple[Array, Array]]:
    """The partial derivatives of a part of a function of x + iy, from its complex derivative."""

    def partials(*operands: Array) -> tuple[Array, Array]:
        *orders, x, y, _ = operands
        found = cast("Callable[..., Any]", slope)(*orders, np.asarray(x, np.complex128) + 1j * y)
        return (found.real, -found.imag) if part == "real" else (found.imag, found.real)

    return partials


def _digamma_slope(z: Any) -> Any:
    """The slope by values on a circle around z without a pole in it: eight of them give fifteen digits."""
    pole = np.minimum(np.round(np.asarray(z.real, np.float64)), 0.0)
    size = 1e-2 * np.hypot(z.real - pole, z.imag)
    return sum(_call("psi", z + size * w) / w for w in np.exp(0.25j * pi * np.arange(8))) / (8 * size)


def _zeta_slope(s: Array, z: Any) -> Any:
    parts = (OWN_FUNCTIONS[f"complex_zeta_{part}"](s + 1, z.real, z.imag) for part in ("real", "imag"))
    real, imag = parts
    return -s * (real + 1j * imag)


def _by_neighbours(name: str, below: float, above: float) -> Callable[[Array, Any], Any]:
    return lambda v, z: below * _call(name, v - 1, z) + above * _call(name, v + 1, z)


_COMPLEX_SLOPES: dict[str, _Slope] = {
    "faddeeva": lambda z: 2j / sqrt(pi) - 2 * z * _call("wofz", z),
    "complex_erf": lambda z: 2 / sqrt(pi) * np.exp(-z * z),
    "complex_erfc": lambda z: -2 / sqrt(pi) * np.exp(-z * z),
    "complex_dawson": lambda z: 1 - 2 * z * _call("dawsn", z),
    "complex_gamma": lambda z: _call("gamma", z) * _call("psi", z),
    "complex_rgamma": lambda z: -_call("rgamma", z) * _call("psi", z),
    "complex_loggamma": lambda z: _call("psi", z),
    "complex_psi": _digamma_slope,
    "complex_zeta": _zeta_slope,
    "complex_expi": lambda z: np.exp(z) / z,
    "complex_exp1": lambda z: -np.exp(-z) / z,
    "complex_log_ndtr": lambda z: np.exp(-z * z / 2) / sqrt(2 * pi) / _call("ndtr", z),
    "complex_spence": lambda z: np.log(z) / (1 - z),
    "complex_wrightomega": lambda z: 1 - 1 / (1 + _call("wrightomega", z)),
    "complex_sici_si": lambda z: np.sin(z) / z,
    "complex_sici_ci": lambda z: np.cos(z) / z,
    "complex_shichi_shi": lambda z: np.sinh(z) / z,
    "complex_shichi_chi": lambda z: np.cosh(z) / z,
    "complex_fresnel_s": lambda z: np.sin(pi / 2 * z * z),
    "complex_fresnel_c": lambda z: np.cos(pi / 2 * z * z),
    "complex_airy_ai": lambda z: _call("airy", z)[1],
    "complex_airy_aip": lambda z: z * _call("airy", z)[0],
    "complex_airy_bi": lambda z: _call("airy", z)[3],
    "complex_airy_bip": lambda z: z * _call("airy", z)[2],
    **{f"complex_{name}": _by_neighbours(name, 0.5, -0.5) for name in ("jv", "yv", "hankel1", "hankel2")},
    "complex_iv": _by_neighbours("iv", 0.5, 0.5),
    "complex_kv": _by_neighbours("kv", -0.5, -0.5),
    "complex_hyp0f1": lambda b, z: _call("hyp0f1", b + 1, z) / b,
    "complex_hyp2f1": lambda a, b, c, z: a * b / c * _call("hyp2f1", a + 1, b + 1, c + 1, z),
}
"""The complex derivatives of functions that are given by their parts."""

COMPLEX_PARTIALS: Final[dict[str, Callable[..., tuple[Array, Array]]]] = {
    f"{name}_{part}": _of_complex(slope, part)
    for name, slope in _COMPLEX_SLOPES.items()
    for part in ("real", "imag")
}
"""The derivatives of a part of a function by its name, of all operands and the result, in the last two."""
