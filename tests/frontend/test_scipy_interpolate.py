"""`scipy.interpolate` on traced values: SciPy's figures inside and outside of the points, and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import interpolate

import mlirad as ad
from mlirad.errors import (
    ArgumentError,
    MliradError,
    PositionError,
    ShapeError,
    TracingError,
    UnsupportedError,
)

RNG = np.random.default_rng(0)
X = np.cumsum(RNG.uniform(0.2, 1.0, 8))
Y = RNG.normal(size=(8, 2))
AT = np.concatenate([X, np.linspace(X[0] - 1.0, X[-1] + 1.0, 9), [np.nan]])
KNOTS = interpolate.make_interp_spline(X, Y, 3).t
FIT_KNOTS = np.concatenate([[X[0]] * 4, [X[3] + 0.1], [X[-1]] * 4])
CONDITIONS: list[Any] = [
    "not-a-knot",
    "natural",
    "clamped",
    "periodic",
    ((1, np.ones(2)), (2, np.full(2, 0.3))),
    ("not-a-knot", "natural"),
]
GRID = (np.array([0.0, 0.7, 1.0, 2.5]), np.array([1.0, 2.0, 4.0]))
PLANE = RNG.normal(size=(4, 3))
PLACES = RNG.uniform(-0.5, 4.5, (3, 5, 2))
PLACES[0, 0, 0] = np.nan

Computation = Callable[..., list[Any]]


def compare(compute: Computation, *operands: Any, tolerance: float = 1e-9, interpret: bool = True) -> None:
    """Results in a trace and of SciPy: shapes, dtypes, values and NaN."""
    found = ad.jit(compute, interpret=interpret)(*operands)
    for k, (got, want) in enumerate(zip(found, compute(*operands), strict=True)):
        assert (got.shape, got.dtype) == (want.shape, want.dtype), k
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance, err_msg=str(k))


def cubic_splines(count: int, conditions: list[Any], orders: tuple[int, ...]) -> Computation:
    """Derivatives of these orders of splines through `count` points, for these conditions at the ends."""

    def compute(x: Any, y: Any, at: Any) -> list[Any]:
        ring = np.concatenate([y[: count - 1], y[:1]])
        splines = [interpolate.CubicSpline(x[:count], ring, bc_type=c) for c in conditions]
        return [spline(at, nu) for spline in splines for nu in orders]

    return compute


def test_cubic_splines():
    compare(cubic_splines(8, ["periodic"], (0, 4)), X, Y, AT)
    compare(cubic_splines(4, CONDITIONS[-2:], (0,)), X, Y, AT)
    compare(cubic_splines(3, ["not-a-knot"], (0,)), X, Y, AT)


@pytest.mark.fuzz
@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("count", [2, 3, 4, 8])
def test_all_cubic_splines(count, interpret):
    compare(cubic_splines(count, CONDITIONS, (0, 1, 2, 3, 4)), X, Y, AT, interpret=interpret)


def test_what_is_made_of_splines():
    def compute(y: Any, at: Any) -> list[Any]:
        spline = interpolate.CubicSpline(X, y, extrapolate=False)
        curve = interpolate.make_interp_spline(X, y, 3)
        found = [s.derivative()(at) for s in (spline, curve)]
        found += [s.antiderivative(2)(at) for s in (spline, curve)]
        found += [s.integrate(X[1], at[1]) for s in (spline, curve)]
        found += [s.integrate(X[0] - 1.0, at[1]) for s in (spline, curve)]
        found += [interpolate.CubicSpline(X, y.T, axis=1)(at[:, None])]
        found += [interpolate.PchipInterpolator(X, y[:, :, None] * np.ones(3), axis=0)(at[0])]
        return [*found, interpolate.CubicHermiteSpline(X, y, np.cos(y))(at), spline.c, spline.x + at[0]]

    compare(compute, Y, AT)


def test_objects_of_plain_arrays_at_traced_points():
    splines: list[Any] = [
        interpolate.CubicSpline(X, Y),
        interpolate.make_interp_spline(X, Y, 2),
        interpolate.Akima1DInterpolator(X, Y).derivative(),
    ]

    def compute(at: Any) -> list[Any]:
        return [s(at, extrapolate=e) for s in splines for e in (True, False, "periodic")]

    compare(compute, AT)


def test_derivatives_of_all_degrees_of_b_splines():
    for degree in (0, 1, 2, 3):

        def compute(y: Any, at: Any, k: int = degree) -> list[Any]:
            made = interpolate.make_interp_spline(X, y, k)
            return [made(at, nu) for nu in {0, 1, k, k + 1}]

        compare(compute, Y, AT, tolerance=1e-8)


def test_b_splines():
    def compute(t: Any, c: Any, at: Any) -> list[Any]:
        own = interpolate.BSpline(t, c, 3)
        tck = (t, np.concatenate([c[:, 0], np.zeros(4)]), 3)
        found = [own(at), own(at, 1), interpolate.BSpline(t, c.T, 3, axis=1)(at[:3]), own.t + c[0, 0], own.c]
        found += [interpolate.splev(at[:-1], tck, der, ext) for der in (0, 1) for ext in (0, 1)]
        found += [interpolate.splev(at[:-1], tck, 0, 3)]
        return [*found, interpolate.splev(at[:-1], (t, [c[:, 0], c[:, 1]], 3))[1]]

    compare(compute, KNOTS, Y, AT)

    def made(y: Any, at: Any) -> list[Any]:
        ends: list[Any] = ["natural", "clamped", "not-a-knot", ([(1, [1.0, 2.0])], [(2, [0.3, 0.4])])]
        found = [interpolate.make_interp_spline(X, y, 3, bc_type=one)(at) for one in ends]
        found += [interpolate.make_lsq_spline(X, y, FIT_KNOTS, 3, w=X)(at)]
        ring = np.concatenate([y[:-1], y[:1]])
        return [*found, interpolate.make_interp_spline(X, ring, 3, bc_type="periodic")(at)]

    compare(made, Y, AT)


KINDS: list[Any] = [
    "linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic", 3,
]  # fmt: skip


def lines(kinds: list[Any], fills: tuple[Any, ...]) -> Computation:
    """Lines of these kinds of traced points and values, and of plain ones."""
    shuffled = np.random.default_rng(1).permutation(8)

    def compute(x: Any, y: Any, at: Any) -> list[Any]:
        found: list[Any] = []
        for kind in kinds:
            for fill in fills:
                given = {"kind": kind, "bounds_error": False, "fill_value": fill, "axis": 0}
                plain = interpolate.interp1d(X, Y, **given)
                found += [plain(at), interpolate.interp1d(X, y, **given)(at)]
                if kind in KINDS[:5]:
                    found.append(interpolate.interp1d(x[shuffled], y[shuffled], **given)(at))
        return found

    return compute


def test_interp1d():
    compare(lines(["linear", "quadratic"], (np.nan,)), X, Y, AT)
    compare(lines(["nearest-up", "previous"], ("extrapolate",)), X, Y, AT)
    compare(lines(["next", "cubic"], ((1.0, 2.0),)), X, Y, AT)


@pytest.mark.fuzz
@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_of_interp1d(kind, interpret):
    compare(lines([kind], (np.nan, (1.0, 2.0), 0.5, "extrapolate")), X, Y, AT, interpret=interpret)


def test_grids():
    falling = (GRID[0], GRID[1][::-1])
    own = [interpolate.RegularGridInterpolator(falling, PLANE, m, False, None) for m in ("linear", "nearest")]

    def compute(x: Any, z: Any, at: Any) -> list[Any]:
        found: list[Any] = [interpolant(at) for interpolant in own]
        for method, fill in (("linear", None), ("nearest", np.nan), ("linear", 1.5)):
            given = (method, False, fill)
            found.append(interpolate.RegularGridInterpolator((x, GRID[1]), z, *given)(at))
            several = z[..., None] * np.ones(2)
            found.append(interpolate.RegularGridInterpolator(falling, several, *given)(at))
            found.append(interpolate.interpn(GRID, z, (at[..., 0], 2.0), *given))
        flat = interpolate.RegularGridInterpolator((x,), z[:, 0], bounds_error=False)
        return [*found, flat(at[0, :, 0]), own[0](at[0, 0]), own[0](np.array([0.1, 1.2, 0.3, 3.0]) + z[0, 0])]

    compare(compute, GRID[0], PLANE, PLACES)


def test_nothing_to_interpolate():
    compare(lambda y, at: [interpolate.PchipInterpolator(X, y)(at)], Y, np.zeros((0, 3)))
    compare(lambda y, at: [interpolate.PchipInterpolator(X, y)(at)], np.zeros((8, 0)), AT)
    compare(lambda y, at: [interpolate.make_interp_spline(X, y)(at)], Y, np.zeros(0))
    compare(lambda z, at: [interpolate.interpn(GRID, z, at)], PLANE, np.zeros((0, 2)))


INSIDE = np.array([X[0] - 0.3, X[1] + 0.1, X[5] + 0.05, X[-1] + 0.2])


def splines(x: Any, y: Any, at: Any) -> list[Any]:
    """A cubic spline and a B-spline: differentiable in points, values, and where they are called."""
    knots = np.concatenate([np.full(3, x[0]), x, np.full(3, x[-1])])
    curve = interpolate.BSpline(knots, np.concatenate([y, y[:2]]), 3)
    return [interpolate.CubicSpline(x, y)(at), curve(at)]


def other_interpolants(x: Any, y: Any, at: Any) -> list[Any]:
    """All others that are."""
    ring = interpolate.CubicSpline(x, np.concatenate([y[:-1], y[:1]]), bc_type="periodic")
    natural = interpolate.CubicSpline(x, y, bc_type="natural")
    made = interpolate.make_interp_spline(X, y)
    hermite = interpolate.CubicHermiteSpline(x, y, np.sin(y))
    monotone = interpolate.PchipInterpolator(x, np.cumsum(y**2, axis=0))
    line = interpolate.interp1d(x, y, axis=0, fill_value="extrapolate")
    grid = interpolate.RegularGridInterpolator((x,), y, bounds_error=False, fill_value=None)
    found = [f(at) for f in (ring, natural, made, hermite, monotone, line)]
    return [*found, made(at, 1), grid(at[:, None]), natural.integrate(x[1], at[2])]


def test_derivatives_by_points_values_and_places():
    ad.check_derivatives(splines, X, Y[:, 0], INSIDE, step=1e-3, interpret=True)


@pytest.mark.fuzz
@pytest.mark.parametrize("interpolants", [splines, other_interpolants])
def test_second_derivatives(interpolants):
    def first(*operands: Any) -> Any:
        def total(*operands: Any) -> Any:
            return sum(np.sum(np.sin(part)) for part in interpolants(*operands))

        return ad.grad(total, (0, 1, 2))(*operands)

    ad.check_derivatives(interpolants, X, Y, INSIDE, step=1e-3)
    ad.check_derivatives(first, X, Y, INSIDE, step=1e-3, tolerance=1e-7)


def test_derivatives_beside_the_points_are_zero_or_those_of_the_outer_pieces():
    spline = interpolate.CubicSpline(X, Y[:, 0])

    def total(at: Any) -> Any:
        outer = spline(at)
        return np.sum(outer + np.where(np.isnan(outer), 0.0, spline(at, extrapolate=False)))

    at = np.array([X[2] + 0.1, X[-1] + 1.0])
    found = ad.grad(total, interpret=True)(at)
    np.testing.assert_allclose(found, spline(at, 1) * [2.0, 1.0])


def test_batches():
    many = RNG.normal(size=(3, 8, 2))
    found = ad.vmap(lambda y: interpolate.CubicSpline(X, y)(INSIDE), interpret=True)(many)
    np.testing.assert_allclose(found, [interpolate.CubicSpline(X, y)(INSIDE) for y in many], rtol=1e-10)


SPLINE = interpolate.CubicSpline(X, Y[:, 0])


def test_another_spline_under_the_same_name_is_seen():
    global SPLINE
    slope = ad.grad(lambda at: SPLINE(at), interpret=True)
    assert slope(1.0) == pytest.approx(SPLINE(1.0, 1))
    SPLINE = interpolate.CubicSpline(X, Y[:, 1])
    assert slope(1.0) == pytest.approx(SPLINE(1.0, 1))
    SPLINE.c = 2.0 * SPLINE.c
    assert slope(1.0) == pytest.approx(SPLINE(1.0, 1))


def test_traced_objects_are_of_scipys_classes():
    def function(y: Any) -> Any:
        spline = interpolate.CubicSpline(X, y)
        assert isinstance(spline, interpolate.CubicSpline)
        assert isinstance(spline.derivative(), interpolate.PPoly)
        assert (spline.axis, spline.extrapolate) == (0, True)
        return spline(0.5)

    ad.jit(function, interpret=True)(Y)


WAVE = interpolate.CubicSpline(X, np.exp(1j * X))

MISTAKES: list[tuple[Callable[[Any], Any], type[MliradError], str]] = [
    (lambda y: interpolate.interp1d(X, y[:, 0])(99.0), PositionError, "above the interpolation range"),
    (lambda y: interpolate.interp1d(X, y[:, 0])(y[0, 0] - 99), PositionError, "below the interpolation"),
    (lambda y: interpolate.interpn(GRID, y[:4, :1] * np.ones(3), y), PositionError, "dimension 0"),
    (lambda y: interpolate.splev(y, (KNOTS, Y[:, 0], 3), ext=2), PositionError, "outside of the knots"),
    (lambda y: interpolate.splev(y, (KNOTS, Y[:, 0], 3), 4), ArgumentError, "derivative 4"),
    (lambda y: interpolate.splev(y, (KNOTS, Y)), ArgumentError, "`tck` has knots"),
    (lambda y: interpolate.Akima1DInterpolator(X, y), TracingError, "SciPy's Akima1DInterpolator decides by"),
    (lambda y: WAVE(y), UnsupportedError, "complex numbers"),
    (lambda y: interpolate.CubicSpline(X, y).roots(), UnsupportedError, "CubicSpline of traced values"),
    (lambda y: interpolate.CubicSpline(X, y[:3]), ShapeError, "(8,) for 3 values along axis 0"),
    (lambda y: interpolate.CubicSpline(X, y, axis=2), ShapeError, "axis 2"),
    (lambda y: interpolate.CubicSpline(X[::-1], y), ArgumentError, "do not increase"),
    (lambda y: interpolate.CubicSpline(X, y, bc_type="none"), ArgumentError, "boundary condition 'none'"),
    (lambda y: interpolate.CubicSpline(X, y, bc_type=("periodic", "natural")), ArgumentError, "one end"),
    (lambda y: interpolate.CubicSpline(X, y, bc_type=((1, 0.0), (1, 0.0))), ShapeError, "derivative of"),
    (lambda y: interpolate.CubicSpline(X, y)(0.5, -1), ArgumentError, "order of the derivative is -1"),
    (lambda y: interpolate.CubicSpline(X, y, extrapolate="periodic").integrate(0, 1), UnsupportedError, ""),
    (lambda y: interpolate.CubicHermiteSpline(X, y, y[:3]), ShapeError, "differ in shape"),
    (lambda y: interpolate.PPoly(y, X), ShapeError, "PPoly"),
    (lambda y: interpolate.BSpline(KNOTS, y[:3], 3), ShapeError, "BSpline of degree 3: 3 coefficients"),
    (lambda y: interpolate.make_interp_spline(y[:, 0], y), UnsupportedError, "points"),
    (lambda y: interpolate.make_interp_spline(X, y, 12), ArgumentError, "SciPy's words"),
    (lambda y: interpolate.make_lsq_spline(X, y, X), ArgumentError, "SciPy's words"),
    (lambda y: interpolate.interp1d(X, y, "best", axis=0), ArgumentError, "no kind 'best'"),
    (lambda y: interpolate.interp1d(X, y, axis=0, bounds_error=True, fill_value="extrapolate"),
     ArgumentError, "outside raise an error"),
    (lambda y: interpolate.RegularGridInterpolator(GRID, y[:4, :1] * np.ones(3), "cubic"),
     ArgumentError, "method='cubic'"),
    (lambda y: interpolate.RegularGridInterpolator(GRID, y), ShapeError, "grid points of shapes"),
    (lambda y: interpolate.RegularGridInterpolator(X, y), ArgumentError, "tuple of vectors"),
    (lambda y: interpolate.RegularGridInterpolator((X[[0, 2, 1]],), y[:3]), ArgumentError, "in no order"),
    (lambda y: interpolate.RegularGridInterpolator((X,), y)(np.ones((2, 3))), ShapeError, "1 dimensions"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes(number):
    function, error, message = MISTAKES[number]
    with pytest.raises(error) as caught:
        ad.jit(function, interpret=True)(Y)
    assert message in str(caught.value)
    assert "test_scipy_interpolate.py" in str(caught.value)
