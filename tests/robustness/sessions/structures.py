"""Random structures of arrays: tuples, lists, dictionaries, named tuples, dataclasses and None, nested.

random_structure(random.Random(7), depth=3)      {'b': [1.5, None], 'a': Pair(first=..., second=())}
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np


class Pair(NamedTuple):
    """A named tuple."""

    first: Any
    second: Any


@dataclass(frozen=True)
class Record:
    """A dataclass."""

    left: Any
    right: Any


def random_structure(rng: random.Random, depth: int) -> Any:
    """A structure whose leaves are floats and arrays of floats."""
    if depth == 0:
        n = rng.randrange(4)
        return (rng.uniform(-1, 1), np.array([rng.uniform(-1, 1) for _ in range(n)]), None)[rng.randrange(3)]
    parts = [random_structure(rng, rng.randrange(depth)) for _ in range(rng.randrange(4))]
    match rng.randrange(5):
        case 0:
            return tuple(parts)
        case 1:
            return parts
        case 2:
            keys = rng.sample(["a", "b", "c", "", "é"], len(parts))
            return dict(zip(keys, parts, strict=True))
        case 3:
            return Pair(tuple(parts), random_structure(rng, depth - 1))
        case _:
            return Record(parts, random_structure(rng, depth - 1))


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """The structure with a function applied to every leaf."""
    match value:
        case None:
            return None
        case Pair():
            return Pair(*(mapped(function, part) for part in value))
        case Record():
            return replace(value, left=mapped(function, value.left), right=mapped(function, value.right))
        case tuple() | list():
            return type(value)(mapped(function, part) for part in value)
        case dict():
            return {key: mapped(function, part) for key, part in value.items()}
        case _:
            return function(value)


def leaves_of(value: Any) -> list[Any]:
    """The leaves of a structure, in the order in which `mapped` meets them."""
    found: list[Any] = []
    mapped(found.append, value)
    return found


def shape_of(value: Any) -> str:
    """The structure without its leaves, to be compared."""
    return repr(mapped(lambda leaf: np.shape(leaf), value))
