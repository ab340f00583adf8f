"""A forward sweep over code: beside each value what an instance accumulates for it, its shadow.

    y = op x          y = op x,   s[y] = forward(op) s[x]
    if p {t} {u}      if p {t, s[t]} {u, s[u]}, plus control s[p]
    scan, while       the shadows of carries are carried, those of slices sliced, of stacked values stacked

A shadow that does not depend on the position in an array is that of all slices; of a stacked value it is the
sum over the trips. What a condition has accumulates over the trips of a loop. A value without a shadow has
zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import partial

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.indexing import BuildOp, YieldOp
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, Images
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.chad.instances import Instance
from mlirad.passes.dual_arrays.activity import Kind, active_carries, active_values


@dataclass
class ForwardSweep(Images):
    """What source values became, and their shadows."""

    b: ArrayBuilder
    instance: Instance
    env: Environment = field(default_factory=dict[Value, Value])
    shadows: dict[Value, Value] = field(default_factory=dict[Value, Value])

    @property
    def _kind(self) -> Kind:
        return Kind(self.has)

    def shadow(self, source: Value) -> Value:
        """The shadow of a source value that can have one, zeros written out."""
        known = self.shadows.get(source)
        space = self.instance.space(source.type)
        assert space is not None
        return self.b.zeros(space) if known is None else known

    def has(self, source: Value) -> bool:
        """Whether a source value can have a shadow."""
        return self.instance.space(source.type) is not None

    def both(self, sources: Iterable[Value], shadowed: Iterable[Value]) -> list[Value]:
        """What source values became, then the shadows of some of them."""
        return [*map(self.value, sources), *map(self.shadow, shadowed)]

    def enter(self, sources: Sequence[Value], shadowed: Sequence[Value], made: Sequence[Value]) -> None:
        """Enter source values, and the shadows of some of them, from what is made of them."""
        self.env.update(zip(sources, made, strict=False))
        self.shadows.update(zip(shadowed, made[len(sources) :], strict=True))

    def add(self, sources: Iterable[Value], shadow: Value | None) -> None:
        """Add to the shadows of source values."""
        if shadow is not None:
            for v in filter(self.has, sources):
                known = self.shadows.get(v)
                self.shadows[v] = shadow if known is None else self.instance.plus(self.b, known, shadow)

    def decided(self, op: Operation, condition: Value) -> Value | None:
        """What a condition adds to all that it decides in an op."""
        known = self.shadows.get(condition)
        return None if known is None else self.instance.control(op, known)

    def transform(self, block: Block) -> None:
        """Emit the ops of a block with shadows, up to its terminator."""
        for op in block.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return
            self.b.location, self.b.name_hint = op.location, None
            match op:
                case control.IfOp() | control.SwitchOp():
                    self._branch(op)
                case control.ScanOp():
                    self._scan(op)
                case control.WhileOp() if op.tape is None:
                    self._while(op)
                case CheckpointOp() | CustomOp():
                    self._written_out(op)
                case BuildOp() | control.WhileOp() | control.ReplayOp():
                    raise UnsupportedError(
                        f"{op.name} has no forward sweep here",
                        location=location_of(op),
                        hint="run eliminate-functions, mlirad-inline and bulk-operations before",
                    )
                case ReportOp():
                    self.b.rebuild_unfolded(op, self.env)
                case _:
                    self.b.rebuild(op, self.env)
                    shadow = self.instance.forward(self.b, op, self.value, self.shadows)
                    self.add(op.results, shadow)

    def _written_out(self, op: CheckpointOp | CustomOp) -> None:
        self.enter_arguments(op.body.block.args, own_operands(op))
        self.transform(op.body.block)
        for result, made in zip(op.results, yields(op.body), strict=True):
            self.env[result] = self.value(made)
            if made in self.shadows:
                self.shadows[result] = self.shadows[made]

    def enter_arguments(self, arguments: Sequence[Value], sources: Sequence[Value]) -> None:
        """Enter the arguments of a region that stand for other source values."""
        for argument, source in zip(arguments, sources, strict=True):
            self.env[argument] = self.value(source)
            if source in self.shadows:
                self.shadows[argument] = self.shadows[source]

    def inner(self) -> ForwardSweep:
        """The sweep in a region."""
        return ForwardSweep(self.b, self.instance, dict(self.env), dict(self.shadows))

    def active(self, block: Block, active: set[Value]) -> set[Value]:
        """The values of a block that can have a shadow that is not zero."""
        return active_values(block, {*self.shadows, *active}, self._kind)

    def _branch(self, op: control.BranchOp) -> None:
        inside = [self.active(region.block, set()) for region in op.regions]
        columns = list(zip(*(yields(region) for region in op.regions), strict=True))
        wanted = [
            k for k, column in enumerate(columns) if any(v in a for v, a in zip(column, inside, strict=True))
        ]

        def emit(region: Region) -> list[Value]:
            inner, made = self.inner(), yields(region)
            inner.transform(region.block)
            return inner.both(made, [made[k] for k in wanted])

        choice = own_operands(op)[0]
        made = self.b.choose(self.value(choice), [partial(emit, region) for region in op.regions])
        self.enter(op.results, [op.results[k] for k in wanted], made)
        self.add(op.results, self.decided(op, choice))

    def carried(
        self,
        block: Block,
        arguments: Sequence[Value],
        made: Sequence[Value],
        init: Sequence[Value],
        others: set[Value],
    ) -> tuple[list[int], set[Value]]:
        """The carries that have shadows, and all values of the body that have."""
        starts = [v in self.shadows for v in init]
        active = {*self.shadows, *others}
        found, inside = active_carries(block, arguments, made[: len(init)], starts, active, self._kind)
        if self.instance.is_whole:
            # A condition may depend on any of them, and what it decides on it.
            found = [True] * len(init)
        return [k for k, depends in enumerate(found) if depends], inside

    def _scan(self, op: control.ScanOp) -> None:
        count, block, made = op.carry_count, op.body.block, yields(op.body)
        arguments, slices, outputs = block.args[1 : count + 1], block.args[count + 1 :], made[count:]
        is_whole = self.instance.is_whole
        cut = [k for k, x in enumerate(op.xs) if x in self.shadows]
        carries, inside = self.carried(block, arguments, made, op.init, {slices[k] for k in cut})
        stacked = [k for k, v in enumerate(outputs) if is_whole or v in inside]

        def trip(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
            inner = self.inner()
            inner.env[block.args[0]] = index
            inner.enter(arguments, [arguments[k] for k in carries], state[: count + len(carries)])
            inner.env.update(zip(slices, parts, strict=False))
            given = [self.shadows[op.xs[k]] for k in cut] if is_whole else parts[len(slices) :]
            inner.shadows.update(zip((slices[k] for k in cut), given, strict=True))
            inner.transform(block)
            after = inner.both(made[:count], [made[k] for k in carries])
            made_here = [inner.shadow(outputs[k]) for k in stacked]
            values = [*map(inner.value, outputs)]
            if not is_whole:
                return after, [*values, *made_here]
            sums = state[count + len(carries) :]
            return [
                *after,
                *(self.instance.plus(self.b, s, v) for s, v in zip(sums, made_here, strict=True)),
            ], values

        xs = [*map(self.value, op.xs), *(() if is_whole else (self.shadows[op.xs[k]] for k in cut))]
        init = self.both(op.init, [op.init[k] for k in carries])
        zeros = [ForwardSweep(self.b, self.instance).shadow(outputs[k]) for k in stacked] if is_whole else []
        final, ys = self.b.scan_like(op, [*init, *zeros], xs, trip)
        self.enter(op.final, [op.final[k] for k in carries], final[: len(init)])
        shadowed = [op.stacked[k] for k in stacked]
        self.enter(op.stacked, shadowed, [*ys, *final[len(init) :]])

    def _while(self, op: control.WhileOp) -> None:
        made, arguments = yields(op.body), op.body.block.args
        carries, _ = self.carried(op.body.block, arguments, made, op.init, set())
        init = self.both(op.init, [op.init[k] for k in carries])
        first = self._condition(op, carries, init)
        controls = [] if first is None else [self.b.zeros(first.type)]

        def condition(*state: Value) -> Value:
            return self.b.inline_region(op.condition, state[: len(arguments)], self.env)[0]

        def body(*state: Value) -> list[Value]:
            inner = self.inner()
            inner.enter(arguments, [arguments[k] for k in carries], state[: len(init)])
            inner.transform(op.body.block)
            deciding = self._condition(op, carries, state[: len(init)])
            decided = [] if deciding is None else [self.instance.plus(self.b, state[-1], deciding)]
            return [*inner.both(made, [made[k] for k in carries]), *decided]

        final = self.b.while_([*init, *controls], condition, body)
        self.enter(op.final, [op.final[k] for k in carries], final[: len(init)])
        if controls:
            self.add(op.final, final[-1])
            self.add(op.final, self._condition(op, carries, final[: len(init)]))

    def _condition(self, op: control.WhileOp, carries: Sequence[int], state: Sequence[Value]) -> Value | None:
        """What the condition of a loop adds to all that the loop makes, in a state with its shadows."""
        inner, arguments = self.inner(), op.condition.block.args
        inner.enter(arguments, [arguments[k] for k in carries], state)
        inner.transform(op.condition.block)
        return inner.decided(op, yields(op.condition)[0])
