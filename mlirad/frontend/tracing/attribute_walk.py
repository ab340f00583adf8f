"""The part of the walk over captured objects that knows how Python finds attributes, and where it finds none.

    b.scale()      the dictionary of b, then those of its class and of each class that this derives from
    np.sin         a module of an installed package, which is taken not to change
    hasattr(c, "k") and `except AttributeError` see what is not there: so names of attributes are compared

Names are those that appear in the code that was found. Where code may read others, or a class derives from
one of a library, all attributes are compared.
"""

from __future__ import annotations

import abc
import sys
import weakref
from collections.abc import Set
from dataclasses import fields, is_dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Final, cast

import numpy as np

from mlirad.frontend.tracing.captured_objects import (
    are_same,
    attribute_table,
    class_table,
    file_of,
    finds_plainly,
    found_in,
    has_library_code,
    is_program_class,
    is_slot,
    plain_attribute,
)
from mlirad.frontend.tracing.code_reads import CONSTRUCTS, EVERY_NAME, SURVIVES, is_program_file, setter
from mlirad.frontend.tracing.drawn_objects import generators_of
from mlirad.frontend.tracing.library_objects import environment
from mlirad.frontend.tracing.library_walk import LibraryWalk
from mlirad.frontend.tracing.value_keys import Same
from mlirad.jit.container_guards import ClassGuard, KeysGuard
from mlirad.jit.guards import MISSING, AttributeGuard, CallGuard, ItemGuard, TypeGuard, WeakGuard

_INERT: Final = frozenset((
    "_abc_impl", "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__",
    "__annotations_cache__", "__classcell__", "__dataclass_fields__", "__dataclass_params__", "__dict__",
    "__doc__", "__firstlineno__",
    "__module__", "__orig_bases__", "__parameters__", "__qualname__", "__slots__", "__static_attributes__",
    "__type_params__", "__weakref__",
))  # fmt: skip
"""Attributes of classes which Python does not read unless code names them."""

_CONSTRUCTING: Final = frozenset(("__new__", "__init__", "__post_init__"))

_FIXED: Final[frozenset[Any]] = frozenset(
    cast("tuple[Any, ...]", (BuiltinFunctionType, np.ufunc, type(cast(Any, np.sum)), float, int, str))
)
"""Classes of what stands in modules of libraries and is simply of those."""

_SHOWN: Final = frozenset(("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"))
"""Attributes of functions and classes that stand in no dictionary."""

_SHOWING: Final = _SHOWN | {EVERY_NAME}
"""The names by which code reads one of these."""


