"""The reverse sweep: the code of a block, and back through it with a sum of data for each value.

    z = x * y          data[x] += scale(y, data[z]),   data[y] += scale(x, data[z])
    if p {t} {u}       if p {t, and back through it} {u, and back through it}
    scan, while        forward, keeping the carries of each iteration; back over these, each run again

Values computed by a region's code are computed again where its sweep goes back. So code d regions deep
runs d + 1 times, and a function that calls itself n deep once more per level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Images
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values, own_operands
from mlirad.passes.sweep.activity import active_captures, carried, condition_reads, depending, reads
from mlirad.passes.sweep.forward import coefficients, is_choice
from mlirad.passes.sweep.functions import SweptFunctions
from mlirad.passes.sweep.instance import Instance
from mlirad.passes.sweep.transposed_moves import add_back, deciding, is_move, moved_places


class Backward(Images):
    """The images of source values, the steps back, and the sums of data while these are taken."""

    def __init__(
        self,
        b: ArrayBuilder,
        instance: Instance,
        functions: SweptFunctions,
        env: dict[Value, Value],
        active: Iterable[Value],
    ):
        self.b, self.instance, self.functions = b, instance, functions
        self.env, self.active = env, set(active)
        self.sums: dict[Value, Value] = {}
        self._steps: list[tuple[Operation, Callable[[], None]]] = []

    def inner(self, active: Iterable[Value], arguments: Iterable[tuple[Value, Value]] = ()) -> Backward:
        """The sweep of a region with these active values."""
        return Backward(self.b, self.instance, self.functions, {**self.env, **dict(arguments)}, active)

    # Sums ----------------------------------------------------------------------------------------

    def add(self, source: Value, data: Value) -> None:
        """Add to the sum of a value, if it may carry anything."""
        if source in self.active and self.instance.has(source):
            known = self.sums.get(source)
            self.sums[source] = data if known is None else self.instance.plus(self.b, known, data)

    def add_total(self, source: Value, scalar: Value) -> None:
        """Add one element of data to that of every element of a value."""
        if source in self.active and self.instance.has(source):
            self.add(source, self.instance.everywhere(self.b, scalar, source.type))

    def sum(self, source: Value) -> Value:
        """The sum of a value, as an array of zeros where it has none."""
        known = self.sums.get(source)
        return self.instance.zeros(self.b, source.type) if known is None else known

    # Forward -------------------------------------------------------------------------------------

    def forward(self, block: Block) -> None:
        """Emit the ops of a block, up to its terminator, and note how to go back through them."""
        self.active = depending(self.instance, block, self.active)
        for op in block.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return
            self.b.location, self.b.name_hint = op.location, None
            self._op(op)

    def _op(self, op: Operation) -> None:
        b = self.b
        match op:
            case _ if not reads(op, self.active):
                b.rebuild_unfolded(op, self.env)
            case CheckpointOp() | CustomOp():
                self._written_out(op)
            case control.ScanOp():
                self._scan(op)
            case control.WhileOp() if op.record is None:
                self._while(op)
            case control.IfOp() | control.SwitchOp():
                if own_operands(op)[0] in self.active and not self.instance.reads_control:
                    raise self.instance.refused(op, "does not say what a condition carries")
                b.rebuild_unfolded(op, self.env)
                self._note(op, partial(self._back_branch, op))
            case CallOp():
                b.rebuild_unfolded(op, self.env)
                self._note(op, partial(self._back_call, op))
            case ReportOp():
                b.rebuild_unfolded(op, self.env)
            case _ if op.regions and not is_move(op):
                raise self.instance.refused(op, f"does not go through {op.name}")
            case _:
                b.rebuild(op, self.env)
                self._plain(op)

    def _note(self, op: Operation, step: Callable[[], None]) -> None:
        self._steps.append((op, step))

    def _plain(self, op: Operation) -> None:
        instance = self.instance
        if not any(map(instance.has, op.results)):
            return
        if is_move(op):
            if any(v in self.active for v in deciding(op)) and not instance.reads_control:
                raise instance.refused(op, f"does not say what a position of {op.name} carries")
            self._note(op, partial(self._back_move, op))
        elif is_choice(op, instance):
            if op.condition in self.active:
                raise instance.refused(op, "does not say what a condition carries")
            self._note(op, partial(self._back_choice, op))
        elif isinstance(op, ew.ElementwiseOp) and coefficients(instance, op) is not None:
            self._note(op, partial(self._back_elementwise, op))
        elif instance.reads_control:
            self._note(op, partial(self._back_dense, op))
        elif any(v in self.active for v in own_operands(op)):
            raise instance.refused(op, f"has no line for {op.name}")

    def _written_out(self, op: CheckpointOp | CustomOp) -> None:
        block = op.body.block
        for argument, source in zip(block.args, own_operands(op), strict=True):
            self.env[argument] = self.value(source)
            if source in self.active:
                self.active.add(argument)
                self._note(op, partial(self._hand_on, argument, source))
        made = yields(op.body)
        self.forward(block)
        for result, inside in zip(op.results, made, strict=True):
            self.env[result] = self.value(inside)
            if inside in self.active:
                self.active.add(result)
                self._note(op, partial(self._hand_on, result, inside))

    def _hand_on(self, source: Value, target: Value) -> None:
        if source in self.sums:
            self.add(target, self.sums.pop(source))

    # Back ----------------------------------------------------------------------------------------

    def back(self) -> None:
        """Take the steps, the last one first."""
        for op, step in reversed(self._steps):
            self.b.location, self.b.name_hint = op.location, None
            step()

    def _taken(self, op: Operation) -> dict[int, Value]:
        """The sums of the results of an op, by their places."""
        return {k: self.sums.pop(r) for k, r in enumerate(op.results) if r in self.sums}

    def _total(self, found: Iterable[Value]) -> Value | None:
        return self.instance.sum(self.b, [self.instance.total(self.b, v) for v in found])

    def _back_dense(self, op: Operation) -> None:
        total = self._total(self._taken(op).values())
        if total is not None:
            for v in free_values(op):
                self.add_total(v, total)

    def _back_move(self, op: Operation) -> None:
        taken = self._taken(op)
        if not taken:
            return
        for place in moved_places(op):
            operand = own_operands(op)[place]
            if operand in self.active:
                sums = self.sum(operand), taken[0]
                self.sums[operand] = add_back(self.b, self.instance, op, self.value, place, sums)
        deciders = [v for v in deciding(op) if v in self.active]
        if deciders:
            total = self._total(taken.values())
            assert total is not None
            for v in deciders:
                self.add_total(v, total)

    def _back_choice(self, op: ew.SelectOp) -> None:
        for data in self._taken(op).values():
            condition, nothing = self.value(op.condition), self.instance.zeros(self.b, op.result.type)
            self.add(op.on_true, self.b.select(condition, data, nothing))
            self.add(op.on_false, self.b.select(condition, nothing, data))

    def _back_elementwise(self, op: ew.ElementwiseOp) -> None:
        taken = self._taken(op)
        rule = coefficients(self.instance, op)
        if not taken or rule is None:
            return
        operands = own_operands(op)
        for operand, coefficient in zip(operands, rule(self.b, op, self.values(operands)), strict=True):
            if coefficient is not None and operand in self.active:
                data = self.instance.scale(self.b, coefficient, taken[0])
                if shape_of(data) != shape_of(operand):
                    data = self.instance.total(self.b, data)
                self.add(operand, data)

    def _back_call(self, op: CallOp) -> None:
        taken = self._taken(op)
        if not taken:
            return
        given = [k for k, v in enumerate(op.arguments) if v in self.active]
        name = self.functions.backward(op.callee.root_reference.data, tuple(given))
        data = [
            taken[k] if k in taken else self.instance.zeros(self.b, r.type)
            for k, r in enumerate(op.results)
            if self.instance.has(r)
        ]
        made = self.functions.called(self.b, name, [*self.values(op.arguments), *data])
        for k, found in zip(given, made, strict=True):
            self.add(op.arguments[k], found)

    def _back_branch(self, op: control.BranchOp) -> None:
        taken = self._taken(op)
        if not taken:
            return
        choice = own_operands(op)[0]
        captured = active_captures(op.regions, self.active)
        before = [self.sum(v) for v in captured]

        def emit(region: Region) -> list[Value]:
            inner = self.inner(captured)
            inner.sums.update(zip(captured, before, strict=True))
            return inner.through(region.block, {k: taken[k] for k in taken}, captured)

        if captured:
            branches = [partial(emit, region) for region in op.regions]
            self.sums.update(zip(captured, self.b.choose(self.value(choice), branches), strict=True))
        if choice in self.active:
            total = self._total(taken.values())
            assert total is not None
            self.add_total(choice, total)

    def through(self, block: Block, data: dict[int, Value], wanted: Sequence[Value]) -> list[Value]:
        """Go through a block and back from data of what it yields; the sums of the values `wanted`."""
        self.forward(block)
        last = block.last_op
        assert last is not None
        made = own_operands(last)
        for k, found in data.items():
            self.add(made[k], found)
        self.back()
        return [self.sum(v) for v in wanted]

    # Loops ---------------------------------------------------------------------------------------

    def _scan(self, op: control.ScanOp) -> None:
        count, block = op.carry_count, op.body.block

        def step(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
            made = self.b.inline_region(op.body, [index, *state, *parts], self.env)
            return made[:count], [*made[count:], *state]

        final, ys = self.b.scan_like(op, self.values(op.init), self.values(op.xs), step)
        width = len(op.results) - count
        self.env.update(zip(op.results, [*final, *ys[:width]], strict=True))
        carries = carried(self.instance, op, self.active)
        self._note(op, partial(self._back_scan, op, block, carries, ys[width:]))

    def _back_scan(
        self, op: control.ScanOp, block: Block, carries: Sequence[int], starts: Sequence[Value]
    ) -> None:
        taken, count = self._taken(op), op.carry_count
        if not taken:
            return
        arguments, slices = block.args[1 : count + 1], block.args[count + 1 :]
        cut = [k for k, x in enumerate(op.xs) if x in self.active]
        captured = active_captures([op.body], self.active)
        outer = [k for k in taken if k >= count]
        looped = [*(arguments[k] for k in carries), *captured]

        def step(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
            values = parts[: count + len(slices)]
            known = zip(block.args, [index, *values], strict=True)
            inner = self.inner([*looped, *(slices[k] for k in cut)], known)
            inner.sums.update(zip(captured, state[len(carries) :], strict=True))
            data = dict(zip(carries, state, strict=False))
            data |= dict(zip(outer, parts[len(values) :], strict=True))
            made = inner.through(block, data, [*looped, *(slices[k] for k in cut)])
            return made[: len(state)], made[len(state) :]

        before = [taken[k] if k in taken else self.instance.zeros(self.b, op.init[k].type) for k in carries]
        before += [self.sum(v) for v in captured]
        columns = [*starts, *self.values(op.xs), *(taken[k] for k in outer)]
        final, stacked = self.b.scan(before, columns, op.iterations, step, reverse=op.reverse is None)
        self.sums.update(zip(captured, final[len(carries) :], strict=True))
        for k, found in zip(carries, final, strict=False):
            self.add(op.init[k], found)
        for k, found in zip(cut, stacked, strict=True):
            self.add(op.xs[k], found)

    def _while(self, op: control.WhileOp) -> None:
        carries = carried(self.instance, op, self.active)
        decides = condition_reads(self.instance, op, carries, self.active)
        if decides and not self.instance.reads_control:
            raise self.instance.refused(op, "does not say what the condition of a loop carries")
        env = self.env

        def condition(*state: Value) -> Value:
            return self.b.inline_region(op.condition, state, env)[0]

        def body(*state: Value) -> list[Value]:
            return [*self.b.inline_region(op.body, state, env), *state]

        *final, tape = self.b.while_(self.values(op.init), condition, body, len(op.init))
        self.env.update(zip(op.results, final, strict=True))
        self._note(op, partial(self._back_while, op, carries, tape, decides))

    def _back_while(self, op: control.WhileOp, carries: Sequence[int], tape: Value, decides: bool) -> None:
        taken = self._taken(op)
        if not taken:
            return
        b, instance = self.b, self.instance
        first, second = op.condition.block, op.body.block
        captured = active_captures([op.condition, op.body], self.active)
        decided = self._total(taken.values()) if decides else None

        def asked(data: list[Value], values: Sequence[Value]) -> list[Value]:
            """The data with those that the condition adds to them at some carries."""
            if decided is None:
                return data
            own = [first.args[k] for k in carries]
            inner = self.inner([*own, *captured], zip(first.args, values, strict=True))
            inner.sums.update(zip([*own, *captured], data, strict=True))
            return inner.through(first, {0: decided}, [*own, *captured])

        def step(entry: list[Value], state: list[Value]) -> list[Value]:
            own = [second.args[k] for k in carries]
            inner = self.inner([*own, *captured], zip(second.args, entry, strict=True))
            inner.sums.update(zip(captured, state[len(carries) :], strict=True))
            made = inner.through(second, dict(zip(carries, state, strict=False)), [*own, *captured])
            return asked(made, entry)

        before = [taken[k] if k in taken else instance.zeros(b, op.init[k].type) for k in carries]
        before += [self.sum(v) for v in captured]
        before = asked(before, self.values(op.results))
        final = b.replay(tape, before, step, reverse=True)
        self.sums.update(zip(captured, final[len(carries) :], strict=True))
        for k, found in zip(carries, final, strict=False):
            self.add(op.init[k], found)
