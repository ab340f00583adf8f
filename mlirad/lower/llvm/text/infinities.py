"""Comparisons with infinities as comparisons with the largest finite numbers.

    x == inf      x > 1.797e308
    x != inf      not x > 1.797e308

LLVM takes a comparison with infinity for a question after the class of a number, and joins several of these
into one, which without AVX-512 runs on the bits as integers: five times the instructions of two compares.
"""

from __future__ import annotations

from math import inf

from mlirad.lower.llvm.text.value import Value, constant

_LARGEST = {"double": float.fromhex("0x1.fffffffffffffp+1023"), "float": float.fromhex("0x1.fffffep+127")}

_BY_LARGEST = {
    "oeq": "ogt",
    "oge": "ogt",
    "une": "ule",
    "ult": "ule",
    "olt": "ole",
    "uge": "ugt",
    "ueq": "ugt",
}
"""The predicate of x and the largest number that is the same as one of x and infinity. Others tell NaN alone.
"""

_MIRRORED = {
    "oeq": "oeq", "une": "une", "ueq": "ueq", "olt": "ogt", "ogt": "olt", "ole": "oge", "oge": "ole",
    "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule",
}  # fmt: skip
"""The predicate of -x and -y, and of y and x, that is the same as one of x and y."""


def by_largest(predicate: str, x: Value, y: Value) -> tuple[str, Value, Value]:
    """A comparison that says the same, where that needs no infinity."""
    if x.literal in (inf, -inf):
        predicate, x, y = _MIRRORED.get(predicate, predicate), y, x
    if y.literal == inf and predicate in _BY_LARGEST:
        return _BY_LARGEST[predicate], x, constant(y.kind, _LARGEST[y.kind])
    if y.literal == -inf and _MIRRORED.get(predicate) in _BY_LARGEST:
        return _MIRRORED[_BY_LARGEST[_MIRRORED[predicate]]], x, constant(y.kind, -_LARGEST[y.kind])
    return predicate, x, y
