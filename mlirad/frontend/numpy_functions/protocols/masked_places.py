"""Positions among the elements of `x[mask]` that count: single ones, parts, and those of extrema.

    x[mask][0]                the first element of x where the mask holds
    x[mask][-1], x[mask][k]   the last one, and that of a traced number
    x[mask][1:]               a selection by another mask, which leaves the first one out
    np.argmax(x[mask])        how many elements that count stand before the largest

A position that there is not raises an `IndexError` when the program runs, as it does in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.indexing.masks import MaskedElements, unknown_length
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.expected_errors import OF_POSITIONS, require_unexpected
from mlirad.frontend.tracing.operations import as_array, xp


def place_of(x: MaskedElements, position: Any) -> Array:
    """Return where the element of a position stands among all elements; negative ones count from the end."""
    require_unexpected(
        OF_POSITIONS,
        "a position among the elements that a traced mask chooses",
        "test it before: x[mask][0] if np.any(mask) else other",
    )
    count = xp.count_nonzero(x.mask)
    number = as_array(position)
    number = xp.where(number < 0, number + count, number)
    message = f"index {position} is out of bounds" if isinstance(position, int) else "index out of bounds"
    raise_where((number < 0) | (number >= count), IndexError(f"{message}: fewer elements are selected"))
    return xp.argmax(x.mask & (_numbers(x) == number))


def _numbers(x: MaskedElements) -> Array:
    """The numbers of the elements that count, at all places."""
    return xp.cumsum(x.mask) - 1


def cut(x: MaskedElements, part: slice) -> MaskedElements:
    """A part of a selection along its first dimension, which has to go forward by single steps."""
    if part.step not in (None, 1) or any(isinstance(bound, Array) for bound in (part.start, part.stop)):
        raise unknown_length("a part of it")
    count = xp.count_nonzero(x.mask)
    numbers, mask = _numbers(x), x.mask
    for bound, is_before in ((part.start, False), (part.stop, True)):
        if bound is not None:
            limit = bound if bound >= 0 else count + bound
            mask = mask & (numbers < limit if is_before else numbers >= limit)
    return MaskedElements(x.elements, mask, x.dim)


def length_of(x: MaskedElements) -> Any:
    """`len` of a selection: how many rows count, traced if the mask chooses among them."""
    return xp.count_nonzero(x.mask) if x.dim == 0 else x.elements.shape[0]


def in_front(x: MaskedElements) -> Any:
    """All rows of a selection along its first dimension, those that count in front, in their order."""
    return x.elements[xp.argsort(xp.logical_not(x.mask), kind="stable")]


def extreme_place(function: Callable[..., Any], x: MaskedElements) -> Array:
    """`np.argmax` or `np.argmin` of a vector: the number of the element among those that count."""
    elements = x.elements
    if x.dtype.kind == "c":
        raise unknown_length(f"np.{function.__name__} of complex numbers")
    if x.dtype.kind == "f":
        least = np.inf
    else:
        elements = elements.astype(np.int64)
        least = np.iinfo(np.int64).max
    worst = -least if function is np.argmax else least
    place = function(xp.where(x.mask, elements, worst))
    empty = ValueError(f"attempt to get {function.__name__} of an empty sequence")
    raise_where(xp.logical_not(xp.any(x.mask)), empty)
    return xp.where(x.mask[place], _numbers(x)[place], 0)
