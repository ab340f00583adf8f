"""Random structures of arrays, and what to compare with them: functions that know these classes alone.

    structure(3)       {"a": Pair(1.5, np.ones(2)), 7: [None, "text", Curve(...)]}

`leaves_of` and `mapped` are told here once more, without mlirad: they are the witnesses.
"""

from __future__ import annotations

import collections
import enum
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np

import mlirad as ad


class Pair(NamedTuple):
    """A named tuple."""

    one: Any
    other: Any


@dataclass
class Layer:
    """A dataclass with a static field."""

    weight: Any
    bias: Any
    name: str = field(default="", metadata={"static": True})


@dataclass(frozen=True)
class Frozen:
    """A frozen dataclass."""

    inside: Any


@ad.register(static="power")
class Curve:
    """A registered class: attributes, and a static one."""

    def __init__(self, scale: Any, power: int):
        self.scale, self.power = scale, power


class Interval:
    """A registered class with functions of its own."""

    def __init__(self, low: Any, high: Any, label: str):
        self.low, self.high, self.label = low, high, label


ad.register(
    Interval,
    flatten=lambda value: ((value.low, value.high), value.label),
    unflatten=lambda label, parts: Interval(parts[0], parts[1], label),
)


class Kind(enum.Enum):
    """The leaves that stand for themselves."""

    FIRST = 1
    SECOND = 2


STATIC = ("text", "", Kind.SECOND, np.sin, slice(1, 3), np.dtype(np.float32), ..., len)


def children_of(value: Any) -> tuple[list[Any], Callable[[list[Any]], Any]] | None:
    """The parts of a structure, and what makes one of others; `None` for a leaf."""
    match value:
        case Pair():
            return list(value), lambda parts: Pair(*parts)
        case tuple():
            return list(value), tuple
        case list():
            return list(value), list
        case dict():
            table: Any = cast(object, value)
            return list(table.values()), lambda parts: type(table)(zip(table, parts, strict=True))
        case Layer():
            return [value.weight, value.bias], lambda parts: Layer(parts[0], parts[1], value.name)
        case Frozen():
            return [value.inside], lambda parts: Frozen(*parts)
        case Curve():
            return [value.scale], lambda parts: Curve(parts[0], value.power)
        case Interval():
            return [value.low, value.high], lambda parts: Interval(parts[0], parts[1], value.label)
        case _:
            return None


def is_static(value: Any) -> bool:
    """Return whether a value is not an array."""
    return value is None or any(value is other for other in STATIC)


def mapped(function: Callable[..., Any], value: Any, *others: Any) -> Any:
    """The structure of what a function makes of each leaf, and of the same leaves of others."""
    opened = children_of(value)
    if opened is None:
        return value if is_static(value) else function(value, *others)
    parts = [opened[0], *(found[0] for found in map(children_of, others) if found is not None)]
    return opened[1]([mapped(function, *together) for together in zip(*parts, strict=True)])


def leaves_of(value: Any) -> Iterator[Any]:
    """The leaves, from left to right."""
    opened = children_of(value)
    if opened is not None:
        for part in opened[0]:
            yield from leaves_of(part)
    elif not is_static(value):
        yield value


class _Making:
    def __init__(self, seed: int, kinds: str):
        self._random, self._kinds = random.Random(seed), kinds
        self.numbers = np.random.default_rng(seed)

    def value(self, depth: int) -> Any:
        r = self._random
        if depth == 0 or r.random() < 0.25:
            return r.choice(STATIC) if r.random() < 0.2 else self.leaf()
        part = lambda: self.value(depth - 1)  # noqa: E731
        match r.randrange(10):
            case 0 | 1:
                keys: list[Any] = r.sample(["b", "a", "w1", 7, (1, 2), Kind.FIRST], r.randrange(4))
                return {key: part() for key in keys}
            case 2:
                return [part() for _ in range(r.randrange(4))]
            case 3:
                return tuple(part() for _ in range(r.randrange(4)))
            case 4:
                return Pair(part(), part())
            case 5:
                return Layer(part(), part(), r.choice(("first", "second")))
            case 6:
                return Frozen(part())
            case 7:
                return Curve(part(), r.randrange(3))
            case 8:
                return Interval(part(), part(), r.choice(("x", "y")))
            case _:
                return collections.OrderedDict((key, part()) for key in r.sample("cba", r.randrange(1, 3)))

    def leaf(self) -> Any:
        r = self._random
        shape = r.choice(((), (), (2,), (2, 3), (0,), (1, 1)))
        kind = r.choice(self._kinds)
        numbers = self.numbers.normal(size=shape)
        match kind:
            case "f":
                return float(numbers) if shape == () else numbers
            case "s":
                return np.float32(numbers) if shape == () else numbers.astype(np.float32)
            case "z":
                return np.asarray(numbers)
            case "i":
                return (
                    int(numbers * 5) if shape == () else (numbers * 5).astype(r.choice((np.int64, np.int32)))
                )
            case _:
                return bool(numbers > 0) if shape == () else numbers > 0


def structure(seed: int, kinds: str = "ffszib", depth: int = 3) -> Any:
    """A random structure with at least one float, of leaves of these kinds."""
    making = _Making(seed, kinds)
    return (making.value(depth), making.value(depth - 1), making.numbers.normal(size=2))
