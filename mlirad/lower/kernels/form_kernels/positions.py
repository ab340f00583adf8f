"""Positions that are computed from others: affine ones, and those of reshaped arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Shape, Value
from mlirad.ir.arrays import ArrayBuilder

Position: TypeAlias = tuple[Value, ...]


def linear(b: ArrayBuilder, p: Value, factor: int, offset: int) -> Value:
    """`factor * p + offset`."""
    scaled = b.mul(p, b.index_constant(factor))
    return b.add(scaled, b.index_constant(offset))


def reshaped(b: ArrayBuilder, position: Position, new: Shape, old: Shape) -> Position:
    """The position in the old shape of an element at `position` in the new one, group by group.

    Dimensions are taken in groups of equal product, so that a reshape that merges or splits neighbours
    leaves the other dimensions affine.
    """
    result: list[Value] = []
    for taken_new, taken_old in equal_groups(new, old):
        flat = b.index_constant(0)
        for d in taken_new:
            flat = b.add(linear(b, flat, new[d], 0), position[d])
        result.extend(_unflattened(b, flat, [old[d] for d in taken_old]))
    return tuple(result)


def _unflattened(b: ArrayBuilder, flat: Value, shape: Sequence[int]) -> list[Value]:
    """The position of row-major element `flat` in `shape`."""
    positions: list[Value] = []
    for d in reversed(range(len(shape))):
        if shape[d] == 1:
            positions.append(b.index_constant(0))
        elif all(e == 1 for e in shape[:d]):
            positions.append(flat)
        else:
            extent = b.index_constant(shape[d])
            positions.append(b.binary(ew.RemOp, flat, extent))
            flat = b.binary(ew.DivOp, flat, extent)
    return positions[::-1]


def equal_groups(new: Shape, old: Shape) -> Iterator[tuple[range, range]]:
    """Runs of neighbouring dimensions of two shapes that hold equally many elements, smallest first."""
    i = j = 0
    while i < len(new) or j < len(old):
        start_i, start_j = i, j
        product_new = product_old = 1
        if i < len(new):
            product_new, i = new[i], i + 1
        if j < len(old):
            product_old, j = old[j], j + 1
        while product_new != product_old:
            if j == len(old) or (i < len(new) and nominal(product_new) < nominal(product_old)):
                product_new, i = product_new * new[i], i + 1
            else:
                product_old, j = product_old * old[j], j + 1
        yield range(start_i, i), range(start_j, j)
