"""pow, and the roots: cbrt rsqrt hypot.

pow is exp(y log|x|) with the logarithm and the product as unevaluated sums of two doubles, about 66
bits, since an error of the exponent is an error of the result relative to 1.
"""

from __future__ import annotations

from mlirad.lower.llvm.elementary import coefficients as c
from mlirad.lower.llvm.elementary.calls import in_double
from mlirad.lower.llvm.elementary.exponential import exp, reduce_exp, scale_twice
from mlirad.lower.llvm.elementary.floats import (
    DOUBLE,
    at_least,
    at_most,
    fast_two_sum,
    full,
    horner,
    magnitude,
    polynomial,
    remainder,
    two_product,
    with_sign_of,
)
from mlirad.lower.llvm.elementary.logarithm import log, split_normalised
from mlirad.lower.llvm.text import IRBuilder, Value

_THIRD = (0.3333333333333333, 1.850371707708594e-17)
_INFINITY = float("inf")


def simple_power(f: IRBuilder, x: Value, y: Value) -> Value | None:
    """x^y for the literal exponents -1, 1, 2, 3: products and quotients."""
    if y.literal == 1:
        return x
    if y.literal == 2:
        return f.fmul(x, x)
    if y.literal == 3:
        return f.fmul(f.fmul(x, x), x)
    if y.literal == -1:
        return f.fdiv(full(f, 1.0, x), x)
    return None


def power(f: IRBuilder, x: Value, y: Value) -> Value:
    """x^y with all of C99's special cases."""
    if x.kind == "float":
        return f.fptrunc(_power(f, f.fpext(x), f.fpext(y), is_single=True))
    return _power(f, x, y, is_single=False)


def _power(f: IRBuilder, x: Value, y: Value, *, is_single: bool) -> Value:
    """The power of doubles, good to single precision only if `is_single`."""
    a = magnitude(f, x)
    if is_single:
        result = exp(f, f.fmul(y, log(f, a)))
        return _special(f, x, y, a, result)
    log_high, log_low = _log_in_two_parts(f, a)
    # From 2^64 on a power of anything but 1 is 0 or infinite; halves of y, which enter products that
    # cannot be fused, would overflow.
    exponent = y if f.fuses else at_least(f, at_most(f, y, 2.0**64), -(2.0**64))
    product, lost = two_product(f, exponent, log_high)
    rest = f.multiply_add(exponent, log_low, lost)
    excess = f.fcmp("oge", magnitude(f, product), 800.0)
    rest = f.select(excess, 0.0, rest)
    product = f.select(excess, with_sign_of(f, full(f, 800.0, x), product), product)
    counter, r, tail = reduce_exp(f, product, rest, 2 * DOUBLE.bias)
    high, low = fast_two_sum(f, full(f, 1.0, x), r)
    result = scale_twice(f, DOUBLE, f.fadd(high, f.fadd(low, tail)), counter)
    return _special(f, x, y, a, result)


def _special(f: IRBuilder, x: Value, y: Value, a: Value, result: Value) -> Value:
    """Zeros, infinities, NaN, and the sign for negative x."""
    y_size = magnitude(f, y)
    extreme = f.or_(
        f.or_(f.fcmp("oeq", a, 0.0), f.fcmp("oeq", a, _INFINITY)),
        f.fcmp("oeq", y_size, _INFINITY),
    )
    grows = f.xor(f.fcmp("ogt", a, 1.0), f.fcmp("olt", y, 0.0))
    limit = f.select(grows, full(f, _INFINITY, x), 0.0)
    result = f.select(extreme, limit, result)

    half = f.fmul(y, 0.5)
    integer = f.fcmp("oeq", f.intrinsic("floor", y), y)
    odd = f.and_(integer, f.fcmp("one", f.intrinsic("floor", half), half))
    # The sign bit of x, so that -0 counts as negative.
    negative = f.icmp("slt", f.bitcast(x, "i64"), 0)
    result = f.select(f.and_(negative, odd), f.fneg(result), result)
    # -inf and -0 have every power, other negative numbers the integer ones.
    undefined = f.and_(f.fcmp("olt", x, 0.0), f.not_(f.or_(integer, extreme)))
    undefined = f.or_(undefined, f.fcmp("uno", x, y))
    result = f.select(undefined, float("nan"), result)
    one = f.or_(f.fcmp("oeq", x, 1.0), f.fcmp("oeq", y, 0.0))
    one = f.or_(one, f.and_(f.fcmp("oeq", x, -1.0), f.fcmp("oeq", y_size, _INFINITY)))
    return f.select(one, 1.0, result)


