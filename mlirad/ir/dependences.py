"""Outer values on which each result of an op depends, through its regions.

    %c, %d = array.scan %a, %b (%i, %x, %y) {carries = 2, ...} {      %c depends on %a and %k
      %z = array.mul %x, %k                                           %d depends on %a, %b and %k
      %w = array.add %x, %y
      array.yield %z, %w
    }

`free_values` says what an op reads; this says which of these values reach which result. Through loops it is
the least fixed point: carries depend on what carries depend on. A carry of a `while` that changes also
depends on what the condition depends on. Linear in the ops times the values that reach them; each op is
visited once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from xdsl.ir import Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values

Values: TypeAlias = frozenset[Value]


class Dependences:
    """The operands that results depend on, found on demand and kept; the ops asked for must not change."""

    def __init__(self) -> None:
        self._known: dict[Operation, Sequence[Values]] = {}

    def of(self, op: Operation) -> Sequence[Values]:
        """For each result of `op` the values from outside of it that it depends on."""
        known = self._known.get(op)
        if known is None:
            known = self._known[op] = self._found(op)
        return known

    def yielded(self, region: Region) -> list[Values]:
        """For each value that a region yields its arguments and the outer values that it depends on."""
        local: dict[Value, Values] = {}
        for op in region.block.ops:
            if op.results:
                for result, reached in zip(op.results, self.of(op), strict=True):
                    local[result] = _through(local, reached)
        return [_through(local, (v,)) for v in yields(region)]

    def _found(self, op: Operation) -> Sequence[Values]:
        match op:
            case control.ScanOp():
                return self._of_scan(op)
            case control.WhileOp():
                return self._of_while(op)
            case control.ReplayOp():
                return self._of_replay(op)
            case control.IfOp() | control.SwitchOp():
                branches = zip(*(self.yielded(region) for region in op.regions), strict=True)
                return [frozenset(op.operands).union(*values) for values in branches]
            case _:
                return [frozenset(free_values(op))] * len(op.results)

    def _of_scan(self, op: control.ScanOp) -> Sequence[Values]:
        made, block, count = self.yielded(op.body), op.body.block, op.carry_count
        known: dict[Value, Values] = {block.args[0]: frozenset()}
        known.update((arg, frozenset((x,))) for arg, x in zip(block.args[1:], op.operands, strict=True))
        _close(known, block.args[1 : count + 1], made)
        return [
            *(known[arg] for arg in block.args[1 : count + 1]),
            *(_through(known, values) for values in made[count:]),
        ]

    def _of_while(self, op: control.WhileOp) -> Sequence[Values]:
        made, count = self.yielded(op.body), len(op.operands)
        args = op.body.block.args
        same_carry: dict[Value, Value] = dict(zip(op.condition.block.args, args, strict=True))
        decided = frozenset(same_carry.get(v, v) for v in self.yielded(op.condition)[0])
        known: dict[Value, Values] = {arg: frozenset((x,)) for arg, x in zip(args, op.operands, strict=True)}
        made = [*_changed(op.body, args, made, decided), *made[count:]]
        _close(known, args, made)
        results = [known[arg] for arg in args]
        if op.tape is not None:
            results.append(frozenset[Value]().union(*(_through(known, v) for v in [*made[count:], decided])))
        return results

    def _of_replay(self, op: control.ReplayOp) -> Sequence[Values]:
        made, args = self.yielded(op.body), op.body.block.args
        first = len(args) - len(op.init)
        known: dict[Value, Values] = {arg: frozenset((op.tape,)) for arg in args[:first]}
        known.update((arg, frozenset((x,))) for arg, x in zip(args[first:], op.init, strict=True))
        # The tape alone determines the number of iterations.
        carries = args[first:]
        _close(known, carries, _changed(op.body, carries, made, {op.tape}))
        return [known[arg] for arg in args[first:]]


def _through(known: Mapping[Value, Values], values: Iterable[Value]) -> Values:
    """The values, those that are known replaced by what they depend on."""
    return frozenset[Value]().union(*(known.get(v, (v,)) for v in values))


def _changed(
    body: Region, carries: Sequence[Value], made: Sequence[Values], iterations: AbstractSet[Value]
) -> list[Values]:
    """Return what next carries depend on: those that change on what the number of iterations depends
    on, too.
    """
    new = yields(body)
    return [v if y is arg else v | iterations for v, y, arg in zip(made, new, carries, strict=False)]


def _close(known: dict[Value, Values], carries: Sequence[Value], made: Sequence[Values]) -> None:
    """Let each carry depend on what its next value depends on, until nothing is added."""
    grows = True
    while grows:
        grows = False
        for carry, values in zip(carries, made, strict=False):
            reached = known[carry] | _through(known, values)
            if len(reached) > len(known[carry]):
                known[carry] = reached
                grows = True
