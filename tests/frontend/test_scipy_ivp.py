"""`scipy.integrate.solve_ivp` called in traces, against itself outside of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import RK45, solve_ivp

import mlirad as ad
from mlirad.errors import ArgumentError, ConvergenceError, MissingAttributeError, ShapeError, UnsupportedError

TIMES = np.linspace(0.0, 2.0, 5)
FINE = {"rtol": 1e-10, "atol": 1e-12}


def pendulum(t: Any, y: Any, damping: Any, length: Any) -> list[Any]:
    angle, speed = y
    return [speed, -damping * speed - np.sin(angle) / length + 0.1 * t]


def swing(p: Any, **options: Any) -> Any:
    return solve_ivp(pendulum, (0.0, 2.0), [1.0, 0.3 * p], t_eval=TIMES, args=(p, 2.0), **options)


def many(t: Any, y: Any, p: Any) -> Any:
    """A right side of states [n, k], as SciPy calls it with vectorized=True."""
    return np.stack([y[1], -p * y[0]]) + 0.0 * y.shape[1]


CALLS: dict[str, Any] = {
    "arguments": lambda p: solve_ivp(pendulum, [0, 2], [1.0, 0.0], "RK45", TIMES, args=(p, 2.0), **FINE),
    "start": lambda p: solve_ivp(pendulum, (0, 2), [p, 0.5 * p], t_eval=TIMES, args=(0.3, 2.0), **FINE),
    "span": lambda p: solve_ivp(pendulum, (0.3 * p, 2), [1.0, 0], t_eval=[1, 2], args=(0.3, 2.0), **FINE),
    "times": lambda p: solve_ivp(pendulum, (0, 2), [1.0, 0], t_eval=p * TIMES, args=(0.3, 2.0), **FINE),
    "closure": lambda p: solve_ivp(lambda t, y: -p * y, (0, 1), [1.0], t_eval=[0.5], **FINE),
    "backward": lambda p: solve_ivp(lambda t, y: -p * y, (1, 0), [1.0], t_eval=[0.5, 0.2], **FINE),
    "vectorized": lambda p: solve_ivp(
        many, (0, 2), [1.0, 0.0], t_eval=TIMES, args=(p,), vectorized=True, **FINE
    ),
    "a class": lambda p: swing(p, method=RK45, **FINE),
    "tolerances": lambda p: swing(p, rtol=[1e-9, 1e-10], atol=[1e-12, 1e-10]),
    "longest": lambda p: swing(p, max_step=0.01),
    "first": lambda p: swing(p, first_step=1e-3, **FINE),
}


def judge(call: Any, p: float, tol: float) -> None:
    """Compare values and both derivatives of a call with SciPy's values and their differences."""
    found, slope = ad.jit(lambda p: ad.jvp(lambda p: call(p).y, (p,), (1.0,)))(p)
    np.testing.assert_allclose(found, call(p).y, atol=tol)
    h = 1e-3
    np.testing.assert_allclose(slope, (call(p + h).y - call(p - h).y) / (2 * h), atol=1e-5 + tol / h)
    gradient = ad.grad(lambda p: np.sum(call(p).y[:, -1]))(p)
    np.testing.assert_allclose(gradient, np.sum(slope[:, -1]), rtol=1e-6)


@pytest.mark.parametrize("name", CALLS)
def test_values_and_derivatives(name: str) -> None:
    judge(CALLS[name], 0.7, 1e-8)


@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA"])
def test_methods(method: str) -> None:
    judge(lambda p: swing(p, method=method, rtol=1e-7, atol=1e-9), 0.7, 2e-6)


@pytest.mark.parametrize("method", ["RK45", "BDF"])
def test_adjoints(method: str) -> None:
    slopes = [
        ad.grad(lambda p: np.sum(swing(p, method=method, adjoint=adjoint, **FINE).y ** 2))(0.7)  # noqa: B023
        for adjoint in ("discrete", "continuous")
    ]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-7)


def test_the_steps_of_rk45_are_those_of_scipy() -> None:
    np.testing.assert_allclose(ad.jit(lambda p: swing(p).y)(0.7), swing(0.7).y, rtol=1e-13)


