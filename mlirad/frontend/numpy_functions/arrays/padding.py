"""`np.pad`: one dimension after the other, so that padding is itself padded in the corners."""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np

from mlirad.frontend.numpy_functions.arrays.repeating import take
from mlirad.frontend.numpy_functions.calls.parameters import ArrayLike, Numbers, OperandLike, Static
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import BOOL
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import Operand, as_array, converted, value_of, xp
from mlirad.frontend.tracing.raising import argument_error, dtype_error, shape_error, unsupported_error

Pair = tuple[Any, Any]
"""The settings for the places before a dimension, and for those after it."""

Mode = Literal[
    "constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "minimum", "mean", "median",
    "empty",
]  # fmt: skip

OPTION_OF: dict[str, str] = {
    "constant": "constant_values",
    "linear_ramp": "end_values",
    "reflect": "reflect_type",
    "symmetric": "reflect_type",
    "maximum": "stat_length",
    "minimum": "stat_length",
    "mean": "stat_length",
    "median": "stat_length",
}
"""The option that belongs to a mode."""


def pad(
    array: ArrayLike, pad_width: Static, mode: Mode = "constant", *,
    constant_values: OperandLike | None = None, end_values: OperandLike | None = None,
    stat_length: Numbers | None = None, reflect_type: Literal["even", "odd"] | None = None,
) -> Array:  # fmt: skip
    """`np.pad`, by every mode with defined values."""
    if mode == "empty":
        raise unsupported_error(
            "np.pad with mode='empty' would leave elements undefined", "write mode='constant'"
        )
    given = {
        "constant_values": constant_values,
        "end_values": end_values,
        "stat_length": stat_length,
        "reflect_type": reflect_type,
    }
    wrong = [o for o, v in given.items() if v is not None and OPTION_OF.get(mode) != o]
    if wrong:
        raise argument_error(
            f"np.pad: `{wrong[0]}` does not belong to the mode {mode!r}",
            "its modes are " + ", ".join(repr(m) for m, o in OPTION_OF.items() if o == wrong[0]),
        )
    widths = _widths(pad_width, array.ndim)
    values: Any = given.get(OPTION_OF.get(mode, ""))
    pairs: list[Pair] = _pairs(0 if values is None else values, array.ndim) if reflect_type is None else []
    x = array
    for dim, (low, high) in enumerate(widths):
        if mode in ("edge", "reflect", "symmetric", "wrap") and not x.shape[dim] and low + high:
            raise shape_error(
                f"np.pad: the empty dimension {dim} of shape {x.shape} has nothing to pad it with",
                "write mode='constant'",
            )
        match mode:
            case "constant" | "linear_ramp":
                make = _ramp if mode == "linear_ramp" else _constant
                x = make(x, dim, low, high, pairs[dim])
            case "reflect" | "symmetric" if reflect_type == "odd":
                x = _reflected_oddly(x, dim, low, high, mode)
            case "edge" | "reflect" | "symmetric" | "wrap":
                at = np.arange(x.shape[dim])
                around = np.pad(at, (low, high), mode)
                before, after = (_at(x, dim, part) for part in (around[:low], around[low + at.size :]))
                x = xp.concatenate([before, x, after], axis=dim) if low + high else x
            case _:
                x = _statistics(x, dim, low, high, mode, pairs[dim] if stat_length is not None else None)
    return x


def _at(x: Array, dim: int, positions: np.ndarray[Any, Any]) -> Array:
    """Return what is at positions of a dimension, by a slice where these are neighbours: its transpose is
    cheap.
    """

    def part(selected: slice) -> Array:
        return x[(*[slice(None)] * dim, selected)]

    steps = np.diff(positions)
    if positions.size and np.all(steps == 0):
        one = part(slice(positions[0], positions[0] + 1))
        return xp.broadcast_to(one, (*x.shape[:dim], positions.size, *x.shape[dim + 1 :]))
    if np.all(steps == 1):
        return part(slice(positions[0], positions[-1] + 1) if positions.size else slice(0, 0))
    if np.all(steps == -1):
        return xp.flip(part(slice(positions[-1], positions[0] + 1)), axis=dim)
    return take(x, positions, dim)


def padded(x: Array, low: int, high: int) -> Array:
    """A vector with zeros before and after it."""
    return _constant(x, 0, low, high, (0, 0))


def _widths(given: Any, rank: int) -> list[tuple[int, int]]:
    if isinstance(given, dict):
        widths = cast("dict[Any, Any]", given)
        listed: list[Any] = [(0, 0)] * rank
        for axis, width in widths.items():
            if not isinstance(axis, int) or not -rank <= axis < rank:
                raise argument_error(
                    f"np.pad: `pad_width` has no axis {axis!r} of an array of rank {rank}",
                    "its axes are numbered from 0",
                )
            listed[axis] = (width, width) if isinstance(width, int) else width
        given = listed
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "ib" and array.size:
            raise TypeError
        is_negative = bool(np.any(array < 0))
        pairs = np.broadcast_to(array, (rank, 2)).astype(np.int64).tolist()
    except (ValueError, TypeError):
        raise argument_error(
            f"np.pad: `pad_width` must be integers that fit (rank, 2), got {given!r}",
            f"for an array of rank {rank} write [(before, after)] * {rank}, (before, after) or a number",
        ) from None
    if is_negative:
        raise argument_error("np.pad: `pad_width` must not be negative", "cut with a slice: x[1:]")
    return [(low, high) for low, high in pairs]


