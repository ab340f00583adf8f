"""A Kalman filter learns how noisy its sensor is and how restless its target, by the likelihood of a track.

    python examples/kalman_filter.py --plot kalman.svg

The filter is an `ad.scan` over measurements that carries mean and covariance, and adds up the log
likelihood. Newton's method takes its gradient and its Hessian by both noises, which are derivatives of
the loop. All measurements together are one normal vector, whose density by SciPy is the witness.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

import mlirad as ad

STEP = 0.1
MOTION = np.array([[1.0, STEP], [0.0, 1.0]])  # position and speed after a step
RESTLESS = np.array(
    [[STEP**3 / 3, STEP**2 / 2], [STEP**2 / 2, STEP]]
)  # what random forces add to their covariance
PRIOR = np.diag([4.0, 4.0])
TRUE = np.log([1.5, 0.6])  # deviations of the forces and of the sensor


class Found(NamedTuple):
    """True states [n, 2], measurements, and the filter's means [n, 2] and deviations of the position."""

    states: Any
    measured: Any
    means: Any
    deviations: Any
    learned: Any
    uncertainty: Any


def main(count: int = 150) -> Found:
    """Learn both noises from a track."""
    states, measured = track(count)
    problem = ad.scipy.objective(negative_log_likelihood, np.zeros(2), measured)
    fit = minimize(problem.fun, problem.x0, jac=problem.jac, hess=problem.hess, method="trust-exact")
    uncertainty = np.sqrt(np.diag(np.linalg.inv(problem.hess(fit.x))))
    for name, true, found, error in zip(("forces", "sensor"), TRUE, fit.x, uncertainty, strict=True):
        print(f"deviation of {name}: {np.exp(found):.3f} +- {np.exp(found) * error:.3f}, true {np.exp(true)}")
    assert np.all(np.abs(fit.x - TRUE) < 3 * uncertainty)
    density = multivariate_normal.logpdf(measured, np.zeros(count), joint_covariance(fit.x, count))
    assert abs(density + fit.fun) < 1e-9 * abs(density)

    means, covariances, _ = ad.jit(filtered)(fit.x, measured)
    deviations = np.sqrt(covariances[:, 0, 0])
    before, after = (np.sqrt(np.mean((x - states[:, 0]) ** 2)) for x in (measured, means[:, 0]))
    print(f"measurements are {before:.3f} off, the filter {after:.3f}")
    assert after < 0.7 * before
    return Found(states, measured, means, deviations, np.exp(fit.x), np.exp(fit.x) * uncertainty)


def filtered(logarithms: Any, measured: Any) -> Any:
    """Means [n, 2] and covariances [n, 2, 2] after each measurement, and the logarithms of its density."""
    forces, sensor = np.exp(2 * logarithms)

    def step(carry: Any, z: Any) -> Any:
        mean, covariance = carry
        mean, covariance = MOTION @ mean, MOTION @ covariance @ MOTION.T + forces * RESTLESS
        innovation, variance = z - mean[0], covariance[0, 0] + sensor
        gain = covariance[:, 0] / variance
        mean, covariance = mean + gain * innovation, covariance - np.outer(gain, covariance[0])
        density = -0.5 * (innovation**2 / variance + np.log(2 * np.pi * variance))
        return (mean, covariance), (mean, covariance, density)

    return ad.scan(step, (np.zeros(2), PRIOR), measured)[1]


def negative_log_likelihood(logarithms: Any, measured: Any) -> Any:
    """Minus the log likelihood of all measurements."""
    return -np.sum(filtered(logarithms, measured)[2])


def track(count: int) -> tuple[Any, Any]:
    """A target that random forces move [n, 2], and where a sensor sees it."""
    rng = np.random.default_rng(28)
    root, state, states = np.linalg.cholesky(RESTLESS), np.zeros(2), []
    for _ in range(count):
        state = MOTION @ state + np.exp(TRUE[0]) * root @ rng.normal(size=2)
        states.append(state)
    states = np.array(states)
    return states, states[:, 0] + np.exp(TRUE[1]) * rng.normal(size=count)


def joint_covariance(logarithms: Any, count: int) -> Any:
    """The covariance of all measurements together, without a filter."""
    forces, sensor = np.exp(2 * np.asarray(logarithms))
    now, matrix = PRIOR, np.zeros((count, count))
    for i in range(count):
        now = MOTION @ now @ MOTION.T + forces * RESTLESS
        later = now
        for j in range(i, count):
            matrix[i, j] = matrix[j, i] = later[0, 0]
            later = MOTION @ later
    return matrix + sensor * np.eye(count)


def draw(figure: Any, found: Found) -> None:
    """The track, and what the filter makes of the measurements."""
    axes = figure.subplots()
    times = STEP * np.arange(len(found.measured))
    mean, deviation = found.means[:, 0], found.deviations
    axes.plot(times, found.measured, ".", color="C4", label="measured")
    axes.fill_between(times, mean - 2 * deviation, mean + 2 * deviation, color="C0", alpha=0.25, linewidth=0)
    axes.plot(times, mean, label="filtered, with twice its deviation")
    axes.plot(times, found.states[:, 0], color="black", linewidth=0.8, label="true")
    learned = ", ".join(f"{x:.2f} ± {e:.2f}" for x, e in zip(found.learned, found.uncertainty, strict=True))
    axes.set(
        xlabel="time [s]", ylabel="position [m]", title=f"learned deviations of forces and sensor: {learned}"
    )
    axes.legend()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
