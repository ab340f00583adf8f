"""Functions that take elements of one array by position, or several times: `take`, `roll`, `repeat`, `tile`.

np.repeat(x, 2)       x[[0, 0, 1, 1, ...]]
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Literal

import numpy as np

from mlirad.errors import ShapeError
from mlirad.frontend.numpy_functions.parameters import (
    ArrayLike,
    Axis,
    AxisList,
    Ints,
    Numbers,
    PositionsLike,
    ShapeLike,
)
from mlirad.frontend.numpy_functions.shapes import checked_extents, ravel, reshape
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import broadcast_array, converted, xp
from mlirad.frontend.tracing.shapes import listed, one_axis
from mlirad.frontend.tracing.source import user_line


def roll(a: ArrayLike, shift: Ints, axis: AxisList | None = None) -> Array:
    """`np.roll` by static distances."""
    if axis is None:
        return reshape(roll(ravel(a), shift, 0), a.shape)
    shifts, axes = listed(shift), listed(axis)
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ShapeError(
            f"{len(shifts)} distances do not fit {len(axes)} axes",
            location=user_line(),
            hint="give one distance for each axis, or one for all",
        )
    if not shifts or not axes:
        raise ShapeError(
            "np.roll needs a distance and an axis", location=user_line(), hint="axis=None rolls all"
        )
    count = max(len(shifts), len(axes))
    for k in range(count):
        distance, dim = shifts[k % len(shifts)], one_axis(axes[k % len(axes)], a.ndim)
        extent = a.shape[dim]
        cut = -distance % extent if extent else 0
        if cut:
            before, after = [slice(None)] * a.ndim, [slice(None)] * a.ndim
            before[dim], after[dim] = slice(cut, None), slice(None, cut)
            parts = [a[tuple(before)].value, a[tuple(after)].value]
            a = made(emitting().concatenate(parts, dim), weak=a.weak)
    return a


def take(
    a: ArrayLike,
    indices: PositionsLike,
    axis: Axis | None = None,
    *,
    mode: Literal["raise", "wrap", "clip"] = "raise",
) -> Array:
    """`np.take`; traced positions outside the array read 0."""
    if axis is None:
        a, axis = ravel(a), 0
    if not a.ndim:
        a = reshape(a, (1,))
    dim = one_axis(axis, a.ndim)
    positions = converted(indices, np.int64) if isinstance(indices, Array) else indices.astype(np.int64)
    extent = a.shape[dim]
    if not extent and positions.size:
        raise ShapeError(
            f"cannot take elements of the empty dimension {dim} of shape {a.shape}",
            location=user_line(),
            hint="test the extent, which is static, before the call",
        )
    if mode == "wrap":
        positions = xp.remainder(positions, max(extent, 1))
    elif mode == "clip":
        positions = xp.clip(positions, 0, max(extent - 1, 0))
    return a[(*[slice(None)] * dim, positions)]


def repeat(a: ArrayLike, repeats: Numbers, axis: Axis | None = None) -> Array:
    """`np.repeat` a static number of times."""
    if axis is None:
        a, axis = ravel(a), 0
    if not a.ndim:
        a = reshape(a, (1,))
    dim = one_axis(axis, a.ndim)
    if repeats.dtype.kind not in "ib" or (repeats.size and a.shape[dim] and repeats.min() < 0):
        raise ShapeError(
            f"elements are repeated a whole number of times, got {repeats.tolist()}",
            location=user_line(),
            hint="pass integers from 0 on",
        )
    if repeats.ndim > 1 or (repeats.ndim and repeats.size not in (1, a.shape[dim])):
        raise ShapeError(
            f"{repeats.size} repeats for {a.shape[dim]} elements",
            location=user_line(),
            hint="give one number for each element, or one for all",
        )
    return take(a, np.repeat(np.arange(a.shape[dim]), repeats), dim)


def tile(A: ArrayLike, reps: Ints) -> Array:
    """`np.tile`."""
    counts = checked_extents(tuple(listed(reps)))
    rank = max(A.ndim, len(counts))
    shape = (*[1] * (rank - A.ndim), *A.shape)
    counts = (*[1] * (rank - len(counts)), *counts)
    spread = [e for pair in zip(counts, shape, strict=True) for e in pair]
    split = [e for extent in shape for e in (1, extent)]
    repeated = broadcast_array(reshape(A, tuple(split)), tuple(spread))
    return reshape(repeated, tuple(c * e for c, e in zip(counts, shape, strict=True)))


def resize(a: ArrayLike, new_shape: ShapeLike) -> Array:
    """`np.resize`: the elements repeated as often as the shape needs."""
    extents = checked_extents(tuple(new_shape))
    if not a.size:
        return xp.zeros_like(a, shape=extents)
    return reshape(take(a, np.arange(prod(extents)) % a.size), extents)


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.roll: roll,
    np.take: take,
    np.repeat: repeat,
    np.tile: tile,
    np.resize: resize,
}
"""What this file traces."""
