"""Containers in variables, and the objects that they hold: lists, dictionaries and dataclasses are some.

    table = {"v": v}            In a branch both variables hold copies, and `table["v"]` is still v:
    if x > 0:                   `linked` makes containers one object where they were one.
        table["v"][0] = x

Lists, dictionaries and objects with attributes are written in place; tuples and other containers are the
original ones where all of their parts are.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from mlirad.frontend.control_flow.kept import KeptList
from mlirad.frontend.control_flow.state import is_missing, is_opaque
from mlirad.frontend.tracing.array import Array, base_of
from mlirad.frontend.tracing.captured_objects import (
    attribute_table,
    is_rewritable_class,
    plain_attribute,
    slots_of,
)
from mlirad.frontend.tracing.containers import Opened, container_of
from mlirad.frontend.tracing.pytree import LEAF_CLASSES, flatten
from mlirad.jit.guards import MISSING

Path: TypeAlias = tuple[Any, ...]
"""The path of an object: the name of a variable, and positions among the parts of what it holds."""


def opened(value: Any) -> Opened | None:
    """A container taken apart, `None` for anything else."""
    container = container_of(cast("type[Any]", type(value)))
    return None if container is None else container.open(value)


def is_mutable(value: Any) -> bool:
    """Tell if a container can be written in place, as lists, dictionaries and objects that are not frozen."""
    if isinstance(value, list | dict) or type(value) is KeptList:
        return True
    kind = cast("type[Any]", type(value))
    if isinstance(value, tuple) or container_of(kind) is None or not is_rewritable_class(kind):
        return False
    return not (dataclasses.is_dataclass(kind) and cast(Any, kind).__dataclass_params__.frozen)


def fill(original: Any, result: Any) -> None:
    """Write the parts of a mutable container into another one."""
    if type(original) is KeptList:
        original.become(result)
    elif isinstance(original, list):
        cast("list[Any]", original)[:] = result
    elif isinstance(original, dict):
        kept = cast("dict[Any, Any]", original)
        kept.clear()
        kept.update(result)
    else:
        table, given = attribute_table(original), attribute_table(result)
        if table is not None and given is not None:
            table.update(given)
        for slot in slots_of(cast("type[Any]", type(original))):
            found = plain_attribute(result, slot)
            if found is not MISSING:
                object.__setattr__(original, slot, found)


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
            if type(part) not in LEAF_CLASSES:
                yield from _containers(part, (*path, k))


def held_objects(value: Any) -> list[int]:
    """The arrays and containers in a value, by identity: other ones show that it has other parts."""
    if is_missing(value) or is_opaque(value):
        return []
    arrays = (leaf for leaf in flatten(value)[0] if isinstance(leaf, Array) and leaf.ndim)
    return [id(value), *map(id, arrays), *(id(found) for _, found in _containers(value, ()))]


def part_at(values: Mapping[str, Any], path: Path) -> Any:
    """The object at a path in variables, or `None`."""
    found: Any = values.get(path[0])
    for k in path[1:]:
        taken = opened(found)
        found = taken.parts[k] if taken is not None and k < len(taken.parts) else None
    return found


def replace_part(values: Mapping[str, Any], path: Path, part: Any) -> bool:
    """Put an object at a path in variables, if the container there can be written; tell whether it can."""
    holder = part_at(values, path[:-1])
    if not is_mutable(holder):
        return False
    taken = opened(holder)
    assert taken is not None
    parts = [part if k == path[-1] else own for k, own in enumerate(taken.parts)]
    fill(holder, with_parts(holder, taken, parts))
    return True


# Copies ------------------------------------------------------------------------------------------


def linked(before: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """Copies in which lists and dictionaries are one object wherever they are one before.

    Values that are not copied, such as objects without arrays and numbers, stay as they are.
    """
    known: dict[int, Any] = {}
    return {
        name: _linked(before[name], value, known) if name in before and value is not before[name] else value
        for name, value in made.items()
    }


def _linked(original: Any, value: Any, known: dict[int, Any]) -> Any:
    if type(value) in LEAF_CLASSES:
        return value
    if id(original) in known:
        return known[id(original)]
    one, other = opened(original), opened(value)
    if one is None or other is None or len(one.parts) != len(other.parts):
        return value
    parts = [_linked(*pair, known) for pair in zip(one.parts, other.parts, strict=True)]
    if any(new is not old for new, old in zip(parts, other.parts, strict=True)):
        value = with_parts(value, other, parts)
    if is_mutable(original):
        known[id(original)] = value
    return value


def with_parts(value: Any, taken: Opened, parts: Sequence[Any]) -> Any:
    kind = cast("type[Any]", type(value))
    container = container_of(kind)
    assert container is not None
    return container.make(kind, dataclasses.replace(taken, parts=parts))


# Contents -----------------------------------------------------------------------------------------


def parts_or_version(found: Any) -> Any:
    """Return what shows that an object is written: of an array how often it was, of a container its parts."""
    if isinstance(found, Array):
        return base_of(found)._version
    taken = opened(found)
    return [] if taken is None else taken.parts


def are_same(ones: Sequence[Any], others: Sequence[Any]) -> bool:
    """Return whether two sequences hold the same objects."""
    return len(ones) == len(others) and all(map(operator.is_, ones, others))
