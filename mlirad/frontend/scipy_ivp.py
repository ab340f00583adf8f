"""SciPy's `solve_ivp` called in a trace: the methods of `ad.odeint` with SciPy's arguments and results.

    sol = scipy.integrate.solve_ivp(f, (0.0, 2.0), y0, args=(k,), t_eval=times)
    sol.y                                           [n, times], with derivatives by y0, k, times and t_span

The sizes of results are known when a function is traced, so they cannot depend on how many steps are taken
or on how many events happen: times are given, and an event ends the solution.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, cast

import numpy as np

from mlirad.errors import MissingAttributeError
from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.linear_map.spaces import space_of
from mlirad.frontend.numpy_functions.calls.parameters import Anything, Flag, Function, complex_or_floats
from mlirad.frontend.solvers.convergence import report_failures
from mlirad.frontend.solvers.differential_equations import ADJOINTS, first_event, flow_of, states_at
from mlirad.frontend.solvers.flat_functions import rows_of
from mlirad.frontend.solvers.scipy_calls import returns_traced
from mlirad.frontend.solvers.stepping import Method, known
from mlirad.frontend.tracing.argument_kinds import checked_choice, checked_number
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import is_complex
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.operations import as_array, contains_traced, converted, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error, unsupported_error
from mlirad.frontend.tracing.source import user_line

METHODS: Final = {
    "RK45": "dopri5", "RK23": "dopri5", "DOP853": "dopri5",
    "Radau": "rodas5p", "BDF": "rodas5p", "LSODA": "rodas5p",
}  # fmt: skip
"""By SciPy's methods those of `ad.odeint`: the explicit one, and the one for stiff equations."""

MAX_STEPS: Final = 100_000
"""The number of steps after which a call raises, where SciPy would go on."""

LAST = "write t_eval=[t1]: then sol.y[:, -1] is the state at the end"

MISSING: Final = {
    "t": LAST, "y": LAST, "nfev": "leave it out", "njev": "leave it out", "nlu": "leave it out",
}  # fmt: skip
"""The attributes that a result may lack, and how to do without."""


def reads_traced(
    fun: Any, t_span: Any, y0: Any, *_: Any, events: Any = None, args: Any = None, vectorized: Any = False,
    **__: Any,
) -> bool:  # fmt: skip
    """Tell whether the right side or an event returns traced values where the solution begins."""
    given = tuple(cast("Sequence[Any]", args)) if isinstance(args, list | tuple) else ()
    start = np.atleast_1d(np.asarray(y0))
    first = np.ravel(t_span)[0] if np.size(t_span) else 0.0
    asked = [] if events is None else [events] if callable(events) else list(events)
    return returns_traced(fun, first, start[:, None] if vectorized else start, *given) or any(
        returns_traced(event, first, start, *given) for event in asked
    )


