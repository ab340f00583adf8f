"""Extents of arrays: integers, or polynomials in the sizes of a program, which are known when it runs.

    n = size("n")
    2 * (n + 1) == n * 2 + 2                True: extents are kept in a normal form
    (8 * n + 3) // 8                        n
    same(n + 1, n)                          False, of two sizes None: that is not known
    at_most(n - 1, n)                       True
    divides(8, 8 * n)                       True
    n < 2                                   False, as every size is 2 at least
    n < 100, int(n), range(n)               SizeNeeded

An extent without sizes is a Python `int`, so code for static programs meets nothing else; `Extent` stands in
for an `int` wherever a shape may have a size in it, and type checkers are told so. `==` compares normal
forms: where two extents have different forms, `same` says whether they can be equal.

    e ::= k | n | e + e | k e | e e | e // k

A normal form is a sum of monomials with integer coefficients, in which a quotient `(e // k)` that cannot be
taken apart is an atom like a size. All atoms are 0 at least.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from math import gcd
from typing import Any, TypeAlias, cast

from mlirad.errors import SizeNeeded

LEAST_SIZE = 2
"""Programs with a size of 0 or 1 are compiled for it, so sizes are known to be neither."""

_least: ContextVar[int] = ContextVar("least", default=LEAST_SIZE)


@contextmanager
def sizes_from(least: int) -> Generator[None]:
    """Within, every size is known to be `least` at least."""
    token = _least.set(least)
    try:
        yield
    finally:
        _least.reset(token)


NOMINAL_SIZE = 4096
"""What costs are estimated for."""


class Quotient:
    """The atom `(extent // divisor)`, whose extent has coefficients from 0 to divisor - 1."""

    __slots__ = ("_hash", "divisor", "extent")

    def __init__(self, extent: Extent, divisor: int):
        self.extent = extent
        self.divisor = divisor
        self._hash = hash((extent, divisor))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Quotient)
            and self.divisor == other.divisor
            and self.extent.terms == other.extent.terms
        )

    def __str__(self) -> str:
        return f"({self.extent}) // {self.divisor}"


Atom: TypeAlias = str | Quotient
Monomial: TypeAlias = tuple[Atom, ...]
"""The atoms of a product, each as often as it occurs, in the order of their text."""
Terms: TypeAlias = tuple[tuple[Monomial, int], ...]
_Sum: TypeAlias = dict[Monomial, Any]
"""The coefficient of each monomial: integers, or fractions in bounds."""


class Extent:
    """A polynomial in sizes that is not a constant. Arithmetic with integers and extents makes extents."""

    __slots__ = ("_hash", "terms")

    terms: Terms
    """Monomials with their coefficients, none of which is 0: those of higher degree first, then by text."""

    def __init__(self, terms: Terms):
        self.terms = terms
        self._hash = hash(terms)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Extent) and self._hash == other._hash and self.terms == other.terms

    # Arithmetic ----------------------------------------------------------------------------------

    def _made(self, terms: _Sum) -> Any:
        """An extent of these terms; classes derived from this one make their own."""
        return made(terms)

    def __add__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        return self._made(_add(_sum_of(self), _sum_of(other)))

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self._made(_scale(_sum_of(self), -1))

    def __pos__(self) -> Any:
        return self

    def __sub__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        return self._made(_add(_sum_of(self), _scale(_sum_of(other), -1)))

    def __rsub__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        return self._made(_add(_sum_of(other), _scale(_sum_of(self), -1)))

    def __mul__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        return self._made(_multiply(_sum_of(self), _sum_of(other)))

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        if isinstance(other, Extent):
            return self._made(_divide_exactly(self, other))
        if other == 0:
            raise ZeroDivisionError(f"{self} divided by 0")
        return self._made(_sum_of(_floor(self, other) if other > 0 else _floor(-self, -other)))

    def __rfloordiv__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        if at_most(0, other) and at_most(other + 1, _as_int(self)):
            return 0
        if at_most(other, -1) and at_most(0, other + _as_int(self)):
            return -1
        raise SizeNeeded(f"{other} // ({self}) depends on the size", self)

    def __rmod__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        return other - self * (other // self)

    def __mod__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        return self - other * (self // other)

    def __divmod__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        quotient = self // other
        return quotient, self - other * quotient

    def __pow__(self, other: Any) -> Any:
        if not isinstance(other, int) or other < 1:
            return NotImplemented
        result = self
        for _ in range(other - 1):
            result = result * self
        return result

    # Questions -----------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        if at_most(1, _as_int(self)):
            return True
        raise SizeNeeded(f"whether {self} is 0 depends on the size", self)

    def __le__(self, other: Any) -> bool:
        return self._ordered(other, "<=", 0)

    def __lt__(self, other: Any) -> bool:
        return self._ordered(other, "<", 1)

    def __ge__(self, other: Any) -> bool:
        return NotImplemented if not _is_extent(other) else not self < other

    def __gt__(self, other: Any) -> bool:
        return NotImplemented if not _is_extent(other) else not self <= other

    def _ordered(self, other: Any, sign: str, step: int) -> bool:
        """Whether `self + step <= other`, for all sizes or for none."""
        if not _is_extent(other):
            return NotImplemented
        if at_most(self + step, other):
            return True
        if at_most(other, self + (step - 1)):
            return False
        raise SizeNeeded(f"whether {self} {sign} {other} depends on the size", self)

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __index__(self) -> int:
        raise SizeNeeded(f"{self} is needed as a number", self)

    def __int__(self) -> int:
        raise SizeNeeded(f"{self} is needed as a number", self)

    def __float__(self) -> float:
        raise SizeNeeded(f"{self} is needed as a number", self)

    def bit_length(self) -> int:
        """As of an integer, which this is not."""
        raise SizeNeeded(f"{self} is needed as a number", self)

    # Text ----------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return text_of(_as_int(self), "//")

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def size(name: str) -> int:
    """The size of that name, as an extent."""
    return cast(int, Extent((((name,), 1),)))


def is_static(extent: int) -> bool:
    """Whether an extent has no sizes in it."""
    return not isinstance(cast(object, extent), Extent)


def plain(extent: int) -> int:
    """The extent as one of this module, whatever class is derived from it."""
    return made(_sum_of(extent))


def sizes_of(extent: int) -> frozenset[str]:
    """The names of the sizes in an extent."""
    found: set[str] = set()
    for monomial, _ in _sum_of(extent).items():
        for atom in monomial:
            if isinstance(atom, str):
                found.add(atom)
            else:
                found |= sizes_of(_as_int(atom.extent))
    return frozenset(found)


def same(a: int, b: int) -> bool | None:
    """Whether two extents are equal: for all sizes, for none, or None where that is not known."""
    if a == b:
        return True
    if is_static(a) and is_static(b):
        return False
    if at_most(a + 1, b) or at_most(b + 1, a):
        return False
    difference = a - b
    step = gcd(*(c for monomial, c in _sum_of(difference).items() if monomial))
    return False if _sum_of(difference).get((), 0) % step else None


def at_most(a: int, b: int) -> bool:
    """Whether `a <= b` for all sizes; False says nothing."""
    if is_static(a) and is_static(b):
        return a <= b
    bound = _lower_bound(_sum_of(b - a))
    constant = bound.pop((), 0)
    # Extents are integers, so one above -1 is 0 at least.
    return constant > -1 and all(c >= 0 for c in bound.values())


def divides(k: int, extent: int) -> bool | None:
    """Whether the number `k` divides an extent: for all sizes, for none, or None where that is not known."""
    terms = _sum_of(extent)
    if any(c % k for monomial, c in terms.items() if monomial):
        return None
    return terms.get((), 0) % k == 0


def is_near_size(extent: int) -> bool:
    """Whether an extent is a size, or the sum of a size and a number of moderate size, or less than that."""
    terms = _sum_of(extent)
    constant = terms.pop((), 0)
    positive = [(m, c) for m, c in terms.items() if c > 0]
    return abs(constant) < 1 << 31 and len(positive) <= 1 and all(c == 1 and len(m) == 1 for m, c in positive)


def nominal(extent: int) -> int:
    """The number that costs are estimated for: an extent at the nominal size."""
    if is_static(extent):
        return extent
    return evaluate(extent, dict.fromkeys(sizes_of(extent), NOMINAL_SIZE))


def evaluate(extent: int, sizes: Mapping[str, int]) -> int:
    """The extent with other extents or numbers in place of its sizes; those not named stay."""
    total = 0
    for monomial, coefficient in _sum_of(extent).items():
        product = coefficient
        for atom in monomial:
            if isinstance(atom, str):
                product = product * sizes.get(atom, size(atom))
            else:
                product = product * (evaluate(_as_int(atom.extent), sizes) // atom.divisor)
        total = total + product
    return total


def text_of(extent: int, quotient: str = "floordiv") -> str:
    """The extent as MLIR writes affine expressions, `2 * n + (n + 1) floordiv 3`, or with another word."""
    text = ""
    for monomial, coefficient in _sum_of(extent).items():
        factors = [] if abs(coefficient) == 1 and monomial else [str(abs(coefficient))]
        # A quotient needs no brackets as a term of its own, unless a sign in front would be part of it.
        is_alone = not factors and len(monomial) == 1 and (text or coefficient > 0)
        for atom in monomial:
            if isinstance(atom, str):
                factors.append(atom)
                continue
            inner = text_of(_as_int(atom.extent), quotient)
            inner = inner if inner.isidentifier() else f"({inner})"
            written = f"{inner} {quotient} {atom.divisor}"
            factors.append(written if is_alone else f"({written})")
        sign = "-" if coefficient < 0 else "+"
        text += (f" {sign} " if text else sign.strip("+")) + " * ".join(factors)
    return text or "0"


# Normal forms ------------------------------------------------------------------------------------


def _is_extent(value: object) -> bool:
    return isinstance(value, int | Extent)


def _as_int(extent: Extent) -> int:
    """The extent, as the type that it stands in for."""
    return cast(int, extent)


def _sum_of(extent: Any) -> _Sum:
    if isinstance(extent, Extent):
        return dict(extent.terms)
    return {(): int(extent)} if extent else {}


def made(terms: _Sum) -> int:
    """The extent of a sum of monomials: an integer if there is but a constant."""
    kept = {monomial: int(c) for monomial, c in terms.items() if c}
    if not kept:
        return 0
    if len(kept) == 1 and () in kept:
        return kept[()]
    return cast(int, Extent(tuple(sorted(kept.items(), key=_rank))))


def _rank(term: tuple[Monomial, int]) -> tuple[object, ...]:
    monomial, _ = term
    return (-len(monomial), [str(atom) for atom in monomial])


def _add(a: _Sum, b: _Sum) -> _Sum:
    result = dict(a)
    for monomial, c in b.items():
        result[monomial] = result.get(monomial, 0) + c
    return result


def _scale(a: _Sum, factor: Any) -> _Sum:
    return {monomial: c * factor for monomial, c in a.items()}


def _multiply(a: _Sum, b: _Sum) -> _Sum:
    result: _Sum = {}
    for left, c in a.items():
        for right, d in b.items():
            monomial = tuple(sorted((*left, *right), key=str))
            result[monomial] = result.get(monomial, 0) + c * d
    return result


def _floor(extent: Any, divisor: int) -> int:
    """`extent // divisor` in normal form: the whole parts of coefficients, and what is left as an atom."""
    terms = _sum_of(extent)
    whole = made({monomial: c // divisor for monomial, c in terms.items()})
    rest = {monomial: c % divisor for monomial, c in terms.items()}
    # floor(r / k) is -ceil(-r / k), which is -floor((k - 1 - r) / k): of the two, the one with less in it.
    turned = {monomial: -c for monomial, c in rest.items() if monomial}
    turned[()] = divisor - 1 - rest.get((), 0)
    other = made({monomial: c // divisor for monomial, c in turned.items()})
    other_rest = {monomial: c % divisor for monomial, c in turned.items()}
    if _weight(other_rest) < _weight(rest):
        return whole - other - _atom(made(other_rest), divisor)
    return whole + _atom(made(rest), divisor)


def _weight(terms: _Sum) -> tuple[list[int], int]:
    kept = sorted((item for item in terms.items() if item[0]), key=_rank)
    return [c for _, c in kept], terms.get((), 0)


def _atom(extent: int, divisor: int) -> int:
    """The quotient of an extent with coefficients from 0 to divisor - 1."""
    terms = _sum_of(extent)
    constant = terms.pop((), 0)
    if not terms:
        return 0
    # What all coefficients and the divisor have in common says nothing but of the constant.
    common = gcd(divisor, *terms.values())
    if common > 1:
        reduced = made({**{monomial: c // common for monomial, c in terms.items()}, (): constant // common})
        return reduced if common == divisor else _floor(reduced, divisor // common)
    if len(terms) == 1:
        ((monomial, c),) = terms.items()
        if c == 1 and len(monomial) == 1 and isinstance(monomial[0], Quotient):
            # (e // a + c) // b is (e + a c) // (a b).
            inner = monomial[0]
            return _floor(inner.extent + inner.divisor * constant, inner.divisor * divisor)
    return made({(Quotient(cast(Extent, extent), divisor),): 1})


def _divide_exactly(a: Extent, b: Extent) -> _Sum:
    """The quotient of two polynomials where there is no rest for any sizes; else SizeNeeded."""
    rest, quotient = _sum_of(a), _Sum()
    leading, factor = b.terms[0]
    while rest:
        monomial, c = min(rest.items(), key=_rank)
        left = _without(monomial, leading)
        if left is None or c % factor:
            raise SizeNeeded(f"whether {b} divides {a} depends on the size", a)
        step: _Sum = {left: c // factor}
        quotient = _add(quotient, step)
        rest = _add(rest, _scale(_multiply(step, _sum_of(b)), -1))
        rest = {m: d for m, d in rest.items() if d}
        if len(quotient) > 64:
            raise SizeNeeded(f"whether {b} divides {a} depends on the size", a)
    return quotient


def _without(monomial: Monomial, factor: Monomial) -> Monomial | None:
    """A monomial divided by another, or None where that does not divide it."""
    left = list(monomial)
    for atom in factor:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _lower_bound(terms: _Sum) -> _Sum:
    """A polynomial in what sizes exceed the least one by, nowhere above the sum of terms."""
    while True:
        found = next(((m, c, a) for m, c in terms.items() for a in m if isinstance(a, Quotient) and c), None)
        if found is None:
            return _shifted(terms)
        monomial, c, atom = found
        left = _without(monomial, (atom,))
        assert left is not None
        inner = _sum_of(atom.extent)
        rest = {m: d for m, d in terms.items() if m != monomial}
        if c > 0 and _is_alone(terms, atom):
            # Its value at the least sizes, where atoms are smallest.
            extent = _as_int(atom.extent)
            least = evaluate(extent, dict.fromkeys(sizes_of(extent), _least.get())) // atom.divisor
            terms = _add(rest, {left: c * least})
            continue
        if c > 0:
            # At least (e - (k - 1)) / k; with another sign, at most e / k.
            inner = _add(inner, {(): 1 - atom.divisor})
        terms = _add(rest, _multiply({left: Fraction(c)}, _scale(inner, Fraction(1, atom.divisor))))


def _is_alone(terms: _Sum, atom: Quotient) -> bool:
    """Whether no other term is negative: then the least value of this atom is as good a bound as any."""
    return all(c >= 0 for m, c in terms.items() if m and atom not in m)


def _shifted(terms: _Sum) -> _Sum:
    """A polynomial in sizes as one in what they exceed the least size by."""
    result: _Sum = {}
    least = _least.get()
    for monomial, c in terms.items():
        product: _Sum = {(): c}
        for atom in monomial:
            product = _multiply(product, {(atom,): 1, (): least})
        result = _add(result, product)
    return result
