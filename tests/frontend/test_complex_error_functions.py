"""SciPy's error functions of complex numbers: values and derivatives against mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import special

import mlirad as ad


def faddeeva(z: Any) -> Any:
    return mp.exp(-z * z) * mp.erfc(-1j * z)


EXACT: dict[Any, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    special.wofz: (faddeeva, lambda z: 2j / mp.sqrt(mp.pi) - 2 * z * faddeeva(z)),
    special.erf: (mp.erf, lambda z: 2 / mp.sqrt(mp.pi) * mp.exp(-z * z)),
    special.erfc: (mp.erfc, lambda z: -2 / mp.sqrt(mp.pi) * mp.exp(-z * z)),
    special.erfcx: (
        lambda z: faddeeva(1j * z),
        lambda z: 2 * z * faddeeva(1j * z) - 2 / mp.sqrt(mp.pi),
    ),
    special.erfi: (mp.erfi, lambda z: 2 / mp.sqrt(mp.pi) * mp.exp(z * z)),
    special.dawsn: (
        lambda z: mp.sqrt(mp.pi) / 2 * mp.exp(-z * z) * mp.erfi(z),
        lambda z: 1 - 2 * z * mp.sqrt(mp.pi) / 2 * mp.exp(-z * z) * mp.erfi(z),
    ),
    special.ndtr: (lambda z: mp.erfc(-z / mp.sqrt(2)) / 2, lambda z: mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)),
}
"""The function as mpmath knows it, and its derivative, by the ufunc."""

_LENGTHS = (1e-3, 0.99, 1.01, 3.3, 6.1, 12.2)
_ANGLES = (0.0, 1e-8, 1.1, np.pi / 2, 3.0, -2.2, -np.pi / 2, -0.8)

POINTS = np.array([r * np.exp(1j * angle) for r in _LENGTHS for angle in _ANGLES])


@pytest.mark.parametrize("function", EXACT)
def test_values_and_derivatives(function: Any) -> None:
    """To 1e-13 of the modulus, and of what rounding z makes of it."""
    found = ad.jit(lambda z: ad.jvp(function, (z,), (np.ones_like(z),)))(POINTS)
    for k, z in enumerate(POINTS):
        with mp.workdps(40 if abs(z) < 5 else 180):
            point = mp.mpc(z)
            value, slope = (f(point) for f in EXACT[function])
            if not 1e-280 < abs(value) < 1e280:
                continue
            condition = 1 + abs(point * slope / value)
            assert abs(mp.mpc(found[0][k]) - value) < 1e-13 * condition * abs(value), z
            if 1e-280 < abs(slope) < 1e280:
                condition = 1 + 2 * abs(point) ** 2
                assert abs(mp.mpc(found[1][k]) - slope) < 1e-13 * condition * abs(slope), z


def test_second_derivatives_and_gradients() -> None:
    z = np.array([0.3 + 0.2j, -1.5 + 2.0j, 2.0 - 1.0j])
    one = np.ones_like(z)

    def slope(z: Any) -> Any:
        return ad.jvp(special.wofz, (z,), (one,))[1]

    curvature = ad.jit(lambda z: ad.jvp(slope, (z,), (one,))[1])(z)
    w = special.wofz(z)
    np.testing.assert_allclose(curvature, -2 * w - 2 * z * (2j / np.sqrt(np.pi) - 2 * z * w), rtol=1e-12)
    gradient = ad.grad(lambda z: np.sum(special.erf(z).real))(z)
    np.testing.assert_allclose(gradient, 2 / np.sqrt(np.pi) * np.exp(-z * z), rtol=1e-12)


def test_real_numbers_and_narrow_types() -> None:
    x = np.array([-30.0, -1.0, 0.0, 0.4, 5.0])
    np.testing.assert_allclose(ad.jit(special.wofz)(x), special.wofz(x), rtol=1e-14)
    assert ad.jit(special.wofz)(np.float32(0.5)).dtype == np.complex64
    z = POINTS[::7].astype(np.complex64)
    found = ad.jit(special.erf)(z)
    assert found.dtype == np.complex64
    want = special.erf(z.astype(np.complex128))
    known = np.abs(want) < 1e30
    np.testing.assert_allclose(found[known], want[known], rtol=1e-3)


def test_infinite_numbers() -> None:
    z = np.array([complex(0, np.inf), complex(0, -np.inf), complex(np.inf, 1), complex(-np.inf, 1)])
    np.testing.assert_array_equal(ad.jit(special.wofz)(z)[[0, 2, 3]], 0)
    np.testing.assert_array_equal(ad.jit(special.erf)(z)[2:], [1, -1])
    assert np.isnan(ad.jit(special.erf)(np.array([complex(np.nan, 1)]))).all()


@pytest.mark.parametrize("interpret", [True, False])
@pytest.mark.parametrize("case", [(1.0, 0.5), (0.0, 0.5), (1.0, 0.0), (1e-3, 2.0)])
def test_voigt_profile(case: tuple[float, float], interpret: bool) -> None:
    sigma, gamma = case
    x = np.array([-3.0, -0.2, 0.5, 20.0])
    want = special.voigt_profile(x, sigma, gamma)
    np.testing.assert_allclose(ad.jit(special.voigt_profile)(x, sigma, gamma), want, rtol=1e-12)

    def grad(function: Any, argnums: int = 0) -> Any:
        return ad.grad(function, argnums=argnums, interpret=interpret)

    second = grad(grad(special.voigt_profile))(0.5, sigma, gamma)
    if sigma:  # the heat equation
        by_width = grad(special.voigt_profile, 1)(0.5, sigma, gamma)
        np.testing.assert_allclose(by_width, sigma * second, rtol=1e-9)
    else:
        twice = grad(grad(special.voigt_profile, 1), 1)(0.5, sigma, gamma)
        np.testing.assert_allclose(twice, second, rtol=1e-12)
