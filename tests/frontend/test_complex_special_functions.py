"""Functions of complex numbers that SciPy computes: values and derivatives of order 2 against mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import special

import mlirad as ad
from mlirad.dialects.array.special_functions import FUNCTIONS_OF_COMPLEX
from mlirad.dialects.array.special_values import complex_values
from mlirad.errors import ArgumentError, DifferentiationError, UnsupportedError
from tests.dialects.test_special_domains import (
    ENDS,
    MIDDLE,
    all_points,
    drawn_points,
    first_that_does_not_end,
)
from tests.rules.test_special_derivatives import OF_COMPLEX

POINTS = np.array([1e-3 + 1e-4j, -0.6 + 0.1j, 1.0 + 1e-9j, -3.7 + 0.2j, 12.0 - 5.0j, 0.1 + 6.0j])

SLOW = ("hyp2f1", "spence", "airy_ai", "airy_aip", "airy_bi", "airy_bip")
"""Functions whose derivatives mpmath takes long for: they are compared at few points."""


def function_of(name: str) -> Callable[..., Any]:
    """The function of SciPy that has these parts."""
    ufunc, names = next((u, n) for u, (_, n) in FUNCTIONS_OF_COMPLEX.items() if f"complex_{name}" in n)
    called, place = getattr(special, ufunc), names.index(f"complex_{name}")
    return called if len(names) == 1 else lambda *x: called(*x)[place]


CASES = sorted(
    {name.removeprefix("complex_") for _, names in FUNCTIONS_OF_COMPLEX.values() for name in names}
)


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_values_and_derivatives(case: str, interpret: bool) -> None:
    """To 1e-13 of the modulus, and of what rounding z makes of it."""
    exact, orders = OF_COMPLEX[case]
    function = function_of(case)
    points = POINTS[:3] * 0.5 if case in SLOW else POINTS

    def along(z: Any, order: int) -> Any:
        if not order:
            return function(*orders, z)
        return ad.jvp(lambda z: along(z, order - 1), (z,), (np.ones_like(z),))[1]

    found = ad.jit(lambda z: [along(z, order) for order in range(3)], interpret=interpret)(points)
    for k, z in enumerate(points):
        with mp.workdps(60 if z.real < 10 else 110):
            want = [
                mp.diff(lambda z: exact(*orders, z), mp.mpc(z), order, h=mp.mpf(10) ** -18)
                for order in range(4)
            ]
            for order in range(3):
                if 1e-250 < abs(want[order]) < 1e250:
                    condition = 1 + abs(z * want[order + 1] / want[order])
                    error = abs(mp.mpc(found[order][k]) - want[order]) / abs(want[order])
                    assert error < 1e-13 * condition, (order, z)


def test_derivatives_beside_poles_and_far_to_the_left() -> None:
    """At a pole of gamma 1 / gamma has a derivative, and no digits are lost beside it."""
    z = np.array([-3.0 + 0j, -3.0 + 1e-12j, -170.25 + 1e-3j, -40.0 - 25.0j, -4.5 + 300.0j])
    found = ad.jit(lambda z: ad.jvp(special.rgamma, (z,), (np.ones_like(z),))[1])(z)
    slopes = ad.jit(lambda z: ad.jvp(special.psi, (z,), (np.ones_like(z),))[1])(z[1:])
    with mp.workdps(50):
        assert abs(found[0] - (-6.0)) < 1e-14
        for k, point in enumerate(map(mp.mpc, z[1:])):
            want = -mp.rgamma(point) * mp.psi(0, point)
            assert abs(mp.mpc(found[k + 1]) - want) < 1e-13 * abs(want) * (1 + abs(point))
            want = mp.psi(1, point)
            assert abs(mp.mpc(slopes[k]) - want) < 1e-13 * abs(want) * (1 + abs(point))


def test_gradients_and_real_numbers_beside_complex_ones() -> None:
    z = np.array([0.3 + 0.2j, 1.5 + 2.0j])
    gradient = ad.grad(lambda z: np.sum(special.loggamma(z).real))(z)
    np.testing.assert_allclose(gradient, special.psi(z), rtol=1e-13)
    v = np.array([0.5, 2.0])[:, None]
    np.testing.assert_allclose(ad.jit(special.jv)(v, z), special.jv(v, z), rtol=1e-14)
    np.testing.assert_allclose(ad.jit(lambda v: special.kv(v, z))(v), special.kv(v, z), rtol=1e-14)
    with pytest.raises(DifferentiationError, match="no derivative in v"):
        ad.grad(lambda v: special.jv(v, 1.0 + 1.0j).real)(0.5)
    with pytest.raises(ArgumentError, match="`v` must be real"):
        ad.jit(special.jv)(z, z)


@pytest.mark.parametrize("case", FUNCTIONS_OF_COMPLEX)
def test_narrow_types(case: str) -> None:
    orders = (np.float32(0.5),) * len(FUNCTIONS_OF_COMPLEX[case][0])
    function = getattr(special, case)
    z = POINTS[1:].astype(np.complex64)
    found, want = ad.jit(lambda z: function(*orders, z))(z), function(*orders, z)
    for one, other in zip(np.atleast_2d(found), np.atleast_2d(want), strict=True):
        assert one.dtype == np.complex64
        np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize("case", FUNCTIONS_OF_COMPLEX)
def test_calls_end(case: str) -> None:
    """Also at infinity and for orders beyond all measure."""
    arity = len(FUNCTIONS_OF_COMPLEX[case][0]) + 2
    points = (all_points(2, ENDS + MIDDLE) if arity == 2 else []) + drawn_points(arity, 300, 5)

    def call(*operands: float) -> None:
        complex_values(case, *map(np.float64, operands))

    assert first_that_does_not_end(call, points) is None


@pytest.mark.parametrize("case", [special.elliprc, special.xlogy, special.eval_legendre])
def test_other_functions_of_complex_numbers_are_refused(case: Any) -> None:
    with pytest.raises(UnsupportedError, match="of complex arrays cannot be traced"):
        ad.jit(case)(1.0, 1.0 + 1.0j)
