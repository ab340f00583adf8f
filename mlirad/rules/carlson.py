"""Carlson's symmetric elliptic integrals, by duplication (*Numerical computation of real or complex elliptic
integrals*, 1995).

    R_D(x, y, z)      3/2 of the integral of 1 / sqrt((t + x) (t + y) (t + z)^3) over t from 0 to infinity

Each step makes the differences of the arguments a fourth of what they were, and what is left is a Taylor
polynomial. All terms are positive, as are those of the derivatives but for their sign.
"""

from __future__ import annotations

from typing import Final

from mlirad.ir.formulas import Formula, sqrt

_STEPS: Final = 10
"""Arguments that differ by a factor of up to 1e10 are then equal to 4 digits."""


def elliprd(x: Formula, y: Formula, z: Formula) -> Formula:
    """The integral of the second kind, of numbers x and y from 0 on, at most one of them 0, and z > 0."""
    total, power = x.like(0.0), 1.0
    for _ in range(_STEPS):
        root = sqrt(z)
        before = z
        added = _sum_of_products(x, y, z)
        total = total + power / (root * (before + added))
        x, y, z = 0.25 * (x + added), 0.25 * (y + added), 0.25 * (z + added)
        power *= 0.25
    mean = (x + y + 3 * z) * 0.2
    u, v = 1 - x / mean, 1 - y / mean
    w = (u + v) * (-1 / 3)
    product = u * v
    second, third = product - 6 * w * w, (3 * product - 8 * w * w) * w
    fourth, fifth = 3 * (product - w * w) * w * w, product * w * w * w
    series = (
        1 - second * (3 / 14) + third * (1 / 6) + second * second * (9 / 88) - fourth * (3 / 22)
        - second * third * (9 / 52) + fifth * (3 / 26)
    )  # fmt: skip
    return 3 * total + power * series / (mean * sqrt(mean))


def _sum_of_products(x: Formula, y: Formula, z: Formula) -> Formula:
    first, second, third = sqrt(x), sqrt(y), sqrt(z)
    return first * second + second * third + third * first
