"""`Extent`: a polynomial in sizes that stands in for an integer wherever a shape may have a size in it."""

from __future__ import annotations

from typing import Any, cast

from mlirad.dialects.extents.bounds import is_never_negative
from mlirad.dialects.extents.division import divide_exactly, floor
from mlirad.dialects.extents.polynomials import Sum, Terms, add, multiply, normal, scale, text
from mlirad.errors import SizeNeeded


class Extent:
    """A polynomial in sizes that is not a constant. Arithmetic with integers and extents makes extents."""

    __slots__ = ("_hash", "terms")

    terms: Terms
    """The normal form."""

    def __init__(self, terms: Terms):
        self.terms = terms
        self._hash = hash(terms)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Extent) and self._hash == other._hash and self.terms == other.terms

    # Arithmetic ----------------------------------------------------------------------------------

    def _made(self, terms: Sum) -> Any:
        """An extent of these terms; classes derived from this one make their own."""
        return made(terms)

    def __add__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        return self._made(add(sum_of(self), sum_of(other)))

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self._made(scale(sum_of(self), -1))

    def __pos__(self) -> Any:
        return self

    def __sub__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        return self._made(add(sum_of(self), scale(sum_of(other), -1)))

    def __rsub__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        return self._made(add(sum_of(other), scale(sum_of(self), -1)))

    def __mul__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        return self._made(multiply(sum_of(self), sum_of(other)))

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        if isinstance(other, Extent):
            quotient = divide_exactly(self.terms, other.terms)
            if quotient is None:
                raise SizeNeeded(f"whether {other} divides {self} depends on the size", self)
            return self._made(quotient)
        if other == 0:
            raise ZeroDivisionError(f"{self} divided by 0")
        turned = sum_of(self) if other > 0 else scale(sum_of(self), -1)
        return self._made(floor(turned, abs(other)))

    def __rfloordiv__(self, other: Any) -> Any:
        if not _is_extent(other):
            return NotImplemented
        if at_most(0, other) and at_most(other + 1, self):
            return 0
        if at_most(other, -1) and at_most(0, other + self):
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
        if at_most(1, self) or at_most(self, -1):
            return True
        if at_most(self, 0) and at_most(0, self):
            return False
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
        """Return whether `self + step <= other`, for all sizes or for none."""
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
        return text(sum_of(self), "//")

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def _is_extent(value: object) -> bool:
    return isinstance(value, int | Extent)


def sum_of(extent: Any) -> Sum:
    """An extent as a sum of monomials."""
    if isinstance(extent, Extent):
        return dict(extent.terms)
    return {(): int(extent)} if extent else {}


def made(terms: Sum) -> int:
    """The extent of a sum of monomials: an integer if there is but a constant."""
    kept = normal(terms)
    if not kept:
        return 0
    if len(kept) == 1 and not kept[0][0]:
        return kept[0][1]
    return cast(int, Extent(kept))


def size(name: str) -> int:
    """The size of that name, as an extent."""
    return cast(int, Extent((((name,), 1),)))


def is_static(extent: int) -> bool:
    """Return whether an extent has no sizes in it."""
    return not isinstance(cast(object, extent), Extent)


def at_most(a: Any, b: Any) -> bool:
    """Return whether `a <= b` for all sizes; False says nothing."""
    if is_static(a) and is_static(b):
        return a <= b
    return is_never_negative(add(sum_of(b), scale(sum_of(a), -1)))
