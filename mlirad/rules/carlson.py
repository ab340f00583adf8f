"""Carlson's symmetric elliptic integrals, by duplication (*Numerical computation of real or complex elliptic
integrals*, 1995).

    R_D(x, y, z)      3/2 of the integral of 1 / sqrt((t + x) (t + y) (t + z)^3) over t from 0 to infinity
    R_J(x, y, z, p)   3/2 of that of 1 / sqrt((t + x) (t + y) (t + z)) / (t + p)

Each step makes the differences of the arguments a fourth of what they were, and what is left is a Taylor
polynomial. All terms are positive, as are those of the derivatives up to their sign.
"""

from __future__ import annotations

from typing import Final

from mlirad.ir.formulas import Formula, absolute, arctan2, limited, log, sqrt, where
from mlirad.rules.special_derivatives.parts import horner

_STEPS: Final = 10
"""Arguments that differ by a factor of up to 1e10 are then equal to 4 digits."""

_STEPS_OF_THREE: Final = 13
"""The same of four arguments; three of them may lie far from the fourth."""


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
    return 3 * total + power * _series(second, third, fourth, fifth) / (mean * sqrt(mean))


def elliprj(x: Formula, y: Formula, z: Formula, p: Formula) -> Formula:
    """The integral of the third kind, of numbers from 0 on, at most one of them 0, and p > 0."""
    total, power = x.like(0.0), 1.0
    for _ in range(_STEPS_OF_THREE):
        root, added = sqrt(p), _sum_of_products(x, y, z)
        roots = [sqrt(v) for v in (x, y, z)]
        product = (root + roots[0]) * (root + roots[1]) * (root + roots[2])
        rest = (root - roots[0]) * (root - roots[1]) * (root - roots[2])
        degenerate = _elliprc_of_one(2 * root * (p + added) / product, rest / product)
        total = total + power * degenerate / product
        x, y, z, p = (0.25 * (v + added) for v in (x, y, z, p))
        power *= 0.25
    mean = (x + y + z + 2 * p) * 0.2
    u, v, w = 1 - x / mean, 1 - y / mean, 1 - z / mean
    t = (u + v + w) * -0.5
    product = u * v * w
    second = u * v + v * w + w * u - 3 * t * t
    third = product + 2 * second * t + 4 * t * t * t
    fourth, fifth = (2 * product + second * t + 3 * t * t * t) * t, product * t * t
    return 6 * total + power * _series(second, third, fourth, fifth) / (mean * sqrt(mean))


_NEAR_ONE: Final = 0.05
"""Up to here from 1 the degenerate integral is its series."""

_DEGENERATE: Final = tuple((-1.0) ** k / (2 * k + 1) for k in range(12))
"""Its coefficients."""


def _elliprc_of_one(y: Formula, less_one: Formula) -> Formula:
    """R_F(1, y, y) for y > 0, and y - 1."""
    near = horner(limited(less_one, _NEAR_ONE), _DEGENERATE)
    above = sqrt(where(less_one > _NEAR_ONE, less_one, 1.0))
    below = where(less_one < -_NEAR_ONE, y, 0.5)
    part = sqrt(1 - below)
    far = where(less_one > 0, arctan2(above, above.like(1.0)) / above, log((1 + part) / sqrt(below)) / part)
    return where(absolute(less_one) < _NEAR_ONE, near, far)


def _series(second: Formula, third: Formula, fourth: Formula, fifth: Formula) -> Formula:
    """The Taylor polynomial of what is left, in the symmetric functions of the differences."""
    return (
        1 - second * (3 / 14) + third * (1 / 6) + second * second * (9 / 88) - fourth * (3 / 22)
        - second * third * (9 / 52) + fifth * (3 / 26)
    )  # fmt: skip


def _sum_of_products(x: Formula, y: Formula, z: Formula) -> Formula:
    first, second, third = sqrt(x), sqrt(y), sqrt(z)
    return first * second + second * third + third * first
