"""Results of the constructors and functions of `scipy.interpolate` for traced values.

    CubicSpline(x, y, bc_type="natural")        PiecewisePolynomial(x, c)
    make_interp_spline(x, y, k=3)               Spline(t, c, 3)
    interp1d(x, y), RegularGridInterpolator     Line, Grid

Their arguments are read by the annotations here, as those of NumPy's functions are. Results are float64, as
SciPy's are.
"""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import Anything, Axis, Flag, Int, OperandLike
from mlirad.frontend.numpy_functions.scipy_functions.interpolation import b_splines, spline_slopes
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.b_splines import Spline
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.grids import (
    Coordinates,
    Grid,
    Line,
    grid,
    outside_values,
    require_inside,
)
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.piecewise_polynomials import (
    Extrapolate,
    PiecewisePolynomial,
    floats,
    taken,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import argument_error, shape_error, unsupported_error


def _points(name: str, x: Any, y: Any, axis: int, least: int = 2) -> tuple[Any, Any, int]:
    """Points and values along the first axis; raises unless they fit and the points increase."""
    at, values = floats(x), floats(y)
    if not -values.ndim <= axis < values.ndim:
        raise shape_error(f"{name}: axis {axis} of values of shape {values.shape}", "y has an axis of points")
    axis = axis % values.ndim
    values = xp.moveaxis(values, axis, 0)
    if at.shape != values.shape[:1] or at.shape[0] < least:
        raise shape_error(
            f"{name}: points of shape {at.shape} for {values.shape[0]} values along axis {axis}",
            f"x is a vector of {least} points or more, with an entry for each of y along the axis",
        )
    if not isinstance(at, Array) and not np.all(np.diff(at) > 0):
        raise argument_error(f"{name}: the points do not increase", "sort them, and leave repeated ones out")
    return at, values, axis


def cubic_spline(
    x: OperandLike,
    y: OperandLike,
    axis: Axis = 0,
    bc_type: Anything = "not-a-knot",
    extrapolate: Extrapolate = None,
) -> PiecewisePolynomial:
    """`CubicSpline`."""
    at, values, axis = _points("CubicSpline", x, y, axis)
    is_periodic = isinstance(bc_type, str) and bc_type == "periodic"
    mode = ("periodic" if is_periodic else True) if extrapolate is None else extrapolate
    slopes = spline_slopes.cubic_spline_slopes(at, values, bc_type)
    return spline_slopes.hermite(at, values, slopes, mode, axis)


def pchip(
    x: OperandLike, y: OperandLike, axis: Axis = 0, extrapolate: Extrapolate = None
) -> PiecewisePolynomial:
    """`PchipInterpolator`."""
    at, values, axis = _points("PchipInterpolator", x, y, axis)
    mode = True if extrapolate is None else extrapolate
    return spline_slopes.hermite(at, values, spline_slopes.pchip_slopes(at, values), mode, axis)


def hermite(
    x: OperandLike, y: OperandLike, dydx: OperandLike, axis: Axis = 0, extrapolate: Extrapolate = None
) -> PiecewisePolynomial:
    """`CubicHermiteSpline`."""
    at, values, axis = _points("CubicHermiteSpline", x, y, axis)
    slopes = xp.moveaxis(floats(dydx), axis, 0)
    if slopes.shape != values.shape:
        raise shape_error("CubicHermiteSpline: y and dydx differ in shape", "there is a slope for each value")
    return spline_slopes.hermite(at, values, slopes, True if extrapolate is None else extrapolate, axis)


def polynomial(
    c: OperandLike, x: OperandLike, extrapolate: Extrapolate = None, axis: Axis = 0
) -> PiecewisePolynomial:
    """`PPoly`."""
    rows, breaks = floats(c), floats(x)
    if rows.ndim < 2 or not 0 <= axis < rows.ndim - 1:
        raise shape_error(
            f"PPoly: coefficients of shape {rows.shape}", "they are an array c[power, interval]"
        )
    rows = xp.moveaxis(rows, (axis, axis + 1), (0, 1))
    if breaks.ndim != 1 or rows.shape[1] != breaks.shape[0] - 1 or not rows.shape[0] or breaks.shape[0] < 2:
        raise shape_error(
            f"PPoly: coefficients of shape {rows.shape} for breakpoints of shape {breaks.shape}",
            "c[power, interval] has an interval between each two breakpoints",
        )
    return PiecewisePolynomial(breaks, rows, True if extrapolate is None else extrapolate, axis)


def b_spline(
    t: OperandLike, c: OperandLike, k: Int, extrapolate: Extrapolate = True, axis: Axis = 0
) -> Spline:
    """`BSpline`."""
    knots, coefficients = floats(t), floats(c)
    axis = axis % max(coefficients.ndim, 1)
    if not coefficients.ndim or knots.ndim != 1 or k < 0:
        raise shape_error("BSpline: knots and coefficients are vectors, the degree is 0 or more", None)
    coefficients = xp.moveaxis(coefficients, axis, 0)
    count = knots.shape[0] - k - 1
    if count < k + 1 or coefficients.shape[0] < count:
        raise shape_error(
            f"BSpline of degree {k}: {coefficients.shape[0]} coefficients for {knots.shape[0]} knots",
            "there are k + 1 more knots than coefficients, and 2 k + 2 knots or more",
        )
    return Spline(knots, coefficients, k, True if extrapolate is None else extrapolate, axis)


def interp1d(
    x: OperandLike,
    y: OperandLike,
    kind: Anything = "linear",
    axis: Axis = -1,
    copy: Flag = True,
    bounds_error: Flag | None = None,
    fill_value: Anything = np.nan,
    assume_sorted: Flag = False,
) -> Line:
    """`interp1d`."""
    at, values = floats(x), floats(y)
    if not assume_sorted and at.ndim == 1 and at.shape[0] == values.shape[axis]:
        order = xp.argsort(at, kind="stable")
        at = at[order]
        values = xp.moveaxis(taken(xp.moveaxis(values, axis, 0), order), 0, axis)
    at, values, axis = _points("interp1d", at, values, axis, least=1)
    degree = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}.get(kind, kind)
    spline = None
    if isinstance(degree, int):
        spline = b_splines.interpolating(_plain("interp1d", at), values, degree)
    elif kind not in ("linear", "nearest", "nearest-up", "previous", "next"):
        raise argument_error(
            f"interp1d: there is no kind {kind!r}", "linear, nearest, previous, next, cubic, or a degree"
        )
    is_extrapolated = isinstance(fill_value, str) and fill_value == "extrapolate"
    if is_extrapolated and bounds_error:
        raise argument_error(
            "interp1d: values outside raise an error and are extrapolated", "leave bounds_error out"
        )
    below, above = outside_values(fill_value)
    raises = not is_extrapolated if bounds_error is None else bounds_error
    return Line(at, values, str(kind), axis, below, above, is_extrapolated, raises, spline)


