"""The log posterior of a Gaussian mixture model with a Wishart prior on its precisions.

A mixture of k Gaussians in d dimensions is fitted to n points x_i. Component c has the weight
exp(alpha_c) / sum exp(alpha), the mean mu_c and the inverse covariance Q_c^T Q_c, where Q_c is
lower triangular, with exp(q_c) on its diagonal and l_c below. The objective is

    L = -n d/2 log(2 pi) + sum_i logsumexp_c( alpha_c + sum_j q_cj - 1/2 |Q_c (x_i - mu_c)|^2 )
        - n logsumexp(alpha) + prior(q, l)

and its gradient is wanted with respect to alpha, mu, q and l: n k d^2 multiplications, and a
parameter count that grows like k d^2.

Source: Srajer, Kukelova, Fitzgibbon, "A benchmark of selected algorithmic differentiation tools
on some problems in computer vision and machine learning", 2018.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln


class Instance(NamedTuple):
    """The arguments of `objective`, in its order; the first four are the parameters."""

    alpha: NDArray[Any]  # [k]
    mu: NDArray[Any]  # [k, d]
    q: NDArray[Any]  # [k, d]
    l: NDArray[Any]  # noqa: E741  [k, d (d - 1) / 2]
    x: NDArray[Any]  # [n, d]
    m: int
    gamma: float


def objective(alpha, mu, q, l, x, m, gamma):  # noqa: E741
    """The log posterior L of a mixture, a scalar.

    Shapes: alpha [k], mu [k, d], q [k, d], l [k, d (d - 1) / 2], x [n, d]; m and gamma are the
    scalar parameters of the Wishart prior.
    """
    return log_likelihood(alpha, mu, q, l, x) + log_wishart_prior(q, l, m, gamma)


def adbench_objective(alpha, mu, q, l, x, m, gamma):  # noqa: E741
    """The objective whose figures ADBench states: the prior is subtracted, not added."""
    return log_likelihood(alpha, mu, q, l, x) - log_wishart_prior(q, l, m, gamma)


def log_likelihood(alpha, mu, q, l, x):  # noqa: E741
    """The logarithm of the density of the points x [n, d] under the mixture."""
    n, d = x.shape
    precision = lower_triangular(q, l)
    whitened = np.einsum("cij,ncj->nci", precision, x[:, None, :] - mu)
    log_densities = alpha + np.sum(q, axis=1) - 0.5 * np.sum(whitened**2, axis=2)
    normaliser = 0.5 * n * d * np.log(2 * np.pi) + n * logsumexp(alpha)
    return np.sum(logsumexp(log_densities)) - normaliser


def lower_triangular(q, l):  # noqa: E741
    """The matrices Q [k, d, d]: exp(q) on the diagonal, l below it column by column, 0 above."""
    k, d = q.shape
    zero = np.zeros((k, 1), dtype=q.dtype)
    strictly_lower = np.concatenate((l, zero), axis=1)[:, packed_positions(d)]
    return np.where(np.eye(d, dtype=bool), np.exp(q)[:, :, None], strictly_lower)


def packed_positions(d):
    """Return where in a packed row the element (i, j) of a d x d matrix is found.

    The strict lower triangle is packed by columns, (1, 0), (2, 0), ..., (d-1, 0), (2, 1), ...;
    elements elsewhere get the position d (d - 1) / 2, one past the end of the row.

    >>> packed_positions(3)
    array([[3, 3, 3],
           [0, 3, 3],
           [1, 2, 3]])
    """
    columns, rows = np.triu_indices(d, 1)
    positions = np.full((d, d), rows.size)
    positions[rows, columns] = np.arange(rows.size)
    return positions


def logsumexp(x):
    """log(sum(exp(x))) over the last axis, shifted by the maximum so that nothing overflows."""
    largest = np.max(x, axis=-1)
    return largest + np.log(np.sum(np.exp(x - largest[..., None]), axis=-1))


def log_wishart_prior(q, l, m, gamma):  # noqa: E741
    """The logarithm of the Wishart density of all components, with N = d + m + 1:

        k (N d (log gamma - 1/2 log 2) - log Gamma_d(N / 2))
            - sum_c ( gamma^2/2 (|exp q_c|^2 + |l_c|^2) - m sum_j q_cj )

    where log Gamma_d(a) = d (d-1)/4 log pi + sum_{j=1..d} log Gamma(a + (1-j)/2).
    """
    k, d = q.shape
    degrees = d + m + 1
    log_gamma_d = 0.25 * d * (d - 1) * np.log(np.pi) + np.sum(gammaln(0.5 * (degrees - np.arange(d))))
    constant = degrees * d * (np.log(gamma) - 0.5 * np.log(2)) - log_gamma_d
    squares = np.sum(np.exp(q) ** 2) + np.sum(l**2)
    return k * constant - 0.5 * gamma**2 * squares + m * np.sum(q)


def read_instance(path: str | Path) -> Instance:
    """Reads a file of ADBench's gmm format.

    Its numbers, separated by white space, are: d, k, n; alpha; mu row by row; k rows holding a
    row of q followed by the row of l; n rows of x; gamma, m.
    """
    tokens = Path(path).read_text().split()
    d, k, n = (int(token) for token in tokens[:3])
    packed = d * (d - 1) // 2
    sizes = {"alpha": k, "mu": k * d, "triangles": k * (d + packed), "x": n * d, "wishart": 2}
    numbers = np.array(tokens[3:], dtype=np.float64)
    if numbers.size != sum(sizes.values()):
        raise ValueError(
            f"{path}: d={d}, k={k}, n={n} call for {sum(sizes.values())} numbers, the file has {numbers.size}"
        )
    alpha, mu, triangles, x, (gamma, m) = np.split(numbers, np.cumsum([*sizes.values()])[:-1])
    q, l = np.split(triangles.reshape(k, d + packed), [d], axis=1)  # noqa: E741
    return Instance(alpha, mu.reshape(k, d), q.copy(), l.copy(), x.reshape(n, d), int(m), gamma)


def random_instance(d: int, k: int, n: int, seed: int = 0) -> Instance:
    """A mixture and n points drawn at random: the means uniform in [0, 1), the rest normal."""
    rng = np.random.default_rng(seed)
    return Instance(
        alpha=rng.normal(size=k),
        mu=rng.uniform(size=(k, d)),
        q=rng.normal(size=(k, d)),
        l=rng.normal(size=(k, d * (d - 1) // 2)),
        x=rng.normal(size=(n, d)),
        m=0,
        gamma=1.0,
    )
