"""Ufuncs that look at the digits of numbers: common divisors, and exponents of floats.

np.gcd(12, 18) = 6      np.frexp(6.0) = (0.75, 3)      np.ldexp(0.75, 3) = 6.0      np.spacing(1.0) = 2**-52

A float is taken apart and put together by multiplication with powers of 2, which is exact unless the result
is subnormal. So the derivatives are those of a multiplication with a constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlirad.dialects.shapes import Value
from mlirad.frontend.constructs.loops import while_loop
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import I64
from mlirad.frontend.tracing.operations import as_array, converted, select, xp
from mlirad.ir.arrays import ArrayBuilder


def gcd(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """The greatest common divisor, by Euclid's algorithm on all pairs at once: at most 92 divisions."""
    return _divisor(made(x), made(y)).value


def lcm(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """The least common multiple, 0 where one of both is 0."""
    one, other = made(x), made(y)
    divisor = _divisor(one, other)
    factor = xp.floor_divide(one, select(xp.equal(divisor, 0), divisor.dtype.type(1), divisor))
    return xp.absolute(factor * other).value


def _divisor(x: Array, y: Array) -> Array:
    def goes_on(pair: Any) -> Any:
        return xp.any(xp.not_equal(pair[1], 0))

    def divide(pair: Any) -> Any:
        larger, smaller = pair
        is_done = xp.equal(smaller, 0)
        rest = xp.fmod(larger, select(is_done, smaller.dtype.type(1), smaller))
        return select(is_done, larger, smaller), select(is_done, smaller, rest)

    return xp.absolute(as_array(while_loop(goes_on, divide, (x, y))[0]))


def ldexp(b: ArrayBuilder, x: Value, exponent: Value) -> Value:
    """x times 2 to an integer."""
    return _scaled(made(x), made(exponent)).value


def frexp(b: ArrayBuilder, x: Value) -> tuple[Value, Value]:
    """The fraction, from 0.5 on and below 1, and the exponent that it is scaled by."""
    whole = made(x)
    is_plain = _is_plain(whole)
    exponent = select(is_plain, _exponent(whole) + 1, 0)
    return select(is_plain, _scaled(whole, -exponent), whole).value, as_array(exponent).value


def spacing(b: ArrayBuilder, x: Value) -> Value:
    """The distance to the next number away from 0, with the sign of x; inf of the largest."""
    whole = made(x)
    gap = _gap(whole)
    gap = select(xp.isfinite(xp.absolute(whole) + gap), gap, whole.dtype.type(np.inf))
    gap = select(whole < 0, -gap, gap)
    return select(xp.isfinite(whole), gap, whole.dtype.type(np.nan)).value


def nextafter(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """The next number after x towards y."""
    start, goal = made(x), made(y)
    kind = start.dtype.type
    size, limits = xp.absolute(start), np.finfo(start.dtype)
    is_inwards = (start > goal) == (start > 0)
    is_power = size == _scaled(as_array(kind(1)), _exponent(start))
    gap = _gap(start)
    gap = select(is_inwards & is_power & (size > limits.smallest_normal), gap * kind(0.5), gap)
    step = select(is_inwards, -gap, gap)
    beside = xp.copysign(size + step, start)
    from_zero = start + xp.copysign(kind(limits.smallest_subnormal), goal)
    found = select(xp.equal(start, 0), from_zero, beside)
    found = select(xp.isinf(start), xp.copysign(kind(limits.max), start), found)
    found = select(xp.equal(start, goal), xp.copysign(start, goal), found)
    return select(xp.isnan(start) | xp.isnan(goal), start + goal, found).value


# Exponents ---------------------------------------------------------------------------------------


def _is_plain(x: Array) -> Any:
    return xp.isfinite(x) & xp.not_equal(x, 0)


def _exponent(x: Array) -> Any:
    """The integer e with 2**e <= |x| < 2**(e + 1), int64; 0 for 0, inf and NaN."""
    size = select(_is_plain(x), xp.absolute(x), x.dtype.type(1))
    near = converted(xp.floor(xp.log2(size)), I64)
    one = as_array(x.dtype.type(1))
    near = select(_scaled(one, near) > size, near - 1, near)
    return select(_scaled(one, near + 1) <= size, near + 1, near)


def _gap(x: Array) -> Any:
    """Return how far the next number away from 0 is."""
    limits = np.finfo(x.dtype)
    least = limits.minexp
    exponent = select(xp.equal(x, 0), least, xp.maximum(_exponent(x), least))
    return _scaled(as_array(x.dtype.type(1)), exponent - limits.nmant)


def _scaled(x: Array, exponent: Any) -> Any:
    """x * 2**exponent, in three steps: a factor of any exponent would overflow.

    The largest power of two is in none: NumPy's, in single precision, is not exact where there is AVX-512.
    """
    limits = np.finfo(x.dtype)
    rest = converted(as_array(exponent), I64)
    for _ in range(3):
        step = xp.clip(rest, limits.minexp, -limits.minexp)
        x = x * xp.exp2(converted(step, x.dtype))
        rest = rest - step
    return x
