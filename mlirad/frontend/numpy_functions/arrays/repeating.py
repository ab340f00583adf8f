"""Functions that take elements of one array by position, or several times: `take`, `roll`, `repeat`, `tile`.

np.repeat(x, 2)       x[[0, 0, 1, 1, ...]]
"""

from __future__ import annotations

from math import prod

import numpy as np

from mlirad.dialects.extents import is_static
from mlirad.frontend.numpy_functions.arrays.shapes import along, checked_extents, ravel, reshape
from mlirad.frontend.numpy_functions.calls.parameters import (
    ArrayLike,
    Axis,
    AxisList,
    Ints,
    Numbers,
    Outside,
    PositionsLike,
    ShapeLike,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import broadcast_array, converted, positions, xp
from mlirad.frontend.tracing.raising import position_error, shape_error
from mlirad.frontend.tracing.shapes import listed, one_axis


def roll(a: ArrayLike, shift: Ints, axis: AxisList | None = None) -> Array:
    """`np.roll` by static distances."""
    if axis is None:
        return reshape(roll(ravel(a), shift, 0), a.shape)
    shifts, axes = listed(shift), listed(axis)
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise shape_error(
            f"{len(shifts)} distances do not fit {len(axes)} axes",
            "give one distance for each axis, or one for all",
        )
    if not shifts or not axes:
        raise shape_error("np.roll needs a distance and an axis", "axis=None rolls all")
    count = max(len(shifts), len(axes))
    for k in range(count):
        distance, dim = shifts[k % len(shifts)], one_axis(axes[k % len(axes)], a.ndim)
        extent = a.shape[dim]
        cut = -distance % extent if extent != 0 else 0
        if cut != 0:
            before, after = [slice(None)] * a.ndim, [slice(None)] * a.ndim
            before[dim], after[dim] = slice(cut, None), slice(None, cut)
            parts = [a[tuple(before)].value, a[tuple(after)].value]
            a = made(emitting().concatenate(parts, dim), weak=a.weak)
    return a


def take(a: ArrayLike, indices: PositionsLike, axis: Axis | None = None, *, mode: Outside = "raise") -> Array:
    """`np.take`; traced positions outside the array read 0."""
    a, dim = along(a, axis, takes_scalars=True)
    positions = converted(indices, np.int64) if isinstance(indices, Array) else indices.astype(np.int64)
    extent = a.shape[dim]
    if not extent and positions.size:
        raise position_error(
            f"cannot take elements of the empty dimension {dim} of shape {a.shape}",
            "test the extent, which is static, before the call",
        )
    if mode == "wrap":
        positions = xp.remainder(positions, max(extent, 1))
    elif mode == "clip":
        positions = xp.clip(positions, 0, max(extent - 1, 0))
    return a[(*[slice(None)] * dim, positions)]


def repeat(a: ArrayLike, repeats: Numbers, axis: Axis | None = None) -> Array:
    """`np.repeat` a static number of times."""
    a, dim = along(a, axis, takes_scalars=True)
    if repeats.dtype.kind not in "ib" or (repeats.size and a.shape[dim] and repeats.min() < 0):
        raise shape_error(
            f"elements are repeated a whole number of times, got {repeats.tolist()}",
            "pass integers from 0 on",
        )
    if repeats.ndim > 1 or (repeats.ndim and repeats.size not in (1, a.shape[dim])):
        raise shape_error(
            f"{repeats.size} repeats for {a.shape[dim]} elements",
            "give one number for each element, or one for all",
        )
    if not is_static(a.shape[dim]) and repeats.size == 1:
        return take(a, xp.floor_divide(positions(a.shape[dim] * int(repeats)), int(repeats)), dim)
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
    return reshape(take(a, positions(prod(extents)) % a.size), extents)


FUNCTIONS = tracings(roll, take, repeat, tile, resize)
"""The functions that this file traces."""
