"""Powers, cuts and sums of normal numbers, and the times at which a motion with drift arrives."""

from __future__ import annotations

from math import log, pi, sqrt
from typing import Any

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import (
    Distribution,
    transformed,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.normal import (
    log_normal_below,
    normal_below,
    normal_quantile,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.quantiles import by_smaller_share
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    half_line,
    integral,
    log1mexp,
    log_mills,
    log_mills_less,
    log_normal_between,
    log_normal_density,
    log_sech,
    logs,
    normal_between,
    normal_density,
)
from mlirad.frontend.tracing.operations import xp
from mlirad.ir import formulas
from mlirad.ir.formulas import Formula


def _log_power(x: Any, c: Any) -> Any:
    """log(c) + log(density) + (c - 1) log(what is above x)."""
    is_above = xp.greater(x, 0)
    above = c * log_normal_density(x) + (c - 1.0) * log_mills(xp.where(is_above, x, 0.0))
    below = log_normal_density(x) + (c - 1.0) * log_normal_below(-x)
    return xp.log(c) + xp.where(is_above, above, below)


def _log_power_below(x: Any, c: Any) -> Any:
    is_tiny = xp.less(x, -9)
    return xp.where(
        is_tiny, xp.log(c) + log_normal_below(x), log1mexp(-c * log_normal_below(-xp.where(is_tiny, 0.0, x)))
    )


POWERNORM = Distribution(
    _log_power, shapes=("c",), log_cdf=_log_power_below,
    log_sf=lambda x, c: c * log_normal_below(-x), isf=lambda q, c: -special("ndtri_exp", xp.log(q) / c),
    ppf=lambda q, c: -special("ndtri_exp", xp.log1p(-q) / c),
)  # fmt: skip

POWERLOGNORM = transformed(
    POWERNORM, lambda x, c, s: xp.log(x) / s, lambda x, c, s: -xp.log(s * x), lambda y, c, s: xp.exp(s * y),
    base_shapes=lambda c, s: (c,), shapes=("c", "s"), low=0.0, low_is_open=True,
)  # fmt: skip


def _log_folded(x: Any, c: Any) -> Any:
    """Near 0, where both densities differ little, by their mean."""
    is_near = xp.less(x * c, 1)
    near = xp.where(is_near, x, 0.0)
    mean = log(2) - 0.5 * (near * near + c * c) - log_sech(c * near) - 0.5 * log(2 * pi)
    far = xp.where(is_near, 1.0, x)
    both = xp.logaddexp(log_normal_density(far - c), log_normal_density(far + c))
    return xp.where(is_near, mean, both)


def _folded(x: Any, c: Any) -> Any:
    return xp.exp(_log_folded(x, c))


def _folded_shares(x: Any, c: Any) -> tuple[Any, Any]:
    """Return where x is near 0, and what is below it there, an integral of the density."""
    is_near = xp.less(x * (1.0 + c), 1)
    return is_near, integral(_folded, 0.0, xp.where(is_near, x, 0.0), c)


def _folded_below(x: Any, c: Any) -> Any:
    is_near, near = _folded_shares(x, c)
    return xp.where(is_near, near, normal_between(c - x, c + x))


def _log_folded_above(x: Any, c: Any) -> Any:
    is_near, near = _folded_shares(x, c)
    far = xp.where(is_near, 1.0, x)
    return xp.where(
        is_near, xp.log1p(-near), xp.logaddexp(log_normal_below(c - far), log_normal_below(-c - far))
    )


def _folded_mean(c: Any) -> Any:
    return sqrt(2 / pi) * xp.exp(-0.5 * c * c) + c * special("erf", c / sqrt(2))


FOLDNORM = Distribution(
    _log_folded, shapes=("c",), cdf=_folded_below, log_sf=_log_folded_above, low=0.0,
    allows=lambda c: xp.greater_equal(c, 0),
    mean=_folded_mean, var=lambda c: c * c + 1.0 - _folded_mean(c) ** 2,
)  # fmt: skip


def _log_cut(x: Any, a: Any, b: Any) -> Any:
    return log_normal_density(x) - log_normal_between(a, b)


def _cut_quantile(q: Any, a: Any, b: Any) -> Any:
    """The quantile by the nearer tail."""
    is_above = xp.greater(a, 0)
    low = xp.logaddexp(log_normal_below(a), xp.log(q) + log_normal_between(a, b))
    high = xp.logaddexp(log_normal_below(-b), xp.log1p(-q) + log_normal_between(a, b))
    return xp.where(is_above, -special("ndtri_exp", high), special("ndtri_exp", low))


def _cut_upper_quantile(q: Any, a: Any, b: Any) -> Any:
    is_above = xp.greater(a, 0)
    low = xp.logaddexp(log_normal_below(a), xp.log1p(-q) + log_normal_between(a, b))
    high = xp.logaddexp(log_normal_below(-b), xp.log(q) + log_normal_between(a, b))
    return xp.where(is_above, -special("ndtri_exp", high), special("ndtri_exp", low))


def _cut_ends(a: Any, b: Any) -> tuple[Any, Any]:
    """The densities at the ends."""
    whole = log_normal_between(a, b)
    return xp.exp(log_normal_density(a) - whole), xp.exp(log_normal_density(b) - whole)


def _cut_mean(a: Any, b: Any) -> Any:
    low, high = _cut_ends(a, b)
    return low - high


def _cut_var(a: Any, b: Any) -> Any:
    low, high = _cut_ends(a, b)
    mean = low - high
    ends = xp.where(xp.isinf(a), 0.0, a * low) - xp.where(xp.isinf(b), 0.0, b * high)
    return 1.0 + ends - mean * mean


TRUNCNORM = Distribution(
    _log_cut, shapes=("a", "b"),
    **logs(
        lambda x, a, b: log_normal_between(a, x) - log_normal_between(a, b),
        lambda x, a, b: log_normal_between(x, b) - log_normal_between(a, b),
    ),
    ppf=_cut_quantile, isf=_cut_upper_quantile, mean=_cut_mean, var=_cut_var,
    low=lambda a, b: a, high=lambda a, b: b, allows=lambda a, b: xp.less(a, b),
)  # fmt: skip


def _delayed(x: Any, K: Any) -> Any:
    """The logarithm of the density of a normal number plus an exponential one of mean K."""
    rate = 1.0 / K
    z = (rate - x) / sqrt(2)
    is_far = xp.greater(z, 0)
    far = log_normal_density(x) + xp.log(special("erfcx", xp.where(is_far, z, 0.0)))
    near = rate * (0.5 * rate - x) + log_normal_below(x - rate)
    return xp.where(is_far, far + 0.5 * log(pi / 2) - xp.log(K), near - xp.log(K))


def _log_delayed_below(x: Any, K: Any) -> Any:
    is_below = xp.less(x, 0)
    point = xp.where(is_below, -x, 0.0)
    far = log_normal_density(point) + log_mills_less(point, 1.0 / K)
    near = xp.where(is_below, 0.0, x)
    plain = xp.log(normal_below(near) - xp.exp(_delayed(near, K) + xp.log(K)))
    return xp.where(is_below, far, plain)


def _log_delayed_above(x: Any, K: Any) -> Any:
    return xp.logaddexp(log_normal_below(-x), _delayed(x, K) + xp.log(K))


EXPONNORM = Distribution(
    _delayed, shapes=("K",), **logs(_log_delayed_below, _log_delayed_above),
    mean=lambda K: K, var=lambda K: 1.0 + K * K,
)  # fmt: skip


def _skewed_part(v: Formula, x: Formula, a: Formula) -> Formula:
    """The density at -x - v over that at -x."""
    ratio = formulas.special("erfcx", a * (x + v) * sqrt(0.5)) / formulas.special("erfcx", a * x * sqrt(0.5))
    return formulas.exp(-(1 + a * a) * (x + v * 0.5) * v) * ratio


def _log_skewed_below(x: Any, a: Any) -> Any:
    """Below 0 by an integral of the density for positive a, and by what symmetry makes of it for others."""
    is_low, is_thin = xp.less(x, 0), xp.greater(a, 0)
    point, shape = xp.where(is_low, -x, 1.0), xp.where(is_thin, a, -a)
    scale = 1.0 / (point * (1.0 + shape * shape) + xp.hypot(1.0, shape))
    thin = _log_skewed(-point, shape) + xp.log(half_line(scale, _skewed_part, point, shape))
    both = log_normal_below(-point) + log(2)
    low = xp.where(is_thin, thin, both + xp.log1p(-xp.exp(thin - both)))
    high = xp.where(is_low, 1.0, x)
    return xp.where(is_low, low, xp.log(normal_below(high) - 2.0 * special("owens_t", high, a)))


def _log_skewed(x: Any, a: Any) -> Any:
    return log(2) + log_normal_density(x) + log_normal_below(a * x)


SKEWNORM = Distribution(
    _log_skewed, shapes=("a",), density=lambda x, a: 2.0 * normal_density(x) * normal_below(a * x),
    **logs(_log_skewed_below, lambda x, a: _log_skewed_below(-x, -a)), allows=lambda a: xp.isfinite(a),
    mean=lambda a: sqrt(2 / pi) * a / xp.hypot(1.0, a),
    var=lambda a: 1.0 - 2 / pi * (a / xp.hypot(1.0, a)) ** 2,
)  # fmt: skip


def _before(u: Any, a: Any) -> Any:
    return normal_density(a - u)


def _alpha_above(x: Any, a: Any) -> Any:
    """Return what is between a - 1 / x and a."""
    is_far = xp.greater(x, 1.0 + xp.abs(a))
    far = integral(_before, 0.0, 1.0 / xp.where(is_far, x, 1.0), a)
    return xp.where(is_far, far, normal_between(a - 1.0 / xp.where(is_far, 1.0, x), a)) / normal_below(a)


def _alpha_quantile(q: Any, a: Any) -> Any:
    return 1.0 / (a - normal_quantile(q * normal_below(a)))


def _alpha_upper_quantile(q: Any, a: Any) -> Any:
    """1 over the width of what is below a with a share of it, by Newton's method where that is narrow."""
    share, density = q * normal_below(a), normal_density(a)
    far = a + normal_quantile(normal_below(-a) + share)
    is_near = xp.less(far * (1.0 + a), 1)
    point, target = xp.where(is_near, a, 0.0), xp.where(is_near, share, 0.0)
    first = share / density
    start = xp.where(xp.less(first * (1.0 + a), 1e-3), first, far)
    width = stop_gradient(xp.where(is_near, start, 0.0))
    for _ in range(2):
        excess = integral(_before, 0.0, width, point) - target
        width = width - excess / normal_density(point - width)
    return 1.0 / xp.where(is_near, width, far)


ALPHA = Distribution(
    lambda x, a: log_normal_density(a - 1.0 / x) - 2.0 * xp.log(x) - log_normal_below(a), shapes=("a",),
    **logs(lambda x, a: log_normal_below(a - 1.0 / x) - log_normal_below(a),
        lambda x, a: xp.log(_alpha_above(x, a))),
    **by_smaller_share(_alpha_quantile, _alpha_upper_quantile), low=0.0, low_is_open=True,
    mean=lambda a: xp.full_like(a, xp.inf), var=lambda a: xp.full_like(a, xp.inf),
)  # fmt: skip


def _tail_weight(beta: Any, m: Any) -> tuple[Any, Any]:
    """The weights of both parts of the crystal ball function, in units of the normal density's peak."""
    return m / beta / (m - 1.0) * xp.exp(-0.5 * beta * beta), sqrt(2 * pi) * normal_below(beta)


def _log_ball(x: Any, beta: Any, m: Any) -> Any:
    is_tail = xp.less_equal(x, -beta)
    ratio = (-beta - xp.where(is_tail, x, -beta)) * beta / m
    found = xp.where(is_tail, -0.5 * beta * beta - m * xp.log1p(ratio), -0.5 * x * x)
    return found - xp.log(sum(_tail_weight(beta, m)))


def _log_ball_below(x: Any, beta: Any, m: Any) -> Any:
    tail, core = _tail_weight(beta, m)
    is_tail = xp.less_equal(x, -beta)
    ratio = (-beta - xp.where(is_tail, x, -beta)) * beta / m
    inside = xp.log(tail + sqrt(2 * pi) * normal_between(-beta, xp.where(is_tail, -beta, x)))
    return xp.where(is_tail, xp.log(tail) + (1.0 - m) * xp.log1p(ratio), inside) - xp.log(tail + core)


def _log_ball_above(x: Any, beta: Any, m: Any) -> Any:
    tail, core = _tail_weight(beta, m)
    is_tail = xp.less_equal(x, -beta)
    inside = 0.5 * log(2 * pi) + log_normal_below(-xp.where(is_tail, -beta, x)) - xp.log(tail + core)
    return xp.where(is_tail, log1mexp(-_log_ball_below(x, beta, m)), inside)


def _ball_quantile(q: Any, beta: Any, m: Any) -> Any:
    tail, core = _tail_weight(beta, m)
    share = q * (tail + core) / tail
    is_tail = xp.less(share, 1)
    ratio = xp.expm1(xp.log(xp.where(is_tail, share, 1.0)) / (1.0 - m))
    inside = normal_below(-beta) + (q * (tail + core) - tail) / sqrt(2 * pi)
    return xp.where(is_tail, -beta - ratio * m / beta, normal_quantile(xp.where(is_tail, 0.5, inside)))


def _ball_upper_quantile(q: Any, beta: Any, m: Any) -> Any:
    tail, core = _tail_weight(beta, m)
    is_core = xp.less(q * (tail + core), core)
    inside = xp.where(is_core, q * (tail + core) / sqrt(2 * pi), 0.5)
    return xp.where(is_core, -normal_quantile(inside), _ball_quantile(1.0 - q, beta, m))


CRYSTALBALL = Distribution(
    _log_ball, shapes=("beta", "m"), **logs(_log_ball_below, _log_ball_above),
    **by_smaller_share(_ball_quantile, _ball_upper_quantile),
    allows=lambda beta, m: xp.greater(beta, 0) & xp.greater(m, 1),
)  # fmt: skip


# Of a motion with drift ----------------------------------------------------------------------------


def _log_passage(x: Any, mu: Any) -> Any:
    """-(x - mu)^2 / (2 x mu^2) - log(2 pi x^3) / 2."""
    distance = (x - mu) / mu
    return -0.5 * distance * (distance / x) - 1.5 * xp.log(x) - 0.5 * log(2 * pi)


def _log_passed(x: Any, mu: Any) -> Any:
    """Both terms over the density at (x / mu - 1) / sqrt(x), where that is below 0."""
    root = 1.0 / xp.sqrt(x)
    point = (x / mu - 1.0) * root
    is_early = xp.less(point, 0)
    early = xp.where(is_early, point, 0.0)
    other = log_mills((x / mu + 1.0) * root)
    far = log_normal_density(early) + xp.logaddexp(log_mills(-early), other)
    return xp.where(is_early, far, xp.logaddexp(log_normal_below(point), log_normal_density(point) + other))


def _log_not_passed(x: Any, mu: Any) -> Any:
    root = 1.0 / xp.sqrt(x)
    point = (x / mu - 1.0) * root
    is_late = xp.greater(point, 0)
    late = xp.where(is_late, point, 0.0)
    far = log_normal_density(late) + log_mills_less(late, 2.0 * root)
    return xp.where(is_late, far, log1mexp(-_log_passed(x, mu)))


INVGAUSS = Distribution(
    _log_passage, shapes=("mu",), **logs(_log_passed, _log_not_passed), low=0.0,
    low_is_open=True,
    mean=lambda mu: mu, var=lambda mu: mu**3,
)  # fmt: skip
WALD = Distribution(
    lambda x: _log_passage(x, 1.0),
    **logs(lambda x: _log_passed(x, 1.0), lambda x: _log_not_passed(x, 1.0)), low=0.0, low_is_open=True,
    mean=lambda: 1.0, var=lambda: 1.0,
)  # fmt: skip
RECIPINVGAUSS = transformed(
    INVGAUSS, lambda x, mu: 1.0 / x, lambda x, mu: -2.0 * xp.log(x), lambda y, mu: 1.0 / y,
    base_shapes=lambda mu: (mu,), decreases=True, shapes=("mu",), low=0.0,
    low_is_open=True, mean=lambda mu: 1.0 / mu + 1.0, var=lambda mu: 1.0 / mu + 2.0,
)  # fmt: skip

DISTRIBUTIONS = {
    "powernorm": POWERNORM, "powerlognorm": POWERLOGNORM, "foldnorm": FOLDNORM, "truncnorm": TRUNCNORM,
    "exponnorm": EXPONNORM, "skewnorm": SKEWNORM, "alpha": ALPHA, "crystalball": CRYSTALBALL,
    "invgauss": INVGAUSS, "wald": WALD, "recipinvgauss": RECIPINVGAUSS,
}  # fmt: skip
