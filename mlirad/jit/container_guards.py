"""The guards of containers and classes: have they the same elements, entries, keys, attributes?

    ListGuard([a, b])            the same objects, in this order
    DictGuard({"k": a})          the same keys and values, in this order
    KeysGuard({"k": a})          the same keys, whatever their values are
    ListGuard(notes, grows=True) the same objects first; more may follow
    ClassGuard(Layer, [Layer, Base], [vars of Layer, vars of Base], {"scale", "loss"})
                                 the same attributes of these names

Objects are compared by identity. CPython gives a class another version whenever it, or a class that it
derives from, is assigned an attribute. So machine code compares one number for a class; where it differs,
Python looks at the names, and notes the new version if all that they stand for is the same.
"""

from __future__ import annotations

import ctypes
import operator
from collections import OrderedDict
from collections.abc import Sequence, Set
from contextlib import suppress
from functools import cache
from typing import Any, ClassVar, Final, cast

from mlirad.jit import object_layout as layout
from mlirad.jit.guard_kinds import CLASS, DICT, GROWING_DICT, GROWING_LIST, KEYS, LIST
from mlirad.jit.guards import Words


class ListGuard:
    """The elements of a list; those that it begins with, if it `grows`."""

    kinds: ClassVar = (LIST, GROWING_LIST)

    def __init__(self, value: Any, *, grows: bool = False):
        self._value, self._grows = value, grows
        self._parts = self._found()
        self._count = len(value)

    def _found(self) -> tuple[Any, ...]:
        return tuple(self._value)

    def holds(self) -> bool:
        """Return whether they are the same objects, in this order."""
        found = self._found()
        return (len(found) == len(self._parts) or (self._grows and len(found) > len(self._parts))) and all(
            a is b for a, b in zip(found, self._parts, strict=False)
        )

    def words(self, kept: list[object]) -> Sequence[Words]:
        """One comparison of memory, or walk over a dictionary."""
        pointers = (ctypes.c_void_p * max(len(self._parts), 1))(*map(id, self._parts))
        kept.append(pointers)
        return [(self.kinds[self._grows], id(self._value), ctypes.addressof(pointers), self._count)]

    def put_back(self) -> None:
        """Give the list its former elements."""
        cast(Any, list).__setitem__(self._value, slice(None), self._parts)


class DictGuard(ListGuard):
    """The keys and values of a dictionary, as they stand in its table."""

    kinds = (DICT, GROWING_DICT)

    def _found(self) -> tuple[Any, ...]:
        items: list[tuple[Any, Any]] = list(cast(Any, dict).items(self._value))
        return tuple(part for item in items for part in item)

    def put_back(self) -> None:
        """Give the dictionary its former entries, in their order."""
        base: Any = OrderedDict if OrderedDict in type(self._value).__mro__ else dict
        base.clear(self._value)
        for key, value in zip(self._parts[::2], self._parts[1::2], strict=True):
            base.__setitem__(self._value, key, value)


class KeysGuard(ListGuard):
    """The keys of a dictionary."""

    kinds = (KEYS, KEYS)

    def _found(self) -> tuple[Any, ...]:
        return tuple(cast(Any, dict).keys(self._value))

    def put_back(self) -> None:
        """Remove the keys that have come."""
        for key in set(self._found()).difference(self._parts):
            cast(Any, dict).pop(self._value, key, None)


_NO_VERSION: Final = (1 << 64) - 1


class ClassGuard:
    """The entries of some dictionaries of classes under names, and under all special ones besides the
    `inert`.

    `tables` are the dictionaries of the `owners`: of `cls` and of those of its bases that can change. Without
    names, all that they have is compared, and its order.
    """

    def __init__(
        self,
        cls: type[Any],
        owners: Sequence[type[Any]],
        tables: Sequence[dict[str, Any]],
        names: Set[str] | None,
        inert: Set[str] = frozenset(),
    ):
        self._cls, self._mro = cls, cls.__mro__
        self._owners, self._tables = tuple(owners), tuple(tables)
        self._names, self._inert = None if names is None else frozenset(names), inert
        self._expected = self._found()
        self._version = ctypes.c_uint64(_NO_VERSION)
        self._note_version()

    def _found(self) -> list[dict[str, Any]]:
        return [
            {name: value for name, value in list(table.items()) if self._is_compared(name)}
            for table in self._tables
        ]

    def _is_compared(self, name: str) -> bool:
        if self._names is None or name in self._names:
            return True
        return name.startswith("__") and name not in self._inert

    def _note_version(self) -> None:
        self._version.value = _version_of(self._cls)

    def holds(self) -> bool:
        """Return whether bases and attributes are the same objects."""
        if self._cls.__mro__ is not self._mro:
            return False
        for found, expected in zip(self._found(), self._expected, strict=True):
            if list(found) != list(expected) or not all(map(operator.is_, found.values(), expected.values())):
                return False
        self._note_version()
        return True

    def put_back(self) -> None:
        """Give the class and its bases their former attributes."""
        for owner, table, expected in zip(self._owners, self._tables, self._expected, strict=True):
            for name in [name for name in table if self._is_compared(name) and name not in expected]:
                type.__delattr__(owner, name)
            for name, value in expected.items():
                if table.get(name, self) is not value:
                    type.__setattr__(owner, name, value)

    def words(self, kept: list[object]) -> Sequence[Words]:
        """One word of memory, and a call of Python where it differs."""
        kept.append(holds := self.holds)
        return [(CLASS, id(self._cls) + layout.CLASS_VERSION, ctypes.addressof(self._version), id(holds))]


def _version_of(cls: type[Any]) -> int:
    """The number that CPython has for the present state of a class; one that none has if it has none."""
    if not has_versions():
        return _NO_VERSION
    return _word(cls) or _NO_VERSION


def _word(cls: type[Any]) -> int:
    """The word where a class has its version. A look-up in it gives it one."""
    with suppress(AttributeError):
        type.__getattribute__(cls, "_mlirad_version")
    return ctypes.c_uint32.from_address(id(cls) + layout.CLASS_VERSION).value


@cache
def has_versions() -> bool:
    """Return whether this interpreter counts versions of classes, where it is known to."""
    if not layout.is_layout_known():
        return False

    class Base:
        pass

    class Sample(Base):
        pass

    seen = [_word(Sample)]
    for owner in (Sample, Base, Base):
        setattr(owner, "attribute", len(seen))  # noqa: B010
        seen.append(_word(Sample))
    return 0 not in seen and len(set(seen)) == len(seen) and seen[-1] == _word(Sample)