def solve_ivp(
    fun: Function, t_span: Anything, y0: Anything, method: Anything = "RK45", t_eval: Anything = None,
    dense_output: Flag = False, events: Anything = None, vectorized: Flag = False, args: Anything = None, *,
    first_step: Anything = None, max_step: Anything = np.inf, rtol: Anything = 1e-3, atol: Anything = 1e-6,
    jac: Anything = None, jac_sparsity: Anything = None, lband: Anything = None, uband: Anything = None,
    min_step: Anything = 0, adjoint: Anything = "discrete",
) -> Any:  # fmt: skip
    """`scipy.integrate.solve_ivp`; Jacobians that are given change nothing, as derivatives are known.

    Raises `UnsupportedError` for results whose size depends on values.
    """
    given = _further(args)
    start = _start(y0)
    ends = _ends(t_span)
    if min_step:
        raise unsupported_error("solve_ivp with min_step cannot be traced", "leave min_step out")
    how = _method(method, start.size, rtol, atol, max_step, first_step, adjoint)
    asked = _events(events)
    if t_eval is None and not dense_output:
        raise unsupported_error(
            "solve_ivp without t_eval gives as many times as it takes steps, which depends on values",
            "write t_eval=np.linspace(t0, t1, 100), or t_eval=[t1] for the state at the end",
        )
    if dense_output and asked:
        raise unsupported_error(
            "solve_ivp with events and dense_output cannot be traced", "write t_eval=times, with these times"
        )
    times = None if t_eval is None else _times(t_eval, ends)

    space = space_of(start)

    def right_side(y: Any, t: Any) -> Any:
        found = fun(t, y[:, None] if vectorized else y, *given)
        found = as_complex(found) if is_complex(start) else converted(as_array(found), F64)
        if found.size != start.size:
            raise shape_error(
                f"solve_ivp: the right side returns an array of shape {list(found.shape)}, and y has the "
                f"shape {list(start.shape)}",
                "return the derivative of each element of y",
            )
        return xp.ravel(found)

    flow, flat = flow_of(right_side, space, ()), as_array(space.flatten(start))

    def states(times: Any) -> Any:
        return rows_of(space, states_at(flow, how, flat, times))

    if not asked:
        result: dict[str, Any] = {} if times is None else _at_times(states, ends, times)
        if dense_output:
            result["sol"] = _dense(states, ends)
        return _result(result)
    assert times is not None

    def crossed(y: Any, t: Any) -> Any:
        return xp.stack([_value(event(t, space.unflatten(y), *given)) for event in asked])

    directions = [int(np.sign(getattr(event, "direction", 0))) for event in asked]
    whole = xp.concatenate([ends[:1], times, ends[1:]])
    found = first_event(flow, crossed, directions, how, flat, whole)
    past = found.past[1:-1]
    own = [found.happened & (found.which == k) for k in range(len(asked))]
    return _result(
        {
            "t": xp.where(past, found.time, times),
            "y": xp.transpose(rows_of(space, found.states[1:-1])),
            "t_events": [known(found.time, here)[None] for here in own],
            "y_events": [space.unflatten(known(found.state, here))[None] for here in own],
            "status": xp.where(found.happened, 1, 0),
            "message": "The solver reached the end of the interval, or a termination event occurred.",
        }
    )


# Arguments ----------------------------------------------------------------------------------------


def _further(args: Any) -> tuple[Any, ...]:
    if args is None:
        return ()
    if isinstance(args, list | tuple | np.ndarray | Array):
        return tuple(cast("Sequence[Any]", args))
    raise argument_error(f"solve_ivp: args is {args!r}, and it is a tuple", "write args=(k,)")


def _start(y0: Any) -> Any:
    start = complex_or_floats(y0 if contains_traced(y0) else np.asarray(y0))
    if start.ndim != 1:
        raise shape_error(
            f"solve_ivp: y0 has the shape {list(start.shape)}, and it is a vector [n]",
            "write np.ravel(y0), or [y0] for a number",
        )
    return start if is_complex(start) else converted(start, F64)


def _ends(t_span: Any) -> Any:
    """The first time and the last one [2]."""
    ends = as_array(t_span)
    if ends.shape != (2,):
        raise shape_error(
            f"solve_ivp: t_span has the shape {list(ends.shape)}, and it holds two times", "write (0.0, 1.0)"
        )
    return converted(ends, F64)


def _times(t_eval: Any, ends: Any) -> Any:
    """The times of the results, which lie between the ends in the order of these."""
    times = as_array(t_eval)
    if times.ndim != 1:
        raise shape_error(
            f"solve_ivp: t_eval has the shape {list(times.shape)}, and it holds times [n]",
            "write np.linspace(t0, t1, 100)",
        )
    times = converted(times, F64)
    _require_between(times, ends, "t_eval")
    turns = stop_gradient(xp.diff(times))
    falls = stop_gradient(ends[1] < ends[0])
    report_failures(
        xp.any(xp.where(falls, turns >= 0, turns <= 0)),
        "solve_ivp: the times t_eval are not in the order of t_span; sort them, and leave repetitions out",
    )
    return times


def _require_between(times: Any, ends: Any, name: str) -> None:
    times, ends = stop_gradient((times, ends))
    outside = (times < xp.min(ends)) | (times > xp.max(ends))
    if times.size:
        report_failures(
            xp.any(outside),
            f"solve_ivp: {name} holds t = {{}}, which is not within t_span; let t_span reach so far",
            xp.ravel(times)[xp.argmax(xp.ravel(outside))],
        )


