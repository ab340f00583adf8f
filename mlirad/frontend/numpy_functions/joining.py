"""Functions of several arrays: stacking and concatenating them, and cutting them apart again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlirad.errors import ShapeError
from mlirad.frontend.frames import emitting
from mlirad.frontend.numpy_functions.axes import one_axis
from mlirad.frontend.numpy_functions.shapes import (
    broadcast_arrays,
    ravel,
    reshape,
    swapaxes,
)
from mlirad.frontend.operations import (
    as_array,
    check_equal_shapes,
    common,
    made,
    operand_of,
)
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array
from mlirad.frontend.views import copied


def concatenate(
    arrays: Sequence[Any], /, axis: Any = 0, out: None = None, *, dtype: Any = None, casting: Any = None
) -> Array:
    """`np.concatenate`."""
    parts = common([operand_of(a) for a in arrays])
    if not parts:
        raise ShapeError("need at least one array to concatenate", location=user_line())
    if axis is None:
        parts, axis = [ravel(p) for p in parts], 0
    dim = one_axis(axis, parts[0].ndim)
    check_equal_shapes(
        [(*p.shape[:dim], *p.shape[dim + 1 :]) for p in parts], "concatenated arrays (but for the axis)"
    )
    return made(emitting().concatenate([p.value for p in parts], dim))


def stack(
    arrays: Sequence[Any], axis: Any = 0, out: None = None, *, dtype: Any = None, casting: Any = None
) -> Array:
    """`np.stack`."""
    parts = common([operand_of(a) for a in arrays])
    if not parts:
        raise ShapeError("need at least one array to stack", location=user_line())
    check_equal_shapes([p.shape for p in parts], "stacked arrays")
    dim = one_axis(axis, parts[0].ndim + 1)
    return made(emitting().stack([p.value for p in parts], dim))


def _at_least(rank: int) -> Callable[..., Any]:
    def raise_rank(*arys: Any) -> Any:
        raised = [_padded_rank(as_array(a), rank) for a in arys]
        return raised[0] if len(raised) == 1 else tuple(raised)

    return raise_rank


def _padded_rank(x: Array, rank: int) -> Array:
    if x.ndim >= rank:
        return x
    if rank == 3 and x.ndim == 2:
        return reshape(x, (*x.shape, 1))
    if rank == 3 and x.ndim == 1:
        return reshape(x, (1, *x.shape, 1))
    return reshape(x, (*[1] * (rank - x.ndim), *x.shape))


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2), _at_least(3)


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: Any = None) -> Array:
    """`np.hstack`."""
    parts = [atleast_1d(a) for a in tup]
    return concatenate(parts, axis=0 if parts and parts[0].ndim == 1 else 1)


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: Any = None) -> Array:
    """`np.vstack`."""
    return concatenate([atleast_2d(a) for a in tup], axis=0)


def dstack(tup: Sequence[Any]) -> Array:
    """`np.dstack`."""
    return concatenate([atleast_3d(a) for a in tup], axis=2)


def append(arr: Any, values: Any, axis: Any = None) -> Array:
    """`np.append`."""
    return concatenate([as_array(arr), as_array(values)], axis=axis)


def column_stack(tup: Sequence[Any]) -> Array:
    """`np.column_stack`."""
    arrays = [as_array(a) for a in tup]
    return concatenate([reshape(a, (-1, 1)) if a.ndim < 2 else a for a in arrays], axis=1)


def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Array]:
    """`np.split` at static places, or into equal parts."""
    x = as_array(ary)
    dim = one_axis(axis, x.ndim)
    extent = x.shape[dim]
    if isinstance(indices_or_sections, int) and extent % indices_or_sections:
        raise ShapeError(
            f"cannot split {extent} elements into {indices_or_sections} equal parts", location=user_line()
        )
    return array_split(x, indices_or_sections, dim)


def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Array]:
    """`np.array_split`."""
    x = as_array(ary)
    dim = one_axis(axis, x.ndim)
    pieces = np.array_split(np.arange(x.shape[dim]), indices_or_sections)
    keys = [slice(int(p[0]), int(p[-1]) + 1) if p.size else slice(0, 0) for p in pieces]
    return [x[(*[slice(None)] * dim, key)] for key in keys]


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Array, ...]:
    """`np.meshgrid`."""
    arrays = [ravel(as_array(x)) for x in xi]
    lines = [reshape(x, [-1 if d == k else 1 for d in range(len(arrays))]) for k, x in enumerate(arrays)]
    if indexing == "xy" and len(lines) > 1:
        lines = [swapaxes(line, 0, 1) for line in lines]
    grids = tuple(lines) if sparse else broadcast_arrays(*lines)
    return tuple(copied(g) for g in grids) if copy else grids


def hsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """`np.hsplit`."""
    return split(ary, indices_or_sections, 0 if np.ndim(ary) == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """`np.vsplit`."""
    return split(ary, indices_or_sections, 0)


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.concatenate: concatenate,
    np.stack: stack,
    np.hstack: hstack,
    np.vstack: vstack,
    np.dstack: dstack,
    np.append: append,
    np.column_stack: column_stack,
    np.atleast_1d: atleast_1d,
    np.atleast_2d: atleast_2d,
    np.atleast_3d: atleast_3d,
    np.split: split,
    np.vsplit: vsplit,
    np.hsplit: hsplit,
    np.array_split: array_split,
    np.meshgrid: meshgrid,
}
"""What this file traces."""
