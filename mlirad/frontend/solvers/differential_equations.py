"""`odeint`: initial value problems, by the method of Dormand and Prince with steps chosen by their error.

    ad.odeint(lambda y, t, k: -k * y, y0, np.linspace(0.0, 1.0, 5), 2.0)       y at these times, [5, ...]

The loops run from one requested time to the next, and step beyond it where the step is longer; between the
ends of a step there is a polynomial. How long a step is has no derivative.

- `adjoint="discrete"`: the steps that were accepted are differentiated as they are, in either mode, by what
  loops record. The derivative is that of the numbers that are returned, as steps of these lengths make them.
- `adjoint="continuous"`: the derivative solves differential equations of its own: forward those of the
  tangents, in reverse those of the adjoint state, back from each requested time to the one before. It keeps
  only the requested states. Its error is of the order of the tolerances.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.constructs.build import map_, stop_gradient
from mlirad.frontend.constructs.loops import scan, while_loop
from mlirad.frontend.differentiation.custom import custom_derivative
from mlirad.frontend.differentiation.linearization import linearize, vjp
from mlirad.frontend.solvers.closed import Closed, closed, flat_type, flattened, rows_of, with_data
from mlirad.frontend.solvers.closed import unknowns as states
from mlirad.frontend.solvers.convergence import finite, report_failures
from mlirad.frontend.solvers.dormand_prince import between, error_ratio, factor, first_step, step
from mlirad.frontend.tracing.argument_kinds import checked_choice, checked_integer, checked_number
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.functions import require_arguments, require_function
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import dtype_error, shape_error
from mlirad.frontend.tracing.tracebacks import plain_errors

ADJOINTS = ("discrete", "continuous")
"""How a solution is differentiated."""

DISCRETE = 'take adjoint="discrete"'
"""What helps where the equations for a derivative cannot be solved."""

GOES_ON, STIFF, TOO_MANY, UNSORTED = 0, 1, 2, 3
"""How a solution stands."""

Flow = Callable[[Any, Any], Any]
"""dy/dt of a flat state at a time."""


@dataclass(frozen=True)
class _Method:
    """How a problem is solved."""

    rtol: float
    atol: float
    max_steps: int
    adjoint: str


@plain_errors
def odeint(
    f: Callable[..., Any], y0: Any, t: Any, *args: Any, rtol: float = 1e-6, atol: float = 1e-9,
    max_steps: int = 100_000, adjoint: str = "discrete",
) -> Any:  # fmt: skip
    """The solution of dy/dt = `f(y, t, *args)` with y = `y0` at `t[0]`, at all times t [n].

    The state has any structure of float arrays, which f returns as well; the result has a leading dimension n
    in every leaf. Times rise or fall; the first result is `y0`. The steps of the method of Dormand and
    Prince, of order 5, are as long as errors of `atol + rtol * |y|` allow.

    It is differentiable with respect to `y0`, t, `args` and traced values that f captures. `adjoint` says
    how: "discrete", of every order, by the accepted steps; or "continuous", by differential equations for the
    derivative, which in reverse mode keeps n states and not every step.

    Raises `ConvergenceError` where steps become as small as rounding, as for a stiff or singular problem,
    where there are more than `max_steps` of them, also for a "continuous" derivative, and where the times are
    not sorted or not finite; `ShapeError` where f returns what is not structured like y.
    """
    require_function(f, "odeint")
    checked_choice(adjoint, "adjoint of odeint", ADJOINTS)
    method = _Method(
        checked_number(rtol, "odeint: rtol", 1.0, "write rtol=1e-6"),
        checked_number(atol, "odeint: atol", np.inf, "write atol=1e-9"),
        checked_integer(max_steps, "odeint: max_steps", 1, "write max_steps=10000"),
        adjoint,
    )
    return Transformed(f, lambda f, given: _solved(f, method, *given), ("odeint", method), Options())(
        y0, t, *args
    )


def _solved(f: Callable[..., Any], method: _Method, y0: Any, t: Any, *args: Any) -> Any:
    require_arguments(f, 2 + len(args), "odeint")
    space, _ = states(y0, "y0", "odeint")
    times = as_array(t)
    if times.ndim != 1:
        raise shape_error(
            f"odeint: t has the shape {list(times.shape)}, and it holds times [n]",
            "write np.array([0.0, 1.0])",
        )
    if times.dtype.kind == "b":
        raise dtype_error("odeint: t holds booleans", "write np.array([0.0, 1.0])")
    start, times = as_array(space.flatten(y0)), as_array(times, space.dtype)
    if times.size <= 1 or space.size == 0:
        return rows_of(space, xp.broadcast_to(start, (times.size, space.size)))

    def of_flat(y: Any, t: Any, *args: Any) -> Any:
        value = f(space.unflatten(y), t, *args)
        return flattened(value, space, f"odeint: {function_name(f)} returns an array")

    flow = closed(of_flat, [flat_type(space), LeafType((), space.dtype)], args)
    ys, state, reached = _by_adjoint(flow, method, start, times)
    _report(state, reached, method, "odeint", "solve a stiff equation by solve_ivp and ad.scipy.system")
    report_failures(
        state == UNSORTED,
        "odeint: the times neither rise nor fall, or are not finite; sort them, and end at a finite time",
    )
    return rows_of(space, ys)


def _report(state: Any, reached: Any, method: _Method, what: str, advice: str) -> None:
    """Let the call raise where steps do not reach the last time."""
    report_failures(
        state == STIFF,
        f"{what}: at t = {{}} steps become as small as rounding, where the solution is singular; end before "
        f"it, or raise rtol and atol",
        reached,
    )
    report_failures(
        state == TOO_MANY,
        f"{what}: {method.max_steps} steps lead to t = {{}} only; raise max_steps, or {advice}",
        reached,
    )


def _by_adjoint(flow: Closed, method: _Method, y0: Any, times: Any) -> tuple[Any, Any, Any]:
    if method.adjoint == "discrete":
        return integrate(with_data(flow, flow.data), y0, times, method)

    def values(y0: Any, times: Any, *data: Any) -> tuple[Any, Any, Any]:
        return integrate(with_data(flow, data), y0, times, method)

    solution = custom_derivative(values)

    @solution.rule(reads_result=True)
    def tangents(found: Any, y0: Any, times: Any, *data: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        def moved(dy0: Any, dtimes: Any, *ddata: Any) -> tuple[Any, None, None]:
            return _tangents(flow, method, (found[0], times, data), (dy0, dtimes, ddata)), None, None

        return moved

    @solution.transposed_rule(reads_result=True)
    def cotangents(found: Any, y0: Any, times: Any, *data: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        def pulled(ct: Any) -> tuple[Any, ...]:
            return _cotangents(flow, method, found[0], times, data, ct[0])

        return pulled

    return solution(y0, times, *flow.data)


# The loops ---------------------------------------------------------------------------------------


def integrate(f: Flow, y0: Any, times: Any, method: _Method) -> tuple[Any, Any, Any]:
    """States at all times [n, size], how the solution stands, and the time that was reached.

    The state of a trip: y, its slope and time at the end of the last step; the length of the next one; the
    polynomial of the last one, where that began and its length. Where all times are equal there is one step
    too, which may fail, as derivatives with respect to times are those of its polynomial.
    """
    dtype = y0.dtype
    sign = xp.where(stop_gradient(times[-1] < times[0]), dtype.type(-1), dtype.type(1))
    eps = dtype.type(8 * np.finfo(dtype).eps)
    are_equal = stop_gradient(times[-1] == times[0])
    slope = f(y0, times[0])
    nothing = xp.zeros_like(y0)
    h = first_step(lambda y, t: sign * f(y, sign * t), y0, sign * slope, sign * times[0], method.rtol,
                   method.atol)  # fmt: skip

    def one_step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        y, slope, t, h, last, count, _ = state
        rest = xp.where(are_equal, h, sign * stop_gradient(times[-1] - t))
        length = xp.minimum(h, rest)
        new, slope_there, error, polynomial = step(f, y, slope, t, sign * length)
        ratio = error_ratio(error, y, new, method.rtol, method.atol)
        ratio = xp.where(xp.all(xp.isfinite(slope_there)), ratio, dtype.type(np.inf))
        accepted = ratio <= 1
        chosen = partial(xp.where, accepted)
        now = (*polynomial, t, sign * length)
        grown = xp.where(accepted & (rest < h), h, length * factor(ratio))
        small = ~accepted & (grown <= eps * xp.maximum(xp.abs(stop_gradient(t)), dtype.type(1e-30)))
        many = count >= method.max_steps
        status = xp.where(small, STIFF, xp.where(many, TOO_MANY, GOES_ON))
        return (
            chosen(new, y), chosen(slope_there, slope), chosen(t + sign * length, t), grown,
            tuple(chosen(a, b) for a, b in zip(now, last, strict=True)), count + 1, status,
        )  # fmt: skip

    def to_time(state: tuple[Any, ...], target: Any) -> tuple[tuple[Any, ...], Any]:
        def goes_on(state: tuple[Any, ...]) -> Any:
            before = sign * (target - state[2]) > eps * xp.maximum(xp.abs(target), xp.abs(state[2]))
            return (before | (state[2] == times[0])) & (state[6] == GOES_ON)

        state = while_loop(goes_on, one_step, state)
        *polynomial, begun, length = state[4]
        part = (target - begun) / length
        return state, between(tuple(polynomial), part)

    turns = xp.diff(times)
    is_sorted = (xp.all(turns >= 0) | xp.all(turns <= 0)) & finite(times)
    last = (y0, slope, *(nothing for _ in range(3)), times[0], dtype.type(1))
    begin = (y0, slope, times[0], h, last, as_array(0), xp.where(is_sorted, GOES_ON, UNSORTED))
    state, rest = scan(to_time, begin, times[1:])
    status = xp.where(are_equal & (state[6] != UNSORTED), GOES_ON, state[6])
    return xp.concatenate([y0[None], rest]), status, state[2]


# The continuous adjoint --------------------------------------------------------------------------


def _tangents(flow: Closed, method: _Method, point: tuple[Any, ...], moved: tuple[Any, ...]) -> Any:
    """Tangents of the states: d(dy)/dt = (df/dy) dy + (df/d data) d data, along y, which is solved again."""
    (ys, times, data), (dy0, dtimes, ddata) = point, moved
    size = ys.shape[1]

    def slopes(both: Any, t: Any) -> Any:
        y, dy = both[:size], both[size:]
        value, change = linearize(_at_time(flow, t), y, *data)
        return xp.concatenate([value, change(dy, *ddata)])

    at_start = dy0 - flow(ys[0], times[0], *data) * dtimes[0]
    found, state, reached = integrate(slopes, xp.concatenate([ys[0], at_start]), times, method)
    _report(state, reached, method, "the tangents of odeint", DISCRETE)
    return found[:, size:] + map_(with_data(flow, data), ys, times) * dtimes[:, None]


def _at_time(flow: Closed, t: Any) -> Callable[..., Any]:
    def of_state(y: Any, *data: Any) -> Any:
        return flow(y, t, *data)

    return of_state


def _cotangents(
    flow: Closed, method: _Method, ys: Any, times: Any, data: tuple[Any, ...], ct: Any
) -> tuple[Any, ...]:
    """Cotangents of the start, the times and the data: da/dt = -(df/dy)^T a backward, beside y, with the
    cotangent of each requested state added on the way, and -(df/d data)^T a integrated along."""
    size = ys.shape[1]
    floats = [k for k, d in enumerate(data) if d.dtype.kind == "f"]
    ends = np.cumsum([2 * size, *(data[k].size for k in floats)])

    def slopes(both: Any, t: Any) -> Any:
        y, a = both[:size], both[size : 2 * size]
        value, pullback = vjp(_at_time(flow, t), y, *data)
        back, *rest = pullback(-a)
        parts = [as_array(xp.ravel(rest[k]), ys.dtype) for k in floats]
        return xp.concatenate([value, back, *parts])

    def trip(sums: tuple[Any, Any], row: tuple[Any, ...]) -> tuple[tuple[Any, Any], Any]:
        a, parts = sums
        y, ct, end, begin = row
        a = a + ct
        slope = flow(y, end, *data)
        found, state, reached = integrate(
            slopes, xp.concatenate([y, a, parts]), xp.stack([end, begin]), method
        )
        _report(state, reached, method, "the adjoint of odeint", DISCRETE)
        both = found[-1]
        return (both[size : 2 * size], both[2 * size :]), ct @ slope

    nothing = as_array(np.zeros(int(ends[-1]) - 2 * size, ys.dtype))
    (a, parts), along = scan(
        trip, (xp.zeros_like(ys[0]), nothing), (ys[1:], ct[1:], times[1:], times[:-1]), reverse=True
    )
    first = -(a @ flow(ys[0], times[0], *data))
    of_data: list[Any] = [None] * len(data)
    for k, begin, end in zip(floats, ends[:-1] - 2 * size, ends[1:] - 2 * size, strict=True):
        of_data[k] = as_array(xp.reshape(parts[begin:end], data[k].shape), data[k].dtype)
    return (a + ct[0], xp.concatenate([first[None], along]), *of_data)
