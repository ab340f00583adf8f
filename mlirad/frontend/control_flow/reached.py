"""Objects that a body reaches besides the variables of its statement, and their changes in Python.

    def bump():            A body is traced once, for all iterations of a loop or for a way that may not be
        counts["n"] += 1   taken. Its changes to Python's own objects would be made once, too. So they
    for k in range(100):   are compared before and after: the loop is unrolled, which makes them in
        x = x + bump()     each iteration. Under a traced condition the statement carries attributes,
                           like variables (`attributes.py`), and any other change is an error.

Looked at are the variables of outer functions and the globals that functions reached from the body name,
lists, dictionaries and their like, attributes of objects of the program and of packages whose functions are
rewritten, small arrays, generators of random numbers, iterators. Of the globals of such packages those count
that code can change. Objects that others refer to are looked at, but not compared, since they keep results of
theirs. The variables of the statement itself are a matter of `state.py`. Globals may grow, as tables of what
was computed before do.
"""

from __future__ import annotations

import functools
import gc
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from types import (
    BuiltinMethodType,
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    TracebackType,
)
from typing import Any, Final, TypeAlias, cast
from weakref import ReferenceType

import numpy as np
import numpy.typing as npt

from mlirad.frontend.control_flow.kept import KeptList
from mlirad.frontend.control_flow.originals import Found, Originals
from mlirad.frontend.control_flow.package_globals import changed_globals
from mlirad.frontend.control_flow.places import (
    Access,
    Attribute,
    Content,
    Holder,
    Place,
    attribute,
    content_of,
    entry,
    of_array,
    of_class,
    of_kept,
    of_kept_list,
    of_list,
    of_table,
)
from mlirad.frontend.control_flow.state import is_missing, is_opaque
from mlirad.frontend.tracing.array import Array, base_of
from mlirad.frontend.tracing.capture_walk import PROGRAMS
from mlirad.frontend.tracing.captured_objects import (
    PROXIES,
    attribute_table,
    is_rewritable_class,
    plain_attribute,
    slots_of,
)
from mlirad.frontend.tracing.code_reads import is_program_file, is_rewritable_file, reads_of
from mlirad.frontend.tracing.drawn_objects import drawn_state, generator_classes, is_iterator, returning
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.jit.guards import MISSING, cell_content

_Waiting: TypeAlias = tuple[Any, str, bool, tuple[Any, str] | None]
"""An object, the name by which code reaches it, whether that is a global, and what attribute holds it."""

LIMIT: Final = 5_000
"""The number of objects that are looked at."""

_PLAIN: Final = frozenset((int, float, bool, str, bytes, complex, type(None), Array, np.dtype)) | PROXIES
"""Classes of what cannot change, or whose changes are seen elsewhere."""

_HOLDING: Final = frozenset(("builtins", "types", "collections", "itertools"))
"""Modules of classes whose objects hold what the program gives them, and nothing of their own."""

_CONTAINERS: Final = frozenset[type[Any]]((list, dict, tuple, KeptList))
"""Classes of what an attribute can hold values of the program in."""

_CLOSED: Final = (ModuleType, CodeType, FrameType, TracebackType)
"""Classes of objects from which everything is reached."""


def without_changes(
    parts: Sequence[Callable[[], Any]], cells: Set[int], what: str, originals: Originals
) -> Any:
    """Return what the last part of a body gives, after the others; raises if they change an object that they
    reach.

    Of the variables of the statement, in `cells`, and of the attributes that it carries, only what they hold
    is looked at. `originals` gets the objects that the body reaches. `Found` is raised where all that changes
    is attributes, which can be carried. Behind an exception all objects are as before.
    """
    reached = Reached(parts, cells, carried=originals.attributes)
    originals.outside.update(reached.objects)
    originals.holders = reached.holders
    try:
        result = [part() for part in parts][-1]
        changed = reached.changed()
        if changed:
            found = [place.changed_attributes() for place in changed]
            if originals.can_carry and all(found):
                raise Found(originals, [attribute for attributes in found for attribute in attributes])
            raise tracing_error(
                f"{what} with a traced condition changes {changed[0].name}, by itself or by a function that "
                "it calls, which happens once, while the function is traced",
                "let the function return what it changes, and assign that to a variable; write it after the "
                "statement",
            )
    except BaseException:  # behind which there is another way through the program, or another attempt
        reached.restore()
        raise
    reached.forget_computed()
    return result


