"""Sines and cosines in which nothing cancels: of angles in half turns, and beside their values near 0.

    cosine, sine = turned(a)           cos(pi a), sin(pi a)
    less_sine(v)                       v - sin(v)
    less_cosine(v, sin(v))             sin(v) - v cos(v)

Near 0 the differences are power series. Whole half turns are taken off before the rest is multiplied by pi,
so sines of whole numbers are 0.
"""

from __future__ import annotations

from math import pi

from mlirad.ir.formulas import Condition, Formula, cos, maximum, minimum, round_to_even, sin, where
from mlirad.rules.quadratures import fixed


def is_even(whole: Formula) -> Condition:
    """Tell which whole numbers are even."""
    return round_to_even(whole * 0.5) * 2 == whole


def turned(a: Formula) -> tuple[Formula, Formula]:
    """cos(pi a) and sin(pi a)."""
    whole = fixed(round_to_even(a))
    sign = where(is_even(whole), a.like(1.0), -1.0)
    rest = (a - whole) * pi
    return sign * cos(rest), sign * sin(rest)


def less_sine(v: Formula) -> Formula:
    """v - sin(v)."""
    near = minimum(maximum(v, -0.5), 0.5)
    square, total = near * near, near.like(1.0)
    for k in (156, 110, 72, 42, 20):
        total = 1 - square * total * (1 / k)
    return where((v < 0.5) & (v > -0.5), near * square * total * (1 / 6), v - sin(v))


def less_cosine(v: Formula, sine: Formula) -> Formula:
    """sin(v) - v cos(v)."""
    near = minimum(v, 0.5)
    square, total = near * near, near.like(1.0)
    for k in (130, 88, 54, 28, 10):
        total = 1 - square * total * (1 / k)
    return where(v < 0.5, near * square * total * (1 / 3), sine - v * cos(v))
