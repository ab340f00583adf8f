"""Arrays that are as long as a traced mask has elements: they are selections by it, as `x[mask]` is.

np.ones(len(x[m]))         ones where m holds
np.zeros((m.sum(), 2))     rows of zeros there
np.arange(m.sum())         the numbers of the elements among those that are chosen
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final, cast

import numpy as np
from xdsl.ir import Operation

from mlirad.dialects.array.elementwise.others import ConvertOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.reductions import SumOp
from mlirad.dialects.shapes import shape_of
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import BOOL, language_dtype
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, broadcast_array, converted, xp


def mask_of(count: Any) -> Array | None:
    """The mask, as a vector, whose elements a traced number counts; `None` for any other number."""
    if not isinstance(count, Array) or count.ndim or count.dtype.kind != "i":
        return None
    total: Operation | Any = count.value.owner
    if not isinstance(total, SumOp):
        return None
    numbers: Operation | Any = total.operands[0].owner
    if not isinstance(numbers, ConvertOp) or numpy_dtype(numbers.operands[0].type) != BOOL:
        return None
    mask = numbers.operands[0]
    return made(emitting().reshape(mask, (prod(shape_of(mask)),)))


def of_counts(name: str, args: Sequence[Any], options: dict[str, Any]) -> MaskedElements | None:
    """The result of a creation function whose shape has the count of a mask; `None` for other shapes."""
    extents = _extents(args[0]) if args else []
    masks = {dim: mask_of(extent) for dim, extent in enumerate(extents) if isinstance(extent, Array)}
    if len(masks) != 1:
        return None
    dim, mask = next(iter(masks.items()))
    if mask is None:
        return None
    extents[dim] = mask.shape[0]
    return MaskedElements(_MAKERS[name](mask, tuple(extents), *args[1:], **options), mask, dim)


def _extents(shape: Any) -> list[Any]:
    return [*cast("list[Any]", shape)] if isinstance(shape, tuple | list) else [shape]


def _constant(value: float) -> Callable[..., Array]:
    def make(mask: Array, shape: tuple[int, ...], dtype: Any = float, order: Any = "C") -> Array:
        return _full(mask, shape, value, dtype, order)

    return make


def _full(mask: Array, shape: tuple[int, ...], fill_value: Any, dtype: Any = None, order: Any = "C") -> Array:
    one = as_array(fill_value)
    one = converted(one, one.dtype if dtype is None else language_dtype(dtype))
    return xp.copy(broadcast_array(one, shape))


def _arange(mask: Array, shape: tuple[int, ...], *, dtype: Any = None) -> Array:
    numbers = xp.cumsum(mask) - 1
    return numbers if dtype is None else converted(numbers, language_dtype(dtype))


_MAKERS: Final[dict[str, Callable[..., Array]]] = {
    "zeros": _constant(0.0),
    "ones": _constant(1.0),
    "empty": _constant(0.0),
    "full": _full,
    "arange": _arange,
}
"""The maker of all elements, from the mask and their shape, by the name of NumPy's function."""


def counting(own: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes arrays of shapes, which may have the count of a traced mask."""

    @functools.wraps(own)
    def called(*args: Any, **options: Any) -> Any:
        found = of_counts(own.__name__, args, options) if any(map(_holds_array, args[:1])) else None
        return own(*args, **options) if found is None else found

    return called


def _holds_array(shape: Any) -> bool:
    return any(isinstance(extent, Array) for extent in _extents(shape))


COUNTING: Final = (np.zeros, np.ones, np.empty, np.full, np.arange)
"""The functions that make such arrays."""
