"""Densities of vectors and matrices of `scipy.stats`: Dirichlet, normal, Student's and Wishart's.

stats.multivariate_normal.logpdf(x, mean, cov)        stats.wishart.logpdf(x, df, scale)
"""

from __future__ import annotations

from math import log, pi
from typing import Any

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import Flag, OperandLike
from mlirad.frontend.numpy_functions.linear_algebra import linear_systems, spectral
from mlirad.frontend.numpy_functions.linear_algebra.determinants import slogdet
from mlirad.frontend.numpy_functions.linear_algebra.factors import parts
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.methods import Method, as_float
from mlirad.frontend.numpy_functions.scipy_functions.special import multigammaln
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.ir.matrices import diagonal


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


def _mean_and_covariance(name: str, mean: Any, cov: Any) -> tuple[Array, Array]:
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
            f"{name}: a mean of shape {centre.shape}, a covariance of shape {covariance.shape}",
            "for a mean of n elements the covariance is a matrix of n rows and n columns",
        )
    return centre, covariance


def _deviations(name: str, x: Any, mean: Any, cov: Any) -> tuple[Array, Array]:
    """Points less the mean, and the covariance."""
    points = as_float(x)
    centre, covariance = _mean_and_covariance(name, mean, cov)
    if not points.ndim or (points.ndim == 1 and centre.size == 1):
        points = xp.reshape(points, (-1, 1))
    if points.shape[-1] not in (1, centre.size):
        raise shape_error(
            f"{name}: points of shape {points.shape} for a mean of shape {centre.shape}",
            "the last axis of x has the components of a point",
        )
    return points - centre, covariance


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
    deviations, covariance = _deviations("multivariate_normal", x, mean, cov)
    rank, log_det, distances = (_singular if allow_singular else _regular)(deviations, covariance)
    return xp.squeeze(-0.5 * (rank * log(2 * pi) + log_det + distances))


def _normal_density(
    x: OperandLike, mean: OperandLike | None = None, cov: OperandLike = 1, allow_singular: Flag = False
) -> Array:
    """`scipy.stats.multivariate_normal.pdf`."""
    return xp.exp(_normal_log_density(x, mean, cov, allow_singular))


def _normal_entropy(mean: OperandLike | None = None, cov: OperandLike = 1) -> Array:
    """`scipy.stats.multivariate_normal.entropy`, of covariances that may be singular."""
    centre, covariance = _mean_and_covariance("multivariate_normal", mean, cov)
    rank, log_det, _ = _singular(xp.zeros_like(centre), covariance)
    return 0.5 * (rank * (log(2 * pi) + 1.0) + log_det)


def _student_log_density(
    x: OperandLike, loc: OperandLike | None = None, shape: OperandLike = 1, df: OperandLike = 1,
    allow_singular: Flag = False,
) -> Array:  # fmt: skip
    """`scipy.stats.multivariate_t.logpdf`, for infinite df that of the normal distribution."""
    deviations, scale = _deviations("multivariate_t", x, loc, shape)
    rank, log_det, distances = (_singular if allow_singular else _regular)(deviations, scale)
    given = as_float(df)
    is_normal = xp.isinf(given)
    freedom = xp.where(is_normal, 1.0, given)
    ratio = special("gammaln", 0.5 * (freedom + rank)) - special("gammaln", 0.5 * freedom)
    powers = 0.5 * (freedom + rank) * xp.log1p(distances / freedom)
    student = ratio - 0.5 * rank * xp.log(freedom * pi) - powers
    found = xp.where(is_normal, -0.5 * (rank * log(2 * pi) + distances), student)
    return xp.squeeze(xp.where(xp.greater(given, 0), found - 0.5 * log_det, np.nan))


def _student_density(
    x: OperandLike, loc: OperandLike | None = None, shape: OperandLike = 1, df: OperandLike = 1,
    allow_singular: Flag = False,
) -> Array:  # fmt: skip
    """`scipy.stats.multivariate_t.pdf`."""
    return xp.exp(_student_log_density(x, loc, shape, df, allow_singular))


