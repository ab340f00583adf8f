"""The originals of the copies that a body gets: `Originals` knows the earlier object for each of them.

items = [x, 2.0]            In the branch items is a copy. `originals.of(items)` tells the list from
if x > 0:                   before the branch, and that the copy has been written.
    items[0] = x
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mlirad.frontend.control_flow.objects import Path, are_same, is_mutable, opened, part_at, parts_or_version
from mlirad.frontend.control_flow.places import Attribute, Holder
from mlirad.frontend.control_flow.state import is_missing, is_opaque
from mlirad.frontend.tracing.array import Array, base_of, is_doubtful, is_scalar
from mlirad.frontend.tracing.pytree import LEAF_CLASSES
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Copy:
    """An object that stands for an original one, in the variable `name` of a body."""

    name: str
    original: Any
    copy: Any
    held: Any
    """Its state at the start: for an array the number of writes, for a container its parts."""

    @property
    def is_written(self) -> bool:
        """Return whether it holds something else now."""
        now = parts_or_version(self.copy)
        if isinstance(self.copy, Array):
            return now != self.held
        return not are_same(now, self.held)

    @property
    def may_be_written(self) -> bool:
        """Return whether it holds something else now, or is an array that may do so."""
        return self.is_written or (isinstance(self.copy, Array) and is_doubtful(base_of(self.copy)))


class Found(BaseException):
    """A body changes attributes that its statement does not carry yet: it is to be traced again."""

    def __init__(self, body: Originals, attributes: Sequence[Holder]):
        self.body, self.attributes = body, attributes


class Originals:
    """The originals of the objects in the variables of a body, and the attributes that its statement carries.

    With `can_carry`, the statement carries further attributes once the body changes them.
    """

    def __init__(
        self,
        before: Mapping[str, Any],
        start: Mapping[str, Any],
        attributes: Iterable[Attribute] = (),
        can_carry: bool = False,
    ):
        self.attributes, self.can_carry = tuple(attributes), can_carry
        self.holders: Mapping[int, Holder] = {}
        """The attributes that hold traced arrays, by the identity of these."""
        self._copies: dict[int, Copy] = {}
        self._writable: list[Copy] = []
        """The copies that can be written, which scalars cannot."""
        self._places: dict[Path, Copy] = {}
        for name, found in start.items():
            if name in before and not is_missing(found) and not is_opaque(found):
                self._note((name,), before[name], found)
        self._standing = dict(self._copies)
        self.outside: dict[int, object] = {}
        """The objects that the body reaches besides its variables, by identity."""

    def carry(self, array: Array) -> None:
        """Raise `Found` if an array from outside, which is about to be written, is held by an attribute."""
        holder = self.holders.get(id(array))
        if holder is not None and self.can_carry:
            raise Found(self, [holder])

    def _note(self, path: Path, original: Any, copy: Any) -> None:
        if type(copy) in LEAF_CLASSES:
            if isinstance(copy, Array) and copy is not original:
                self._add(path, Copy(str(path[0]), original, copy, parts_or_version(copy)))
            return
        one, other = opened(original), opened(copy)
        if isinstance(copy, Array) or (one is not None and other is not None):
            self._add(path, Copy(str(path[0]), original, copy, parts_or_version(copy)))
        if one is not None and other is not None and len(one.parts) == len(other.parts):
            for k, pair in enumerate(zip(one.parts, other.parts, strict=True)):
                self._note((*path, k), *pair)

    def _add(self, path: Path, new: Copy) -> None:
        known = self._copies.setdefault(id(new.copy), new)
        self._places[path] = known
        if known is new and not (type(new.copy) is Array and is_scalar(new.copy)):
            self._writable.append(new)

    def require_places(self, after: Mapping[str, Any]) -> None:
        """Forget what copies stand for that are elsewhere after an iteration: in the next one others are
        there.
        """
        for path, copy in self._places.items():
            if part_at(after, path) is not copy.copy:
                self._standing.pop(id(copy.copy), None)

    def of(self, found: Any) -> Copy | None:
        """The copy that an object is, `None` for one that was made in the body."""
        return self._standing.get(id(found))

    def object_of(self, found: Any) -> Any:
        """The list or dictionary from outside that this is, `None` if it was made in the body."""
        copy = self.of(found)
        original = copy.original if copy is not None else found if id(found) in self.outside else None
        return original if is_mutable(original) else None

    def arrays(self) -> Iterator[Copy]:
        """The copies of traced arrays, without scalars."""
        for copy in self._writable:
            if isinstance(copy.copy, Array) and isinstance(copy.original, Array):
                yield copy

    def written(self) -> Iterator[Copy]:
        """The arrays, lists and dictionaries that the body has written, or may have."""
        for copy in self._writable:
            if (isinstance(copy.copy, Array) or is_mutable(copy.copy)) and copy.may_be_written:
                yield copy


class Themselves(Originals):
    """The objects on a way that changes nothing: each stands for itself."""

    def __init__(self) -> None:
        super().__init__({}, {})

    def of(self, found: Any) -> Copy | None:
        """The object."""
        return Copy("", found, found, parts_or_version(found))
