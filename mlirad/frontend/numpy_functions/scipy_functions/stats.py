"""Densities, distribution functions and quantiles of `scipy.stats` on traced arrays, by SciPy's names.

    stats.norm.logpdf(x, loc, scale)        stats.gamma(a).cdf(x)        stats.poisson.logpmf(k, mu)

Univariate distributions are made of their standard form (`distributions`) by location and scale: outside of
the support the density is 0, for shapes or scales that the distribution does not have all is NaN. Results are
float64, as SciPy's are. How methods are reached is said in `mlirad.frontend.tracing.library_calls`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from math import log, pi
from typing import Any, cast

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import Flag, OperandLike
from mlirad.frontend.numpy_functions.linear_algebra import linear_systems, spectral
from mlirad.frontend.numpy_functions.linear_algebra.factors import parts
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions import DISTRIBUTIONS, Distribution, Formula
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, converted, xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.ir.matrices import diagonal

Method = Callable[..., Any]


def _float(value: Any) -> Array:
    return converted(as_array(value), F64)


# Univariate ---------------------------------------------------------------------------------------


class _Point:
    """A point in standard form, with the shapes, and where it lies."""

    def __init__(self, d: Distribution, x: Any, shapes: list[Any], loc: Any, scale: Any):
        self.shapes = shapes
        self.scale = scale
        self.x = (x - loc) / scale
        given = d.allowed(*shapes) & xp.greater(scale, 0)
        self.is_known = given & ~xp.isnan(self.x)
        self.is_above = xp.greater(self.x, d.top(*shapes))
        self.is_below = xp.less(self.x, d.low)

    def chosen(self, formula: Formula, below: float, above: float) -> Array:
        """A formula of the point inside of the support, numbers beside it, NaN where nothing is known."""
        found = cast("Callable[..., Any]", formula)(self.x, *self.shapes)
        found = xp.where(self.is_below, below, xp.where(self.is_above, above, found))
        return xp.where(self.is_known, found, np.nan)


def _point(d: Distribution, x: Any, given: dict[str, Any]) -> _Point:
    scale = _float(given.get("scale", 1.0))
    shapes = [_float(given[name]) for name in d.shapes]
    return _Point(d, _float(x), shapes, _float(given.get("loc", 0.0)), scale)


def _log_density(d: Distribution, x: Any, given: dict[str, Any]) -> Array:
    at = _point(d, x, given)
    if d.is_discrete:
        at.is_below = at.is_below | xp.not_equal(at.x, xp.floor(at.x))
    found = at.chosen(d.log_density, -np.inf, -np.inf)
    return found - xp.log(at.scale) if "scale" in given else found


def _density(d: Distribution, x: Any, given: dict[str, Any]) -> Array:
    return xp.exp(_log_density(d, x, given))


def _log_of(formula: Formula, rest: Formula) -> Formula:
    """The logarithm of a probability, by that of the rest where it is near 1."""

    def logarithm(*operands: Any) -> Any:
        found, other = (cast("Callable[..., Any]", f)(*operands) for f in (formula, rest))
        return xp.where(xp.less(other, 0.5), xp.log1p(-other), xp.log(found))

    return logarithm


def _share(name: str) -> Callable[[Distribution, Any, dict[str, Any]], Array]:
    """The probability of one side of a point, or its logarithm."""
    is_cdf, is_log = name.endswith("cdf"), name.startswith("log")
    none, all_ = (-np.inf, 0.0) if is_log else (0.0, 1.0)

    def share(d: Distribution, x: Any, given: dict[str, Any]) -> Array:
        formula, rest, logarithm = (d.cdf, d.sf, d.log_cdf) if is_cdf else (d.sf, d.cdf, d.log_sf)
        if is_log:
            formula = logarithm or _log_of(formula, rest)
        at = _point(d, x, given)
        if d.is_discrete:
            at.x = xp.floor(at.x)
        return at.chosen(formula, *((none, all_) if is_cdf else (all_, none)))

    return share


def _quantile(name: str) -> Callable[[Distribution, Any, dict[str, Any]], Array]:
    def quantile(d: Distribution, q: Any, given: dict[str, Any]) -> Array:
        formula = cast("Callable[..., Any]", d.ppf if name == "ppf" else d.isf)
        share = _float(q)
        loc, scale = (_float(given.get(k, v)) for k, v in (("loc", 0.0), ("scale", 1.0)))
        shapes = [_float(given[k]) for k in d.shapes]
        ends = (d.low, d.top(*shapes)) if name == "ppf" else (d.top(*shapes), d.low)
        found = xp.where(
            xp.equal(share, 0), ends[0], xp.where(xp.equal(share, 1), ends[1], formula(share, *shapes))
        )
        known = d.allowed(*shapes) & xp.greater(scale, 0)
        known = known & xp.greater_equal(share, 0) & xp.less_equal(share, 1)
        return xp.where(known, found * scale + loc, np.nan)

    return quantile


def _method(
    d: Distribution, first: str, compute: Callable[[Distribution, Any, dict[str, Any]], Array]
) -> Method:
    """A method with SciPy's parameters: the point, the shapes, `loc`, and `scale` unless it is discrete."""

    def method(**given: Any) -> Array:
        x = given.pop(first)
        return compute(d, x, given)

    kind = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter(name, kind) for name in (first, *d.shapes)]
    parameters.append(Parameter("loc", kind, default=0))
    if not d.is_discrete:
        parameters.append(Parameter("scale", kind, default=1))
    setattr(method, "__signature__", Signature(parameters))  # noqa: B010
    method.__annotations__ = {p.name: OperandLike for p in parameters}
    return method


def _methods(d: Distribution) -> dict[str, Method]:
    first = "k" if d.is_discrete else "x"
    density = "pmf" if d.is_discrete else "pdf"
    found = {density: _method(d, first, _density), f"log{density}": _method(d, first, _log_density)}
    for name in ("cdf", "sf", "logcdf", "logsf"):
        found[name] = _method(d, first, _share(name))
    if d.ppf is not None:
        found |= {name: _method(d, "q", _quantile(name)) for name in ("ppf", "isf")}
    return found


# Multivariate -------------------------------------------------------------------------------------


def _dirichlet_log_density(x: OperandLike, alpha: OperandLike) -> Array:
    """`scipy.stats.dirichlet.logpdf`. That the elements of x are positive and sum to 1 is not checked."""
    weights, at = _float(alpha), _float(x)
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
    covariance = _float(cov)
    centre = None if mean is None else xp.atleast_1d(_float(mean))
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
    points = _float(x)
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
    **{name: _methods(d) for name, d in DISTRIBUTIONS.items()},
    "dirichlet": {"logpdf": _dirichlet_log_density, "pdf": _dirichlet_density},
    "multivariate_normal": {
        "logpdf": _normal_log_density, "pdf": _normal_density, "entropy": _normal_entropy,
    },
}  # fmt: skip
"""By the name of a distribution in `scipy.stats`, and of a method of it, what traces that."""