def test_results() -> None:
    def fields(p: Any) -> Any:
        sol = swing(p)
        assert (sol.success, sol.status, sol.sol, sol.t_events, sol.y_events) == (True, 0, None, None, None)
        assert sol.message == swing(0.7).message and sol["y"] is sol.y
        return sol.t

    np.testing.assert_array_equal(ad.jit(fields)(0.7), TIMES)


def test_a_stiff_equation() -> None:
    def robertson(t: Any, y: Any, k: Any) -> Any:
        a, b, c = y
        lost, back, burnt = 0.04 * a, k * b * c, 3e7 * b * b
        return np.array([back - lost, lost - back - burnt, burnt])

    def state(k: Any) -> Any:
        options = {"rtol": 1e-8, "atol": [1e-10, 1e-14, 1e-10]}
        return solve_ivp(
            robertson, (0, 40), [1.0, 0.0, 0.0], "BDF", np.array([4.0, 40.0]), args=(k,), **options
        ).y

    found, slope = ad.jit(lambda k: ad.jvp(state, (k,), (1.0,)))(1e4)
    np.testing.assert_allclose(found, state(1e4), rtol=1e-5)
    by_differences = (state(1.01e4) - state(0.99e4)) / 200
    np.testing.assert_allclose(slope, by_differences, rtol=1e-3, atol=1e-13)


def test_complex_states() -> None:
    def state(p: Any) -> Any:
        start = np.array([1.0 + 1.0j, 2.0])
        return solve_ivp(lambda t, y: 1j * p * y, (0, 1), start, t_eval=[0.3, 1.0], **FINE).y

    np.testing.assert_allclose(ad.jit(state)(0.7), state(0.7), rtol=1e-9)
    slope = ad.jacfwd(lambda p: np.real(state(p)))(0.7)
    np.testing.assert_allclose(slope, np.real(state(0.7) * 1j * np.array([0.3, 1.0])), rtol=1e-8)


def test_dense_output_at_times_in_any_order() -> None:
    times = np.array([[0.7, 0.1], [2.0, 0.0]])

    def dense(p: Any) -> Any:
        sol = solve_ivp(pendulum, (0, 2), [1.0, 0.3 * p], dense_output=True, args=(p, 2.0), **FINE)
        return sol.sol(times.ravel()), sol.sol(0.5)

    expected, found = dense(0.7), ad.jit(dense)(0.7)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-8)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-8)
    h = 1e-4
    slope = ad.jacfwd(lambda p: dense(p)[0])(0.7)
    np.testing.assert_allclose(slope, (dense(0.7 + h)[0] - dense(0.7 - h)[0]) / (2 * h), atol=1e-6)


# Events --------------------------------------------------------------------------------------------


def at_rest(t: Any, y: Any, *_: Any) -> Any:
    return y[1] + 0.1


def to_the_left(t: Any, y: Any, *_: Any) -> Any:
    return y[0] - 0.5


at_rest.terminal, at_rest.direction = True, -1  # type: ignore[attr-defined]
to_the_left.terminal = 1  # type: ignore[attr-defined]


def hits(p: Any, *events: Any) -> Any:
    return swing(p, events=list(events), **FINE)


@pytest.mark.parametrize("order", [(at_rest, to_the_left), (to_the_left, at_rest)])
def test_the_first_event_ends_the_solution(order: Any) -> None:
    def found(p: Any) -> Any:
        sol = hits(p, *order)
        return sol.t, sol.y, sol.t_events, sol.y_events, sol.status

    t, y, times, states, status = ad.jit(found)(0.7)
    expected = hits(0.7, *order)
    which = order.index(at_rest)
    assert status == expected.status == 1
    assert times[which] == pytest.approx(expected.t_events[which], rel=1e-8)
    np.testing.assert_allclose(states[which], expected.y_events[which], rtol=1e-8)
    assert np.all(np.isnan(times[1 - which])) and expected.t_events[1 - which].size == 0
    before = len(expected.t)
    np.testing.assert_allclose(y[:, :before], expected.y, rtol=1e-8)
    np.testing.assert_allclose(y[:, before:].T, [states[which][0]] * (5 - before))
    np.testing.assert_allclose(t[before:], [times[which][0]] * (5 - before))


