"""Quotients of polynomials in normal form.

floor(8 n + 3, 8)                  n
floor(n // 2 + 1, 3)               (n + 2) // 6
divide_exactly(10 n m, n)          10 m; None where there may be a rest
"""

from __future__ import annotations

from math import gcd

from mlirad.dialects.extents.polynomials import (
    Quotient,
    Sum,
    Terms,
    add,
    multiply,
    normal,
    rank,
    scale,
    without,
)

MOST_TERMS = 64
"""The most terms of an exact quotient: a sum with more is taken to have a rest."""


def floor(terms: Sum, divisor: int) -> Sum:
    """A polynomial divided by a positive number, rounded down: whole parts of coefficients, and an atom."""
    whole = {monomial: c // divisor for monomial, c in terms.items()}
    rest = {monomial: c % divisor for monomial, c in terms.items()}
    # floor(r / k) is -ceil(-r / k), which is -floor((k - 1 - r) / k): of the two, the one with less in it.
    turned = {monomial: -c for monomial, c in rest.items() if monomial}
    turned[()] = divisor - 1 - rest.get((), 0)
    other = {monomial: c // divisor for monomial, c in turned.items()}
    other_rest = {monomial: c % divisor for monomial, c in turned.items()}
    if _weight(other_rest) < _weight(rest):
        return add(add(whole, scale(other, -1)), scale(_atom(other_rest, divisor), -1))
    return add(whole, _atom(rest, divisor))


def _weight(terms: Sum) -> tuple[list[int], int]:
    kept = sorted((item for item in terms.items() if item[0]), key=rank)
    return [c for _, c in kept], terms.get((), 0)


def _atom(stated: Sum, divisor: int) -> Sum:
    """The quotient of a polynomial with coefficients from 0 to divisor - 1."""
    whole = normal(stated)
    terms = dict(whole)
    constant = terms.pop((), 0)
    if not terms:
        return {}
    # A common divisor of all coefficients and the divisor affects the constant alone.
    common = gcd(divisor, *terms.values())
    if common > 1:
        reduced: Sum = {**{monomial: c // common for monomial, c in terms.items()}, (): constant // common}
        return reduced if common == divisor else floor(reduced, divisor // common)
    if len(terms) == 1:
        ((monomial, c),) = terms.items()
        if c == 1 and len(monomial) == 1 and isinstance(monomial[0], Quotient):
            # (e // a + c) // b is (e + a c) // (a b).
            inner = monomial[0]
            return floor(add(dict(inner.terms), {(): inner.divisor * constant}), inner.divisor * divisor)
    return {(Quotient(whole, divisor),): 1}


def divide_exactly(a: Terms, b: Terms) -> Sum | None:
    """The quotient of two polynomials where there is no rest for any sizes; None where there may be."""
    rest, quotient = dict(a), Sum()
    leading, factor = b[0]
    while rest:
        monomial, c = min(rest.items(), key=rank)
        left = without(monomial, leading)
        if left is None or c % factor or len(quotient) > MOST_TERMS:
            return None
        step: Sum = {left: c // factor}
        quotient = add(quotient, step)
        rest = {m: d for m, d in add(rest, scale(multiply(step, dict(b)), -1)).items() if d}
    return quotient