def _log_in_two_parts(f: IRBuilder, a: Value) -> tuple[Value, Value]:
    """log a for finite a > 0 to about 66 bits.

    log m = 2 (s + s W), W = z (1/3 + z R(z)); s, z, W in two parts each, R in one.
    """
    parts = split_normalised(f, a)
    g = f.fsub(parts.m, 1.0)
    denominator = f.fadd(g, 2.0)
    denominator_low = f.fsub(g, f.fsub(denominator, 2.0))
    inverse = f.fdiv(full(f, 1.0, a), denominator)
    s = f.fmul(g, inverse)
    rest = remainder(f, g, s, denominator)
    s_low = f.fmul(f.multiply_add(f.fneg(s), denominator_low, rest), inverse)
    z, z_low = two_product(f, s, s)
    z_low = f.multiply_add(f.fadd(s, s), s_low, z_low)
    tail = f.fmul(z, polynomial(f, z, c.ATANH_TAIL.double))
    sum_high, sum_low = fast_two_sum(f, full(f, _THIRD[0], a), tail)
    sum_low = f.fadd(sum_low, _THIRD[1])
    w, w_low = two_product(f, z, sum_high)
    w_low = f.multiply_add(z, sum_low, f.multiply_add(z_low, sum_high, w_low))
    v, v_low = two_product(f, s, w)
    v_low = f.multiply_add(s, w_low, f.multiply_add(s_low, w, v_low))
    high, low = fast_two_sum(f, s, v)
    low = f.fadd(low, f.fadd(v_low, s_low))
    # k ln2[0] is exact.
    total, rest = fast_two_sum(f, f.fmul(parts.k, DOUBLE.ln2[0]), f.fmul(high, 2.0))
    rest = f.fadd(rest, f.multiply_add(low, 2.0, f.fmul(parts.k, DOUBLE.ln2[1])))
    return fast_two_sum(f, total, rest)


def rsqrt(f: IRBuilder, x: Value) -> Value:
    """1/√x, rounded twice."""
    return f.fdiv(full(f, 1.0, x), f.intrinsic("sqrt", x))


@in_double
def hypot(f: IRBuilder, x: Value, y: Value) -> Value:
    """√(x² + y²), scaled away from overflow and underflow; infinite if either is."""
    a, b = magnitude(f, x), magnitude(f, y)
    larger = f.intrinsic("maximum", a, b)
    smaller = f.intrinsic("minimum", a, b)
    big, small = f.fcmp("ogt", larger, 2.0**500), f.fcmp("olt", larger, 2.0**-400)
    one = full(f, 1.0, x)
    scale = f.select(big, 2.0**-600, f.select(small, 2.0**600, one))
    back = f.select(big, 2.0**600, f.select(small, 2.0**-600, one))
    larger, smaller = f.fmul(larger, scale), f.fmul(smaller, scale)
    square = f.fma(larger, larger, f.fmul(smaller, smaller))
    result = f.fmul(f.intrinsic("sqrt", square), back)
    infinite = f.or_(f.fcmp("oeq", a, _INFINITY), f.fcmp("oeq", b, _INFINITY))
    return f.select(infinite, _INFINITY, result)


@in_double
def cbrt(f: IRBuilder, x: Value) -> Value:
    """|x| = 8^q 2^j m; Newton's iteration for (2^j m)^(-1/3), and one step for its square times
    2^j m with the residual in two parts."""
    a = magnitude(f, x)
    small = f.fcmp("olt", a, DOUBLE.smallest_normal)
    scaled = f.select(small, f.fmul(a, 2.0**54), a)
    bits = f.bitcast(scaled, "i64")
    biased = f.lshr(bits, DOUBLE.fraction)
    m = f.bitcast(f.or_(f.and_(bits, (1 << DOUBLE.fraction) - 1), DOUBLE.pattern(1.0)), "double")
    # The biased exponent is 1023 + k and 1023 = 3 · 341: its quotient by 3 is 341 + q. The product
    # is exact to 2^32 for 11-bit operands.
    quotient = f.lshr(f.mul(biased, 0x55555556), 32)
    j = f.sub(biased, f.mul(quotient, 3))
    is_one, is_two = f.icmp("eq", j, 1), f.icmp("eq", j, 2)
    t = f.fmul(m, f.select(is_two, 4.0, f.select(is_one, 2.0, full(f, 1.0, x))))
    start = f.select(is_two, 4.0 ** (-1 / 3), f.select(is_one, 2.0 ** (-1 / 3), full(f, 1.0, x)))
    r = f.fmul(start, horner(f, m, c.ICBRT.double))
    for _ in range(2):
        cube = f.fmul(f.fmul(r, r), r)
        r = f.multiply_add(f.fmul(r, 1 / 3), f.multiply_add(f.fneg(t), cube, 1.0), r)
    square = f.fmul(r, r)
    y = f.fmul(t, square)
    y_square, y_square_low = two_product(f, y, y)
    rest = remainder(f, t, y_square, y)
    rest = f.multiply_add(f.fneg(y_square_low), y, rest)
    y = f.multiply_add(f.fmul(square, 1 / 3), rest, y)
    # 2^q, with 2^-18 for the scaling of subnormal numbers by 8^18.
    exponent = f.add(quotient, DOUBLE.bias - 341)
    exponent = f.sub(exponent, f.select(small, f.value(18, "i64"), 0))
    y = f.fmul(y, f.bitcast(f.shl(exponent, DOUBLE.fraction), "double"))
    ordinary = f.and_(f.fcmp("ogt", a, 0.0), f.fcmp("olt", a, _INFINITY))
    return f.select(ordinary, with_sign_of(f, y, x), x)
