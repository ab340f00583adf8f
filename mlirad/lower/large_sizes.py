"""Programs for all large sizes: from `LEAST_LARGE` on blocks of lanes fit into an extent, and copies of them.

    require_at_most(8, n)          holds: n is 256 at least
    require_at_most(8, n // 64)    SizeNeeded: it may be 4

Where lowering needs to know and cannot tell, `SizeNeeded` says that the program has to be lowered for each
size by itself. What costs are estimated for is a nominal size.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, cast

from xdsl.ir import Attribute

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.extents import Extent, at_most, evaluate, is_static, made, nominal, sizes_of
from mlirad.dialects.shapes import Shape, Value, element_of, shape_of, size_of
from mlirad.errors import SizeNeeded

LEAST_LARGE: Final = 256
"""The least size that such programs run at."""

MOST_LARGE: Final = 2**24
"""The greatest one: products of few extents are numbers of 64 bits, and rows those of BLAS."""


def require_at_most(a: int, b: int) -> None:
    """Raise `SizeNeeded` unless `a <= b` is known."""
    if not at_most(a, b):
        raise SizeNeeded(f"whether {a} is at most {b}", b)


def greatest(extent: int) -> int:
    """A number that an extent does not exceed at any large size."""
    stated = cast(object, extent)
    if not isinstance(stated, Extent):
        return extent
    added = made({monomial: c for monomial, c in stated.terms if c > 0})
    return evaluate(added, dict.fromkeys(sizes_of(added), MOST_LARGE))


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
    """Whether no extent has a size in it."""
    return all(map(is_static, extents))
