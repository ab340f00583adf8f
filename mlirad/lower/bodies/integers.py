"""Integer ops whose machine instructions trap or differ: division, shifts, powers, made total.

    div(f, x, y)     x / y truncated;  0 where y = 0;  -x (wrapping) where y = -1
    rem(f, x, y)     x - y * floor(x / y);  0 where y = 0

Operands are `i64` or `i32` values of any width. A divisor that is a literal other than 0 and -1 costs no
guard, and LLVM turns it into multiplications.
"""

from __future__ import annotations

from mlirad.lower.llvm.text import BITS, IRBuilder, Value, constant, mangled


def div(f: IRBuilder, x: Value, y: Value) -> Value:
    """The truncated quotient."""
    return _completed(f, x, y, f.sdiv(x, _nontrivial(f, y)))


def fmod(f: IRBuilder, x: Value, y: Value) -> Value:
    """The remainder of the truncated quotient, with the sign of x; 0 for y = 0."""
    return f.srem(x, _nontrivial(f, y))


def rem(f: IRBuilder, x: Value, y: Value) -> Value:
    """The remainder of the floored quotient, with the sign of y; 0 for y = 0."""
    divisor = _nontrivial(f, y)
    remainder = f.srem(x, divisor)
    return f.select(_is_off(f, remainder, divisor), f.add(remainder, divisor), remainder)


def floor_div(f: IRBuilder, x: Value, y: Value) -> Value:
    """The floored quotient."""
    divisor = _nontrivial(f, y)
    off = _is_off(f, f.srem(x, divisor), divisor)
    return _completed(f, x, y, f.sub(f.sdiv(x, divisor), f.zext(off, x.kind)))


def _is_off(f: IRBuilder, remainder: Value, divisor: Value) -> Value:
    """Return whether truncation differs from flooring: a remainder that is not 0 with the other sign."""
    opposite = f.icmp("slt", f.xor(remainder, divisor), 0)
    return f.and_(f.icmp("ne", remainder, 0), opposite)


def _nontrivial(f: IRBuilder, y: Value) -> Value:
    """The divisor with 0 and -1, which trap, replaced by 1."""
    if y.literal is not None:
        return y if y.literal not in (0, -1) else f.widen(constant(y.kind, 1), y.width)
    # y + 1 is 0 or 1 unsigned exactly for the two
    trivial = f.icmp("ult", f.add(y, 1), 2)
    return f.select(trivial, 1, y)


def _completed(f: IRBuilder, x: Value, y: Value, quotient: Value) -> Value:
    """The quotient, with -x at y = -1 and 0 at y = 0."""
    if y.literal is not None and y.literal not in (0, -1):
        return quotient
    negated = f.select(f.icmp("eq", y, -1), f.neg(x), quotient)
    return f.select(f.icmp("eq", y, 0), 0, negated)


def shift_left(f: IRBuilder, x: Value, y: Value) -> Value:
    """x << y; 0 for a count outside [0, bits)."""
    bits = BITS[x.kind]
    if y.literal is not None:
        return f.shl(x, y) if 0 <= y.literal < bits else f.widen(constant(x.kind, 0), x.width)
    # an excessive count gives poison, which the select does not choose
    return f.select(f.icmp("ult", y, bits), f.shl(x, y), 0)


def shift_right(f: IRBuilder, x: Value, y: Value) -> Value:
    """x >> y keeping the sign; the sign alone for a count outside [0, bits)."""
    return f.ashr(x, f.intrinsic("umin", y, BITS[x.kind] - 1))


def absolute(f: IRBuilder, x: Value) -> Value:
    """|x|; the least integer is its own."""
    return f.call_pure(f"llvm.abs.{mangled(x.kind, x.width)}", x.kind, x.width, x, constant("i1", 0))


def sign(f: IRBuilder, x: Value) -> Value:
    """-1, 0 or 1."""
    return f.select(f.icmp("sgt", x, 0), 1, f.ashr(x, BITS[x.kind] - 1))


def power(f: IRBuilder, x: Value, y: Value) -> Value:
    """x^y by repeated squaring, wrapping; 0 for y < 0.

    The loop runs once per bit of the largest exponent among the lanes; a literal exponent needs no loop.
    """
    one = f.widen(constant(x.kind, 1), x.width)
    if y.literal is not None:
        return (
            f.widen(constant(x.kind, 0), x.width) if y.literal < 0 else _literal_power(f, x, int(y.literal))
        )
    exponent = f.intrinsic("smax", y, 0)
    largest = f.reduce("umax", exponent)
    length = f.sub(BITS[x.kind], f.ctlz(largest))
    length = length if length.kind == "i64" else f.zext(length, "i64")
    with f.loop(0, length, carries=[one, x, exponent], name="power", at_most=64) as loop:
        product, square, rest = loop.carries
        odd = f.icmp("ne", f.and_(rest, 1), 0)
        following = f.select(odd, f.mul(product, square), product)
        loop.carry(following, f.mul(square, square), f.lshr(rest, 1))
    return f.select(f.icmp("slt", y, 0), 0, loop.results[0])


def _literal_power(f: IRBuilder, x: Value, exponent: int) -> Value:
    product = f.widen(constant(x.kind, 1), x.width)
    square = x
    while exponent:
        if exponent & 1:
            product = f.mul(product, square)
        exponent >>= 1
        if exponent:
            square = f.mul(square, square)
    return product
