"""Making maps from other maps, scalars and arrays: what the methods of `LinearMap` use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any, Self, TypeAlias, cast

import numpy as np

from mlirad.errors import DtypeError, ShapeError
from mlirad.frontend.linear_map.expressions import ExpressionStep, MapExpression, MapNode
from mlirad.frontend.linear_map.nodes import Join, Pair, Stack
from mlirad.frontend.linear_map.spaces import Space, join
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import language_dtype, plain_array
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.lazy_dataclass import dataclass

Parts: TypeAlias = "tuple[MapNode, Space, Space, list[HeldMap]]"
"""A node, the spaces of its map, and the maps that this is made of."""


@dataclass(frozen=True, eq=False, repr=False)
class HeldMap:
    """An expression with its arrays."""

    expression: MapExpression = field(metadata={"static": True})
    arrays: tuple[Any, ...]

    @classmethod
    def _made(
        cls,
        node: MapNode,
        domain: Space,
        codomain: Space,
        maps: Sequence[HeldMap] = (),
        arrays: Sequence[Any] = (),
    ) -> Self:
        """A map made of maps and arrays. Parts that these share are shared in the expression."""
        numbers: dict[int, int] = {}
        held: list[Any] = []

        def number(array: Any) -> int:
            known = numbers.setdefault(id(array), len(held))
            if known == len(held):
                held.append(array)
            return known

        steps: dict[ExpressionStep, int] = {}
        roots: list[int] = []
        for m in maps:
            of_arrays = [number(a) for a in m.arrays]
            of_nodes: list[int] = []
            for step in m.expression.steps:
                parts = tuple(of_nodes[k] for k in step.maps)
                new = ExpressionStep(step.node, parts, tuple(of_arrays[k] for k in step.arrays))
                of_nodes.append(steps.setdefault(new, len(steps)))
            roots.append(of_nodes[-1])
        steps[ExpressionStep(node, tuple(roots), tuple(number(a) for a in arrays))] = len(steps)
        return cls(MapExpression(domain, codomain, tuple(steps)), tuple(held))


def scalar(factor: Any) -> Any:
    """A factor as a scalar that programs take; raises for what is not a real number."""
    made: Any = factor if isinstance(factor, Array) else plain_array(factor)[()]
    if made.shape:
        raise ShapeError(
            f"a map is multiplied by a scalar, not by an array of shape {made.shape}",
            location=user_line(),
            hint="to scale components write ad.LinearMap.diagonal(d) @ J",
        )
    if made.dtype.kind not in "fi":
        raise DtypeError(
            f"a map is multiplied by a number, not by {made.dtype}",
            location=user_line(),
            hint="write 2.0 * J; to compose maps write J @ K",
        )
    return made if isinstance(made, Array) else np.float64(made)


def held_array(given: Any) -> Any:
    """An array for a map to hold, of a dtype of the language."""
    if isinstance(given, Array):
        return given
    if is_tracing() and isinstance(given, list | tuple):
        return as_array(given)
    array = plain_array(given)
    return np.asarray(array, language_dtype(array.dtype))[()]


# Several maps ------------------------------------------------------------------------------------


def vstacked(maps: Any) -> Parts:
    """The pair of maps of one domain; the codomain is structured as `maps` are."""
    parts, tree = _listed(maps, "vstack")
    domain = parts[0].expression.domain
    for m in parts:
        if not m.expression.domain.matches(domain):
            raise ShapeError(
                f"vstack needs maps of one domain, got {domain} and {m.expression.domain}",
                location=user_line(),
                hint="stack maps that take the same arguments",
            )
    ends = [m.expression.codomain for m in parts]
    trees = tuple(end.bare[0] for end in ends)
    leaves = tuple(leaf for end in ends for leaf in end.leaves)
    codomain = Space(Tree(tree.kind, trees, tree.names, order=tree.order), leaves)
    return Pair(domain.type), domain, codomain, parts


def stacked(maps: Any) -> Parts:
    """The images of maps between the same spaces along a new first axis, leaf by leaf."""
    parts, _ = _listed(maps, "stack")
    first = parts[0].expression
    for m in parts:
        other = m.expression
        if not (other.domain.matches(first.domain) and other.codomain.matches(first.codomain)):
            raise ShapeError(
                f"stack needs maps between the same spaces, got one from {first.domain} to {first.codomain} "
                f"and one from {other.domain} to {other.codomain}",
                location=user_line(),
                hint="stack maps between the same spaces",
            )
    tree, leaves = first.codomain.bare
    longer = (None if t is None else replace(t, shape=(len(parts), *t.shape)) for t in leaves)
    return Stack(first.domain.type), first.domain, Space(tree, tuple(longer)), parts


def hstacked(maps: Any) -> Parts:
    """The sum of the images of several arguments, by maps of one codomain."""
    parts, _ = _listed(maps, "hstack")
    codomain = parts[0].expression.codomain
    for m in parts:
        if not m.expression.codomain.matches(codomain):
            raise ShapeError(
                f"hstack needs maps of one codomain, got {codomain} and {m.expression.codomain}",
                location=user_line(),
                hint="stack maps between the same spaces",
            )
    domain = join([m.expression.domain for m in parts])
    return Join(), domain, codomain, parts


def _listed(maps: Any, what: str) -> tuple[list[HeldMap], Tree]:
    """The maps of a list, tuple or dictionary, and its structure."""
    if isinstance(maps, dict):
        table = cast("dict[Any, Any]", maps)
        tree = flatten(dict.fromkeys(table, 0.0))[1]
        parts: list[Any] = [table[name] for name in tree.names]
    else:
        parts = list(maps)
        tree = flatten((0.0,) * len(parts) if isinstance(maps, tuple) else [0.0] * len(parts))[1]
    if not parts or not all(isinstance(getattr(m, "expression", None), MapExpression) for m in parts):
        raise ShapeError(
            f"{what} needs at least one map, and only maps",
            location=user_line(),
            hint="pass a list of LinearMaps, as ad.linearize returns them",
        )
    return parts, tree
