"""The gamma distribution and those that are made of it: of squares, powers, reciprocals, logarithms."""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi, sqrt
from typing import Any

from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import (
    Distribution,
    both_sides,
    transformed,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import (
    Formula,
    Function,
    OfShapes,
    Shares,
    called,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.quantiles import Quantiles
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    formula,
    gamma_density,
    less_exp,
    log1mexp,
    log_gamma_above,
    log_gamma_below,
    log_gamma_density,
    power_of_size,
    trigamma,
    xlogy,
)
from mlirad.frontend.tracing.operations import xp
from mlirad.rules import gamma_formulas

GAMMA = Distribution(
    log_gamma_density, shapes=("a",), density=gamma_density,
    cdf=lambda x, a: special("gammainc", a, x), sf=lambda x, a: special("gammaincc", a, x),
    log_cdf=log_gamma_below, log_sf=log_gamma_above,
    ppf=lambda q, a: special("gammaincinv", a, q), isf=lambda q, a: special("gammainccinv", a, q),
    low=0.0, mean=lambda a: a, var=lambda a: a,
)  # fmt: skip


def _by_log(
    of_log: Formula,
    of_point: Formula,
    of_shapes: OfShapes,
    decreases: bool = False,
    near: Formula | None = None,
) -> Shares:
    """The functions of a distribution of `of_point(x)`, which may vanish where its logarithm does not.

    The share below such points is `near`, if its slope at 0 is not that of the exponential of a logarithm.
    """
    log_to, to, shape = called(of_log), called(of_point), called(of_shapes)

    def shares(is_tiny: Any, tiny: Any, x: Any, *shapes: Any) -> tuple[Any, Any, Any]:
        """The share below a point that vanishes, the one above it, and the logarithm of that."""
        if near is None:
            return xp.exp(tiny), -xp.expm1(tiny), log1mexp(-tiny)
        below = called(near)(xp.where(is_tiny, x, 1.0), *shapes)
        return below, 1.0 - below, xp.log1p(-below)

    def split(x: Any, *shapes: Any) -> tuple[Any, Any, Any, Any]:
        """Return where it vanishes, the logarithm of what is below there, and the point elsewhere."""
        logarithm, a = log_to(x, *shapes), shape(*shapes)
        is_tiny = xp.less(logarithm, -60)
        tiny = a * logarithm - special("gammaln", a + 1.0)
        return is_tiny, xp.where(is_tiny, tiny, -1.0), xp.where(is_tiny, 1.0, to(x, *shapes)), a

    def cdf(x: Any, *shapes: Any) -> Any:
        is_tiny, tiny, point, a = split(x, *shapes)
        below, _, _ = shares(is_tiny, tiny, x, *shapes)
        return xp.where(is_tiny, below, special("gammainc", a, point))

    def sf(x: Any, *shapes: Any) -> Any:
        is_tiny, tiny, point, a = split(x, *shapes)
        _, above, _ = shares(is_tiny, tiny, x, *shapes)
        return xp.where(is_tiny, above, special("gammaincc", a, point))

    def log_cdf(x: Any, *shapes: Any) -> Any:
        is_tiny, tiny, point, a = split(x, *shapes)
        return xp.where(is_tiny, tiny, log_gamma_below(point, a))

    def log_sf(x: Any, *shapes: Any) -> Any:
        is_tiny, tiny, point, a = split(x, *shapes)
        _, _, log_above = shares(is_tiny, tiny, x, *shapes)
        return xp.where(is_tiny, log_above, log_gamma_above(point, a))

    if decreases:
        return Shares(cdf=sf, sf=cdf, log_cdf=log_sf, log_sf=log_cdf)
    return Shares(cdf=cdf, sf=sf, log_cdf=log_cdf, log_sf=log_sf)


def _far_down(quantile: Any, log_below: Any, a: Any) -> tuple[Any, Any, Any]:
    """Return where a quantile of the gamma distribution may vanish, its logarithm there, and the quantile
    elsewhere.

    The share below it is x^a / gamma(a + 1).
    """
    is_far = xp.less(quantile, 1e-280)
    logarithm = (xp.where(is_far, log_below, -1.0) + special("gammaln", a + 1.0)) / a
    return is_far, logarithm, xp.where(is_far, 1.0, quantile)


def _of_quantiles(finish: Callable[..., Any], of_shapes: OfShapes) -> Quantiles:
    """Quantile functions of a function of numbers of the gamma distribution of shape `of_shapes(*shapes)`.

    It is `finish(is_far, logarithm, y, *shapes)`, by the logarithm where y may vanish.
    """
    shape = called(of_shapes)

    def ppf(q: Any, *shapes: Any) -> Any:
        a = shape(*shapes)
        return finish(*_far_down(special("gammaincinv", a, q), xp.log(q), a), *shapes)

    def isf(q: Any, *shapes: Any) -> Any:
        a = shape(*shapes)
        return finish(*_far_down(special("gammainccinv", a, q), xp.log1p(-q), a), *shapes)

    return Quantiles(ppf=ppf, isf=isf)


def _logarithm(is_far: Any, logarithm: Any, y: Any, *shapes: Any) -> Any:
    return xp.where(is_far, logarithm, xp.log(y))


def _of_powers(exponent: OfShapes, of_shapes: OfShapes, scale: OfShapes | None = None) -> Quantiles:
    """Quantile functions of y^exponent, times a scale."""

    def finish(is_far: Any, logarithm: Any, y: Any, *shapes: Any) -> Any:
        power = called(exponent)(*shapes)
        found = xp.where(is_far, xp.exp(logarithm * power), xp.power(y, power))
        return found if scale is None else called(scale)(*shapes) * found

    return _of_quantiles(finish, of_shapes)


def _log_ratio(a: Any, b: float) -> Any:
    """log(gamma(a + b) / gamma(a))."""
    return special("gammaln", b) - formula(gamma_formulas.log_beta, a, b)


def _halves(df: Any) -> tuple[Any]:
    return (0.5 * df,)


CHI2 = transformed(
    GAMMA, lambda x, df: 0.5 * x, lambda x, df: -log(2), lambda y, df: 2.0 * y, base_shapes=_halves,
    shapes=("df",), density=lambda x, df: 0.5 * gamma_density(0.5 * x, 0.5 * df), low=0.0,
    mean=lambda df: df, var=lambda df: 2.0 * df,
)  # fmt: skip


def _chi_mean(df: Any) -> Any:
    return sqrt(2) * xp.exp(_log_ratio(0.5 * df, 0.5))


def _chi_density(x: Any, df: Any) -> Any:
    """The density by a power if x is below 1."""
    is_near = xp.less(x, 1)
    scale = xp.exp((1.0 - 0.5 * df) * log(2) - special("gammaln", 0.5 * df))
    near = scale * xp.power(xp.where(is_near, x, 1.0), df - 1.0) * xp.exp(-0.5 * x * x)
    return xp.where(is_near, near, xp.exp(_log_chi_density(xp.where(is_near, 1.0, x), df)))


def _log_chi_density(x: Any, df: Any) -> Any:
    is_near = xp.less(x, 1)
    near = (1.0 - 0.5 * df) * log(2) - special("gammaln", 0.5 * df) + xlogy(df - 1.0, x) - 0.5 * x * x
    far = xp.where(is_near, 1.0, x)
    return xp.where(is_near, near, log_gamma_density(0.5 * far * far, 0.5 * df) + xp.log(far))


CHI = transformed(
    GAMMA, lambda x, df: 0.5 * x * x, lambda x, df: xp.log(x), lambda y, df: sqrt(2) * xp.sqrt(y),
    base_shapes=_halves, shapes=("df",), log_density=_log_chi_density, density=_chi_density, low=0.0,
    **_by_log(
        lambda x, df: 2.0 * xp.log(x) - log(2), lambda x, df: 0.5 * x * x, lambda df: 0.5 * df,
        near=lambda x, df: xp.power(x, df) * xp.exp(-0.5 * df * log(2) - special("gammaln", 0.5 * df + 1.0)),
    ),
    **_of_powers(lambda df: 0.5, lambda df: 0.5 * df, lambda df: sqrt(2)),
    mean=_chi_mean, var=lambda df: df - _chi_mean(df) ** 2,
)  # fmt: skip

MAXWELL = transformed(
    GAMMA, lambda x: 0.5 * x * x, xp.log, lambda y: sqrt(2) * xp.sqrt(y), base_shapes=lambda: (1.5,),
    log_density=lambda x: 0.5 * log(2 / pi) + 2.0 * xp.log(x) - 0.5 * x * x,
    density=lambda x: sqrt(2 / pi) * (x * xp.exp(-0.25 * x * x)) ** 2, low=0.0,
    **_by_log(
        lambda x: 2.0 * xp.log(x) - log(2), lambda x: 0.5 * x * x, lambda: 1.5,
        near=lambda x: sqrt(2 / pi) / 3 * x**3,
    ),
    **_of_powers(lambda: 0.5, lambda: 1.5, lambda: sqrt(2)),
    mean=lambda: 2 * sqrt(2 / pi), var=lambda: 3 - 8 / pi,
)  # fmt: skip

NAKAGAMI = transformed(
    GAMMA, lambda x, nu: nu * x * x, lambda x, nu: log(2) + xp.log(nu) + xp.log(x),
    lambda y, nu: xp.sqrt(y / nu), base_shapes=lambda nu: (nu,), shapes=("nu",), low=0.0,
    **_by_log(
        lambda x, nu: xp.log(nu) + 2.0 * xp.log(x), lambda x, nu: nu * x * x, lambda nu: nu,
        near=lambda x, nu: xp.power(x, 2.0 * nu) * xp.exp(xlogy(nu, nu) - special("gammaln", nu + 1.0)),
    ),
    **_of_powers(lambda nu: 0.5, lambda nu: nu, lambda nu: 1.0 / xp.sqrt(nu)),
    log_density=lambda x, nu: _log_chi_density(x * xp.sqrt(2.0 * nu), 2.0 * nu) + 0.5 * xp.log(2.0 * nu),
    density=lambda x, nu: _chi_density(x * xp.sqrt(2.0 * nu), 2.0 * nu) * xp.sqrt(2.0 * nu),
    mean=lambda nu: xp.exp(_log_ratio(nu, 0.5)) / xp.sqrt(nu),
    var=lambda nu: 1.0 - xp.exp(2.0 * _log_ratio(nu, 0.5)) / nu,
)  # fmt: skip


def _inverse_moment(a: Any) -> tuple[Any, Any]:
    mean = xp.where(xp.greater(a, 1), 1.0 / (a - 1.0), xp.inf)
    return mean, xp.where(xp.greater(a, 2), 1.0 / (a - 1.0) ** 2 / (a - 2.0), xp.inf)


INVGAMMA = transformed(
    GAMMA, lambda x, a: 1.0 / x, lambda x, a: -2.0 * xp.log(x), lambda y, a: 1.0 / y,
    base_shapes=lambda a: (a,), decreases=True, shapes=("a",), low=0.0,
    low_is_open=True, mean=lambda a: _inverse_moment(a)[0], var=lambda a: _inverse_moment(a)[1],
)  # fmt: skip


def _generalised(x: Any, a: Any, c: Any) -> Any:
    """log(|c| x^(c a - 1) e^-(x^c) / gamma(a))."""
    power = xp.power(x, c)
    return xp.log(xp.abs(c)) + xlogy(c * a - 1.0, x) - power - special("gammaln", a)


def _power_parts(decreases: bool) -> Shares:
    return _by_log(
        lambda x, a, c: c * xp.log(x), lambda x, a, c: xp.power(x, c), lambda a, c: a, decreases,
        near=lambda x, a, c: xp.power(x, c * a) * xp.exp(-special("gammaln", a + 1.0)),
    )  # fmt: skip


def _by_sign(positive: Function, negative: Function) -> Function:
    def part(x: Any, a: Any, c: Any) -> Any:
        """At a point, or of a probability."""
        return xp.where(xp.greater(c, 0), positive(x, a, c), negative(x, a, c))

    return part


def _gengamma_parts() -> Shares:
    """The functions of the gamma distribution at x^c, which decreases where c is negative."""
    up, down = _power_parts(False), _power_parts(True)
    return Shares(
        cdf=_by_sign(up["cdf"], down["cdf"]), sf=_by_sign(up["sf"], down["sf"]),
        log_cdf=_by_sign(up["log_cdf"], down["log_cdf"]), log_sf=_by_sign(up["log_sf"], down["log_sf"]),
    )  # fmt: skip


def _gengamma_quantiles() -> Quantiles:
    found = _of_powers(lambda a, c: 1.0 / c, lambda a, c: a)
    ppf, isf = found["ppf"], found["isf"]
    return Quantiles(ppf=_by_sign(ppf, isf), isf=_by_sign(isf, ppf))


def _gengamma_moment(n: float, a: Any, c: Any) -> Any:
    exists = xp.greater(a + n / c, 0)
    power = xp.where(exists, n / c, 0.0)
    return xp.where(exists, xp.exp(special("gammaln", a + power) - special("gammaln", a)), xp.inf)


GENGAMMA = Distribution(
    _generalised, shapes=("a", "c"), **_gengamma_parts(),
    **_gengamma_quantiles(), low=0.0,
    low_is_open=lambda a, c: xp.less(c, 0), allows=lambda a, c: xp.greater(a, 0) & xp.not_equal(c, 0),
    mean=lambda a, c: _gengamma_moment(1.0, a, c),
    var=lambda a, c: _gengamma_moment(2.0, a, c) - _gengamma_moment(1.0, a, c) ** 2,
)  # fmt: skip


def _log_of_log(x: Any, c: Any) -> Any:
    """c x - e^x - log(gamma(c)), by the distribution of e^x where that is not far out."""
    is_mid = xp.less(xp.abs(x), 300)
    middle = xp.where(is_mid, x, 0.0)
    near = formula(gamma_formulas.log_gamma_weight, c, xp.exp(middle))
    return xp.where(is_mid, near, c * x - xp.exp(x) - special("gammaln", c))


LOGGAMMA = transformed(
    GAMMA, lambda x, c: xp.exp(x), lambda x, c: x, lambda y, c: xp.log(y), base_shapes=lambda c: (c,),
    shapes=("c",), log_density=_log_of_log, **_by_log(lambda x, c: x, lambda x, c: xp.exp(x), lambda c: c),
    **_of_quantiles(_logarithm, lambda c: c),
    mean=lambda c: special("psi", c), var=lambda c: trigamma(c),
)  # fmt: skip


def _moyal_quantiles() -> Quantiles:
    found = _of_quantiles(lambda *far_and_y: -log(2) - _logarithm(*far_and_y), lambda: 0.5)
    return Quantiles(ppf=found["isf"], isf=found["ppf"])


MOYAL = transformed(
    GAMMA, lambda x: 0.5 * xp.exp(-x), lambda x: -x, lambda y: -xp.log(2.0 * y), base_shapes=lambda: (0.5,),
    log_density=lambda x: 0.5 * less_exp(-x) - 0.5 * log(2 * pi),
    **_by_log(lambda x: -x - log(2), lambda x: 0.5 * xp.exp(-x), lambda: 0.5, decreases=True),
    **_moyal_quantiles(),
    mean=lambda: 0.5772156649015329 + log(2), var=lambda: pi**2 / 2,
)  # fmt: skip

DGAMMA = both_sides(GAMMA, var=lambda a: a * (a + 1.0))


def _log_gennorm(x: Any, beta: Any) -> Any:
    return xp.log(0.5 * beta) - special("gammaln", 1.0 / beta) - power_of_size(x, beta)


def _gennorm_moment(n: float, beta: Any) -> Any:
    return xp.exp(special("gammaln", (n + 1.0) / beta) - special("gammaln", 1.0 / beta))


HALFGENNORM = transformed(
    GAMMA, xp.power, lambda x, beta: xp.log(beta) + xlogy(beta - 1.0, x),
    lambda y, beta: xp.power(y, 1.0 / beta), base_shapes=lambda beta: (1.0 / beta,), shapes=("beta",),
    low=0.0,
    **_by_log(
        lambda x, beta: beta * xp.log(x), xp.power, lambda beta: 1.0 / beta,
        near=lambda x, beta: x * xp.exp(-special("gammaln", 1.0 + 1.0 / beta)),
    ),
    **_of_powers(lambda beta: 1.0 / beta, lambda beta: 1.0 / beta),
    log_density=lambda x, beta: xp.log(beta) - special("gammaln", 1.0 / beta) - power_of_size(x, beta),
    mean=lambda beta: _gennorm_moment(1.0, beta),
    var=lambda beta: _gennorm_moment(2.0, beta) - _gennorm_moment(1.0, beta) ** 2,
)  # fmt: skip
GENNORM = both_sides(
    HALFGENNORM, log_density=_log_gennorm, density=lambda x, beta: xp.exp(_log_gennorm(x, beta)),
    var=lambda beta: _gennorm_moment(2.0, beta),
)  # fmt: skip

DISTRIBUTIONS = {
    "gamma": GAMMA, "erlang": GAMMA, "chi2": CHI2, "chi": CHI, "maxwell": MAXWELL, "nakagami": NAKAGAMI,
    "invgamma": INVGAMMA, "gengamma": GENGAMMA, "loggamma": LOGGAMMA, "moyal": MOYAL, "dgamma": DGAMMA,
    "halfgennorm": HALFGENNORM, "gennorm": GENNORM,
}  # fmt: skip
