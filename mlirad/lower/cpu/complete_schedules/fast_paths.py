"""The fast path of a body: the assumptions under which it is computed first, where that pays.

Scalars in a loop have a fast path, too: an iteration that multiplies the result of the one before would wait
for comparisons with 0, while the test for NaN is predicted. Many blocks of small arrays lie at borders; these
have a path of their own, in which products are plain.

The price is a second computation where derivatives are NaN or a zero does absorb an infinity, and the time to
compile it: kernels with little work have no fast path.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import LoadIfOp
from mlirad.dialects.kernel.schedules import CutLoops
from mlirad.lower.bodies.assumptions import (
    Assumptions,
    Condition,
    innermost,
    products_that_show,
    sums_in_registers,
    truths_inside,
)
from mlirad.lower.bodies.body import Body
from mlirad.lower.machine import INSTRUCTION, SECOND_PATH, instructions_of

MOST_INSTRUCTIONS: Final = 1000
"""The longest body that is written twice."""

LEAST_BORDER: Final = 1 / 8
"""The part of the blocks that lie at borders from which on these have a path of their own."""

LEAST_SAVED: Final = 2
LEAST_SHARE: Final = 1 / 12
"""The least instructions, and the least part of the body, that a fast path has to save."""


def choose_fast_path(body: Body, loops: CutLoops, runs: int, *, reduces: bool = False) -> str | None:
    """The name of the fast path of a body that runs `runs` times; None if it would not pay.

    `reduces`: the loops inside of a store are reductions.
    """
    lane, width = loops.lane, loops.width
    inner = innermost(body, loops)
    cost = instructions_of(inner)
    if cost > MOST_INSTRUCTIONS:
        return None
    in_registers = sums_in_registers(loops, reduces=reduces)
    products = products_that_show(body, inner)
    truths, conditions = truths_inside(body, body.needed(body.yielded), lane, width)
    ways: list[Assumptions] = []
    blocks = nominal(prod(body.extents)) / width * runs
    if conditions:
        border = _border(body, conditions, lane, width)
        gain = _saved(Assumptions({}, (), products), body, inner, loops) if products else 0.0
        at_borders = border >= LEAST_BORDER and border * blocks * gain * INSTRUCTION >= SECOND_PATH
        ways.append(Assumptions(truths, conditions, products, at_borders=at_borders))
    if products and (in_registers or not conditions):
        ways.append(Assumptions({}, (), products, tests_totals=in_registers))
    if not ways:
        return None
    saved = [_saved(way, body, inner, loops) for way in ways]
    most = max(saved)
    pays = most >= max(LEAST_SAVED, LEAST_SHARE * cost) and blocks * most * INSTRUCTION >= SECOND_PATH
    return ways[saved.index(most)].name if pays else None


def _saved(way: Assumptions, body: Body, inner: Sequence[Operation], loops: CutLoops) -> float:
    """The instructions saved: masks and their vectors of positions, and absorption; tests take some."""
    saved = 0.0
    for op in inner:
        in_lanes = loops.lane is not None and loops.lane in body.dependences[op.results[0]]
        match op:
            case ew.AbsorbingMulOp() if op in way.products:
                saved += 3
            case ew.CompareOp() if op.result in way.truths:
                saved += 2 if in_lanes else 1
            case LoadIfOp() if op.guard in way.truths:
                saved += 1
            case ew.SelectOp() if op.condition in way.truths:
                saved += 1
            case _:
                pass
    if way.conditions:
        saved -= 2 + len(way.conditions) / 2
    if way.products:
        saved -= (1 + len(body.yielded) / 2) / _blocks_of_test(way, body, loops)
    return saved


def _blocks_of_test(way: Assumptions, body: Body, loops: CutLoops) -> float:
    """Return the number of blocks of iterations that one test covers."""
    if not way.tests_totals:
        return 1.0
    terms = nominal(prod(body.extents[d] for d in loops.order[loops.outer :]))
    at_once = loops.accumulators * (loops.width if loops.lane_is_reduced else 1)
    return max(1.0, terms / at_once)


def _border(body: Body, conditions: Sequence[Condition], lane: int | None, width: int) -> float:
    """Estimate the part of the blocks of iterations at borders: one block of a loop for each condition."""
    inside = 1.0
    for d, extent in enumerate(body.extents):
        blocks = max(1.0, nominal(extent) / (width if d == lane else 1))
        borders = sum(any(variable == d for variable, _ in terms) for terms, _ in conditions)
        inside *= max(0.0, 1 - borders / blocks)
    return 1 - inside
