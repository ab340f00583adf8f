"""Extents as JSON: a number, or a sum of monomials with their coefficients.

8 * n + 63            [[["n"], 8], [[], 63]]
n * (n // 3)          [[["n", [[[["n"], 1]], 3]], 1]]       a quotient is the extent and the divisor
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from mlirad.dialects.extents import Extent, Quotient, Terms, size

Json: TypeAlias = Any


def extent_json(extent: int) -> Json:
    """Return what `extent_of` reads."""
    stated = cast(object, extent)
    return _terms_json(stated.terms) if isinstance(stated, Extent) else extent


def _terms_json(terms: Terms) -> Json:
    return [
        [[[_terms_json(a.terms), a.divisor] if isinstance(a, Quotient) else a for a in atoms], coefficient]
        for atoms, coefficient in terms
    ]


def extent_of(stated: Json) -> int:
    """The extent that JSON states. Raises ValueError or TypeError for anything else."""
    if not isinstance(stated, list):
        return int(stated)
    total = 0
    for atoms, coefficient in cast("list[list[Json]]", stated):
        product = int(coefficient)
        for atom in atoms:
            if isinstance(atom, str):
                product = product * size(atom)
            else:
                extent, divisor = atom
                product = product * (extent_of(extent) // int(divisor))
        total = total + product
    return total
