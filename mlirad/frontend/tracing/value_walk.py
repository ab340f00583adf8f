"""A walk over values: containers and arrays are opened, everything else is a matter of `capture_walk`.

It is breadth first, in an order that the program determines, and enters every value under the name by which
the code reaches it: `config.rates[0]`, `self.scale`, `helper: table`.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict, deque
from collections.abc import Hashable, Sequence
from functools import partial
from hashlib import blake2b
from types import BuiltinFunctionType
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.tracing.captured_objects import PROXIES, are_same, derives, elements_of, items_of
from mlirad.frontend.tracing.value_keys import Same, value_key
from mlirad.jit.array_guards import ArrayGuard
from mlirad.jit.container_guards import DictGuard, ListGuard
from mlirad.jit.guards import MISSING, AttributeGuard, CallGuard, Guard, ItemGuard
from mlirad.lazy_dataclass import dataclass

LIMIT: Final = 20_000
"""The number of values that are looked at. Values beyond are taken not to change."""

MANY: Final = 64
"""The numbers and strings in a longer list are one entry together."""

_CONTAINERS: Final[tuple[type[Any], ...]] = (dict, list, tuple, frozenset, set, deque)

EPOCHS: Final = 256
"""The contents of how many growing containers are remembered. One that is forgotten begins a new epoch."""

SIZE_OF: Final = "the number of elements of "

LARGE: Final = 1 << 16
"""The bytes from which an array is told of by name: comparing them takes some microseconds."""


@dataclass(frozen=True)
class LargeArray:
    """An array that is compared at every call, by the name under which code reaches it, and its bytes."""

    name: str
    nbytes: int
    owns_memory: bool


class ValueWalk(ABC):
    """The values that have been entered so far, their guards, and those that wait to be opened.

    It does not look at `ignored` objects; of `growing` ones it compares the present elements, to which more
    may come.
    """

    def __init__(self, ignored: frozenset[str], growing: frozenset[str]):
        self._ignored = ignored
        self._growing = growing
        self.entries: list[tuple[str, Hashable]] = []
        self.has_growing = False
        self.nbytes = 0
        self.large: list[LargeArray] = []
        self.guards: list[Guard] = []
        self._count = 0
        self._seen: dict[int, str] = {}
        self._kept: list[object] = []  # so that no identity is used twice
        self._waiting: deque[tuple[Any, str]] = deque()

    @property
    def is_whole(self) -> bool:
        """Return whether nothing was left out because there is too much."""
        return self._count < LIMIT

    def run(self, root: object) -> None:
        """Look at all that the root reaches."""
        self._look_at(root, "")
        self._open_waiting()

    def _open_waiting(self) -> None:
        while self.is_whole and self._waiting:
            self._open(*self._waiting.popleft())

    def _look_at(self, value: Any, path: str) -> None:
        """Enter what stands at `path`, and open it later if it has parts."""
        if path in self._ignored:
            return
        if value is MISSING:
            self._add(path, None)
            return
        kind = cast("type[Any]", type(value))
        key = None if kind in PROXIES else value_key(value)
        if key is not None:
            self._add(path, key)
            if kind is str:
                self._note_string(value)
            elif kind is BuiltinFunctionType:
                self._note_function(value, path)
            elif kind is np.ufunc:
                self._note_ufunc(value, path)
            return
        known = self._seen.get(id(value))
        if known is not None:
            self._add(path, ("same", known))
            return
        self._seen[id(value)] = path
        self._kept.append(value)
        self._waiting.append((value, path))

    def _enter(self, path: str, *key: Hashable) -> None:
        self._add(path, key)

    def _add(self, path: str, key: Hashable) -> None:
        self._count += 1
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
    def _note_function(self, value: Any, path: str) -> None:
        """Take notice of a function of a library, which may read what no walk sees."""

    @abstractmethod
    def _note_ufunc(self, value: Any, path: str) -> None:
        """Take notice of a ufunc, which may be one of a function of the program."""

    @abstractmethod
    def _open(self, value: Any, path: str) -> None:
        """Enter what a value is, and look at its parts."""

    # Containers ----------------------------------------------------------------------------------

    def _container(self, value: Any, kind: type[Any], path: str) -> bool:
        """Enter the elements of a container of Python's, or of a class derived from one."""
        base = next((known for known in _CONTAINERS if derives(kind, known)), None)
        if base is dict:
            self._dict(value, kind, path)
        elif base is list:
            self._list(value, kind, path)
        elif base is not None:
            before = elements_of(base, value)
            if base in (set, deque):
                same = partial(_are_elements, base, value, before)
                self.guards.append(CallGuard(same, partial(_refill, base, value, before)))
            if base is deque:
                self._enter(path, "at most", value.maxlen)
            self._elements(before, kind, path)
        return base is not None

    def _dict(self, table: dict[Any, Any], kind: type[Any], path: str) -> None:
        if path in self._growing:
            self.guards.append(DictGuard(table, grows=True))
            self._grown(table, [part for item in items_of(table) for part in item], kind, path)
            return
        items = items_of(table)
        names = {key: f"{path}[{key!r}]" for key, _ in items}
        if self._ignored.isdisjoint(names.values()):
            self.guards.append(DictGuard(table))
        else:
            for key, value in items:
                self._guard(names[key], ItemGuard(table, key, value))
        if derives(kind, OrderedDict):  # which has an order of its own, beside that of its table
            keys = elements_of(OrderedDict, table)
            self.guards.append(CallGuard(lambda: are_same(keys, elements_of(OrderedDict, table))))
        self._enter(path, Same(kind))
        self._enter(SIZE_OF + path, len(items))
        for k, (key, value) in enumerate(items):
            self._look_at(key, f"key {k} of {path}")
            self._look_at(value, names[key])
        if derives(kind, defaultdict):
            factory = cast("object", cast(Any, table).default_factory)
            guard = AttributeGuard(table, "default_factory", factory)
            self._look_at_guarded(factory, f"{path}.default_factory", guard)

    def _list(self, values: list[Any], kind: type[Any], path: str) -> None:
        if path in self._growing:
            self.guards.append(ListGuard(values, grows=True))
            self._grown(values, elements_of(list, values), kind, path)
            return
        elements = elements_of(list, values)
        names = [f"{path}[{k}]" for k in range(len(elements))] if self._ignored else []
        if self._ignored.isdisjoint(names):
            self.guards.append(ListGuard(values))
        else:
            for k, name in enumerate(names):
                self._guard(name, CallGuard(partial(_is_element, values, k, elements[k])))
        self._elements(elements, kind, path)

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

    def _grown(self, owner: object, parts: Sequence[object], kind: type[Any], path: str) -> None:
        """Enter the parts of what may have more of them when the guards are checked, by its epoch."""
        self.has_growing = True
        keys = tuple(self._content(part, f"{path}[...{k}]") for k, part in enumerate(parts))
        self._enter(path, Same(kind), Same(owner), "epoch", epoch_of(owner, keys))

    def _content(self, value: object, path: str) -> Hashable:
        """The key of a value with all that it reaches, which is looked at now."""
        outer = self.entries, self._waiting
        self.entries, self._waiting = [], deque()
        try:
            self._look_at(value, path)
            self._open_waiting()
            return tuple(key for _, key in self.entries)
        finally:
            self.entries, self._waiting = outer

    def _array(self, array: npt.NDArray[Any], path: str) -> None:
        if array.dtype.hasobject:
            self._array_of_objects(array, path)
            return
        content = b""
        if array.nbytes:
            numbers = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            content = blake2b(numbers.data, digest_size=16).digest()
        layout = array.strides, array.flags.num
        self._enter(path, Same(type(array)), array.dtype.str, array.shape, layout, content)
        self.nbytes += array.nbytes
        guard = ArrayGuard(array)
        self.guards.append(guard)
        if not guard.is_constant and array.nbytes >= LARGE:
            self.large.append(LargeArray(path, array.nbytes, array.flags.owndata))

    def _array_of_objects(self, array: npt.NDArray[Any], path: str) -> None:
        """An array of objects, or of records that have some: by its shape and its elements."""
        before, shape = objects_in(array), array.shape
        self.guards.append(CallGuard(lambda: array.shape == shape and are_same(before, objects_in(array))))
        self._enter(path, Same(type(array)), array.dtype.str, shape, array.strides)
        self._elements(before, np.ndarray, path)


