"""Values that are part of a structure: what no array can hold, such as a string, and static fields.

    flatten({"w": w, "rate": 0.1, "optimizer": "adam"})     leaves [0.1, w], structure with 'adam' in it

A program is compiled for each of them, and gives them back in results of the same structure. So what can
change its content is told apart by which object it is, and what users change in place is refused.

A string in a pytree is static. It could be an error, as in JAX, or need a name in `static_argnames`. But it
can mean only one thing, and a program per value is what such a name would give. Mutable values have no such
meaning: a program would keep an object whose content has changed.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from types import BuiltinFunctionType, EllipsisType, FunctionType, MethodType
from typing import Any, Final, cast

import numpy as np

from mlirad.errors import of_class
from mlirad.frontend.tracing.captures import static_key
from mlirad.frontend.tracing.open_traces import Traced
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.value_keys import Same, base_key, value_key


class Static:
    """The class of structures, `Tree.kind`, that are one value which stands for itself."""


_FUNCTIONS: Final = cast("tuple[type[Any], ...]", (
    FunctionType, MethodType, BuiltinFunctionType, functools.partial, np.ufunc, type(cast(Any, np.sum)),
))  # fmt: skip

_STATIC: Final = (
    str, bytes, Enum, np.dtype, type, slice, range, frozenset, EllipsisType, PurePath, datetime.date,
    datetime.timedelta,
)  # fmt: skip

_CHANGING: Final[tuple[type[Any], ...]] = (list, dict, set, bytearray, np.ndarray)


def is_static(value: object) -> bool:
    """Return whether a value stands for itself in a structure."""
    return isinstance(value, _STATIC) or is_function(value)


def is_function(value: object) -> bool:
    """Return whether a value that stands for itself is a function."""
    return isinstance(value, _FUNCTIONS) or (
        callable(value)
        and not isinstance(value, Traced)
        and hasattr(type(value), "CAPTURED")
        and type(value).__module__.startswith("mlirad.")
    )


def structure_key(value: object) -> Hashable:
    """The key of a value in a structure."""
    key = value_key(value)
    if key is not None:
        return key
    return static_key(value) if _is_fixed(value) else (static_key(value), Same(value))


def _is_fixed(value: object) -> bool:
    """Return whether two values of equal keys remain so: their content cannot change, or not that of one
    alone.
    """
    if isinstance(value, FunctionType):
        return not (value.__closure__ or value.__defaults__ or value.__kwdefaults__ or value.__dict__)
    if isinstance(value, tuple | frozenset):
        return all(map(_is_fixed, cast("tuple[object, ...]", value)))
    if is_dataclass(value) and not isinstance(value, type):
        is_frozen = cast(Any, type(value)).__dataclass_params__.frozen
        return is_frozen and all(_is_fixed(getattr(value, field.name)) for field in fields(value))
    return value_key(value) is not None or base_key(value) is not None


def require_unchanging(value: object, what: str) -> None:
    """Raise for a static field that holds what programs change in place."""
    if isinstance(value, tuple | frozenset):
        for part in cast("tuple[object, ...]", value):
            require_unchanging(part, what)
    elif isinstance(value, _CHANGING):
        held = cast(object, value)
        remedy = {"ndarray": "make the field one that is not static", "dict": "write a tuple of pairs"}
        raise argument_error(
            f"{what} is static, and is {of_class(held)}, which can change while programs are kept for it",
            remedy.get(type(held).__name__, "write a tuple"),
        )