def _method(
    method: Any, size: int, rtol: Any, atol: Any, max_step: Any, first_step: Any, adjoint: Any
) -> Method:
    name = method.__name__ if isinstance(method, type) else method
    checked_choice(name, "method of solve_ivp that can be traced", tuple(METHODS))
    checked_choice(adjoint, "adjoint of solve_ivp", ADJOINTS)
    hint = "write a number that is not traced, such as 0.1"
    longest = max_step
    if contains_traced(max_step) or max_step != np.inf:
        longest = checked_number(max_step, "solve_ivp: max_step", np.inf, hint)
    first = None if first_step is None else checked_number(first_step, "solve_ivp: first_step", np.inf, hint)
    return Method(
        _tolerance(rtol, "rtol", size), _tolerance(atol, "atol", size), MAX_STEPS, adjoint, METHODS[name],
        float(longest), first, "solve_ivp", 'take method="Radau" for a stiff equation',
    )  # fmt: skip


def _tolerance(value: Any, name: str, size: int) -> float | tuple[float, ...]:
    hint = f"write {name}=1e-6, or one number for each element of y"
    if contains_traced(value):
        raise argument_error(f"solve_ivp: {name} is traced, and it holds known numbers", hint)
    numbers = np.asarray(value, np.float64)
    least = 100 * np.finfo(np.float64).eps if name == "rtol" else 0.0
    if numbers.shape not in ((), (size,)) or not np.all(numbers >= 0) or not np.all(np.isfinite(numbers)):
        raise argument_error(f"solve_ivp: {name} is {value!r}", hint)
    numbers = np.maximum(numbers, least)
    return tuple(numbers.tolist()) if numbers.ndim else float(numbers)


def _events(events: Any) -> list[Callable[..., Any]]:
    """The events, all of them terminal."""
    asked = [] if events is None else [events] if callable(events) else list(events)
    for event in asked:
        if getattr(event, "terminal", 0) != 1:
            raise unsupported_error(
                "an event of solve_ivp that does not end the solution happens any number of times, so its "
                "t_events cannot be traced",
                "write event.terminal = True, or find one event after the other from sol.y_events on",
            )
    return asked


def _value(found: Any) -> Any:
    value = as_array(found)
    if value.size != 1:
        raise shape_error(
            f"solve_ivp: an event returns an array of shape {list(value.shape)}, and it is one number",
            "return the number that is 0 at the event, such as y[0] - 1.0",
        )
    return xp.reshape(converted(value, F64), ())


# Results ------------------------------------------------------------------------------------------


def _at_times(states: Callable[[Any], Any], ends: Any, times: Any) -> dict[str, Any]:
    rows = states(xp.concatenate([ends[:1], times]))
    return {"t": times, "y": xp.transpose(rows[1:])}


def _dense(states: Callable[[Any], Any], ends: Any) -> Callable[[Any], Any]:
    """The solution at any times of the interval: it is computed once more for these."""

    def sol(t: Any) -> Any:
        asked = converted(as_array(t), F64)
        times = xp.ravel(asked)
        _require_between(times, ends, "sol(t)")
        sign = xp.where(stop_gradient(ends[1] < ends[0]), -1.0, 1.0)
        order = xp.argsort(sign * stop_gradient(times))
        rows = states(xp.concatenate([ends[:1], times[order]]))[1:]
        found = xp.transpose(rows[xp.argsort(order)])
        return found if asked.ndim else found[:, 0]

    return sol


def _result(found: dict[str, Any]) -> Any:
    usual = {
        "sol": None, "t_events": None, "y_events": None, "status": 0, "success": True,
        "message": "The solver successfully reached the end of the integration interval.",
    }  # fmt: skip
    return _result_class()(**(usual | found))


@cache
def _result_class() -> type[Any]:
    """SciPy's class of results, whose objects say what they lack."""
    own: type[Any] = sys.modules["scipy.integrate._ivp.ivp"].OdeResult

    class OdeResult(own):
        def __getattr__(self, name: str) -> Any:
            if name in MISSING and name not in self:
                what = "times without t_eval" if name in ("t", "y") else f"`{name}`"
                raise MissingAttributeError(
                    f"a result of solve_ivp that is traced has no {what}",
                    location=user_line(),
                    hint=MISSING[name],
                )
            return own.__getattr__(self, name)

    return OdeResult
