"""Questions about captured objects: who defines them, which attributes and elements they have."""

from __future__ import annotations

import gc
import importlib.util
import sys
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.errors import is_from_signal
from mlirad.frontend.tracing.code_reads import is_program_file, is_rewritable_file
from mlirad.jit.foreign_arrays import refusal
from mlirad.jit.guards import MISSING

PROXIES: Final = frozenset((weakref.ProxyType, weakref.CallableProxyType))
"""Objects that pass on every question to another one, that about their class included."""

HEAP_TYPE: Final = 1 << 9
"""The flag of classes that `class` statements make: `Py_TPFLAGS_HEAPTYPE`."""

_BLIND: Final = frozenset(
    ("abc", "builtins", "collections.abc", "contextlib", "numbers", "typing", "typing_extensions")
)
"""Modules whose classes read no attributes of what derives from them but those with names of protocols."""


def is_program_class(kind: type[Any]) -> bool:
    """Return whether a class is defined in the program, not in Python or in an installed package."""
    name = kind.__module__
    if name == "builtins":  # or run by `exec` with globals that have no name of a module
        return bool(kind.__flags__ & HEAP_TYPE)
    module = sys.modules.get(name)
    file = None if module is None else file_of(module)
    return (file is None and name not in sys.stdlib_module_names) or (
        file is not None and is_program_file(file)
    )


def is_rewritable_class(kind: type[Any]) -> bool:
    """Tell whether a class is defined where control flow may be rewritten: in the program or in a package."""
    module = sys.modules.get(kind.__module__)
    file = None if module is None else file_of(module)
    return is_program_class(kind) if file is None else is_rewritable_file(file)


def file_of(module: ModuleType) -> str | None:
    """The file of a module, if it has one, without what the module does to find attributes."""
    file = vars(module).get("__file__")
    return file if isinstance(file, str) else None


def has_library_code(kind: type[Any]) -> bool:
    """Return whether a class derives from one of Python code in a library, which may read any attribute."""
    metaclass = cast("type[Any]", type(kind))
    return any(
        base.__flags__ & HEAP_TYPE and base.__module__ not in _BLIND and not is_program_class(base)
        for base in (*kind.__mro__, *metaclass.__mro__)
    )


def class_table(cls: type[Any]) -> dict[str, Any]:
    """The dictionary behind `vars(cls)`, which can only be read."""
    return next(
        cast("dict[str, Any]", found) for found in gc.get_referents(vars(cls)) if isinstance(found, dict)
    )


def found_in(kind: type[Any], name: str) -> object:
    """Return what a class finds under a name, as it stands in its dictionary or in that of a base."""
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), MISSING)


def is_slot(found: object) -> bool:
    """Return whether what a class has under a name is a field of its objects: a slot, or one of an
    exception.
    """
    return isinstance(found, MemberDescriptorType) or (
        isinstance(found, GetSetDescriptorType) and issubclass(found.__objclass__, BaseException)
    )


def modules_called(name: str, table: dict[str, Any]) -> Iterator[tuple[str, ModuleType | None]]:
    """The entries of `sys.modules` that an import of a name reads; relative ones begin with dots."""
    package = table.get("__package__")
    if name.startswith("."):
        if not isinstance(package, str) or not package:
            return
        try:
            name = importlib.util.resolve_name(name, package)
        except ImportError:
            return
    parts = name.rstrip(".").split(".")
    for k in range(len(parts)):
        whole = ".".join(parts[: k + 1])
        yield whole, sys.modules.get(whole)


def attribute_table(value: Any) -> dict[str, Any] | None:
    """The dictionary of the attributes of an object, `None` if it has none."""
    table = plain_attribute(value, "__dict__")
    return cast("dict[str, Any]", table) if isinstance(table, dict) else None


def plain_attribute(value: Any, name: str) -> Any:
    """An attribute of an object, without what its class does to find one; `MISSING` if it has none."""
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return MISSING


def finds_plainly(kind: type[Any]) -> bool:
    """Return whether attributes of the objects of a class are found without running code."""
    return kind.__getattribute__ is object.__getattribute__ and found_in(kind, "__getattr__") is MISSING


def slots_of(kind: type[Any]) -> set[str]:
    """The attributes of the instances of a class that stand in slots, except those that a class computes."""
    own = (vars(base) for base in kind.__mro__ if "__slots__" in vars(base))
    names = {name for table in own for name, found in table.items() if type(found) is MemberDescriptorType}
    return {name for name in names if type(found_in(kind, name)) is MemberDescriptorType}


def derives(kind: type[Any], bases: Any) -> bool:
    """Return whether a class derives from one of some. Objects are asked by their class: they could lie."""
    return issubclass(kind, bases)


def elements_of(base: type[Any], values: Any) -> tuple[Any, ...]:
    """The elements of a container of a class derived from `base`, as `base` iterates over them."""
    return tuple(cast(Any, base).__iter__(values))


def items_of(table: dict[Any, Any]) -> tuple[tuple[Any, Any], ...]:
    """The entries of a dictionary of a class derived from Python's, as that iterates over them."""
    base: Any = OrderedDict if issubclass(type(table), OrderedDict) else dict
    return tuple(base.items(table))


def fields_of(kind: type[Any]) -> set[str]:
    """The attributes of the instances of a class that stand in no dictionary: slots, fields of exceptions."""
    bases = [vars(base) for base in kind.__mro__ if issubclass(base, BaseException)]
    own = {name for table in bases for name, found in table.items() if is_slot(found)}
    return slots_of(kind) | {name for name in own if not name.startswith("__")}


def are_same(before: tuple[object, ...], given: Iterable[object]) -> bool:
    now = tuple(given)
    return len(now) == len(before) and all(a is b for a, b in zip(now, before, strict=True))


def as_array(value: Any) -> npt.NDArray[Any] | None:
    """The elements of an array of another library, if it has them in memory."""
    kind = cast("type[Any]", type(value))
    if not (hasattr(kind, "__array__") or hasattr(kind, "__dlpack__")) or refusal(value, "it") is not None:
        return None
    try:
        return np.asarray(value)
    except Exception as error:  # each library raises classes of its own
        if is_from_signal(error):
            raise
        return None


def is_equal_array(before: npt.NDArray[Any], now: npt.NDArray[Any]) -> bool:
    return (now.dtype, now.shape) == (before.dtype, before.shape) and now.tobytes() == before.tobytes()
