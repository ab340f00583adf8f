"""Piecewise cubic interpolation: slopes at the points, and the polynomials that these make.

    hermite(x, y, cubic_spline_slopes(x, y, "natural"))      scipy.interpolate.CubicSpline

Cubic splines have two continuous derivatives: their slopes solve a tridiagonal system. It is eliminated
without exchanges of rows, since its pivots are positive: all of its rows are diagonally dominant, except for
the outer ones of "not-a-knot", which are once their neighbours are eliminated.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from mlirad.frontend.constructs.loops import scan
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.piecewise_polynomials import (
    PiecewisePolynomial,
    column,
    floats,
)
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import argument_error, shape_error


def hermite(x: Any, y: Any, slopes: Any, extrapolate: Any = True, axis: int = 0) -> PiecewisePolynomial:
    """The cubic polynomials with these values and slopes at the points."""
    dx = column(xp.diff(x), y)
    chord = xp.diff(y, axis=0) / dx
    bend = (slopes[:-1] + slopes[1:] - 2 * chord) / dx
    coefficients = xp.stack([bend / dx, (chord - slopes[:-1]) / dx - bend, slopes[:-1], y[:-1]])
    return PiecewisePolynomial(x, coefficients, extrapolate, axis)


# Cubic splines ------------------------------------------------------------------------------------


def boundary_conditions(bc_type: Any, shape: tuple[int, ...]) -> list[Any]:
    """The conditions at both ends: "not-a-knot", "periodic", or the order and value of a derivative."""
    given = [bc_type, bc_type] if isinstance(bc_type, str) else bc_type
    if not isinstance(given, list | tuple) or len(cast("list[Any]", given)) != 2:
        raise argument_error("bc_type has a condition for each end", 'write bc_type=((1, 0.0), "natural")')
    found = [_condition(one, shape) for one in cast("list[Any]", given)]
    if found.count("periodic") == 1:
        raise argument_error("bc_type is periodic at one end only", 'write bc_type="periodic"')
    return found


def _condition(given: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(given, str):
        if given in ("not-a-knot", "periodic"):
            return given
        orders = {"clamped": 1, "natural": 2}
        if given in orders:
            return orders[given], np.zeros(shape)
    if isinstance(given, tuple | list) and len(cast("list[Any]", given)) == 2 and given[0] in (1, 2):
        value = floats(given[1])
        if value.shape != shape:
            raise shape_error(
                f"bc_type: a derivative of shape {value.shape} for values of shape {shape}",
                "it has the shape of y without the axis of x",
            )
        return given[0], value
    raise argument_error(
        f"there is no boundary condition {given!r}",
        'it is "not-a-knot", "natural", "clamped", "periodic", or (order, value) with order 1 or 2',
    )


def cubic_spline_slopes(x: Any, y: Any, bc_type: Any) -> Any:
    """The slopes of a cubic spline at its two or more points."""
    start, end = boundary_conditions(bc_type, y.shape[1:])
    dx = xp.diff(x)
    wide = column(dx, y)
    chord = xp.diff(y, axis=0) / wide
    n = y.shape[0]
    if n == 2:
        start, end = ((1, chord[0]) if isinstance(one, str) else one for one in (start, end))
    if n == 3 and start == "periodic":
        slope = xp.sum(chord / wide, axis=0) / xp.sum(1.0 / wide, axis=0)
        return xp.stack([slope, slope, slope])
    if start == "periodic":
        return _periodic_slopes(dx, wide, chord)
    if n == 3 and start == "not-a-knot" and end == "not-a-knot":  # a parabola
        middle = (wide[0] * chord[1] + wide[1] * chord[0]) / (wide[0] + wide[1])
        return xp.stack([2 * chord[0] - middle, middle, 2 * chord[1] - middle])
    inner = 3 * (wide[1:] * chord[:-1] + wide[:-1] * chord[1:])
    first = _outer_row(start, dx, wide, chord, sign=1.0)
    last = _outer_row(end, *(xp.flip(v, axis=0) for v in (dx, wide, chord)), sign=-1.0)
    none = np.zeros(1)
    return solve_tridiagonal(
        xp.concatenate([none, dx[1:], last[1]]),
        xp.concatenate([first[0], 2 * (dx[:-1] + dx[1:]), last[0]]),
        xp.concatenate([first[1], dx[:-1], none]),
        xp.concatenate([first[2][None], inner, last[2][None]]),
    )


def _outer_row(condition: Any, dx: Any, wide: Any, chord: Any, *, sign: float) -> tuple[Any, Any, Any]:
    """The diagonal element, the one beside it, and the right side; intervals are counted from the end."""
    if condition == "not-a-knot":
        both = wide[0] + wide[1]
        right = ((wide[0] + 2 * both) * wide[1] * chord[0] + wide[0] ** 2 * chord[1]) / both
        return dx[1:2], dx[:1] + dx[1:2], right
    order, value = condition
    if order == 1:
        return np.ones(1), np.zeros(1), value + xp.zeros_like(chord[0])
    return 2 * dx[:1], dx[:1], 3 * chord[0] * wide[0] - sign * 0.5 * value * wide[0] ** 2


def _periodic_slopes(dx: Any, wide: Any, chord: Any) -> Any:
    """Slopes of n - 1 points in a ring: all but the last follow from it, and it from the last equation."""
    before, wide_before = xp.roll(dx, 1), xp.roll(wide, 1, axis=0)
    right = 3 * (wide * xp.roll(chord, 1, axis=0) + wide_before * chord)
    diagonal = 2 * (before + dx)
    inner = slice(None, -1)
    given = np.zeros((dx.shape[0] - 1, *(1,) * (wide.ndim - 1)))
    ends = np.zeros_like(given), np.zeros_like(given)
    ends[0][0], ends[1][-1] = 1.0, 1.0
    by_last = -(ends[0] * wide[0] + ends[1] * wide_before[-2])
    system = dx[inner], diagonal[inner], before[inner]
    free = solve_tridiagonal(*system, right[inner])
    coupled = solve_tridiagonal(*system, by_last)
    last = (right[-1] - wide_before[-1] * free[0] - wide[-1] * free[-1]) / (
        column(diagonal, wide)[-1] + wide_before[-1] * coupled[0] + wide[-1] * coupled[-1]
    )
    slopes = free + coupled * last
    return xp.concatenate([slopes, last[None], slopes[:1]])


def solve_tridiagonal(lower: Any, diagonal: Any, upper: Any, right: Any) -> Any:
    """x with lower[i] x[i - 1] + diagonal[i] x[i] + upper[i] x[i + 1] = right[i], without pivoting."""

    def eliminate(last: tuple[Any, Any], row: tuple[Any, Any, Any, Any]) -> tuple[Any, Any]:
        (ratio, reduced), (below, here, above, value) = last, row
        pivot = here - below * ratio
        now = above / pivot, (value - below * reduced) / pivot
        return now, now

    def substitute(after: Any, row: tuple[Any, Any]) -> tuple[Any, Any]:
        ratio, reduced = row
        now = reduced - ratio * after
        return now, now

    none = np.zeros(right.shape[1:])
    _, rows = scan(eliminate, (np.float64(0.0), none), (lower, diagonal, upper, right))
    return scan(substitute, none, rows, reverse=True)[1]


# Local slopes -------------------------------------------------------------------------------------


def pchip_slopes(x: Any, y: Any) -> Any:
    """Slopes that keep monotone values monotone: weighted harmonic means of those of the chords."""
    h = column(xp.diff(x), y)
    chord = xp.diff(y, axis=0) / h
    if y.shape[0] == 2:
        return xp.concatenate([chord, chord])
    left, right = chord[:-1], chord[1:]
    turns = xp.less_equal(xp.sign(left) * xp.sign(right), 0.0)
    weight_left, weight_right = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    mean = weight_left / xp.where(turns, 1.0, left) + weight_right / xp.where(turns, 1.0, right)
    inner = xp.where(turns, 0.0, (weight_left + weight_right) / xp.where(turns, 1.0, mean))
    first = _pchip_end(h[0], h[1], chord[0], chord[1])
    last = _pchip_end(h[-1], h[-2], chord[-1], chord[-2])
    return xp.concatenate([first[None], inner, last[None]])


def _pchip_end(h0: Any, h1: Any, chord: Any, next_: Any) -> Any:
    """The slope at an end by three points, limited so that the shape is kept."""
    slope = ((2 * h0 + h1) * chord - h0 * next_) / (h0 + h1)
    turns = xp.not_equal(xp.sign(chord), xp.sign(next_))
    limited = xp.where(turns & xp.greater(xp.abs(slope), 3 * xp.abs(chord)), 3 * chord, slope)
    return xp.where(xp.not_equal(xp.sign(slope), xp.sign(chord)), 0.0, limited)
