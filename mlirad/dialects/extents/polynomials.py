"""Polynomials in atoms, which are sizes and quotients: sums of monomials, and their normal form.

n (n // 3) + 2         {("n", n // 3): 1, (): 2}

A monomial is its atoms in the order of their text, so equal polynomials are equal sums.
"""

from __future__ import annotations

from typing import Any, TypeAlias


class Quotient:
    """The atom `(terms // divisor)`, the coefficients of whose terms are from 0 to divisor - 1."""

    __slots__ = ("_hash", "divisor", "terms")

    def __init__(self, terms: Terms, divisor: int):
        self.terms = terms
        self.divisor = divisor
        self._hash = hash((terms, divisor))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quotient) and self.divisor == other.divisor and self.terms == other.terms

    def __str__(self) -> str:
        return f"({text(dict(self.terms), '//')}) // {self.divisor}"


Atom: TypeAlias = str | Quotient
Monomial: TypeAlias = tuple[Atom, ...]
"""The atoms of a product, each as often as it occurs, in the order of their text."""
Terms: TypeAlias = tuple[tuple[Monomial, int], ...]
"""A normal form: monomials with coefficients other than 0, those of higher degree first, then by text."""
Sum: TypeAlias = dict[Monomial, Any]
"""The coefficient of each monomial: integers, or fractions in bounds."""


def normal(terms: Sum) -> Terms:
    """The normal form of a sum with integer coefficients."""
    return tuple(sorted(((monomial, int(c)) for monomial, c in terms.items() if c), key=rank))


def rank(term: tuple[Monomial, int]) -> tuple[object, ...]:
    """The key by which terms are ordered."""
    monomial, _ = term
    return (-len(monomial), [str(atom) for atom in monomial])


def add(a: Sum, b: Sum) -> Sum:
    """The sum of two polynomials."""
    result = dict(a)
    for monomial, c in b.items():
        result[monomial] = result.get(monomial, 0) + c
    return result


def scale(a: Sum, factor: Any) -> Sum:
    """A polynomial times a number."""
    return {monomial: c * factor for monomial, c in a.items()}


def multiply(a: Sum, b: Sum) -> Sum:
    """The product of two polynomials."""
    result: Sum = {}
    for left, c in a.items():
        for right, d in b.items():
            monomial = tuple(sorted((*left, *right), key=str))
            result[monomial] = result.get(monomial, 0) + c * d
    return result


def without(monomial: Monomial, factor: Monomial) -> Monomial | None:
    """A monomial divided by another, or None where that does not divide it."""
    left = list(monomial)
    for atom in factor:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def sizes_in(terms: Sum) -> frozenset[str]:
    """The names of the sizes in a polynomial."""
    found: set[str] = set()
    for monomial in terms:
        for atom in monomial:
            if isinstance(atom, str):
                found.add(atom)
            else:
                found |= sizes_in(dict(atom.terms))
    return frozenset(found)


def text(terms: Sum, quotient: str) -> str:
    """A polynomial as an expression, in which `quotient` is the operator of division."""
    written = ""
    for monomial, coefficient in terms.items():
        factors = [] if abs(coefficient) == 1 and monomial else [str(abs(coefficient))]
        # A quotient needs no brackets as a term of its own, unless a sign in front would be part of it.
        is_alone = not factors and len(monomial) == 1 and (written or coefficient > 0)
        for atom in monomial:
            if isinstance(atom, str):
                factors.append(atom)
                continue
            inner = text(dict(atom.terms), quotient)
            inner = inner if inner.isidentifier() else f"({inner})"
            divided = f"{inner} {quotient} {atom.divisor}"
            factors.append(divided if is_alone else f"({divided})")
        sign = "-" if coefficient < 0 else "+"
        written += (f" {sign} " if written else sign.strip("+")) + " * ".join(factors)
    return written or "0"
