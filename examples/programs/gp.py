"""Regression by a Gaussian process: the negative log marginal likelihood of its hyperparameters.

    k(x, x') = a^2 exp(-sum_d (x_d - x'_d)^2 / (2 l_d^2)),    K = k(X, X) + s^2 1
    objective = (y^T K^-1 y + log det K + n log 2 pi) / 2

(Source: C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, 2006, chapter 5.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray


class Instance(NamedTuple):
    """Logarithms of length scales [d], amplitude and noise; inputs [n, d] and targets [n]."""

    log_lengths: NDArray[Any]
    log_amplitude: Any
    log_noise: Any
    inputs: NDArray[Any]
    targets: NDArray[Any]


def covariance(log_lengths, log_amplitude, log_noise, inputs):
    """The covariance [n, n] of the targets."""
    scaled = inputs * np.exp(-log_lengths)
    squares = np.sum(scaled * scaled, axis=1)
    distances = squares[:, None] + squares[None, :] - 2 * scaled @ scaled.T
    kernel = np.exp(2 * log_amplitude - 0.5 * distances)
    return kernel + np.exp(2 * log_noise) * np.eye(inputs.shape[0])


def objective(log_lengths, log_amplitude, log_noise, inputs, targets):
    """The negative log marginal likelihood."""
    factor = scipy.linalg.cho_factor(covariance(log_lengths, log_amplitude, log_noise, inputs), lower=True)
    weights = scipy.linalg.cho_solve(factor, targets)
    half_log_determinant = np.sum(np.log(np.diagonal(factor[0])))
    return 0.5 * targets @ weights + half_log_determinant + 0.5 * targets.shape[0] * np.log(2 * np.pi)


def random_instance(n: int, d: int = 3, seed: int = 0) -> Instance:
    """n noisy values of a smooth function of d inputs."""
    rng = np.random.default_rng(seed)
    inputs = rng.uniform(-2, 2, (n, d))
    targets = np.sin(inputs).sum(axis=1) + 0.1 * rng.normal(size=n)
    return Instance(rng.normal(size=d) / 4, np.float64(0.2), np.float64(-1.5), inputs, targets)
