"""Values of a program that depend on its inputs, and so need a tangent map, before anything is emitted.

A float depends on the inputs when it is computed from one that does. In a loop that is a fixed point over the
carries. Ops whose derivative is zero, and integers and booleans, do not depend on anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.shapes import Value, is_float
from mlirad.ir.builder import handed_over, yields
from mlirad.ir.free_values import free_values
from mlirad.lazy_dataclass import dataclass
from mlirad.rules.derivatives import ZERO


@dataclass(frozen=True)
class Kind:
    """The values that can depend on others, and ops whose results never do."""

    has: Callable[[Value], bool]
    constant: frozenset[type[Operation]] = frozenset()


FLOATS = Kind(is_float, ZERO)
"""The values that have a derivative."""


def active_values(block: Block, active: Iterable[Value], kind: Kind = FLOATS) -> set[Value]:
    """The values of a block that depend on `active` values, and these."""
    found = set(active)
    for op in block.ops:
        for result, depends in zip(op.results, _results(op, found, kind), strict=True):
            if depends:
                found.add(result)
    return found


def active_yields(region: Region, active: Iterable[Value], kind: Kind = FLOATS) -> list[int]:
    """The places of what a region, or the body of a function, hands over that depends on `active` values."""
    found = active_values(region.block, active, kind)
    return [k for k, v in enumerate(handed_over(region)) if v in found]


def active_carries(
    block: Block,
    arguments: Sequence[Value],
    made: Sequence[Value],
    init: Sequence[bool],
    active: set[Value],
    kind: Kind = FLOATS,
) -> tuple[list[bool], set[Value]]:
    """Return which carries of a loop depend on `active` values, and all values of its body that do.

    `arguments` are the carries in the body and `made` their new values; `init` says which start active.
    """
    carried = list(init)
    while True:
        start = {a for a, depends in zip(arguments, carried, strict=True) if depends}
        inside = active_values(block, active | start, kind)
        new = [depends or v in inside for depends, v in zip(carried, made, strict=True)]
        if new == carried:
            return carried, inside
        carried = new


def _results(op: Operation, active: set[Value], kind: Kind) -> list[bool]:
    """Return which results of an op depend on `active` values."""
    if type(op) in kind.constant or not op.results or not any(v in active for v in free_values(op)):
        return [False] * len(op.results)
    match op:
        case control.ScanOp():
            block, count = op.body.block, op.carry_count
            made = yields(op.body)
            sliced = {a for a, x in zip(block.args[count + 1 :], op.xs, strict=True) if x in active}
            init = [v in active for v in op.init]
            carried, inside = active_carries(
                block, block.args[1 : count + 1], made[:count], init, active | sliced, kind
            )
            return [*carried, *(v in inside for v in made[count:])]
        case control.WhileOp():
            block, count = op.body.block, len(op.init)
            init = [v in active for v in op.init]
            carried, _ = active_carries(block, block.args, yields(op.body)[:count], init, active, kind)
            return [*carried, *([True] if op.tape is not None else [])]
        case control.IfOp() | control.SwitchOp():
            chosen: Callable[[Sequence[bool]], bool] = any
            branches = [
                [v in inside for v in yields(region)]
                for region in op.regions
                for inside in (active_values(region.block, active, kind),)
            ]
            return [chosen(column) for column in zip(*branches, strict=True)]
        case _:
            return [kind.has(result) for result in op.results]
