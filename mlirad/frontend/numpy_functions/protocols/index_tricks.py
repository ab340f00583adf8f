"""`np.r_` and `np.c_` of traced values: arrays, numbers and ranges, joined along an axis.

    np.r_[x, 0.0, 1:4]          np.c_[x, y]          np.r_["0,2", x, y]

A directive in front, "axis,ndim,place", says along which axis, of at least how many dimensions, and where the
dimensions of a smaller array lie among these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from mlirad.frontend.numpy_functions.calls.results import all_ordered, as_copies
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import is_complex
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.operations import as_array, contains_traced, operand_of, xp
from mlirad.frontend.tracing.raising import argument_error, tracing_error, unsupported_error


def _getitem(own: Any, plain: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`np.r_[key]` or `np.c_[key]`: traced if an item is, else NumPy's."""
    key: Any = args[0] if args else None
    items = cast("tuple[Any, ...]", key) if isinstance(key, tuple) else (key,)
    ranges = [cast("slice[Any, Any, Any]", item) for item in items if isinstance(item, slice)]
    if contains_traced([[r.start, r.stop, r.step] for r in ranges]):
        raise tracing_error(
            "the length of a range in np.r_ would depend on elements",
            "bounds are static: list the arguments that they come from in static_argnames",
        )
    if not contains_traced(list(items)):
        return plain(*args, **kwargs)
    axis, rank, place = own.axis, own.ndmin, own.trans1d
    if isinstance(items[0], str):
        axis, rank, place = _directive(items[0], axis, rank, place)
        items = items[1:]
    parts = [_part(item, rank, place) for item in items]
    dtype = np.result_type(*map(_example, parts))
    own_dtype = None if dtype.kind == "c" else dtype
    arrays = [as_array(part, own_dtype) if _is_weak(part) else part for part in parts]
    return as_copies(xp.concatenate([_raised(x, rank) for x in arrays], axis=axis), all_ordered(items))


def _directive(text: str, axis: int, rank: int, place: int) -> tuple[int, int, int]:
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2, 3):
        raise (unsupported_error if text in ("r", "c") else argument_error)(
            f"np.r_[{text!r}, ...] of traced values", 'directives are numbers: np.r_["axis,ndim,place", x, y]'
        )
    known = (axis, rank, place)
    return cast("tuple[int, int, int]", (*numbers, *known[len(numbers) :]))


def _part(item: Any, rank: int, place: int) -> Any:
    """An array or a number; arrays of fewer dimensions with those that they lack."""
    if isinstance(item, slice):
        found: Any = np.r_[item]
    elif isinstance(item, str):
        raise argument_error(f"np.r_: {item!r} is not in front", "a directive is the first entry")
    else:
        found = _operand(item)
    if _is_weak(found):
        return found
    given = found.ndim
    found = _raised(found, rank)
    if place == -1 or given >= rank:
        return found
    missing = rank - given
    start = place if place >= 0 else place + missing + 1
    order = list(range(rank))
    return xp.transpose(found, order[:start] + order[missing:] + order[start:missing])


def _operand(item: Any) -> Any:
    if contains_traced(item):
        return real_or_complex(item)
    return np.asarray(item) if is_complex(item) else operand_of(item)


def _raised(x: Any, rank: int) -> Any:
    return x if x.ndim >= rank else xp.reshape(x, (1,) * (rank - x.ndim) + x.shape)


def _is_weak(part: Any) -> bool:
    """Return whether a part has no dtype of its own."""
    return part.weak if isinstance(part, Array) else not hasattr(part, "dtype")


def _example(part: Any) -> Any:
    """Return what promotes as a part does: its dtype, or a Python scalar."""
    if not _is_weak(part):
        return part.dtype
    return {"b": False, "i": 0, "f": 0.0}[part.dtype.kind] if isinstance(part, Array) else part


INDEX_TRICKS = {"r_": _getitem, "c_": _getitem}
"""The meaning of an index of such an object, by its name in NumPy."""
