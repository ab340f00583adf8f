"""Sums of exponentials: their logarithm, and the shares that the terms have in them.

    logsumexp(x)      m + log(sum(exp(x - m))), with m the largest element
    softmax(x)        exp(x) / sum(exp(x))

The shares p of a sum are differentiated as dp[i] = p[i] dx[i] - p[i] sum(p dx), where a share near 1 would
cancel: its derivative in its own exponent is p (1 - p), and 1 - p is the sum of the other shares. So the
share above 1/2, if there is one, is differentiated as dp[i] = r p[i] dx[i] - p[i] t, with r and t the sums
of the others' p and p dx. The shift m, which cancels, has no derivative.

Two shares are a logistic function and its complement: dp = p q (dx - dy), with q and y of the other one. The
derivative of p q has the factor q - p, which is tanh((y - x) / 2) and has all its digits near a tie.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import xp


def logsumexp(x: Array, axes: tuple[int, ...]) -> Array:
    """The logarithm of the sum of the exponentials over the axes, which are kept with extent 1."""

    def value(x: Array) -> Array:
        largest, rest = _logarithm(x, axes)
        return largest + rest

    def derivative(x: Array, _: Array, dx: Array) -> Array:
        return _sum(softmax(x, axes, of_nothing=0.0) * dx, axes)

    return with_derivative(value, derivative, x)


def softmax(x: Array, axes: tuple[int, ...], of_nothing: float = np.nan) -> Array:
    """The exponentials, divided by their sum over the axes; `of_nothing` where that is 0."""
    is_pair = [x.shape[k] for k in axes if x.shape[k] != 1] == [2]

    def value(x: Array) -> Array:
        terms = xp.exp(x - _shift(x, axes))
        total = _sum(terms, axes)
        if np.isnan(of_nothing):
            return terms / total
        is_nothing = xp.equal(total, 0)
        return xp.where(is_nothing, of_nothing, terms / xp.where(is_nothing, 1.0, total))

    def derivative(x: Array, p: Array, dx: Array) -> Array:
        if is_pair:
            return _variance_of_two(x, p, axes) * (dx - xp.flip(dx, axes))
        return _more_than_half(p, axes).less_sum(p * dx, p, p * dx)

    return with_derivative(value, derivative, x)


def _variance_of_two(x: Array, p: Array, axes: tuple[int, ...]) -> Array:
    """The product of both shares, which are given, with its derivative in the exponents."""

    def value(_: Array, p: Array) -> Array:
        return p * xp.flip(p, axes)

    def derivative(x: Array, p: Array, product: Array, dx: Array, _: Array) -> Array:
        distance = x - xp.flip(x, axes)
        return product * xp.tanh(-0.5 * distance) * (dx - xp.flip(dx, axes))

    return with_derivative(value, derivative, x, p)


def log_softmax(x: Array, axes: tuple[int, ...]) -> Array:
    """The elements less the logarithm of the sum of their exponentials over the axes."""

    def value(x: Array) -> Array:
        largest, rest = _logarithm(x, axes)
        return (x - xp.where(xp.isfinite(largest), largest, 0.0)) - rest

    def derivative(x: Array, _: Array, dx: Array) -> Array:
        p = softmax(x, axes)
        return _more_than_half(p, axes).less_sum(dx, 1.0, p * dx)

    return with_derivative(value, derivative, x)


def weighted_logsumexp(x: Array, factors: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """The logarithm of |s|, and the sign of s, where s is the sum of the exponentials times factors.

    An element with a factor of 0 adds nothing, whatever it is; the derivative in the factor is its
    exponential over s.
    """

    def value(x: Array, factors: Array) -> tuple[Array, Array]:
        used = xp.where(xp.equal(factors, 0), -np.inf, x)
        shift = _shift(used, axes)
        terms = xp.exp(used - shift) * factors
        at_shift = xp.equal(used, shift)
        most, rest = (_sum(xp.where(keep, terms, 0.0), axes) for keep in (at_shift, ~at_shift))
        total = most + rest
        is_near = xp.less(xp.abs(rest), 0.5 * xp.abs(most))
        safe, size = xp.where(is_near, most, 1.0), xp.abs(xp.where(is_near, most, total))
        logarithm = xp.log(size) + xp.log1p(xp.where(is_near, rest / safe, 0.0))
        return logarithm + shift, xp.sign(total)

    def derivative(x: Array, factors: Array, *rest: Array) -> tuple[Array, Array]:
        _, sign, dx, dfactors = rest
        per_factor, share = _shares(x, factors, axes)
        moved = _sum(share * dx + per_factor * dfactors, axes)
        return moved, xp.zeros_like(sign)

    return with_derivative(value, derivative, x, factors)


def _shares(x: Array, factors: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """The exponentials over the sum of all times factors; and these times factors."""

    def value(x: Array, factors: Array) -> tuple[Array, Array]:
        is_used = ~xp.equal(factors, 0)
        shift = _shift(xp.where(is_used, x, -np.inf), axes)
        terms = xp.exp(x - shift)
        weighted = xp.where(is_used, terms * factors, 0.0)
        total = _sum(weighted, axes)
        return terms / total, weighted / total

    def derivative(x: Array, factors: Array, *rest: Array) -> tuple[Array, Array]:
        per_factor, share, dx, dfactors = rest
        most, by_factor = _near_whole(share, axes), per_factor * dfactors
        change = share * dx + by_factor
        own = most.less_sum(dx, 1.0, change) - xp.where(most.is_most, by_factor, 0.0)
        return per_factor * own, most.less_sum(change, share, change)

    return with_derivative(value, derivative, x, factors)


def _shift(x: Array, axes: tuple[int, ...]) -> Array:
    """Return what is subtracted of exponents: the largest, 0 where that is infinite."""
    largest = xp.max(x, axis=axes, keepdims=True, initial=-np.inf) if axes else x
    return xp.where(xp.isfinite(largest), largest, 0.0)


def _logarithm(x: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """The largest element, and what is added to it to get the logarithm of the sum of the exponentials.

    The largest is not part of the sum but a factor, so that a logarithm near 0 keeps its digits.
    """
    largest = xp.max(x, axis=axes, keepdims=True, initial=-np.inf) if axes else x
    is_largest = xp.equal(x, largest)
    terms = xp.exp(x - xp.where(xp.isfinite(largest), largest, 0.0))
    rest = _sum(xp.where(is_largest, 0.0, terms), axes)
    count = xp.sum(xp.where(is_largest, x.dtype.type(1), x.dtype.type(0)), axis=axes, keepdims=True)
    return largest, xp.log1p(rest / xp.maximum(count, 1.0)) + xp.log(count)


class _Most:
    """The share that is most of the whole, if there is one such, and the sum of the others."""

    def __init__(self, share: Array, is_most: Array, axes: tuple[int, ...]):
        self.axes = axes
        self.is_most = is_most
        self.others = self.sum_of_others(share)

    def sum_of_others(self, x: Array) -> Array:
        """The sum over all other elements."""
        return _sum(xp.where(self.is_most, 0.0, x), self.axes)

    def less_sum(self, x: Array, factor: Any, parts: Array) -> Array:
        """x - factor sum(parts), the parts being x times shares: without cancellation at the largest one."""
        own = self.others * x - factor * self.sum_of_others(parts)
        return xp.where(self.is_most, own, x - factor * _sum(parts, self.axes))


def _more_than_half(p: Array, axes: tuple[int, ...]) -> _Most:
    """The largest of positive shares: only one can be more than a half."""
    return _Most(p, xp.greater(p, 0.5), axes)


def _near_whole(share: Array, axes: tuple[int, ...]) -> _Most:
    """The largest of shares of both signs, if it is the only one near 1."""
    near = xp.less(xp.abs(share - 1.0), 0.5)
    count = _sum(xp.where(near, share.dtype.type(1), share.dtype.type(0)), axes)
    return _Most(share, near & xp.equal(count, 1.0), axes)


def _sum(x: Array, axes: tuple[int, ...]) -> Array:
    return xp.sum(x, axis=axes, keepdims=True)
