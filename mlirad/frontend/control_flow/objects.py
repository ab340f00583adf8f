"""Which objects the parts of variables are: what a body writes is what was there before it, as in Python.

    table = {"v": v}            In the branch both variables hold copies, of which `table["v"]` is still v:
    if x > 0:                   `linked` makes containers one object where they were one. Behind it v has
        table["v"][0] = x       been written, and so has the dictionary that `table` is, whatever else refers
        table["n"] = x          to it: `Originals` knows what stands for what, and `Results` writes what a
                                branch or a loop gives into the original objects.

Lists and dictionaries are written in place; tuples and other containers are the original ones where all of
their parts are.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from mlirad.frontend.control_flow.holders import is_held_elsewhere
from mlirad.frontend.control_flow.state import Unknown, is_missing, is_opaque, is_same
from mlirad.frontend.numpy_functions.writes.writes import replace
from mlirad.frontend.tracing.array import Array, base_of, doubt, forget, is_doubtful
from mlirad.frontend.tracing.containers import Opened, container_of
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.raising import tracing_error

Path: TypeAlias = tuple[Any, ...]
"""Where an object is: the name of a variable, and positions among the parts of what it holds."""


def opened(value: Any) -> Opened | None:
    """A container taken apart, `None` for anything else."""
    container = container_of(cast("type[Any]", type(value)))
    return None if container is None else container.open(value)


def is_mutable(value: Any) -> bool:
    """Whether a container can be written in place."""
    return isinstance(value, list | dict)


def containers_in(values: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """The lists and dictionaries in variables."""
    for name, found in values.items():
        if not is_missing(found) and not is_opaque(found):
            yield from _containers(found, (name,))


def _containers(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    parts = opened(value)
    if parts is not None:
        if is_mutable(value):
            yield path, value
        for k, part in enumerate(parts.parts):
            yield from _containers(part, (*path, k))


def held_objects(value: Any) -> list[int]:
    """The arrays and containers in a value, by identity: other ones show that it has other parts."""
    if is_missing(value) or is_opaque(value):
        return []
    arrays = (leaf for leaf in flatten(value)[0] if isinstance(leaf, Array) and leaf.ndim)
    return [id(value), *map(id, arrays), *(id(found) for _, found in _containers(value, ()))]


# Copies ------------------------------------------------------------------------------------------


def linked(before: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """Copies in which lists and dictionaries are one object wherever they are one before."""
    known: dict[int, Any] = {}
    return {
        name: _linked(before[name], value, known) if name in before else value for name, value in made.items()
    }


def _linked(original: Any, value: Any, known: dict[int, Any]) -> Any:
    if id(original) in known:
        return known[id(original)]
    one, other = opened(original), opened(value)
    if one is None or other is None or len(one.parts) != len(other.parts):
        return value
    parts = [_linked(*pair, known) for pair in zip(one.parts, other.parts, strict=True)]
    if any(new is not old for new, old in zip(parts, other.parts, strict=True)):
        value = _with_parts(value, other, parts)
    if is_mutable(original):
        known[id(original)] = value
    return value


def _with_parts(value: Any, taken: Opened, parts: Sequence[Any]) -> Any:
    kind = cast("type[Any]", type(value))
    container = container_of(kind)
    assert container is not None
    return container.make(kind, dataclasses.replace(taken, parts=parts))


@dataclass(frozen=True, eq=False)
class Copy:
    """An object that stands for an original one, in the variable `name` of a body."""

    name: str
    original: Any
    copy: Any
    held: Any
    """What it held at the start: of an array how often it had been written, of a container its parts."""

    @property
    def is_written(self) -> bool:
        """Whether it holds something else now."""
        now = parts_or_version(self.copy)
        if isinstance(self.copy, Array):
            return now != self.held
        return not are_same(now, self.held)

    @property
    def may_be_written(self) -> bool:
        """Whether it holds something else now, or is an array that may do so."""
        return self.is_written or (isinstance(self.copy, Array) and is_doubtful(base_of(self.copy)))


def parts_or_version(found: Any) -> Any:
    """What shows that an object is written: of an array how often it was, of a container its parts."""
    taken = opened(found)
    return base_of(found)._version if isinstance(found, Array) else [] if taken is None else taken.parts


class Originals:
    """What the objects in the variables of a body stand for."""

    def __init__(self, before: Mapping[str, Any], start: Mapping[str, Any]):
        self._copies: dict[int, Copy] = {}
        self._places: dict[Path, Copy] = {}
        for name, found in start.items():
            if name in before and not is_missing(found) and not is_opaque(found):
                self._note((name,), before[name], found)
        self._standing = dict(self._copies)
        self.outside: dict[int, object] = {}
        """What the body reaches besides its variables, by identity."""

    def _note(self, path: Path, original: Any, copy: Any) -> None:
        one, other = opened(original), opened(copy)
        if isinstance(copy, Array) or (one is not None and other is not None):
            new = Copy(str(path[0]), original, copy, parts_or_version(copy))
            self._places[path] = self._copies.setdefault(id(copy), new)
        if one is not None and other is not None and len(one.parts) == len(other.parts):
            for k, pair in enumerate(zip(one.parts, other.parts, strict=True)):
                self._note((*path, k), *pair)

    def require_places(self, after: Mapping[str, Any]) -> None:
        """Forget what copies stand for that are elsewhere after a trip: in the next one others are there."""
        for path, copy in self._places.items():
            found: Any = after[path[0]]
            for k in path[1:]:
                taken = opened(found)
                found = taken.parts[k] if taken is not None and k < len(taken.parts) else None
            if found is not copy.copy:
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
        """The copies of traced arrays."""
        for copy in self._copies.values():
            if isinstance(copy.copy, Array) and isinstance(copy.original, Array):
                yield copy

    def written(self) -> Iterator[Copy]:
        """The arrays, lists and dictionaries that the body has written, or may have."""
        for copy in self._copies.values():
            if (isinstance(copy.copy, Array) or is_mutable(copy.copy)) and copy.may_be_written:
                yield copy


class Themselves(Originals):
    """What objects stand for on a way that changes nothing: each for itself."""

    def __init__(self) -> None:
        super().__init__({}, {})

    def of(self, found: Any) -> Copy | None:
        """The object."""
        return Copy("", found, found, parts_or_version(found))


# After a branch or a loop ------------------------------------------------------------------------

End: TypeAlias = tuple[Any, Originals]
"""What a variable is at the end of one way through the program, and what the objects in it stand for."""


class Results:
    """The values of variables, whose parts are the original objects where all ways end with them.

    These get the elements of the results, so whatever else refers to them sees the change. What was written,
    and then replaced by another object in its variable, has no result: reading it is an error.
    """

    def __init__(self, before: Mapping[str, Any], cells: Set[int]) -> None:
        self._cells = cells
        self._restored: dict[int, object] = {}
        self.choices: list[tuple[str, list[Any]]] = []
        """By variables, new lists and dictionaries, each with the ones from outside that it stands for."""
        self._names: dict[int, set[str]] = {}
        """The variables that hold a list or dictionary before, by its identity."""
        for path, found in containers_in(before):
            self._names.setdefault(id(found), set()).add(path[0])

    def value(self, name: str, result: Any, ends: Sequence[End]) -> Any:
        """The value of a variable."""
        copies = [originals.of(end) for end, originals in ends]
        first, found = copies[0], ends[0][0]
        is_object = isinstance(found, Array) or is_mutable(found)
        if first is None and is_object and all(end is found for end, _ in ends):
            return found  # an object from outside
        is_one = first is not None and all(c is not None and c.original is first.original for c in copies)
        if isinstance(result, Array):
            if first is not None and is_one:
                is_written = any(c is not None and c.is_written for c in copies)
                return self._written(name, first.original, result) if is_written else first.original
            is_known = not isinstance(found, Array) and all(is_same(found, end) for end, _ in ends)
            return found if is_known else result
        taken, others = opened(result), [opened(end) for end, _ in ends]
        if taken is None or any(o is None or len(o.parts) != len(taken.parts) for o in others):
            return result
        by_place = zip(*(cast(Opened, o).parts for o in others), strict=True)
        parts = [
            self.value(name, part, [(end, o) for end, (_, o) in zip(place, ends, strict=True)])
            for part, place in zip(taken.parts, by_place, strict=True)
        ]
        whole = _with_parts(result, taken, parts)
        if first is not None and is_one:
            return self._put(first.original, whole, parts)
        objects = [originals.object_of(end) for end, originals in ends]
        outside = {id(end) for end, originals in ends if id(end) in originals.outside}
        shared = [x for x in objects if x is not None]
        if any(id(x) in outside or self._is_shared(x, name) for x in shared):
            self.choices.append((name, [whole, *shared]))
        return whole

    def _is_shared(self, found: object, name: str) -> bool:
        """Whether a list or dictionary, or what it stands for, is held by anything but a variable."""
        if self._names.get(id(found)) != {name}:
            return True
        objects = [found]
        for originals in reversed(current_frame().bodies):
            copy = originals.of(objects[-1])
            if copy is not None:
                objects.append(copy.original)
        return any(is_held_elsewhere(x, name, self._cells) for x in objects)

    def _written(self, name: str, original: Any, result: Array) -> Any:
        """An array with the elements of the result."""
        if isinstance(original, Array):
            replace(original, result.value)
            base = base_of(original)
            self._restored[id(base)] = base
            return original
        if isinstance(original, np.ndarray):
            raise tracing_error(
                f"this writes traced values into {name}, which is a NumPy array",
                f"make the array traced first: {name} = ad.asarray({name})",
            )
        return result

    def _put(self, original: Any, result: Any, parts: Sequence[Any]) -> Any:
        """A container with the parts of the result."""
        if is_mutable(original):
            _fill(original, result)
            self._restored[id(original)] = original
            return original
        taken = opened(original)
        is_whole = taken is not None and len(taken.parts) == len(parts)
        return original if taken is not None and is_whole and all(map(_is, taken.parts, parts)) else result

    def forget(self, bodies: Iterable[Originals]) -> None:
        """Have the original objects that bodies have written, and that got no elements, be errors to read."""
        for copy in (copy for body in bodies for copy in body.written()):
            original = base_of(copy.original) if isinstance(copy.original, Array) else copy.original
            if id(original) in self._restored:
                continue
            self._restored[id(original)] = original
            if isinstance(original, Array):
                (forget if copy.is_written else doubt)(original)
            elif is_mutable(original):
                unknown = Unknown(
                    f"an element of what {copy.name} was",
                    "it is written under a traced condition, and then the variable gets another value",
                    f"make {copy.name} a copy before it is written",
                )
                _fill(original, _with_parts(original, *_all_unknown(original, unknown)))


def _all_unknown(value: Any, unknown: Unknown) -> tuple[Opened, list[Any]]:
    taken = cast(Opened, opened(value))
    return taken, [unknown for _ in taken.parts]


def _fill(original: Any, result: Any) -> None:
    """Write the parts of a list or dictionary into another one."""
    if isinstance(original, list):
        cast("list[Any]", original)[:] = result
    else:
        kept = cast("dict[Any, Any]", original)
        kept.clear()
        kept.update(result)


def _is(one: Any, other: Any) -> bool:
    return one is other


def are_same(ones: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether two sequences hold the same objects."""
    return len(ones) == len(others) and all(map(_is, ones, others))
