"""The walk over the objects that a function reaches, which `captures.py` describes: functions and objects.

It is breadth first, in an order that the program determines, and enters every value under the name by which
the code reaches it: `config.rates[0]`, `self.scale`, `helper: table`.
"""

from __future__ import annotations

import functools
import sys
import weakref
from dataclasses import fields, is_dataclass
from enum import Enum
from types import (
    BuiltinFunctionType,
    BuiltinMethodType,
    CellType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.tracing.captured_objects import (
    PROXIES,
    attribute_table,
    is_program_class,
    module_called,
    slots_of,
)
from mlirad.frontend.tracing.code_reads import CodeReads, is_program_file, reads_of
from mlirad.frontend.tracing.drawn_objects import GENERATORS, generators_of, is_iterator
from mlirad.frontend.tracing.library_walk import EVERY_NAME, LibraryWalk, environment
from mlirad.frontend.tracing.value_keys import Same, base_key
from mlirad.jit.guards import (
    MISSING,
    AttributeGuard,
    CallGuard,
    CellGuard,
    FunctionGuard,
    Guard,
    ItemGuard,
    TypeGuard,
    WeakGuard,
    cell_content,
)

PROGRAMS: Final = "__mlirad_programs__"
"""The attribute of a function that holds its compiled programs."""

_IMPLICIT: Final = frozenset((
    "__call__", "__getattr__", "__getattribute__", "__getitem__", "__setitem__", "__iter__", "__next__",
    "__len__", "__contains__", "__enter__", "__exit__", "__bool__", "__float__", "__int__", "__index__",
    "__array__", "__array_ufunc__", "__array_function__", "__add__", "__radd__", "__iadd__", "__sub__",
    "__rsub__", "__isub__", "__mul__", "__rmul__", "__imul__", "__truediv__", "__rtruediv__",
    "__itruediv__", "__floordiv__", "__rfloordiv__", "__mod__", "__rmod__", "__divmod__", "__pow__",
    "__rpow__", "__matmul__", "__rmatmul__", "__and__", "__rand__", "__or__", "__ror__", "__xor__",
    "__rxor__", "__neg__", "__pos__", "__abs__", "__invert__", "__eq__", "__ne__", "__lt__", "__le__",
    "__gt__", "__ge__", "__get__", "__missing__", "__round__",
))  # fmt: skip
"""Methods that run without being named."""

_CONSTRUCTING: Final = frozenset(("__new__", "__init__", "__post_init__"))


class Walk(LibraryWalk):
    """One walk over what an object reaches."""

    def __init__(self, names: frozenset[str], ignored: frozenset[str], weak: object):
        super().__init__(names, ignored)
        self._weak = weak
        self.is_selective = False
        self.drawn: list[tuple[str, Any]] = []
        self._builtins_seen: set[tuple[int, str]] = set()

    # Kinds of objects ----------------------------------------------------------------------------

    def _open(self, value: Any, path: str) -> None:
        kind = cast("type[Any]", type(value))
        if kind in PROXIES:
            self._of_python(value, kind, path)
        elif kind is FunctionType:
            self._function(value, path)
        elif isinstance(value, MethodType):
            self._enter(path, "method")
            self._look_at(value.__func__, path)
            self._look_at(value.__self__, "self" if not path else f"{path}.__self__")
        elif isinstance(value, BuiltinFunctionType | BuiltinMethodType | MethodWrapperType):
            self._enter(path, Same(value))
            self._look_at(value.__self__, path)
        elif isinstance(value, GENERATORS) or is_iterator(value):
            self._enter(path, Same(value))
            self.drawn.append((path, value))
        elif isinstance(value, ModuleType):
            self._module(value, path)
        elif isinstance(value, type):
            self._enter(path, Same(value))
            self._class(value, path, _IMPLICIT | _CONSTRUCTING)
            self._class(kind, kind.__name__, _IMPLICIT)
        elif isinstance(value, np.ndarray):
            self._array(cast("npt.NDArray[Any]", value), path)
            if kind is not np.ndarray:
                self._attributes_of_array(value, kind, path)
        elif isinstance(value, functools.partial):
            self._enter(path, "partial", Same(kind))
            self._look_at(value.func, path)
            self._look_at(value.args, f"{path}.args")
            self._look_at(value.keywords, f"{path}.keywords")
        elif isinstance(value, property):
            self._enter(path, "property")
            self._look_at(value.fget, path)
        elif isinstance(value, staticmethod | classmethod):
            self._enter(path, kind.__name__)
            self._look_at(cast(Any, value).__func__, path)
        elif isinstance(value, functools.cached_property):
            self._enter(path, "cached")
            self._look_at(value.func, path)
        else:
            self._object(value, kind, path)

    def _object(self, value: Any, kind: type[Any], path: str) -> None:
        """A container, or an object with attributes, or one of which nothing is known but what it is.

        Classes of mlirad say themselves what decides a trace: attributes to be looked at by `CAPTURED`, and
        by `CAPTURED_FIXED` those that never change and are compared as they are.
        """
        parts = getattr(kind, "CAPTURED", None) if kind.__module__.startswith("mlirad.") else None
        if parts is not None:
            fixed = getattr(kind, "CAPTURED_FIXED", ())
            self._enter(path, Same(kind), *(getattr(value, name) for name in fixed))
            for name in parts:
                self._attribute(value, name, path)
            return
        number = base_key(value)
        if number is not None:
            self._enter(path, Same(kind), number)
        if isinstance(value, Enum):
            self._look_at(value.value, f"{path}.value")
        is_container = self._container(value, kind, path) or number is not None
        if is_program_class(kind):
            self._enter(path, "object", Same(kind))
            if value is not self._weak:
                self.guards.append(TypeGuard(value, kind))
            self._class(kind, kind.__name__, _IMPLICIT)
            self._attributes(value, kind, path)
        elif not is_container:
            self._foreign(value, kind, path)

    # Functions -----------------------------------------------------------------------------------

    def _function(self, function: FunctionType, path: str) -> None:
        code = function.__code__
        is_programs_own = is_program_file(code.co_filename)
        self._enter(path, "function", code)
        self.guards.append(FunctionGuard(function))
        self._look_at(function.__defaults__, f"{_inside(path, 'the defaults')}")
        if function.__kwdefaults__ is not None:
            self._look_at(function.__kwdefaults__, f"{_inside(path, 'the defaults by name')}")
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._cell(cell, _inside(path, name))
        if not is_programs_own:
            return
        reads = reads_of(code)
        self.names |= reads.attributes
        if reads.reads_all:
            self.names.add(EVERY_NAME)
        self._globals(function, reads, path)
        own = {name: value for name, value in function.__dict__.items() if name != PROGRAMS}
        for name in sorted(self.names & own.keys()) if own else ():
            self.guards.append(ItemGuard(function.__dict__, name, own[name]))
            self._look_at(own[name], f"{path or function.__name__}.{name}")

    def _cell(self, cell: CellType, path: str) -> None:
        content = cell_content(cell)
        self._look_at_guarded(content, path, CellGuard(cell, content))

    def _globals(self, function: FunctionType, reads: CodeReads, path: str) -> None:
        table = function.__globals__
        own = (name for name in table if not name.startswith("__")) if reads.reads_globals else ()
        for name in dict.fromkeys((*reads.globals, *own)):
            place = (id(table), name)
            if place in self._builtins_seen:
                continue
            self._builtins_seen.add(place)
            value = table.get(name, MISSING)
            self._look_at_guarded(value, _inside(path, name), ItemGuard(table, sys.intern(name), value))
        for name in reads.modules:
            module = module_called(name, table)
            if module is not None:
                self._look_at(module, name)

    # Attributes ----------------------------------------------------------------------------------

    def _module(self, module: ModuleType, path: str) -> None:
        self._enter(path, Same(module))
        self.is_selective = True
        for generator in generators_of(module, self.names):
            self._look_at(generator, path)
        self._look_at(environment(module, self.names), f"{path}.environ")
        file = getattr(module, "__file__", None)
        if file is not None and not is_program_file(file):
            return
        for name in sorted(self.names & vars(module).keys()):
            self._item(vars(module), name, path)

    def _class(self, cls: type[Any], path: str, implicit: frozenset[str]) -> None:
        """The attributes of a class of the program, and of those it derives from, that code names."""
        if not is_program_class(cls):
            return
        self.is_selective = True
        for base in cls.__mro__:
            if not is_program_class(base):
                continue
            own = vars(base)
            wanted = own.keys() if self._reads_all else (self.names | implicit) & own.keys()
            for name in sorted(wanted):
                if self._reads_all and name.startswith("__") and name not in implicit:
                    continue
                place = (id(base), name)
                if place in self._builtins_seen:
                    continue
                self._builtins_seen.add(place)
                value: object = own[name]
                self._look_at_guarded(value, f"{base.__name__}.{name}", _class_guard(cls, base, name, value))

    def _attributes(self, value: Any, kind: type[Any], path: str) -> None:
        """The attributes of an object of the program that code names, and the fields of a dataclass."""
        self.is_selective = True
        table = attribute_table(value)
        if value is self._weak:
            self.guards.append(WeakGuard(weakref.ref(value), kind, table))
        elif table is not None:
            self.guards.append(AttributeGuard(value, "__dict__", table))
        if self._reads_all:
            self._all_attributes(value, path)
            return
        wanted = set(self.names)
        if is_dataclass(kind):
            wanted |= {field.name for field in fields(kind)}
        for name in sorted(wanted & slots_of(kind)):
            self._attribute(value, name, path)
        if table is None:
            return
        for name in sorted(wanted):
            if name in table:
                self._item(table, name, path)
            elif hasattr(kind, name):  # which an attribute of the object would hide
                self.guards.append(ItemGuard(table, name, MISSING))

    def _attributes_of_array(self, value: Any, kind: type[Any], path: str) -> None:
        """What an array of a class derived from NumPy's has besides its elements."""
        if is_program_class(kind):
            self._class(kind, kind.__name__, _IMPLICIT)
            self._attributes(value, kind, path)
        else:
            self._all_attributes(value, path)


def _inside(path: str, name: str) -> str:
    """A variable of the function at `path`; the function itself stands at ''."""
    return f"{path}: {name}" if path else name


def _class_guard(cls: type[Any], base: type[Any], name: str, value: object) -> Guard:
    """A guard of what `cls` finds in the class `base` under a name."""
    found = getattr(cls, name, MISSING)
    if found is getattr(cls, name, None):  # not made anew at each look, as methods of classes are
        return AttributeGuard(cls, sys.intern(name), found)
    return CallGuard(lambda: vars(base).get(name, MISSING) is value)
