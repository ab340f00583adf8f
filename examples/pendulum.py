"""A pendulum swings up by a motor that is too weak to lift it: optimal control through a loop of time steps.

    python examples/pendulum.py --plot pendulum.svg

`ad.scan` runs Runge and Kutta's method over the torques of all time steps. Its gradient by all torques at
once is what the costate equations of optimal control say, and SciPy's L-BFGS takes it. The motor has to
swing the pendulum back and forth. SciPy's own solver of differential equations confirms that the torques
do it, and the energy that they put in is that of a pendulum on its head.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

import mlirad as ad

GRAVITY, LIMIT, STEP = 9.81, 3.0, 0.04  # a torque of 9.81 would hold a mass of 1 kg at an arm of 1 m


class Found(NamedTuple):
    """Times, the torque of each step, and angle and speed at the ends of steps, by an independent solver."""

    times: Any
    torques: Any
    states: Any


def main(steps: int = 125) -> Found:
    """Find the torques."""
    start = 0.5 * np.sin(np.sqrt(GRAVITY) * STEP * np.arange(steps))
    problem = ad.scipy.objective(cost, start)
    bounds = [(-LIMIT, LIMIT)] * steps
    options = {"maxiter": 1000, "maxfun": 2000}
    found = minimize(
        problem.fun, problem.x0, jac=problem.jac, bounds=bounds, method="L-BFGS-B", options=options
    )
    torques = problem.unflatten(found.x)
    ends, states = simulated(torques)
    angle, speed = states[-1]
    turns = int(np.sum(np.diff(np.sign(states[1:, 1])) != 0))
    energy = np.sum(torques * np.diff(states[:, 0]))
    print(f"{found.nit} iterations, {turns} turning points")
    print(f"at the end: {np.degrees(angle):.2f} degrees, {speed:.4f} rad/s by an independent solver")
    print(f"work of the motor {energy:.4f} J, a pendulum on its head has {2 * GRAVITY:.4f} J")
    assert abs(abs(angle) - np.pi) < 0.01 and abs(speed) < 0.03
    assert np.max(np.abs(torques)) <= LIMIT < GRAVITY
    assert abs(energy - 2 * GRAVITY) < 0.01
    return Found(ends, torques, states)


def rate(state: Any, torque: Any) -> Any:
    """Return how angle and speed of a mass of 1 kg at an arm of 1 m change; the angle is 0 where it hangs."""
    angle, speed = state
    return ad.stack([speed, torque - GRAVITY * np.sin(angle)])


def trajectory(torques: Any) -> Any:
    """Angle and speed after each step [steps, 2], each torque held for a step."""

    def step(state: Any, torque: Any) -> Any:
        k1 = rate(state, torque)
        k2 = rate(state + STEP / 2 * k1, torque)
        k3 = rate(state + STEP / 2 * k2, torque)
        k4 = rate(state + STEP * k3, torque)
        state = state + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return state, state

    return ad.scan(step, np.zeros(2), torques)[1]


def cost(torques: Any) -> Any:
    """The effort, and much for an end that is not upright and at rest."""
    angle, speed = trajectory(torques)[-1]
    return STEP * np.sum(torques**2) + 1e4 * ((1 + np.cos(angle)) + 0.1 * speed**2)


def simulated(torques: Any) -> tuple[Any, Any]:
    """The ends of steps [steps + 1] and the states there [steps + 1, 2], by SciPy."""
    states = [np.zeros(2)]
    for torque in torques:
        end = solve_ivp(
            lambda _, s, u=torque: [s[1], u - GRAVITY * np.sin(s[0])], (0, STEP), states[-1], rtol=1e-9
        )
        states.append(end.y[:, -1])
    return STEP * np.arange(len(torques) + 1), np.array(states)


def draw(figure: Any, found: Found) -> None:
    """Positions of the mass over time, and the torques."""
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.4])
    angle = found.states[:, 0]
    x, y = np.sin(angle), -np.cos(angle)
    left.plot(x, y, color="C4", linewidth=0.8)
    left.scatter(x, y, c=found.times, s=14, cmap="viridis", zorder=3)
    left.plot([0, x[-1]], [0, y[-1]], color="black")
    left.set(aspect="equal", title="the mass, from dark to light")
    left.axis("off")
    right.plot(found.times, np.degrees(angle), label="angle [degrees]")
    right.set(xlabel="time [s]", ylabel="angle [degrees]")
    motor = right.twinx()
    motor.stairs(found.torques, found.times, baseline=None, color="C1", label="torque [N m]")
    motor.set(ylabel="torque [N m]", ylim=(-2 * LIMIT, 2 * LIMIT))
    for limit in (-LIMIT, LIMIT):
        motor.axhline(limit, color="C1", linewidth=0.6, linestyle="dotted")
    right.legend(handles=[right.lines[0], motor.patches[0]], loc="lower left")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