def _pairs(values: Operand, rank: int) -> list[Pair]:
    """A pair per dimension, as NumPy broadcasts values to (rank, 2)."""
    found = as_array(values) if isinstance(values, Array) else np.asarray(values)
    try:
        spread = xp.broadcast_to(found, (rank, 2))
    except ValueError:
        raise shape_error(
            f"np.pad: values of shape {found.shape} do not fit ({rank}, 2), two for each axis",
            "write (before, after), or one number",
        ) from None
    return [(spread[d, 0], spread[d, 1]) for d in range(rank)]


def _constant(x: Array, dim: int, low: int, high: int, values: Pair) -> Array:
    b = emitting()
    zeros = [0] * x.ndim
    for before, value in ((True, values[0]), (False, values[1])):
        width = low if before else high
        if not width:
            continue
        widths = [width if d == dim else 0 for d in range(x.ndim)]
        fill = value_of(value if isinstance(value, Array) else np.asarray(value), x.dtype)
        lows, highs = (widths, zeros) if before else (zeros, widths)
        x = made(b.pad(x.value, fill, lows, highs, zeros), weak=x.weak)
    return x


def _edges(x: Array, dim: int) -> tuple[Array, Array]:
    return take(x, np.array([0]), dim), take(x, np.array([x.shape[dim] - 1]), dim)


def _ramp(x: Array, dim: int, low: int, high: int, values: Pair) -> Array:
    if not low + high:
        return x
    if not x.shape[dim]:
        raise shape_error(f"np.pad: the empty dimension {dim} has no edge", "write mode='constant'")
    first, last = _edges(x, dim)

    def ramp(end: Any, edge: Array, width: int) -> Array:
        start = converted(as_array(end), x.dtype) if isinstance(end, Array) else end
        steps = xp.linspace(
            start, xp.squeeze(edge, axis=dim), num=width, endpoint=False, dtype=x.dtype, axis=dim
        )
        return as_array(steps)

    before, after = ramp(values[0], first, low), xp.flip(ramp(values[1], last, high), axis=dim)
    return xp.concatenate([before, x, after], axis=dim)


def _reflected_oddly(x: Array, dim: int, low: int, high: int, mode: str) -> Array:
    """Reflections about the points at the edges. One reaches as far as whole periods of the array do."""
    if x.dtype == BOOL:
        raise dtype_error("np.pad: booleans have no odd reflection", "convert with .astype(int)")
    extent, offset = x.shape[dim], int(mode == "reflect")
    if extent == 1 and offset:  # there is nothing but the edge to reflect
        return take(x, np.zeros(extent + low + high, np.int64), dim)
    while low or high:
        length = x.shape[dim]
        period = extent - offset
        reach = (length - offset) // period * period
        before, after = min(low, reach), min(high, reach)
        first, last = _edges(x, dim)
        parts = [x]
        if before:
            at = np.arange(before)[::-1] + offset
            parts.insert(0, 2 * first - take(x, at, dim))
        if after:
            # NumPy fills the left side first, and the right side from what stands there then.
            at = length - 1 - offset - np.arange(after)
            parts.append(2 * last - take(x, at, dim))
        x = as_array(xp.concatenate(parts, axis=dim))
        low, high = low - before, high - after
    return x


def _statistics(x: Array, dim: int, low: int, high: int, mode: str, lengths: Pair | None) -> Array:
    if not low + high:
        return x
    extent = x.shape[dim]
    sides = [extent, extent] if lengths is None else [int(length) for length in lengths]
    if min(extent, *sides) < 1:
        raise argument_error(
            "np.pad: `stat_length` must be positive, and the dimension not empty", "write mode='constant'"
        )
    first, second = (min(side, extent) for side in sides)

    def fill(at: Any, width: int) -> Array:
        function = {"maximum": xp.max, "minimum": xp.min, "mean": xp.mean, "median": xp.median}[mode]
        found = function(take(x, at, dim), axis=dim, keepdims=True)
        if x.dtype.kind == "i" and found.dtype.kind == "f":
            found = xp.rint(found)
        return take(converted(found, x.dtype), np.zeros(width, np.int64), dim)

    before, after = fill(np.arange(first), low), fill(np.arange(extent - second, extent), high)
    return as_array(xp.concatenate([before, x, after], axis=dim))


FUNCTIONS = tracings(pad)
"""The functions that this file traces."""
