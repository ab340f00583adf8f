"""Loops and branches: regions run one after the other, with array-valued arguments.

A tape is a list of tuples, one per iteration. Counts made here depend on the data: the values that a `while`
records and that a `replay` reads back, by their elements; `counting` states the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import i64
from xdsl.ir import Operation

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.frames import NextRowOp, NoFrameOp, RestoreOp, SaveOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import size_of
from mlirad.errors import NoRoomError
from mlirad.interpreter.machine import Frame, Meaning


def _results(values: Sequence[Any]) -> Any:
    """Return what a meaning returns: the one value, or all of them."""
    return values[0] if len(values) == 1 else tuple(values)


def _scan(op: control.ScanOp, operands: Sequence[Any], frame: Frame) -> Any:
    block, count, iterations = op.body.block, op.carry_count, op.iterations
    carries, xs = list(operands[:count]), operands[count:]
    stacked: list[list[Any]] = [[None] * iterations for _ in op.stacked]
    for i in reversed(range(iterations)) if op.reverse is not None else range(iterations):
        frame.bind(block, [numpy_dtype(i64).type(i), *carries, *(x[i] for x in xs)])
        made = frame.run(block)
        carries = made[:count]
        for rows, row in zip(stacked, made[count:], strict=True):
            rows[i] = row
    arrays = [frame.stacked(rows, y.type) for rows, y in zip(stacked, op.stacked, strict=True)]
    return _results([*carries, *arrays])


def _while(op: control.WhileOp, operands: Sequence[Any], frame: Frame) -> Any:
    condition, body = op.condition.block, op.body.block
    carries, tape = list(operands), list[tuple[Any, ...]]()
    elements = 0 if op.tape is None else sum(size_of(t) for t in control.entry_types(op.tape))
    while True:
        frame.bind(condition, carries)
        (more,) = frame.run(condition)
        if not more:
            return _results(carries if op.record is None else [*carries, tape])
        frame.bind(body, carries)
        made = frame.run(body)
        carries, entry = made[: len(carries)], made[len(carries) :]
        if op.record is not None:
            tape.append(tuple(entry))
            frame.machine.count_elements(op, elements)


def _replay(op: control.ReplayOp, operands: Sequence[Any], frame: Frame) -> Any:
    tape, *carries = operands
    elements = sum(size_of(type_) for type_ in control.entry_types(op.tape))
    for entry in reversed(tape) if op.reverse is not None else tape:
        frame.machine.count_elements(op, elements)
        frame.bind(op.body.block, [*entry, *carries])
        carries = frame.run(op.body.block)
    return _results(carries)


def _if(op: control.IfOp, operands: Sequence[Any], frame: Frame) -> Any:
    return _results(frame.run((op.then if operands[0] else op.otherwise).block))


def _switch(op: control.SwitchOp, operands: Sequence[Any], frame: Frame) -> Any:
    branch = min(max(int(operands[0]), 0), len(op.branches) - 1)
    return _results(frame.run(op.branches[branch].block))


def _custom(op: CustomOp, operands: Sequence[Any], frame: Frame) -> Any:
    frame.bind(op.body.block, operands)
    return _results(frame.run(op.body.block))


def _checkpoint(op: CheckpointOp, operands: Sequence[Any], frame: Frame) -> Any:
    return _results(frame.run(op.body.block))


def _save(op: SaveOp, operands: Sequence[Any], frame: Frame) -> Any:
    """A frame is known by its number, counted from 1; 0 is not a frame."""
    frames = frame.machine.frames
    frames.append(tuple(operands))
    frame.machine.count_elements(op, sum(size_of(o) for o in op.operands))
    return numpy_dtype(op.frame.type).type(len(frames))


def _restore(op: RestoreOp, operands: Sequence[Any], frame: Frame) -> Any:
    number = int(operands[0])
    if number == 0:
        raise ValueError("nothing has saved the frame that is restored")
    frame.machine.count_elements(op, sum(size_of(r) for r in op.results))
    return _results(frame.machine.frames[number - 1])


def _next_row(op: NextRowOp, operands: Sequence[Any], frame: Frame) -> Any:
    if int(operands[0]) >= op.room.value.data:
        raise NoRoomError(op.record.value.data)
    return operands[0]


def no_frame(op: NoFrameOp, operands: Sequence[Any]) -> Any:
    """The number of no frame."""
    return numpy_dtype(op.frame.type).type(0)


CONTROL_MEANINGS: dict[type[Operation], Meaning] = {
    control.ScanOp: _scan,
    control.WhileOp: _while,
    control.IfOp: _if,
    control.SwitchOp: _switch,
    control.ReplayOp: _replay,
    CustomOp: _custom,
    CheckpointOp: _checkpoint,
    SaveOp: _save,
    RestoreOp: _restore,
    NextRowOp: _next_row,
    NoFrameOp: lambda op, operands, frame: no_frame(op, operands),
}
"""From the class of an op to its meaning."""
