"""Integrals of samples of SciPy: SciPy's values, derivatives against differences, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid, simpson, trapezoid

import mlirad as ad
from tests.frontend.scipy_checks import check

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("integral", [trapezoid, simpson, cumulative_trapezoid])
def test_integrals(integral: Callable[..., Any], count: int) -> None:
    y, x = RNG.normal(size=(2, count)), np.cumsum(RNG.uniform(0.5, 1.5, count))
    check(integral, y)
    check(integral, y, x)
    check(lambda y: integral(y.T, dx=0.3, axis=0), y)
    check(lambda y, x: integral(y, x=np.stack([x, 2 * x])), y, x)


def test_points_that_coincide_enclose_nothing() -> None:
    x = np.array([0.0, 1.0, 1.0, 2.0, 3.0, 3.0])
    np.testing.assert_allclose(ad.jit(lambda y: simpson(y, x=x), interpret=True)(x**2), simpson(x**2, x=x))
    assert np.isfinite(ad.grad(lambda x: simpson(x**2, x=x), interpret=True)(x)).all()


def test_integrals_from_the_start() -> None:
    check(lambda y: cumulative_trapezoid(y, initial=0), RNG.normal(size=4))
    check(lambda y: simpson(y), np.arange(5.0))


MISTAKES: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda x: simpson(x, x=np.ones(5)), ad.ShapeError, "one point for each value"),
    (lambda x: simpson(x[:0], axis=0), ad.ShapeError, "there are no values"),
    (lambda x: cumulative_trapezoid(x, initial=1.0), ad.ArgumentError, "must be 0 or None"),
]


@pytest.mark.parametrize("case", range(len(MISTAKES)))
def test_mistakes(case: int) -> None:
    function, error, words = MISTAKES[case]
    with pytest.raises(error, match=words):
        ad.jit(function, interpret=True)(np.ones((2, 2)))
