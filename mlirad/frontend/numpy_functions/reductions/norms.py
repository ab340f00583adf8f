"""Norms of real numbers over dimensions, of any size, with derivatives of every order.

    norm_over((x,), (0,))            sqrt(sum(x^2)), with extent 1 where dimensions were
    norm_over((x, y), (0,), 3.0)     the norm of order 3 of the elements of both

The derivative of a norm r of order p is sum(u dx), with u = sign(x) (|x| / r)^(p - 1), and that of u is

    du[i] = (p - 1) (|x[i]| / r)^(p - 2) (dx[i] - x[i] / r sum(u dx)) / r

which would cancel where one element is most of the norm: of the p-th powers of |x| / r, whose sum is 1, the
largest is 1 less the sum of the others. So the derivative of an element that is most of the norm is made of
the others'. Where a norm is 0 its derivatives are 0.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from mlirad.dialects.shapes import Value
from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import converted, xp

Axes: TypeAlias = tuple[int, ...]

_UP, _DOWN = 2.0**537, 2.0**-513
"""The factors for numbers whose squares underflow or overflow."""

_LEAST, _MOST = 2.0**-900, 2.0**1000
"""Between these a sum of squares is right, except for parts of less than 1e-16 of it."""

_DOWN_FAR = 2.0**-64
"""The factor for numbers with subnormal reciprocals."""

_MOST_OF_ALL = 0.6
"""The power above which an element is most of a norm: well above 1/2, so that two equal ones never are."""


def norm_over(parts: Sequence[Array], axes: Axes, order: float = 2.0) -> Array:
    """The norm of all elements of `parts`, arrays of one shape, over the axes, which are kept."""
    count = len(parts)
    if order == 2:
        return _euclidean(parts, axes, lambda *x: x)

    def value(*x: Array) -> Array:
        return _of_powers(x, axes, order)

    def derivative(*operands: Array) -> Array:
        x, norm, dx = operands[:count], operands[count], operands[count + 1 :]
        return _total(_products(_directions(x, norm, axes, order), dx), axes)

    return with_derivative(value, derivative, *parts)


def distance_from_mean(x: Array, axes: Axes, centred: Callable[[Array], Array]) -> Array:
    """The Euclidean norm over the axes, which are kept, of `centred(x)`: elements less their mean."""

    def measured(x: Array) -> tuple[Array]:
        return (centred(x),)

    return _euclidean((x,), axes, measured)


def _euclidean(parts: Sequence[Array], axes: Axes, measured: Callable[..., Sequence[Array]]) -> Array:
    """The norm of what is measured: the parts, or their projections on what is orthogonal to something.

    Its square comes with it, for what is smooth where the norm is 0.
    """
    count = len(parts)

    def value(*x: Array) -> tuple[Array, Array]:
        return _length(measured(*x), axes, lambda scale: measured(*(v * scale for v in x)))

    def derivative(*operands: Array) -> tuple[Array, Array]:
        x, norm, dx = measured(*operands[:count]), operands[count], operands[count + 2 :]
        along = _total(_products(_directions(x, norm, axes, 2.0), dx), axes)
        return along, 2 * _total(_products(x, dx), axes)

    norm, _ = with_derivative(value, derivative, *parts, squared=True)
    return norm


def unit_vectors(x: Array, axes: Axes) -> Array:
    """x over its Euclidean norm, NaN where that is 0."""
    norm = norm_over((x,), axes)
    (unit,) = _directions((x,), norm, axes, 2.0)
    return xp.where(xp.equal(norm, 0), np.nan, unit)


# Derivatives --------------------------------------------------------------------------------------


def _directions(parts: Sequence[Array], norm: Array, axes: Axes, order: float) -> list[Array]:
    """The derivative of the norm, which is given, by the elements of each part."""
    count = len(parts)

    def value(*operands: Array) -> tuple[Array, ...]:
        norm = operands[count]
        is_far = xp.greater(norm, float(np.finfo(norm.dtype).max) * _DOWN_FAR)
        down = xp.where(is_far, norm.dtype.type(_DOWN_FAR), norm.dtype.type(1))
        inverse = _inverse(norm * down)
        return tuple(_slope(x, down, inverse, order) for x in operands[:count])

    def derivative(*operands: Array) -> tuple[Array, ...]:
        x, norm = operands[:count], operands[count]
        unit, dx = operands[count + 1 : 2 * count + 1], operands[2 * count + 1 : -1]
        inverse = _inverse(norm)
        shares = [v * inverse for v in x]
        powers = [xp.abs(s) ** order for s in shares]
        changes = _products(unit, dx)
        is_most = [xp.greater(q, _MOST_OF_ALL) for q in powers]
        rest, moved = (
            _total([xp.where(m, 0.0, v) for m, v in zip(is_most, values, strict=True)], axes)
            for values in (powers, changes)
        )
        total = _total(changes, axes)
        return tuple(
            _curvature(s, inverse, order) * xp.where(m, rest * d - s * moved, d - s * total)
            for m, d, s in zip(is_most, dx, shares, strict=True)
        )

    found = with_derivative(value, derivative, *parts, norm)
    return list(found) if count > 1 else [found]


def _inverse(norm: Array) -> Array:
    """1 / r, and 0 where r is 0."""
    return xp.where(xp.equal(norm, 0), 0.0, 1.0 / norm)


def _slope(x: Array, down: Array, inverse: Array, order: float) -> Array:
    """The derivative by an element, scaled down first; the sign of one that makes the norm infinite."""
    share = xp.where(xp.isinf(x) & xp.equal(inverse, 0), xp.copysign(x.dtype.type(1), x), x * down * inverse)
    return share if order == 2 else xp.sign(share) * xp.abs(share) ** (order - 1)


def _curvature(share: Array, inverse: Array, order: float) -> Array:
    """(p - 1) |x / r|^(p - 2) / r, 0 where r is 0."""
    if order == 2:
        return inverse
    return xp.where(xp.equal(inverse, 0), 0.0, (order - 1) * xp.abs(share) ** (order - 2) * inverse)


def _products(x: Sequence[Array], y: Sequence[Array]) -> list[Array]:
    return [v * w for v, w in zip(x, y, strict=True)]


def _total(values: Sequence[Array], axes: Axes) -> Array:
    """The sum of the elements of all arrays over the axes."""
    return functools.reduce(xp.add, [xp.sum(v, axis=axes, keepdims=True) for v in values])


# Values -------------------------------------------------------------------------------------------


def _length(
    parts: Sequence[Array], axes: Axes, scaled: Callable[[Array], Sequence[Array]]
) -> tuple[Array, Array]:
    """The root of the sum of squares, and this sum. Where that is out of range, the root is made of what
    `scaled` gives.
    """
    dtype = parts[0].dtype

    def squares(values: Sequence[Array]) -> Array:
        return _total([xp.square(converted(x, F64)) for x in values], axes)

    total = squares(parts)
    root = xp.sqrt(total)
    if dtype != F64:
        return converted(root, dtype), converted(total, dtype)
    is_small = xp.less(total, _LEAST) & xp.greater(_total([xp.abs(x) for x in parts], axes), 0)
    is_large = xp.greater(total, _MOST)
    scale = xp.where(is_small, _UP, xp.where(is_large, _DOWN, 1.0))

    def of_scaled() -> list[Value]:
        return [(xp.sqrt(squares(scaled(scale))) / scale).value]

    (found,) = emitting().if_(xp.any(is_small | is_large).value, of_scaled, lambda: [root.value])
    return made(found), total


def _of_powers(parts: Sequence[Array], axes: Axes, order: float) -> Array:
    """The root of the sum of powers, of numbers that are divided by the largest, or smallest."""
    sizes = [xp.abs(x) for x in parts]
    if order > 0:
        extrema = [xp.max(x, axis=axes, keepdims=True, initial=0.0) for x in sizes]
        scale = functools.reduce(xp.maximum, extrema)
    else:
        extrema = [xp.min(x, axis=axes, keepdims=True, initial=np.inf) for x in sizes]
        scale = functools.reduce(xp.minimum, extrema)
    scale = xp.where(xp.equal(scale, 0) | ~xp.isfinite(scale), 1.0, scale)
    return scale * _total([(size / scale) ** order for size in sizes], axes) ** (1 / order)
