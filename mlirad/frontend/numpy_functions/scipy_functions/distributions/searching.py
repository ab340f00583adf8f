"""Quantiles by search, of distributions that have no formula for them.

A search has no derivative. Steps of Newton's method that start at what it finds have: two of them give the
first three derivatives of an inverse function.
"""

from __future__ import annotations

from typing import Any

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.constructs.loops import fori_loop
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import (
    Formula,
    Function,
    called,
)
from mlirad.frontend.tracing.operations import xp

_HALVINGS = 64
_FARTHEST = 710.0
"""The largest number is less than e^710."""


def searched(
    log_share: Formula,
    log_rest: Formula,
    log_density: Formula,
    low: Function,
    high: Function,
    increases: bool,
) -> Formula:
    """The x where a share that increases, or decreases, with it is q; by the logarithm that is not near 0.

    `low` and `high` are the ends of the support, by the shapes.
    """

    def start(q: Any, excess: Function, *shapes: Any) -> Any:
        ends = low(*shapes), high(*shapes)

        def halve(_: Any, bounds: Any) -> Any:
            less, more = bounds
            middle = 0.5 * (less + more)
            is_above = xp.greater(excess(_spread(middle, *ends)), 0)
            return xp.where(is_above, less, middle), xp.where(is_above, middle, more)

        first = xp.zeros_like(q + sum(shapes, start=0.0))
        less, more = fori_loop(0, _HALVINGS, halve, (first - _FARTHEST, first + _FARTHEST))
        return _spread(0.5 * (less + more), *ends)

    return refined(start, log_share, log_rest, log_density, low, high, increases)


def refined(
    start: Function,
    log_share: Formula,
    log_rest: Formula,
    log_density: Formula,
    low: Function,
    high: Function,
    increases: bool,
) -> Formula:
    """The same by Newton's method from `start(q, excess, *shapes)` on, which need have no derivative.

    `excess` is how far a point is above the quantile, by its sign and in logarithms.
    """
    share, rest, density = called(log_share), called(log_rest), called(log_density)

    def quantile(q: Any, *shapes: Any) -> Any:
        is_low = xp.less(q, 0.5)
        log_q, log_rest_of_q = xp.log(xp.where(is_low, q, 0.5)), xp.log1p(-xp.where(is_low, 0.5, q))

        def excess(x: Any, log_q: Any, log_rest_of_q: Any, *shapes: Any) -> Any:
            found = xp.where(is_low, share(x, *shapes) - log_q, log_rest_of_q - rest(x, *shapes))
            return found if increases else -found

        fixed = [stop_gradient(s) for s in (log_q, log_rest_of_q, *shapes)]
        ends = low(*fixed[2:]), high(*fixed[2:])

        def step(_: Any, x: Any) -> Any:
            size = xp.where(is_low, share(x, *shapes), rest(x, *shapes))
            change = xp.exp(size - density(x, *shapes)) * excess(x, log_q, log_rest_of_q, *shapes)
            moved = x - change
            inside = xp.isfinite(change) & xp.greater(moved, ends[0]) & xp.less(moved, ends[1])
            return xp.where(inside, moved, x)

        def excess_of_known(x: Any) -> Any:
            return excess(x, *fixed)

        first = start(stop_gradient(q), excess_of_known, *fixed[2:])
        return fori_loop(0, 2, step, stop_gradient(first))

    return quantile


def _spread(t: Any, low: Any, high: Any) -> Any:
    """A number between two ends, finite or not, that increases with t, most slowly near ends and near 0."""
    has_low, has_high = xp.isfinite(low), xp.isfinite(high)
    first, last = xp.where(has_low, low, 0.0), xp.where(has_high, high, 0.0)
    far, near = xp.exp(xp.minimum(t, _FARTHEST)), xp.exp(xp.minimum(-t, _FARTHEST))
    width = xp.where(has_low & has_high, last - first, 1.0)
    from_low = first + width * xp.where(has_high, special("expit", t), far)
    from_high = last - width * xp.where(has_low, special("expit", -t), near)
    by_low = has_low & (~has_high | xp.less(t, 0))
    return xp.where(by_low, from_low, xp.where(has_high, from_high, xp.sinh(0.5 * t)))


# Of whole numbers ---------------------------------------------------------------------------------

_BITS = 52
"""Numbers are looked for up to 2^53 above the lowest, or above -2^52."""


def searched_number(share: Formula, rest: Formula, low: Function, high: Function, increases: bool) -> Formula:
    """The least number whose increasing share is at least q, or whose decreasing share is at most q."""
    of_share, of_rest = called(share), called(rest)

    def quantile(q: Any, *shapes: Any) -> Any:
        is_low = xp.less(q, 0.5)
        fixed = [stop_gradient(s) for s in (q, *shapes)]
        given, operands = fixed[0], fixed[1:]
        last = high(*operands)

        least = xp.maximum(low(*operands), -(2.0**_BITS))

        def is_less(k: Any) -> Any:
            """Return whether k is less than the quantile."""
            direct, other = of_share(k, *operands), of_rest(k, *operands)
            if increases:
                return xp.where(is_low, xp.less(direct, given), xp.greater(other, 1.0 - given))
            return xp.where(is_low, xp.greater(direct, given), xp.less(other, 1.0 - given))

        def add(i: Any, k: Any) -> Any:
            next_ = k + xp.exp2(_BITS - i)
            inside = xp.less(next_, last)
            return xp.where(inside & is_less(xp.where(inside, next_, least)), next_, k)

        start = xp.zeros_like(q + sum(shapes, start=0.0)) + least - 1.0
        return stop_gradient(fori_loop(0, _BITS + 1, add, start) + 1.0)

    return quantile
