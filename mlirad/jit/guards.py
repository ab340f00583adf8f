"""Guards: is everything that a program was made from still where it was found?

    guards = Guards([CellGuard(cell, 2.0), ItemGuard(module.__dict__, "scale", scale)])
    guards.hold()      -->  True, until the cell or the global is assigned another object

A guard names a place (a cell, an entry of a dictionary, an attribute, the elements of an array) and what
was there. Objects are compared by identity, elements of arrays bit by bit. The entry of a program checks
guards in machine code: 1 ns for a cell, some 10 for a global, and for an array what reading it costs. Where
the layout of objects is unknown, Python does it.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from types import CellType, FunctionType, ModuleType
from typing import Any, Final, Protocol, TypeVar, cast

from mlirad.jit import object_layout as layout
from mlirad.jit.c_functions import HOLD_FUNCTION, c_function, definition
from mlirad.jit.guard_kinds import ATTRIBUTE, CALL, ITEM, WORD, WORDS
from mlirad.lazy_dataclass import dataclass

G = TypeVar("G")

Words = tuple[int, int, int, int]
"""Kind, object, what to look for in it, what is expected: see `jit/guard_kinds.py`."""


class _Missing:
    """The mark of a slot that holds nothing."""

    def __repr__(self) -> str:
        return "nothing"


MISSING: Final = _Missing()


class Guard(Protocol):
    """A place and what was in it. Those of most kinds can put it back: they have `put_back`."""

    def holds(self) -> bool:
        """Return whether the same is in it."""
        ...

    def words(self, kept: list[object]) -> Sequence[Words]:
        """For the machine code. Objects that have to live as long as the words are put into `kept`."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class CellGuard:
    """The content of a variable of an enclosing function."""

    cell: CellType
    expected: object

    def holds(self) -> bool:
        """Return whether the cell has the same content."""
        return cell_content(self.cell) is self.expected

    def words(self, kept: list[object]) -> Sequence[Words]:
        """One word of memory."""
        return [(WORD, id(self.cell) + layout.CELL_CONTENT, 0, _pointer(self.expected))]

    def put_back(self) -> None:
        """Give the variable its former value."""
        if self.expected is not MISSING:
            self.cell.cell_contents = self.expected
        elif cell_content(self.cell) is not MISSING:
            del self.cell.cell_contents


@dataclass(frozen=True, eq=False, slots=True)
class ItemGuard:
    """An entry of a dictionary, such as a global; `MISSING` where there must be none."""

    table: dict[Any, Any]
    key: object
    expected: object

    def holds(self) -> bool:
        """Return whether the entry is the same object."""
        return self.table.get(self.key, MISSING) is self.expected

    def words(self, kept: list[object]) -> Sequence[Words]:
        """One look-up."""
        return [(ITEM, id(self.table), id(self.key), _pointer(self.expected))]

    @property
    def is_imported(self) -> bool:
        """Tell whether there was nothing, and a module has come."""
        return self.expected is MISSING and isinstance(self.table.get(self.key), ModuleType)

    def put_back(self) -> None:
        """Give the entry its former value."""
        if self.expected is not MISSING:
            self.table[self.key] = self.expected
        else:
            self.table.pop(self.key, None)


@dataclass(frozen=True, eq=False, slots=True)
class AttributeGuard:
    """An attribute of an object. It must be one whose reading runs no code of the user's."""

    owner: object
    name: str
    expected: object

    def holds(self) -> bool:
        """Return whether the attribute is the same object."""
        return getattr(self.owner, self.name, MISSING) is self.expected

    def words(self, kept: list[object]) -> Sequence[Words]:
        """One look-up."""
        return [(ATTRIBUTE, id(self.owner), id(self.name), _pointer(self.expected))]

    @property
    def is_imported(self) -> bool:
        """Tell whether there was nothing, and a module has come."""
        return self.expected is MISSING and isinstance(getattr(self.owner, self.name, None), ModuleType)

    def put_back(self) -> None:
        """Give the attribute its former value, past what the class does when it is assigned."""
        if self.expected is not MISSING:
            object.__setattr__(self.owner, self.name, self.expected)
        else:
            object.__delattr__(self.owner, self.name)


@dataclass(frozen=True, eq=False, slots=True)
class TypeGuard:
    """The type of an object."""

    value: object
    expected: type[Any]

    def holds(self) -> bool:
        """Return whether the object has the same type."""
        return type(self.value) is self.expected

    def words(self, kept: list[object]) -> Sequence[Words]:
        """One word of memory."""
        return [(WORD, id(self.value) + layout.TYPE, 0, id(self.expected))]


