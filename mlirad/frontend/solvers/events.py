"""Events of `odeint`: the first time at which a function of the solution is 0, and the state there.

    found = ad.odeint(fall, y0, times, event=lambda y, t: y["height"], direction=-1)
    found.time, found.state

The time is located by steps without derivative: a change of sign between the ends of a step, then bisection
on the polynomial of that step. The solution is then computed up to that time, which is a constant, with the
derivatives of `odeint`. By how much the time moves is the solution d of

    g(Y(d), time + d) = 0      with Y(d) = y + d f + d^2 / 2 (df/dt + df/dy f), the flow beyond the state y

by two of Newton's steps from 0, which have the derivatives of the implicit function theorem up to order 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.constructs.loops import fori_loop, while_loop
from mlirad.frontend.differentiation.derivatives import jvp
from mlirad.frontend.solvers.stepping import GOES_ON, Flow, Method, Steps
from mlirad.frontend.tracing.operations import as_array, xp

HALVINGS: Final = 60
"""The number of times that the part of a step with an event in it is halved."""

Events = Callable[[Any, Any], Any]
"""The function of a flat state and a time whose elements are 0, each at an event of its own."""


class Crossing(NamedTuple):
    """The first event of a solution; see `odeint`."""

    time: Any
    """When it happens; NaN where it never does."""
    state: Any
    """The state then, structured like y; NaN where it never happens."""
    happened: Any
    states: Any
    """The states at the requested times, from the event on that of the event."""


class FirstEvent(NamedTuple):
    """The first of several events, of flat states."""

    time: Any
    state: Any
    happened: Any
    which: Any
    """The place of the event among them."""
    past: Any
    """Flags for the requested times from the event on."""
    states: Any
    """As of a `Crossing`."""


def located(
    f: Flow, events: Events, directions: Sequence[int], y0: Any, times: Any, method: Method,
    given: Sequence[Any],
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The time of the first event, or the last time; a flag that an event happened; and its number."""
    y0, times = stop_gradient((y0, times))
    steps = Steps(f, times, method, given)
    counted = np.sign(np.array(directions))

    def each_crosses(before: Any, after: Any) -> Any:
        rises, falls = (before < 0) & (after >= 0), (before > 0) & (after <= 0)
        return (rises & (counted >= 0)) | (falls & (counted <= 0))

    def crosses(before: Any, after: Any) -> Any:
        return xp.any(each_crosses(before, after))

    def goes_on(state: tuple[Any, ...]) -> Any:
        progress, _, before, after = state
        return steps.goes_on(progress, times[-1]) & ~crosses(before, after)

    def step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        progress, start, before, after = state
        new = steps.step(progress)
        moved = new.t != progress.t
        value = stop_gradient(events(new.y, new.t))
        return (
            new,
            xp.where(moved, progress.t, start),
            xp.where(moved, after, before),
            xp.where(moved, value, after),
        )

    first = steps.start(y0)
    value = stop_gradient(events(y0, times[0]))
    progress, _, before, after = while_loop(goes_on, step, (first, times[0], value, value))
    happened = crosses(before, after) & (progress.status == GOES_ON)
    *polynomial, begun, length = progress.last

    def at(part: Any) -> Any:
        return events(steps.scheme.between(tuple(polynomial), part), begun + part * length)

    def halve(_: Any, ends: tuple[Any, Any]) -> tuple[Any, Any]:
        low, high = ends
        middle = (low + high) / 2
        beyond = crosses(before, at(middle))
        return xp.where(beyond, low, middle), xp.where(beyond, middle, high)

    number = times.dtype.type
    part = fori_loop(0, HALVINGS, halve, (as_array(number(0)), as_array(number(1))))[1]
    which = xp.argmax(each_crosses(before, at(part))) if len(directions) > 1 else as_array(0)
    return stop_gradient(xp.where(happened, begun + part * length, times[-1])), happened, which


def moved(f: Flow, events: Events, which: Any, y: Any, t: Any) -> tuple[Any, Any]:
    """The time of an event near t and the state then, of a solution that is y at t."""
    one = as_array(1.0, y.dtype)
    slope = f(y, t)
    bend = jvp(f, None, (y, t), (slope, one))[1]

    def state(d: Any) -> Any:
        return y + d * slope + d * d / 2 * bend

    def value(d: Any) -> Any:
        return events(state(d), t + d)[which]

    d = as_array(0.0, y.dtype)
    for _ in range(2):
        found, rate = jvp(value, None, (d,), (one,))
        d = d - found / rate
    return t + d, state(d)
