"""Functions of keys as users call them, and the words and numbers between 0 and 1 that they are made of.

    @draw                                   a function of the language, compiled where it is called outside
    def normal(key, shape=(), dtype=...)    of a trace; parameters that are no `Numbers` are static

A key is two words, an int32 array of shape (2,). Word number i of stream s is `threefry(key, (s, i))`. Every
purpose has streams of its own, so that a key which was split by mistake and used as well gives unrelated
numbers.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from math import prod
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import MAX_RANK, Shape
from mlirad.frontend.interface import asarray, build, jit
from mlirad.frontend.tracing.argument_kinds import checked_integer
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import dtype_error, shape_error
from mlirad.frontend.tracing.shapes import one_axis, static_shape
from mlirad.random.threefry import shifted, threefry

Numbers: TypeAlias = Any
"""An array, or anything that NumPy takes for one, a traced one included."""

WORD: Final = 32
"""Bits of a word."""

P = ParamSpec("P")
R = TypeVar("R")


def draw(function: Callable[P, R], population: str | None = None) -> Callable[P, R]:
    """A function of keys as users call it.

    `population` names a parameter that is an array, or an integer for the numbers below it.
    """
    parameters = inspect.signature(function).parameters
    static = tuple(name for name, p in parameters.items() if not str(p.annotation).startswith("Numbers"))
    program: Any = jit(function, static_argnames=static)

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        return program(*map(_hashable, args), **{k: _hashable(v) for k, v in options.items()})

    if population is None:
        return call
    place = list(parameters).index(population)
    of_integer: Any = jit(function, static_argnames=(*static, population))

    @functools.wraps(function)
    def call_of(*args: P.args, **options: P.kwargs) -> R:
        given = args[place] if place < len(args) else options.get(population)
        if not isinstance(given, int):
            return call(*args, **options)
        return of_integer(*map(_hashable, args), **{k: _hashable(v) for k, v in options.items()})

    return call_of


def _hashable(value: Any) -> Any:
    """A value as a static argument can be: a list of integers as a tuple."""
    parts = cast("list[Any]", value) if isinstance(value, list) else None
    return tuple(parts) if parts is not None and all(isinstance(v, int) for v in parts) else cast(Any, value)


def checked_key(key: Numbers) -> tuple[Any, Any]:
    """The two words of a key."""
    words = asarray(key)
    if words.dtype != np.int32 or words.shape != (2,):
        raise dtype_error(
            f"the key is an array {words.dtype}{list(words.shape)}, and a key is int32[2]",
            "make one with ad.random.key(seed), and new ones with ad.random.split(key)",
        )
    return words[0], words[1]


def checked_dtype(dtype: npt.DTypeLike, *allowed: type[np.generic]) -> Any:
    """One of some dtypes."""
    hint = f"use {' or '.join(f'np.{one.__name__}' for one in allowed)}"
    try:
        found: Any = np.dtype(dtype)
    except TypeError:
        raise dtype_error(f"{repr(dtype)[:60]} is not a dtype", hint) from None
    if found not in allowed:
        raise dtype_error(f"a draw of the dtype {found}", hint)
    return found


def checked_float(dtype: npt.DTypeLike) -> Any:
    """A float dtype of the language."""
    return checked_dtype(dtype, np.float64, np.float32)


def checked_axis(axis: Any, what: str, rank: int) -> int:
    """An axis as a dimension of an array of the given rank."""
    return one_axis(checked_integer(axis, what, -MAX_RANK, "write axis=-1"), rank)


def checked_shape(shape: Any) -> Shape:
    """A shape given as an integer or a sequence of them, none of them negative."""
    extents = static_shape(shape)
    if any(extent < 0 for extent in extents):
        raise shape_error(f"the shape {shape} has a negative extent", "sizes are 0 or more")
    return extents


def broadcast_shape(shape: Any, what: str, *parameters: Numbers) -> Shape:
    """The shape of a draw: the one asked for, which the parameters broadcast to, or their common shape."""
    shapes = [np.shape(p) for p in parameters]
    wanted = None if shape is None else checked_shape(shape)
    try:
        common = np.broadcast_shapes(*shapes, *(() if wanted is None else (wanted,)))
    except ValueError:
        common = None
    if common is None or (wanted is not None and common != wanted):
        shown = " and ".join(str(list(s)) for s in shapes)
        suffix = "" if wanted is None else f" for a draw of shape {list(wanted)}"
        raise shape_error(f"{what} of shape {shown}{suffix}", "give shapes that broadcast")
    return common


def _itself(index: Numbers) -> Numbers:
    return index


def words(key: Numbers, shape: Shape, stream: int) -> tuple[Any, Any]:
    """Two words for every element of an array, out of a stream of a key."""
    size = prod(shape)
    if is_static(size) and size >= 1 << WORD:
        raise shape_error(
            f"a draw of {size} elements from one key", "split the key, and draw fewer from each"
        )
    place = build((size,), _itself).astype(np.int32)
    x, y = threefry(checked_key(key), (np.int32(stream), place))
    return xp.reshape(x, shape), xp.reshape(y, shape)


def unit(key: Numbers, shape: Shape, dtype: Any, stream: int = 0) -> Any:
    """Floats above 0 and below 1: the middles of 2**52 equal intervals, of 2**23 in float32."""
    x, y = words(key, shape, stream)
    if dtype == np.float32:
        return (shifted(x, 9).astype(np.float32) + np.float32(0.5)) * np.float32(2.0**-23)
    return (shifted(x, 6) * 2.0**26 + shifted(y, 6) + 0.5) * 2.0**-52


def fraction(key: Numbers, shape: Shape, dtype: Any, stream: int = 0) -> Any:
    """Floats from 0 on and below 1: multiples of 2**-53, of 2**-24 in float32."""
    x, y = words(key, shape, stream)
    if dtype == np.float32:
        return shifted(x, 8).astype(np.float32) * np.float32(2.0**-24)
    return (shifted(x, 5) * 2.0**26 + shifted(y, 6)) * 2.0**-53
