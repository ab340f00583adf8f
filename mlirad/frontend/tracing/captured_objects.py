"""Questions about captured objects: who defines them, which attributes and elements they have."""

from __future__ import annotations

import importlib.util
import sys
import weakref
from collections.abc import Iterable
from types import ModuleType
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.tracing.code_reads import is_program_file

PROXIES: Final = frozenset((weakref.ProxyType, weakref.CallableProxyType))
"""Objects that hand on every question to another one, that about their class included."""

HEAP_TYPE: Final = 1 << 9
"""The flag of classes that `class` statements make: `Py_TPFLAGS_HEAPTYPE`."""


def is_program_class(kind: type[Any]) -> bool:
    """Whether a class is defined in the program, not in Python or in an installed package."""
    name = kind.__module__
    if name == "builtins":  # or run by `exec` with globals that have no name of a module
        return bool(kind.__flags__ & HEAP_TYPE)
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    return (file is None and name not in sys.stdlib_module_names) or (
        file is not None and is_program_file(file)
    )


def module_called(name: str, table: dict[str, Any]) -> ModuleType | None:
    """The module that an import statement names, if it is loaded already."""
    found = sys.modules.get(name)
    if found is None and isinstance(package := table.get("__package__"), str) and package:
        try:
            found = sys.modules.get(importlib.util.resolve_name(f".{name}", package))
        except ImportError:
            return None
    return found


def attribute_table(value: Any) -> dict[str, Any] | None:
    """The dictionary of the attributes of an object, `None` if it has none."""
    try:
        table = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return cast("dict[str, Any]", table) if type(table) is dict else None


def slots_of(kind: type[Any]) -> set[str]:
    """The attributes of the instances of a class that stand in slots."""
    found: set[str] = set()
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        found.update((slots,) if isinstance(slots, str) else slots)
    return found - {"__dict__", "__weakref__"}


def are_same(before: tuple[object, ...], given: Iterable[object]) -> bool:
    now = tuple(given)
    return len(now) == len(before) and all(a is b for a, b in zip(now, before, strict=True))


def as_array(value: Any) -> npt.NDArray[Any] | None:
    """The elements of an array of another library."""
    kind = cast("type[Any]", type(value))
    if not (hasattr(kind, "__array__") or hasattr(kind, "__dlpack__")):
        return None
    try:
        return np.asarray(value)
    except Exception:  # each library raises classes of its own
        return None


def is_equal_array(before: npt.NDArray[Any], now: npt.NDArray[Any]) -> bool:
    return (now.dtype, now.shape) == (before.dtype, before.shape) and now.tobytes() == before.tobytes()
