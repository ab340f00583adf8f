"""Stacked copies of an array that a loop updates in a few places become an undo log for the reverse loop.

The reverse sweep of a loop reads what each iteration computed. Where it needs a whole carried array, for an
inner loop that runs again, the array of every iteration would be kept: n arrays of n elements. But an
iteration changes few of them, so these are kept, as they were before, and the loop that runs back undoes one
iteration after another:

    %v, .., %all = scan %x, .. (%i, %a, ..) {          %v, .., %old, %at = scan %x, .. (%i, %a, ..) {
      %b = update set %a, %s at %p                       %b = update set %a, %s at %p
      yield %b, .., %a                                   yield %b, .., index %a[%p], %p
    }                                          -->     }
    scan .., %all (%j, .., %a) {reverse} {             scan .., %v, %old, %at (%j, .., %b, %o, %p) {reverse} {
      ...                                                %a = update set %b, %o at %p
      yield ..                                           ...
    }                                                    yield .., %a
                                                       }

Restored elements are the same bits. The entries of a tape are shortened likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import partial
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array.control import ReplayOp, ScanOp, WhileOp
from mlirad.dialects.array.indexing import UpdateOp, YieldOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value, size_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import yields
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, visit_region, visit_regions

LEAST_SAVING = 4
"""Least ratio of stacked elements to logged ones at which the log pays."""

Recorder: TypeAlias = ScanOp | WhileOp
"""A loop that keeps values of its iterations: stacked, or on a tape."""


@dataclass(frozen=True)
class StacksToUndoLogsPass(FunctionPass):
    """Log the elements that each iteration overwrites, for reverse loops to restore the array, not copies."""

    name = "stacks-to-undo-logs"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """Rebuild the function, whose loops then keep no array that can be restored."""
        loops = [op for op in nested_ops(function.body) if isinstance(op, Recorder)]
        found = {op: restorable for op in loops if (restorable := _restorable(op))}
        return rebuild_function(function, _Restoring(found).visit) if found else function


@dataclass(frozen=True)
class _Restorable:
    """Kept value number `place` of a loop: its carry number `carry` at the start of an iteration.

    `updates` make the next carry of it, in order, each at one position.
    """

    place: int
    carry: int
    updates: tuple[UpdateOp, ...]


def _restorable(op: Recorder) -> list[_Restorable]:
    """Return the kept values of a loop that all of their readers can restore."""
    count, block, made = len(op.init), op.body.block, yields(op.body)
    first = 1 if isinstance(op, ScanOp) else 0
    found: list[_Restorable] = []
    for place, value in enumerate(made[count:]):
        if value.owner is not block or not _runs_back(op, place):
            continue
        carry = block.args.index(value) - first
        if 0 <= carry < count:
            updates = _updates(made[carry], value, block)
            kept = sum(nominal(size_of(u.operand)) + len(yields(u.body)) for u in updates)
            if updates and LEAST_SAVING * kept <= nominal(size_of(value)):
                found.append(_Restorable(place, carry, updates))
    return found


def _updates(value: Value, start: Value, block: Block) -> tuple[UpdateOp, ...]:
    """Return the updates of single elements that make a value of another, in order, if these alone do."""
    updates: list[UpdateOp] = []
    while value is not start:
        op = value.owner
        if not isinstance(op, UpdateOp) or op.parent is not block or op.body.block.args:
            return ()
        updates.append(op)
        value = op.base
    return tuple(reversed(updates))


def _runs_back(op: Recorder, place: int) -> bool:
    """Tell whether only reversed loops of the same block read a kept value."""

    def is_back(reader: Operation, number: int) -> bool:
        if reader.parent is not op.parent:
            return False
        if isinstance(op, WhileOp):
            return isinstance(reader, ReplayOp) and reader.reverse is not None
        if not isinstance(reader, ScanOp) or number < reader.carry_count:
            return False
        return reader.iterations == op.iterations and (reader.reverse is None) != (op.reverse is None)

    kept = op.results[-1] if isinstance(op, WhileOp) else op.stacked[place]
    return all(is_back(use.operation, use.index) for use in kept.uses)


@dataclass(frozen=True)
class _Kept:
    """The last state of an array, and the number of indices of every update in an iteration."""

    last: Value
    positions: tuple[int, ...]


@dataclass(frozen=True)
class _Restoring:
    """A function as it is rebuilt: what its loops need not keep, and what has been kept so far instead.

    `stacks` has for every stack that is no longer made the stacks in its place: for each update the elements
    that it replaced, then their positions. `tapes` has the same for entries of tapes, by their
    places; the code that restores them stands at its end.
    """

    found: dict[Recorder, list[_Restorable]]
    stacks: dict[Value, tuple[_Kept, list[Value]]] = field(
        default_factory=dict[Value, tuple[_Kept, list[Value]]]
    )
    tapes: dict[Value, dict[int, _Kept]] = field(default_factory=dict[Value, dict[int, _Kept]])

    def visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        """Emit an op; a loop keeps and restores what can be."""
        found = self.found.get(op, []) if isinstance(op, Recorder) else []
        b.location, b.name_hint = op.location, None
        if isinstance(op, ScanOp) and (found or any(x in self.stacks for x in op.xs)):
            self._scan(b, op, found, env)
        elif isinstance(op, WhileOp) and found:
            self._while(b, op, found, env)
        elif isinstance(op, ReplayOp) and op.tape in self.tapes:
            self._replay(b, op, env)
        else:
            visit_regions(b, op, env, self.visit)

    def _scan(self, b: ArrayBuilder, op: ScanOp, found: Sequence[_Restorable], env: Environment) -> None:
        count, source = op.carry_count, op.body.block
        slices = source.args[1 + count :]
        restored = {s: self.stacks[x] for s, x in zip(slices, op.xs, strict=True) if x in self.stacks}
        given = [s for s in slices if s not in restored]
        present = [env.get(x, x) for x in op.xs if x not in self.stacks]

        def iteration(
            index: Value, carries: list[Value], parts: list[Value]
        ) -> tuple[list[Value], list[Value]]:
            inner = _entered(env, [source.args[0], *source.args[1 : 1 + count]], [index, *carries[:count]])
            inner = _entered(inner, given, parts[: len(given)])
            kept = [k for k, _ in restored.values()]
            states = _restored(b, kept, carries[count:], parts[len(given) :])
            inner.update(zip(restored, states, strict=True))
            made, replaced = self._iteration(b, op, found, inner)
            return [*made[:count], *states], [*made[count:], *replaced]

        init = [*(env.get(v, v) for v in op.init), *(kept.last for kept, _ in restored.values())]
        xs = [*present, *(stack for _, stacks in restored.values() for stack in stacks)]
        final, stacked = b.scan_like(op, init, xs, iteration)
        left = [y for k, y in enumerate(op.stacked) if all(r.place != k for r in found)]
        for old, new in zip((*op.final, *left), (*final[:count], *stacked[: len(left)]), strict=True):
            env[old] = new
            new.name_hint = new.name_hint or old.name_hint
        rest = stacked[len(left) :]
        for r in found:
            kept = _kept(r, final[r.carry])
            width = sum(1 + n for n in kept.positions)
            self.stacks[op.stacked[r.place]] = kept, rest[:width]
            del rest[:width]

    def _while(self, b: ArrayBuilder, op: WhileOp, found: Sequence[_Restorable], env: Environment) -> None:
        recorded: list[Value] = []

        def body(*carries: Value) -> list[Value]:
            made, replaced = self._iteration(b, op, found, _entered(env, op.body.block.args, carries))
            recorded[:] = [*made[len(op.init) :], *replaced]
            return [*made, *replaced]

        condition = visit_region(b, op.condition, env, self.visit, ())
        region = b.region(op.body.block.arg_types, body)
        init = [env.get(v, v) for v in op.init]
        made = b.while_from(init, condition, region, len(recorded))
        env.update(zip(op.results, made, strict=True))
        self.tapes[op.results[-1]] = {r.place: _kept(r, made[r.carry]) for r in found}

    def _replay(self, b: ArrayBuilder, op: ReplayOp, env: Environment) -> None:
        restored, count = self.tapes[op.tape], len(op.init)
        source = op.body.block
        entry = source.args[: len(source.args) - count]
        given = [argument for k, argument in enumerate(entry) if k not in restored]

        def body(parts: list[Value], carries: list[Value]) -> list[Value]:
            inner = _entered(
                env, [*given, *source.args[len(entry) :]], [*parts[: len(given)], *carries[:count]]
            )
            states = _restored(b, list(restored.values()), carries[count:], parts[len(given) :])
            inner.update(zip((entry[place] for place in restored), states, strict=True))
            made, _ = self._iteration(b, op, (), inner)
            return [*made, *states]

        init = [*(env.get(v, v) for v in op.init), *(kept.last for kept in restored.values())]
        final = b.replay(env.get(op.tape, op.tape), init, body, reverse=op.reverse is not None)
        env.update(zip(op.results, final[:count], strict=True))

    def _iteration(
        self, b: ArrayBuilder, op: Recorder | ReplayOp, found: Sequence[_Restorable], env: Environment
    ) -> tuple[list[Value], list[Value]]:
        """Return the values that an iteration yields, the log in place of arrays that can be restored."""
        replaced: dict[Operation, list[Value]] = {u: [] for r in found for u in r.updates}
        for inner in op.body.block.ops:
            if isinstance(inner, UpdateOp) and inner in replaced:
                b.location, b.name_hint = inner.location, inner.result.name_hint
                base = env.get(inner.base, inner.base)
                at = b.inline_region(inner.body, (), env)
                replaced[inner] = [b.index(base, at), *at]
            if not isinstance(inner, YieldOp):
                self.visit(b, inner, env)
        left_out = {len(op.init) + r.place for r in found}
        made = [env.get(v, v) for k, v in enumerate(yields(op.body)) if k not in left_out]
        return made, [v for r in found for u in r.updates for v in replaced[u]]


def _kept(r: _Restorable, last: Value) -> _Kept:
    return _Kept(last, tuple(len(yields(u.body)) for u in r.updates))


def _restored(
    b: ArrayBuilder, kept: Sequence[_Kept], states: Sequence[Value], parts: list[Value]
) -> list[Value]:
    """Restore arrays as they were before an iteration, from what they are after it."""
    return [_undone(b, state, k, parts) for state, k in zip(states, kept, strict=True)]


def _undone(b: ArrayBuilder, state: Value, kept: _Kept, parts: list[Value]) -> Value:
    """Restore one array, by the logged parts at the front of `parts`, which are taken from it."""
    width = sum(1 + n for n in kept.positions)
    mine, parts[:width] = parts[:width], []
    for n in reversed(kept.positions):
        start = len(mine) - n
        region = b.index_region((), partial(mine.__getitem__, slice(start, None)))
        state = b.update("set", state, mine[start - 1], 0, region)
        del mine[start - 1 :]
    return state


def _entered(env: Environment, arguments: Sequence[Value], values: Sequence[Value]) -> Environment:
    """The environment with the arguments of a region, which give their names to the values."""
    inner = {**env, **dict(zip(arguments, values, strict=True))}
    for old, new in zip(arguments, values, strict=True):
        new.name_hint = new.name_hint or old.name_hint
    return inner
