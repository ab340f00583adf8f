"""Keys of values: what stands for a value in a cache, equal where a trace cannot tell two values apart.

    value_key(0.0) != value_key(-0.0)          value_key(float("nan")) == value_key(float("nan"))
    value_key(1), value_key(1.0), value_key(True), value_key(np.int64(1))      are all different

Python's own equality will not do: by it 0.0 is -0.0, 1 is True, and NaN is nothing, not even itself. Every
key of a cache that holds values given by users is made here or, for values that can change, in `captures.py`.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable, Sequence
from enum import Enum
from functools import cache
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any, Final, cast

import numpy as np

from mlirad.errors import with_article
from mlirad.frontend.tracing.captured_objects import derives, is_program_class
from mlirad.frontend.tracing.raising import unsupported_error


class Same:
    """An object that stands for itself alone, whatever it says about equality. It is kept alive."""

    __slots__ = ("value",)

    def __init__(self, value: object):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return f"Same({type(self.value).__name__})"


_EXACT: Final = frozenset((int, bool, str, bytes, type(None), type(...), type(NotImplemented)))
"""Types whose values equal only what is the same."""

_SEQUENCES: Final = frozenset((tuple, frozenset, slice, range))


MAX_DEPTH = 200
"""The depth to which tuples and their like may be nested."""


def value_key(value: object, depth: int = MAX_DEPTH) -> Hashable | None:
    """The key of a value that cannot change; `None` for an object that can, or that holds one.

    Raises `UnsupportedError` for tuples that are nested more than `depth` deep.
    """
    kind = cast("type[Any]", type(value))
    if kind in _EXACT:
        return kind, cast(Hashable, value)
    if kind is float:
        return float, struct.pack("<d", value)
    if kind is complex:
        return base_key(value)
    if kind.__module__ == "numpy" and derives(kind, np.generic):
        number: Any = value
        is_object = number.dtype.kind == "O"
        return None if is_object else (cast(Any, kind), number.dtype.str, number.tobytes())
    if issubclass(kind, np.dtype):
        dtype: Any = value
        return np.dtype, Same(dtype) if dtype.hasobject or dtype.metadata else dtype.str, str(dtype)
    if issubclass(kind, np.ufunc | CodeType) or (
        kind is BuiltinFunctionType and _is_of_module(cast(Any, value))
    ):
        return Same(value)
    if issubclass(kind, Enum):
        return None if is_program_class(kind) or not _is_plain_enum(kind) else Same(value)
    if kind in _SEQUENCES:
        return _sequence_key(kind, value, depth)
    if getattr(kind, "IS_VALUE", False) and kind.__module__.startswith("mlirad."):
        return cast(Hashable, value)
    return None


def base_key(value: object) -> Hashable | None:
    """The key of a number or string of a class derived from Python's, without what else it has."""
    kind = cast("type[Any]", type(value))
    number: Any = value
    if kind is bool:
        return None
    if issubclass(kind, np.generic):
        return np.generic, number.dtype.str, np.generic.tobytes(number)
    if issubclass(kind, float):
        return float, struct.pack("<d", float.__float__(number))
    if issubclass(kind, int):
        return int, int.__index__(number)
    if issubclass(kind, complex):
        plain = complex.__complex__(number)
        return complex, struct.pack("<dd", plain.real, plain.imag)
    if issubclass(kind, str):
        return str, str.__str__(number)
    return (bytes, bytes.hex(number)) if issubclass(kind, bytes) else None


def _sequence_key(kind: type[Any], value: Any, depth: int) -> Hashable | None:
    """The key of a tuple and its like, if all that it holds has one."""
    if depth == 0:
        raise unsupported_error(
            f"{with_article(kind.__name__)} that the function reads, or is given, is nested more than "
            f"{MAX_DEPTH} deep",
            "keep the values in an array, or in a tuple of one level",
        )
    if kind is slice:
        parts: Sequence[object] = (value.start, value.stop, value.step)
    elif kind is range:
        return range, value.start, value.stop, value.step
    else:
        parts = tuple(value)
    keys = [value_key(part, depth - 1) for part in parts]
    if any(key is None for key in keys):
        return None
    return kind, tuple(keys)


@cache
def _is_plain_enum(kind: type[Enum]) -> bool:
    """Return whether the members of a class are their names and values: nothing of it runs, and no value
    changes.
    """
    own = [part for base in kind.__mro__ for part in vars(base).values() if base.__module__ != "enum"]
    runs = any(
        isinstance(part, property | classmethod | staticmethod)
        or (isinstance(part, FunctionType) and part.__module__ != "enum")
        for part in own
    )
    return not runs and all(value_key(cast(object, member.value)) is not None for member in kind)


def _is_of_module(function: Any) -> bool:
    """Return whether a function in C belongs to a module, not to an object as `items.append` does."""
    owner = function.__self__
    return owner is None or isinstance(owner, type(struct))
