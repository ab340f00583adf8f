"""Sums of uniform numbers, and of trials with a probability each, by recurrences of positive terms."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, TypeAlias

import numpy as np

from mlirad.frontend.constructs.loops import fori_loop, scan
from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution
from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import called
from mlirad.frontend.numpy_functions.scipy_functions.distributions.searching import searched
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import floats, xlogy
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import xp

# Uniform numbers ------------------------------------------------------------------------------------

_OfCount: TypeAlias = Callable[[Any, Any], Any]
"""A function of a point, or a share, and of how many numbers there are."""

LARGEST_COUNT = 128
"""Sums of more uniform numbers are NaN."""

_ORDERS = 2
"""Derivatives of higher orders are those of the recurrence."""


def _splines(x: Any, n: Any) -> Any:
    """The densities B_n(u + j) of sums of n numbers, j = 0, 1, ... along a last axis, u the fraction of x.

    (n - 1) B_n(t) = t B_(n-1)(t) + (n - t) B_(n-1)(t - 1), and no term is negative.
    """
    places = np.arange(LARGEST_COUNT + 1.0)
    t = (x - xp.floor(x))[..., None] + places
    count = n[..., None]

    def step(m: Any, last: Any) -> Any:
        order = 1.0 * m
        before = xp.concatenate([xp.zeros_like(last[..., :1]), last[..., :-1]], axis=-1)
        found = (t * last + xp.maximum(order - t, 0.0) * before) / (order - 1.0)
        return xp.where(xp.less_equal(order, count), found, last)

    return fori_loop(2, LARGEST_COUNT + 2, step, xp.zeros_like(t + count) + (places == 0))


def _derivative(order: int, x: Array, n: Array) -> Array:
    """A derivative of the density: a difference of densities of sums of fewer numbers."""

    def value(x: Array, n: Array) -> Array:
        fewer, places = n - float(order), np.arange(LARGEST_COUNT + 1.0)
        behind = xp.floor(x)[..., None] - places
        weights = sum((-1.0) ** i * comb(order, i) * xp.equal(behind, float(i)) for i in range(order + 1))
        found = xp.sum(weights * _splines(x, fewer), axis=-1)
        return xp.where(xp.greater_equal(fewer, 1), found, 0.0)

    def derivative(x: Array, n: Array, _: Array, dx: Array, __: Array) -> Array:
        return _derivative(order + 1, x, n) * dx

    return value(x, n) if order == _ORDERS else with_derivative(value, derivative, x, n)


def _below(x: Array, n: Array) -> Array:
    """The share below x: the sum of densities of n + 1 numbers at x, x - 1, ..."""

    def value(x: Array, n: Array) -> Array:
        is_behind = xp.floor(x)[..., None] >= np.arange(LARGEST_COUNT + 1.0)
        return xp.sum(xp.where(is_behind, _splines(x, n + 1.0), 0.0), axis=-1)

    def derivative(x: Array, n: Array, _: Array, dx: Array, __: Array) -> Array:
        return _derivative(0, x, n) * dx

    return with_derivative(value, derivative, x, n)


def _of_lower_half(near: _OfCount, far: _OfCount) -> Callable[[Any, Any], tuple[Any, Any]]:
    """Tell if the upper end is nearer, and apply a formula to the distance: `near` up to 1, then `far`."""

    def found(x: Any, n: Any) -> tuple[Any, Any]:
        is_high = xp.greater(x, 0.5 * n)
        distance = xp.where(is_high, n - x, x)
        is_near = xp.less(distance, 1)
        last, count = floats(
            xp.where(is_near, 1.0, distance), xp.where(xp.less_equal(n, LARGEST_COUNT), n, xp.nan)
        )
        inner = near(xp.where(is_near, distance, 1.0), count)
        return is_high, xp.where(is_near, inner, far(last, count))

    return found


def _of_splines(function: _OfCount) -> _OfCount:
    """A function of splines of operands of one shape, NaN for a number that is."""

    def found(x: Any, n: Any) -> Any:
        x, n = xp.broadcast_arrays(x, n)
        known = xp.equal(n, n)
        return xp.where(known, function(x, xp.where(known, n, 1.0)), xp.nan)

    return found


def _log_of_small(found: Any, n: Any) -> Any:
    """A logarithm by that of what is neither so small nor so large that its square is not a number."""
    half = 0.5 * special("gammaln", n)
    return xp.log(found * xp.exp(half)) - half


_density_parts = _of_lower_half(
    lambda x, n: xp.power(x, n - 1.0) * xp.exp(-special("gammaln", n)),
    _of_splines(lambda x, n: _derivative(0, x, n)),
)
_log_density_parts = _of_lower_half(
    lambda x, n: xlogy(n - 1.0, x) - special("gammaln", n),
    _of_splines(lambda x, n: _log_of_small(_derivative(0, x, n), n)),
)
_share_parts = _of_lower_half(
    lambda x, n: xp.power(x, n) * xp.exp(-special("gammaln", n + 1.0)), _of_splines(_below)
)
_log_share_parts = _of_lower_half(
    lambda x, n: n * xp.log(x) - special("gammaln", n + 1.0),
    _of_splines(lambda x, n: _log_of_small(_below(x, n), n + 1.0)),
)


def _share(is_lower: bool) -> _OfCount:
    def share(x: Any, n: Any) -> Any:
        is_high, found = _share_parts(x, n)
        return xp.where(is_high if is_lower else ~is_high, 1.0 - found, found)

    return share


def _log_share(is_lower: bool) -> _OfCount:
    def log_share(x: Any, n: Any) -> Any:
        is_high, found = _log_share_parts(x, n)
        return xp.where(is_high if is_lower else ~is_high, xp.log1p(-_share_parts(x, n)[1]), found)

    return log_share


def _log_density(x: Any, n: Any) -> Any:
    return _log_density_parts(x, n)[1]


def _log_cdf(x: Any, n: Any) -> Any:
    return xp.log(_share(True)(x, n))


def _log_sf(x: Any, n: Any) -> Any:
    return xp.log1p(-_share(True)(x, n))


def _low(_: Any) -> float:
    return 0.0


def _high(n: Any) -> Any:
    return n


_low_quantile = searched(_log_cdf, _log_sf, _log_density, _low, _high, True)


def _quantile(is_lower: bool) -> _OfCount:
    """The quantile by that of a share below one half."""

    def quantile(q: Any, n: Any) -> Any:
        is_low = xp.less(q, 0.5)
        found = called(_low_quantile)(xp.where(is_low, q, 1.0 - q), n)
        return xp.where(is_low if is_lower else ~is_low, found, n - found)

    return quantile


IRWINHALL = Distribution(
    _log_density, shapes=("n",), density=lambda x, n: _density_parts(x, n)[1],
    cdf=_share(True), sf=_share(False), log_cdf=_log_share(True), log_sf=_log_share(False),
    ppf=_quantile(True), isf=_quantile(False), low=0.0, high=_high,
    allows=lambda n: xp.greater(n, 0) & xp.equal(n, xp.floor(n)),
    mean=lambda n: 0.5 * n, var=lambda n: n / 12.0,
)  # fmt: skip

# Trials ---------------------------------------------------------------------------------------------


def _masses(p: Any) -> Any:
    """The probabilities of 0, 1, ... successes in trials with the probabilities along the last axis."""
    count = p.shape[-1]

    def step(masses: Any, p: Any) -> tuple[Any, Any]:
        before = xp.concatenate([xp.zeros_like(masses[..., :1]), masses[..., :-1]], axis=-1)
        return masses * (1.0 - p[..., None]) + before * p[..., None], ()

    start = xp.zeros_like(p[..., :1]) + np.eye(1, count + 1)[0]
    return scan(step, start, xp.moveaxis(p, -1, 0))[0]


def _total(k: Any, p: Any, relation: Any) -> Any:
    """The sum of the probabilities of numbers that are in a relation to k."""
    is_counted = relation(np.arange(p.shape[-1] + 1.0), k[..., None])
    return xp.sum(xp.where(is_counted, _masses(p), 0.0), axis=-1)


def _mass(k: Any, p: Any) -> Any:
    return _total(k, p, xp.equal)


def _trials_quantile(q: Any, p: Any) -> Any:
    shares = xp.cumsum(_masses(p)[..., :-1], axis=-1)
    return xp.sum(1.0 * xp.less(shares, q[..., None]), axis=-1)


def _trials_upper_quantile(q: Any, p: Any) -> Any:
    rests = xp.cumsum(xp.flip(_masses(p)[..., 1:], axis=-1), axis=-1)
    return xp.sum(1.0 * xp.greater(rests, q[..., None]), axis=-1)


POISSON_BINOM = Distribution(
    lambda k, p: xp.log(_mass(k, p)), shapes=("p",), density=_mass,
    cdf=lambda k, p: _total(k, p, xp.less_equal), sf=lambda k, p: _total(k, p, xp.greater),
    ppf=_trials_quantile, isf=_trials_upper_quantile, low=0.0, high=lambda p: float(p.shape[-1]),
    is_discrete=True,
    allows=lambda p: xp.all(xp.greater_equal(p, 0) & xp.less_equal(p, 1), axis=-1),
    mean=lambda p: xp.sum(p, axis=-1), var=lambda p: xp.sum(p * (1.0 - p), axis=-1),
)  # fmt: skip

DISTRIBUTIONS = {"irwinhall": IRWINHALL, "poisson_binom": POISSON_BINOM}
