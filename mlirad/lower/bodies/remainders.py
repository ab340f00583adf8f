"""Remainders and floored quotients of floats, as C and NumPy define them.

    fmod(f, x, y)         x - y * trunc(x / y), exactly, with the sign of x
    rem(f, x, y)          x - y * floor(x / y), with the sign of y
    floor_div(f, x, y)    floor(x / y), corrected by the exact remainder

The exact remainder of a quotient q below 2^(fraction bits) is one fused multiply-add, x - trunc(q) * y, and
at most one correction by y, because the rounded quotient is off by at most one. Other quotients (and
infinities) take the exact bit-by-bit library function, behind a branch that is rarely taken.
"""

from __future__ import annotations

from mlirad.lower.llvm.elementary.calls import where_unlikely
from mlirad.lower.llvm.text import IRBuilder, Value


def fmod(f: IRBuilder, x: Value, y: Value) -> Value:
    """The remainder of the truncated quotient; NaN for y = 0 or infinite x."""
    x, y = f.common(x, y)
    quotient = f.fdiv(x, y)
    whole = f.intrinsic("trunc", quotient)
    remainder = f.fma(f.fneg(whole), y, x)
    size = f.intrinsic("fabs", y)
    # The quotient was rounded away from 0 to an integer: the remainder has the sign opposite to x.
    away = f.fcmp("olt", f.fmul(remainder, f.intrinsic("copysign", 1.0, x)), 0.0)
    remainder = f.select(away, f.fadd(remainder, f.intrinsic("copysign", size, x)), remainder)
    remainder = f.intrinsic("copysign", remainder, x)
    limit = 2.0**52 if x.kind == "double" else 2.0**23
    usual = f.fcmp("olt", f.intrinsic("fabs", quotient), limit)
    # an infinite divisor makes 0 * inf above
    usual = f.and_(usual, f.fcmp("olt", size, float("inf")))
    return where_unlikely(f, f.not_(usual), x, remainder, lambda v: f.frem(v, y))


def rem(f: IRBuilder, x: Value, y: Value) -> Value:
    """The remainder of the floored quotient; a zero has the sign of y."""
    remainder = fmod(f, x, y)
    moved = f.select(_is_off(f, remainder, y), f.fadd(remainder, y), remainder)
    zero = f.intrinsic("copysign", 0.0, y)
    return f.select(f.fcmp("oeq", remainder, 0.0), zero, moved)


def floor_div(f: IRBuilder, x: Value, y: Value) -> Value:
    """The floored quotient; x / y for y = 0."""
    remainder = fmod(f, x, y)
    quotient = f.fdiv(f.fsub(x, remainder), y)
    quotient = f.select(_is_off(f, remainder, y), f.fsub(quotient, 1.0), quotient)
    # the quotient is an integer up to rounding: the nearest one is it
    down = f.intrinsic("floor", quotient)
    nearest = f.select(f.fcmp("ogt", f.fsub(quotient, down), 0.5), f.fadd(down, 1.0), down)
    plain = f.fdiv(x, y)
    result = f.select(f.fcmp("oeq", quotient, 0.0), f.intrinsic("copysign", 0.0, plain), nearest)
    return f.select(f.fcmp("oeq", y, 0.0), plain, result)


def _is_off(f: IRBuilder, remainder: Value, y: Value) -> Value:
    """Return whether the remainder is not 0 and has the sign opposite to y."""
    one = f.intrinsic("copysign", 1.0, y)
    return f.fcmp("olt", f.fmul(remainder, one), 0.0)
