"""An extended Kalman filter of a pendulum learns how noisy its sensor and its forces are.

    python examples/extended_kalman_filter.py --plot filter.svg

The filter follows a nonlinear motion by linearising it: the Jacobians of a step and of the sensor are
`ad.jacobian` inside the loop, and the gradient of the likelihood by both noises differentiates them once
more. The witness is a filter in NumPy with Jacobians by hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import mlirad as ad

STEP, GRAVITY, FRICTION = 0.05, 9.81, 0.2
START, DOUBT = np.array([1.0, 0.0]), 0.1 * np.eye(2)
TRUE = np.log([0.5, 0.2])  # deviations of the forces and of the sensor


class Found(NamedTuple):
    """True states [n, 2], what the sensor saw [n, 2], the filter's means [n, 2], and learned deviations."""

    states: Any
    seen: Any
    means: Any
    learned: Any


def main(count: int = 300) -> Found:
    """Learn both noises from `count` sightings."""
    states, seen = track(count)
    problem = ad.scipy.objective(negative_log_likelihood, np.zeros(2), seen)
    fit = minimize(problem.fun, problem.x0, jac=problem.jac, method="BFGS", options={"gtol": 1e-4})
    curvature = ad.hessian(negative_log_likelihood)(fit.x, seen)
    uncertainty = np.sqrt(np.diag(np.linalg.inv(curvature)))
    for name, true, found, error in zip(("forces", "sensor"), TRUE, fit.x, uncertainty, strict=True):
        print(f"deviation of {name}: {np.exp(found):.3f} +- {np.exp(found) * error:.3f}, true {np.exp(true)}")
    assert np.all(np.abs(fit.x - TRUE) < 3.5 * uncertainty)

    means, by_hand = by_numpy(fit.x, seen)
    print(f"negative log likelihood {fit.fun:.6f}, with Jacobians by hand {by_hand:.6f}")
    assert abs(by_hand - fit.fun) < 1e-9 * abs(by_hand)
    np.testing.assert_allclose(ad.jit(filtered)(fit.x, seen)[0], means, rtol=1e-9, atol=1e-9)
    return Found(states, seen, means, np.exp(fit.x))


def moved(x: Any) -> Any:
    """Angle and speed after a step, without random forces."""
    return np.stack([x[0] + STEP * x[1], x[1] - STEP * (GRAVITY * np.sin(x[0]) + FRICTION * x[1])])


def sight(x: Any) -> Any:
    """Return where the bob is."""
    return np.stack([np.sin(x[0]), -np.cos(x[0])])


def filtered(logarithms: Any, seen: Any) -> Any:
    """The means after each sighting [n, 2], and the logarithms of the densities of sightings [n]."""
    forces, sensor = np.exp(2 * logarithms)
    restless = forces * np.diag(np.array([0.0, STEP]))

    def step(carry: Any, z: Any) -> Any:
        mean, covariance = carry
        motion = ad.jacobian(moved)(mean)
        mean, covariance = moved(mean), motion @ covariance @ motion.T + restless
        sensitivity = ad.jacobian(sight)(mean)
        innovation = z - sight(mean)
        spread = sensitivity @ covariance @ sensitivity.T + sensor * np.eye(2)
        gain = np.linalg.solve(spread, sensitivity @ covariance).T
        distance = innovation @ np.linalg.solve(spread, innovation)
        density = -0.5 * (distance + np.linalg.slogdet(2 * np.pi * spread)[1])
        mean, covariance = mean + gain @ innovation, covariance - gain @ sensitivity @ covariance
        return (mean, covariance), (mean, density)

    return ad.scan(step, (START, DOUBT), seen)[1]


def negative_log_likelihood(logarithms: Any, seen: Any) -> Any:
    """Minus the log likelihood of all sightings."""
    return -np.sum(filtered(logarithms, seen)[1])


def track(count: int) -> tuple[Any, Any]:
    """A pendulum that random forces push [n, 2], and where a sensor sees it [n, 2]."""
    rng = np.random.default_rng(4)
    state, states = START, []
    for _ in range(count):
        push = np.exp(TRUE[0]) * np.sqrt(STEP) * rng.normal()
        state = moved(state) + np.array([0.0, push])
        states.append(state)
    states = np.array(states)
    return states, sight(states.T).T + np.exp(TRUE[1]) * rng.normal(size=(count, 2))


def by_numpy(logarithms: Any, seen: Any) -> tuple[Any, float]:
    """Means and the negative log likelihood of the same filter, with Jacobians by hand."""
    forces, sensor = np.exp(2 * np.asarray(logarithms))
    x, p, means, total = START, DOUBT, [], 0.0
    for z in seen:
        f = np.array([[1.0, STEP], [-STEP * GRAVITY * np.cos(x[0]), 1 - STEP * FRICTION]])
        x, p = moved(x), f @ p @ f.T + forces * np.diag(np.array([0.0, STEP]))
        h = np.array([[np.cos(x[0]), 0.0], [np.sin(x[0]), 0.0]])
        v, s = z - sight(x), h @ p @ h.T + sensor * np.eye(2)
        total += 0.5 * (v @ np.linalg.inv(s) @ v + np.log(np.linalg.det(2 * np.pi * s)))
        k = p @ h.T @ np.linalg.inv(s)
        x, p = x + k @ v, p - k @ h @ p
        means.append(x)
    return np.array(means), total


def draw(figure: Any, found: Found) -> None:
    """The angle, as the sensor saw it, as the filter has it, and the true one."""
    axes = figure.subplots()
    times = STEP * (1 + np.arange(len(found.seen)))
    axes.plot(times, np.arctan2(found.seen[:, 0], -found.seen[:, 1]), ".", color="C4", label="seen")
    axes.plot(times, found.means[:, 0], label="filtered")
    axes.plot(times, found.states[:, 0], color="black", linewidth=0.8, label="true")
    forces, sensor = found.learned
    axes.set(
        xlabel="time [s]",
        ylabel="angle",
        title=f"deviations learned: forces {forces:.2f}, sensor {sensor:.2f}",
    )
    axes.legend()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
