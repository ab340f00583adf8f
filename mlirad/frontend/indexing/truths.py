"""Static booleans in a key: each selects all or nothing along a dimension of extent 1 of its own.

x[True]      x[None][np.array([0])]             x[1, False]      x[1, None][np.zeros(0, int)]
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from mlirad.frontend.indexing.keys import items_of
from mlirad.frontend.indexing.views import reshaped
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import BOOL
from mlirad.frontend.tracing.operations import contains_traced


def without_truths(x: Array, key: Any) -> tuple[Array, Any]:
    """A view of `x` and a key without static booleans, which select what `key` selects of `x`."""
    items = items_of(key)
    for k, item in enumerate(items):
        if _is_truth(item):
            place = _dimensions(items[:k])
            if place is None:  # behind `...`: counted from the end
                place = x.ndim - (_dimensions(items[k + 1 :]) or 0)
            positions = np.zeros(1 if item else 0, np.int64)
            unit = reshaped(x, (*x.shape[:place], 1, *x.shape[place:]))
            return without_truths(unit, (*items[:k], positions, *items[k + 1 :]))
    return x, key


def _is_truth(item: Any) -> bool:
    if isinstance(item, np.ndarray):
        array = cast("np.ndarray[Any, Any]", item)
        return not array.ndim and array.dtype == BOOL
    return isinstance(item, bool | np.bool_)


def _dimensions(items: tuple[Any, ...]) -> int | None:
    """The number of dimensions that entries of a key select from; `None` if one is `...`."""
    count = 0
    for item in items:
        if item is ...:
            return None
        if item is None or _is_truth(item):
            continue
        count += mask.ndim if (mask := _mask_of(item)) is not None else 1
    return count


def _mask_of(item: Any) -> Any:
    """An entry of a key as a mask; `None` if it is not a mask."""
    if isinstance(item, list) and not contains_traced(cast(object, item)):
        item = np.asarray(cast(object, item))
    is_array = isinstance(item, Array | np.ndarray)
    return cast(Any, item) if is_array and cast(Array, item).dtype == BOOL else None
