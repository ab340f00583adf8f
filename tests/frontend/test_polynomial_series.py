"""Series of `numpy.polynomial` of traced coefficients or arguments: values and derivatives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import (
    Chebyshev,
    Hermite,
    HermiteE,
    Laguerre,
    Legendre,
    Polynomial,
    chebyshev,
    polynomial,
)

import mlirad as ad
from tests.frontend.scipy_checks import check

CLASSES: dict[str, Any] = {
    kind.__name__: kind for kind in (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre)
}
X = np.array([0.7, -1.3, 0.4, 0.9, -0.2, 1.1])
AT = np.array([0.3, -0.8])

CASES: dict[str, Callable[[Any, Any], Any]] = {
    "called": lambda kind, x: kind(x)(AT),
    "called at traced points": lambda kind, x: kind([1.0, -2.0, 0.5])(x) + kind(x[:3])(x),
    "derivatives": lambda kind, x: kind(x).deriv()(AT) + kind(x).deriv(2)(x[0]),
    "integrals": lambda kind, x: kind(x).integ(2, k=[1.0, x[0]], lbnd=0.3)(AT),
    "sums": lambda kind, x: (kind(x) + kind([1, 2.0]) - kind(x[:2]))(AT) + (2.0 - kind(x) + x[1])(AT),
    "products": lambda kind, x: (kind(x[:3]) * kind(x[3:]) * 2 * x[0] / x[1])(AT),
    "powers": lambda kind, x: (kind(x[:3]) ** 3)(AT),
    "quotients": lambda kind, x: (kind(x) // kind([1.0, 2.0, 1.0]))(AT) + (kind(x) % kind(x[1:4]))(AT),
    "domains": lambda kind, x: kind(x, domain=[0, 2]).deriv()(AT) + kind(x, domain=[0, 2]).integ()(AT),
    "converted": lambda kind, x: kind(x, domain=[0, 2]).convert(kind=Polynomial).coef,
    "coefficients": lambda kind, x: (-kind(x)).coef,
    "truncated": lambda kind, x: kind(x).truncate(3)(AT) + kind(x).cutdeg(1)(AT) * kind(x).degree(),
    "fitted": lambda kind, x: kind.fit(np.linspace(-1, 1, 6), x, 2)(AT),
    "of roots": lambda kind, x: kind.fromroots(x[:3])(AT),
    "composed": lambda kind, x: Polynomial(x)(kind([1.0, 0.5]))(AT),
}


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("case", CASES)
def test_series(case: str, kind: str) -> None:
    if case == "composed" and kind != "Polynomial":
        pytest.skip("NumPy mixes no kinds")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.ControlFlowWarning)
        check(lambda x: CASES[case](CLASSES[kind], x), X)


def test_functions_of_the_modules() -> None:
    for function in (
        lambda x: polynomial.polyval(x, [1, 2, 3.0]) + polynomial.polyval(0.3, x),
        lambda x: polynomial.polyval2d(0.3, x[0], x.reshape(2, 3)),
        lambda x: polynomial.polyvander(x, 3),
        lambda x: chebyshev.chebval(x, [1, 2, 3.0, 4]) + chebyshev.chebval(0.3, x),
        lambda x: chebyshev.chebint(chebyshev.chebmul(x, x[:2])),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ad.ControlFlowWarning)
            check(function, X)


def test_known_zeros_at_the_end_are_left_out_and_others_stay() -> None:
    function = ad.jit(
        lambda x: (Polynomial(x) - Polynomial(np.array([0.0, 0.0, 1.0]))).coef, control="rewrite"
    )
    np.testing.assert_allclose(function(np.array([1.0, 2.0])), [1.0, 2.0, -1.0])
    np.testing.assert_allclose(function(np.array([1.0, 2.0, 1.0])), [1.0, 2.0, 0.0])
    with pytest.raises(ad.UnsupportedError, match="how many coefficients `trim` leaves"):
        ad.jit(lambda x: Polynomial(x).trim()(0.5), control="rewrite")(X)
    with pytest.raises(ad.UnsupportedError, match="ZeroDivisionError"):
        ad.jit(lambda x: (Polynomial([1.0, 2.0, 3.0]) // Polynomial(x))(0.5), control="rewrite")(np.zeros(2))


def test_common_type() -> None:
    assert ad.jit(lambda x: x.astype(np.common_type(x, np.zeros(2, np.float32))))(X).dtype == np.float64
    assert ad.jit(lambda x: x + (np.common_type(x + 1j) is np.complex128))(X)[0] == X[0] + 1
    with pytest.raises(ad.ArgumentError, match="non-numeric"):
        ad.jit(lambda x: np.common_type(x > 0))(X)
