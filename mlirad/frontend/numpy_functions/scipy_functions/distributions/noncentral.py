"""Distributions of sums of squares of normal numbers whose means are not 0: of chi2 and F.

They are mixtures of central ones, with Poisson's probabilities:

    f(x) = sum over j of poisson(j, nc / 2) f_j(x)

A summand is a smooth function of j, a hill of known width. Where that is wide, the sum is one
over fewer numbers, which need not be whole, times their distance: by Poisson's summation formula the error
falls as e^-2 (pi w / h)^2 with the width w over the distance h. So all sums have equally many terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log
from typing import Any, NamedTuple, Unpack, cast

import numpy as np

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.beta import (
    log_odds_density,
    odds_density,
    odds_part,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import (
    Distribution,
    Others,
    above_zero,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import Function
from mlirad.frontend.numpy_functions.scipy_functions.distributions.searching import searched
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    gamma_density,
    log_beta_below,
    log_gamma_above,
    log_gamma_below,
    log_gamma_density,
    rarely,
)
from mlirad.frontend.tracing.operations import xp

_COUNT = 112
_WHOLE = 45.0
"""Up to this place of the peak terms are those of 0, 1, 2, ..."""

_TINY = 1e-150
"""Smaller probabilities are computed by logarithms."""


def _numbers(peak: Any) -> tuple[Any, Any]:
    """The numbers of the terms along a last axis, and their distance."""
    place = stop_gradient(peak)[..., None]
    is_wide = xp.greater(place, _WHOLE)
    radius = 12.0 * xp.sqrt(place + 1.0)
    first = xp.where(is_wide, xp.maximum(place - radius, 0.0), 0.0)
    distance = xp.where(is_wide, 2.0 * radius / (_COUNT - 1), 1.0)
    return first + distance * np.arange(float(_COUNT)), distance[..., 0]


def _mixed(peak: Any, nc: Any, term: Callable[[Any], Any]) -> Any:
    """The sum of `term(j)` by the probabilities of j."""
    j, distance = _numbers(peak)
    return distance * xp.sum(gamma_density(0.5 * nc[..., None], j + 1.0) * term(j), axis=-1)


def _log_mixed(peak: Any, nc: Any, is_near_0: Any, log_term: Callable[[Any], Any]) -> Any:
    """The logarithm of the sum of e^`log_term(j)`.

    Probabilities of j for nc near 0 are not exponentials of logarithms, which have no derivatives there.
    """
    j, distance = _numbers(peak)
    is_plain, half = is_near_0[..., None], 0.5 * nc[..., None]
    plain = gamma_density(xp.where(is_plain, half, 1.0), j + 1.0)
    weight = xp.where(is_plain, plain, 1.0)
    log_weight = log_gamma_density(xp.where(is_plain, 1.0, half + 1e-100), j + 1.0)
    exponent = log_term(j) + xp.where(is_plain, 0.0, log_weight)
    largest = stop_gradient(xp.max(xp.log(weight) + exponent, axis=-1))
    largest = xp.where(xp.isfinite(largest), largest, 0.0)
    total = xp.sum(weight * xp.exp(exponent - largest[..., None]), axis=-1)
    return largest + xp.log(distance * total)


# Both -----------------------------------------------------------------------------------------------


class _Central(NamedTuple):
    """A central distribution as functions of j, x and the shapes, along a last axis of numbers j.

    `peak` is the place of the largest term of the density, a function of x, the shapes and nc.
    """

    peak: Function
    log_density: Function
    density: Function
    below: Function
    above: Function
    log_below: Function
    log_above: Function


def _split(operands: Sequence[Any]) -> tuple[Any, list[Any], Any]:
    """The noncentrality, x and the shapes along a last axis, and all of them, of one shape."""
    alike = list(xp.broadcast_arrays(*operands))
    return alike[-1], [v[..., None] for v in alike[:-1]], alike


def _log_density_of(c: _Central) -> Function:
    def log_density(*operands: Any) -> Any:
        nc, others, alike = _split(operands)
        peak = c.peak(*alike)
        return _log_mixed(peak, nc, _is_near_0(peak, nc), lambda j: c.log_density(j, *others))

    return log_density


def _density_of(c: _Central) -> Function:
    """By powers of x near 0, where these have derivatives."""
    far = _log_density_of(c)

    def density(x: Any, *shapes: Any) -> Any:
        is_near = xp.less(x, 1) & xp.less(shapes[-1], 1000)
        nc, others, alike = _split([xp.where(is_near, x, 1.0), *shapes])
        weight = xp.where(xp.less(nc, 1000), nc, 1.0)
        near = _mixed(c.peak(*alike), weight, lambda j: c.density(j, *others))
        return xp.where(is_near, near, xp.exp(far(xp.where(is_near, 1.0, x), *shapes)))

    return density


def _share_of(c: _Central, is_lower: bool) -> Function:
    """The largest term is between that of the density and the largest weight."""
    term, between = (c.below, xp.minimum) if is_lower else (c.above, xp.maximum)

    def share(*operands: Any) -> Any:
        nc, others, alike = _split(operands)
        return _mixed(between(c.peak(*alike), 0.5 * nc), nc, lambda j: term(j, *others))

    return share


def _log_share_of(c: _Central, is_lower: bool) -> Function:
    own, rest = _share_of(c, is_lower), _share_of(c, not is_lower)
    log_term, between = (c.log_below, xp.minimum) if is_lower else (c.log_above, xp.maximum)

    def log_share(*operands: Any) -> Any:
        share, other = own(*operands), rest(*operands)
        is_tiny = xp.less(share, _TINY)

        def tiny() -> Any:
            nc, others, alike = _split([xp.where(is_tiny, operands[0], 1.0), *operands[1:]])
            peak = between(c.peak(*alike), 0.5 * nc)
            return _log_mixed(peak, nc, _is_near_0(peak, nc), lambda j: log_term(j, *others))

        plain = xp.where(xp.less(other, 0.5), xp.log1p(-other), xp.log(xp.where(is_tiny, 0.5, share)))
        return rarely(is_tiny, tiny, plain)

    return log_share


def _is_near_0(peak: Any, nc: Any) -> Any:
    return xp.less(nc, 1) & xp.less(peak, 45)


def _nearer(share: Function, rest: Function) -> Function:
    """A probability, computed from the rest where that is smaller, so that derivatives keep their digits."""

    def nearer(*operands: Any) -> Any:
        other = rest(*operands)
        return xp.where(xp.less(other, 0.5), 1.0 - other, share(*operands))

    return nearer


def _log_of(share: Function) -> Function:
    def log_share(*operands: Any) -> Any:
        return xp.log(share(*operands))

    return log_share


def _low(*_: Any) -> float:
    return 0.0


def _high(*_: Any) -> float:
    return inf


def _noncentral(c: _Central, **others: Unpack[Others]) -> Distribution:
    log_density, below, above = _log_density_of(c), _share_of(c, True), _share_of(c, False)
    ends = log_density, _low, _high
    found = Others(
        log_density=log_density, density=_density_of(c), cdf=_nearer(below, above), sf=_nearer(above, below),
        log_cdf=_log_share_of(c, True), log_sf=_log_share_of(c, False),
        ppf=searched(_log_of(below), _log_of(above), *ends, True),
        isf=searched(_log_of(above), _log_of(below), *ends, False), low=0.0,
    )  # fmt: skip
    return Distribution(**cast("dict[str, Any]", found | others))


# chi2 -----------------------------------------------------------------------------------------------


def _chi2_peak(x: Any, df: Any, nc: Any) -> Any:
    """The j with j (j + df / 2) = x nc / 4."""
    a = 0.5 * df
    return 0.5 * nc * (x / (a + xp.hypot(a, xp.sqrt(x) * xp.sqrt(nc))))


def _chi2_term(of_gamma: Callable[[Any, Any], Any]) -> Function:
    """A function of the gamma distribution at x / 2."""

    def term(j: Any, x: Any, df: Any) -> Any:
        return of_gamma(0.5 * x, 0.5 * df + j)

    return term


NCX2 = _noncentral(
    _Central(
        _chi2_peak,
        _chi2_term(lambda y, a: log_gamma_density(y, a) - log(2)),
        _chi2_term(lambda y, a: 0.5 * gamma_density(y, a)),
        _chi2_term(lambda y, a: special("gammainc", a, y)),
        _chi2_term(lambda y, a: special("gammaincc", a, y)),
        _chi2_term(log_gamma_below),
        _chi2_term(log_gamma_above),
    ),
    shapes=("df", "nc"),
    allows=lambda df, nc: xp.greater(df, 0) & xp.isfinite(df) & xp.greater_equal(nc, 0),
    mean=lambda df, nc: df + nc, var=lambda df, nc: 2.0 * (df + 2.0 * nc),
)  # fmt: skip


# F ----------------------------------------------------------------------------------------------------


def _f_peak(x: Any, dfn: Any, dfd: Any, nc: Any) -> Any:
    """The j with j (j + dfn / 2) = c (j + dfn / 2 + dfd / 2), c = nc / 2 x dfn / (x dfn + dfd)."""
    a, b = 0.5 * dfn, 0.5 * dfd
    c = 0.5 * nc / (1.0 + b / (a * x))
    half = 0.5 * (a - c)
    root = xp.hypot(half, xp.sqrt(c) * xp.sqrt(a + b))
    is_low = xp.greater(half, 0)
    return xp.where(is_low, c * (a + b) / (root + xp.abs(half)), root - half)


def _odds(x: Any, dfn: Any, dfd: Any) -> Any:
    return x * (dfn / dfd)


def _log_f_share(is_lower: bool) -> Function:
    def log_share(j: Any, x: Any, dfn: Any, dfd: Any) -> Any:
        odds, a, b = _odds(x, dfn, dfd), 0.5 * dfn + j, 0.5 * dfd + xp.zeros_like(j)
        share, rest = odds / (1.0 + odds), 1.0 / (1.0 + odds)
        return log_beta_below(share, rest, a, b) if is_lower else log_beta_below(rest, share, b, a)

    return log_share


def _f_term(formula: Function) -> Function:
    """A density of odds as one of x."""

    def term(j: Any, x: Any, dfn: Any, dfd: Any) -> Any:
        return formula(_odds(x, dfn, dfd), 0.5 * dfn + j, 0.5 * dfd, xp.log(dfn) - xp.log(dfd))

    return term


def _f_share(first: str, second: str) -> Function:
    part = odds_part(first, second)

    def share(j: Any, x: Any, dfn: Any, dfd: Any) -> Any:
        return part(_odds(x, dfn, dfd), 0.5 * dfn + j, 0.5 * dfd)

    return share


def _f_mean(dfn: Any, dfd: Any, nc: Any) -> Any:
    exists = xp.greater(dfd, 2)
    return xp.where(exists, dfd * (dfn + nc) / (dfn * xp.where(exists, dfd - 2.0, 1.0)), xp.nan)


def _f_var(dfn: Any, dfd: Any, nc: Any) -> Any:
    exists = xp.greater(dfd, 4)
    less = xp.where(exists, dfd - 2.0, 3.0)
    found = 2.0 * (dfd / dfn) ** 2 * ((dfn + nc) ** 2 + (dfn + 2.0 * nc) * less) / (less**2 * (less - 2.0))
    return xp.where(exists, found, xp.nan)


NCF = _noncentral(
    _Central(
        _f_peak, _f_term(log_odds_density), _f_term(odds_density), _f_share("betainc", "betaincc"),
        _f_share("betaincc", "betainc"), _log_f_share(True), _log_f_share(False),
    ),
    shapes=("dfn", "dfd", "nc"), allows=lambda dfn, dfd, nc: above_zero(dfn, dfd) & xp.greater_equal(nc, 0),
    mean=_f_mean, var=_f_var,
)  # fmt: skip

DISTRIBUTIONS = {"ncx2": NCX2, "ncf": NCF}