class AttributeWalk(LibraryWalk):
    """A walk that knows where objects, classes and modules of the program have their attributes.

    The guards keep neither `weak` alive nor, of a method, its instance.
    """

    def __init__(
        self,
        names: frozenset[str],
        ignored: frozenset[str],
        growing: frozenset[str] = frozenset(),
        weak: object = None,
    ):
        super().__init__(names, ignored, growing)
        self._weak = weak
        self.is_selective = False
        self._has_shown = False
        self._places: set[tuple[int, str]] = set()
        self._classes: set[tuple[int, bool]] = set()
        self._kinds: dict[type[Any], _Kind] = {}

    def depends_on(self, names: Set[str]) -> bool:
        """Tell if the walk might have found other entries with other names to seek."""
        return bool(names) and (self.is_selective or (self._has_shown and not names.isdisjoint(_SHOWING)))

    # Modules -------------------------------------------------------------------------------------

    def _module(self, module: ModuleType, kind: type[Any], path: str) -> None:
        self._enter(path, Same(module))
        self.is_selective = True
        for generator in generators_of(module, self.names):
            self._look_at(generator, path)
        self._look_at(environment(module, self.names), f"{path}.environ")
        table = vars(module)
        if is_library_module(module):
            self._note_names(module, path)
            own = [name for name in self.names & table.keys() if type(table[name]) not in _FIXED]
            for name in sorted(own):
                if name != "modules" and _can_change(module, table[name]):
                    self._item(table, name, path)
            return
        for name in sorted((self.names | {"__getattr__"}) & table.keys()):
            self._item(table, name, path)
        self._absent(table, path, "__getattr__" in table)
        if kind is not ModuleType:
            self._class(kind, kind.__name__, constructs=False)

    # Classes -------------------------------------------------------------------------------------

    def _class(self, cls: type[Any], path: str, *, constructs: bool) -> None:
        """The attributes of a class of the program, and of those it derives from, that code names, and those
        that Python reads by itself.
        """
        if (id(cls), constructs) in self._classes:
            return
        self._classes.add((id(cls), constructs))
        if not is_program_class(cls):
            return
        self.is_selective = True
        bases = [base for base in cls.__mro__ if is_program_class(base)]
        tables = [class_table(base) for base in bases]
        self._enter(path, "derives from", *map(Same, cls.__mro__))
        reads_all = self._reads_all or has_library_code(cls)
        constructs = constructs or CONSTRUCTS in self.names
        for base, table in zip(bases, tables, strict=True):
            for name in list(table) if reads_all else sorted(table):
                if self._is_read(table, name, constructs) or (reads_all and name not in _INERT - _SHOWN):
                    self._of_class(table, name, base.__name__)
        wanted = None if reads_all else self.names | {name[1:] for name in self.names if setter("") in name}
        self.guards.append(ClassGuard(cls, bases, tables, wanted, _INERT))
        self._shown(cls, path)
        if any("__exit__" in table for table in tables):
            self._read((SURVIVES,))
        if "__subclasses__" in self.names:
            self._derived(cls, path)
        self._registered(cls, path)

    def _is_read(self, table: Any, name: str, constructs: bool) -> bool:
        """Return whether code reads what a class has under a name, or Python does by itself."""
        if name in self.names:
            return True
        if setter(name) in self.names:
            kind = cast("type[Any]", type(table[name]))
            return hasattr(kind, "__set__") or hasattr(kind, "__delete__")
        is_special = name.startswith("__") and name not in _INERT
        return is_special and (constructs or name not in _CONSTRUCTING)

    def _of_class(self, table: dict[str, Any], name: str, path: str) -> None:
        """Visit the attribute that the class at `path` has under a name."""
        place = (id(table), name)
        if place in self._places:
            return
        self._places.add(place)
        value: Any = table[name]
        self._look_at(value, f"{path}.{name}")
        kind = cast("type[Any]", type(value))
        if name == "__match_args__" and kind is tuple:
            self._read(part for part in value if isinstance(part, str))
        if issubclass(kind, classmethod):
            self._read((CONSTRUCTS,))

    def _shown(self, owner: Any, path: str) -> None:
        """The attributes of a function or a class that stand in no dictionary, if code names them."""
        self._has_shown = True
        read = _SHOWN & self.names
        if self._reads_all:
            read |= {"__annotations__"}
        for name in sorted(read):
            found = getattr(owner, name, MISSING)
            self._look_at_guarded(found, f"{path}.{name}", AttributeGuard(owner, sys.intern(name), found))

    def _derived(self, cls: type[Any], path: str) -> None:
        """The classes that derive from one."""
        before = tuple(type.__subclasses__(cls))
        self.guards.append(CallGuard(lambda: are_same(before, type.__subclasses__(cls))))
        for derived in before:
            self._look_at(derived, f"{path}.__subclasses__()")

    def _registered(self, cls: type[Any], path: str) -> None:
        """Visit a class that others can be registered with, or that asks for attributes."""
        if not isinstance(cls, abc.ABCMeta):
            return
        before = abc.get_cache_token()
        self.guards.append(CallGuard(lambda: abc.get_cache_token() == before))
        found: frozenset[Any] = cast(Any, abc)._get_dump(cls)[0]
        self._enter(path, "registered", frozenset(Same(reference()) for reference in found))
        if getattr(cls, "_is_protocol", False):
            asked = cast("set[str]", getattr(cls, "__protocol_attrs__", None) or set(vars(cls)))
            self._read((SURVIVES, *asked, *getattr(cls, "__annotations__", ())))

    # Objects -------------------------------------------------------------------------------------

    def _attributes(self, value: Any, kind: type[Any], path: str) -> None:
        """The attributes of an object of the program that code names, and the fields of a dataclass."""
        self.is_selective = True
        table = attribute_table(value)
        known = self._kinds.get(kind)
        if known is None:
            known = self._kinds[kind] = _Kind(kind, self.names)
        if value is self._weak:
            self.guards.append(WeakGuard(weakref.ref(value), kind, table))
        elif table is not None and known.finds_plainly:
            self.guards.append(AttributeGuard(value, "__dict__", table))
        elif table is not None:
            self.guards.append(CallGuard(lambda: plain_attribute(value, "__dict__") is table))
        if known.may_hide:
            self._hidden(value, kind, path)
        if self._reads_all or known.has_library_code:
            self._all_attributes(value, path)
            return
        for name, is_field in known.names.items():
            if is_field:
                self._attribute(value, name, path)
            elif table is not None and name not in table:  # one there would hide it
                self.guards.append(ItemGuard(table, name, MISSING))
        if table is not None:
            for name in sorted(known.wanted & table.keys()):
                self._item(table, name, path)
            self._absent(table, path, known.has_fallback)

    def _absent(self, table: dict[str, Any], path: str, is_asked: bool) -> None:
        """Guard that what stands in no dictionary of attributes stays out of it, if code can see that."""
        if not is_asked and SURVIVES not in self.names:
            return
        missing = [name for name in self.names if name not in table]
        if len(missing) < len(table):
            for name in sorted(missing):
                self._guard(f"{path}.{name}", ItemGuard(table, sys.intern(name), MISSING))
        else:
            self.guards.append(KeysGuard(table))

    def _typed(self, value: Any, kind: type[Any], path: str) -> None:
        """The class of an object of the program, and its attributes."""
        self._enter(path, "object", Same(kind))
        if value is not self._weak:
            self.guards.append(TypeGuard(value, kind))
        self._class(kind, kind.__name__, constructs=False)
        self._attributes(value, kind, path)


