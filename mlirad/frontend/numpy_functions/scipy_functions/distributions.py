"""The distributions of `scipy.stats` in standard form: formulas of traced arrays, by their names there.

    DISTRIBUTIONS["gamma"].log_density(x, a)      (a - 1) log(x) - x - log(gamma(a))

Formulas hold inside of the support. What is so outside of it, and location and scale, are the business of
`stats.py`, which makes SciPy's methods of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log, pi, sqrt
from typing import Any, Final, TypeAlias, cast

from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.tracing.operations import xp

Formula: TypeAlias = Callable[[Any], Any] | Callable[[Any, Any], Any] | Callable[[Any, Any, Any], Any]
"""A function of a point, or a probability, and the shapes."""

Condition: TypeAlias = Callable[[], Any] | Callable[[Any], Any] | Callable[[Any, Any], Any]
"""A function of the shapes."""


def _above_zero(*shapes: Any) -> Any:
    """Whether all shapes are positive."""
    found = True
    for shape in shapes:
        found = found & xp.greater(shape, 0)
    return found


@dataclass(frozen=True)
class Distribution:
    """A distribution with `shapes`: its formulas, where they hold, and for which shapes.

    `log_density` is the logarithm of the density, or of the probability of a number. `cdf` is the probability
    of what is not above a point, `sf` of what is above it, and these have logarithms of their own where that
    is more accurate. `ppf` is the inverse of `cdf`, and `isf` that of `sf`.
    """

    shapes: tuple[str, ...]
    log_density: Formula
    cdf: Formula
    sf: Formula
    log_cdf: Formula | None = None
    log_sf: Formula | None = None
    ppf: Formula | None = None
    isf: Formula | None = None
    low: float = -inf
    high: float | Condition = inf
    is_discrete: bool = False
    allows: Condition = _above_zero

    def top(self, *shapes: Any) -> Any:
        """The upper end of the support."""
        return cast("Callable[..., Any]", self.high)(*shapes) if callable(self.high) else self.high

    def allowed(self, *shapes: Any) -> Any:
        """Whether there is a distribution with these shapes."""
        return cast("Callable[..., Any]", self.allows)(*shapes)


# Continuous ---------------------------------------------------------------------------------------


def _gamma(a: Any, x: Any) -> Any:
    return special("xlogy", a - 1.0, x) - x - special("gammaln", a)


def _student(df: Any, x: Any) -> Any:
    normaliser = special("betaln", df * 0.5, 0.5) + 0.5 * xp.log(df)
    found = (df + 1) * -0.5 * xp.log1p(x * x / df) - normaliser
    return xp.where(xp.isinf(df), _normal(x), found)


def _normal(x: Any) -> Any:
    return x * x * -0.5 - 0.5 * log(2 * pi)


def _lognormal(x: Any, s: Any) -> Any:
    return _normal(xp.log(x) / s) - xp.log(s * x)


def _logistic(x: Any) -> Any:
    size = -xp.abs(x)
    return size - 2.0 * xp.log1p(xp.exp(size))


def _laplace_below(x: Any) -> Any:
    far = 0.5 * xp.exp(-xp.abs(x))
    return xp.where(xp.less(x, 0), far, 1.0 - far)


def _laplace_log_below(x: Any) -> Any:
    far = 0.5 * xp.exp(-xp.abs(x))
    return xp.where(xp.less(x, 0), x - log(2), xp.log1p(-far))


def _laplace_quantile(q: Any) -> Any:
    return xp.where(xp.greater(q, 0.5), -xp.log(2 * (1 - q)), xp.log(2 * q))


def _cauchy_above(x: Any) -> Any:
    return xp.arctan2(1.0, x) / pi


_CONTINUOUS: Final[dict[str, Distribution]] = {
    "norm": Distribution(
        (), _normal,
        cdf=lambda x: special("ndtr", x), sf=lambda x: special("ndtr", -x),
        log_cdf=lambda x: special("log_ndtr", x), log_sf=lambda x: special("log_ndtr", -x),
        ppf=lambda q: special("ndtri", q), isf=lambda q: -special("ndtri", q),
    ),
    "gamma": Distribution(
        ("a",), lambda x, a: _gamma(a, x),
        cdf=lambda x, a: special("gammainc", a, x), sf=lambda x, a: special("gammaincc", a, x),
        ppf=lambda q, a: special("gammaincinv", a, q),
        isf=lambda q, a: special("gammainccinv", a, q), low=0.0,
    ),
    "chi2": Distribution(
        ("df",), lambda x, df: _gamma(0.5 * df, 0.5 * x) - log(2),
        cdf=lambda x, df: special("gammainc", 0.5 * df, 0.5 * x),
        sf=lambda x, df: special("gammaincc", 0.5 * df, 0.5 * x),
        ppf=lambda q, df: 2.0 * special("gammaincinv", 0.5 * df, q),
        isf=lambda q, df: 2.0 * special("gammainccinv", 0.5 * df, q), low=0.0,
    ),
    "beta": Distribution(
        ("a", "b"),
        lambda x, a, b: special("xlogy", a - 1.0, x) + special("xlog1py", b - 1.0, -x)
        - special("betaln", a, b),
        cdf=lambda x, a, b: special("betainc", a, b, x), sf=lambda x, a, b: special("betaincc", a, b, x),
        ppf=lambda q, a, b: special("betaincinv", a, b, q),
        isf=lambda q, a, b: special("betainccinv", a, b, q),
        low=0.0, high=1.0,
    ),
    "t": Distribution(
        ("df",), lambda x, df: _student(df, x),
        cdf=lambda x, df: special("stdtr", df, x), sf=lambda x, df: special("stdtr", df, -x),
    ),
    "expon": Distribution(
        (), lambda x: -x,
        cdf=lambda x: -xp.expm1(-x), sf=lambda x: xp.exp(-x), log_sf=lambda x: -x,
        ppf=lambda q: -xp.log1p(-q), isf=lambda q: -xp.log(q), low=0.0,
    ),
    "laplace": Distribution(
        (), lambda x: -xp.abs(x) - log(2),
        cdf=_laplace_below, sf=lambda x: _laplace_below(-x),
        log_cdf=_laplace_log_below, log_sf=lambda x: _laplace_log_below(-x),
        ppf=_laplace_quantile, isf=lambda q: -_laplace_quantile(q),
    ),
    "logistic": Distribution(
        (), _logistic,
        cdf=lambda x: special("expit", x), sf=lambda x: special("expit", -x),
        log_cdf=lambda x: special("log_expit", x), log_sf=lambda x: special("log_expit", -x),
        ppf=lambda q: special("logit", q), isf=lambda q: -special("logit", q),
    ),
    "cauchy": Distribution(
        (), lambda x: -log(pi) - xp.log1p(x * x),
        cdf=lambda x: _cauchy_above(-x), sf=_cauchy_above,
        ppf=lambda q: -1.0 / xp.tan(pi * q), isf=lambda q: 1.0 / xp.tan(pi * q),
    ),
    "lognorm": Distribution(
        ("s",), _lognormal,
        cdf=lambda x, s: special("ndtr", xp.log(x) / s), sf=lambda x, s: special("ndtr", -xp.log(x) / s),
        log_cdf=lambda x, s: special("log_ndtr", xp.log(x) / s),
        log_sf=lambda x, s: special("log_ndtr", -xp.log(x) / s),
        ppf=lambda q, s: xp.exp(s * special("ndtri", q)), isf=lambda q, s: xp.exp(-s * special("ndtri", q)),
        low=0.0,
    ),
    "uniform": Distribution(
        (), lambda x: xp.zeros_like(x), cdf=lambda x: x, sf=lambda x: 1.0 - x,
        ppf=lambda q: q, isf=lambda q: 1.0 - q, low=0.0, high=1.0,
    ),
    "halfnorm": Distribution(
        (), lambda x: _normal(x) + log(2),
        cdf=lambda x: special("erf", x / sqrt(2)), sf=lambda x: 2.0 * special("ndtr", -x),
        ppf=lambda q: special("ndtri", 0.5 * (1.0 + q)), isf=lambda q: -special("ndtri", 0.5 * q), low=0.0,
    ),
}  # fmt: skip


# Discrete: `cdf` and `sf` are given whole numbers -------------------------------------------------


def _is_probability(p: Any) -> Any:
    return xp.greater_equal(p, 0) & xp.less_equal(p, 1)


def _poisson(k: Any, mu: Any) -> Any:
    return special("xlogy", k, mu) - mu - special("gammaln", k + 1.0)


def _binomial(k: Any, n: Any, p: Any) -> Any:
    ways = special("gammaln", n + 1.0) - special("gammaln", k + 1.0) - special("gammaln", n - k + 1.0)
    return ways + special("xlogy", k, p) + special("xlog1py", n - k, -p)


def _binomial_share(function: str, at_most: float, k: Any, n: Any, p: Any) -> Any:
    """The share of what is up to k, or above it; there is nothing above n."""
    is_last = xp.greater_equal(k, n)
    return xp.where(is_last, at_most, special(function, k + 1.0, xp.where(is_last, 1.0, n - k), p))


_DISCRETE: Final[dict[str, Distribution]] = {
    "poisson": Distribution(
        ("mu",), _poisson,
        cdf=lambda k, mu: special("gammaincc", k + 1.0, mu),
        sf=lambda k, mu: special("gammainc", k + 1.0, mu),
        low=0.0, is_discrete=True, allows=lambda mu: xp.greater_equal(mu, 0),
    ),
    "bernoulli": Distribution(
        ("p",), lambda k, p: special("xlogy", k, p) + special("xlog1py", 1.0 - k, -p),
        cdf=lambda k, p: xp.where(xp.less(k, 1), 1.0 - p, 1.0),
        sf=lambda k, p: xp.where(xp.less(k, 1), p, 0.0),
        low=0.0, high=1.0, is_discrete=True, allows=_is_probability,
    ),
    "binom": Distribution(
        ("n", "p"), _binomial,
        cdf=lambda k, n, p: _binomial_share("betaincc", 1.0, k, n, p),
        sf=lambda k, n, p: _binomial_share("betainc", 0.0, k, n, p),
        low=0.0, high=lambda n, p: n, is_discrete=True,
        allows=lambda n, p: xp.greater_equal(n, 0) & xp.equal(n, xp.floor(n)) & _is_probability(p),
    ),
    "geom": Distribution(
        ("p",), lambda k, p: special("xlog1py", k - 1.0, -p) + xp.log(p),
        cdf=lambda k, p: -xp.expm1(special("xlog1py", k, -p)),
        sf=lambda k, p: xp.exp(special("xlog1py", k, -p)),
        log_sf=lambda k, p: special("xlog1py", k, -p),
        low=1.0, is_discrete=True, allows=lambda p: xp.greater(p, 0) & xp.less_equal(p, 1),
    ),
}  # fmt: skip

DISTRIBUTIONS: Final[dict[str, Distribution]] = {**_CONTINUOUS, **_DISCRETE}
"""By its name in `scipy.stats` what a distribution is."""
