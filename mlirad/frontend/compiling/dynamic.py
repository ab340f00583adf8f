"""Dynamic dimensions: which dimensions of arguments have one size, whatever it is.

dynamic = dynamic_dimensions(("x:0 y:0", "z:1"))       two sizes, n and m
with_sizes(dynamic, paths, types, "f")           types with n and m in them, and {"n": 7, "m": 3}
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, cast

from mlirad.dialects.extents import LEAST_SIZE, size
from mlirad.errors import ArgumentError, ShapeError
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.source import user_line
from mlirad.lazy_dataclass import dataclass

Dynamic: TypeAlias = Sequence[str] | str
"""The dimensions of each size, as in `"x:0 y:0"`."""

_HINT: Final = 'write dynamic="x:0 y:0" for one size, dynamic=("x:0 y:0", "z:1") for two'

_DIMENSION = re.compile(r"\s*(?P<path>\S(?:.*?\S)??):(?P<dim>-?\d{1,3})(?:\s+|$)")


@dataclass(frozen=True)
class DynamicSize:
    """A size of a program: its name, and the dimensions that have it, as paths of leaves and numbers."""

    name: str
    dimensions: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        return " ".join(f"{path}:{dim}" for path, dim in self.dimensions)


def dynamic_dimensions(given: Dynamic) -> tuple[DynamicSize, ...]:
    """The sizes that are asked for; raises `ArgumentError` for what names no dimensions."""
    groups: Any = (given,) if isinstance(given, str) else given
    if not isinstance(groups, tuple | list) or not all(isinstance(group, str) for group in cast(Any, groups)):
        raise argument_error(f"dynamic names dimensions by strings, got {given!r}", _HINT)
    sizes = tuple(
        DynamicSize(size_name(k), _dimensions(group)) for k, group in enumerate(cast("Sequence[str]", groups))
    )
    named = [dimension for found in sizes for dimension in found.dimensions]
    for path, dim in named:
        if named.count((path, dim)) > 1:
            raise argument_error(f"dynamic names {path}:{dim} twice", "name each dimension once")
    return sizes


def size_name(k: int) -> str:
    """The name of size number k: n, m, k, l, and then n4, n5 and so on."""
    return "nmkl"[k] if k < 4 else f"n{k}"


def _dimensions(text: str) -> tuple[tuple[str, int], ...]:
    found: list[tuple[str, int]] = []
    position = 0
    while position < len(text):
        match = _DIMENSION.match(text, position)
        if match is None:
            raise argument_error(f"dynamic has {text!r}, which names no dimensions of arguments", _HINT)
        found.append((match["path"], int(match["dim"])))
        position = match.end()
    if not found:
        raise argument_error("dynamic has an empty string, which names no dimensions", _HINT)
    return tuple(found)


def with_sizes(
    dynamic: Sequence[DynamicSize], paths: Sequence[str], types: Sequence[LeafType], name: str
) -> tuple[list[LeafType], dict[str, int]]:
    """The types of the leaves with sizes in place of numbers, and these numbers, in a call of `name`.

    A size that is 0 or 1 stays a number: programs for these are their own. Raises `ArgumentError` for a leaf
    or a dimension that there is not, `ShapeError` where dimensions of one size differ.
    """
    shapes = [list(leaf.shape) for leaf in types]
    sizes: dict[str, int] = {}
    for wanted in dynamic:
        read = [
            (path, dim, leaf, place)
            for path, dim in wanted.dimensions
            for leaf, place in _places(path, dim, paths, types, name)
        ]
        numbers = [types[leaf].shape[place] for _, _, leaf, place in read]
        for (path, dim, _, _), number in zip(read, numbers, strict=True):
            if number != numbers[0]:
                first, first_dim = read[0][:2]
                raise ShapeError(
                    f"{first} has {numbers[0]} elements in dimension {first_dim} and {path} {number} in "
                    f'dimension {dim}; dynamic="{wanted}" says that they have one size',
                    location=user_line(),
                    hint="name dimensions of other sizes in strings of their own",
                )
        if numbers[0] < LEAST_SIZE:
            continue
        sizes[wanted.name] = numbers[0]
        for _, _, leaf, place in read:
            shapes[leaf][place] = size(wanted.name)
    found = [replace(leaf, shape=tuple(shape)) for leaf, shape in zip(types, shapes, strict=True)]
    return found, sizes


def _places(
    path: str, dim: int, paths: Sequence[str], types: Sequence[LeafType], name: str
) -> list[tuple[int, int]]:
    """The leaves that a path names, of a complex array both parts, and the dimension, counted from 0."""
    leaves = [k for k, found in enumerate(paths) if found in (path, f"{path}.real", f"{path}.imag")]
    if not leaves:
        raise ArgumentError(
            f"dynamic names {path}, and {name} takes no array of this name",
            location=user_line(),
            hint=f"it takes {', '.join(paths) or 'none'}",
        )
    rank = len(types[leaves[0]].shape)
    if not -rank <= dim < rank:
        raise ArgumentError(
            f"dynamic names {path}:{dim}, and {path} is of rank {rank}",
            location=user_line(),
            hint="dimensions are counted from 0",
        )
    return [(leaf, dim % rank) for leaf in leaves]