def regular_grid(
    points: Anything,
    values: OperandLike,
    method: Anything = "linear",
    bounds_error: Flag = True,
    fill_value: Anything = np.nan,
) -> Grid:
    """`RegularGridInterpolator`."""
    return grid(points, values, method, bounds_error, fill_value)


# Functions that make splines ----------------------------------------------------------------------


def make_interp_spline(
    x: OperandLike,
    y: OperandLike,
    k: Int = 3,
    t: OperandLike | None = None,
    bc_type: Anything = None,
    axis: Axis = 0,
) -> Spline:
    """`make_interp_spline`, of points and knots that are not traced."""
    name = "make_interp_spline"
    knots = None if t is None else _plain(name, t)
    values, axis = _with_axis(name, y, axis)
    return b_splines.interpolating(_plain(name, x), values, k, knots, bc_type, axis)


def make_lsq_spline(
    x: OperandLike,
    y: OperandLike,
    t: OperandLike,
    k: Int = 3,
    w: OperandLike | None = None,
    axis: Axis = 0,
) -> Spline:
    """`make_lsq_spline`, of points, knots and weights that are not traced."""
    name = "make_lsq_spline"
    weights = None if w is None else _plain(name, w)
    values, axis = _with_axis(name, y, axis)
    return b_splines.fitted(_plain(name, x), values, _plain(name, t), k, weights, axis)


def _with_axis(name: str, y: Any, axis: int) -> tuple[Any, int]:
    values = floats(y)
    if not -values.ndim <= axis < values.ndim:
        raise shape_error(f"{name}: axis {axis} of values of shape {values.shape}", "y has an axis of points")
    return values, axis % values.ndim


def _plain(name: str, x: Any) -> Any:
    found = floats(x)
    if isinstance(found, Array):
        raise unsupported_error(
            f"{name} needs points, knots and weights that are not traced",
            "CubicSpline and linear interpolation take traced points, BSpline takes traced knots",
        )
    return found


def splev(x: OperandLike, tck: Anything, der: Int = 0, ext: Literal[0, 1, 2, 3] = 0) -> Any:
    """`splev`: a spline given as knots, coefficients and degree, or as a `BSpline`."""
    if isinstance(tck, tuple | list):
        given = cast("tuple[Any, ...]", tck)
    else:
        given = tck.t, tck.c, tck.k
    if len(given) != 3:
        raise argument_error("splev: `tck` has knots, coefficients and the degree", "write (t, c, k)")
    knots, coefficients, degree = given
    many = floats(coefficients)
    if many.ndim > 1:
        return [splev(x, (knots, many[curve], degree), der, ext) for curve in range(many.shape[0])]
    spline = b_spline(knots, many, degree)
    if der > degree:
        raise argument_error(
            f"splev: derivative {der} of a spline of degree {degree}", "0 <= der <= k must hold"
        )
    if der and ext == 3:
        raise argument_error("splev: ext=3 has no derivatives", "write np.clip(x, t[k], t[-k - 1])")
    at = floats(x)
    low, high = spline.knots[degree], spline.knots[-degree - 1]
    outside = xp.less(at, low) | xp.greater(at, high)
    if ext == 2:
        require_inside(outside, "splev: a value of x is outside of the knots")
    found = spline.value(xp.clip(at, low, high) if ext == 3 else at, der)
    return xp.where(outside, 0.0, found) if ext == 1 else found


def interpn(
    points: Anything,
    values: OperandLike,
    xi: Coordinates,
    method: Anything = "linear",
    bounds_error: Flag = True,
    fill_value: Anything = np.nan,
) -> Any:
    """`interpn`."""
    return grid(points, values, method, bounds_error, fill_value).value(xi)
