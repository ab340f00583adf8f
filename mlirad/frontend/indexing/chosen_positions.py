"""`x[np.where(mask)]` for a traced mask: positions whose number is not known while tracing.

    rows, columns = np.where(M > 0)        all positions of M, and which of them count
    M[rows, columns].sum()                 the elements there; the same ones count
    x[np.nonzero(x < 0)[0]] = 0            written where positions count, outside of x elsewhere

Such positions are a `MaskedElements`, as are the elements that they select.
"""

from __future__ import annotations

from math import prod
from typing import Any, cast

import numpy as np

from mlirad.frontend.indexing.keys import items_of
from mlirad.frontend.indexing.masks import MaskedElements, require_same
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.raising import position_error, tracing_error


def positions_of(mask: Array) -> tuple[MaskedElements, ...]:
    """The positions at which a mask holds, in row-major order, one array for each dimension."""
    b = emitting()
    shape = mask.shape
    flat = made(b.reshape(mask.value, (prod(shape),)))
    lines = [made(b.reshape(b.iota(shape, d), (prod(shape),))) for d in range(len(shape))]
    return tuple(MaskedElements(line, flat, 0) for line in lines)


def chosen_of(key: Any) -> MaskedElements:
    """The first positions in a key that a traced mask decides; the key has some.

    Raises `TracingError` or `PositionError` for what cannot stand beside it.
    """
    items = items_of(key)
    found = [item for item in items if isinstance(item, MaskedElements)]
    first, *others = found
    for other in others:
        require_same(first, other)
    for item in found:
        if item.dtype.kind != "i":
            raise position_error(
                f"positions must be integers, got {item!r}", "convert them: x.astype(np.int64)"
            )
    for item in (i for i in items if not isinstance(i, MaskedElements)):
        if isinstance(item, Array | np.ndarray | list | tuple) and np.ndim(cast("Any", item)):
            raise tracing_error(
                f"an array of positions stands beside {first!r}, whose length depends on a traced mask",
                "index in two steps: x[i][np.where(mask)]",
            )
    return first


def key_at(key: Any, otherwise: int) -> Any:
    """A key with all positions in it, those that do not count being `otherwise`."""
    items = tuple(_all_positions(item, otherwise) for item in items_of(key))
    return items if isinstance(key, tuple) else items[0]


def _all_positions(item: Any, otherwise: int) -> Any:
    if not isinstance(item, MaskedElements):
        return item
    b = emitting()
    elements = item.elements
    counts = b.broadcast(item.mask.value, elements.shape, (item.dim,))
    return made(b.select(counts, elements.value, b.splat(otherwise, elements.value.type)))
