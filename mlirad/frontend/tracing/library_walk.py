"""The part of the walk over captured objects that knows classes of Python and of installed packages.

    reader_of(ContextVar)(rate)           what the variable is set to
    has_attributes(UserDict)              True: the attributes, such as `data`, are all that such an object is

Classes written in C have ways of their own to show what they hold. Of those written in Python the attributes
tell, where the class is one that holds values for programs. Locks, streams, loggers and their like are taken
to be what they are.
"""

from __future__ import annotations

import gc
import operator
import os
import sys
import threading
import weakref
from array import array
from collections.abc import Callable
from contextvars import ContextVar
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.tracing.captured_objects import (
    are_same,
    as_array,
    attribute_table,
    is_equal_array,
    slots_of,
)
from mlirad.frontend.tracing.value_keys import Same, value_key
from mlirad.frontend.tracing.value_walk import ValueWalk
from mlirad.jit.guards import MISSING, AttributeGuard, CallGuard, DictGuard, ItemGuard

EVERY_NAME: Final = "*"
"""In sets of names: code reads attributes that it does not name."""

HOLDING: Final = frozenset(
    ("argparse", "collections", "configparser", "functools", "optparse", "os", "types")
)
"""Modules of Python whose classes hold values for programs in attributes."""

NAMING: Final[tuple[type[Any], ...]] = (operator.attrgetter, operator.methodcaller)
"""Objects that read attributes which they name themselves."""

BUFFERS: Final[tuple[type[Any], ...]] = (bytearray, memoryview, array)
"""Classes of Python whose values are numbers in memory."""

_READERS: Final[tuple[tuple[type[Any], Callable[[Any], tuple[object, ...]]], ...]] = (
    (threading.local, lambda value: (value.__dict__,)),
    (ContextVar, lambda variable: (variable.get(None),)),
    (weakref.ref, lambda reference: (reference(),)),
    (weakref.ProxyType, lambda proxy: (_referent(proxy),)),
    (weakref.CallableProxyType, lambda proxy: (_referent(proxy),)),
    (MappingProxyType, lambda proxy: tuple(gc.get_referents(proxy))),
)


def reader_of(kind: type[Any]) -> Callable[[Any], tuple[object, ...]] | None:
    """What reads the values that an object of a class in C holds; `None` for other classes."""
    return next((read for known, read in _READERS if issubclass(kind, known)), None)


def has_attributes(kind: type[Any]) -> bool:
    """Whether an object is what its attributes are."""
    return kind.__module__.partition(".")[0] in HOLDING


def as_buffer(value: Any) -> npt.NDArray[Any]:
    """The numbers in memory that a value of one of the `BUFFERS` is."""
    return np.array(memoryview(value))


def environment(module: ModuleType, names: set[str]) -> object:
    """The variables of the process, if code names what reads them; else `None`."""
    return os.environ if module is os and not names.isdisjoint(("environ", "getenv")) else None


def _referent(proxy: Any) -> object:
    """What a weak proxy stands for, which it hands all attributes on to; `None` if it is gone."""
    try:
        return cast(object, proxy.__reduce_ex__.__self__)
    except ReferenceError:
        return None


class LibraryWalk(ValueWalk):
    """A walk that knows what objects of Python's classes, and of installed packages, hold.

    `names` are those of the attributes that code reads, as far as they are known.
    """

    def __init__(self, names: frozenset[str], ignored: frozenset[str]):
        super().__init__(ignored)
        self.names: set[str] = set(names)

    @property
    def _reads_all(self) -> bool:
        return EVERY_NAME in self.names

    def _note_string(self, value: str) -> None:
        if self._reads_all and value.isidentifier():
            self.names.add(value)

    def _foreign(self, value: Any, kind: type[Any], path: str) -> None:
        """An object of an installed package: as an array, or by its attributes; else by what it is."""
        if kind.__module__.partition(".")[0] in (*sys.stdlib_module_names, "mlirad"):
            self._of_python(value, kind, path)
            return
        owner = getattr(value, "__self__", None)
        if owner is not None:  # a method in C
            self._enter(path, Same(kind), getattr(value, "__name__", ""))
            self._look_at(owner, path)
            return
        array = as_array(value)
        if array is not None:
            self._copied_array(kind, array, lambda: np.asarray(value), path)
            return
        self._enter(path, Same(value))
        table = attribute_table(value)
        for name in [*(table or ()), *sorted(slots_of(kind))]:
            part: Any = getattr(value, name, None)
            if isinstance(part, np.ndarray | list | dict | set | tuple) or value_key(part) is not None:
                self._attribute(value, name, path)

    def _of_python(self, value: Any, kind: type[Any], path: str) -> None:
        """An object of Python or of mlirad: by what it holds, if that is known, else by what it is."""
        read = reader_of(kind)
        if read is not None:
            before = read(value)
            self.guards.append(CallGuard(lambda: are_same(before, read(value))))
            self._enter(path, Same(kind))
            for part in before:
                self._look_at(part, path)
            return
        if kind in BUFFERS:
            self._copied_array(kind, as_buffer(value), lambda: as_buffer(value), path)
            return
        self._enter(path, Same(kind) if has_attributes(kind) else Same(value))
        if kind in NAMING:
            self.names.add(EVERY_NAME)
        if has_attributes(kind):
            self._all_attributes(value, path)
        wrapped = getattr(value, "__wrapped__", None)
        if isinstance(wrapped, FunctionType):  # such as a function with a cache
            self._look_at(wrapped, path)

    def _copied_array(
        self, kind: type[Any], array: npt.NDArray[Any], read: Callable[[], npt.NDArray[Any]], path: str
    ) -> None:
        """What is read as an array, compared with a copy of that."""
        before = array.copy()
        self._enter(path, Same(kind), array.dtype.str, array.shape, before.tobytes())
        self.guards.append(CallGuard(lambda: is_equal_array(before, read())))

    def _all_attributes(self, value: Any, path: str) -> None:
        table = attribute_table(value)
        if table is not None:
            if not any(f"{path}.{name}" in self._ignored for name in table):
                self.guards.append(DictGuard(table))
            for name in table:
                self._item(table, name, path)
        for name in sorted(slots_of(cast("type[Any]", type(value)))):
            self._attribute(value, name, path)

    def _item(self, table: dict[str, Any], name: str, path: str) -> None:
        """An attribute of what stands at `path`, by the dictionary that holds it."""
        self._look_at_guarded(table[name], f"{path}.{name}", ItemGuard(table, name, table[name]))

    def _attribute(self, value: Any, name: str, path: str) -> None:
        found = getattr(value, name, MISSING)
        path = path if name == "_function" else f"{path}.{name}"
        self._look_at_guarded(found, path, AttributeGuard(value, sys.intern(name), found))
