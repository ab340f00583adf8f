"""The forward sweep: beside each value the data that it carries.

    z = x * y          data[z] = scale(y, data[x]) + scale(x, data[y])
    if p {t} {u}       if p {t, data} {u, data}
    scan, while        data of carries are carried, those of slices sliced, of stacked values stacked

A value without data carries the zero. Functions that call themselves become functions of values and data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TypeGuard

from xdsl.dialects.builtin import i1
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
from mlirad.passes.sweep.activity import carried, condition_reads, reads
from mlirad.passes.sweep.functions import SweptFunctions
from mlirad.passes.sweep.instance import Instance, Partials
from mlirad.passes.sweep.transposed_moves import deciding, element_type, is_move, move, moved_places


class Forward(Images):
    """The images of source values, and the data that they carry."""

    def __init__(
        self,
        b: ArrayBuilder,
        instance: Instance,
        functions: SweptFunctions,
        env: dict[Value, Value],
        data: dict[Value, Value],
    ):
        self.b, self.instance, self.functions, self.env, self.data = b, instance, functions, env, data

    def carried_by(self, source: Value) -> Value:
        """The data of a source value, as an array of zeros where it has none."""
        known = self.data.get(source)
        return self.instance.zeros(self.b, source.type) if known is None else known

    def both(self, sources: Sequence[Value], carrying: Iterable[Value]) -> list[Value]:
        """The images of source values, then the data that some of them carry."""
        return [*self.values(sources), *map(self.carried_by, carrying)]

    def enter(self, sources: Sequence[Value], carrying: Sequence[Value], made: Sequence[Value]) -> None:
        """Note what source values became, and what some of them carry."""
        self.env.update(zip(sources, made, strict=False))
        self.data.update(zip(carrying, made[len(sources) :], strict=True))

    def inner(self) -> Forward:
        """The sweep in a region."""
        return Forward(self.b, self.instance, self.functions, dict(self.env), dict(self.data))

    def block(self, block: Block) -> None:
        """Emit the ops of a block with what their results carry, up to its terminator."""
        for op in block.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return
            self.b.location, self.b.name_hint = op.location, None
            self._op(op)

    def _op(self, op: Operation) -> None:
        match op:
            case _ if not reads(op, self.data):
                self.b.rebuild_unfolded(op, self.env)
            case control.IfOp() | control.SwitchOp():
                self._branch(op)
            case control.ScanOp():
                self._scan(op)
            case control.WhileOp() if op.record is None:
                self._while(op)
            case CheckpointOp() | CustomOp():
                self._written_out(op)
            case CallOp():
                self._call(op)
            case ReportOp():
                self.b.rebuild_unfolded(op, self.env)
            case _ if op.regions and not is_move(op):
                raise self.instance.refused(op, f"does not go through {op.name}")
            case _:
                self.b.rebuild(op, self.env)
                self._plain(op)

    # Ops without code inside ---------------------------------------------------------------------

    def _plain(self, op: Operation) -> None:
        b, instance = self.b, self.instance
        read = [v for v in own_operands(op) if v in self.data]
        kept = [r for r in op.results if instance.has(r)]
        if not kept:
            return
        if is_move(op):
            (result,) = kept
            found: list[Value] = []
            places = moved_places(op)
            if any(own_operands(op)[k] in self.data for k in places):
                images = [self.carried_by(own_operands(op)[k]) for k in places]
                found.append(move(b, op, self.value, images, element_type(instance, result)))
            found += self._dense([v for v in deciding(op) if v in self.data], op, result)
        elif is_choice(op, instance):
            (result,) = kept
            if op.condition in self.data:
                raise instance.refused(op, "does not say what a condition carries")
            data = [self.carried_by(v) for v in (op.on_true, op.on_false)]
            found = [b.select(self.value(op.condition), *data)]
        elif isinstance(op, ew.ElementwiseOp) and (rule := coefficients(instance, op)) is not None:
            (result,) = kept
            found = []
            for operand, coefficient in zip(
                own_operands(op), rule(b, op, self.values(own_operands(op))), strict=True
            ):
                if coefficient is not None and operand in self.data:
                    data = self.data[operand]
                    if shape_of(data) != shape_of(result):
                        data = b.broadcast(data, shape_of(result), ())
                    found.append(instance.scale(b, coefficient, data))
        elif instance.reads_control:
            for result in kept:
                self._keep(result, self._dense([v for v in free_values(op) if v in self.data], op, result))
            return
        elif not read:
            return
        else:
            raise instance.refused(op, f"has no line for {op.name}")
        self._keep(kept[0], found)

    def _keep(self, result: Value, found: Sequence[Value]) -> None:
        total = self.instance.sum(self.b, found)
        if total is not None:
            self.data[result] = total

    def _dense(self, sources: Sequence[Value], op: Operation, result: Value) -> list[Value]:
        """The sum of the data of sources, at every element of a result, where that counts."""
        if not sources:
            return []
        if not self.instance.reads_control:
            raise self.instance.refused(op, f"does not say what a position of {op.name} carries")
        scalars = [self.instance.total(self.b, self.data[v]) for v in sources]
        total = self.instance.sum(self.b, scalars)
        assert total is not None
        return [self.instance.everywhere(self.b, total, result.type)]

    def _decide(self, op: Operation, condition: Value | None, sources: Iterable[Value]) -> None:
        """Add what a condition carries to all that it decides."""
        if condition is None:
            return
        for v in sources:
            if self.instance.has(v):
                whole = self.instance.everywhere(self.b, condition, v.type)
                known = self.data.get(v)
                self.data[v] = whole if known is None else self.instance.plus(self.b, known, whole)

    # Ops with code inside ------------------------------------------------------------------------

    def _written_out(self, op: CheckpointOp | CustomOp) -> None:
        for argument, source in zip(op.body.block.args, own_operands(op), strict=True):
            self.env[argument] = self.value(source)
            if source in self.data:
                self.data[argument] = self.data[source]
        self.block(op.body.block)
        for result, made in zip(op.results, yields(op.body), strict=True):
            self.env[result] = self.value(made)
            if made in self.data:
                self.data[result] = self.data[made]

    def _branch(self, op: control.BranchOp) -> None:
        choice = own_operands(op)[0]
        if choice in self.data and not self.instance.reads_control:
            raise self.instance.refused(op, "does not say what a condition carries")
        wanted = [k for k, r in enumerate(op.results) if self.instance.has(r)]

        def emit(region: Region) -> list[Value]:
            inner, made = self.inner(), yields(region)
            inner.block(region.block)
            return inner.both(made, [made[k] for k in wanted])

        made = self.b.choose(self.value(choice), [partial(emit, region) for region in op.regions])
        self.enter(op.results, [op.results[k] for k in wanted], made)
        self._decide(op, self.data.get(choice), op.results)

    def _scan(self, op: control.ScanOp) -> None:
        count, block, made = op.carry_count, op.body.block, yields(op.body)
        arguments, slices, outputs = block.args[1 : count + 1], block.args[count + 1 :], made[count:]
        carries = carried(self.instance, op, self.data.keys())
        cut = [k for k, x in enumerate(op.xs) if x in self.data]
        stacked = [k for k, v in enumerate(outputs) if self.instance.has(v)]

        def step(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
            inner = self.inner()
            inner.env[block.args[0]] = index
            inner.enter(arguments, [arguments[k] for k in carries], state)
            inner.enter(slices, [slices[k] for k in cut], parts)
            inner.block(block)
            after = inner.both(made[:count], [made[k] for k in carries])
            return after, inner.both(outputs, [outputs[k] for k in stacked])

        init = self.both(op.init, [op.init[k] for k in carries])
        xs = self.both(op.xs, [op.xs[k] for k in cut])
        final, ys = self.b.scan_like(op, init, xs, step)
        self.enter(op.final, [op.final[k] for k in carries], final)
        self.enter(op.stacked, [op.stacked[k] for k in stacked], ys)

    def _while(self, op: control.WhileOp) -> None:
        made, arguments, count = yields(op.body), op.body.block.args, len(op.init)
        carries = carried(self.instance, op, self.data.keys())
        decides = condition_reads(self.instance, op, carries, set(self.data))
        if decides and not self.instance.reads_control:
            raise self.instance.refused(op, "does not say what the condition of a loop carries")
        init = self.both(op.init, [op.init[k] for k in carries])
        start = [self.b.constant(self.instance.zero, self.instance.spaces[i1])] if decides else []

        def condition(*state: Value) -> Value:
            return self.b.inline_region(op.condition, state[:count], self.env)[0]

        def decided(state: Sequence[Value]) -> list[Value]:
            if not decides:
                return []
            inner, own = self.inner(), op.condition.block.args
            inner.enter(own, [own[k] for k in carries], state[: len(init)])
            inner.block(op.condition.block)
            return [self.instance.plus(self.b, state[-1], inner.carried_by(yields(op.condition)[0]))]

        def body(*state: Value) -> list[Value]:
            inner = self.inner()
            inner.enter(arguments, [arguments[k] for k in carries], state[: len(init)])
            inner.block(op.body.block)
            return [*inner.both(made, [made[k] for k in carries]), *decided(state)]

        final = self.b.while_([*init, *start], condition, body)
        self.enter(op.results, [op.results[k] for k in carries], final[: len(init)])
        if decides:
            (total,) = decided(final)
            self._decide(op, total, op.results)

    def _call(self, op: CallOp) -> None:
        given = [k for k, v in enumerate(op.arguments) if v in self.data]
        name = self.functions.forward(op.callee.root_reference.data, tuple(given))
        kept = [r for r in op.results if self.instance.has(r)]
        operands = self.both(list(op.arguments), [op.arguments[k] for k in given])
        made = self.functions.called(self.b, name, operands)
        self.enter(op.results, kept, made)


def coefficients(instance: Instance, op: ew.ElementwiseOp) -> Partials | None:
    """The line of an elementwise op: 1 for all that it reads if control is read and there is no line."""
    rule = instance.partials.get(type(op))
    if rule is None and instance.reads_control:

        def ones(b: ArrayBuilder, op: Operation, operands: Sequence[Value]) -> list[Value]:
            return [instance.ones(b, op.results[0].type) for _ in operands]

        return ones
    return rule


def is_choice(op: Operation, instance: Instance) -> TypeGuard[ew.SelectOp]:
    """Tell whether an op chooses among elements, and the instance has no line of its own for that."""
    return isinstance(op, ew.SelectOp) and ew.SelectOp not in instance.partials and not instance.reads_control