# Of matrices ------------------------------------------------------------------------------------------


def _matrix(name: str, scale: Any) -> Array:
    """A square matrix, where SciPy takes numbers and diagonals too."""
    found = as_float(scale)
    found = xp.diag(xp.atleast_1d(found)) if found.ndim < 2 else found
    if found.ndim != 2 or found.shape[0] != found.shape[1]:
        raise shape_error(
            f"{name}: a scale of shape {found.shape}", "the scale is a matrix of as many rows as columns"
        )
    return found


def _matrices(name: str, x: Any, scale: Any) -> tuple[Array, Array]:
    """Points, which are matrices along the first two axes, as a stack of these, and the scale."""
    base, points = _matrix(name, scale), as_float(x)
    n = base.shape[0]
    if not points.ndim:
        points = points * xp.eye(n)
    elif points.ndim == 1:
        points = xp.diag(points) if points.shape[0] == n else points[None, None, :]
    if points.shape[:2] != (n, n):
        raise shape_error(
            f"{name}: points of shape {points.shape} for a scale of shape {base.shape}",
            "the first two axes of x are those of the scale",
        )
    return xp.moveaxis(xp.reshape(points, (n, n, -1)), -1, 0), base


def _wishart(name: str, x: Any, df: Any, scale: Any, is_inverse: bool) -> Array:
    points, base = _matrices(name, x, scale)
    n, freedom = base.shape[0], as_float(df)
    log_det, base_log_det = slogdet(points)[1], slogdet(base)[1]
    if is_inverse:
        solved = linear_systems.solve(points, xp.broadcast_to(base, points.shape))
        powers = 0.5 * freedom * base_log_det - 0.5 * (freedom + n + 1) * log_det
    else:
        solved = linear_systems.solve(xp.broadcast_to(base, points.shape), points)
        powers = 0.5 * (freedom - n - 1) * log_det - 0.5 * freedom * base_log_det
    trace = xp.sum(xp.diagonal(solved, 0, -2, -1), axis=-1)
    normaliser = 0.5 * n * log(2) * freedom + multigammaln(0.5 * freedom, n)
    found = powers - 0.5 * trace - normaliser
    shape = as_float(x).shape[2:]
    found = xp.reshape(found, shape) if shape else found
    return xp.squeeze(xp.where(xp.greater(freedom, n - 1), found, np.nan))


def _wishart_log_density(x: OperandLike, df: OperandLike, scale: OperandLike) -> Array:
    """`scipy.stats.wishart.logpdf`. That points and scale are positive definite is not checked."""
    return _wishart("wishart", x, df, scale, is_inverse=False)


def _wishart_density(x: OperandLike, df: OperandLike, scale: OperandLike) -> Array:
    """`scipy.stats.wishart.pdf`."""
    return xp.exp(_wishart_log_density(x, df, scale))


def _inverse_log_density(x: OperandLike, df: OperandLike, scale: OperandLike) -> Array:
    """`scipy.stats.invwishart.logpdf`. That points and scale are positive definite is not checked."""
    return _wishart("invwishart", x, df, scale, is_inverse=True)


def _inverse_density(x: OperandLike, df: OperandLike, scale: OperandLike) -> Array:
    """`scipy.stats.invwishart.pdf`."""
    return xp.exp(_inverse_log_density(x, df, scale))


METHODS: dict[str, dict[str, Method]] = {
    "dirichlet": {"logpdf": _dirichlet_log_density, "pdf": _dirichlet_density},
    "multivariate_normal": {
        "logpdf": _normal_log_density, "pdf": _normal_density, "entropy": _normal_entropy,
    },
    "multivariate_t": {"logpdf": _student_log_density, "pdf": _student_density},
    "wishart": {"logpdf": _wishart_log_density, "pdf": _wishart_density},
    "invwishart": {"logpdf": _inverse_log_density, "pdf": _inverse_density},
}  # fmt: skip
"""The functions that trace methods of distributions in `scipy.stats`, by the names of both."""
