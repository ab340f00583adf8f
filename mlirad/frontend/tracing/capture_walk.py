"""The walk over the objects that a function reaches, which `captures.py` describes: functions and objects.

It is breadth first, in an order that the program determines, and enters every value under the name by which
the code reaches it: `config.rates[0]`, `self.scale`, `helper: table`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from types import (
    BuiltinFunctionType,
    BuiltinMethodType,
    CellType,
    CodeType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.tracing.attribute_walk import AttributeWalk, is_library_module
from mlirad.frontend.tracing.captured_objects import PROXIES, derives, is_program_class, modules_called
from mlirad.frontend.tracing.code_reads import (
    CONSTRUCTS,
    EVERY_NAME,
    SURVIVES,
    CodeReads,
    is_program_file,
    own_code,
    reads_of,
)
from mlirad.frontend.tracing.drawn_objects import generator_classes, is_iterator
from mlirad.frontend.tracing.outside_reads import is_outside
from mlirad.frontend.tracing.value_keys import Same, base_key
from mlirad.jit.container_guards import KeysGuard
from mlirad.jit.guards import (
    MISSING,
    AttributeGuard,
    CellGuard,
    FunctionGuard,
    ItemGuard,
    TypeGuard,
    cell_content,
)

PROGRAMS: Final = "__mlirad_programs__"
"""The attribute of a function that holds its compiled programs."""


_WRAPPERS: Final[tuple[Any, ...]] = (
    functools.partial, property, staticmethod, classmethod, functools.cached_property,
)  # fmt: skip

Opener: TypeAlias = Callable[[Any, type[Any], str], None]
"""The function that enters an object of a class, at a path, and looks at its parts."""


class Walk(AttributeWalk):
    """One walk over what an object reaches."""

    def __init__(
        self,
        names: frozenset[str],
        ignored: frozenset[str],
        growing: frozenset[str] = frozenset(),
        weak: object = None,
    ):
        super().__init__(names, ignored, growing, weak)
        self._openers: dict[type[Any], Opener] = {}
        self.drawn: list[tuple[str, Any]] = []
        self.codes: set[CodeType] = set()
        """The code that was found, that of functions defined in functions included."""

    # Kinds of objects ----------------------------------------------------------------------------

    def _open(self, value: Any, path: str) -> None:
        kind = cast("type[Any]", type(value))
        opener = self._openers.get(kind)
        if opener is None:
            opener = self._openers[kind] = self._opener(value, kind)
        opener(value, kind, path)

    def _opener(self, value: Any, kind: type[Any]) -> Opener:
        """Return what opens objects of a class."""
        if kind in PROXIES:
            return self._of_python
        if kind is FunctionType:
            return self._function
        if kind is CellType:
            return self._held_cell
        if derives(kind, generator_classes()) or is_iterator(value):
            return self._drawn
        known: tuple[tuple[Any, Opener], ...] = (
            (MethodType, self._method),
            (BuiltinFunctionType | BuiltinMethodType | MethodWrapperType, self._method_in_c),
            (ModuleType, self._module),
            (type, self._type),
            (np.ndarray, self._any_array),
            (_WRAPPERS, self._wrapper),
        )
        return next((opener for base, opener in known if derives(kind, base)), self._object)

    def _method(self, value: Any, _: type[Any], path: str) -> None:
        self._enter(path, "method")
        self._look_at(value.__func__, path)
        self._look_at(value.__self__, "self" if not path else f"{path}.__self__")

    def _method_in_c(self, value: Any, _: type[Any], path: str) -> None:
        self._enter(path, Same(value))
        self._note_function(value, path)
        self._look_at(value.__self__, path)

    def _drawn(self, value: Any, _: type[Any], path: str) -> None:
        """Enter a value that gives something else each time that it is asked."""
        self._enter(path, Same(value))
        self.drawn.append((path, value))

    def _held_cell(self, value: Any, _: type[Any], path: str) -> None:
        self._enter(path, "cell", Same(value))
        self._cell(value, path)

    def _any_array(self, value: Any, kind: type[Any], path: str) -> None:
        self._array(cast("npt.NDArray[Any]", value), path)
        if kind is not np.ndarray:
            self._attributes_of_array(value, kind, path)

    def _type(self, cls: type[Any], kind: type[Any], path: str) -> None:
        """A class, whose attributes are its own, those of its bases, and those of its class."""
        self._enter(path, Same(cls))
        if cls is type:
            self._read((CONSTRUCTS,))
        if is_program_class(cls):
            self.guards.append(TypeGuard(cls, kind))
        else:
            self._note_names(cls, path)
            if is_outside(cls):
                self.outside.append(path)
            self._registered(cls, path)
        self._class(cls, path.rpartition(": ")[2] or cls.__name__, constructs=True)
        self._class(kind, kind.__name__, constructs=False)

    def _wrapper(self, value: Any, kind: type[Any], path: str) -> None:
        """Enter an object that wraps functions, for classes and for calls, with what a class of the program
        adds to it.
        """
        if derives(kind, functools.partial):
            parts = (("", value.func), (".args", value.args), (".keywords", value.keywords))
        elif derives(kind, property):
            parts = (("", value.fget), (" setter", value.fset), (" deleter", value.fdel))
        elif derives(kind, functools.cached_property):
            parts = (("", value.func),)
        else:
            parts = (("", value.__func__),)
        self._enter(path, "wrapper", Same(kind))
        for name, part in parts:
            self._look_at(part, f"{path}{name}")
        if derives(kind, property) and "__doc__" in self.names:
            self._attribute(value, "__doc__", path)
        if is_program_class(kind):
            self._typed(value, kind, path)
        elif derives(kind, functools.partial):
            self._attributes_of_function(value, path)

    def _object(self, value: Any, kind: type[Any], path: str) -> None:
        """A container, an object with attributes, or an object known by its identity alone.

        Classes of mlirad say themselves what decides a trace: attributes to be looked at by `CAPTURED`, and
        by `CAPTURED_FIXED` those that never change and are compared as they are.
        """
        parts = getattr(kind, "CAPTURED", None) if kind.__module__.startswith("mlirad.") else None
        if parts is not None:
            fixed = getattr(kind, "CAPTURED_FIXED", ())
            self._enter(path, Same(kind), *(getattr(value, name) for name in fixed))
            for name in parts:
                self._captured(value, name, path)
            return
        number = base_key(value)
        if number is not None:
            self._enter(path, Same(kind), number)
        if derives(kind, Enum):
            self._look_at(cast(object, value._value_), f"{path}.value")
        is_container = self._container(value, kind, path) or number is not None
        if is_program_class(kind):
            self._typed(value, kind, path)
        elif not is_container:
            self._foreign(value, kind, path)

    def _captured(self, value: Any, name: str, path: str) -> None:
        """Enter the value of an attribute of an object of mlirad, which may be computed."""
        found = getattr(value, name, MISSING)
        path = path if name == "_function" else f"{path}.{name}"
        self._look_at_guarded(found, path, AttributeGuard(value, sys.intern(name), found))

    def _attributes_of_array(self, value: Any, kind: type[Any], path: str) -> None:
        """Enter the attributes of an array of a class derived from NumPy's."""
        if is_program_class(kind):
            self._typed(value, kind, path)
        else:
            self._all_attributes(value, path)

    # Functions -----------------------------------------------------------------------------------

    def _function(self, function: FunctionType, kind: type[Any], path: str) -> None:
        code = own_code(function)
        is_programs_own = is_program_file(code.co_filename)
        self._enter(path, "function", code)
        self.guards.append(FunctionGuard(function))
        self._look_at(function.__defaults__, f"{_inside(path, 'the defaults')}")
        if function.__kwdefaults__ is not None:
            self._look_at(function.__kwdefaults__, f"{_inside(path, 'the defaults by name')}")
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._cell(cell, _inside(path, name))
        self._attributes_of_function(function, path)
        if not is_programs_own:
            self._note_library_function(function, path)
            return
        reads = reads_of(code)
        self.codes.update(reads.codes)
        self._read(reads.names)
        self.is_selective = self.is_selective or reads.survives
        self._globals(function, reads, path)

    def _note_library_function(self, function: FunctionType, path: str) -> None:
        """Take notice of what a function of a library may read, or do to objects that it is called with."""
        if function.__name__ in ("getenv", "getenvb", "expandvars"):
            self._look_at(sys.modules["os"].environ, f"{path}: environ")
        elif is_outside(function):
            self.outside.append(path)
            self._read((EVERY_NAME,))

    def _attributes_of_function(self, function: Any, path: str) -> None:
        own: dict[str, Any] = function.__dict__
        attributes = own.keys() - {PROGRAMS}
        self.is_selective = self.is_selective or bool(attributes)
        if attributes or SURVIVES in self.names:
            self.guards.append(AttributeGuard(function, "__dict__", own))
        for name in sorted(self.names & attributes):
            self._item(own, name, path or "the function")
        if SURVIVES in self.names:
            self.guards.append(KeysGuard(own))
        self._shown(function, path or "the function")

    def _cell(self, cell: CellType, path: str) -> None:
        content = cell_content(cell)
        self._look_at_guarded(content, path, CellGuard(cell, content))

    def _globals(self, function: FunctionType, reads: CodeReads, path: str) -> None:
        table = function.__globals__
        if reads.reads_globals:
            self.guards.append(KeysGuard(table))
        own = (name for name in table if not name.startswith("__")) if reads.reads_globals else ()
        for name in dict.fromkeys((*reads.globals, *own)):
            place = (id(table), name)
            if place in self._places:
                continue
            self._places.add(place)
            value = table.get(name, MISSING)
            self._look_at_guarded(value, _inside(path, name), ItemGuard(table, sys.intern(name), value))
            if value is MISSING:
                self._builtin(function.__builtins__, name, path)
        for module in _modules_read(reads, table):
            self._look_at_guarded(*module)

    def _builtin(self, table: dict[str, Any], name: str, path: str) -> None:
        """Enter the value of a name that no global has."""
        place = (id(table), name)
        if place in self._places:
            return
        self._places.add(place)
        value = table.get(name, MISSING)
        self._look_at_guarded(value, _inside(path, name), ItemGuard(table, sys.intern(name), value))


def _modules_read(
    reads: CodeReads, table: dict[str, Any]
) -> Iterator[tuple[ModuleType | object, str, ItemGuard]]:
    """The modules that code imports, as they are entered, and those that it finds by names in its strings; if
    there are no such, all modules of the program.
    """
    found = {name: module for called in reads.modules for name, module in modules_called(called, table)}
    if reads.reads_modules:
        modules = {n: m for n, m in list(sys.modules.items()) if isinstance(cast(object, m), ModuleType)}
        own = {name: module for name, module in modules.items() if not is_library_module(module)}
        named = own.keys() & reads.texts or own.keys()
        found |= {name: own[name] for name in named | {table.get("__name__")} if name in own}
    for name, module in found.items():
        there = MISSING if module is None else module
        yield there, name, ItemGuard(cast("dict[Any, Any]", sys.modules), sys.intern(name), there)


def _inside(path: str, name: str) -> str:
    """A variable of the function at `path`; the function itself stands at ''."""
    return f"{path}: {name}" if path else name
