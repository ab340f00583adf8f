"""Integrals by fixed nodes, and sums over a few terms, of formulas: for many numbers at once.

    half_line(scale, lambda v, a: exp(-a * v), a)          the integral over v from 0 to infinity
    terms(10, lambda k, a: 1 / (a + k), a)                 the sum over k = 0, ..., 9
    nodes = between(32, low, high)                         nodes.total(exp(-nodes.spread(a) * nodes.points))
    area_cosine(40 / x)                                    from where on e^(x - x cosh(t)) is below e^-40

An integral over a half line is a sum over nodes v = s exp(t - e^-t) at equidistant t, whose error falls
exponentially with their number (Takahasi and Mori, *Double exponential formulas for numerical integration*,
1974). The 66 nodes give some 15 digits where the integrand is positive and analytic, falls off at the scale
s, and changes at no scale that is less than a thousandth of that. Where nodes lie makes no difference except
for the error, so they have no derivative; that of an integral is the one of its terms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import element_of, shape_of
from mlirad.ir.formulas import Formula, log1p, maximum, sqrt
from mlirad.lazy_dataclass import dataclass

DECAY: Final = 40.0
"""Values of an integrand below e^-40 of the largest are left out."""

STEP: Final = 0.125
_T: Final = np.arange(-3.8, 4.3, STEP)
_NODES: Final = np.exp(_T - np.exp(-_T))
_WEIGHTS: Final = STEP * _NODES * (1 + np.exp(-_T))


@dataclass(frozen=True)
class Nodes:
    """Points along a last dimension, and what the values of an integrand are multiplied by there."""

    points: Formula
    weights: Formula

    def spread(self, x: Formula) -> Formula:
        """Numbers repeated along the dimension of the points."""
        return _spread(x, shape_of(self.points.value)[-1])

    def total(self, values: Formula) -> Formula:
        """The integral of what has these values at the points."""
        return _total(self.weights * values)


def fixed(x: Formula) -> Formula:
    """The number without its derivative."""
    return Formula(x.b, x.b.unary(ew.StopGradientOp, x.value))


def over_half_line(scale: Formula) -> Nodes:
    """Nodes for what falls off at the scale, from 0 to infinity."""
    wide = _spread(fixed(scale), _NODES.size)
    return Nodes(_along(_NODES, scale) * wide, _along(_WEIGHTS, scale) * wide)


@cache
def _gauss(count: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Nodes of Gauss's formula between 0 and 1, and weights."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 + 0.5 * nodes, 0.5 * weights


def between(count: int, low: Formula, high: Formula) -> Nodes:
    """Nodes of Gauss's formula between two numbers, for what is smooth there."""
    return _placed(low, high, *_gauss(count))


def evenly(count: int, low: Formula, high: Formula) -> Nodes:
    """Nodes at equal distances, for what vanishes at the ends, or is even about the lower one."""
    weights = np.full(count, 1 / count)
    weights[0] = 0.5 / count
    return _placed(low, high, np.arange(count) / count, weights)


def _placed(
    low: Formula, high: Formula, shares: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> Nodes:
    low, length = fixed(low), fixed(high - low)
    wide = _spread(length, shares.size)
    return Nodes(_spread(low, shares.size) + _along(shares, low) * wide, _along(weights, low) * wide)


def half_line(scale: Formula, integrand: Callable[..., Formula], *operands: Formula) -> Formula:
    """The integral of `integrand(v, *operands)`, which falls off at the scale, over v from 0 to infinity."""
    nodes = over_half_line(scale)
    return nodes.total(integrand(nodes.points, *map(nodes.spread, operands)))


def area_cosine(excess: Formula) -> Formula:
    """The u >= 0 with cosh(u) = 1 + excess."""
    return log1p(excess + sqrt(excess * (excess + 2)))


def after_decay(rate: Formula, decay: float) -> Formula:
    """A distance d with rate (d - 1 + e^-d) >= decay, not much longer than it need be."""
    c = decay / maximum(rate, 1e-100)
    return 0.5 * (c + sqrt(c * (c + 8)))


def terms(count: int, term: Callable[..., Formula], *operands: Formula) -> Formula:
    """The sum of `term(k, *operands)` over k from 0 up to and without `count`."""
    numbers = _along(np.arange(float(count)), operands[0])
    return _total(term(numbers, *(_spread(x, count) for x in operands)))


def _spread(x: Formula, count: int) -> Formula:
    """The numbers repeated along a last dimension."""
    shape = shape_of(x.value)
    return Formula(x.b, x.b.broadcast(x.value, (*shape, count), range(len(shape))))


def _along(numbers: npt.NDArray[np.float64], like: Formula) -> Formula:
    """Constants along a last dimension."""
    b, shape = like.b, shape_of(like.value)
    row = b.constant(numbers, element_of(like.value.type))
    return Formula(b, b.broadcast(row, (*shape, numbers.size), (len(shape),)))


def _total(x: Formula) -> Formula:
    """The sum along the last dimension."""
    return Formula(x.b, x.b.sum(x.value, (len(shape_of(x.value)) - 1,)))
