"""One loop in the place of two, where the second reads what the first has stacked, iteration by iteration.

    %v, %all = scan %x (%i, %a) {                      %v, %t = scan %x, %d (%i, %a, %e) {
      %c = cos %a                                        %c = cos %a
      yield sin %a, %c                       -->         yield sin %a, mul %c, %e
    }                                                  }
    %t = scan %d, %all (%i, %e, %c) {
      yield mul %c, %e
    }

Forward mode makes such pairs: the values, then the tangents. Values that the second loop alone reads take no
memory then, so loops of any length run in constant memory. A loop that reads a tape from its oldest entry on
joins the one that records it. Loops that run in opposite orders, as in reverse mode, stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region

from mlirad.dialects.array.control import ReplayOp, ScanOp, WhileOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import yields
from mlirad.ir.free_values import captures, free_values
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, visit_regions

First: TypeAlias = ScanOp | WhileOp
Second: TypeAlias = ScanOp | ReplayOp


@dataclass(frozen=True)
class FuseLoopsPass(FunctionPass):
    """Join a loop with one that reads its stacked values in the same order."""

    name = "fuse-loops"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without stacks and tapes that one loop alone reads, in the order of their making."""
        while pairs := _pairs(function):
            function = rebuild_function(function, _Fusion(pairs).visit)
        return function


def _pairs(function: FuncOp) -> dict[First, Second]:
    """Loops, each with one that can join it; no loop twice."""
    found: dict[First, Second] = {}
    taken: set[Operation] = set()
    for op in nested_ops(function.body):
        if isinstance(op, First) and op not in taken:
            second = _second(op)
            if second is not None and second not in taken:
                found[op] = second
                taken.update((op, second))
    return found


def _second(first: First) -> Second | None:
    """The loop that alone reads something that a loop keeps of its iterations, if it can join that."""
    kept = list(first.stacked) if isinstance(first, ScanOp) else [first.tape]
    for value in kept:
        readers = [] if value is None else [use.operation for use in value.uses]
        reader = readers[0] if readers and all(r is readers[0] for r in readers) else None
        if isinstance(reader, Second) and _goes_along(reader, first) and not _waits(reader, first):
            return reader
    return None


def _goes_along(second: Second, first: First) -> bool:
    """Tell if two loops have the same iterations, in the same order."""
    if second.parent is not first.parent:
        return False
    if isinstance(first, WhileOp):
        return isinstance(second, ReplayOp) and second.reverse is None
    if not isinstance(second, ScanOp) or first.kept is not None or second.kept is not None:
        return False
    return second.iterations == first.iterations and (second.reverse is None) == (first.reverse is None)


def _waits(second: Second, first: First) -> bool:
    """Tell if a loop needs more of another one than what it keeps of each iteration."""
    late: set[Value] = set(first.results)
    op = first.next_op
    while op is not None and op is not second:
        if not late.isdisjoint(free_values(op)):
            late.update(op.results)
        op = op.next_op
    others = [x for x in _slices(second) if x not in first.results]
    return not late.isdisjoint([*second.init, *others, *captures(second.body)])


def _slices(loop: Second) -> Sequence[Value]:
    return loop.xs if isinstance(loop, ScanOp) else ()


class _Fusion:
    """A function as it is rebuilt, whose loops are joined."""

    def __init__(self, pairs: dict[First, Second]):
        self._pairs = pairs

    def visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        """Emit an op, unless it has been needed before; a loop with the one that joins it."""
        if op.results and op.results[0] in env:
            return
        second = self._pairs.get(op) if isinstance(op, First) else None
        if second is None or not isinstance(op, First):
            visit_regions(b, op, env, self.visit)
            return
        self._emit_operands(b, second, op, env)
        b.location, b.name_hint = op.location, None
        if isinstance(op, ScanOp) and isinstance(second, ScanOp):
            self._scan(b, op, second, env)
        elif isinstance(op, WhileOp) and isinstance(second, ReplayOp):
            self._while(b, op, second, env)

    def _emit_operands(self, b: ArrayBuilder, second: Second, first: First, env: Environment) -> None:
        """Emit what stands between the loops, as far as the second one reads it."""
        needed = set(free_values(second))
        between: list[Operation] = []
        op = second.prev_op
        while op is not None and op is not first:
            if not needed.isdisjoint(op.results):
                between.append(op)
                needed.update(free_values(op))
            op = op.prev_op
        for op in reversed(between):
            self.visit(b, op, env)

    def _scan(self, b: ArrayBuilder, first: ScanOp, second: ScanOp, env: Environment) -> None:
        count, total = first.carry_count, first.carry_count + second.carry_count
        others = [x for x in second.xs if x not in first.stacked]
        is_kept = [any(use.operation is not second for use in y.uses) for y in first.stacked]

        def iteration(
            index: Value, carries: list[Value], parts: list[Value]
        ) -> tuple[list[Value], list[Value]]:
            given, rest = parts[: len(first.xs)], parts[len(first.xs) :]
            made = self._region(b, first.body, env, [index, *carries[:count], *given])
            known = dict(zip(first.stacked, made[count:], strict=True))
            slices = iter(rest)
            read = [known[x] if x in known else next(slices) for x in second.xs]
            more = self._region(b, second.body, env, [index, *carries[count:], *read])
            kept = [y for y, wanted in zip(made[count:], is_kept, strict=True) if wanted]
            new = second.carry_count
            return [*made[:count], *more[:new]], [*kept, *more[new:]]

        def emitted(values: Sequence[Value]) -> list[Value]:
            return [env.get(v, v) for v in values]

        init = emitted([*first.init, *second.init])
        final, stacked = b.scan_like(first, init, emitted([*first.xs, *others]), iteration)
        left = [y for y, wanted in zip(first.stacked, is_kept, strict=True) if wanted]
        old = [*first.final, *second.final, *left, *second.stacked]
        _enter(env, old, [*final[:total], *stacked])

    def _while(self, b: ArrayBuilder, first: WhileOp, second: ReplayOp, env: Environment) -> None:
        count = len(first.init)

        def condition(*carries: Value) -> Value:
            (found,) = self._region(b, first.condition, env, carries[:count])
            return found

        def body(*carries: Value) -> list[Value]:
            made = self._region(b, first.body, env, carries[:count])
            return [*made[:count], *self._region(b, second.body, env, [*made[count:], *carries[count:]])]

        final = b.while_([env.get(v, v) for v in (*first.init, *second.init)], condition, body)
        _enter(env, [*first.final, *second.results], final)

    def _region(
        self, b: ArrayBuilder, region: Region, env: Environment, args: Sequence[Value]
    ) -> list[Value]:
        """Return what a region yields, emitted with `b` for these arguments."""
        inner = {**env, **dict(zip(region.block.args, args, strict=True))}
        for op in region.block.ops:
            if not isinstance(op, YieldOp):
                self.visit(b, op, inner)
        return [inner.get(v, v) for v in yields(region)]


def _enter(env: Environment, old: Sequence[Value], new: Sequence[Value]) -> None:
    for value, replacement in zip(old, new, strict=True):
        env[value] = replacement
        replacement.name_hint = replacement.name_hint or value.name_hint
