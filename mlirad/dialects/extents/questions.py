"""Questions about extents: equality, divisibility, and values at given sizes."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from mlirad.dialects.extents.extent import at_most, is_static, made, size, sum_of
from mlirad.dialects.extents.polynomials import sizes_in, text
from mlirad.dialects.extents.ranges import range_of


def same(a: int, b: int) -> bool | None:
    """Return whether two extents are equal: for all sizes, for none, or None where that is not known."""
    if a == b:
        return True
    if is_static(a) and is_static(b):
        return False
    if at_most(a + 1, b) or at_most(b + 1, a):
        return False
    difference = a - b
    step = gcd(*(c for monomial, c in sum_of(difference).items() if monomial))
    return False if sum_of(difference).get((), 0) % step else None


def divides(k: int, extent: int) -> bool | None:
    """Return whether the number `k` divides an extent: for all sizes, for none, or None where that is not
    known.
    """
    terms = sum_of(extent)
    if any(c % k for monomial, c in terms.items() if monomial):
        return None
    return terms.get((), 0) % k == 0


def is_near_size(extent: int) -> bool:
    """Return whether an extent is a size, or the sum of a size and a number of moderate size, or less than
    that.
    """
    terms = sum_of(extent)
    constant = terms.pop((), 0)
    positive = [(m, c) for m, c in terms.items() if c > 0]
    return abs(constant) < 1 << 31 and len(positive) <= 1 and all(c == 1 and len(m) == 1 for m, c in positive)


def sizes_of(extent: int) -> frozenset[str]:
    """The names of the sizes in an extent."""
    return frozenset() if is_static(extent) else sizes_in(sum_of(extent))


def nominal(extent: int) -> int:
    """The number that costs are estimated for: an extent at the nominal sizes."""
    if is_static(extent):
        return extent
    return evaluate(extent, {name: range_of(name).nominal for name in sizes_of(extent)})


def evaluate(extent: int, sizes: Mapping[str, int]) -> int:
    """The extent with other extents or numbers in place of its sizes; those not named stay."""
    total = 0
    for monomial, coefficient in sum_of(extent).items():
        product = coefficient
        for atom in monomial:
            if isinstance(atom, str):
                product = product * sizes.get(atom, size(atom))
            else:
                product = product * (evaluate(made(dict(atom.terms)), sizes) // atom.divisor)
        total = total + product
    return total


def plain(extent: int) -> int:
    """The extent as an `Extent`, whatever class is derived from it."""
    return made(sum_of(extent))


def text_of(extent: int) -> str:
    """The extent as MLIR writes affine expressions, `2 * n + (n + 1) floordiv 3`."""
    return text(sum_of(extent), "floordiv")
