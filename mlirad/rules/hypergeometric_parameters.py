"""Derivatives of hypergeometric functions by their parameters, as sums of differentiated terms.

Each is NaN where it has no digits that can be relied on: where the terms are so much larger than the function
and the derivative together that more than six of sixteen digits cancel, or where the series has not ended
after as many terms as there are. So 1F1 is known for |x| up to some 300, 2F1 for x from -25 to 0.96, U for
a > -1, and 0F1 everywhere, by Bessel functions beyond |x| = 20.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from mlirad.dialects.shapes import Value
from mlirad.ir.formulas import (
    Condition,
    Formula,
    absolute,
    digamma,
    exp,
    lgamma,
    log,
    log1p,
    minimum,
    special,
    sqrt,
    where,
)
from mlirad.rules.bessel_orders import i_by_order, j_by_order
from mlirad.rules.quadratures import DECAY, after_decay, evenly

_LOST = 1e6
"""The factor by which sums of sizes may exceed what is left of them."""


class _Sums:
    """The sum of a hypergeometric series, and its derivatives by the parameters."""

    def __init__(self, above: Sequence[Formula], below: Sequence[Formula], x: Formula, count: int):
        zero, one = x.like(0.0), x.like(1.0)
        parameters = [*above, *below]
        size = len(parameters)
        start = [zero, one, *[zero] * size, one, *[zero] * size, one, *[zero] * size]
        carries, _ = x.b.scan([v.value for v in start], [], count, self._iteration(above, below, x))
        found = [Formula(x.b, v) for v in carries]
        lasts, sums, sizes = (found[1 + k * (size + 1) : 1 + (k + 1) * (size + 1)] for k in range(3))
        self.value = sums[0]
        self.slopes = [
            self._known(sums[k], sizes[k], lasts[k], absolute(sums[0]) + absolute(sums[k]))
            for k in range(1, size + 1)
        ]

    @staticmethod
    def _iteration(above: Sequence[Formula], below: Sequence[Formula], x: Formula):
        size = len(above) + len(below) + 1

        def iteration(_: Value, carries: list[Value], __: list[Value]) -> tuple[list[Value], list[Value]]:
            k, *rest = (Formula(x.b, v) for v in carries)
            terms, sums, sizes = rest[:size], rest[size : 2 * size], rest[2 * size :]
            step = x / (k + 1)
            for p in below:
                step = step / (p + k)
            factor = step
            for p in above:
                factor = factor * (p + k)
            term = terms[0] * factor
            new = [term]
            for j, p in enumerate(above, start=1):
                others = terms[0] * step
                for other in above:
                    if other is not p:
                        others = others * (other + k)
                new.append(terms[j] * factor + others)
            for j, p in enumerate(below, start=1 + len(above)):
                new.append(terms[j] * factor - term / (p + k))
            sums = [s + t for s, t in zip(sums, new, strict=True)]
            sizes = [s + absolute(t) for s, t in zip(sizes, new, strict=True)]
            return [v.value for v in (k + 1, *new, *sums, *sizes)], []

        return iteration

    @staticmethod
    def _known(found: Formula, size: Formula, last: Formula, natural: Formula) -> Formula:
        is_known = (size <= _LOST * natural) & (absolute(last) <= 1e-14 * size)
        return where(is_known, found, found * nan)


# 0F1 ------------------------------------------------------------------------------------------------


def hyp0f1_by_parameter(b: Formula, x: Formula, value: Formula) -> Formula:
    """The derivative of hyp0f1(b, x) in b: Bessel functions where x is large."""
    is_high, is_low = x > 20, x < -20
    (near,) = _Sums((), (b,), where(is_high | is_low, 1.0, x), 60).slopes
    half = sqrt(where(is_high, x, where(is_low, -x, 25.0)))
    scale = special("gamma", b) * half ** (1 - b)
    z = 2 * half
    rising = i_by_order(where(is_high, b - 1, 1.0), where(is_high, z, 1.0), scaled=False)
    waving = j_by_order(where(is_low, b - 1, 1.0), where(is_low, z, 1.0))
    far = value * (digamma(b) - log(half)) + scale * where(is_high, rising, waving)
    return where(is_high | is_low, far, near)


# 1F1 ------------------------------------------------------------------------------------------------


def hyp1f1_by_parameters(a: Formula, b: Formula, x: Formula) -> tuple[Formula, Formula]:
    """The derivatives of hyp1f1(a, b, x) in a and in b; of negative x by that of b - a and -x."""
    is_negative = x < 0
    size, first = where(is_negative, -x, x), where(is_negative, b - a, a)
    by_first, by_second = _Sums((first,), (b,), size, 500).slopes
    half = exp(where(is_negative, 0.5 * x, 0.0))
    by_first, by_second = by_first * half * half, by_second * half * half
    return where(is_negative, -by_first, by_first), where(is_negative, by_first + by_second, by_second)


# 2F1 ------------------------------------------------------------------------------------------------


def hyp2f1_by_parameters(a: Formula, b: Formula, c: Formula, x: Formula) -> tuple[Formula, Formula, Formula]:
    """The derivatives of hyp2f1(a, b, c, x) in a, b and c.

    Those of negative x are of c - q and x / (x - 1), where q is the smaller one of a and b, and p the larger
    one: terms of a negative c - q have both signs.
    """
    is_negative, is_larger = x < 0, a > b
    p, q = where(is_larger, a, b), where(is_larger, b, a)
    low = where(is_negative, x, 0.0)
    point, second = where(is_negative, low / (low - 1), x), where(is_negative, c - q, q)
    sums = _Sums((p, second), (c,), point, 1000)
    by_p, by_second, by_c = sums.slopes
    power = (1 - low) ** -p
    by_p, by_second, by_c = (
        power * (by_p - log1p(-low) * sums.value), power * by_second, power * by_c,
    )  # fmt: skip
    by_q = where(is_negative, -by_second, by_second)
    by_a, by_b = where(is_larger, by_p, by_q), where(is_larger, by_q, by_p)
    return by_a, by_b, where(is_negative, by_c + by_second, by_c)


# U --------------------------------------------------------------------------------------------------


def hyperu_by_parameters(a: Formula, b: Formula, x: Formula) -> tuple[Formula, Formula]:
    """The derivatives of hyperu(a, b, x) in a > -1 and in b.

    With t = e^s, gamma(a + 1) U is the integral over s of

        t^(a + 1) (1 + t)^(b - a - 2) e^(-x t) (x (1 + t) - (b - a - 1))
    """
    is_known = _is_known(a, x)
    a, x = where(is_known, a, a * nan), where(is_known, x, 1.0)
    shape = a + 1
    middle = b - 1 - x
    root = sqrt(middle * middle + 4 * shape * x)
    peak = where(middle > 0, (middle + root) / (2 * x), 2 * shape / (root - minimum(middle, 0.0)))
    low = log(minimum(peak, 1.0)) - after_decay(a + 1, DECAY)
    high = log(peak + DECAY / x + 9.5 * sqrt(peak / x))
    nodes = evenly(400, low, high)
    s, a, b, x = nodes.points, nodes.spread(a), nodes.spread(b), nodes.spread(x)
    t = exp(s)
    more = log1p(t)
    weight = exp((a + 1) * s + (b - a - 2) * more - x * t - lgamma(a + 1))
    change = x * (1 + t) - (b - a - 1)
    by_a = nodes.total(weight * ((s - more - digamma(a + 1)) * change + 1))
    return by_a, nodes.total(weight * (more * change - 1))


def _is_known(a: Formula, x: Formula) -> Condition:
    return (a > -1) & (x > 1e-10) & (x < 1e10)
