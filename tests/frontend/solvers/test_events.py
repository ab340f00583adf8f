"""Events of `odeint`: times and states in closed form, SciPy's, and their derivatives of orders 1 and 2."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mlirad as ad
from mlirad.errors import ArgumentError, ShapeError

G = 9.81
EXACT = {"rtol": 1e-10, "atol": 1e-12}


def fall(y: Any, t: Any, g: Any = G) -> Any:
    return np.stack([y[1], -g + 0.0 * y[1]])


def landing(height: Any, **options: Any) -> Any:
    start = np.stack([height, 0.0 * height])
    return ad.odeint(fall, start, np.array([0.0, 9.0]), event=lambda y, t: y[0], direction=-1, **options)


@pytest.mark.long
def test_a_fall() -> None:
    found = landing(5.0)
    assert found.happened
    assert found.time == pytest.approx(np.sqrt(10 / G), rel=1e-13)
    np.testing.assert_allclose(found.state, [0.0, -np.sqrt(10 * G)], rtol=1e-13, atol=1e-13)


@pytest.mark.fuzz
@pytest.mark.parametrize("adjoint", ["discrete", "continuous"])
@pytest.mark.parametrize("method", ["dopri5", "rodas5p"])
def test_derivatives_of_a_fall(adjoint: str, method: str) -> None:
    options = {"adjoint": adjoint, "method": method, **EXACT}
    time = lambda h: landing(h, **options).time  # noqa: E731
    speed = lambda h: landing(h, **options).state[1]  # noqa: E731
    assert ad.grad(time)(5.0) == pytest.approx(0.5 * np.sqrt(2 / G / 5), rel=1e-8)
    assert ad.grad(speed)(5.0) == pytest.approx(-np.sqrt(G / 10), rel=1e-8)
    if adjoint == "discrete":
        assert ad.jacfwd(ad.grad(time))(5.0) == pytest.approx(-0.25 * np.sqrt(2 / G) * 5**-1.5, rel=1e-7)
        assert ad.jacfwd(ad.jacfwd(speed))(5.0) == pytest.approx(0.5 * np.sqrt(G / 2) * 5**-1.5, rel=1e-7)


def pendulum(y: Any, t: Any, p: Any) -> Any:
    return {"angle": y["speed"], "speed": -p[0] * np.sin(y["angle"]) - p[1] * y["speed"] + np.cos(3 * t)}


def crossing(p: Any, direction: int = 0, interpret: bool = False) -> Any:
    return ad.odeint(
        pendulum, {"angle": 1.0, "speed": 0.0}, np.array([0.0, 4.0]), p,
        event=lambda y, t, p: y["angle"] - p[2] * t, direction=direction, **EXACT,
    )  # fmt: skip


def by_scipy(p: Any, direction: int = 0) -> Any:
    def f(t: float, y: Any) -> Any:
        return [y[1], -p[0] * np.sin(y[0]) - p[1] * y[1] + np.cos(3 * t)]

    def hits(t: float, y: Any) -> Any:
        return y[0] - p[2] * t

    hits.terminal, hits.direction = True, direction
    found = solve_ivp(f, (0, 4), [1.0, 0.0], events=hits, method="DOP853", rtol=1e-11, atol=1e-13)
    return found.t[-1], found.y[:, -1]


P = np.array([9.0, 0.3, 0.1])


@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_directions_as_in_scipy(direction: int) -> None:
    found = crossing(P, direction)
    time, state = by_scipy(P, direction)
    assert found.time == pytest.approx(time, rel=1e-8)
    assert found.state["speed"] == pytest.approx(state[1], rel=1e-7)


@pytest.mark.fuzz
def test_derivatives_by_parameters_of_the_equation_and_of_the_event() -> None:
    gradient = ad.grad(lambda p: crossing(p).time)(P)
    hessian = ad.jacfwd(ad.grad(lambda p: crossing(p).time))(P)
    step = 1e-4
    for k, e in enumerate(np.eye(3)):
        ends = [by_scipy(P + s * e)[0] for s in (step, -step)]
        assert gradient[k] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-5, abs=1e-7)
        slopes = [ad.grad(lambda p: crossing(p).time)(P + s * e) for s in (step, -step)]
        np.testing.assert_allclose(hessian[k], (slopes[0] - slopes[1]) / (2 * step), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-7, atol=1e-9)


@pytest.mark.long
def test_states_are_held_from_the_event_on() -> None:
    times = np.array([0.0, 0.5, 2.0, 3.0])
    found = ad.odeint(fall, np.array([5.0, 0.0]), times, event=lambda y, t: y[0])
    np.testing.assert_allclose(found.states[:2], [[5.0, 0.0], [5 - G / 8, -G / 2]])
    np.testing.assert_allclose(found.states[2:], [found.state] * 2)


def test_one_that_never_happens_is_nan() -> None:
    found = ad.odeint(fall, np.array([5.0, 0.0]), np.array([0.0, 0.1, 0.5]), event=lambda y, t: y[0])
    assert not found.happened
    assert np.isnan(found.time) and np.all(np.isnan(found.state))
    np.testing.assert_allclose(found.states[:, 1], [0.0, -G / 10, -G / 2])


@pytest.mark.long
def test_backward_in_time_and_a_zero_at_the_start() -> None:
    found = ad.odeint(lambda y, t: -y, 1.0, np.array([0.0, -3.0]), event=lambda y, t: y - 2.0)
    assert found.time == pytest.approx(-np.log(2), rel=1e-6)
    found = ad.odeint(fall, np.array([0.0, 3.0]), np.array([0.0, 3.0]), event=lambda y, t: y[0])
    assert found.time == pytest.approx(6 / G, rel=1e-9)


@pytest.mark.fuzz
def test_a_batch_in_which_one_has_no_event() -> None:
    heights = np.array([1.0, 5.0, 1000.0])
    found = ad.vmap(landing)(heights)
    np.testing.assert_array_equal(found.happened, [True, True, False])
    np.testing.assert_allclose(found.time[:2], np.sqrt(2 * heights[:2] / G))
    assert np.isnan(found.time[2])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"event": lambda y, t: y}, ShapeError, "it is one float"),
        ({"event": lambda y, t: y[0] > 0}, ShapeError, "it is one float"),
        ({"event": 3}, ArgumentError, "event of odeint"),
        ({"event": lambda y, t: y[0], "direction": 2}, ArgumentError, "direction is 2"),
    ],
)
def test_errors(options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        ad.odeint(fall, np.array([5.0, 0.0]), np.array([0.0, 1.0]), **options)


def test_one_time_has_no_time_for_an_event() -> None:
    with pytest.raises(ShapeError, match="1 times have no time between them"):
        ad.odeint(fall, np.array([5.0, 0.0]), np.array([0.0]), event=lambda y, t: y[0])


BEGINNINGS: dict[str, Any] = {
    "state": lambda k, **options: ad.odeint(lambda y, t: -k * y, k, [0.0, 1.0], **options),
    "time": lambda k, **options: ad.odeint(lambda y, t: -y, 1.0, np.stack([0.0, k]), **options),
    "times": lambda k, **options: ad.odeint(lambda y, t: -y, 1.0, np.stack([k, 2.0 * k]), **options),
    "argument": lambda k, **options: ad.odeint(lambda y, t, k: -k * y, 1.0, [0.0, 1.0], k, **options),
    "captured": lambda k, **options: ad.odeint(lambda y, t: -k * y, 1.0, [0.0, 1.0], **options),
}
"""Solutions with k for one of their parts."""

WAYS = [(m, a) for m in ("dopri5", "rodas5p") for a in ("discrete", "continuous")]


@pytest.mark.parametrize(("case", "method", "adjoint"), [(b, *way) for b in BEGINNINGS for way in WAYS])
def test_what_begins_with_nan_is_nan_with_its_derivative(case: str, method: str, adjoint: str) -> None:
    slope = ad.value_and_grad(lambda k: BEGINNINGS[case](k, method=method, adjoint=adjoint)[-1])
    np.testing.assert_array_equal(slope(np.nan), [np.nan, np.nan])
    assert np.all(np.isfinite(slope(2.0)))


@pytest.mark.parametrize("case", BEGINNINGS)
def test_an_event_of_what_begins_with_nan_never_happens(case: str) -> None:
    found = ad.jit(lambda k: BEGINNINGS[case](k, event=lambda y, t, *_: y - 0.5))(np.nan)
    assert not found.happened and np.isnan(found.time) and np.isnan(found.state)


@pytest.mark.parametrize("case", ["time", "state"])
def test_derivatives_of_an_event_that_never_happens_are_nan(case: str) -> None:
    def found(height: Any) -> Any:
        crossing = ad.odeint(fall, np.stack([height, 0.0]), np.array([0.0, 0.1]), event=lambda y, t: y[0])
        return crossing.time if case == "time" else crossing.state[1]

    for slope in (ad.grad(found), ad.jacfwd(found)):
        assert np.isnan(slope(5.0)) and np.isfinite(slope(0.01))


@pytest.mark.long
def test_an_equation_of_events_backs_off_from_where_none_happens() -> None:
    def second(speed: Any) -> Any:
        """The time of the second zero of a pendulum, which turns over where it begins too fast."""
        state, total = np.stack([0.5, speed]), 0.0
        for _ in range(2):
            swing = lambda y, t: np.stack([y[1], -G * np.sin(y[0])])  # noqa: E731
            hit = ad.odeint(swing, state, [0.0, 5.0], event=lambda y, t: y[0] + 0.3, direction=-1)
            state, total = np.stack([-0.3, -hit.state[1]]), total + hit.time
        return total

    assert np.isnan(ad.jit(second)(7.0))
    target = ad.jit(second)(5.5)
    found = ad.root(lambda speed: second(speed) - target, 3.0)
    assert ad.jit(second)(found) == pytest.approx(target, rel=1e-9)
