"""When a loop is worth it, and how many repetitions one trip makes.

A loop saves compile time, a few milliseconds for every op that is not written out. When it runs, elementwise
code on long arrays matters: written out it becomes one kernel, which goes through memory once, where a loop
goes through it in every trip. Four repetitions in a trip take about half the time of one. From a few dozen on
they take less time than code that is written out, as that needs more registers than there are.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mlirad.dialects.array.elementwise import ElementwiseOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import is_array, size_of
from mlirad.passes.roll_repetitions.matching import Repetitions

LEAST_REPETITIONS: Final = 8
"""Fewer repetitions stay as they are written."""

LEAST_SAVED: Final = 64
"""A loop has to save at least so many ops."""

LEAST_TRIPS: Final = 4
"""A loop makes at least so many trips."""

LONG: Final = 48
"""From how many elements on it counts how often code goes through memory."""

IN_ONE_TRIP: Final = 4
"""How many repetitions of elementwise code on long arrays one trip makes."""


class Shape(NamedTuple):
    """How a loop is made: its trips, and how many repetitions each of them makes."""

    trips: int
    together: int


def loop_shape(found: Repetitions) -> Shape | None:
    """How to make a loop of repetitions, `None` if they are better written out."""
    together = _together(found)
    trips = found.count // together
    saved = (found.count - together) * found.period
    worth = trips >= LEAST_TRIPS and found.count >= LEAST_REPETITIONS and saved >= LEAST_SAVED
    return Shape(trips, together) if worth else None


def _together(found: Repetitions) -> int:
    """How many repetitions one trip makes: several if what they compute becomes one kernel."""
    ops = [op for op in found.ops if not isinstance(op, ConstantOp)]
    is_elementwise = all(isinstance(op, ElementwiseOp) for op in ops)
    longest = max((nominal(size_of(r.type)) for op in ops for r in op.results if is_array(r.type)), default=1)
    return IN_ONE_TRIP if is_elementwise and found.initial and longest >= LONG else 1
