"""The reads of an iteration for those of its repetitions.

    %x[4], %x[5], %x[6], ...            the slices of %x[4:...]
    %x[:, 4:5], %x[:, 5:6], ...         the slices of %x[:, 4:...] turned round
    %x[4:7], %x[5:8], ...               a gather at the positions from i + 4 on
    %x[3], %x[0], %x[7], ...            %x at a position that is looked up
    0.1, 0.2, 0.3, ...                  the slices of a constant array
    %a, %b, %c, ...                     the slices of an array made of them

Terms that the derivative adds to slices of the loop are stacked, iteration by iteration. To other parts of an
array it is added in each iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Final, TypeAlias

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation

from mlirad.dialects.array.indexing import IndexOp
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import BroadcastOp, SliceOp
from mlirad.dialects.shapes import Value, element_of, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.passes.reroll_loops.costs import Shape
from mlirad.passes.reroll_loops.joined_rows import joined_rows
from mlirad.passes.reroll_loops.matching import Repetitions, Result
from mlirad.passes.reroll_loops.operands import Constant, Listed, Made, Operand, Outer, constant_of
from mlirad.passes.reroll_loops.parts import step_numbers

MAX_ROW: Final = 16
"""Rows of more elements are not slices of a loop that reads some of them only."""


class OpenRepetition:
    """A repetition under construction: index and slices of its iteration, and which one of the iteration it
    is.
    """

    def __init__(self, index: Value, slices: Sequence[Value]):
        self.index = index
        self.slices = slices
        self.repetition = 0

    def made(self, result: Result, lag: int) -> Value:
        """A result of the repetition `lag` before this one."""
        raise NotImplementedError


Reading: TypeAlias = Callable[[OpenRepetition], Value]
"""Emits what an operand is in a repetition."""

Step: TypeAlias = Callable[[OpenRepetition, Value], Value]

Numbers: TypeAlias = Sequence[Sequence[int]]
"""The numbers of the steps to a part, each by repetition."""

Standing: TypeAlias = Callable[[Value], Value]
"""The mapping from a value of the source to the value that stands for it."""


class Inputs:
    """The readings of all operands, and the arrays that the loop takes slices of for them."""

    def __init__(
        self, b: ArrayBuilder, source: Repetitions, shape: Shape, standing: Callable[[Value], Value]
    ):
        self.b, self.source, self.shape = b, source, shape
        self.standing = standing
        self.arrays: list[Value] = []
        self._slices: dict[Value, int] = {}
        self._lists: dict[tuple[Value, ...], Value] = {}

    def reading(self, operand: Operand) -> Reading:
        """Return how an operand is read."""
        steps, numbers = operand.template.steps, self._numbers(operand)
        match operand.origin:
            case Outer(base):
                if all(len(set(own)) == 1 for own in numbers):
                    return _always(self.standing(operand.values[self.source.skipped]))
                base = self.standing(base)
                rows = self._rows(base, steps[0], numbers) if steps else None
                if rows is None:
                    read = _always(base)
                else:
                    read, steps, numbers = rows, steps[1:], numbers[len(step_numbers(steps[0])) :]
            case Constant():
                read = self._constant(operand)
            case Made(op, result, lag):
                read = _made((op, result), lag)
            case Listed():
                read = self._slice(self._list(operand))
        return self._stepped(read, steps, numbers)

    def _numbers(self, operand: Operand) -> list[list[int]]:
        first = self.source.skipped
        count = len(operand.template.numbers)
        if isinstance(operand.origin, Made) and not count:
            return []
        return [operand.numbers(k, first, first + self.source.count) for k in range(count)]

    def _list(self, operand: Operand) -> Value:
        """The values of an operand in all repetitions, as an array."""
        first = self.source.skipped
        values = tuple(operand.values[first : first + self.source.count])
        known = self._lists.get(values)
        if known is None:
            stack = self.b.stack([self.standing(value) for value in values], 0)
            known = self._lists[values] = joined_rows(self.b, stack) or stack
        return known

    # Slices of the loop --------------------------------------------------------------------------

    def _slice(self, x: Value) -> Reading:
        """The repetition's row of x, which has one for each."""
        b, together = self.b, self.shape.together
        if together > 1:
            x = b.reshape(x, (self.shape.iterations, together, *shape_of(x)[1:]))
        number = self._slices.setdefault(x, len(self.arrays))
        if number == len(self.arrays):
            self.arrays.append(x)

        def read(place: OpenRepetition) -> Value:
            row = place.slices[number]
            return row if together == 1 else b.index(row, [b.index_constant(place.repetition)])

        return read

    def _rows(self, base: Value, step: Operation, numbers: Numbers) -> Reading | None:
        """The first step from an array as a slice of the loop, where rows of the array follow each other."""
        match step:
            case IndexOp():
                return self._indexed_rows(base, numbers[: len(step.positions)])
            case SliceOp():
                return self._sliced_rows(base, step, numbers[: len(shape_of(base))])
            case _:
                return None

    def _indexed_rows(self, base: Value, numbers: Numbers) -> Reading | None:
        leading, *others = numbers
        shape = shape_of(base)
        if any(len(set(own)) > 1 for own in others) or (others and prod(shape[1:]) > MAX_ROW):
            return None
        rows = self._along(base, 0, leading)
        if rows is None:
            return None
        b, read = self.b, self._slice(rows)
        positions = [b.index_constant(own[0]) for own in others]
        return lambda place: b.index(read(place), positions)

    def _sliced_rows(self, base: Value, step: SliceOp, numbers: Numbers) -> Reading | None:
        b, shape = self.b, shape_of(step.result)
        varying = [d for d, own in enumerate(numbers) if len(set(own)) > 1]
        if len(varying) != 1 or shape[varying[0]] != 1:
            return None
        (dim,) = varying
        starts, limits, strides = values_of(step.starts), values_of(step.limits), values_of(step.strides)
        whole = shape_of(base)
        ranges = [
            (0, whole[d], 1) if d == dim else (starts[d], limits[d], strides[d]) for d in range(len(whole))
        ]
        x = b.slice(base, *zip(*ranges, strict=True))
        rows = self._along(x, dim, numbers[dim])
        if rows is None:
            return None
        order = [dim, *(d for d in range(len(whole)) if d != dim)]
        read = self._slice(b.transpose(rows, order))
        return lambda place: b.reshape(read(place), shape)

    def _along(self, x: Value, dim: int, numbers: Sequence[int]) -> Value | None:
        """The elements of x along a dimension at numbers that grow evenly, if all are inside."""
        step = numbers[1] - numbers[0]
        low, high = min(numbers), max(numbers)
        is_even = all(n == numbers[0] + k * step for k, n in enumerate(numbers))
        if not step or not is_even or low < 0 or high >= shape_of(x)[dim]:
            return None
        shape = shape_of(x)
        starts = [low if d == dim else 0 for d in range(len(shape))]
        limits = [high + 1 if d == dim else e for d, e in enumerate(shape)]
        strides = [abs(step) if d == dim else 1 for d in range(len(shape))]
        rows = self.b.slice(x, starts, limits, strides)
        return rows if step > 0 else self.b.reverse(rows, [dim])

    # Constants and positions ---------------------------------------------------------------------

    def _constant(self, operand: Operand) -> Reading:
        first = self.source.skipped
        ops = [constant_of(part) for part in operand.parts[first : first + self.source.count]]
        if all(op.value == ops[0].value for op in ops):
            return _always(self.b.constant(literal_array(ops[0]), element_of(ops[0].result)))
        type_ = ops[0].result.type
        if type_ == i64:
            return self._number([int(literal_array(op)) for op in ops])
        return self._slice(self.b.constant(np.stack([literal_array(op) for op in ops]), element_of(type_)))

    def _number(self, numbers: Sequence[int]) -> Reading:
        """An integer, by the number of the repetition where it grows evenly."""
        b, together = self.b, self.shape.together
        first, step = numbers[0], numbers[1] - numbers[0]
        if any(n != first + k * step for k, n in enumerate(numbers)):
            return self._slice(b.constant(np.array(numbers), i64))

        def read(place: OpenRepetition) -> Value:
            before = b.mul(place.index, b.index_constant(step * together))
            return b.add(before, b.index_constant(first + step * place.repetition))

        return read

    # Steps ---------------------------------------------------------------------------------------

    def _stepped(self, read: Reading, steps: Sequence[Operation], numbers: Numbers) -> Reading:
        """A part of what is read."""
        made: list[Step] = []
        at = 0
        for op in steps:
            count = len(step_numbers(op))
            made.append(self._step(op, numbers[at : at + count]))
            at += count

        def read_part(place: OpenRepetition) -> Value:
            value = read(place)
            for step in made:
                value = step(place, value)
            return value

        return read_part if made else read

    def _step(self, op: Operation, numbers: Numbers) -> Step:
        b = self.b
        shape = shape_of(op.results[0])
        match op:
            case IndexOp():
                positions = [self._number(own) for own in numbers]
                return lambda place, x: b.index(x, [position(place) for position in positions])
            case SliceOp():
                return self._window(op, numbers)
            case BroadcastOp():
                dims = values_of(op.dims)
                return lambda place, x: b.broadcast(x, shape, dims)
            case _:
                return lambda place, x: b.reshape(x, shape)

    def _window(self, op: SliceOp, numbers: Numbers) -> Step:
        """A slice whose start varies: a gather, after what does not vary is cut off."""
        b, shape, strides = self.b, shape_of(op.result), values_of(op.strides)
        starts, limits = values_of(op.starts), values_of(op.limits)
        varying = [d for d, own in enumerate(numbers) if len(set(own)) > 1]
        if not varying:
            return lambda place, x: b.slice(x, starts, limits, strides)
        leading = varying[-1] + 1
        readings = {d: self._number(numbers[d]) for d in varying}

        def step(place: OpenRepetition, x: Value) -> Value:
            whole = shape_of(x)
            ranges = [
                (0, whole[d], 1) if d in readings else (starts[d], limits[d], strides[d])
                for d in range(len(whole))
            ]
            x = b.slice(x, *zip(*ranges, strict=True))
            first = {d: reading(place) for d, reading in readings.items()}

            def positions(*indices: Value) -> list[Value]:
                return [
                    b.add(b.mul(i, b.index_constant(strides[d])), first[d]) if d in first else i
                    for d, i in enumerate(indices)
                ]

            return b.gather(x, shape[:leading], positions)

        return step


def _always(value: Value) -> Reading:
    return lambda _: value


def _made(result: Result, lag: int) -> Reading:
    return lambda place: place.made(result, lag)