class Reached:
    """The objects that functions reach, and what these hold."""

    def __init__(
        self,
        functions: Iterable[object],
        cells: Set[int] = frozenset(),
        codes: Iterable[tuple[CodeType, dict[str, Any]]] = (),
        carried: Iterable[Attribute] = (),
    ):
        """Look at functions and other objects, and at what codes read of tables of globals.

        Of the variables in `cells` and the attributes that are `carried`, only what they hold.
        """
        self._cells = cells
        self._carried: dict[int, set[str]] = {}
        for one in carried:
            self._carried.setdefault(id(one.owner), set()).add(one.name)
        self.holders: dict[int, Holder] = {}
        """The attributes that hold traced arrays, by the identity of these."""
        self._holder: tuple[Any, str] | None = None
        self._seen: dict[int, object] = {}
        self._modules: set[tuple[int, Set[str]]] = set()
        self._waiting: deque[_Waiting] = deque()
        self._foreign: deque[_Waiting] = deque()
        self._places: list[Place] = []
        self._uncomputed: list[tuple[dict[str, Any], Set[str]]] = []
        """The tables of attributes, with the names of those that objects compute when they are asked for."""
        self._is_global = self._is_foreign = False
        self.has_iterators = False
        """True if there are objects that cannot be given again what they held."""
        for function in functions:
            if isinstance(function, FunctionType):  # which may be one of mlirad's, around the program's
                self._function(function)
            else:
                self._open(function, "")
        for code, table in codes:
            self._globals(code, table)
        while (self._waiting or self._foreign) and len(self._seen) < LIMIT:
            self._is_foreign = not self._waiting
            value, name, self._is_global, self._holder = (self._waiting or self._foreign).popleft()
            self._open(value, name)

    @property
    def objects(self) -> Mapping[int, object]:
        """All that is reached, by identity."""
        return self._seen

    def changed(self) -> list[Place]:
        """The objects that hold something else now."""
        return [place for place in self._places if place.is_changed]

    def restore(self) -> None:
        """Let all objects but iterators hold again what they held."""
        self.forget_computed()
        for place in self._places:
            place.restore()

    def forget_computed(self) -> None:
        """Let objects compute again what they have computed since, of values that are not known outside."""
        for table, names in self._uncomputed:
            for name in names:
                table.pop(name, None)

    # The walk ------------------------------------------------------------------------------------

    def _look_at(self, value: Any, name: str) -> None:
        kind = cast("type[Any]", type(value))
        if kind not in _PLAIN and not issubclass(kind, np.generic) and id(value) not in self._seen:
            self._seen[id(value)] = value
            is_foreign = self._is_foreign and kind is not FunctionType and not is_rewritable_class(kind)
            waiting = self._foreign if is_foreign else self._waiting
            waiting.append((value, name, self._is_global, self._holder))

    def _enter(self, name: str, access: Access, owner: Any = None, attribute: str | None = None) -> None:
        if not self._is_foreign:
            self._places.append(Place(name, *access, self._is_global, owner, attribute))

    def _open(self, value: Any, name: str) -> None:
        kind = cast("type[Any]", type(value))
        if _CONTAINERS.isdisjoint(kind.__mro__):
            self._holder = None
        if kind is FunctionType:
            if is_rewritable_file(value.__code__.co_filename):
                self._function(value)
        elif kind is MethodType:
            self._look_at(value.__func__, name)
            self._look_at(value.__self__, name)
        elif isinstance(value, BuiltinMethodType | MethodWrapperType):
            self._look_at(value.__self__, name)
        elif isinstance(value, ReferenceType):
            self._look_at(value(), name)
        elif isinstance(value, type):
            self._class(cast("type[Any]", value))
        elif isinstance(value, staticmethod | classmethod):
            self._look_at(cast(Any, value).__func__, name)
        elif isinstance(value, property):
            self._look_at(value.fget, name)
        elif isinstance(value, functools.partial):
            for part in (value.func, *value.args, *value.keywords.values()):
                self._look_at(part, name)
        elif kind is np.ndarray:
            self._array(value, name)
        elif isinstance(value, generator_classes()):
            give_back = returning(value)
            self._enter(name, (lambda: (Content(drawn_state(value)),), lambda before: give_back()))
        elif is_iterator(value):
            self.has_iterators = self.has_iterators or not self._is_foreign
            self._enter(name, (lambda: (Content(drawn_state(value)),), lambda before: None))
            self._others(value, kind, name)
        elif kind is KeptList or isinstance(value, dict | list | set | deque | tuple):
            self._container(cast(Any, value), name)
        elif not is_rewritable_class(kind) and not issubclass(kind, _CLOSED):
            self._others(value, kind, name)
        if is_rewritable_class(kind):
            self._object(value, kind, name)

    def _function(self, function: FunctionType) -> None:
        code = function.__code__
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._cell(cell, name)
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self._look_at(default, function.__name__)
        if is_rewritable_file(code.co_filename):
            self._table(function.__dict__, f"an attribute of {function.__name__}", frozenset((PROGRAMS,)))
        if is_program_file(code.co_filename):
            self._globals(code, function.__globals__)
        elif is_rewritable_file(code.co_filename):
            self._changed_globals(function)

    def _changed_globals(self, function: FunctionType) -> None:
        """The globals of packages that a function, and those that it names, can change."""
        was_global = self._is_global
        for table, name in changed_globals(function):
            self._variable(table, name, frozenset())
        self._is_global = was_global

    def _globals(self, code: CodeType, table: dict[str, Any]) -> None:
        """The globals that code names, and of modules of the program the attributes."""
        was_global, reads = self._is_global, reads_of(code)
        for name in dict.fromkeys((*reads.globals, *reads.assigned)):
            if name in table:
                self._variable(table, name, reads.attributes)
        self._is_global = was_global

    def _variable(self, table: dict[str, Any], name: str, attributes: Set[str]) -> None:
        """A global variable, from which code goes on by attributes if it is a module."""
        self._is_global = False
        self._enter(name, entry(table, name))
        self._is_global = True
        value = table[name]
        if not isinstance(value, ModuleType):
            self._look_at(value, name)
        elif (id(value), attributes) not in self._modules:
            self._modules.add((id(value), attributes))
            file = getattr(value, "__file__", None)
            if file is not None and is_program_file(file):
                for key in sorted(attributes & vars(value).keys()):
                    self._variable(vars(value), key, attributes)

    def _cell(self, cell: CellType, name: str) -> None:
        content = cell_content(cell)
        if id(cell) in self._cells:
            # Arrays and structures of them are copies, or given back by the statement.
            if not is_missing(content) and content is not MISSING and is_opaque(content):
                self._look_at(content, name)
            return
        if id(cell) not in self._seen:
            self._seen[id(cell)] = cell
            self._enter(name, content_of(cell))
            self._look_at(content, name)

    def _array(self, array: npt.NDArray[Any], name: str) -> None:
        access = of_array(array)
        if access is not None:
            self._enter(name, access)
        if array.dtype == object:
            for part in array.ravel().tolist():
                self._look_at(part, name)

    def _container(self, value: Any, name: str) -> None:
        owner, attribute = self._holder or (None, None)
        if isinstance(value, dict):
            self._enter(name, of_table(cast("dict[Any, Any]", value), frozenset()), owner, attribute)
            for part in cast("dict[Any, Any]", value).values():
                self._look_at(part, name)
            return
        if type(value) is KeptList:
            self._enter(name, of_kept_list(value), owner, attribute)
            value = value.held
        elif isinstance(value, list):
            self._enter(name, of_list(cast("list[Any]", value)), owner, attribute)
        elif not isinstance(value, tuple):
            self._enter(name, of_kept(value))
        for part in cast("Iterable[Any]", value):
            self._look_at(part, name)

    def _table(self, table: dict[Any, Any], name: str, left_out: Set[str] = frozenset()) -> None:
        self._enter(name, of_table(table, left_out))
        for part in table.values():
            self._look_at(part, name)

    def _object(self, value: Any, kind: type[Any], name: str) -> None:
        """The attributes of an object, and the methods of its class."""
        table = attribute_table(value)
        carried = self._carried.get(id(value), set[str]())
        if table is not None:
            parts = ((key, part) for base in kind.__mro__ for key, part in vars(base).items())
            computed = frozenset(key for key, part in parts if _is_computed(part))
            self._uncomputed.append((table, computed - table.keys()))
            self._attributes(value, table, name, computed)
        for slot in sorted(slots_of(kind)):
            self._attribute(value, slot, plain_attribute(value, slot), name)
            if slot not in carried:
                self._enter(name, attribute(value, slot), value, slot)
        self._holder = None
        self._look_at(kind, name)

    def _attributes(self, value: Any, table: dict[str, Any], name: str, computed: Set[str]) -> None:
        """The attributes of an object that stand in a table, except those that keep what is computed."""
        self._enter(name, of_table(table, computed | self._carried.get(id(value), set())), value)
        for key, part in table.items():
            self._attribute(value, key, part, name)

    def _attribute(self, value: Any, key: str, part: Any, name: str) -> None:
        """Look at the value of an attribute; of a carried one, only if programs have no such values."""
        if part is MISSING or (key in self._carried.get(id(value), ()) and not is_opaque(part)):
            return
        self._holder = None if is_opaque(part) else (value, key)
        if self._holder is not None:
            for leaf in flatten(part)[0]:
                if isinstance(leaf, Array):
                    self.holders.setdefault(id(base_of(leaf)), (value, key, name))
        self._look_at(part, name)

    def _others(self, value: Any, kind: type[Any], name: str) -> None:
        """Visit the objects that an object of Python or of a package refers to, which is the program's only
        of some kinds.
        """
        package = kind.__module__
        if package.partition(".")[0] == "mlirad":
            return
        was_foreign = self._is_foreign
        self._is_foreign = was_foreign or package not in _HOLDING
        table = attribute_table(value)
        if table is not None:
            self._attributes(value, table, name, frozenset())
        # From Python 3.13 on an object may refer to the values of attributes beside its table.
        seen: set[int] = set() if table is None else {id(table), *map(id, table.values())}
        for part in gc.get_referents(value):
            if id(part) not in seen:
                self._look_at(part, name)
        self._is_foreign = was_foreign

    def _class(self, cls: type[Any]) -> None:
        """The attributes of a class, and of those it derives from."""
        for base in filter(is_rewritable_class, cls.__mro__):
            for key, part in list(vars(base).items()):
                name = f"{base.__name__}.{key}"
                if not (key.startswith("__") and key.endswith("__")):
                    self._enter(name, of_class(base, key))
                self._look_at(part, name)


def _is_computed(part: object) -> bool:
    """Return whether an attribute of a class keeps what it computes in the object."""
    return isinstance(part, functools.cached_property)