class _Kind:
    """The common properties of the objects of a class, for a walk that looks for attributes of some names.

    `names` are those that the class has, itself or from a base, with whether they are fields of its objects.
    `may_hide` says that it derives from a class of a library, which may keep values of its own.
    """

    def __init__(self, kind: type[Any], names: set[str]):
        self.has_library_code = has_library_code(kind)
        self.finds_plainly = finds_plainly(kind)
        self.may_hide = not all(map(is_program_class, kind.__mro__[:-1]))
        self.has_fallback = found_in(kind, "__getattr__") is not MISSING
        listed = {field.name for field in fields(kind)} if is_dataclass(kind) else set[str]()
        self.wanted = names | listed
        found = {name: found_in(kind, name) for name in sorted(self.wanted)}
        self.names = {
            name: is_slot(part) and not name.startswith("__")
            for name, part in found.items()
            if part is not MISSING
        }


def is_library_module(module: ModuleType) -> bool:
    """Return whether a module is one of Python's or of an installed package."""
    file = file_of(module)
    if file is None:
        return module.__name__.partition(".")[0] in sys.stdlib_module_names
    return not is_program_file(file)


def _can_change(module: ModuleType, value: Any) -> bool:
    """Return whether what stands in a module of a library is not simply of that library: containers, the
    modules in Python's, all that those of Python have which are part of the interpreter, and what the program
    put there.
    """
    if file_of(module) is None:
        return True
    kind = cast("type[Any]", type(value))
    if kind is FunctionType:
        return is_program_file(value.__code__.co_filename)
    if issubclass(kind, ModuleType):
        return module.__name__.partition(".")[0] in sys.stdlib_module_names
    return issubclass(kind, list | dict | set | abc.ABCMeta)
