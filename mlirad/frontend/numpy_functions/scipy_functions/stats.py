"""Densities, distribution functions and quantiles of `scipy.stats` on traced arrays, by SciPy's names.

    stats.norm.logpdf(x, loc, scale)        stats.gamma(a).cdf(x)        stats.poisson.logpmf(k, mu)

Univariate distributions are made of their standard form (`distributions`) by location and scale: outside of
the support the density is 0, for shapes or scales that the distribution does not have all is NaN. Results are
float64, as SciPy's are. How methods are reached is said in `mlirad.frontend.tracing.library_calls`.
"""

from __future__ import annotations

from math import log, pi
from typing import Any

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import Flag, OperandLike
from mlirad.frontend.numpy_functions.linear_algebra import linear_systems, spectral
from mlirad.frontend.numpy_functions.linear_algebra.factors import parts
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions import DISTRIBUTIONS
from mlirad.frontend.numpy_functions.scipy_functions.distributions.methods import Method, as_float, methods_of
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.ir.matrices import diagonal

# Multivariate -------------------------------------------------------------------------------------


def _dirichlet_log_density(x: OperandLike, alpha: OperandLike) -> Array:
    """`scipy.stats.dirichlet.logpdf`. That the elements of x are positive and sum to 1 is not checked."""
    weights, at = as_float(alpha), as_float(x)
    if weights.ndim != 1 or not at.ndim or at.shape[0] not in (weights.size, weights.size - 1):
        raise shape_error(
            f"dirichlet: points of shape {at.shape} for an alpha of shape {weights.shape}",
            "the first axis of x has an entry for each of alpha; the last one may be left out",
        )
    if at.shape[0] < weights.size:
        at = xp.concatenate([at, 1.0 - xp.sum(at, axis=0, keepdims=True)])
    columns = xp.reshape(weights, (-1,) + (1,) * (at.ndim - 1))
    normaliser = xp.sum(special("gammaln", weights)) - special("gammaln", xp.sum(weights))
    return xp.squeeze(xp.sum(special("xlogy", columns - 1.0, at), axis=0) - normaliser)


def _dirichlet_density(x: OperandLike, alpha: OperandLike) -> Array:
    """`scipy.stats.dirichlet.pdf`."""
    return xp.exp(_dirichlet_log_density(x, alpha))


def _mean_and_covariance(mean: Any, cov: Any) -> tuple[Array, Array]:
    """A vector and a matrix, where SciPy takes numbers and diagonals too."""
    covariance = as_float(cov)
    centre = None if mean is None else xp.atleast_1d(as_float(mean))
    n = centre.size if centre is not None else covariance.shape[0] if covariance.ndim else 1
    if covariance.ndim < 2:
        covariance = xp.diag(xp.broadcast_to(covariance, (n,)))
    if centre is None:
        centre = xp.zeros(n)
    if centre.ndim != 1 or covariance.shape != (n, n):
        raise shape_error(
            f"multivariate_normal: a mean of shape {centre.shape}, a covariance of shape {covariance.shape}",
            "for a mean of n elements the covariance is a matrix of n rows and n columns",
        )
    return centre, covariance


def _regular(deviations: Array, covariance: Array) -> tuple[Any, Array, Array]:
    """Rank, logarithm of the determinant, and squared distances, by the Cholesky factor."""
    factor = linear_systems.cholesky(covariance)
    columns = xp.reshape(deviations, (-1, covariance.shape[0])).T
    b = emitting()
    white = made(b.triangular_solve(factor.value, columns.value))
    log_det = 2.0 * xp.sum(xp.log(made(diagonal(b, factor.value))))
    return covariance.shape[0], log_det, xp.reshape(xp.sum(white * white, axis=0), deviations.shape[:-1])


def _singular(deviations: Array, covariance: Array) -> tuple[Any, Array, Array]:
    """The same on the subspace that a singular matrix has; points beside it are infinitely far away.

    Its derivative is that at constant rank.
    """
    values, vectors = parts("eigh", covariance, "values", "vectors")
    limit = 1e6 * np.finfo(np.float64).eps * xp.max(xp.abs(values))
    counts = xp.greater(values, limit)
    log_det = xp.sum(xp.log(xp.where(counts, spectral.eigvalsh(covariance), 1.0)))
    inverse = spectral.pseudo_inverse(covariance, lambda _: limit)
    distances = xp.sum((deviations @ inverse) * deviations, axis=-1)
    beside = deviations @ xp.where(counts, 0.0, vectors)
    is_beside = xp.greater_equal(xp.sum(beside * beside, axis=-1), (1e3 * limit) ** 2)
    is_beside = is_beside & ~xp.all(counts)
    return xp.sum(counts), log_det, xp.where(is_beside, np.inf, distances)


def _normal_log_density(
    x: OperandLike, mean: OperandLike | None = None, cov: OperandLike = 1, allow_singular: Flag = False
) -> Array:
    """`scipy.stats.multivariate_normal.logpdf`. Raises for covariances that are not positive definite.

    With `allow_singular` the derivative is that at constant rank.
    """
    points = as_float(x)
    centre, covariance = _mean_and_covariance(mean, cov)
    if not points.ndim or (points.ndim == 1 and centre.size == 1):
        points = xp.reshape(points, (-1, 1))
    if points.shape[-1] not in (1, centre.size):
        raise shape_error(
            f"multivariate_normal: points of shape {points.shape} for a mean of shape {centre.shape}",
            "the last axis of x has the components of a point",
        )
    deviations = points - centre
    rank, log_det, distances = (_singular if allow_singular else _regular)(deviations, covariance)
    return xp.squeeze(-0.5 * (rank * log(2 * pi) + log_det + distances))


def _normal_density(
    x: OperandLike, mean: OperandLike | None = None, cov: OperandLike = 1, allow_singular: Flag = False
) -> Array:
    """`scipy.stats.multivariate_normal.pdf`."""
    return xp.exp(_normal_log_density(x, mean, cov, allow_singular))


def _normal_entropy(mean: OperandLike | None = None, cov: OperandLike = 1) -> Array:
    """`scipy.stats.multivariate_normal.entropy`, of covariances that may be singular."""
    centre, covariance = _mean_and_covariance(mean, cov)
    rank, log_det, _ = _singular(xp.zeros_like(centre), covariance)
    return 0.5 * (rank * (log(2 * pi) + 1.0) + log_det)


METHODS: dict[str, dict[str, Method]] = {
    **{name: methods_of(name, d) for name, d in DISTRIBUTIONS.items()},
    "dirichlet": {"logpdf": _dirichlet_log_density, "pdf": _dirichlet_density},
    "multivariate_normal": {
        "logpdf": _normal_log_density, "pdf": _normal_density, "entropy": _normal_entropy,
    },
}  # fmt: skip
"""By the name of a distribution in `scipy.stats`, and of a method of it, what traces that."""
