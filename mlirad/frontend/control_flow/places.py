"""What objects of Python hold, to be compared with what they hold later, and to be given back.

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

from mlirad.jit.guards import MISSING, cell_content
from mlirad.lazy_dataclass import dataclass

SMALL: Final = 1 << 16
"""Up to how many bytes the elements of an array are compared."""

Parts: TypeAlias = tuple[object, ...]

Access: TypeAlias = tuple[Callable[[], Parts], Callable[[Parts], None]]
"""What reads the parts of an object, and what writes them."""


@dataclass(frozen=True)
class Content:
    """What is compared by equality, not by identity."""

    value: object


@dataclass(frozen=True, eq=False)
class Place:
    """An object, by the name under which code reaches it; what it held, and how to give it that again."""

    name: str
    read: Callable[[], Parts]
    write: Callable[[Parts], None]
    may_grow: bool
    before: Parts = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "before", self.read())

    @property
    def is_changed(self) -> bool:
        """Whether it holds something else now."""
        now = self.read()
        if self.may_grow:
            now = now[: len(self.before)]
        return len(now) != len(self.before) or not all(map(_is_same, self.before, now))

    def restore(self) -> None:
        """Let it hold again what it held."""
        if self.is_changed:
            self.write(self.before)


def _is_same(before: object, now: object) -> bool:
    return before is now or (isinstance(before, Content) and before == now)


def of_list(values: list[Any]) -> Access:
    """The elements of a list."""
    return lambda: tuple(values), lambda before: values.__setitem__(slice(None), before)


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
    """The keys and values of a dictionary, but for some keys."""

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
            delattr(value, name)
        else:
            setattr(value, name, before[0])

    return lambda: (getattr(value, name, MISSING),), write
