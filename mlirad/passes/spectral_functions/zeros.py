"""Divided differences with a point at 0, of functions that are odd or even around it.

    f[x, 0] = f(x) / x             f[x, 0, y] = (f[x, y] - f[0, y]) / x

The 0 is the eigenvalue of all that lies beyond the vectors of a matrix that is not square. A function is
taken to be 0 there; an even one has the derivative 0.
"""

from __future__ import annotations

from mlirad.passes.spectral_functions.differences import AGREEMENT, Differences, Jet, may_be_equal
from mlirad.passes.spectral_functions.named import Named


def to_zero(jet: Jet) -> Named:
    """f[x, 0]: f' - x f'' / 2 where that is f / x to within rounding."""
    slope = jet.order(1)
    if jet.orders[2] is not None:
        slope = slope - jet.x * jet.order(2) * 0.5
    agrees = abs(jet.order(0) - jet.x * slope).at_most(jet.roundings[0] * AGREEMENT)
    steepest = abs(jet.order(1) * jet.x) * 2.0
    is_jump = may_be_equal(jet.x, jet.x) & steepest.less(abs(jet.order(0))) & ~agrees
    return agrees.choose(slope, is_jump.unknown(jet.order(0) / jet.x, 1))


def bends(d: Differences, parity: int) -> Named:
    """f[x_i, 0, x_j]: f'' is 0 at 0 of an odd function, and flat there of an even one."""
    rows, columns = d.rows, d.columns
    mean = (rows.order(2) + columns.order(2)) * (1 / 4 if parity > 0 else 1 / 6)
    by_row = (d.first - to_zero(columns)) / rows.x
    by_column = (d.first - to_zero(rows)) / columns.x
    apart = abs(columns.x).at_most(abs(rows.x)).choose(by_row, by_column)
    near = _is_near_zero(rows, parity) & _is_near_zero(columns, parity)
    is_zero = may_be_equal(rows.x, rows.x) & may_be_equal(columns.x, rows.x) & ~near
    return near.choose(mean, is_zero.unknown(apart, 2))


def bends_at_zero(jet: Jet) -> Named:
    """f[0, x, 0] of an even function."""
    near = _is_near_zero(jet, 1)
    apart = (may_be_equal(jet.x, jet.x) & ~near).unknown(to_zero(jet) / jet.x, 2)
    return near.choose(jet.order(2) * 0.5, apart)


def _is_near_zero(jet: Jet, parity: int) -> Named:
    """Return whether f is a multiple of x, if it is odd, or of x^2, if it is even, to within rounding."""
    x, power = jet.x, 1 if parity < 0 else 2
    value = abs(jet.order(0) - x * jet.order(1) * (1 / power)).at_most(jet.roundings[0] * AGREEMENT)
    bent = x * jet.order(2)
    rest = bent if parity < 0 else jet.order(1) - bent
    return value & abs(rest).at_most(jet.roundings[1] * AGREEMENT)
