"""A walk over values: containers and arrays are opened, everything else is a matter of `capture_walk`.

It is breadth first, in an order that the program determines, and enters every value under the name by which
the code reaches it: `config.rates[0]`, `self.scale`, `helper: table`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable, Iterable
from functools import partial
from hashlib import blake2b
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.tracing.captured_objects import PROXIES, are_same
from mlirad.frontend.tracing.value_keys import Same, value_key
from mlirad.jit.array_guards import ArrayGuard
from mlirad.jit.guards import MISSING, CallGuard, DictGuard, Guard, ItemGuard, ListGuard

LIMIT: Final = 20_000
"""How many values are looked at. What lies beyond is taken not to change."""

MANY: Final = 64
"""The numbers and strings in a longer list are one entry together."""

SIZE_OF: Final = "the number of elements of "


class ValueWalk(ABC):
    """What has been entered so far, the guards of it, and what waits to be opened."""

    def __init__(self, ignored: frozenset[str]):
        self._ignored = ignored
        self.entries: list[tuple[str, Hashable]] = []
        self.nbytes = 0
        self.guards: list[Guard] = []
        self._seen: dict[int, str] = {}
        self._kept: list[object] = []  # so that no identity is used twice
        self._waiting: deque[tuple[Any, str]] = deque()

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out because there is too much."""
        return len(self.entries) < LIMIT

    def run(self, root: object) -> None:
        """Look at all that the root reaches."""
        self._look_at(root, "")
        while self.is_whole and self._waiting:
            self._open(*self._waiting.popleft())

    def _look_at(self, value: Any, path: str) -> None:
        """Enter what stands at `path`, and open it later if it has parts."""
        if path in self._ignored:
            return
        if value is MISSING:
            self.entries.append((path, None))
            return
        key = None if type(value) in PROXIES else value_key(value)
        if key is not None:
            self.entries.append((path, key))
            if type(value) is str:
                self._note_string(value)
            return
        known = self._seen.get(id(value))
        if known is not None:
            self.entries.append((path, ("same", known)))
            return
        self._seen[id(value)] = path
        self._kept.append(value)
        self._waiting.append((value, path))

    def _enter(self, path: str, *key: Hashable) -> None:
        self.entries.append((path, key))

    def _guard(self, path: str, guard: Guard) -> None:
        """Guard the place at `path`."""
        if path not in self._ignored:
            self.guards.append(guard)

    def _look_at_guarded(self, value: Any, path: str, guard: Guard) -> None:
        """Guard the place at `path`, and look at what stands there."""
        self._guard(path, guard)
        self._look_at(value, path)

    @abstractmethod
    def _note_string(self, value: str) -> None:
        """Take notice of a string, which may be the name of an attribute."""

    @abstractmethod
    def _open(self, value: Any, path: str) -> None:
        """Enter what a value is, and look at its parts."""

    # Containers ----------------------------------------------------------------------------------

    def _container(self, value: Any, kind: type[Any], path: str) -> bool:
        """Enter the elements of a container of Python's, or of a class derived from one."""
        if isinstance(value, dict):
            self._dict(cast("dict[Any, Any]", value), kind, path)
        elif isinstance(value, list):
            self._list(cast("list[Any]", value), kind, path)
        elif isinstance(value, tuple | frozenset):
            self._elements(tuple(cast("Iterable[Any]", value)), kind, path)
        elif isinstance(value, set | deque):
            given = cast("Iterable[Any]", value)
            before = tuple(given)
            self.guards.append(CallGuard(lambda: are_same(before, given)))
            self._elements(before, kind, path)
        else:
            return False
        return True

    def _dict(self, table: dict[Any, Any], kind: type[Any], path: str) -> None:
        names = {key: f"{path}[{key!r}]" for key in table}
        if self._ignored.isdisjoint(names.values()):
            self.guards.append(DictGuard(table))
        else:
            for key, name in names.items():
                self._guard(name, ItemGuard(table, key, table[key]))
        self._enter(path, Same(kind))
        self._enter(SIZE_OF + path, len(table))
        for k, (key, value) in enumerate(table.items()):
            self._look_at(key, f"key {k} of {path}")
            self._look_at(value, names[key])

    def _list(self, values: list[Any], kind: type[Any], path: str) -> None:
        names = [f"{path}[{k}]" for k in range(len(values))] if self._ignored else []
        if self._ignored.isdisjoint(names):
            self.guards.append(ListGuard(values))
        else:
            for k, name in enumerate(names):
                self._guard(name, CallGuard(partial(_is_element, values, k, values[k])))
        self._elements(tuple(values), kind, path)

    def _elements(self, values: tuple[Any, ...], kind: type[Any], path: str) -> None:
        self._enter(SIZE_OF + path, len(values))
        if len(values) > MANY:
            keys = tuple(value_key(value) for value in values)
            if None not in keys:
                self._enter(path, Same(kind), keys)
                return
        self._enter(path, Same(kind))
        for k, value in enumerate(values):
            self._look_at(value, f"{path}[{k}]")

    def _array(self, array: npt.NDArray[Any], path: str) -> None:
        if array.dtype.hasobject:
            self._array_of_objects(array, path)
            return
        content = b""
        if array.nbytes:
            numbers = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            content = blake2b(numbers.data, digest_size=16).digest()
        self._enter(path, Same(type(array)), array.dtype.str, array.shape, content)
        self.nbytes += array.nbytes
        self.guards.append(ArrayGuard(array))

    def _array_of_objects(self, array: npt.NDArray[Any], path: str) -> None:
        """An array of objects, or of records that have some: by its shape and its elements."""
        before, shape = objects_in(array), array.shape
        self.guards.append(CallGuard(lambda: array.shape == shape and are_same(before, objects_in(array))))
        self._enter(path, Same(type(array)), array.dtype.str, shape)
        self._elements(before, np.ndarray, path)


def objects_in(array: npt.NDArray[Any]) -> tuple[object, ...]:
    """The elements of an array of objects, or of records, which are made anew at each look."""
    return tuple(array.reshape(-1).tolist())


def _is_element(values: list[Any], place: int, expected: object) -> bool:
    return place < len(values) and values[place] is expected
