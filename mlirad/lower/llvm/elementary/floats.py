"""The shared parts of elementary functions: the two float formats, and small exact building blocks.

All functions here take and give `Value`s of any width and use no fast-math flags: sums and products
that are meant to be exact stay as written.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import reduce
from typing import Final

from mlirad.lazy_dataclass import dataclass
from mlirad.lower.llvm.text import IRBuilder, Kind, Operand, Value


@dataclass(frozen=True)
class Format:
    """A binary floating-point format and constants rounded to it.

    `ln2` is in two parts such that n times the first is exact for every exponent n; `half_pi` and
    `quarter_pi` are sums of parts of full precision.
    """

    kind: Kind
    bits: Kind
    size: int
    fraction: int
    bias: int
    ln2: tuple[float, float]
    log2_e: tuple[float, float]
    half_pi: tuple[float, float, float]
    smallest_normal: float

    @property
    def quarter_pi(self) -> tuple[float, float]:
        return self.half_pi[0] / 2, self.half_pi[1] / 2

    @property
    def rounder(self) -> float:
        """1.5·2^fraction: adding it rounds to an integer, kept in the low bits of the sum."""
        return 1.5 * 2.0**self.fraction

    def pattern(self, number: float) -> int:
        """The bits of a number as an integer."""
        code, integer = ("<d", "<q") if self.kind == "double" else ("<f", "<i")
        return struct.unpack(integer, struct.pack(code, number))[0]


DOUBLE: Final = Format(
    kind="double",
    bits="i64",
    size=64,
    fraction=52,
    bias=1023,
    ln2=(0.6931471805598903, 5.497923018708371e-14),
    log2_e=(1.4426950408889634, 2.0355273740931033e-17),
    half_pi=(1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    smallest_normal=2.0**-1022,
)
SINGLE: Final = Format(
    kind="float",
    bits="i32",
    size=32,
    fraction=23,
    bias=127,
    ln2=(0.693145751953125, 1.428606765330187e-06),
    log2_e=(1.4426950216293335, 1.925963033500011e-08),
    half_pi=(1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    smallest_normal=2.0**-126,
)


def format_of(x: Value) -> Format:
    """The format of a float value."""
    return DOUBLE if x.kind == "double" else SINGLE


def polynomial(f: IRBuilder, x: Value, coefficients: Sequence[float]) -> Value:
    """Σ c_k x^k, even and odd terms as two interleaved chains: one more product, half the latency.

    Where products cannot be fused, a step takes twice as long, and long chains are halved again.
    """
    if len(coefficients) < 4:
        return horner(f, x, coefficients)
    square = f.fmul(x, x)
    halves = coefficients[0::2], coefficients[1::2]
    if f.fuses or len(coefficients) < 6:
        even, odd = (horner(f, square, half) for half in halves)
    else:
        even, odd = (_in_two_chains(f, square, half) for half in halves)
    return f.multiply_add(odd, x, even)


def _in_two_chains(f: IRBuilder, x: Value, coefficients: Sequence[float]) -> Value:
    square = f.fmul(x, x)
    even, odd = horner(f, square, coefficients[0::2]), horner(f, square, coefficients[1::2])
    return f.multiply_add(odd, x, even)


def horner(f: IRBuilder, x: Value, coefficients: Sequence[float]) -> Value:
    """Σ c_k x^k in one chain of multiply-adds."""
    start = f.widen(f.value(coefficients[-1], x.kind), x.width)
    return reduce(lambda total, c: f.multiply_add(total, x, c), reversed(coefficients[:-1]), start)


def fast_two_sum(f: IRBuilder, a: Value, b: Value) -> tuple[Value, Value]:
    """a + b as rounded sum and exact error, for |a| ≥ |b| or a = 0."""
    total = f.fadd(a, b)
    return total, f.fsub(b, f.fsub(total, a))


def two_sum(f: IRBuilder, a: Operand, b: Value) -> tuple[Value, Value]:
    """a + b as rounded sum and exact error."""
    total = f.fadd(a, b)
    part = f.fsub(total, a)
    return total, f.fadd(f.fsub(a, f.fsub(total, part)), f.fsub(b, part))


def two_product(f: IRBuilder, a: Value, b: Value) -> tuple[Value, Value]:
    """a·b as rounded product and exact error, barring underflow."""
    return f.product_in_parts(a, b)


def remainder(f: IRBuilder, x: Value, quotient: Value, divisor: Value) -> Value:
    """x - quotient·divisor, exactly, for a quotient that is x/divisor up to rounding."""
    if f.fuses:
        return f.fma(f.fneg(quotient), divisor, x)
    product, lost = two_product(f, quotient, divisor)
    return f.fsub(f.fsub(x, product), lost)


def at_most(f: IRBuilder, x: Value, limit: float) -> Value:
    """min(x, limit) that keeps a NaN."""
    if f.globals.instructions.extrema:
        return f.intrinsic("minimum", x, limit)
    return f.select(f.fcmp("ogt", x, limit), limit, x)


def at_least(f: IRBuilder, x: Value, limit: float) -> Value:
    """max(x, limit) that keeps a NaN."""
    if f.globals.instructions.extrema:
        return f.intrinsic("maximum", x, limit)
    return f.select(f.fcmp("olt", x, limit), limit, x)


def magnitude(f: IRBuilder, x: Value) -> Value:
    return f.intrinsic("fabs", x)


def with_sign_of(f: IRBuilder, x: Value, sign: Value) -> Value:
    """|x| with the sign of another value, that of zeros included."""
    return f.intrinsic("copysign", x, sign)


def full(f: IRBuilder, number: float, like: Value) -> Value:
    """A literal with kind and width of a value."""
    return f.widen(f.value(number, like.kind), like.width)
