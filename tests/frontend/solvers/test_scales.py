"""Factors of the function and constants added to it move no solution, of any magnitude, by any solver."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad

RNG = np.random.default_rng(5)
POINTS = RNG.normal(size=(30, 3))
LABELS = (RNG.random(30) > 0.5).astype(float)
TURN = np.linalg.qr(RNG.normal(size=(4, 4)))[0]

SCALES = {np.float64: (1e-250, 1e-30, 3.0, 1e30, 1e250), np.float32: (1e-25, 1e-6, 3.0, 1e6, 1e25)}
OFFSETS = (-1e12, 1e3, 1e8, 1e15)


def logistic(w, scale, offset):
    z = POINTS.astype(w.dtype) @ w
    loss = np.sum(np.logaddexp(z, 0) - LABELS.astype(w.dtype) * z) + w.dtype.type(0.01) * w @ w
    return scale * loss + offset


def stretched(x, scale, offset):
    u = TURN.astype(x.dtype) @ x - np.arange(1, 5, dtype=x.dtype)
    return scale * np.sum(np.array([1.0, 10.0, 100.0, 1000.0], x.dtype) * u * u) + offset


def valley(x, scale, offset):
    return scale * np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2) + offset


FUNCTIONS = {
    "logistic": (logistic, np.zeros(3)),
    "stretched": (stretched, np.zeros(4)),
    "valley": (valley, np.array([-1.2, 1.0])),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("method", ["lbfgs", "newton"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_minimum_stays_where_it_is(name, method, dtype):
    f, start = FUNCTIONS[name]
    start = start.astype(dtype)
    found = ad.minimize(f, start, dtype(1), dtype(0), method=method, full_output=True)
    assert found.converged
    tolerance = 2e-8 if dtype is np.float64 else 1e-3
    for scale, offset in [(s, 0.0) for s in SCALES[dtype]] + [(1.0, o) for o in OFFSETS]:
        moved = ad.minimize(f, start, dtype(scale), dtype(offset), method=method, full_output=True)
        assert moved.converged, (scale, offset)
        np.testing.assert_allclose(
            moved.x, found.x, rtol=tolerance, atol=tolerance, err_msg=f"{scale} {offset}"
        )


def test_a_start_is_no_minimum_because_the_value_is_large():
    f = lambda x: np.sum((x - 3) ** 2) + np.float32(5e6)  # noqa: E731
    np.testing.assert_allclose(ad.minimize(f, np.ones(2, np.float32)), 3.0, rtol=1e-6)


@pytest.mark.parametrize("method", ["lbfgs", "newton"])
def test_a_start_that_is_the_minimum_up_to_rounding_is_accepted(method):
    for start in (0.1 + 0.2, 0.3, np.nextafter(0.3, 1)):
        found = ad.minimize(lambda x: np.sum((x - 0.1 * 3) ** 2), np.full(2, start), method=method)
        np.testing.assert_allclose(found, 0.3, rtol=1e-15)
    found = ad.minimize(lambda x: np.sum(np.cosh(x) - 1e-17 * x), np.zeros(2), method=method)
    np.testing.assert_allclose(found, 0.0, atol=1e-15)


@pytest.mark.parametrize("unit", [1e-200, 1e-12, 1.0, 1e200])
def test_a_root_is_as_accurate_in_any_unit(unit):
    """In units of the values, and of x."""
    f = lambda x, scale: scale * (np.exp(x) - np.array([2.0, 0.5]) + 0.1 * x[::-1])  # noqa: E731
    expected = ad.root(f, np.zeros(2), 1.0)
    np.testing.assert_allclose(ad.root(f, np.zeros(2), unit), expected, rtol=1e-12)
    cubic = lambda x, unit: (x / unit) ** 3 + x / unit - 2.0  # noqa: E731
    assert ad.root(cubic, 0.5 * unit, unit) / unit == pytest.approx(1.0, rel=1e-12)
    assert ad.root(cubic, 0.0, unit) / unit == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("method", ["anderson", "plain"])
@pytest.mark.parametrize("unit", [1e-200, 1e-12, 1.0, 1e12, 1e200])
def test_a_fixed_point_is_as_accurate_in_any_unit(method, unit):
    f = lambda x, unit: unit * np.cos(x / unit)  # noqa: E731
    for start in (0.0, 0.5 * unit):
        found = ad.fixed_point(f, start, unit, method=method) / unit
        assert found == pytest.approx(np.cos(found), rel=1e-9)


@pytest.mark.parametrize("method", ["anderson", "plain"])
def test_a_fixed_point_of_rounding_alone_is_accepted(method):
    found = ad.fixed_point(lambda x: (x + 1.0) - 1.0 + 1e-16 * np.cos(1e18 * x), 0.0, method=method)
    assert abs(found) < 1e-13


@pytest.mark.parametrize("method", ["cg", "gmres", "lsmr"])
def test_linear_systems_in_any_unit(method):
    b = RNG.normal(size=5)
    half = RNG.normal(size=(5, 5))
    a = half @ half.T + np.eye(5)
    expected = np.linalg.solve(a, b)
    for matrix, right in [(1.0, 1e-200), (1.0, 1e200), (1e-150, 1.0), (1e150, 1.0), (1e-200, 1e-50)]:
        found = ad.linear_solve(matrix * a, right * b, method=method)
        np.testing.assert_allclose(found / (right / matrix), expected, rtol=1e-9)