@dataclass(frozen=True, eq=False, slots=True)
class WeakGuard:
    """The type and the attributes of an object that is not kept alive: whoever checks must hold it."""

    reference: weakref.ref[Any]
    type: type[Any]
    attributes: dict[str, Any] | None

    def holds(self) -> bool:
        """Return whether it has the same type, and its attributes stand in the same dictionary."""
        value = self.reference()
        return value.__class__ is self.type and (
            self.attributes is None or getattr(value, "__dict__", None) is self.attributes
        )

    def words(self, kept: list[object]) -> Sequence[Words]:
        """A word of memory and a look-up."""
        address = id(self.reference())
        words: list[Words] = [(WORD, address + layout.TYPE, 0, id(self.type))]
        if self.attributes is not None:
            kept.append(name := sys.intern("__dict__"))
            words.append((ATTRIBUTE, address, id(name), id(self.attributes)))
        return words


class FunctionGuard:
    """The code of a function and its default values."""

    def __init__(self, function: FunctionType):
        self._function = function
        self._expected: dict[str, object] = {name: getattr(function, name) for name in layout.FUNCTION_FIELDS}

    def holds(self) -> bool:
        """Return whether they are the same objects."""
        return all(getattr(self._function, name) is value for name, value in self._expected.items())

    def words(self, kept: list[object]) -> Sequence[Words]:
        """A word of memory each."""
        return [
            (WORD, id(self._function) + layout.FUNCTION_FIELDS[name], 0, 0 if value is None else id(value))
            for name, value in self._expected.items()
        ]


@dataclass(frozen=True, eq=False, slots=True)
class CallGuard:
    """A guard that calls a function, for values without a guard of their own."""

    holds: Callable[[], bool]
    restore: Callable[[], object] | None = None
    """Puts back what was there, where something can."""

    def words(self, kept: list[object]) -> Sequence[Words]:
        """A call of Python."""
        return [(CALL, id(self.holds), 0, 0)]

    def put_back(self) -> None:
        """Put back what was there."""
        if self.restore is not None:
            self.restore()


class Guards:
    """Guards that are checked together."""

    def __init__(self, guards: Sequence[Guard]):
        self._guards = tuple(guards)
        self._kept: list[object] = []
        self._made: dict[str, ctypes.Array[ctypes.c_int64]] = {}

    @classmethod
    def together(cls, parts: Sequence[Guards]) -> Guards:
        """The guards of all parts."""
        return cls([guard for part in parts for guard in part._guards])

    @property
    def _words(self) -> ctypes.Array[ctypes.c_int64]:
        """Tables hold their address: of two threads that make words at once, those of the first one stay."""
        found = self._made.get("words")
        if found is None:
            words = [w for guard in self._guards for line in guard.words(self._kept) for w in line]
            found = self._made.setdefault("words", (ctypes.c_int64 * len(words))(*words))
        return found

    @property
    def address(self) -> int:
        """Return where the words are."""
        return ctypes.addressof(self._words)

    @property
    def count(self) -> int:
        """Return how many guards the words describe."""
        return len(self._words) // WORDS

    @cached_property
    def hold(self) -> Callable[[], bool]:
        """Return whether all of them hold."""
        if not self._guards:
            return bool_true
        if not layout.is_layout_known():
            return self._hold
        return cast("Callable[[], bool]", c_function(_Table(self)))

    def _hold(self) -> bool:
        return all(guard.holds() for guard in self._guards)

    def among(self, kind: type[G]) -> list[G]:
        """The guards of a kind."""
        return [guard for guard in self._guards if isinstance(guard, kind)]

    def put_back(self) -> bool:
        """Put back what was in the places, as far as that can be done; those that hold are left alone.

        Modules that were imported stay. Tell whether all else is as it was.
        """
        is_whole = True
        for guard in self._guards:
            if guard.holds() or getattr(guard, "is_imported", False):
                continue
            put_back = getattr(guard, "put_back", None)
            if put_back is not None:
                with suppress(AttributeError, TypeError, ValueError):  # of what can only be read
                    put_back()
            is_whole = is_whole and guard.holds()
        return is_whole


class _Table:
    """The words of guards, for the function that checks them alone."""

    def __init__(self, guards: Guards):
        self._guards = guards
        self._words = (ctypes.c_int64 * 2)(guards.address, guards.count)
        self.definition = definition("hold", HOLD_FUNCTION)

    @property
    def address(self) -> int:
        """Return where the address of the guards and their number are."""
        return ctypes.addressof(self._words)


def bool_true() -> bool:
    """True."""
    return True


def cell_content(cell: CellType) -> object:
    """Return what is in a cell, `MISSING` for an empty one."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _pointer(value: object) -> int:
    return 0 if value is MISSING else id(value)
