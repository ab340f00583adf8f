"""A pendulum that bounces off a wall: how hard to push it, for its third bounce to come at a given time.

    python examples/bouncing_pendulum.py --plot bouncing.svg

`ad.odeint` with an event gives the time of a bounce, and its derivative by all that the flight depends on. A
loop over the bounces is differentiated like any other, so Newton's method finds the push in a few steps.
SciPy's solver, with events of its own, confirms the times; it has no derivative of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import mlirad as ad

GRAVITY, FRICTION, RESTITUTION, WALL = 9.81, 0.1, 0.8, 0.25  # the wall is at that angle, the arm is 1 m long
BOUNCES, PATIENCE = 3, 10.0
EXACT = {"rtol": 1e-10, "atol": 1e-12}


class Found(NamedTuple):
    """The push, the times of the bounces, and angles over time."""

    push: float
    times: Any
    path: Any


def main(goal: float = 3.3) -> Found:
    """Find the push."""
    push = 2.0
    for _ in range(10):
        found, slope = ad.value_and_grad(last_bounce)(push)
        print(f"push {push:.9f} rad/s: bounce {BOUNCES} at {found:.9f} s")
        if abs(found - goal) < 1e-11:
            break
        push -= float((found - goal) / slope)
    else:
        raise AssertionError("Newton's method has not converged")
    times = ad.jit(bounces)(push)
    by_scipy, path = simulated(push)
    print(f"the same bounces by SciPy: {np.max(np.abs(times - by_scipy)):.1e} s apart")
    assert np.max(np.abs(times - by_scipy)) < 1e-7
    step = 1e-5
    bent = ad.grad(ad.grad(last_bounce))(push)
    around = [float(ad.grad(last_bounce)(push + s)) for s in (step, -step)]
    assert abs(bent - (around[0] - around[1]) / (2 * step)) < 1e-5 * (1 + abs(bent))
    return Found(push, times, path)


def rate(state: Any, t: Any) -> Any:
    """The rates of angle and speed; the angle is 0 where it hangs."""
    angle, speed = state
    return ad.stack([speed, -GRAVITY * np.sin(angle) - FRICTION * speed])


def bounces(push: Any) -> Any:
    """The times of the bounces of a pendulum that hangs and is pushed."""

    def flight(carry: Any, _: Any) -> Any:
        t, state = carry
        times = np.stack([t, t + PATIENCE])
        hit = ad.odeint(rate, state, times, event=lambda s, t: s[0] - WALL, direction=1, **EXACT)
        back = np.stack([hit.state[0], -RESTITUTION * hit.state[1]])
        return (hit.time, back), hit.time

    return ad.scan(flight, (0.0, np.stack([0.0 * push, push])), None, BOUNCES)[1]


def last_bounce(push: Any) -> Any:
    """The time of the last bounce."""
    return bounces(push)[-1]


def simulated(push: float) -> tuple[Any, Any]:
    """The times of the bounces by SciPy, and times and angles on the way [2, n]."""

    def hits(_: float, state: Any) -> Any:
        return state[0] - WALL

    hits.terminal, hits.direction = True, 1  # pyright: ignore[reportFunctionMemberAccess]
    t, state, times, parts = 0.0, np.array([0.0, push]), [], []
    for _ in range(BOUNCES):
        found = solve_ivp(
            lambda t, s: [s[1], -GRAVITY * np.sin(s[0]) - FRICTION * s[1]],
            (t, t + PATIENCE), state, events=hits, method="DOP853", max_step=0.05, **EXACT,
        )  # fmt: skip
        t, state = found.t[-1], found.y[:, -1] * np.array([1.0, -RESTITUTION])
        times.append(t)
        parts.append(np.stack([found.t, found.y[0]]))
    return np.array(times), np.concatenate(parts, axis=1)


def draw(figure: Any, found: Found) -> None:
    """The angle over time, with the wall and the bounces."""
    axes = figure.subplots()
    axes.plot(found.path[0], np.degrees(found.path[1]))
    axes.axhline(np.degrees(WALL), color="black")
    axes.plot(found.times, np.full(BOUNCES, np.degrees(WALL)), "o", color="C1")
    axes.set(xlabel="time [s]", ylabel="angle [degrees]", title=f"pushed with {found.push:.3f} rad/s")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
