"""`odeint`: initial value problems, by methods with steps whose length is chosen by their error.

    ad.odeint(lambda y, t, k: -k * y, y0, np.linspace(0.0, 1.0, 5), 2.0)     y at these times, [5, ...]

The loops are in `stepping.py`.

- `adjoint="discrete"`: the steps that were accepted are differentiated as they are, in either mode, by what
  loops record. The derivative is that of the numbers that are returned, as steps of these lengths make them.
- `adjoint="continuous"`: the derivative solves differential equations of its own
  (`continuous_adjoint.py`). It keeps only the requested states. Its error is of the order of the tolerances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.linear_map.spaces import Space
from mlirad.frontend.solvers.continuous_adjoint import solution
from mlirad.frontend.solvers.convergence import report_failures
from mlirad.frontend.solvers.events import Crossing, Events, FirstEvent, located, moved
from mlirad.frontend.solvers.flat_functions import Closed, closed, flat_type, flattened, rows_of, with_data
from mlirad.frontend.solvers.flat_functions import unknowns as states
from mlirad.frontend.solvers.pairs import pair_of
from mlirad.frontend.solvers.stepping import SCHEMES, UNSORTED, Method, integrate, known, report_stops
from mlirad.frontend.tracing.argument_kinds import checked_choice, checked_integer, checked_number
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.functions import require_arguments, require_function
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import argument_error, dtype_error, shape_error
from mlirad.frontend.tracing.tracebacks import plain_errors

ADJOINTS = ("discrete", "continuous")
"""The ways to differentiate a solution."""


@plain_errors
def odeint(
    f: Callable[..., Any], y0: Any, t: Any, *args: Any, rtol: float = 1e-6, atol: float = 1e-9,
    max_steps: int = 100_000, adjoint: str = "discrete", method: str = "dopri5",
    event: Callable[..., Any] | None = None, direction: int = 0,
) -> Any:  # fmt: skip
    """The solution of dy/dt = `f(y, t, *args)` with y = `y0` at `t[0]`, at all times t [n].

    The state has any structure of float arrays, which f returns as well; the result has a leading dimension n
    in every leaf. Times rise or fall; the first result is `y0`. Steps are as long as errors of
    `atol + rtol * |y|` allow.

    `method` is "dopri5", the explicit method of Dormand and Prince, of order 5; or "rodas5p", a Rosenbrock
    method of order 5 for stiff equations, whose steps make and factorise the matrix df/dy:

        >>> def stiff(y, t):
        ...     return -1000.0 * (y - np.cos(t))
        >>> ad.odeint(stiff, 0.0, np.array([0.0, 1.0]), method="rodas5p")[-1].round(4)
        np.float64(0.5411)

    With `event`, a function of y, t and `args` as f is, it ends where this is 0 first, and gives a `Crossing`
    with the `time` of that event and the `state` then; whether it `happened`; and `states`, those at the
    times t, from the event on that of the event. With `direction` 1 it is an event where the function rises
    through 0, with -1 where it falls. A function that is 0 at the start has no event there, and two events
    between the ends of one step are not seen. Where none happens up to `t[-1]` the time and the state are
    NaN, with their derivatives, and so is a solution that begins with them. Where it happens, their
    derivatives, of orders 1 and 2, are those of the implicit function theorem: the time moves with all that
    the solution depends on.

        >>> def fall(y, t):
        ...     return np.stack([y[1], -9.81])
        >>> def landing(height):
        ...     start = np.stack([height, 0.0])
        ...     return ad.odeint(fall, start, [0.0, 9.0], event=lambda y, t: y[0], direction=-1).time
        >>> ad.value_and_grad(landing)(5.0)[1].round(4)
        np.float64(0.101)

    It is differentiable with respect to `y0`, t, `args` and traced values that f captures. `adjoint` says
    how: "discrete", of every order, by the accepted steps; or "continuous", by differential equations for the
    derivative, which in reverse mode keeps n states and not every step. With "rodas5p" these are stiff
    as well, and their matrices have a row for each float of y and of what has a derivative besides.

    Raises `ConvergenceError` where steps become as small as rounding, as for a stiff or singular problem,
    where there are more than `max_steps` of them, also for a "continuous" derivative, and where the times are
    not sorted or not finite; `ShapeError` where f returns what is not structured like y.
    """
    require_function(f, "odeint")
    checked_choice(adjoint, "adjoint of odeint", ADJOINTS)
    checked_choice(method, "method of odeint", tuple(SCHEMES))
    how = Method(
        checked_number(rtol, "odeint: rtol", 1.0, "write rtol=1e-6"),
        checked_number(atol, "odeint: atol", np.inf, "write atol=1e-9"),
        checked_integer(max_steps, "odeint: max_steps", 1, "write max_steps=10000"),
        adjoint,
        method,
    )
    if event is None:
        key = ("odeint", how)
        return Transformed(f, lambda f, given: _solved(f, how, *given), key, Options())(y0, t, *args)
    require_function(event, "the event of odeint")
    ahead = checked_direction(direction)

    def first(_: Any, given: tuple[Any, ...]) -> Any:
        return _first_event(f, event, ahead, how, *given)

    return Transformed(pair_of(f, event), first, ("odeint", how, ahead), Options())(y0, t, *args)


def checked_direction(direction: Any) -> int:
    """The direction in which a function passes 0."""
    hint = "write direction=-1 for an event where the function falls, 0 for any"
    if isinstance(direction, int) and -1 <= direction <= 1:
        return int(direction)
    raise argument_error(f"odeint: direction is {direction!r}, and there are -1, 0 and 1", hint)


def _solved(f: Callable[..., Any], method: Method, y0: Any, t: Any, *args: Any) -> Any:
    require_arguments(f, 2 + len(args), "odeint")
    space, _ = states(y0, "y0", "odeint")
    start, times = as_array(space.flatten(y0)), _times(t, space)
    if times.size <= 1 or space.size == 0:
        return rows_of(space, xp.broadcast_to(start, (times.size, space.size)))
    return rows_of(space, states_at(flow_of(f, space, args), method, start, times))


def _first_event(
    f: Callable[..., Any],
    event: Callable[..., Any],
    direction: int,
    method: Method,
    y0: Any,
    t: Any,
    *args: Any,
) -> Crossing:
    require_arguments(f, 2 + len(args), "odeint")
    require_arguments(event, 2 + len(args), "the event of odeint")
    space, _ = states(y0, "y0", "odeint")
    start, times = as_array(space.flatten(y0)), _times(t, space)
    if times.size < 2:
        raise shape_error(
            f"odeint: {times.size} times have no time between them for an event",
            "write np.array([0.0, 1.0]), with the time up to which it is looked for",
        )
    flow = flow_of(f, space, args)

    def crossed(y: Any, t: Any) -> Any:
        value = as_array(event(space.unflatten(y), t, *args))
        if value.shape or value.dtype.kind != "f":
            raise shape_error(
                f"the event of odeint gives {value.dtype} of shape {list(value.shape)}, and it is one float",
                "return the float that is 0 at the event, such as y[0] - 1.0",
            )
        return as_array(value, space.dtype)[None]

    found = first_event(flow, crossed, (direction,), method, start, times)
    rows = rows_of(space, found.states)
    return Crossing(found.time, space.unflatten(found.state), found.happened, rows)


def first_event(
    flow: Closed, events: Events, directions: Sequence[int], method: Method, start: Any, times: Any
) -> FirstEvent:
    """The first of some events, which may rise or fall in directions of their own, of flat states."""
    slope = with_data(flow, flow.data)
    end, happened, which = located(slope, events, directions, start, times, method, flow.data)
    is_before = xp.where(stop_gradient(times[-1] < times[0]), times > end, times < end)
    held = xp.concatenate([xp.where(is_before, times, end), end[None]])
    rows = states_at(flow, method, start, held)
    time, state = moved(slope, events, which, rows[-1], end)
    past = happened & ~is_before
    states = xp.where(past[:, None], state, rows[:-1])
    return FirstEvent(known(time, happened), known(state, happened), happened, which, past, states)


def _times(t: Any, space: Space) -> Any:
    times = as_array(t)
    if times.ndim != 1:
        raise shape_error(
            f"odeint: t has the shape {list(times.shape)}, and it holds times [n]",
            "write np.array([0.0, 1.0])",
        )
    if times.dtype.kind == "b":
        raise dtype_error("odeint: t holds booleans", "write np.array([0.0, 1.0])")
    return as_array(times, space.dtype)


def flow_of(f: Callable[..., Any], space: Space, args: tuple[Any, ...]) -> Closed:
    """The user's function as one of flat states, of a time and of all that it reads."""

    def of_flat(y: Any, t: Any, *args: Any) -> Any:
        value = f(space.unflatten(y), t, *args)
        return flattened(value, space, f"odeint: {function_name(f)} returns an array")

    return closed(of_flat, [flat_type(space), LeafType((), space.dtype)], args)


def states_at(flow: Closed, method: Method, start: Any, times: Any) -> Any:
    """The states at all times; the call raises where the last is not reached."""
    if method.adjoint == "discrete":
        ys, state, reached = integrate(with_data(flow, flow.data), start, times, method, flow.data)
    else:
        ys, state, reached = solution(flow, method, start, times)
    advice = "end before that time" if method.is_implicit else method.remedy
    report_stops(state, reached, method, method.caller, advice)
    report_failures(
        state == UNSORTED,
        f"{method.caller}: the times neither rise nor fall, or are not finite; sort them, and end at a "
        "finite time",
    )
    return ys
