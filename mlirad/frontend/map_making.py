"""Making maps of other maps, of scalars and of arrays: what the methods of `LinearMap` are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

import numpy as np

from mlirad.errors import DtypeError, ShapeError
from mlirad.frontend.dtypes import language_dtype, plain_array
from mlirad.frontend.frames import is_tracing
from mlirad.frontend.map_expressions import Kind, Node, Structure
from mlirad.frontend.operations import as_array
from mlirad.frontend.pytree import Tree, flatten
from mlirad.frontend.source import user_line
from mlirad.frontend.spaces import Space
from mlirad.frontend.tracer import Array


class Held(Protocol):
    """An expression with its arrays."""

    @property
    def structure(self) -> Structure:
        """The expression."""
        ...

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What it is made of."""
        ...


def combined(
    kind: Kind, domain: Space, codomain: Space, maps: Sequence[Held] = (), arrays: Sequence[Any] = ()
) -> tuple[Structure, tuple[Any, ...]]:
    """A map made of maps and arrays. What these share, they share in the expression."""
    numbers: dict[int, int] = {}
    held: list[Any] = []

    def number(array: Any) -> int:
        known = numbers.setdefault(id(array), len(held))
        if known == len(held):
            held.append(array)
        return known

    nodes: dict[Node, int] = {}
    roots: list[int] = []
    for m in maps:
        of_arrays = [number(a) for a in m.arrays]
        of_nodes: list[int] = []
        for node in m.structure.nodes:
            parts = tuple(of_nodes[k] for k in node.maps)
            new = Node(node.kind, parts, tuple(of_arrays[k] for k in node.arrays))
            of_nodes.append(nodes.setdefault(new, len(nodes)))
        roots.append(of_nodes[-1])
    nodes[Node(kind, tuple(roots), tuple(number(a) for a in arrays))] = len(nodes)
    return Structure(domain, codomain, tuple(nodes)), tuple(held)


def scalar(factor: Any) -> Any:
    """A factor as a scalar that programs take; raises for what is no real number."""
    made: Any = factor if isinstance(factor, Array) else plain_array(factor)[()]
    if made.shape:
        raise ShapeError(
            f"a map is multiplied by a scalar, not by an array of shape {made.shape}",
            location=user_line(),
            hint="to scale components write ad.LinearMap.diagonal(d) @ J",
        )
    if made.dtype.kind not in "fi":
        raise DtypeError(f"a map is multiplied by a number, not by {made.dtype}", location=user_line())
    return made if isinstance(made, Array) else np.float64(made)


def held_array(given: Any) -> Any:
    """An array for a map to hold, of a dtype of the language."""
    if isinstance(given, Array):
        return given
    if is_tracing() and isinstance(given, list | tuple):
        return as_array(given)
    array = plain_array(given)
    return np.asarray(array, language_dtype(array.dtype))[()]


def listed(maps: Any) -> tuple[list[Any], Tree]:
    """The entries of a list, tuple or dictionary, and its structure."""
    if isinstance(maps, dict):
        table = cast("dict[Any, Any]", maps)
        tree = flatten(dict.fromkeys(table, 0.0))[1]
        return [table[name] for name in tree.names], tree
    parts: list[Any] = list(maps)
    return parts, flatten((0.0,) * len(parts) if isinstance(maps, tuple) else [0.0] * len(parts))[1]
