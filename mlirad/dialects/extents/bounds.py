"""Proofs that a polynomial is at least 0 for all possible sizes; no answer where none is found.

n - 2                              yes, as sizes are 2 at least
n - 8 (n // 8)                     yes: n // 8 is n / 8 at most
n - m                              not known
n - 7                              for sizes from 3 to 3 no; then the answer is exact

A polynomial is written in what each size exceeds its least number by; it is 0 at least if no coefficient is
negative.
"""

from __future__ import annotations

from mlirad.dialects.extents.polynomials import Quotient, Sum, add, multiply, scale, sizes_in, without
from mlirad.dialects.extents.ranges import range_of


def is_never_negative(terms: Sum) -> bool:
    """Return whether a sum is 0 at least for all sizes; False says nothing, unless all of them are known."""
    if _are_known(terms):
        return _at_least_sizes(terms) >= 0
    bound = _lower_bound(terms)
    constant = bound.pop((), 0)
    # Extents are integers, so one above -1 is 0 at least.
    return constant > -1 and all(c >= 0 for c in bound.values())


def _are_known(terms: Sum) -> bool:
    """Return whether a sum has sizes, and all of them are known numbers."""
    ranges = [range_of(name) for name in sizes_in(terms)]
    return bool(ranges) and all(r.least == r.most for r in ranges)


def _lower_bound(terms: Sum) -> Sum:
    """A polynomial in what sizes exceed their least number by, nowhere above the sum of terms."""
    while True:
        found = next(((m, c, a) for m, c in terms.items() for a in m if isinstance(a, Quotient) and c), None)
        if found is None:
            return _shifted(terms)
        monomial, c, atom = found
        left = without(monomial, (atom,))
        assert left is not None
        inner: Sum = dict(atom.terms)
        rest = {m: d for m, d in terms.items() if m != monomial}
        if c > 0 and _is_alone(terms, atom):
            # Its value at the least sizes, where atoms are smallest.
            terms = add(rest, {left: c * (_at_least_sizes(inner) // atom.divisor)})
            continue
        if c > 0:
            # At least (e - (k - 1)) / k; with another sign, at most e / k.
            inner = add(inner, {(): 1 - atom.divisor})
        from fractions import Fraction  # with decimals, 2 ms of every process that calls a kept program

        terms = add(rest, multiply({left: Fraction(c)}, scale(inner, Fraction(1, atom.divisor))))


def _is_alone(terms: Sum, atom: Quotient) -> bool:
    """Return whether no other term is negative: then the least value of this atom is as good a bound as
    any.
    """
    return all(c >= 0 for m, c in terms.items() if m and atom not in m)


def _at_least_sizes(terms: Sum) -> int:
    """The number that a polynomial is where all sizes are as small as they may be."""
    total = 0
    for monomial, c in terms.items():
        for atom in monomial:
            if isinstance(atom, str):
                c *= range_of(atom).least
            else:
                c *= _at_least_sizes(dict(atom.terms)) // atom.divisor
        total += c
    return total


def _shifted(terms: Sum) -> Sum:
    """A polynomial in sizes as one in what they exceed their least number by."""
    result: Sum = {}
    for monomial, c in terms.items():
        if not c:
            continue
        product: Sum = {(): c}
        for atom in monomial:
            assert isinstance(atom, str)
            product = multiply(product, {(atom,): 1, (): range_of(atom).least})
        result = add(result, product)
    return result
