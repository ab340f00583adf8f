"""The continuous adjoint of `odeint`: derivatives of a solution by differential equations of their own.

Forward those of the tangents, along y, which is solved again; in reverse those of the adjoint state, back
from each requested time to the one before. An explicit method takes y back along with it. A stiff equation
cannot be solved backward, as what decays grows there: then y is solved forward once more from each requested
time to the next, the polynomials of its steps are kept, and the adjoint state reads these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from mlirad.frontend.constructs.build import map_
from mlirad.frontend.constructs.loops import scan, while_loop
from mlirad.frontend.differentiation.custom import custom_derivative
from mlirad.frontend.differentiation.linearization import linearize, vjp
from mlirad.frontend.solvers.convergence import report_failures
from mlirad.frontend.solvers.flat_functions import Closed, with_data
from mlirad.frontend.solvers.stepping import (
    GOES_ON,
    UNKNOWN,
    Flow,
    Method,
    Steps,
    integrate,
    known,
    report_stops,
)
from mlirad.frontend.tracing.operations import as_array, xp

DISCRETE: Final = 'take adjoint="discrete"'
"""The advice where the equations for a derivative cannot be solved."""

KEPT_STEPS: Final = 2048
"""The polynomials of how many steps between two requested times are kept."""


def solution(flow: Closed, method: Method, y0: Any, times: Any) -> tuple[Any, Any, Any]:
    """The results of `integrate`, with the derivatives of the continuous adjoint."""

    others = method.for_others()

    def values(y0: Any, times: Any, *data: Any) -> tuple[Any, Any, Any]:
        return integrate(with_data(flow, data), y0, times, method, data)

    found = custom_derivative(values)

    @found.rule(reads_result=True)
    def tangents(found: Any, y0: Any, times: Any, *data: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        def moved(dy0: Any, dtimes: Any, *ddata: Any) -> tuple[Any, None, None]:
            return (
                _tangents(flow, others, (found[0], times, data), (dy0, dtimes, ddata)),
                None,
                None,
            )

        return moved

    @found.transposed_rule(reads_result=True)
    def cotangents(found: Any, y0: Any, times: Any, *data: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        def pulled(ct: Any) -> tuple[Any, ...]:
            return _cotangents(flow, others, found[0], times, data, ct[0])

        return pulled

    return found(y0, times, *flow.data)


def _tangents(flow: Closed, method: Method, point: tuple[Any, ...], moved: tuple[Any, ...]) -> Any:
    """Tangents of the states: d(dy)/dt = (df/dy) dy + (df/d data) d data, along y, which is solved again."""
    (ys, times, data), (dy0, dtimes, ddata) = point, moved
    size = ys.shape[1]

    def slopes(both: Any, t: Any) -> Any:
        y, dy = both[:size], both[size:]
        value, change = linearize(_at_time(flow, t), y, *data)
        return xp.concatenate([value, change(dy, *ddata)])

    at_start = dy0 - flow(ys[0], times[0], *data) * dtimes[0]
    found, state, reached = integrate(slopes, xp.concatenate([ys[0], at_start]), times, method)
    report_stops(state, reached, method, f"the tangents of {method.caller}", DISCRETE)
    return found[:, size:] + map_(with_data(flow, data), ys, times) * dtimes[:, None]


def _at_time(flow: Closed, t: Any) -> Callable[..., Any]:
    def of_state(y: Any, *data: Any) -> Any:
        return flow(y, t, *data)

    return of_state


def _cotangents(
    flow: Closed, method: Method, ys: Any, times: Any, data: tuple[Any, ...], ct: Any
) -> tuple[Any, ...]:
    """Cotangents of the start, the times and the data: da/dt = -(df/dy)^T a backward, beside y, with the
    cotangent of each requested state added on the way, and -(df/d data)^T a integrated along."""
    size = ys.shape[1]
    floats = [k for k, d in enumerate(data) if d.dtype.kind == "f"]
    ends = np.cumsum([0, *(data[k].size for k in floats)])

    def pulled(y: Any, a: Any, t: Any) -> list[Any]:
        value, pullback = vjp(_at_time(flow, t), y, *data)
        back, *rest = pullback(-a)
        return [value, back, *(as_array(xp.ravel(rest[k]), ys.dtype) for k in floats)]

    def beside(y: Any, a: Any, parts: Any, row: tuple[Any, ...]) -> tuple[Any, Any]:
        def slopes(both: Any, t: Any) -> Any:
            return xp.concatenate(pulled(both[:size], both[size : 2 * size], t))

        found = _last(slopes, xp.concatenate([y, a, parts]), row, method, y)
        return found[size : 2 * size], found[2 * size :]

    def along_steps(y: Any, a: Any, parts: Any, row: tuple[Any, ...]) -> tuple[Any, Any]:
        at = _kept(flow, data, row[1], xp.stack([row[3], row[2]]), method)

        def slopes(both: Any, t: Any) -> Any:
            return xp.concatenate(pulled(at(t), both[:size], t)[1:])

        found = _last(slopes, xp.concatenate([a, parts]), row, method, y)
        return found[:size], found[size:]

    def iteration(sums: tuple[Any, Any], row: tuple[Any, ...]) -> tuple[tuple[Any, Any], Any]:
        a, parts = sums
        y, _, end, _, ct = row
        a = a + ct
        back = (along_steps if method.is_implicit else beside)(y, a, parts, row)
        return back, ct @ flow(y, end, *data)

    nothing = as_array(np.zeros(int(ends[-1]), ys.dtype))
    (a, parts), along = scan(
        iteration,
        (xp.zeros_like(ys[0]), nothing),
        (ys[1:], ys[:-1], times[1:], times[:-1], ct[1:]),
        reverse=True,
    )
    first = -(a @ flow(ys[0], times[0], *data))
    of_data: list[Any] = [None] * len(data)
    for k, begin, end in zip(floats, ends[:-1], ends[1:], strict=True):
        of_data[k] = as_array(xp.reshape(parts[begin:end], data[k].shape), data[k].dtype)
    return (a + ct[0], xp.concatenate([first[None], along]), *of_data)


def _last(f: Flow, start: Any, row: tuple[Any, ...], method: Method, y: Any) -> Any:
    """The solution at the start of the interval of a row, integrated from its end, where the state is y."""
    found, state, reached = integrate(f, start, xp.stack([row[2], row[3]]), method, (y,))
    report_stops(state, reached, method, f"the adjoint of {method.caller}", DISCRETE)
    return found[-1]


def _kept(flow: Closed, data: tuple[Any, ...], y0: Any, times: Any, method: Method) -> Callable[[Any], Any]:
    """The solution between two times, as a function of time that reads the polynomials of its steps."""
    steps = Steps(with_data(flow, data), times, method, data)
    shape = (KEPT_STEPS, steps.scheme.coefficients, len(y0))

    def goes_on(state: tuple[Any, ...]) -> Any:
        return steps.goes_on(state[0], times[-1]) & (state[1] < KEPT_STEPS)

    def step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        progress, count, begins, lengths, polynomials = state
        new = steps.step(progress)
        *polynomial, begun, length = new.last
        # A step that is not accepted leaves what the next one overwrites.
        begins, lengths, polynomials = begins.copy(), lengths.copy(), polynomials.copy()
        begins[count], lengths[count], polynomials[count] = begun, length, xp.stack(polynomial)
        return new, count + (new.t != progress.t), begins, lengths, polynomials

    dtype = y0.dtype
    empty = (
        as_array(np.zeros(KEPT_STEPS, dtype)),
        as_array(np.ones(KEPT_STEPS, dtype)),
        as_array(np.zeros(shape, dtype)),
    )
    progress, count, begins, lengths, polynomials = while_loop(
        goes_on, step, (steps.start(y0), as_array(0), *empty)
    )
    report_stops(progress.status, progress.t, method, f"the adjoint of {method.caller}", DISCRETE)
    report_failures(
        (progress.status == GOES_ON) & steps.goes_on(progress, times[-1]),
        f"the adjoint of {method.caller}: {KEPT_STEPS} steps lead from one time to t = {{}} only; ask for "
        f"times between, or {DISCRETE}",
        progress.t,
    )

    def at(t: Any) -> Any:
        passed = (steps.sign * begins <= steps.sign * t) & (np.arange(KEPT_STEPS) < count)
        k = xp.maximum(xp.sum(passed) - 1, 0)
        parts = polynomials[k]
        own = tuple(parts[j] for j in range(steps.scheme.coefficients))
        return known(steps.scheme.between(own, (t - begins[k]) / lengths[k]), progress.status != UNKNOWN)

    return at
