"""When a loop is worth it, and how many repetitions one iteration makes.

A loop saves compile time, a few milliseconds for every op that is not written out. When it runs, elementwise
code on long arrays matters: written out it becomes one kernel, which goes through memory once, where a loop
goes through it in every iteration. Four repetitions in an iteration take about half the time of one. From a
few dozen on they take less time than code that is written out, as that needs more registers than there are.

Four repetitions make an iteration of elementwise code. One each would go through memory in every iteration:
the gradient of a polynomial at 4096 points takes 1.4 times as long as unrolled. With four it takes 0.8 of
that, as code that is unrolled hundreds of times runs out of registers; with sixteen it takes longer to
compile, and is no faster.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.array.elementwise import ElementwiseOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.reductions import ReduceOp, SumOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value, is_array, size_of
from mlirad.ir.call_graph import CALLS
from mlirad.ir.regions import nested_ops
from mlirad.passes.reroll_loops.matching import Repetitions
from mlirad.passes.reroll_loops.periods import LEAST_REPETITIONS

LEAST_SAVED: Final = 64
"""A loop has to save at least this number of ops."""

CALLED: Final = 8
"""The number of ops that a call counts as, or the derivative of a function."""

LEAST_ITERATIONS: Final = 4
"""A loop makes at least this number of iterations."""

LONG: Final = 48
"""The number of elements from which it counts how often code goes through memory."""

IN_ONE_ITERATION: Final = 4
"""The number of repetitions of elementwise code on long arrays that one iteration makes."""


MAX_COPIED: Final = 1 << 16
"""The number of bytes of rows of stacked results that may be copied, as they are results of the program."""

MAX_UNREAD: Final = 1 << 20
"""The number of bytes that may be stacked that nothing reads."""


class Shape(NamedTuple):
    """The shape of a loop: its iterations, and how many repetitions each of them makes."""

    iterations: int
    together: int


def code_size(op: Operation) -> int:
    """Return how many ops an op stands for."""
    if isinstance(op, (*CALLS, linear.DifferentiationOp)):
        return CALLED
    return 1 + sum(1 for region in op.regions for _ in nested_ops(region))


def loop_shape(found: Repetitions) -> Shape | None:
    """Return how to make a loop of repetitions, `None` if they are better written out."""
    together = _together(found)
    iterations = found.count // together
    saved = (found.count - together) * sum(map(code_size, found.ops))
    worth = iterations >= LEAST_ITERATIONS and found.count >= LEAST_REPETITIONS and saved >= LEAST_SAVED
    return Shape(iterations, together) if worth and _stacks_little(found) else None


def _stacks_little(found: Repetitions) -> bool:
    """Return whether few bytes are stacked for nothing, or copied afterwards."""
    copied = unread = 0
    for result, repetitions in found.read_outside().items():
        values = [found.result(result, k) for k in repetitions]
        size = _size(values[0]) * numpy_dtype(values[0].type).itemsize
        if repetitions != [found.count - 1] or result not in found.initial:
            unread += size * (found.count - len(repetitions))
            copied += size * sum(map(_is_handed_on, values))
    return copied <= MAX_COPIED and unread <= MAX_UNREAD


def _together(found: Repetitions) -> int:
    """Return how many repetitions one iteration makes: several if what they compute becomes one kernel.

    Elementwise code does, and so do sums of it, unless long arrays of the next repetition are made of them.
    """
    ops = found.ops
    longest = max((_size(r) for op in ops for r in op.results), default=1)
    if longest < LONG or not found.initial:
        return 1
    carries_are_short = all(_size(v) < LONG for values in found.initial.values() for v in values)
    fused = (ElementwiseOp, SumOp, ReduceOp) if carries_are_short else ElementwiseOp
    return IN_ONE_ITERATION if all(isinstance(op, fused) for op in ops) else 1


def _size(value: Value) -> int:
    return nominal(size_of(value.type)) if is_array(value.type) else 1


def _is_handed_on(value: Value) -> bool:
    """Return whether a value is a result of the function or region that it stands in."""
    return any(isinstance(use.operation, ReturnOp | YieldOp) for use in value.uses)
