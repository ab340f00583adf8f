"""The part of the walk over captured objects that knows classes of Python and of installed packages.

    argparse.Namespace(k=2.0)      its attributes              operator.itemgetter(0)      what it refers to
    contextvars.ContextVar("k")    what it is set to           a logger                    itself

Objects of classes in Python code are what their attributes are, those of classes in C what Python's garbage
collector knows that they refer to. Some have ways of their own to show what they hold. Streams, loggers and
their like are taken to be what they are.
"""

from __future__ import annotations

import functools
import gc
import operator
import sys
from collections.abc import Callable, Iterable
from functools import partial
from types import (
    BuiltinFunctionType,
    FrameType,
    FunctionType,
    ModuleType,
    SimpleNamespace,
    TracebackType,
)
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.tracing.captured_objects import (
    HEAP_TYPE,
    are_same,
    as_array,
    attribute_table,
    derives,
    fields_of,
    finds_plainly,
    is_equal_array,
    plain_attribute,
    slots_of,
)
from mlirad.frontend.tracing.code_reads import EVERY_NAME, is_program_file
from mlirad.frontend.tracing.library_objects import (
    as_bytes,
    begins_with,
    is_shown,
    reader_of,
    results_of,
)
from mlirad.frontend.tracing.outside_reads import is_outside, names_outside
from mlirad.frontend.tracing.value_keys import Same, value_key
from mlirad.frontend.tracing.value_walk import ValueWalk
from mlirad.jit.container_guards import DictGuard
from mlirad.jit.guards import MISSING, AttributeGuard, CallGuard, ItemGuard

_BY_NAME: Final = frozenset((getattr, setattr, delattr, vars, dir, eval, exec, compile, globals, locals))
"""Functions that read attributes, or globals, which code does not name."""

_NAMING: Final[tuple[type[Any], ...]] = (operator.attrgetter, operator.methodcaller)
"""Objects that read attributes which they name themselves."""

_CACHES: Final = type(functools.lru_cache(lambda: None))
"""The class of functions with a cache."""

_UNOPENED: Final[tuple[type[Any], ...]] = (FrameType, TracebackType, type, ModuleType)


