"""The logistic distribution and those that are made of it: of logarithms, powers and mixtures."""

from __future__ import annotations

from math import log, pi
from typing import Any

from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import (
    Distribution,
    near_0,
    transformed,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import (
    Formula,
    Moments,
    OfShapes,
    called,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.quantiles import (
    by_smaller_share,
    cotangent,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    expm1_ratio,
    log1mexp,
    log1mexp_of,
    log1p_ratio,
    log_sech,
    log_softplus,
    softplus,
    trigamma,
    xlogy,
)
from mlirad.frontend.tracing.operations import xp


def _log_below(x: Any) -> Any:
    return special("log_expit", x)


LOGISTIC = Distribution(
    lambda x: 2.0 * log_sech(0.5 * x) - 2 * log(2), cdf=lambda x: special("expit", x), log_cdf=_log_below,
    ppf=lambda q: special("logit", q), is_symmetric=True, var=lambda: pi**2 / 3,
)  # fmt: skip

HALFLOGISTIC = Distribution(
    lambda x: 2.0 * log_sech(0.5 * x) - log(2), cdf=lambda x: xp.tanh(0.5 * x),
    sf=lambda x: 2.0 * special("expit", -x),
    log_sf=lambda x: xp.where(xp.less(x, 0.5), xp.log1p(-xp.tanh(0.5 * x)), log(2) + _log_below(-x)),
    **by_smaller_share(lambda q: 2.0 * xp.arctanh(q), lambda q: xp.log((2.0 - q) / q)), low=0.0,
    mean=lambda: 2 * log(2), var=lambda: pi**2 / 3 - 4 * log(2) ** 2,
)  # fmt: skip

GENLOGISTIC = Distribution(
    lambda x, c: xp.log(c) + c * _log_below(x) + _log_below(-x), shapes=("c",),
    log_cdf=lambda x, c: c * _log_below(x), log_sf=lambda x, c: log1mexp_of(xp.log(c) + log_softplus(-x)),
    ppf=lambda q, c: -_log_odds(-xp.log(q) / c),
    isf=lambda q, c: -_log_odds(-xp.log1p(-q) / c),
    mean=lambda c: 0.5772156649015329 + special("psi", c),
    var=lambda c: pi**2 / 6 + trigamma(c),
)  # fmt: skip


def _log_odds(x: Any) -> Any:
    """log(e^x - 1)."""
    return xp.where(xp.less(x, 30), xp.log(xp.expm1(x)), x + xp.log1p(-xp.exp(-x)))


GENHALFLOGISTIC = transformed(
    HALFLOGISTIC, lambda x, c: x * log1p_ratio(-c * x), lambda x, c: -xp.log1p(-c * x),
    lambda y, c: y * expm1_ratio(-c * y), shapes=("c",), low=0.0, high=lambda c: 1.0 / c,
)  # fmt: skip


def _log_secant_below(x: Any) -> Any:
    """log(2 arctan(e^x) / pi), x + log(2 / pi) far down."""
    is_far, is_above = xp.less(x, -40), xp.greater(x, 0)
    middle = xp.log(xp.arctan(xp.exp(xp.where(is_far | is_above, 0.0, x))))
    above = xp.log1p(-2 / pi * xp.arctan(xp.exp(-xp.where(is_above, x, 0.0))))
    return xp.where(is_above, above, log(2 / pi) + xp.where(is_far, x, middle))


HYPSECANT = Distribution(
    lambda x: log_sech(x) - log(pi),
    log_cdf=_log_secant_below,
    cdf=lambda x: 2 / pi * xp.arctan(xp.exp(x)),
    isf=lambda q: xp.arcsinh(cotangent(q)), is_symmetric=True, var=lambda: pi**2 / 4,
)  # fmt: skip


# Of logarithms: u = c log(x) -----------------------------------------------------------------------


def _reciprocal_sine(x: Any) -> Any:
    """x / sin(x)."""
    return 1.0 / xp.sinc(x / pi)


FISK = near_0(transformed(
    LOGISTIC, lambda x, c: c * xp.log(x), lambda x, c: xp.log(c) - xp.log(x), lambda y, c: xp.exp(y / c),
    shapes=("c",), low=0.0, density=lambda x, c: _burr_density(x, c, 1.0, c),
    log_density=lambda x, c: _log_burr(x, c, 1.0, c),
    mean=lambda c: xp.where(xp.greater(c, 1), _reciprocal_sine(pi / c), xp.inf),
    var=lambda c: xp.where(
        xp.greater(c, 2), _reciprocal_sine(2 * pi / c) - _reciprocal_sine(pi / c) ** 2, xp.inf
    ),
), below=lambda x, c: _burr_below(x, c, 1.0, c))  # fmt: skip


def _burr_below(x: Any, c: Any, d: Any, k: Any) -> Any:
    """(1 + x^-c)^-d, by its power k = c d near 0; derivatives in c at constant k do not involve it."""
    return xp.power(x, k) * xp.exp(-d * xp.log1p(xp.power(x, c)))


def _log_burr_below(x: Any, c: Any, d: Any, k: Any) -> Any:
    is_far = xp.greater(x, 1)
    far = -d * softplus(-c * xp.log(xp.where(is_far, x, 1.0)))
    near = xp.where(is_far, 1.0, x)
    return xp.where(is_far, far, k * xp.log(near) - d * xp.log1p(xp.power(near, c)))


def _log_burr_above(x: Any, c: Any, d: Any, k: Any) -> Any:
    is_far = xp.greater(x, 1)
    far = log1mexp_of(xp.log(d) + log_softplus(-c * xp.log(xp.where(is_far, x, 1.0))))
    return xp.where(is_far, far, log1mexp(-_log_burr_below(xp.where(is_far, 1.0, x), c, d, k)))


def _log_burr(x: Any, c: Any, d: Any, k: Any) -> Any:
    """log(k x^(k - 1) (1 + x^c)^-(d + 1)), far out by x^-c."""
    logarithm = xp.log(xp.where(xp.greater(x, 0), x, 1.0))
    far = xp.log(k) - (c + 1.0) * logarithm - (d + 1.0) * softplus(-c * logarithm)
    is_far = xp.greater(x, 1)
    point = xp.where(is_far, 1.0, x)
    near = xp.log(k) + xlogy(k - 1.0, point) - (d + 1.0) * xp.log1p(xp.power(point, c))
    return xp.where(is_far, far, near)


def _burr_density(x: Any, c: Any, d: Any, k: Any) -> Any:
    is_far = xp.greater(x, 1)
    point = xp.where(is_far, 1.0, x)
    near = k * xp.power(point, k - 1.0) * xp.exp(-(d + 1.0) * xp.log1p(xp.power(point, c)))
    return xp.where(is_far, xp.exp(_log_burr(xp.where(is_far, x, 2.0), c, d, k)), near)


def _burr_quantile(log_q: Any, c: Any, d: Any) -> Any:
    return xp.exp(-_log_odds(-log_q / d) / c)


def _moments(power: Formula, end: OfShapes) -> Moments:
    """The mean and the variance by means of powers, where these exist: below `end`."""
    of_power, limit = called(power), called(end)

    def mean(*shapes: Any) -> Any:
        return xp.where(xp.greater(limit(*shapes), 1), of_power(1.0, *shapes), xp.inf)

    def var(*shapes: Any) -> Any:
        found = of_power(2.0, *shapes) - of_power(1.0, *shapes) ** 2
        return xp.where(xp.greater(limit(*shapes), 2), found, xp.inf)

    return Moments(mean=mean, var=var)


def _beta(a: Any, b: Any) -> Any:
    return special("beta", a, b)


BURR = near_0(Distribution(
    lambda x, c, d: _log_burr(x, c, d, c * d), shapes=("c", "d"),
    density=lambda x, c, d: _burr_density(x, c, d, c * d),
    log_cdf=lambda x, c, d: _log_burr_below(x, c, d, c * d),
    log_sf=lambda x, c, d: _log_burr_above(x, c, d, c * d),
    ppf=lambda q, c, d: _burr_quantile(xp.log(q), c, d),
    isf=lambda q, c, d: _burr_quantile(xp.log1p(-q), c, d),
    low=0.0, **_moments(lambda n, c, d: d * _beta(1.0 - n / c, d + n / c), lambda c, d: c),
), below=lambda x, c, d: _burr_below(x, c, d, c * d))  # fmt: skip
MIELKE = near_0(Distribution(
    lambda x, k, s: _log_burr(x, s, k / s, k), shapes=("k", "s"),
    density=lambda x, k, s: _burr_density(x, s, k / s, k),
    log_cdf=lambda x, k, s: _log_burr_below(x, s, k / s, k),
    log_sf=lambda x, k, s: _log_burr_above(x, s, k / s, k),
    ppf=lambda q, k, s: _burr_quantile(xp.log(q), s, k / s),
    isf=lambda q, k, s: _burr_quantile(xp.log1p(-q), s, k / s), low=0.0,
    **_moments(lambda n, k, s: k / s * _beta(1.0 - n / s, (k + n) / s), lambda k, s: s),
), below=lambda x, k, s: _burr_below(x, s, k / s, k))  # fmt: skip


def _log_burr12(x: Any, c: Any, d: Any) -> Any:
    """log(c d x^(c - 1) (1 + x^c)^-(d + 1))."""
    is_far = xp.greater(x, 1)
    logarithm = xp.log(xp.where(is_far, x, 2.0))
    far = xp.log(c * d) - (c * d + 1.0) * logarithm - (d + 1.0) * softplus(-c * logarithm)
    point = xp.where(is_far, 1.0, x)
    near = xp.log(c * d) + xlogy(c - 1.0, point) - (d + 1.0) * xp.log1p(xp.power(point, c))
    return xp.where(is_far, far, near)


def _burr12_density(x: Any, c: Any, d: Any) -> Any:
    is_far = xp.greater(x, 1)
    point = xp.where(is_far, 1.0, x)
    near = c * d * xp.power(point, c - 1.0) * xp.exp(-(d + 1.0) * xp.log1p(xp.power(point, c)))
    return xp.where(is_far, xp.exp(_log_burr12(xp.where(is_far, x, 2.0), c, d)), near)


BURR12 = near_0(Distribution(
    _log_burr12, shapes=("c", "d"), density=_burr12_density,
    log_sf=lambda x, c, d: d * _log_below(-c * xp.log(x)),
    log_cdf=lambda x, c, d: log1mexp_of(xp.log(d) + log_softplus(c * xp.log(x))),
    ppf=lambda q, c, d: xp.exp(_log_odds(-xp.log1p(-q) / d) / c),
    isf=lambda q, c, d: xp.exp(_log_odds(-xp.log(q) / d) / c), low=0.0,
    **_moments(lambda n, c, d: d * _beta(1.0 + n / c, d - n / c), lambda c, d: c * d),
), below=lambda x, c, d: -xp.expm1(-d * xp.log1p(xp.power(x, c))))  # fmt: skip


def _kappa3(x: Any, a: Any) -> Any:
    """log(1 + a x^-a) / a."""
    return softplus(xp.log(a) - a * xp.log(x)) / a


def _log_kappa3(x: Any, a: Any) -> Any:
    """log(a (a + x^a)^-(1 + 1/a)), near 0 by log(1 + x^a / a)."""
    is_far = xp.greater(x, 1)
    far = softplus(a * xp.log(xp.where(is_far, x, 1.0)) - xp.log(a))
    near = xp.log1p(xp.power(xp.where(is_far, 1.0, x), a) / a)
    return -xp.log(a) / a - (1.0 + 1.0 / a) * xp.where(is_far, far, near)


KAPPA3 = near_0(Distribution(
    _log_kappa3, shapes=("a",), log_cdf=lambda x, a: -_kappa3(x, a),
    log_sf=lambda x, a: log1mexp_of(log_softplus(xp.log(a) - a * xp.log(x)) - xp.log(a)),
    ppf=lambda q, a: xp.exp((xp.log(a) - _log_odds(-a * xp.log(q))) / a),
    isf=lambda q, a: xp.exp((xp.log(a) - _log_odds(-a * xp.log1p(-q))) / a), low=0.0,
), below=lambda x, a: x * xp.exp(-(xp.log(a) + xp.log1p(xp.power(x, a) / a)) / a))  # fmt: skip


def _kappa4_log(x: Any, h: Any, k: Any) -> tuple[Any, Any]:
    """The logarithm of y = (1 - k x)^(1 / k), and that of the distribution function, log(1 - h y) / h."""
    logarithm = -x * log1p_ratio(-k * x)
    y = xp.exp(logarithm)
    negative = xp.where(xp.less(h, 0), h, -1.0)
    size = xp.log(-negative) + logarithm
    is_far = xp.less(h, 0) & xp.greater(size, 0)
    far = softplus(xp.where(is_far, size, 0.0)) / negative
    return logarithm, xp.where(is_far, far, -y * log1p_ratio(-h * xp.minimum(y, 1e300)))


def _kappa4_log_above(x: Any, h: Any, k: Any) -> Any:
    logarithm, _ = _kappa4_log(x, h, k)
    return log1mexp_of(logarithm + xp.log(log1p_ratio(-h * xp.exp(xp.minimum(logarithm, 690.0)))))


def _kappa4_density(x: Any, h: Any, k: Any) -> Any:
    logarithm, below = _kappa4_log(x, h, k)
    return (1.0 - h) * below + (1.0 - k) * logarithm


def _kappa4_low(h: Any, k: Any) -> Any:
    above = xp.greater(h, 0)
    safe = xp.where(above, h, 1.0)
    low = xp.log(safe) * expm1_ratio(-k * xp.log(safe))
    other = xp.where(xp.less(k, 0), 1.0 / xp.where(xp.less(k, 0), k, -1.0), -xp.inf)
    return xp.where(above, low, other)


def _kappa4_quantile(log_q: Any, h: Any, k: Any) -> Any:
    y = -log_q * expm1_ratio(h * log_q)
    logarithm = xp.log(y)
    return -logarithm * expm1_ratio(k * logarithm)


KAPPA4 = Distribution(
    _kappa4_density, shapes=("h", "k"), log_cdf=lambda x, h, k: _kappa4_log(x, h, k)[1],
    log_sf=_kappa4_log_above,
    ppf=lambda q, h, k: _kappa4_quantile(xp.log(q), h, k),
    isf=lambda q, h, k: _kappa4_quantile(xp.log1p(-q), h, k),
    low=_kappa4_low,
    high=lambda h, k: xp.where(xp.greater(k, 0), 1.0 / xp.where(xp.greater(k, 0), k, 1.0), xp.inf),
    allows=lambda h, k: xp.isfinite(h) & xp.isfinite(k),
)  # fmt: skip

DISTRIBUTIONS = {
    "logistic": LOGISTIC, "halflogistic": HALFLOGISTIC, "genlogistic": GENLOGISTIC,
    "genhalflogistic": GENHALFLOGISTIC, "hypsecant": HYPSECANT, "fisk": FISK, "burr": BURR, "mielke": MIELKE,
    "burr12": BURR12, "kappa3": KAPPA3, "kappa4": KAPPA4,
}  # fmt: skip