def test_derivatives_of_an_event() -> None:
    time = lambda p: hits(p, to_the_left, at_rest).t_events[1][0]  # noqa: E731
    h = 1e-4
    expected = (time(0.7 + h) - time(0.7 - h)) / (2 * h)
    assert ad.grad(time)(0.7) == pytest.approx(expected, rel=1e-5)
    assert ad.jacfwd(time)(0.7) == pytest.approx(expected, rel=1e-5)


def test_no_event() -> None:
    def found(p: Any) -> Any:
        sol = swing(p, events=to_the_left, **FINE)
        return sol.y, sol.status, sol.t_events

    y, status, times = ad.jit(found)(0.7)
    np.testing.assert_allclose(y, swing(0.7, **FINE).y, rtol=1e-8)
    assert status == 0 and np.isnan(times[0])


# Limits -------------------------------------------------------------------------------------------


def test_constants_are_left_to_scipy() -> None:
    fixed = swing(0.7)
    assert ad.jit(lambda x: x * swing(0.7).nfev)(1.0) == fixed.nfev


def passing(t: Any, y: Any, *_: Any) -> Any:
    return y[0]


def decay(p: Any, **options: Any) -> Any:
    given: dict[str, Any] = {"fun": lambda t, y: -p * y, "t_span": (0, 1), "y0": [1.0], "t_eval": [1.0]}
    return solve_ivp(**(given | options)).y


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"t_eval": None}, UnsupportedError, "without t_eval gives as many times as it takes steps"),
        ({"min_step": 0.1, "method": "LSODA"}, UnsupportedError, "with min_step cannot be traced"),
        ({"events": passing}, UnsupportedError, "that does not end the solution happens any number"),
        ({"events": at_rest, "dense_output": True}, UnsupportedError, "events and dense_output"),
        ({"method": "Euler"}, ArgumentError, "there is no method of solve_ivp that can be traced 'Euler'"),
        ({"adjoint": "none"}, ArgumentError, "there is no adjoint of solve_ivp 'none'"),
        ({"rtol": -1.0}, ArgumentError, "rtol is -1.0"),
        ({"atol": [1e-3, 1e-3]}, ArgumentError, "atol is "),
        ({"max_step": 0.0}, ArgumentError, "max_step is 0.0"),
        ({"first_step": -1.0}, ArgumentError, "first_step is -1.0"),
        ({"args": 3.0}, ArgumentError, "args is 3.0, and it is a tuple"),
        ({"y0": 1.0}, ShapeError, r"y0 has the shape \[\]"),
        ({"y0": [1.0, 2.0], "fun": lambda t, y: y[:1]}, ShapeError, "the right side returns"),
        ({"t_span": (0, 1, 2)}, ShapeError, "holds two times"),
        ({"t_eval": [[1.0]]}, ShapeError, "t_eval has the shape"),
        ({"t_eval": [2.0]}, ConvergenceError, "t_eval holds t = 2.0, which is not within t_span"),
        ({"t_eval": [0.9, 0.5]}, ConvergenceError, "not in the order of t_span"),
    ],
)
def test_mistakes(options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        ad.jit(lambda p: decay(p, **(options | {"y0": p * np.array(options.get("y0", [1.0]))})))(1.0)


@pytest.mark.parametrize("name", ["t", "y", "nfev", "njev", "nlu"])
def test_what_a_result_lacks(name: str) -> None:
    def lacking(p: Any) -> Any:
        sol = solve_ivp(lambda t, y: -p * y, (0, 1), [1.0], dense_output=True)
        assert not hasattr(sol, "something")
        return getattr(sol, name)

    with pytest.raises(MissingAttributeError, match="a result of solve_ivp that is traced has no"):
        ad.jit(lacking)(1.0)


def test_a_singular_solution_raises() -> None:
    with pytest.raises(ConvergenceError, match=r"solve_ivp: at t = .* steps become as small as rounding"):
        ad.jit(lambda p: decay(p, fun=lambda t, y: p * y * y, t_span=(0, 2), t_eval=[2.0]))(1.0)


def test_errors_of_the_right_side_keep_their_class() -> None:
    def wrong(t: Any, y: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ad.jit(lambda p: decay(p, y0=[p], fun=wrong))(1.0)
