"""Programs for all sizes of a range: large ones, in which blocks of lanes fit, and small ones.

    at_most(8, n)          holds where n is 256 at least, and not where it is 2
    is_loop(n - 1)         True of small sizes, too: it may be 1, or more
    greatest(n)            255, or 2**24

Where lowering needs to know and cannot tell, `SizeNeeded` says that the program has to be lowered for each
size by itself. Costs are estimated for the nominal size of the range.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, cast

from xdsl.ir import Attribute

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.extents import (
    LEAST_SIZE,
    Extent,
    SizeRange,
    at_most,
    evaluate,
    is_static,
    made,
    nominal,
    range_of,
    sizes_of,
)
from mlirad.dialects.shapes import Shape, Value, element_of, shape_of, size_of

LEAST_LARGE: Final = 256
"""The least size of programs for large sizes."""

MOST_LARGE: Final = 2**24
"""The greatest one: products of few extents are numbers of 64 bits, and rows those of BLAS."""

SMALL: Final = SizeRange(LEAST_SIZE, LEAST_LARGE - 1, nominal=64)
"""Sizes of few rows, which are cut into no strips: a vector may be wider than an extent."""

LARGE: Final = SizeRange(LEAST_LARGE, MOST_LARGE, nominal=4096)
"""Sizes of many rows: of the shortest extents, blocks of lanes are parts."""


def is_loop(extent: int) -> bool:
    """Return whether a loop of this extent may run more than once."""
    return not at_most(extent, 1)


def greatest(extent: int) -> int:
    """A number that an extent does not exceed at any size of its range."""
    stated = cast(object, extent)
    if not isinstance(stated, Extent):
        return extent
    added = made({monomial: c for monomial, c in stated.terms if c > 0})
    return evaluate(added, {name: range_of(name).most for name in sizes_of(added)})


def nominal_shape(what: Value | Attribute) -> Shape:
    """The extents of a value or type that costs are estimated for."""
    return nominal_of(shape_of(what))


def nominal_of(extents: Iterable[int]) -> Shape:
    """The extents that costs are estimated for."""
    return tuple([e if is_static(e) else nominal(e) for e in extents])


def nominal_size(what: Value | Attribute) -> int:
    """The number of elements that costs are estimated for."""
    return nominal(size_of(what))


def nominal_bytes(value: Value) -> int:
    """The bytes of an array in memory that costs are estimated for."""
    return nominal_size(value) * numpy_dtype(element_of(value)).itemsize


def are_static(extents: Iterable[int]) -> bool:
    """Return whether no extent has a size in it."""
    return all(map(is_static, extents))
