"""A law of linear maps as a rewrite, and the parts of expressions that rewrites look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of
from mlirad.ir.builder import yields
from mlirad.ir.control import is_outside
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.maps import domain_of
from mlirad.lazy_dataclass import dataclass

Rewrite: TypeAlias = Callable[[ArrayBuilder, Any], Value | None]
"""From an op, newly built, to the map that is its other side; `None` where the law does not apply."""

Pair: TypeAlias = Callable[[ArrayBuilder, Any, Any], Value | None]
"""From an outer and an inner op to their composition as something smaller."""


Classes: TypeAlias = "type[linear.MapOp] | tuple[type[linear.MapOp], ...]"
"""One class of ops, or any of some."""


@dataclass(frozen=True)
class Law:
    """A law: a name, what it says, and the ops that it may rewrite."""

    name: str
    statement: str
    ops: tuple[type[linear.MapOp], ...]
    rewrite: Rewrite


@dataclass(frozen=True)
class PairLaw:
    """A law of compositions: `outer` after `inner` is something smaller."""

    name: str
    statement: str
    outer: tuple[type[linear.MapOp], ...]
    inner: tuple[type[linear.MapOp], ...]
    rewrite: Pair


def law(name: str, statement: str, *ops: type[linear.MapOp]) -> Callable[[Rewrite], Law]:
    """The law that the function below rewrites by."""
    return lambda rewrite: Law(name, statement, ops, rewrite)


def pair_law(name: str, statement: str, outer: Classes, inner: Classes) -> Callable[[Pair], PairLaw]:
    """The law of compositions that the function below rewrites by."""
    first, second = (c if isinstance(c, tuple) else (c,) for c in (outer, inner))
    return lambda rewrite: PairLaw(name, statement, first, second, rewrite)


def factors(map_: Value, region: Region | None = None) -> list[Value]:
    """The factors f1, f2, ..., fn of a map f1 (f2 (... fn)).

    Of a region's map, those up to the first that is made outside of the region, which is the last.
    """
    found: list[Value] = []
    while isinstance(map_.owner, linear.ComposeOp) and not _outside(map_, region):
        outer, map_ = own_operands(map_.owner)
        found.append(outer)
    return [*found, map_]


def _outside(value: Value, region: Region | None) -> bool:
    return region is not None and is_outside(value, region.block)


def composed(b: ArrayBuilder, maps: Sequence[Value], domain: Attribute) -> Value:
    """f1 (f2 (... fn)); of none the identity of `domain`."""
    if not maps:
        return b.identity_map(domain)
    total = maps[-1]
    for m in reversed(maps[:-1]):
        total = b.compose(m, total)
    return total


def changed(b: ArrayBuilder, op: linear.MapOp, region: Region, change: Callable[[Value], Value]) -> Region:
    """The region of an op, rebuilt with another map in the place of the one that it yields."""
    types = region.block.arg_types

    def body(*args: Value) -> list[Value]:
        return [change(b.inline_region(region, args, {})[0])]

    return b.region_over(extents_of(op), types, body)


def emitted(b: ArrayBuilder, region: Region, args: Sequence[Value], wanted: Sequence[Value]) -> list[Value]:
    """Emit what the wanted values of a region need, its arguments replaced; returns what they become."""
    env: Environment = dict(zip(region.block.args, args, strict=True))
    needed = _needed(region, wanted)
    for op in region.block.ops:
        if op in needed:
            b.rebuild(op, env)
    return [env.get(v, v) for v in wanted]


def lifted(b: ArrayBuilder, region: Region, value: Value) -> Value | None:
    """A value of a region that does not depend on the region's arguments, emitted here if it is not yet."""
    if is_outside(value, region.block):
        return value
    needed = _needed(region, [value])
    if any(a in region.block.args for op in needed for a in free_values(op)):
        return None
    env: Environment = {}
    for op in region.block.ops:
        if op in needed:
            b.rebuild(op, env)
    return env[value]


def is_scalar_code(region: Region, wanted: Sequence[Value]) -> bool:
    """Return whether what the wanted values of a region need is code on scalars."""
    return not any(shape_of(r) for op in _needed(region, wanted) for r in op.results)


def _needed(region: Region, wanted: Sequence[Value]) -> set[Operation]:
    needed: set[Operation] = set()
    pending = list(wanted)
    while pending:
        value = pending.pop()
        owner = value.owner
        if isinstance(owner, Operation) and owner not in needed and owner.parent is region.block:
            needed.add(owner)
            pending += free_values(owner)
    return needed


def made(op: linear.IndexedMapOp | linear.PointwiseMapOp) -> Value:
    """The map that a region yields."""
    return yields(op.body)[0]


def part_domain(op: linear.IndexedMapOp | linear.PointwiseMapOp) -> Attribute:
    """The domain of the map that a region yields."""
    return domain_of(made(op))
