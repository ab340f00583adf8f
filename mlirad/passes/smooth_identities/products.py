"""Products in which a root or a magnitude occurs twice: |x| |x| = x x, sqrt(s) sqrt(s) = s, and their kind.

    (c |x|) |x|       (c x) x                 (sqrt(s) / c) (sqrt(s) / c)       s / c / c
    sign(x) |x|       x                       max(x, y) min(x, y)               x y
    cbrt(x)^3         x                       pow(x, 1/3)^3                     x, NaN where x < 0

A kink is replaced where it stands, so the product keeps its order, and its value to the last bit. A root is
replaced by its square only if the factors around it are such that no product in between leaves the range of
floats, unless the whole does, or the square itself: there it is what is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.reductions import DotOp
from mlirad.dialects.shapes import Value, is_float
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.smooth_identities.roots import is_inner, magnitude_of, sign_of, square_of

_DEPTH = 4
"""The number of ops back within which factors are looked for."""

_HIGHEST = 8
"""The highest constant power that is looked at."""


def factors_of(value: Value) -> list[Value]:
    """Return what a value is a product of, divisors left out."""
    return [f.value for f in _Product.of(value).factors if not f.divides]


@dataclass(frozen=True)
class _Factor:
    """A factor of a product, or a divisor of it."""

    value: Value
    divides: bool = False


def product(b: ArrayBuilder, x: Value, y: Value) -> Value | None:
    """x y without kinks or poles that the product lacks; `None` if it has no others."""
    left, right = _Product.of(x), _Product.of(y)
    return (
        _without_kinks(b, x, y, left, right)
        or _without_roots(b, x, y, left, right)
        or _without_powers(b, x, y)
    )


def contraction(b: ArrayBuilder, op: DotOp, x: Value, y: Value) -> Value | None:
    """A sum of products of elements at equal positions, if `product` knows these."""
    if not is_inner(op):
        return None
    found = product(b, x, y)
    return None if found is None else b.sum(found, op.contract[0])


@dataclass
class _Product:
    """The factors of a value, and 1 or -1."""

    factors: list[_Factor]
    sign: float = 1.0

    @staticmethod
    def of(value: Value) -> _Product:
        """The factors of a value; itself, where it is not a product."""
        found = _Product([])
        found.enter(value, _DEPTH)
        return found

    def enter(self, value: Value, depth: int) -> None:
        """Multiply by a value, whose factors are looked for in a given number of ops."""
        op = value.owner
        match op:
            case _ if depth == 0:
                self.factors.append(_Factor(value))
            case ew.MulOp():
                self.enter(op.lhs, depth - 1)
                self.enter(op.rhs, depth - 1)
            case ew.DivOp():
                self.enter(op.lhs, depth - 1)
                self.factors.append(_Factor(op.rhs, divides=True))
            case ew.NegOp():
                self.sign = -self.sign
                self.enter(op.operand, depth - 1)
            case _:
                self.factors.append(_Factor(value))

    def without(self, factor: _Factor) -> _Product:
        """The product of the others."""
        k = self.factors.index(factor)
        return _Product([*self.factors[:k], *self.factors[k + 1 :]], self.sign)


# Kinks ---------------------------------------------------------------------------------------------


def _without_kinks(b: ArrayBuilder, x: Value, y: Value, left: _Product, right: _Product) -> Value | None:
    for f in left.factors:
        for g in right.factors:
            if f.divides or g.divides:
                continue
            pair = _smooth_pair(b, f.value, g.value)
            if pair is not None:
                return b.mul(replaced(b, x, f.value, pair[0]), replaced(b, y, g.value, pair[1]))
    return None


def _smooth_pair(b: ArrayBuilder, x: Value, y: Value) -> tuple[Value, Value] | None:
    """Two factors with the product of these, if one or both have a kink that the product lacks."""
    if not is_float(x):
        return None
    inside = magnitude_of(x)
    if inside is not None and magnitude_of(y) is inside:
        return inside, inside
    if x is y and inside is None:
        inside = _signed_choice(b, x)
        return None if inside is None else (inside, inside)
    for one, other in ((x, y), (y, x)):
        size = magnitude_of(one)
        if size is not None and sign_of(other) is size:
            unit, signed = b.splat(1.0, x.type), b.add(size, b.zeros(x.type))  # no negative zero
            return (signed, unit) if one is x else (unit, signed)
        larger, smaller = one.owner, other.owner
        if not isinstance(larger, ew.MaxOp) or not isinstance(smaller, ew.MinOp):
            continue
        if {larger.lhs, larger.rhs} == {smaller.lhs, smaller.rhs}:
            return larger.lhs, larger.rhs
    return None


def _signed_choice(b: ArrayBuilder, value: Value, depth: int = _DEPTH) -> Value | None:
    """The choice between numbers in place of that between their magnitudes: it has the same square.

    The square of the choice itself would lose the factors that the product scales each side by.
    """
    op = value.owner
    if not isinstance(op, ew.SelectOp) or not depth:
        return None
    parts = (op.on_true, op.on_false)
    found = [magnitude_of(part) or _signed_choice(b, part, depth - 1) for part in parts]
    if found == [None, None]:
        return None
    one, other = (part if signed is None else signed for part, signed in zip(parts, found, strict=True))
    return b.select(op.condition, one, other)


def replaced(b: ArrayBuilder, value: Value, old: Value, new: Value) -> Value:
    """A product with another value in the place of its first factor `old`."""
    op = value.owner
    if value is old:
        return new
    match op:
        case ew.NegOp():
            return b.neg(replaced(b, op.operand, old, new))
        case ew.DivOp():
            return b.div(replaced(b, op.lhs, old, new), op.rhs)
        case ew.MulOp():
            if _Factor(old) in _Product.of(op.lhs).factors:
                return b.mul(replaced(b, op.lhs, old, new), op.rhs)
            return b.mul(op.lhs, replaced(b, op.rhs, old, new))
        case _:
            raise AssertionError("no factor of the product")


# Roots ---------------------------------------------------------------------------------------------


def _without_roots(b: ArrayBuilder, x: Value, y: Value, left: _Product, right: _Product) -> Value | None:
    for f in left.factors:
        square = None if f.divides or f not in right.factors else square_of(f.value)
        rest = None if square is None else _Rest.of(left.without(f), right.without(f))
        if square is not None and rest is not None:
            s = square(b)
            found = rest.times(b, s)
            if not rest.others or isinstance(f.value.owner, ew.SqrtOp):
                return found
            return b.select(_is_out_of_range(b, s, f.value), b.mul(x, y), found)
    return None


def _is_out_of_range(b: ArrayBuilder, square: Value, root: Value) -> Value:
    """Return where the square of a root is infinite or 0, and the root is not."""
    zero = b.zeros(square.type)
    size, whole = (b.unary(ew.AbsOp, v) for v in (root, square))
    overflows = b.logical_and(_is_infinite(b, whole), b.logical_not(_is_infinite(b, size)))
    underflows = b.logical_and(b.compare("eq", square, zero), b.compare("ne", root, zero))
    return b.binary(ew.OrOp, overflows, underflows)


def _is_infinite(b: ArrayBuilder, size: Value) -> Value:
    return b.compare("eq", size, b.splat(inf, size.type))


@dataclass(frozen=True)
class _Rest:
    """Factors that may follow a square one after the other: a number of moderate size, and one or two others.

    Their image of s lies between s and the whole, as the two are equal if there are two.
    """

    number: float
    others: Sequence[_Factor]

    @staticmethod
    def of(left: _Product, right: _Product) -> _Rest | None:
        """The factors beside the root in two products; `None` if these are too many, or too different."""
        number = left.sign * right.sign
        one, other = ([f for f in p.factors if scalar_of(f.value) is None] for p in (left, right))
        for f in (*left.factors, *right.factors):
            literal = scalar_of(f.value)
            if literal is not None:
                if not literal or not _LEAST < abs(literal) < 1 / _LEAST:
                    return None
                number = number / literal if f.divides else number * literal
        if len(one) > 1 or len(other) > 1 or (one and other and one != other):
            return None
        return _Rest(number, [*one, *other])

    def times(self, b: ArrayBuilder, x: Value) -> Value:
        """The factors times a value."""
        for f in self.others:
            x = b.div(x, f.value) if f.divides else b.mul(x, f.value)
        return x if self.number == 1 else b.scaled(x, self.number)


_LEAST = 2.0**-20
"""The least number of moderate size."""


# Powers --------------------------------------------------------------------------------------------


def _without_powers(b: ArrayBuilder, x: Value, y: Value) -> Value | None:
    """cbrt(x)^3 and pow(x, c)^n for whole c n, from two powers of the same factor."""
    (base, n), (other, m) = _power(x), _power(y)
    return whole_power(b, base, n + m, lambda: b.mul(x, y)) if base is other else None


def _power(value: Value, depth: int = _DEPTH) -> tuple[Value, int]:
    """The base and the exponent of a value that is a power by multiplication."""
    op = value.owner
    if isinstance(op, ew.MulOp) and depth:
        (base, n), (other, m) = _power(op.lhs, depth - 1), _power(op.rhs, depth - 1)
        if base is other:
            return base, n + m
    return value, 1


def whole_power(b: ArrayBuilder, base: Value, n: int, written: Callable[[], Value]) -> Value | None:
    """The n-th power of a power with a fraction as exponent, if it has a whole one.

    Where the fraction of a negative number is taken it is what is written.
    """
    op = base.owner
    match op:
        case ew.CbrtOp() if n % 3 == 0:
            return power(b, op.operand, n // 3)
        case ew.PowOp():
            exponent = scalar_of(op.rhs)
            if exponent is None or exponent <= 0 or exponent == round(exponent):
                return None
            whole = round(exponent * n)
            if not whole or abs(exponent * n - whole) > 1e-15 * whole:
                return None
            is_outside = b.compare("lt", op.lhs, b.zeros(op.lhs.type))
            return b.select(is_outside, written(), power(b, op.lhs, whole))
        case _:
            return None


def raised(b: ArrayBuilder, x: Value, exponent: float) -> Value | None:
    """x to a constant power, where x is a root or a magnitude and the power an even one."""
    n = int(exponent) if exponent.is_integer() and 0 < exponent <= _HIGHEST else 0
    if not n:
        return None
    size = magnitude_of(x)
    if size is not None and n % 2 == 0:
        return power(b, size, n)
    square = square_of(x) if n % 2 == 0 else None
    if square is not None:
        return power(b, square(b), n // 2)
    base, m = _power(x)
    return whole_power(b, base, n * m, lambda: b.binary(ew.PowOp, x, b.splat(exponent, x.type)))


def power(b: ArrayBuilder, x: Value, n: int) -> Value:
    """x to a whole power."""
    if n == 1:
        return x
    if n == 2:
        return b.mul(x, x)
    return b.binary(ew.PowOp, x, b.splat(float(n), x.type))
