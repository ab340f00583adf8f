"""Sums of products of vectors: renamed, moved, and completed by the products of imaginary parts.

    Re(x conj(y)) = Re(x) Re(y) + Im(x) Im(y)

The two halves of a product of complex vectors are arrays of the program that each depend on the phases of the
vectors. They are found by signatures: the imaginary part of x is, up to its sign, the real part of x with all
vectors multiplied by i.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from mlirad.dialects.shapes import Value
from mlirad.passes.spectral_functions.dimension_moves import Moves
from mlirad.passes.spectral_functions.facts import Mixed, Pair, Products, Term
from mlirad.passes.spectral_functions.named import Name, Names

Signature: TypeAlias = Callable[[Value, bool], tuple[int, object]]
"""`(array of vectors, whether these are multiplied by i) -> a sign, and a key of all equal up to it`."""

MOST_PAIRS = 16
"""The most products that a sum may be made of."""


def multiplied(
    left: Mixed,
    right: Mixed,
    names: tuple[Names, Names],
    out: Sequence[Name],
    factors: Callable[..., Sequence[Term]],
) -> Products | None:
    """The products of all parts of two sums; `factors` gives those of a part, by the names of the sum."""
    if len(left.parts) * len(right.parts) > MOST_PAIRS:
        return None
    found: list[Pair] = []
    kept = tuple(names[0][k] for k in left.kept)
    for a in left.parts:
        for c in right.parts:
            ends = [
                Term(part.value, tuple(own[d] for d in part.dims))
                for part, own in zip((a, c), names, strict=True)
            ]
            terms = [t for part, own in zip((a, c), names, strict=True) for t in factors(part, own)]
            is_whole, sign = not left.frame.is_complex, a.sign * c.sign
            sides, given = (ends[0], ends[1]), (tuple(terms), tuple(out), kept)
            pair = Pair(left.frame, *sides, *given, left.pick, is_whole, sign)
            found.append(pair)
    return renamed(Products(tuple(found)), out)


def renamed(fact: Products, order: Sequence[Name]) -> Products:
    """The products with dimensions in this order, under the names that dimensions have."""
    names: dict[Name, Name] = {n: ("d", k) for k, n in enumerate(order)}
    for pair in fact.pairs:
        for term in (pair.left, pair.right, *pair.terms):
            for name in term.names:
                names.setdefault(name, ("s", len(names)))
    return Products(tuple(_rename(pair, names, order) for pair in fact.pairs))


def _rename(pair: Pair, names: dict[Name, Name], order: Sequence[Name]) -> Pair:
    def named(term: Term) -> Term:
        return replace(term, names=tuple(names[n] for n in term.names))

    return replace(
        pair,
        left=named(pair.left),
        right=named(pair.right),
        terms=tuple(named(t) for t in pair.terms),
        names=tuple(names[n] for n in order),
        kept=tuple(names.get(n, n) for n in pair.kept),
    )


def under(fact: Products, names: Names) -> Products:
    """The products with other names for the dimensions of the array, which differ from all others."""
    new: dict[Name, Name] = dict(zip(fact.names, names, strict=True))
    for pair in fact.pairs:
        for term in (pair.left, pair.right, *pair.terms):
            for name in term.names:
                new.setdefault(name, name)
    return Products(tuple(_rename(pair, new, pair.names) for pair in fact.pairs))


def moved(fact: Products, moves: Moves, old: tuple[int, ...], new: tuple[int, ...]) -> Products | None:
    """Products whose dimensions have moved; new dimensions repeat them."""
    if moves.picks or any(d not in moves.to and old[d] != 1 for d in range(len(fact.names))):
        return None
    came = {k: d for d, k in moves.to.items()}
    order: list[Name] = [fact.names[came[k]] if k in came else ("new", k) for k in range(len(new))]
    return renamed(fact, order)


def negated(fact: Products) -> Products:
    """The products with the other sign."""
    return Products(tuple(replace(pair, sign=-pair.sign) for pair in fact.pairs))


def weighted(fact: Products, term: Term) -> Products:
    """The products with one more factor."""
    return Products(tuple(replace(pair, terms=(*pair.terms, term)) for pair in fact.pairs))


def joined(left: Products, right: Products, signature: Signature) -> Products | None:
    """The sum of two sums over the same columns, as far as possible of whole products."""
    same = (left.frame, left.names, left.kept, left.pick) == (
        right.frame,
        right.names,
        right.kept,
        right.pick,
    )
    if not same or len(left.pairs) + len(right.pairs) > MOST_PAIRS:
        return None
    waiting: list[Pair] = []
    found: list[Pair] = []
    for pair in (*left.pairs, *right.pairs):
        if pair.whole:
            found.append(pair)
            continue
        other = next((p for p in waiting if _are_halves(p, pair, signature)), None)
        if other is None:
            waiting.append(pair)
        else:
            waiting.remove(other)
            found.append(replace(other, whole=True))
    return Products((*found, *waiting))


def _are_halves(a: Pair, c: Pair, signature: Signature) -> bool:
    """Return whether one is the product of real parts, the other that of imaginary ones."""
    if replace(c, left=a.left, right=a.right, sign=a.sign) != a:
        return False
    signs = c.sign * a.sign
    for one, other in ((a.left, c.left), (a.right, c.right)):
        turned, plain = signature(one.value, True), signature(other.value, False)
        if turned[1] != plain[1] or one.names != other.names:
            return False
        signs *= turned[0] * plain[0]
    return signs > 0
