"""Elements of lists at traced places, and flags joined.

picked([a, b, c], k)       the element at a traced place: of structures by their leaves, else a `OneOf`
all_of((True, flag))       the flag; `True` if all flags are
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from mlirad.frontend.constructs.alternatives import chosen
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.operations import are_numbers_of_python, as_array, xp
from mlirad.frontend.tracing.pytree import flatten

_NUMBERS: Final = (Array, bool, int, float, np.bool_, np.number, np.ndarray)


def are_numbers(values: Sequence[Any]) -> bool:
    """Tell whether values are numbers, or arrays of one shape."""
    return all(isinstance(value, _NUMBERS) for value in values) and len(set(map(np.shape, values))) == 1


def picked(values: Sequence[Any], place: Any) -> Any:
    """The element of a list at a traced place: of structures by their leaves, of other objects a `OneOf`."""
    flattened = [flatten(value) for value in values]
    tree = flattened[0][1]
    columns = [*zip(*(leaves for leaves, _ in flattened), strict=False)]
    if all(other == tree for _, other in flattened) and all(map(are_numbers, columns)) and columns:
        return tree.unflatten([_picked_number(column, place) for column in columns])
    first = values[0]
    if type(first) in (tuple, list) and all(type(v) is type(first) and len(v) == len(first) for v in values):
        return type(first)(picked(part, place) for part in zip(*values, strict=True))
    return chosen(place, dict(enumerate(values)))


def _picked_number(values: Sequence[Any], place: Any) -> Array:
    found = xp.stack([as_array(value) for value in values])[place]
    return made(found.value, weak=True) if are_numbers_of_python(values) else found


def all_of(flags: Iterable[Any]) -> Any:
    """The truth of all flags: `True`, or traced."""
    traced = [flag for flag in flags if flag is not True]
    return functools.reduce(xp.logical_and, traced) if traced else True