def objects_in(array: npt.NDArray[Any]) -> tuple[object, ...]:
    """The elements of an array of objects, or of records, which are re-created at each look."""
    return tuple(array.reshape(-1).tolist())


def _are_elements(base: Any, container: Any, expected: tuple[object, ...]) -> bool:
    return are_same(expected, elements_of(base, container))


def _refill(base: Any, container: Any, elements: tuple[object, ...]) -> None:
    """Give a set or a deque these elements."""
    base.clear(container)
    (set[Any].update if base is set else base.extend)(container, elements)


def _is_element(values: list[Any], place: int, expected: object) -> bool:
    return place < len(values) and values[place] is expected


_epochs: OrderedDict[int, tuple[int, tuple[Hashable, ...]]] = OrderedDict()
"""The epoch of a container, and the keys of what it held when it was last seen, by its identity. The keys of
programs keep the container, so its identity is no other one's while there are any.
"""

_numbers: Final = itertools.count(1)


def epoch_of(container: object, keys: tuple[Hashable, ...]) -> int:
    """The number of the present state of a container whose parts have these keys, in order.

    A state is another one when something was taken out or replaced, not when something was added.
    """
    known = _epochs.pop(id(container), None)
    is_same = known is not None and keys[: len(known[1])] == known[1]
    epoch = known[0] if known is not None and is_same else next(_numbers)
    _epochs[id(container)] = (epoch, keys)
    while len(_epochs) > EPOCHS:
        _epochs.popitem(last=False)
    return epoch
