"""Emits the loop that stands for repetitions.

    %r0 = op %a, %x[4]                      %c, %rs = scan %a, %x[4:104] (%i, %c, %row) {
    %r1 = op %r0, %x[5]              -->      %r = op %c, %row
    ...                                       yield %r, %r
    %r99 = op %r98, %x[103]                 }                          where other code reads %r17: %rs[17]

An iteration makes one repetition or several, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of
from mlirad.ir.free_values import own_operands
from mlirad.passes.reroll_loops.costs import Shape
from mlirad.passes.reroll_loops.matching import Repetitions, Result
from mlirad.passes.reroll_loops.parts import is_step, reads
from mlirad.passes.reroll_loops.readings import Inputs, OpenRepetition, Reading

Plans = Sequence[tuple[Operation, Sequence[Reading]]]
"""The ops of a repetition, each with how its operands are read."""


Carries = dict[tuple[Result, int], Value]
"""The results of the repetitions before an iteration: each with how far it lies before the last one."""


def emit_loop(b: ArrayBuilder, source: Repetitions, shape: Shape, env: Environment) -> None:
    """Emit the loop, and enter what stands for the results that other code reads."""
    b.name_hint = None
    read = source.read_outside()
    carried = [(result, lag) for result, values in source.initial.items() for lag in range(len(values))]
    init = [_standing(b, source.initial[result][lag], env) for result, lag in carried]
    stacked = [r for r, at in read.items() if at != [source.count - 1] or r not in source.initial]
    inputs = Inputs(b, source, shape, lambda v: _standing(b, v, env))
    plans = [
        (op, [inputs.reading(operand) for operand in operands])
        for op, operands in zip(source.ops, source.reads, strict=True)
    ]

    def body(i: Value, carries: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        iteration = _Iteration(b, i, slices, dict(zip(carried, carries, strict=True)))
        for _ in range(shape.together):
            iteration.repeat(plans)
        last = shape.together - 1
        return [iteration.made_in(result, last - lag) for result, lag in carried], [
            iteration.stack(r) for r in stacked
        ]

    final, stacks = b.scan(init, inputs.arrays, shape.iterations, body)
    for (result, lag), value in zip(carried, final, strict=True):
        if lag < source.count:
            env[source.result(result, source.count - 1 - lag)] = value
    for result, stack in zip(stacked, stacks, strict=True):
        rows = b.reshape(stack, (source.count, *shape_of(source.result(result, 0))))
        for repetition in read[result]:
            value = source.result(result, repetition)
            if value not in env:
                env[value] = b.index(rows, [b.index_constant(repetition)])


def _standing(b: ArrayBuilder, value: Value, env: Environment) -> Value:
    """Return what stands for a value of the source; a part of an array may be yet to come, and is made
    here.
    """
    op = value.owner
    if value not in env and isinstance(op, Operation) and is_step(op):
        for operand in own_operands(op):
            _standing(b, operand, env)
        b.rebuild(op, env)
    return env.get(value, value)


class _Iteration(OpenRepetition):
    """One iteration under construction: the carries that it is given, and what its repetitions have made."""

    def __init__(self, b: ArrayBuilder, index: Value, slices: Sequence[Value], carries: Carries):
        super().__init__(index, slices)
        self.b = b
        self._carries = carries
        self._made: list[dict[Result, Value]] = []

    def made_in(self, result: Result, repetition: int) -> Value:
        """A result of a repetition of this iteration; those of iterations before have numbers below 0."""
        return self._made[repetition][result] if repetition >= 0 else self._carries[result, -1 - repetition]

    def made(self, result: Result, lag: int) -> Value:
        """A result of the repetition `lag` before the one under construction."""
        return self.made_in(result, self.repetition - lag)

    def stack(self, result: Result) -> Value:
        """A result of all repetitions of this iteration."""
        values = [made[result] for made in self._made]
        return values[0] if len(values) == 1 else self.b.stack(values, 0)

    def repeat(self, plans: Plans) -> None:
        """Emit one more repetition."""
        self.repetition = len(self._made)
        made: dict[Result, Value] = {}
        self._made.append(made)
        for k, (op, readings) in enumerate(plans):
            new = self._emit(op, [reading(self) for reading in readings])
            made.update(((k, r.index), value) for r, value in zip(op.results, new.results, strict=True))

    def _emit(self, op: Operation, values: Sequence[Value]) -> Operation:
        b, count = self.b, len(own_operands(op))
        b.location = op.location
        b.name_hint = op.results[0].name_hint if op.results else None
        captured = dict(zip(reads(op)[count:], values[count:], strict=True))
        regions = [b.clone_region(region, captured, extents_of(op)) for region in op.regions]
        return b.insert(type(op), values[:count], op.result_types, op.properties, regions)
