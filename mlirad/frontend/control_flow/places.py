"""The contents of Python objects, to be compared with later contents, and to be restored.

place = Place("counts", *entry(vars(module), "counts"), may_grow=True)
place.is_changed                  whether the global variable `counts` is another object now
place.restore()                   gives it the one of before
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Set
from dataclasses import field
from types import CellType
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mlirad.errors import TracingError
from mlirad.frontend.control_flow.kept import KeptList
from mlirad.frontend.tracing.captured_objects import attribute_table, found_in, is_slot, plain_attribute
from mlirad.jit.guards import MISSING, cell_content
from mlirad.lazy_dataclass import dataclass

SMALL: Final = 1 << 16
"""The most bytes of an array whose elements are compared."""

Parts: TypeAlias = tuple[object, ...]

Access: TypeAlias = tuple[Callable[[], Parts], Callable[[Parts], None]]
"""The function that reads the parts of an object, and the one that writes them."""


Key: TypeAlias = tuple[int, str]
"""The identity of an object, and the name of an attribute."""


Holder: TypeAlias = tuple[Any, str, str]
"""An object, an attribute of it, and the name by which code reaches the object."""


class Attribute:
    """An attribute of an object, under the name by which code reaches it."""

    def __init__(self, owner: Any, name: str, shown: str):
        self.owner, self.name, self.shown = owner, name, f"{shown}.{name}"
        kind = cast("type[Any]", type(owner))
        of_kind = found_in(kind, name)
        table = attribute_table(owner)
        self._table = None if is_slot(of_kind) else table
        is_default = self._table is not None and name not in self._table and not hasattr(of_kind, "__get__")
        self._default = of_kind if is_default else MISSING

    @property
    def is_of_class(self) -> bool:
        """Tell if the object takes it from its class."""
        return self._default is not MISSING

    def require_default(self, place: str | None) -> None:
        """Raise `TracingError`, for a line of the source, if the class has another one now."""
        if found_in(cast("type[Any]", type(self.owner)), self.name) is not self._default:
            raise TracingError(
                f"{self.shown} is written under a traced condition, and its class gets another one later",
                location=place,
                hint=f"assign {self.shown} before the condition, in the object",
            )

    @property
    def key(self) -> Key:
        """The key by which it differs from other attributes."""
        return id(self.owner), self.name

    def read(self) -> Any:
        """Return its value, `MISSING` if the object has none."""
        if self._table is None:
            return plain_attribute(self.owner, self.name)
        return self._table.get(self.name, self._default)

    def write(self, value: Any) -> None:
        """Set it; `MISSING`, or the value of the class, removes the object's own."""
        is_own = value is not MISSING and value is not self._default
        if self._table is None:
            if is_own:
                object.__setattr__(self.owner, self.name, value)
            elif plain_attribute(self.owner, self.name) is not MISSING:
                object.__delattr__(self.owner, self.name)
        elif is_own:
            self._table[self.name] = value
        else:
            self._table.pop(self.name, None)


@dataclass(frozen=True)
class Content:
    """A value that is compared by equality, not by identity."""

    value: object


@dataclass(frozen=True, eq=False)
class Place:
    """An object, by the name under which code reaches it; what it held, and how to give it that again."""

    name: str
    read: Callable[[], Parts]
    write: Callable[[Parts], None]
    may_grow: bool
    owner: Any = None
    """The object with these attributes, or with an attribute that holds this container."""
    attribute: str | None = None
    """That attribute; None of a table of attributes."""
    before: Parts = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "before", self.read())

    @property
    def is_changed(self) -> bool:
        """Return whether it holds something else now."""
        now = self.read()
        if self.may_grow:
            now = now[: len(self.before)]
        return len(now) != len(self.before) or not all(map(_is_same, self.before, now))

    def changed_attributes(self) -> list[Holder]:
        """The attributes of an object that have changed, or hold what has; none of anything else."""
        if self.owner is None:
            return []
        if self.attribute is not None:
            return [(self.owner, self.attribute, self.name)]
        now = self.read()
        before, after = (dict(zip(found[::2], found[1::2], strict=True)) for found in (self.before, now))
        names = [name for name in before | after if before.get(name, MISSING) is not after.get(name, MISSING)]
        return [(self.owner, str(name), self.name) for name in names]

    def restore(self) -> None:
        """Let it hold again what it held."""
        if self.is_changed:
            self.write(self.before)


def _is_same(before: object, now: object) -> bool:
    return before is now or (isinstance(before, Content) and before == now)


def of_list(values: list[Any]) -> Access:
    """The elements of a list."""
    return lambda: tuple(values), lambda before: values.__setitem__(slice(None), before)


def of_kept_list(values: KeptList) -> Access:
    """The elements of a list that traced conditions keep or leave out, and the flags."""
    before = values.copy()
    return lambda: values.held, lambda _: values.become(before)


def of_kept(kept: set[Any] | deque[Any]) -> Access:
    """The elements of a set or a deque."""
    return lambda: tuple(kept), functools.partial(_refill, kept)


def _refill(kept: set[Any] | deque[Any], parts: Parts) -> None:
    kept.clear()
    if isinstance(kept, set):
        kept.update(parts)
    else:
        kept.extend(parts)


def of_array(array: npt.NDArray[Any]) -> Access | None:
    """The elements of an array, `None` of one that is large or cannot be written."""
    if not array.flags.writeable or array.nbytes > SMALL:
        return None
    before = array.copy()
    if array.dtype == object:
        return lambda: tuple(cast("list[object]", array.ravel().tolist())), lambda _: np.copyto(array, before)
    if array.dtype.hasobject:
        return None
    return (
        lambda: (Content(array.tobytes()),),
        lambda _: np.copyto(array, before, casting="no"),
    )


def of_table(table: dict[Any, Any], left_out: Set[str]) -> Access:
    """The keys and values of a dictionary, except for some keys."""

    def read() -> Parts:
        return tuple(part for item in table.items() if item[0] not in left_out for part in item)

    def write(before: Parts) -> None:
        kept = {key: table[key] for key in left_out if key in table}
        table.clear()
        table.update(zip(before[::2], before[1::2], strict=True))
        table.update(kept)

    return read, write


def entry(table: dict[str, Any], name: str) -> Access:
    """A global variable."""

    def write(before: Parts) -> None:
        table[name] = before[0]

    return lambda: (table.get(name, MISSING),), write


def content_of(cell: CellType) -> Access:
    """A variable of an outer function."""

    def write(before: Parts) -> None:
        if before[0] is MISSING:
            del cell.cell_contents
        else:
            cell.cell_contents = before[0]

    return lambda: (cell_content(cell),), write


def of_class(cls: type[Any], name: str) -> Access:
    """An attribute of a class."""

    def write(before: Parts) -> None:
        setattr(cls, name, before[0])

    return lambda: (vars(cls).get(name, MISSING),), write


def attribute(value: Any, name: str) -> Access:
    """An attribute in a slot."""

    def write(before: Parts) -> None:
        if before[0] is MISSING:
            object.__delattr__(value, name)
        else:
            object.__setattr__(value, name, before[0])

    return lambda: (plain_attribute(value, name),), write