class LibraryWalk(ValueWalk):
    """A walk that knows what objects of Python's classes, and of installed packages, hold.

    `names` are those of the attributes that code reads, as far as they are known, with the marks of
    `code_reads`.
    """

    def __init__(self, names: frozenset[str], ignored: frozenset[str], growing: frozenset[str]):
        super().__init__(ignored, growing)
        self.names: set[str] = set(names)
        self.found_names: set[str] = set()
        """Those of the names that the code that was found does read."""
        self.outside: list[str] = []
        """Code that may read files, the clock and their like."""

    def _read(self, names: Iterable[str]) -> None:
        """Look at attributes of these names, which code reads."""
        for name in names:
            self.names.add(name)
            self.found_names.add(name)

    @property
    def _reads_all(self) -> bool:
        return EVERY_NAME in self.names

    def _note_string(self, value: str) -> None:
        if self._reads_all and value.isidentifier():
            self._read((value,))

    def _note_function(self, value: Any, path: str) -> None:
        if value in _BY_NAME:
            self._read((EVERY_NAME,))
        elif is_outside(value):
            self.outside.append(path)

    def _note_ufunc(self, value: Any, path: str) -> None:
        """Take notice of a ufunc, which may be one of a function of the program."""
        for part in gc.get_referents(value):
            if type(part) is FunctionType:
                self._look_at(part, path)

    def _note_names(self, owner: Any, path: str) -> None:
        """Take notice of what code names in a module or a class of a library that reads what no walk sees."""
        for name in names_outside(owner, self.names):
            self.outside.append(f"{path}.{name}")

    def _foreign(self, value: Any, kind: type[Any], path: str) -> None:
        """An object of an installed package: as an array, or by its attributes; else by what it is."""
        if kind.__module__.partition(".")[0] in (*sys.stdlib_module_names, "mlirad"):
            self._of_python(value, kind, path)
            return
        if kind.__module__.partition(".")[0] == "numba":
            from mlirad.frontend.tracing.compiled_functions import python_function  # which few programs need

            self._enter(path, Same(value))
            self._look_at(python_function(value), path)
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
        self.outside.append(path)
        table = attribute_table(value)
        if table is not None:
            self.guards.append(DictGuard(table))
        for name, part in list((table or {}).items()):
            if self._is_held(part):
                self._look_at(part, f"{path}.{name}")
        for name in sorted(slots_of(kind)):
            if self._is_held(plain_attribute(value, name)):
                self._attribute(value, name, path)

    def _is_held(self, part: Any) -> bool:
        """Return whether a part of an object of a package is a value, not code of a package."""
        kind = cast("type[Any]", type(part))
        if kind is FunctionType:
            return is_program_file(part.__code__.co_filename)
        return not derives(kind, ModuleType | BuiltinFunctionType)

    def _of_python(self, value: Any, kind: type[Any], path: str) -> None:
        """An object of Python or of mlirad: by what it holds, if that is known, else by what it is."""
        if self._hidden(value, kind, path):
            return
        if kind is _CACHES:
            self._cache(value, path)
            return
        is_pythons = kind.__module__.partition(".")[0] != "mlirad"
        table = attribute_table(value)
        is_python_code = kind is SimpleNamespace or bool(kind.__flags__ & HEAP_TYPE)
        is_what_it_holds = is_pythons and is_python_code and table is not None and is_shown(kind)
        self._enter(path, Same(kind) if is_what_it_holds else Same(value))
        self._note_names(kind, path)
        if kind in _NAMING:
            self._read((EVERY_NAME,))
        if not is_pythons or not is_shown(kind) or derives(kind, _UNOPENED):
            return
        self._all_attributes(value, path)
        if not is_python_code or (table is None and not slots_of(kind)):
            self._referents(value, kind, path)

    def _hidden(self, value: Any, kind: type[Any], path: str) -> bool:
        """Enter what an object of a class of Python's library, or of one derived from it, hides in C."""
        read = reader_of(kind)
        if read is not None:
            before = read(value)
            self.guards.append(CallGuard(lambda: are_same(before, read(value))))
            self._enter(path, Same(kind))
            for part in before:
                self._look_at(part, path)
            return True
        content = as_bytes(value)
        if content is not None:
            self._enter(path, Same(kind), content)
            self.guards.append(CallGuard(lambda: as_bytes(value) == content))
            return True
        return False

    def _referents(self, value: Any, kind: type[Any], path: str) -> None:
        """An object of a class in C: by what it refers to."""
        table = attribute_table(value)
        parts = tuple(gc.get_referents(value))
        if len(parts) > (table is not None):
            self.guards.append(CallGuard(lambda: are_same(parts, gc.get_referents(value))))
        for part in parts:
            if part is not kind and part is not table and not issubclass(type(part), _UNOPENED):
                self._look_at(part, path)

    def _cache(self, function: Any, path: str) -> None:
        """A function with a cache: itself, and what it has kept."""
        attributes = attribute_table(function)
        referents: list[Any] = gc.get_referents(function)
        for table in referents:
            if derives(cast("type[Any]", type(table)), dict) and table is not attributes:
                before = results_of(table, referents)
                if function.cache_parameters()["maxsize"] is None:
                    self.guards.append(DictGuard(table, grows=True))
                else:  # which puts new results into old links
                    self.guards.append(CallGuard(partial(begins_with, function, table, before)))
                self._grown(function, before, _CACHES, f"the cache of {path}")
        self._look_at(function.__wrapped__, path)

    def _copied_array(
        self, kind: type[Any], array: npt.NDArray[Any], read: Callable[[], npt.NDArray[Any]], path: str
    ) -> None:
        """Enter a value that is read as an array, compared with a copy of that."""
        before = array.copy()
        self._enter(path, Same(kind), array.dtype.str, array.shape, before.tobytes())
        self.guards.append(CallGuard(lambda: is_equal_array(before, read())))

    def _all_attributes(self, value: Any, path: str) -> None:
        table = attribute_table(value)
        if table is not None:
            if not any(f"{path}.{name}" in self._ignored for name in table):
                self.guards.append(DictGuard(table))
            for name in list(table):
                self._item(table, name, path)
        for name in sorted(fields_of(cast("type[Any]", type(value)))):
            self._attribute(value, name, path)

    def _item(self, table: dict[str, Any], name: str, path: str) -> None:
        """An attribute of what stands at `path`, by the dictionary that holds it."""
        self._look_at_guarded(table[name], f"{path}.{name}", ItemGuard(table, name, table[name]))

    def _attribute(self, value: Any, name: str, path: str) -> None:
        """A field of the object at `path`."""
        found = plain_attribute(value, name)
        path = path if name == "_function" else f"{path}.{name}"
        if finds_plainly(cast("type[Any]", type(value))) and found is plain_attribute(value, name):
            guard = AttributeGuard(value, sys.intern(name), found)
        else:
            key = None if found is MISSING else value_key(found)
            put_back = AttributeGuard(value, name, found).put_back
            guard = CallGuard(lambda: _is_still(value, name, found, key), put_back)
        self._look_at_guarded(found, path, guard)


def _is_still(value: Any, name: str, found: object, key: object) -> bool:
    """Return whether a field of an object is what was found there, or has the same key if it has one."""
    now = plain_attribute(value, name)
    return now is found or (key is not None and value_key(now) == key)
