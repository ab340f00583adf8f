"""Interpolation at its own points and beside them: derivatives are SciPy's, or limits from one side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import interpolate

import mlirad as ad
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.objects import METHODS
from tests.generators.knots import random_knots

Floats = npt.NDArray[np.float64]

X = np.array([0.0, 0.5, 1.25, 2.0, 4.0, 4.5])
Y = np.array([1.0, 3.0, 2.0, 2.0, 5.0, 4.0])
STRAIGHT = 2.0 * X - 1.0

SPLINES: dict[str, Callable[[Any], Any]] = {
    "CubicSpline": lambda y: interpolate.CubicSpline(X, y),
    "CubicSpline, natural": lambda y: interpolate.CubicSpline(X, y, bc_type="natural"),
    "PchipInterpolator": lambda y: interpolate.PchipInterpolator(X, y),
    "Akima1DInterpolator": lambda y: interpolate.Akima1DInterpolator(X, y),
    "CubicHermiteSpline": lambda y: interpolate.CubicHermiteSpline(X, y, np.cos(X)),
    "PPoly": lambda y: interpolate.PPoly(np.stack([y[1:], -y[:-1], y[1:] * y[:-1]]), X),
    "BSpline": lambda y: interpolate.make_interp_spline(X, y, 3),
    "BSpline, quadratic": lambda y: interpolate.make_interp_spline(X, y, 2),
    "BSpline, quintic": lambda y: interpolate.make_interp_spline(X, y, 5),
}
"""Those whose derivatives SciPy knows, by class: at points these are those of the piece on the right."""

LINES: dict[str, Callable[[Any, Any], Any]] = {
    "np.interp": lambda t, y: np.interp(t, X, y),
    "interp1d": lambda t, y: interpolate.interp1d(X, y)(t),
    "RegularGridInterpolator": lambda t, y: interpolate.RegularGridInterpolator((X,), y)(t[None])[0],
}
"""Those that are linear between points."""


def beside(distances: tuple[float, ...], *, ends: bool) -> Floats:
    """The points, and what lies beside them on both sides, between the first and the last."""
    near = np.concatenate([X, *(X + s * d for d in distances for s in (-1, 1))])
    return near[(near >= X[0]) & (near <= X[-1])] if ends else near[(near > X[0]) & (near < X[-1])]


def test_every_class_is_here() -> None:
    named = {name.partition(",")[0] for name in (*SPLINES, *LINES)}
    assert named == {*METHODS, "np.interp"}


@pytest.mark.parametrize("name", SPLINES)
def test_derivatives_at_points_are_those_of_scipy(name: str) -> None:
    """At points, and 1e-9 and 1e-7 beside them, of an object that is given, and of one of traced values."""
    made = SPLINES[name]
    own = made(Y)
    at = beside((1e-9, 1e-7), ends=True)
    captured = lambda t: own(t)  # noqa: E731
    slopes = ad.vmap(ad.grad(captured))(at)
    bends = ad.vmap(ad.grad(ad.grad(captured)))(at)
    first, second = own.derivative(1)(at), own.derivative(1).derivative(1)(at)
    np.testing.assert_allclose(slopes, first, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(bends, second, rtol=1e-9, atol=1e-9)
    if name.startswith("Akima"):  # only objects of these can be traced
        return
    traced = ad.vmap(ad.hessian(lambda v: made(v[1:])(v[0])))(np.column_stack([at, np.tile(Y, (at.size, 1))]))
    np.testing.assert_allclose(traced[:, 0, 0], second, rtol=1e-8, atol=1e-8)


LINEAR_IN_VALUES = (
    "CubicSpline",
    "CubicSpline, natural",
    "BSpline",
    "BSpline, quadratic",
    "BSpline, quintic",
)


@pytest.mark.parametrize("name", LINEAR_IN_VALUES)
def test_derivatives_by_values_at_points(name: str) -> None:
    """The value at a point is the one that is given; how the slope there depends on them SciPy says."""
    made = SPLINES[name]
    both = ad.jacobian(ad.value_and_grad(lambda t, y: made(y)(t)), argnums=1)
    units = [made(unit) for unit in np.eye(X.size)]
    for k, at in enumerate(X):
        by_value, by_slope = both(at, Y)
        np.testing.assert_allclose(by_value, np.eye(X.size)[k], atol=1e-12)
        np.testing.assert_allclose(by_slope, [u.derivative()(at) for u in units], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", LINES)
def test_lines_at_points_have_the_slope_of_one_side(name: str) -> None:
    line = LINES[name]
    at = beside((1e-9, 1e-7), ends=True)
    slopes = ad.vmap(ad.grad(lambda t: line(t, Y)))(at)
    chords = np.diff(Y) / np.diff(X)
    last = chords.size - 1
    left, right = (np.clip(np.searchsorted(X, at, side) - 1, 0, last) for side in ("left", "right"))
    nearest = np.minimum(np.abs(slopes - chords[left]), np.abs(slopes - chords[right]))
    np.testing.assert_allclose(nearest, 0.0, atol=1e-9)
    np.testing.assert_allclose(ad.vmap(ad.grad(lambda t: line(t, STRAIGHT)))(at), 2.0, rtol=1e-12)


@pytest.mark.parametrize("name", LINES)
def test_lines_by_values_and_places_at_points(name: str) -> None:
    """The value at a point is the one that is given there, and the slope is that of a chord."""
    line = LINES[name]
    hessian = ad.hessian(lambda v: line(v[0], v[1:]))
    for k, at in enumerate(X):
        by_value = ad.grad(lambda y, at=at: line(at, y))(Y)
        np.testing.assert_allclose(by_value, np.eye(X.size)[k], atol=1e-12)
        found = hessian(np.concatenate([[at], STRAIGHT]))
        assert found[0, 0] == 0
        np.testing.assert_array_equal(found[1:, 1:], 0)
        chords = [
            (np.eye(X.size)[j + 1] - np.eye(X.size)[j]) / (X[j + 1] - X[j]) for j in (k - 1, k) if 0 <= j < 5
        ]
        assert min(np.max(np.abs(found[0, 1:] - chord)) for chord in chords) < 1e-12


def test_a_point_that_moves() -> None:
    """np.interp by the places of points, at one of them: where all lie on a line, it moves along it."""
    at = X[2]
    found = ad.grad(lambda x: np.interp(at, x, STRAIGHT))(X)
    np.testing.assert_allclose(found, [0, 0, -2, 0, 0, 0], atol=1e-12)


def test_values_of_interp_with_infinities_are_those_of_numpy() -> None:
    x = np.array([0.0, 1.0, 2.0, 3.0])
    at = np.array([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, np.nan])
    for values in np.array(np.meshgrid(*[[0.0, 2.0, np.inf, -np.inf, np.nan]] * 4)).reshape(4, -1).T:
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(interpolated(at, x, values), np.interp(at, x, values))
    np.testing.assert_array_equal(interpolated(at, x[:1], x[:1] + 5), np.interp(at, x[:1], x[:1] + 5))


interpolated = ad.jit(np.interp)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_at_points(seed: int) -> None:
    case = random_knots(seed)
    value, slope = ad.vmap(ad.value_and_grad(case.function))(case.points)
    second = (ad.hessian, lambda f: ad.jacrev(ad.grad(f)))[seed % 2]
    hessian = ad.vmap(second(case.function))(case.points)
    for k, x in enumerate(case.points):
        for found, expected in zip((value[k], slope[k], hessian[k]), case.expected(x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8, err_msg=f"{case.names} {x}")
