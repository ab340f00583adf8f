"""Closures that a branch chooses, told apart by what chose them.

    %f = array.if %p {... yield %g} else {... yield %h}      g captures %w, h captures %s, made in the branch

    one alternative for each code                 g, h
    the tag                                       %p itself, as every branch has an alternative of its own
    what can be read where %f stands              %w: captured in the place of %f, it has no slot
    slots, which the alternatives share           that of %s

So a choice costs nothing where it is made, and closures that share what they capture go on sharing it.

A chosen closure is known by its condition. The closures that the branches of a conditional yield are told
apart by it, and mostly capture values that can be read outside. So such a choice needs neither tag nor slots:
it is the conditional that one would write by hand, where the closure is applied. It gets them where it flows
on into a loop or a function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.function import CaseOp, ClosureType, GetOp, TupleOp
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import yields
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.slots import merged


@dataclass(frozen=True)
class Box:
    """The record of an array, which closures hold in its place (`boxes.py`)."""

    array: Value | tuple[Value, int]


Key: TypeAlias = Value | tuple[Value, int] | Box
"""An array of the source program, one of the arrays that stand for another value, or the box of either."""

ChoosingOp: TypeAlias = control.IfOp | control.SwitchOp | CaseOp | CheckpointOp
"""The ops that choose between regions."""


@dataclass(frozen=True)
class Choice:
    """The value that stands for a closure that a branch chooses."""

    alternatives: Sequence[Value]
    """A closure of each kind that may be chosen."""
    held: Sequence[Sequence[Key]]
    """For each alternative, where the parts of such a closure are to be found."""
    chosen: Sequence[int]
    """For each region, which alternative its closure is."""
    given: Sequence[Sequence[Key | None]]
    """For each region, the part of its closure that each slot gets."""
    tag: Key | None
    """The key of the tag that tells the alternatives apart; None for a single one."""
    own: Sequence[Attribute]
    """The types of what the branch hands over for it: a tag, if it is not known outside, and the slots."""
    parts: Sequence[Key]
    """All of it: tag, slots and what can be read outside."""


def is_choice(value: Value) -> bool:
    """Return whether a value is a closure that a branch chooses."""
    return isinstance(value.type, ClosureType) and isinstance(value.owner, ChoosingOp)


def chosen_from(result: Value) -> list[Value]:
    """The closures that the regions of a branch yield for one result."""
    op = cast(Operation, result.owner)
    index = next(k for k, other in enumerate(op.results) if other is result)
    return [yields(region)[index] for region in op.regions]


def source_of(value: Value) -> Value:
    """The component that a value is of a tuple that is known, or the value itself."""
    while isinstance(value.owner, GetOp):
        whole = source_of(value.owner.operand)
        if not isinstance(whole.owner, TupleOp):
            break
        value = whole.owner.components[value.owner.index.value.data]
    return value


def choice_of(
    result: Value,
    kinds: Sequence[tuple[object, Value, Sequence[Key]]],
    selector: Key | None,
    types: Sequence[Sequence[Attribute]],
) -> Choice:
    """Return what stands for a result of a branch.

    For each region: the kind of its closure, the closure and its parts, with their types. Parts of closures
    of one kind correspond to each other. `selector` is what the branch goes by.
    """
    op = cast(Operation, result.owner)
    groups: dict[object, list[int]] = {}
    for region, (kind, _, _) in enumerate(kinds):
        groups.setdefault(kind, []).append(region)
    first = [regions[0] for regions in groups.values()]
    columns = [
        list(zip(*(kinds[region][2] for region in regions), strict=True)) for regions in groups.values()
    ]
    in_slots = [[k for k, column in enumerate(own) if not _is_outside(column, op)] for own in columns]
    slots, places = merged([[types[f][k] for k in own] for f, own in zip(first, in_slots, strict=True)])
    is_tagged = len(groups) not in (1, len(kinds))
    own: list[Attribute] = [i64, *slots] if is_tagged else slots
    start = int(is_tagged)
    held: list[list[Key]] = []
    given: list[list[Key | None]] = [[None] * len(slots) for _ in kinds]
    for regions, parts, moved, at in zip(groups.values(), columns, in_slots, places, strict=True):
        slot_of = dict(zip(moved, at, strict=True))
        held.append(
            [(result, start + slot_of[k]) if k in slot_of else column[0] for k, column in enumerate(parts)]
        )
        for k, slot in slot_of.items():
            for region, key in zip(regions, parts[k], strict=True):
                given[region][slot] = key
    tag = None if len(groups) == 1 else (result, 0) if is_tagged else selector
    chosen = [list(groups).index(kind) for kind, _, _ in kinds]
    keys = [*([] if tag is None else [tag]), *(key for keys in held for key in keys)]
    return Choice([kinds[f][1] for f in first], held, chosen, given, tag, own, list(dict.fromkeys(keys)))


def _is_outside(keys: Sequence[Key], op: Operation) -> bool:
    """Return whether these are one key, which can be read where the op stands."""
    key = keys[0]
    array = key.array if isinstance(key, Box) else key
    value = array[0] if isinstance(array, tuple) else array
    if any(k != key for k in keys):
        return False
    at = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    while at is not None and at is not op:
        at = at.parent_op()
    return at is None
