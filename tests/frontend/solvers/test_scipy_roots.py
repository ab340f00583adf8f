"""Roots of SciPy: SciPy's values, derivatives by what the function reads, errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import mlirad as ad
from mlirad.frontend.solvers.bracketing import METHODS

TIGHT = {"xtol": 1e-15, "rtol": 1e-15}


def cubic(x: Any, a: Any, b: Any) -> Any:
    return x**3 + b * x - a


@pytest.mark.parametrize("name", METHODS)
def test_values_and_derivatives(name: str) -> None:
    find = getattr(optimize, name)
    options = {"xtol": 1e-15} if name == "toms748" else TIGHT

    def by_arguments(a: Any, b: Any) -> Any:
        return find(cubic, 0.0, 3.0, args=(a, b), **options)

    def by_closure(a: Any, b: Any) -> Any:
        return find(lambda x: cubic(x, a, b), 0.0, 3.0, **options)

    x = by_arguments(2.0, 0.5)
    slope = 1 / (3 * x**2 + 0.5)
    for root in (by_arguments, by_closure):
        assert ad.jit(root, interpret=True)(2.0, 0.5) == pytest.approx(x, rel=1e-14)
        by_a, by_b = ad.grad(root, argnums=(0, 1), interpret=True)(2.0, 0.5)
        assert (by_a, by_b) == (pytest.approx(slope, rel=1e-12), pytest.approx(-x * slope, rel=1e-12))
    curved = ad.grad(ad.grad(by_closure), interpret=True)(2.0, 0.5)
    assert curved == pytest.approx(-6 * x * slope**3, rel=1e-11)
    ad.check_derivatives(by_closure, 2.0, 0.5, interpret=True)


@pytest.mark.parametrize("name", METHODS)
def test_iterates_are_those_of_scipy(name: str) -> None:
    """With loose tolerances the last iterate shows the steps that were made, and which root is found."""
    find = getattr(optimize, name)

    def wavy(x: Any) -> Any:
        return np.sin(x) + 0.01 * x

    for tolerance in (1e-1, 1e-3, 1e-12):
        want, report = find(wavy, 2.0, 10.5, xtol=tolerance, full_output=True)
        got = ad.jit(lambda s, t=tolerance: find(lambda x: wavy(x) * s, 2.0, 10.5, xtol=t), interpret=True)(
            1.0
        )
        if name == "toms748":
            assert abs(wavy(got)) < 2 * tolerance
        else:
            assert got == pytest.approx(want, abs=1e-13), report


@pytest.mark.long
def test_ends_that_are_roots() -> None:
    for name in METHODS:
        find = getattr(optimize, name)
        assert ad.jit(lambda a, f=find: f(lambda x: x - a, 1.0, 2.0), interpret=True)(1.0) == 1.0
        assert ad.jit(lambda a, f=find: f(lambda x: x - a, 1.0, 2.0), interpret=True)(2.0) == 2.0


def test_compiled_in_batches_with_traced_brackets() -> None:
    def root(a: Any, b: Any) -> Any:
        return optimize.brentq(lambda x: math.cos(x) - a * x, 0.0, b)

    a, b = np.array([0.5, 1.0, 2.0]), np.array([2.0, 3.0, 1.0])
    got = ad.vmap(root)(a, b)
    np.testing.assert_allclose(got, [root(*pair) for pair in zip(a, b, strict=True)], rtol=1e-12)
    slopes = ad.vmap(ad.grad(root, argnums=(0, 1)))(a, b)
    np.testing.assert_allclose(slopes[0], -got / (np.sin(got) + a), rtol=1e-11)
    np.testing.assert_array_equal(slopes[1], 0.0)


def test_newton_of_numbers_and_arrays() -> None:
    def root(a: Any) -> Any:
        return optimize.newton(lambda x: x**2 - a, 1.0 + 0 * np.asarray(a), tol=1e-14)

    a = np.array([2.0, 3.0, 0.25])
    for x in (2.0, a, a[:1], a[:0]):
        np.testing.assert_allclose(ad.jit(root, interpret=True)(x), np.sqrt(x), rtol=1e-14)
        slope = ad.grad(lambda x: np.sum(root(x)), interpret=True)(x)
        np.testing.assert_allclose(slope, 0.5 / np.sqrt(x), rtol=1e-13)
    curved = ad.grad(ad.grad(root), interpret=True)(2.0)
    assert curved == pytest.approx(-0.25 * 2.0**-1.5, rel=1e-12)


def test_other_callers() -> None:
    def solved(a: Any) -> Any:
        x = optimize.fsolve(lambda x: [x[0] * x[1] - a, x[0] - x[1]], [1.0, 2.0])
        found = optimize.root_scalar(lambda t: t**2 - a, bracket=(0.0, 5.0))
        near = optimize.root_scalar(lambda t: t**2 - a, x0=1.0, method="newton")
        value, report = optimize.brentq(lambda t: t**2 - a, 0.0, 5.0, full_output=True)
        return x[0], found.root, near.root, value, report.iterations

    *roots, steps = ad.jit(solved, interpret=True)(2.0)
    np.testing.assert_allclose(roots, math.sqrt(2.0), rtol=1e-9)
    assert steps == optimize.brentq(lambda t: t**2 - 2.0, 0.0, 5.0, full_output=True)[1].iterations


def test_functions_of_plain_numbers_are_left_to_scipy() -> None:
    seen = []

    def root(x: Any) -> Any:
        found = optimize.brentq(lambda t: t**2 - 2.0, 0.0, 5.0)
        seen.append(type(found))
        return x * found

    assert ad.jit(root, interpret=True)(1.0) == pytest.approx(math.sqrt(2.0))
    assert set(seen) == {float}


def test_what_goes_wrong_when_it_runs() -> None:
    def root(a: Any) -> Any:
        return optimize.brentq(lambda x: x**2 + a, -1.0, 2.0)

    with pytest.raises(ad.ConvergenceError, match=r"f\(a\) = 2.0 and f\(b\) = 5.0 must have different signs"):
        ad.jit(root, interpret=True)(1.0)
    assert ad.jit(root, interpret=True)(-2.0) == pytest.approx(math.sqrt(2.0))
    with pytest.raises(ad.ConvergenceError, match="after 3 steps"):
        ad.jit(lambda a: optimize.bisect(lambda x: x - a, 0.0, 1.0, maxiter=3), interpret=True)(0.3)
    with pytest.raises(ad.ConvergenceError, match="newton does not converge"):
        ad.jit(lambda a: optimize.newton(lambda x: x**2 + a, 1.0), interpret=True)(1.0)
    quiet = ad.jit(
        lambda a: optimize.bisect(lambda x: x - a, 0.0, 1.0, maxiter=3, disp=False), interpret=True
    )
    assert quiet(0.3) == optimize.bisect(lambda x: x - 0.3, 0.0, 1.0, maxiter=3, disp=False)


MISTAKES = [
    (lambda x: optimize.brentq(lambda t: t - x, 0.0, 1.0, xtol=0.0), ad.ArgumentError, "xtol is 0"),
    (lambda x: optimize.brentq(lambda t: t - x, 0.0, 1.0, rtol=0.0), ad.ArgumentError, "rtol is 0"),
    (lambda x: optimize.brentq(lambda t: t - x, 0.0, 1.0, maxiter=0), ad.ArgumentError, "maxiter is 0"),
    (lambda x: optimize.brentq(lambda t: np.ones(2) * x, 0.0, 1.0), ad.ShapeError, "one value for each"),
    (lambda x: optimize.newton(lambda t: t - x, 0.0, tol=0.0), ad.ArgumentError, "tol is 0"),
    (lambda x: optimize.root_scalar(lambda t: t - x, method="brentq"), ad.ArgumentError, "pass bracket"),
]


@pytest.mark.parametrize("case", range(len(MISTAKES)))
def test_mistakes(case: int) -> None:
    function, error, words = MISTAKES[case]
    with pytest.raises(error, match=words):
        ad.jit(function, interpret=True)(0.5)
