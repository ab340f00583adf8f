"""Selections of selections: a selection of a part of an array, as a selection of the array.

x[1:, ::2] and of that [i, 1]      -->  x[1 + i, 2], if i is inside of the part
"""

from __future__ import annotations

from types import EllipsisType
from typing import cast

import numpy as np
from xdsl.dialects.builtin import i1

from mlirad.dialects.array.elementwise import FloorDivOp, RemOp
from mlirad.dialects.shapes import Shape, Value
from mlirad.frontend.indexing.keys import Positions, Selection, Strided, Term
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.run_time_checks import check_position, from_start
from mlirad.frontend.tracing.strides import row_major
from mlirad.ir.arrays import ArrayBuilder


def whole(shape: Shape) -> Selection:
    """All of an array."""
    return Selection(shape, [Strided(0, 1, e) for e in shape], list(range(len(shape))))


def composed(outer: Selection, inner: Selection) -> Selection | None:
    """The selection `inner` of what the basic selection `outer` gives, as one selection.

    `None` if `inner` does more with a new dimension than to keep or drop it.
    """
    terms = list(outer.terms)
    for place, term in zip(outer.view, inner.terms, strict=True):
        if place is None:
            if isinstance(term, Array | np.ndarray) or (isinstance(term, Strided) and term.count != 1):
                return None
            continue
        assert isinstance(place, int)
        strided = terms[place]
        assert isinstance(strided, Strided)
        terms[place] = _through(strided, outer.shape[place], term)
    view = [p if p is None or isinstance(p, EllipsisType) else outer.view[p] for p in inner.view]
    return Selection(outer.shape, terms, view, inner.space)


def _through(strided: Strided, extent: int, term: Term) -> Term:
    """A term on what `strided` leaves of a dimension, as a term on the dimension."""
    if strided.is_all(extent):
        return term
    if isinstance(term, Strided):
        return Strided(strided.start + strided.step * term.start, strided.step * term.step, term.count)
    if isinstance(term, Array):
        return _traced_through(strided, extent, term)
    return strided.start + strided.step * term


def _traced_through(strided: Strided, extent: int, term: Array) -> Positions:
    """The same for traced positions; what is outside of the part is outside of the dimension, too."""
    b = emitting()
    value = wrapped(b, term, strided.count)
    inside = b.inside([value], [strided.count])
    moved = b.add(b.mul(value, b.splat(strided.step, value.type)), b.splat(strided.start, value.type))
    return made(b.select(inside, moved, b.splat(extent, value.type)))


def unraveled(shape: Shape, selection: Selection) -> Selection | None:
    """The selection of one element of an array, as one of the array of shape `shape` with the same elements.

    `None` if more is selected.
    """
    terms = selection.terms
    if not all(isinstance(t, int) or (isinstance(t, Array) and not t.ndim) for t in terms):
        return None
    steps = zip(terms, selection.shape, row_major(selection.shape), strict=True)
    if all(isinstance(t, int) for t in terms):
        place = sum(t * step for t, _, step in steps if isinstance(t, int))
        return Selection(shape, [int(i) for i in np.unravel_index(place, shape)], list(selection.view))
    b = emitting()
    flat, inside = b.index_constant(0), b.constant(True, i1)
    for term, extent, step in steps:
        value = b.index_constant(term) if isinstance(term, int) else wrapped(b, cast(Array, term), extent)
        inside = b.logical_and(inside, b.inside([value], [extent]))
        flat = b.add(flat, b.mul(value, b.index_constant(step)))
    found: list[Term] = []
    for extent, step in zip(shape, row_major(shape), strict=True):
        place = b.binary(FloorDivOp, flat, b.index_constant(step))
        rest = b.binary(RemOp, place, b.index_constant(extent)) if found else place
        found.append(made(b.select(inside, rest, b.index_constant(extent))))
    return Selection(shape, found, list(selection.view))


def wrapped(b: ArrayBuilder, term: Array, extent: int) -> Value:
    """Traced positions, negative ones counted from the end; they are checked if the program is to do so."""
    value = term.value
    check_position(value, extent, counts_from_end=True)
    return from_start(b, value, extent)
