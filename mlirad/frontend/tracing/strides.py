"""Strides that an array would have in memory: shapes and strides, as numbers alone.

row_major((2, 3))                             (3, 1)
strides_reshaped((2, 3), (3, 1), (6,))        (1,); `None` where it takes a copy, as for the strides (1, 2)

Unknown orders are errors, and only where they matter. A reshape copies or not depending on strides, and to
follow NumPy through every function would mean to know the order in which each lays out its result. Here
row-major stays row-major, and other orders are unknown; the only error is to write to the result of a reshape
of such an array, or to read that result after a write.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod

from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Shape

Strides = tuple[int, ...]
"""The number of elements by which neighbours along each dimension are apart in memory."""


def row_major(shape: Shape) -> Strides:
    """The strides of a contiguous array in row-major order."""
    return tuple(prod(shape[d + 1 :]) for d in range(len(shape)))


def column_major(shape: Shape) -> Strides:
    """The strides of a contiguous array in column-major order."""
    return row_major(shape[::-1])[::-1]


def is_laid_out(shape: Shape, strides: Strides, wanted: Strides) -> bool:
    """Return whether elements lie as they would with the wanted strides."""
    steps = zip(strides, wanted, shape, strict=True)
    return not prod(shape) or all(own == step or e == 1 for own, step, e in steps)


def is_descending(shape: Shape, strides: Strides) -> bool:
    """Return whether no dimension has larger steps than those in front of it."""
    steps = [abs(s) for s, e in zip(strides, shape, strict=True) if s != 0 and not (is_static(e) and e <= 1)]
    return all(a >= b for a, b in pairwise(steps))


def strides_reshaped(shape: Shape, strides: Strides, new: Shape) -> Strides | None:
    """The strides of the same memory in another shape, `None` if it takes a copy, as NumPy finds it out.

    Both shapes are cut into groups of equal sizes; within a group of the old one, each dimension must begin
    where the next ones end.
    """
    if not prod(shape):
        return row_major(new)
    old = [(e, s) for e, s in zip(shape, strides, strict=True) if e != 1]
    wanted = [e for e in new if e != 1]
    found: list[int] = []
    i = j = 0
    while i < len(old) and j < len(wanted):
        last_old, last_new = i + 1, j + 1
        size_old, size_new = old[i][0], wanted[j]
        while size_old != size_new:
            if size_new < size_old:
                size_new *= wanted[last_new]
                last_new += 1
            else:
                size_old *= old[last_old][0]
                last_old += 1
        if any(old[k][1] != old[k + 1][1] * old[k + 1][0] for k in range(i, last_old - 1)):
            return None
        inner = old[last_old - 1][1]
        found += [inner * prod(wanted[k + 1 : last_new]) for k in range(j, last_new)]
        i, j = last_old, last_new
    steps = iter(found)
    return tuple(1 if e == 1 else next(steps) for e in new)
