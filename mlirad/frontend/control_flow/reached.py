"""What a body reaches besides the variables of its statement, and changes in Python: objects of the program.

    def bump():                   A body is traced once, for all trips of a loop or for a way that may not be
        counts["n"] += 1          taken. What it does to Python's own objects would be done once, too. So they
    for k in range(100):          are compared before and after: the loop is written out, which does it in
        x = x + bump()            each trip. Under a traced condition it is an error.

Looked at are the variables of outer functions and the globals that functions reached from the body name,
lists, dictionaries and their like, attributes of objects of the program, small arrays, generators of random
numbers, iterators. The variables of the statement itself are a matter of `state.py`. Globals may grow, as
tables of what was computed before do.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from types import CellType, FunctionType, MethodType
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.control_flow.state import is_missing, is_opaque
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.capture_walk import PROGRAMS
from mlirad.frontend.tracing.captured_objects import PROXIES, attribute_table, is_program_class, slots_of
from mlirad.frontend.tracing.code_reads import is_program_file, reads_of
from mlirad.frontend.tracing.drawn_objects import GENERATORS, drawn_state, is_iterator, returning
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.jit.guards import MISSING, cell_content

LIMIT: Final = 5_000
"""How many objects are looked at."""

SMALL: Final = 1 << 16
"""Up to how many bytes the elements of an array are compared."""

_PLAIN: Final = frozenset((int, float, bool, str, bytes, complex, type(None), Array, np.dtype)) | PROXIES
"""Classes of what cannot change, or whose changes are seen elsewhere."""

Parts: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class _Content:
    """What is compared by equality, not by identity."""

    value: object


@dataclass(frozen=True, eq=False)
class _Place:
    """An object, by the name under which code reaches it; what it held, and how to give it that again."""

    name: str
    read: Callable[[], Parts]
    write: Callable[[Parts], None]
    before: Parts
    may_grow: bool

    @property
    def is_changed(self) -> bool:
        """Whether it holds something else now."""
        now = self.read()
        if self.may_grow:
            now = now[: len(self.before)]
        return len(now) != len(self.before) or not all(map(_is_same, self.before, now))


def _is_same(before: object, now: object) -> bool:
    return before is now or (isinstance(before, _Content) and before == now)


def without_changes(
    parts: Sequence[Callable[[], Any]],
    cells: Set[int],
    what: str,
    outside: dict[int, object] | None = None,
) -> Any:
    """What the last part of a body gives, after the others; raises if they change an object that they reach.

    Of the variables of the statement, in `cells`, only what they hold is looked at. The objects that the body
    reaches are added to `outside`, by identity.
    """
    reached = Reached(parts, cells)
    if outside is not None:
        outside.update(reached.objects)
    result = [part() for part in parts][-1]
    name = reached.changed()
    if name is not None:
        raise tracing_error(
            f"{what} with a traced condition changes {name} by a function that it calls, which happens once, "
            f"while the function is traced",
            "let the function return what it changes, and assign that to a variable",
        )
    return result


class Reached:
    """The objects that functions reach, and what these hold."""

    def __init__(self, functions: Iterable[Callable[..., Any]], cells: Set[int] = frozenset()):
        self._cells = cells
        self._seen: dict[int, object] = {}
        self._waiting: deque[tuple[Any, str, bool]] = deque()
        self._places: list[_Place] = []
        self._is_global = False
        self.has_iterators = False
        """Whether there are objects that cannot be given again what they held."""
        for function in functions:
            if isinstance(function, FunctionType):  # which may be one of mlirad's, around the program's
                self._function(function)
            else:
                self._open(function, "")
        while self._waiting and len(self._seen) < LIMIT:
            value, name, self._is_global = self._waiting.popleft()
            self._open(value, name)

    @property
    def objects(self) -> Mapping[int, object]:
        """All that is reached, by identity."""
        return self._seen

    def changed(self) -> str | None:
        """The name of an object that holds something else now, `None` if there is none."""
        return next((place.name for place in self._places if place.is_changed), None)

    def restore(self) -> None:
        """Let all objects but iterators hold again what they held."""
        for place in self._places:
            if place.is_changed:
                place.write(place.before)

    # The walk ------------------------------------------------------------------------------------

    def _look_at(self, value: Any, name: str) -> None:
        kind = cast("type[Any]", type(value))
        if kind not in _PLAIN and not issubclass(kind, np.generic) and id(value) not in self._seen:
            self._seen[id(value)] = value
            self._waiting.append((value, name, self._is_global))

    def _enter(self, name: str, read: Callable[[], Parts], write: Callable[[Parts], None]) -> None:
        self._places.append(_Place(name, read, write, read(), self._is_global))

    def _open(self, value: Any, name: str) -> None:
        kind = cast("type[Any]", type(value))
        if kind is FunctionType:
            if is_program_file(value.__code__.co_filename):
                self._function(value)
        elif kind is MethodType:
            self._look_at(value.__func__, name)
            self._look_at(value.__self__, name)
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
        elif isinstance(value, GENERATORS):
            give_back = returning(value)
            self._enter(name, lambda: (_Content(drawn_state(value)),), lambda before: give_back())
        elif is_iterator(value):
            self.has_iterators = True
            self._enter(name, lambda: (_Content(drawn_state(value)),), lambda before: None)
        elif isinstance(value, dict | list | set | deque | tuple):
            self._container(cast(Any, value), name)
        if is_program_class(kind):
            self._object(value, kind, name)

    def _function(self, function: FunctionType) -> None:
        code = function.__code__
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._cell(cell, name)
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self._look_at(default, function.__name__)
        if not is_program_file(code.co_filename):
            return
        self._table(function.__dict__, f"an attribute of {function.__name__}", frozenset((PROGRAMS,)))
        table, was_global = function.__globals__, self._is_global
        reads = reads_of(code)
        for name in dict.fromkeys((*reads.globals, *reads.assigned)):
            if name in table:
                self._is_global = False
                self._enter(name, *_entry(table, name))
                self._is_global = True
                self._look_at(table[name], name)
        self._is_global = was_global

    def _cell(self, cell: CellType, name: str) -> None:
        content = cell_content(cell)
        if id(cell) in self._cells:
            # Arrays and structures of them are copies, or given back by the statement.
            if not is_missing(content) and content is not MISSING and is_opaque(content):
                self._look_at(content, name)
            return
        if id(cell) not in self._seen:
            self._seen[id(cell)] = cell
            self._enter(name, *_content_of(cell))
            self._look_at(content, name)

    def _array(self, array: npt.NDArray[Any], name: str) -> None:
        if array.nbytes <= SMALL and array.flags.writeable and not array.dtype.hasobject:
            before = array.copy()
            self._enter(
                name, lambda: (_Content(array.tobytes()),), lambda _: np.copyto(array, before, casting="no")
            )

    def _container(self, value: Any, name: str) -> None:
        if isinstance(value, dict):
            self._table(cast("dict[Any, Any]", value), name)
            return
        if isinstance(value, list):
            values = cast("list[Any]", value)
            self._enter(name, lambda: tuple(values), lambda before: values.__setitem__(slice(None), before))
        elif not isinstance(value, tuple):
            kept: set[Any] | deque[Any] = value
            self._enter(name, lambda: tuple(kept), functools.partial(_refill, kept))
        for part in cast("Iterable[Any]", value):
            self._look_at(part, name)

    def _table(self, table: dict[Any, Any], name: str, left_out: Set[str] = frozenset()) -> None:
        def read() -> Parts:
            return tuple(part for item in table.items() if item[0] not in left_out for part in item)

        def write(before: Parts) -> None:
            kept = {key: table[key] for key in left_out if key in table}
            table.clear()
            table.update(zip(before[::2], before[1::2], strict=True))
            table.update(kept)

        self._enter(name, read, write)
        for part in table.values():
            self._look_at(part, name)

    def _object(self, value: Any, kind: type[Any], name: str) -> None:
        """The attributes of an object, and the methods of its class."""
        table = attribute_table(value)
        if table is not None:
            parts = ((key, part) for base in kind.__mro__ for key, part in vars(base).items())
            self._table(table, name, frozenset(key for key, part in parts if _is_computed(part)))
        for slot in sorted(slots_of(kind)):
            self._look_at(getattr(value, slot, None), name)
            self._enter(name, *_attribute(value, slot))
        self._look_at(kind, name)

    def _class(self, cls: type[Any]) -> None:
        """The attributes of a class, and of those it derives from."""
        for base in filter(is_program_class, cls.__mro__):
            for key, part in list(vars(base).items()):
                name = f"{base.__name__}.{key}"
                if not (key.startswith("__") and key.endswith("__")):
                    self._enter(name, *_of_class(base, key))
                self._look_at(part, name)


def _is_computed(part: object) -> bool:
    """Whether an attribute of a class keeps what it computes in the object."""
    return isinstance(part, functools.cached_property)


def _refill(kept: set[Any] | deque[Any], parts: Parts) -> None:
    kept.clear()
    if isinstance(kept, set):
        kept.update(parts)
    else:
        kept.extend(parts)


Access: TypeAlias = tuple[Callable[[], Parts], Callable[[Parts], None]]


def _entry(table: dict[str, Any], name: str) -> Access:
    """A global variable."""

    def write(before: Parts) -> None:
        table[name] = before[0]

    return lambda: (table.get(name, MISSING),), write


def _content_of(cell: CellType) -> Access:
    """A variable of an outer function."""

    def write(before: Parts) -> None:
        if before[0] is MISSING:
            del cell.cell_contents
        else:
            cell.cell_contents = before[0]

    return lambda: (cell_content(cell),), write


def _of_class(cls: type[Any], name: str) -> Access:
    """An attribute of a class."""

    def write(before: Parts) -> None:
        setattr(cls, name, before[0])

    return lambda: (vars(cls).get(name, MISSING),), write


def _attribute(value: Any, name: str) -> Access:
    """An attribute in a slot."""

    def write(before: Parts) -> None:
        if before[0] is MISSING:
            delattr(value, name)
        else:
            setattr(value, name, before[0])

    return lambda: (getattr(value, name, MISSING),), write
