"""Updates at arrays of positions that may collide, one position after the other, as by `np.multiply.at`.

x = [1, 2, 3], positions [0, 0], values [5, 7], product      -->  [35, 2, 3]
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from types import EllipsisType
from typing import Any

import numpy as np

from mlirad.dialects.shapes import Value
from mlirad.frontend.constructs.loops import fori_loop
from mlirad.frontend.indexing.keys import Selection, Strided, Term
from mlirad.frontend.indexing.reads import read_value
from mlirad.frontend.indexing.updates import expanded_view, updated_value
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, broadcast_array, converted, xp
from mlirad.ir.arrays import ArrayBuilder

Combine = Callable[[ArrayBuilder, Value, Value], Value]


def may_collide(selection: Selection) -> bool:
    """Return whether two positions could be the same."""
    terms = [t for t in selection.terms if isinstance(t, Array | np.ndarray)]
    if prod(selection.space) < 2:
        return False
    known = [t for t in terms if isinstance(t, np.ndarray)]
    if len(known) < len(terms):
        return True
    places = np.stack([np.broadcast_to(t, selection.space).ravel() for t in known], axis=1)
    return len(np.unique(places, axis=0)) < len(places)


def one_by_one(x: Array, selection: Selection, new: Value, combine: Combine) -> Array:
    """`x` with each selected element combined with its value in `new`, one position after the other."""
    count = prod(selection.space)
    parts = expanded_view(selection)
    spread = [k for k, part in enumerate(parts) if isinstance(part, EllipsisType)]
    others = [k for k in range(len(parts)) if k not in spread]
    b = emitting()
    moved = b.transpose(new, [*spread, *others])
    shape = selection.result_shape
    values = made(b.reshape(moved, (count, *(shape[k] for k in others))))
    positions = {
        d: xp.ravel(broadcast_array(converted(as_array(t), np.int64), selection.space))
        for d, t in enumerate(selection.terms)
        if not isinstance(t, Strided)
    }

    def step(k: Any, y: Any) -> Array:
        terms: list[Term] = [
            t if isinstance(t, Strided) else positions[d][k] for d, t in enumerate(selection.terms)
        ]
        one = Selection(selection.shape, terms, [parts[n] for n in others])
        inner = emitting()
        combined = combine(inner, read_value(y.value, one), values[k].value)
        return made(updated_value(y.value, one, combined, "set"))

    return fori_loop(0, count, step, x)
