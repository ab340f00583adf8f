"""`scipy.integrate.quad` of traced functions: exact integrals and derivatives, errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad

import mlirad as ad

INTEGRALS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], float]] = {
    "a parameter": (
        lambda a: quad(lambda t: np.exp(-a * t), 0, 1)[0], lambda a: (1 - mpmath.exp(-a)) / a, 1.5,
    ),
    "arguments": (
        lambda a: quad(lambda t, k, c: c * np.exp(-k * t), 0, 1, args=(a, 2.0))[0],
        lambda a: 2 * (1 - mpmath.exp(-a)) / a, 1.5,
    ),
    "one argument": (lambda a: quad(lambda t, k: k * t, 0, 2, args=a)[0], lambda a: 2 * a, 1.5),
    "limits": (
        lambda b: quad(lambda t: np.exp(-t * b), b, 2 * b)[0],
        lambda b: (mpmath.exp(-b * b) - mpmath.exp(-2 * b * b)) / b, 1.5,
    ),
    "limits the other way": (
        lambda b: quad(lambda t: t * b, 2 * b, b)[0], lambda b: -1.5 * b**3, 1.5,
    ),
    "above": (lambda a: quad(lambda t: np.exp(-t * a), a, np.inf)[0], lambda a: mpmath.exp(-a * a) / a, 1.5),
    "below": (lambda a: quad(lambda t: np.exp(t * a), -np.inf, a)[0], lambda a: mpmath.exp(a * a) / a, 0.5),
    "from infinity": (
        lambda a: quad(lambda t: np.exp(-t * a), np.inf, 1)[0], lambda a: -mpmath.exp(-a) / a, 1.5,
    ),
    "the whole line": (
        lambda a: quad(lambda t: np.exp(-a * t**2), -np.inf, np.inf)[0],
        lambda a: mpmath.sqrt(mpmath.pi / a), 0.7,
    ),
    "a pole": (lambda a: quad(lambda t: t**-a, 0, 1)[0], lambda a: 1 / (1 - a), 0.4),
    "a pole at a traced limit": (
        lambda a: quad(lambda t: t ** (a - 0.5), 0 * a, 1 + a)[0],
        lambda a: (1 + a) ** (a + 0.5) / (a + 0.5), 0.25,
    ),
    "gamma": (
        lambda a: quad(lambda t: t ** (a - 1) * np.exp(-t), 0, np.inf)[0], mpmath.gamma, 0.8,
    ),
    "a kink": (lambda a: quad(lambda t: abs(t - 0.3) * a, 0, 1, points=[0.3])[0], lambda a: 0.29 * a, 1.5),
    "waves": (lambda a: quad(lambda t: math.sin(a * t), 0, 1)[0], lambda a: (1 - mpmath.cos(a)) / a, 100.0),
}  # fmt: skip


@pytest.mark.parametrize("name", INTEGRALS)
def test_integrals_and_their_derivatives(name: str) -> None:
    integral, exact, at = INTEGRALS[name]
    with mpmath.workdps(40):
        want = [float(mpmath.diff(exact, mpmath.mpf(at), n)) for n in range(3)]
    both = ad.value_and_grad(integral, interpret=True)(at)
    assert both == (pytest.approx(want[0], rel=1e-9), pytest.approx(want[1], rel=1e-7))
    curved = ad.jacfwd(ad.grad(integral), interpret=True)(at)
    assert curved == pytest.approx(want[2], rel=1e-6, abs=1e-7)


def test_the_error_is_an_estimate_of_the_error() -> None:
    error = ad.jit(lambda a: quad(lambda t: np.exp(-a * t), 0, 1), interpret=True)(1.5)[1]
    assert error == pytest.approx(quad(lambda t: np.exp(-1.5 * t), 0, 1)[1], rel=0.1)
    coarse = ad.jit(lambda a: quad(lambda t: a / t**0.9, 0, 1, limit=3), interpret=True)(1.0)
    assert abs(coarse[0] - 10.0) < coarse[1]
    none = ad.jit(lambda a: quad(lambda t: a / t, a, a), interpret=True)(1.0)
    assert none == (0.0, 0.0)


def test_an_end_without_a_value_moves_infinitely_fast() -> None:
    slope = ad.grad(lambda a: quad(lambda t: 1 / np.sqrt(t), a, 1)[0], interpret=True)(0.0)
    assert slope == -np.inf
    assert np.isnan(ad.jit(lambda a: quad(lambda t: np.sqrt(t - 2) * a, 0, 1)[0], interpret=True)(1.0))


def test_compiled_in_batches() -> None:
    def integral(a: Any, b: Any) -> Any:
        return quad(lambda t: np.exp(-a * t) if t > 0.5 else a, 0.0, b, points=[0.5])[0]

    a, b = np.array([0.5, 1.0, 2.0]), np.array([2.0, 3.0, 1.0])
    got = ad.vmap(integral)(a, b)
    np.testing.assert_allclose(got, [integral(*pair) for pair in zip(a, b, strict=True)], rtol=1e-9)
    slopes = ad.vmap(ad.grad(integral, argnums=1))(a, b)
    np.testing.assert_allclose(slopes, np.exp(-a * b), rtol=1e-10)


def test_functions_of_plain_numbers_are_left_to_scipy() -> None:
    seen = []

    def scaled(x: Any) -> Any:
        found = quad(math.sin, 0.0, 1.0, full_output=1)
        seen.append(type(found[0]))
        return x * found[0]

    assert ad.jit(scaled, interpret=True)(1.0) == pytest.approx(1 - math.cos(1.0))
    assert set(seen) == {float}


MISTAKES = [
    (lambda x: quad(lambda t: t * np.ones(2) * x, 0.0, 1.0), ad.ShapeError, "an integrand is a number"),
    (lambda x: quad(lambda t: t * x, 0.0, 1.0, limit=0), ad.ArgumentError, "limit is 0"),
    (lambda x: quad(lambda t: t * x, 0.0, np.inf, points=[1.0]), ad.ArgumentError, "between infinite limits"),
    (
        lambda x: quad(lambda t: t * x, 0.0, 1.0, weight="cos"),
        ad.UnsupportedError,
        "without `weight`",
    ),
    (lambda x: quad(lambda t: t * x, 0.0, 1.0, full_output=1), ad.UnsupportedError, "without `full_output`"),
]


@pytest.mark.parametrize("case", range(len(MISTAKES)))
def test_mistakes(case: int) -> None:
    function, error, words = MISTAKES[case]
    with pytest.raises(error, match=words):
        ad.jit(function, interpret=True)(0.5)
