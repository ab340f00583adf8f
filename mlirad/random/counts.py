"""Draws of counts: Poisson, binomial, negative binomial, geometric, multinomial. They have no derivatives.

Large expectations go by transformed rejection: a quotient of two uniform numbers, whose density is a close
hat of the probabilities (W. Hörmann, *The transformed rejection method for generating Poisson random
variables*, 1993, and *The generation of binomial random variates*, 1993). Small ones add up probabilities
until they reach a uniform number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log, pi
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mlirad.frontend.interface import asarray, scan, stop_gradient, while_loop
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import dtype_error, shape_error
from mlirad.random.drawing import Numbers, broadcast_shape, checked_dtype, draw, unit
from mlirad.random.gamma import loggamma
from mlirad.random.keys import fold_in, split

SMALL: Final = 10.0
"""The expectation up to which probabilities are added up."""

NEGLIGIBLE: Final = 2.0**-60
"""A probability that no more are added after."""

LARGEST: Final = 2.0**53
"""The largest expectation, and number of trials: up to it, floats tell neighbouring integers apart."""

Trial: TypeAlias = Callable[[Any, Any], tuple[Any, Any]]
"""From two uniform numbers, above 0 and below 1, to a count as a float and whether it is accepted."""


@draw
def poisson(key: Numbers, lam: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.int64) -> Any:
    """Draws from the Poisson distribution of expectation `lam`, which broadcasts to `shape`.

    -1 where `lam` is negative, NaN, or above 2**53.

        >>> ad.random.poisson(ad.random.key(0), np.array([0.1, 4.0, 1000.0]))
        array([   0,    2, 1013])
    """
    mean = _floats(lam, "poisson: lam")
    mean = xp.broadcast_to(mean, broadcast_shape(shape, "expectations", mean))
    usable = (mean >= 0) & (mean <= LARGEST)
    few, many = usable & (mean <= SMALL), usable & (mean > SMALL)
    least = xp.where(few, mean, 0.0)
    added = _added(key, xp.exp(-least), lambda k: least / (k + 1))
    found = _accepted(key, many, partial(_poisson_trial, xp.where(many, mean, SMALL)))
    return _counts(usable, xp.where(many, found, added), dtype)


@draw
def binomial(key: Numbers, n: Numbers, p: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.int64) -> Any:
    """Return how many of `n` trials succeed, each with the probability `p`; both broadcast to `shape`.

    -1 where `n` is negative or above 2**53, or `p` is not between 0 and 1.

        >>> ad.random.binomial(ad.random.key(0), 10, 0.3, 6)
        array([3, 2, 6, 3, 3, 2])
    """
    trials, chance = _floats(n, "binomial: n"), _floats(p, "binomial: p")
    wanted = broadcast_shape(shape, "parameters", trials, chance)
    return _counts(*_binomial(key, xp.broadcast_to(trials, wanted), xp.broadcast_to(chance, wanted)), dtype)


@draw
def negative_binomial(
    key: Numbers, n: Numbers, p: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.int64
) -> Any:
    """Return how many trials fail before `n` succeed, each with the probability `p`; `n` may be any positive
    number.

    A Poisson draw whose expectation is a gamma draw. -1 where `n` is not positive or `p` is not above 0 and
    at most 1.

        >>> ad.random.negative_binomial(ad.random.key(0), 3, 0.5, 6)
        array([ 4,  4, 13,  3,  1,  3])
    """
    successes, chance = _floats(n, "negative_binomial: n"), _floats(p, "negative_binomial: p")
    wanted = broadcast_shape(shape, "parameters", successes, chance)
    usable = (successes > 0) & (chance > 0) & (chance <= 1)
    first, second = split(key)
    scale = xp.log1p(-xp.where(usable, chance, 0.5)) - xp.log(xp.where(usable, chance, 0.5))
    mean = xp.exp(loggamma(first, xp.where(usable, successes, 1.0), wanted) + scale)
    return poisson(second, stop_gradient(xp.where(usable, mean, -1.0)), wanted, dtype)


@draw
def geometric(key: Numbers, p: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.int64) -> Any:
    """The number of the first trial that succeeds, 1 at least, each with the probability `p`.

    -1 where `p` is not above 0 and at most 1, or where that number is above 2**53.

        >>> ad.random.geometric(ad.random.key(0), 0.25, 6)
        array([4, 6, 1, 2, 3, 4])
    """
    chance = _floats(p, "geometric: p")
    wanted = broadcast_shape(shape, "probabilities", chance)
    usable = (chance > 0) & (chance <= 1)
    length = xp.log(unit(key, wanted, np.float64)) / xp.log1p(-xp.where(usable, chance, 0.5))
    number = xp.maximum(xp.ceil(length), 1.0)
    return _counts(usable & (number <= LARGEST), number, dtype)


@draw
def multinomial(
    key: Numbers, n: Numbers, pvals: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.int64
) -> Any:
    """Return how many of `n` trials have each outcome, whose probabilities add up to 1 along the last
    dimension of `pvals`.

    `shape` is that of the draw without this dimension; `n`, and `pvals` without it, broadcast to it. One
    binomial draw after the other, of what is left; the last outcome has the rest.

        >>> ad.random.multinomial(ad.random.key(0), 100, np.array([0.5, 0.3, 0.2]))
        array([48, 38, 14])
    """
    trials, chances = _floats(n, "multinomial: n"), _floats(pvals, "multinomial: pvals")
    if chances.ndim == 0 or chances.shape[-1] == 0:
        raise shape_error(
            "multinomial: pvals has no elements along its last dimension",
            "give the probability of one category or more",
        )
    wanted = broadcast_shape(shape, "parameters", trials, chances[..., 0])
    outcomes = chances.shape[-1]
    rows = xp.moveaxis(xp.broadcast_to(chances, (*wanted, outcomes)), -1, 0)

    def outcome(left: tuple[Any, Any, Any], chance: Any) -> tuple[tuple[Any, Any, Any], Any]:
        number, rest, probability = left
        is_last = number == outcomes - 1
        share = xp.clip(chance / xp.where(probability > 0, probability, 1.0), 0.0, 1.0)
        usable, found = _binomial(fold_in(key, number), rest, xp.where(is_last, 1.0, share))
        counted = xp.where(usable, found, -1.0)
        return (number + 1, xp.where(usable, rest - found, -1.0), probability - chance), counted

    start = (asarray(np.int64(0)), xp.broadcast_to(trials, wanted), xp.ones(wanted))
    _, counts = scan(outcome, start, rows)
    return xp.moveaxis(counts, 0, -1).astype(checked_dtype(dtype, np.int64, np.int32))


def _floats(parameter: Numbers, name: str) -> Any:
    value = asarray(parameter)
    if value.dtype.kind not in "fi":
        raise dtype_error(f"{name} is {value.dtype}, and it must be a number", "pass an integer or a float")
    return stop_gradient(value.astype(np.float64))


def _counts(usable: Any, found: Any, dtype: npt.DTypeLike) -> Any:
    return xp.where(usable, found, -1.0).astype(checked_dtype(dtype, np.int64, np.int32))


def _binomial(key: Numbers, n: Any, p: Any) -> tuple[Any, Any]:
    """Return where the parameters are those of a distribution, and the counts of the rarer outcome as floats;
    the other outcome takes the rest.
    """
    usable = (n >= 0) & (n <= LARGEST) & (p >= 0) & (p <= 1)
    rare = xp.minimum(p, 1 - p)
    few, many = usable & (n * rare <= SMALL), usable & (n * rare > SMALL)
    least, chance = xp.where(few, n, 0.0), xp.where(few, rare, 0.0)
    odds = chance / (1 - chance)
    added = _added(key, xp.exp(least * xp.log1p(-chance)), lambda k: odds * (least - k) / (k + 1))
    trial = partial(_binomial_trial, xp.where(many, n, 100.0), xp.where(many, rare, 0.5))
    counted = xp.where(many, _accepted(key, many, trial), added)
    return usable, xp.where(p > 0.5, n - counted, counted)


def _added(key: Numbers, first: Any, ratio: Callable[[Any], Any]) -> Any:
    """The first counts up to which probabilities add up to a uniform number: of 0 `first`, and of k + 1
    `ratio(k)` times that of k.
    """
    u = unit(key, first.shape, np.float64)

    def goes_on(state: tuple[Any, Any, Any]) -> Any:
        _, probability, total = state
        return (u > total) & (probability > NEGLIGIBLE)

    def iteration(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        k, probability, total = state
        more = probability * ratio(k)
        further = (k + 1, more, total + more)
        return tuple(xp.where(goes_on(state), new, old) for new, old in zip(further, state, strict=True))

    start = (xp.zeros_like(first), first, first)
    return while_loop(lambda state: xp.any(goes_on(state)), iteration, start)[0]


def _accepted(key: Numbers, wanted: Any, trial: Trial) -> Any:
    """The first count that is accepted, of each element that is wanted."""

    def iteration(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        number, count, done = state
        own = fold_in(key, number)
        found, fits = trial(unit(own, wanted.shape, np.float64), unit(own, wanted.shape, np.float64, 1))
        return number + 1, xp.where(done, count, found), done | fits

    start = (asarray(np.int64(0)), xp.zeros(wanted.shape), ~wanted)
    return while_loop(lambda state: ~xp.all(state[2]), iteration, start)[1]


def _poisson_trial(mean: Any, first: Any, second: Any) -> tuple[Any, Any]:
    """Hörmann's PTRS."""
    b = 0.931 + 2.53 * xp.sqrt(mean)
    a = -0.059 + 0.02483 * b
    u, v = first - 0.5, second
    distance = 0.5 - xp.abs(u)
    k = xp.floor((2 * a / distance + b) * u + mean + 0.43)
    inside = (distance >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
    hat = xp.log(v) + xp.log(1.1239 + 1.1328 / (b - 3.4)) - xp.log(a / (distance * distance) + b)
    at = xp.maximum(k, 0.0)
    below = hat <= at * xp.log(mean) - mean - _log_factorial(at)
    return k, inside | ((k >= 0) & ((distance >= 0.013) | (v <= distance)) & below)


def _binomial_trial(n: Any, p: Any, first: Any, second: Any) -> tuple[Any, Any]:
    """Hörmann's BTRS, for p up to 1/2."""
    deviation = xp.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    u, v = first - 0.5, second
    distance = 0.5 - xp.abs(u)
    k = xp.floor((2 * a / distance + b) * u + n * p + 0.5)
    inside = (distance >= 0.07) & (v <= 0.92 - 4.2 / b)
    mode = xp.floor((n + 1) * p)
    at = xp.clip(k, 0.0, n)
    hat = xp.log(v * (2.83 + 5.1 / b) * deviation / (a / (distance * distance) + b))
    ways = _log_factorial(mode) + _log_factorial(n - mode) - _log_factorial(at) - _log_factorial(n - at)
    below = hat <= ways + (at - mode) * (xp.log(p) - xp.log1p(-p))
    return k, inside | ((k >= 0) & (k <= n) & below)


def _log_factorial(k: Any) -> Any:
    """log k!, right to 1e-13 of 1 and of itself: Stirling's series of k + 7, less what was added."""
    added = (k + 1) * (k + 2) * (k + 3) * (k + 4) * (k + 5) * (k + 6) * (k + 7)
    z = k + 8
    square = 1 / (z * z)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / z
    return (z - 0.5) * xp.log(z) - z + 0.5 * log(2 * pi) + series - xp.log(added)
