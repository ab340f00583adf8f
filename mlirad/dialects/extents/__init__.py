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

Polynomials and their normal form are in `polynomials.py` and `division.py`; what is known of sizes in
`ranges.py`, and what follows of polynomials in `bounds.py`.
"""

from __future__ import annotations

from mlirad.dialects.extents.extent import Extent, at_most, is_static, made, size
from mlirad.dialects.extents.polynomials import Monomial, Quotient, Terms
from mlirad.dialects.extents.questions import (
    divides,
    evaluate,
    is_near_size,
    nominal,
    plain,
    same,
    sizes_of,
    text_of,
)
from mlirad.dialects.extents.ranges import ANY_SIZE, LEAST_SIZE, SizeRange, range_of, sizes_within

__all__ = [
    "ANY_SIZE",
    "LEAST_SIZE",
    "Extent",
    "Monomial",
    "Quotient",
    "SizeRange",
    "Terms",
    "at_most",
    "divides",
    "evaluate",
    "is_near_size",
    "is_static",
    "made",
    "nominal",
    "plain",
    "range_of",
    "same",
    "size",
    "sizes_of",
    "sizes_within",
    "text_of",
]
