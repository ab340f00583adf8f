"""The Kalman filter: the log likelihood of a linear Gaussian model, whose states are not observed.

    z_0 ~ N(0, 1),    z_t = A z_{t-1} + N(0, q^2 1),    y_t = C z_t + N(0, r^2 1)

(Source: R. E. Kalman, A new approach to linear filtering and prediction problems, 1960.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import mlirad as ad


class Instance(NamedTuple):
    """A [n, n], C [m, n], logarithms of the deviations q and r, and observations [steps, m]."""

    transition: NDArray[Any]
    emission: NDArray[Any]
    log_state: Any
    log_observation: Any
    observations: NDArray[Any]


def log_likelihood(transition, emission, log_state, log_observation, observations):
    """The log likelihood of the observations."""
    states, size = transition.shape[0], emission.shape[0]
    state_noise = np.exp(2 * log_state) * np.eye(states)
    noise = np.exp(2 * log_observation) * np.eye(size)

    def step(carry, observed):
        mean, covariance, total = carry
        error = observed - emission @ mean
        spread = emission @ covariance @ emission.T + noise
        gain = np.linalg.solve(spread, emission @ covariance).T
        total = total - 0.5 * (error @ np.linalg.solve(spread, error) + np.linalg.slogdet(spread)[1])
        mean = transition @ (mean + gain @ error)
        covariance = transition @ (covariance - gain @ emission @ covariance) @ transition.T + state_noise
        return mean, covariance, total

    start = (np.zeros(states), np.eye(states), 0.0)
    total = ad.fold(step, start, observations)[2]
    return total - 0.5 * observations.size * np.log(2 * np.pi)


def random_instance(steps: int, states: int = 4, size: int = 2, seed: int = 0) -> Instance:
    """A stable random model, and observations that are normal."""
    rng = np.random.default_rng(seed)
    turned = np.linalg.qr(rng.normal(size=(states, states)))[0]
    return Instance(
        0.9 * turned,
        rng.normal(size=(size, states)),
        np.float64(-1.0),
        np.float64(-0.5),
        rng.normal(size=(steps, size)),
    )
