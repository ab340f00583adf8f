"""Learning rates as functions of the number of steps taken before.

    ad.optimize.adam(cosine_decay(1e-2, steps=1000))
    ad.optimize.sgd(warm_up(exponential_decay(0.1, 0.5, steps=100), steps=10))

They take an integer, traced or not, and a training loop that is compiled needs no other code for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mlirad.frontend.tracing.argument_kinds import checked_integer
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.optimize.optimizers import Rate, checked_number, rate_of

Schedule = Callable[[Any], Any]


@plain_errors
def constant(rate: float) -> Schedule:
    """The same rate in every step: a number as a schedule.

    >>> ad.optimize.constant(0.1)(7)
    0.1

    Raises ArgumentError unless the rate is a number from 0 on.
    """
    number = checked_number(rate, "constant: rate")
    return lambda step: number


@plain_errors
def exponential_decay(rate: float, factor: float, steps: int = 1, final: float = 0.0) -> Schedule:
    """A rate that is multiplied by `factor` every `steps` steps, smoothly: rate * factor**(step / steps).

    Where it would fall below `final` it stays there.

    >>> schedule = ad.optimize.exponential_decay(0.1, 0.5, steps=10)
    >>> [round(float(schedule(k)), 6) for k in (0, 10, 20)]
    [0.1, 0.05, 0.025]

    Raises ArgumentError unless rates and factor are numbers from 0 on, and `steps` is an integer above 0.
    """
    first, last = checked_number(rate, f"{_E}: rate"), checked_number(final, f"{_E}: final")
    base, count = checked_number(factor, f"{_E}: factor"), _count(steps, _E)
    return lambda step: xp.maximum(first * base ** (step / count), last)


@plain_errors
def cosine_decay(rate: float, steps: int, final: float = 0.0) -> Schedule:
    """A rate that falls to `final` along half a wave of the cosine within `steps` steps, and stays there
    (Loshchilov and Hutter, *SGDR: stochastic gradient descent with warm restarts*, 2017).

    >>> schedule = ad.optimize.cosine_decay(1.0, steps=100)
    >>> [round(float(schedule(k)), 6) for k in (0, 50, 100, 500)]
    [1.0, 0.5, 0.0, 0.0]

    Raises ArgumentError unless rates are numbers from 0 on, and `steps` is an integer above 0.
    """
    first, last = checked_number(rate, f"{_C}: rate"), checked_number(final, f"{_C}: final")
    count = _count(steps, _C)
    return lambda step: last + (first - last) * (1 + xp.cos(math.pi * xp.minimum(step / count, 1.0))) / 2


@plain_errors
def warm_up(rate: Rate, steps: int, start: float = 0.0) -> Schedule:
    """A rate, or a schedule, that is reached from `start` on a straight line within `steps` steps.

    The schedule begins where the line ends: after the warm-up, it is asked for its step 0.

    >>> schedule = ad.optimize.warm_up(0.1, steps=10)
    >>> [round(float(schedule(k)), 6) for k in (0, 5, 10, 20)]
    [0.0, 0.05, 0.1, 0.1]

    Raises ArgumentError unless rates are numbers from 0 on or functions, and `steps` is an integer above 0.
    """
    later, first, count = rate_of(rate), checked_number(start, f"{_W}: start"), _count(steps, _W)

    def warmed_up(step: Any) -> Any:
        behind = later(xp.maximum(step - count, 0))
        return xp.where(step < count, first + (later(0) - first) * (step / count), behind)

    return warmed_up


# Parts -------------------------------------------------------------------------------------------

_E, _C, _W = "exponential_decay", "cosine_decay", "warm_up"


def _count(steps: Any, what: str) -> int:
    return checked_integer(steps, f"{what}: steps", 1, "write steps=100")
