"""Existing loops and branches through their folding constructors.

Carries that the text of a loop passes on unchanged are captured before the body is emitted, so that what is
known of their initial values folds inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import Region

from mlirad.dialects.array import control, ordering
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import yields
from mlirad.ir.carries import Carries, name_arguments_like
from mlirad.ir.control import ControlBuilder
from mlirad.ir.ordering import OrderingBuilder

Inline: TypeAlias = Callable[[Region, Sequence[Value]], list[Value]]
"""Emits the body of a source region here on the given arguments; returns what it yields."""


def fold_control(
    b: ControlBuilder, op: control.LoopOp | control.BranchOp, o: Sequence[Value], inline: Inline
) -> Sequence[Value]:
    """The results of a loop or branch through its constructor, with operands `o`."""
    match op:
        case control.ScanOp():
            return _scan(b, op, o, inline)
        case control.WhileOp():
            return _while(b, op, o, inline)
        case control.ReplayOp():
            return _replay(b, op, o, inline)
        case control.IfOp():
            return b.if_(o[0], _branch(op.then, inline), _branch(op.otherwise, inline))
        case control.SwitchOp():
            return b.switch(o[0], [_branch(branch, inline) for branch in op.branches])


def fold_ordering(
    b: OrderingBuilder, op: ordering.SortOp | ordering.ArgsortOp | ordering.CumulativeOp, x: Value
) -> Value:
    """The result of an ordering op through its constructor."""
    match op:
        case ordering.SortOp():
            return b.sort(x, op.dim.value.data)
        case ordering.ArgsortOp():
            return b.argsort(x, op.dim.value.data)
        case ordering.CumulativeOp():
            return b.cumulative(op.kind.data, x, op.dim.value.data, op.reverse is not None)


def _scan(b: ControlBuilder, op: control.ScanOp, o: Sequence[Value], inline: Inline) -> list[Value]:
    count, block = op.carry_count, op.body.block
    arguments = block.args[1 : count + 1]
    loop = Carries(arguments, yields(op.body)[:count], op.init, o[:count])

    def body(index: Value, carries: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        args = [index, *loop.all_of(carries), *slices]
        name_arguments_like(args, block.args)
        made = inline(op.body, args)
        return loop.changed(made[:count]), made[count:]

    final, stacked = b.scan_like(op, loop.init, o[count:], body)
    return [*loop.all_of(final), *stacked]


def _while(b: ControlBuilder, op: control.WhileOp, o: Sequence[Value], inline: Inline) -> list[Value]:
    count = len(o)
    loop = Carries(op.body.block.args, yields(op.body)[:count], op.init, o)

    def condition(*carries: Value) -> Value:
        args = loop.all_of(carries)
        name_arguments_like(args, op.condition.block.args)
        return inline(op.condition, args)[0]

    def body(*carries: Value) -> list[Value]:
        args = loop.all_of(carries)
        name_arguments_like(args, op.body.block.args)
        made = inline(op.body, args)
        return [*loop.changed(made[:count]), *made[count:]]

    record = None if op.record is None else op.record.value.data
    results = b.while_(loop.init, condition, body, record)
    final = results if record is None else results[:-1]
    return [*loop.all_of(final), *results[len(final) :]]


def _replay(b: ControlBuilder, op: control.ReplayOp, o: Sequence[Value], inline: Inline) -> list[Value]:
    block = op.body.block
    arguments = block.args[len(block.args) - len(op.init) :]
    loop = Carries(arguments, yields(op.body), op.init, o[1:])

    def body(entry: list[Value], carries: list[Value]) -> list[Value]:
        args = [*entry, *loop.all_of(carries)]
        name_arguments_like(args, block.args)
        return loop.changed(inline(op.body, args))

    return loop.all_of(b.replay(o[0], loop.init, body, reverse=op.reverse is not None))


def _branch(region: Region, inline: Inline) -> Callable[[], list[Value]]:
    return lambda: inline(region, ())
