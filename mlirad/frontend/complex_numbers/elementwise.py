"""NumPy's ufuncs on complex operands, by formulas on their parts.

Quotients are scaled by the larger part of the divisor, as R. L. Smith has them ("Algorithm 116: Complex
division", 1962). The inverse functions are those of W. Kahan ("Branch cuts for complex elementary functions",
1987), which cancel nowhere; they have NumPy's branch cuts. No formula has a kink where the function is
holomorphic, so it has its derivative there; `absolute` has the derivative 0 at 0.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any, TypeAlias, cast

import numpy as np

from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.complex_pairs import as_complex, cast_parts, paired, parts
from mlirad.frontend.tracing.dtypes import F64, result_type
from mlirad.frontend.tracing.operations import kind_of, operand_of, xp

Result: TypeAlias = Any
Unary: TypeAlias = Callable[[Any, Any], Result]

MOST_FACTORS = 32
"""Integer powers up to this are products."""


def add(x: Any, y: Any) -> Result:
    """The sum of two operands, one of them complex."""
    return _sum(np.add, x, y)


def subtract(x: Any, y: Any) -> Result:
    """Their difference."""
    return _sum(np.subtract, x, y)


def _sum(ufunc: Any, x: Any, y: Any) -> Result:
    (a, b), (c, d) = parts(x), parts(y)
    imag = ufunc(0.0 if b is None else b, d) if b is None or d is not None else b
    if b is None and ufunc is np.add:
        imag = d
    return paired(ufunc(a, c), imag)


def multiply(x: Any, y: Any) -> Result:
    """The product of two operands, one of them complex."""
    (a, b), (c, d) = parts(x), parts(y)
    if b is None:
        return paired(xp.multiply(a, c), xp.multiply(a, d))
    if d is None:
        return paired(xp.multiply(a, c), xp.multiply(b, c))
    if x is y:
        return paired((a - b) * (a + b), 2 * (a * b))
    return paired(
        xp.subtract(xp.multiply(a, c), xp.multiply(b, d)), xp.add(xp.multiply(a, d), xp.multiply(b, c))
    )


def divide(x: Any, y: Any) -> Result:
    """The quotient of two operands, one of them complex."""
    (c, d) = parts(y)
    if d is None:
        a, b = parts(x)
        return paired(xp.divide(a, c), xp.divide(b, c))
    is_wide = xp.absolute(c) >= xp.absolute(d)
    large, small = xp.where(is_wide, c, d), xp.where(is_wide, d, c)
    is_zero = large == 0  # each part is divided by 0, as NumPy does
    ratio = small / xp.where(is_zero, 1.0, large)
    length = large + small * ratio
    first, second = 1.0 / xp.where(is_zero, 0.0, length), ratio / xp.where(is_zero, 1.0, length)
    return multiply(x, paired(xp.where(is_wide, first, second), -xp.where(is_wide, second, first)))


def power(x: Any, y: Any) -> Result:
    """x to the power y: of small integers a product, else exp(y log x), in the dtype of the result."""
    base, exponent = as_complex(x), parts(y)
    kinds = [kind_of(operand_of(part)) for part in (*parts(x), *exponent) if part is not None]
    dtype = result_type(kinds)
    if any(isinstance(kind, np.dtype) for kind in kinds):
        base = cast_parts(base, dtype if dtype.kind == "f" else F64)
    if isinstance(y, int | float | np.integer | np.floating) and not isinstance(y, bool):
        known = float(cast(Any, y))
        if known.is_integer() and abs(known) <= MOST_FACTORS:
            return _integer_power(base, int(known))
        if known == 0.5:
            return square_root(base.real, base.imag)
    is_zero = xp.logical_and(base.real == 0, base.imag == 0)
    safe = paired(xp.where(is_zero, 1.0, base.real), base.imag)
    found = exponential(*_parts_of(multiply(_logarithm(safe), y)))
    (real, imag) = exponent
    is_constant = xp.equal(real, 0) if imag is None else xp.logical_and(real == 0, imag == 0)
    at_zero = xp.where(xp.greater(real, 0), 0.0, xp.where(is_constant, 1.0, np.nan)).astype(found.real.dtype)
    return paired(
        xp.where(is_zero, at_zero, found.real),
        xp.where(is_zero, xp.where(is_constant, 0.0, at_zero), found.imag),
    )


def _integer_power(z: ComplexArray, n: int) -> Result:
    if n < 0:
        return divide(1.0, _integer_power(z, -n))
    result: Any = None
    while n:
        if n & 1:
            result = z if result is None else multiply(result, z)
        n >>= 1
        z = multiply(z, z) if n else z
    return paired(xp.ones_like(z.real), 0.0) if result is None else result


def _parts_of(z: ComplexArray) -> tuple[Any, Any]:
    return z.real, z.imag


def _logarithm(z: ComplexArray) -> ComplexArray:
    return paired(xp.log(xp.hypot(z.real, z.imag)), xp.arctan2(z.imag, z.real))


def exponential(a: Any, b: Any) -> ComplexArray:
    """exp(a + ib)."""
    size = xp.exp(a)
    return paired(size * xp.cos(b), size * xp.sin(b))


def square_root(a: Any, b: Any) -> ComplexArray:
    """The root with a real part that is not negative."""
    is_zero, is_right = xp.logical_and(a == 0, b == 0), a >= 0
    length = xp.hypot(xp.where(is_zero, 1.0, a), b)
    long = xp.sqrt((xp.where(is_right, a, -a) + length) * 0.5)
    short, side = b / (2.0 * long), xp.copysign(xp.ones_like(b), b)
    real = xp.where(is_zero, 0.0, xp.where(is_right, long, short * side))
    imag = xp.where(is_zero, 0.0 * b, xp.where(is_right, short, long * side))
    return paired(real, imag)


def _times_i(z: ComplexArray, sign: float = 1.0) -> ComplexArray:
    return ComplexArray(-z.imag * sign, z.real * sign) if sign > 0 else ComplexArray(z.imag, -z.real)


def _by_rotation(function: Callable[[Any, Any], ComplexArray]) -> Unary:
    """f(z) = -i g(iz)."""
    return lambda a, b: _times_i(function(-b, a), -1.0)


def _tanh(a: Any, b: Any) -> ComplexArray:
    decay = xp.exp(-2.0 * xp.absolute(a))
    sech = 2.0 * decay / (1.0 + decay * decay)
    length = 1.0 + xp.cos(2.0 * b) * sech
    return paired(xp.tanh(2.0 * a) / length, xp.sin(2.0 * b) * sech / length)


def _arcsin(a: Any, b: Any) -> ComplexArray:
    w, v = square_root(1.0 - a, -b), square_root(1.0 + a, b)
    return paired(
        xp.arctan2(a, w.real * v.real - w.imag * v.imag), xp.arcsinh(w.real * v.imag - w.imag * v.real)
    )


def _arccos(a: Any, b: Any) -> ComplexArray:
    w, v = square_root(1.0 - a, -b), square_root(1.0 + a, b)
    return paired(2.0 * xp.arctan2(w.real, v.real), xp.arcsinh(v.real * w.imag - v.imag * w.real))


def _arccosh(a: Any, b: Any) -> ComplexArray:
    w, v = square_root(a - 1.0, b), square_root(a + 1.0, b)
    return paired(xp.arcsinh(w.real * v.real + w.imag * v.imag), 2.0 * xp.arctan2(w.imag, v.real))


def _arctanh(a: Any, b: Any) -> ComplexArray:
    side = xp.copysign(xp.ones_like(a), a)
    size = a * side
    distance = xp.hypot(1.0 - size, b)
    real = 0.25 * side * xp.log1p(4.0 * size / distance / distance)
    return paired(real, 0.5 * (xp.arctan2(b, 1.0 + a) - xp.arctan2(-b, 1.0 - a)))


def _log1p(a: Any, b: Any) -> ComplexArray:
    is_near = xp.logical_and(xp.absolute(a) < 0.5, xp.absolute(b) < 0.5)
    near = 0.5 * xp.log1p(xp.where(is_near, a * (2.0 + a) + b * b, 0.0))
    far = xp.log(xp.where(is_near, 1.0, xp.hypot(1.0 + a, b)))
    return paired(xp.where(is_near, near, far), xp.arctan2(b, 1.0 + a))


def _expm1(a: Any, b: Any) -> ComplexArray:
    half = xp.sin(0.5 * b)
    return paired(xp.expm1(a) * xp.cos(b) - 2.0 * half * half, xp.exp(a) * xp.sin(b))


def _sign(a: Any, b: Any) -> ComplexArray:
    length = xp.hypot(a, b)
    is_zero = length == 0
    length = xp.where(is_zero, 1.0, length)
    return paired(a / length, b / length)


def _log(scale: float) -> Unary:
    def logarithm(a: Any, b: Any) -> ComplexArray:
        found = _logarithm(ComplexArray(a, b))
        return found if scale == 1.0 else paired(found.real * scale, found.imag * scale)

    return logarithm


UNARY: dict[np.ufunc, Unary] = {
    np.positive: paired,
    np.negative: lambda a, b: paired(-a, -b),
    np.conjugate: lambda a, b: paired(a, -b),
    np.absolute: lambda a, b: xp.hypot(a, b),
    np.square: lambda a, b: paired((a - b) * (a + b), 2.0 * (a * b)),
    np.reciprocal: lambda a, b: divide(1.0, ComplexArray(a, b)),
    np.sqrt: square_root,
    np.exp: exponential,
    np.exp2: lambda a, b: exponential(a * log(2.0), b * log(2.0)),
    np.expm1: _expm1,
    np.log: _log(1.0),
    np.log2: _log(1.0 / log(2.0)),
    np.log10: _log(1.0 / log(10.0)),
    np.log1p: _log1p,
    np.sin: lambda a, b: paired(xp.sin(a) * xp.cosh(b), xp.cos(a) * xp.sinh(b)),
    np.cos: lambda a, b: paired(xp.cos(a) * xp.cosh(b), -xp.sin(a) * xp.sinh(b)),
    np.tan: _by_rotation(_tanh),
    np.sinh: lambda a, b: paired(xp.sinh(a) * xp.cos(b), xp.cosh(a) * xp.sin(b)),
    np.cosh: lambda a, b: paired(xp.cosh(a) * xp.cos(b), xp.sinh(a) * xp.sin(b)),
    np.tanh: _tanh,
    np.arcsin: _arcsin,
    np.arccos: _arccos,
    np.arctan: _by_rotation(_arctanh),
    np.arcsinh: _by_rotation(_arcsin),
    np.arccosh: _arccosh,
    np.arctanh: _arctanh,
    np.sign: _sign,
    np.rint: lambda a, b: paired(xp.rint(a), xp.rint(b)),
    np.isfinite: lambda a, b: xp.logical_and(xp.isfinite(a), xp.isfinite(b)),
    np.isnan: lambda a, b: xp.logical_or(xp.isnan(a), xp.isnan(b)),
    np.isinf: lambda a, b: xp.logical_or(xp.isinf(a), xp.isinf(b)),
    np.logical_not: lambda a, b: xp.logical_and(a == 0, b == 0),
}
"""The ufuncs of one operand, of its parts."""


def _both(x: Any, y: Any, ufunc: Any, join: Any) -> Any:
    (a, b), (c, d) = parts(x), parts(y)
    return join(ufunc(a, c), ufunc(0.0 if b is None else b, 0.0 if d is None else d))


def _logical(ufunc: Any) -> Callable[[Any, Any], Any]:
    def truth(x: Any) -> Any:
        a, b = parts(x)
        return a if b is None else xp.logical_or(a != 0, b != 0)

    return lambda x, y: ufunc(truth(x), truth(y))


BINARY: dict[np.ufunc, Callable[[Any, Any], Any]] = {
    np.add: add,
    np.subtract: subtract,
    np.multiply: multiply,
    np.divide: divide,
    np.power: power,
    np.float_power: lambda x, y: power(cast_parts(as_complex(x), F64), y),
    np.equal: lambda x, y: _both(x, y, xp.equal, xp.logical_and),
    np.not_equal: lambda x, y: _both(x, y, xp.not_equal, xp.logical_or),
    np.logical_and: _logical(xp.logical_and),
    np.logical_or: _logical(xp.logical_or),
    np.logical_xor: _logical(xp.logical_xor),
}
"""The ufuncs of two operands."""
