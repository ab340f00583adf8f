"""Distributions of sums of squares of normal numbers whose means are not 0: of chi2.

They are mixtures of central ones, with Poisson's probabilities:

    f(x) = sum over j of poisson(j, nc / 2) f_j(x)

A summand is a smooth function of j, a hill of which the width is known. Where that is wide, the sum is one
over fewer numbers, which need not be whole, times their distance: by Poisson's summation formula the error
falls as e^-2 (pi w / h)^2 with the width w over the distance h. So all sums have equally many terms.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log
from typing import Any

import numpy as np

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution
from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import Function
from mlirad.frontend.numpy_functions.scipy_functions.distributions.pieces import (
    gamma_density,
    log_gamma_above,
    log_gamma_below,
    log_gamma_density,
    rarely,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.searching import searched
from mlirad.frontend.tracing.operations import xp

_COUNT = 112
_WHOLE = 45.0
"""Up to this place of the peak terms are those of 0, 1, 2, ..."""

_TINY = 1e-200
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

    Probabilities of j for nc near 0 are no exponentials of logarithms, which have no derivatives there.
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


def _log_share(share: Any, rest: Any, log_share: Function) -> Any:
    """The logarithm of a probability: by the rest where it is near 1, by a sum of logarithms where tiny."""
    is_tiny = xp.less(share, _TINY)
    plain = xp.where(xp.less(rest, 0.5), xp.log1p(-rest), xp.log(xp.where(is_tiny, 0.5, share)))
    return rarely(is_tiny, log_share, plain)


def _alike(*operands: Any) -> list[Any]:
    return list(xp.broadcast_arrays(*operands))


# chi2 -----------------------------------------------------------------------------------------------


def _peak(x: Any, df: Any, nc: Any) -> Any:
    """The j of the largest term of the density: j (j + df / 2) is x nc / 4."""
    a = 0.5 * df
    return 0.5 * nc * (x / (a + xp.hypot(a, xp.sqrt(x) * xp.sqrt(nc))))


def _is_near_0(x: Any, nc: Any) -> Any:
    return xp.less(nc, 1) & xp.less(x, 1e4)


def _log_density(x: Any, df: Any, nc: Any) -> Any:
    x, df, nc = _alike(x, df, nc)
    a, y = 0.5 * df[..., None], 0.5 * x[..., None]
    return _log_mixed(_peak(x, df, nc), nc, _is_near_0(x, nc), lambda j: log_gamma_density(y, a + j)) - log(2)


def _density(x: Any, df: Any, nc: Any) -> Any:
    """By powers of x near 0, where these have derivatives."""
    x, df, nc = _alike(x, df, nc)
    is_near = xp.less(x, 1) & xp.less(nc, 1000)
    a, y = 0.5 * df[..., None], 0.5 * xp.where(is_near, x, 1.0)[..., None]
    near = 0.5 * _mixed(_peak(x, df, nc), xp.where(is_near, nc, 1.0), lambda j: gamma_density(y, a + j))
    return xp.where(is_near, near, xp.exp(_log_density(xp.where(is_near, 1.0, x), df, nc)))


def _below(x: Any, df: Any, nc: Any) -> Any:
    x, df, nc = _alike(x, df, nc)
    a, y = 0.5 * df[..., None], 0.5 * x[..., None]
    peak = xp.minimum(_peak(x, df, nc), 0.5 * nc)
    return _mixed(peak, nc, lambda j: special("gammainc", a + j, y))


def _above(x: Any, df: Any, nc: Any) -> Any:
    x, df, nc = _alike(x, df, nc)
    a, y = 0.5 * df[..., None], 0.5 * x[..., None]
    peak = xp.maximum(_peak(x, df, nc), 0.5 * nc)
    return _mixed(peak, nc, lambda j: special("gammaincc", a + j, y))


def _nearer(share: Function, rest: Function) -> Function:
    """A probability by the rest where that is smaller, of which derivatives keep their digits."""

    def nearer(*operands: Any) -> Any:
        other = rest(*operands)
        return xp.where(xp.less(other, 0.5), 1.0 - other, share(*operands))

    return nearer


def _log_below(x: Any, df: Any, nc: Any) -> Any:
    x, df, nc = _alike(x, df, nc)
    below, above = _below(x, df, nc), _above(x, df, nc)
    is_tiny = xp.less(below, _TINY)

    def tiny() -> Any:
        point = xp.where(is_tiny, x, 1.0)
        a, y = 0.5 * df[..., None], 0.5 * point[..., None]
        peak = xp.minimum(_peak(point, df, nc), 0.5 * nc)
        return _log_mixed(peak, nc, _is_near_0(point, nc), lambda j: log_gamma_below(y, a + j))

    return _log_share(below, above, tiny)


def _log_above(x: Any, df: Any, nc: Any) -> Any:
    x, df, nc = _alike(x, df, nc)
    below, above = _below(x, df, nc), _above(x, df, nc)
    is_tiny = xp.less(above, _TINY)

    def tiny() -> Any:
        point = xp.where(is_tiny, x, 1.0)
        a, y = 0.5 * df[..., None], 0.5 * point[..., None]
        peak = xp.maximum(_peak(point, df, nc), 0.5 * nc)
        return _log_mixed(peak, nc, _is_near_0(point, nc), lambda j: log_gamma_above(y, a + j))

    return _log_share(above, below, tiny)


def _log_of(share: Function) -> Function:
    def log_share(x: Any, df: Any, nc: Any) -> Any:
        return xp.log(share(x, df, nc))

    return log_share


def _low(*_: Any) -> float:
    return 0.0


def _high(*_: Any) -> float:
    return inf


def _quantile(share: Function, rest: Function, increases: bool) -> Any:
    return searched(_log_of(share), _log_of(rest), _log_density, _low, _high, increases)


NCX2 = Distribution(
    _log_density, shapes=("df", "nc"), density=_density, cdf=_nearer(_below, _above),
    sf=_nearer(_above, _below), log_cdf=_log_below, log_sf=_log_above,
    ppf=_quantile(_below, _above, True), isf=_quantile(_above, _below, False), low=0.0,
    allows=lambda df, nc: xp.greater(df, 0) & xp.isfinite(df) & xp.greater_equal(nc, 0),
    mean=lambda df, nc: df + nc, var=lambda df, nc: 2.0 * (df + 2.0 * nc),
)  # fmt: skip

DISTRIBUTIONS = {"ncx2": NCX2}
