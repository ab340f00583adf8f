"""The lane loop: which loop of a nest runs across the lanes of vectors, if any.

Each loop of the output and reduction spaces is a candidate. Its cost is that of one vector iteration: scalar
ops, loads by their stride along the loop, stores by the result's stride (once per reduction), the horizontal
reduction if the loop reduces, corrected for lanes left empty. The same nest without lanes is the last
candidate. Column sums of a row-major array, `y[j] = sum_i x[i, j]`, run lanes along j; row sums along the
reduced loop, or along i when x is copied to column order first.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, prod
from types import MappingProxyType
from typing import Final, TypeAlias

from mlirad.dialects.kernel import NestOp
from mlirad.dialects.shapes import Value
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.schedule_kernels.profiles import Layouts, Load, Profile, result_strides
from mlirad.lower.large_sizes import nominal_size
from mlirad.lower.machine import (
    CHAINED_SUM,
    HORIZONTAL,
    HORIZONTAL_POSITION,
    INSTRUCTION,
    LOOP_START,
    load_cost,
    store_cost,
)

MINIMAL_WORK = 100.0
"""Cycles of a nest in scalar code below which vectors are not worth the time it takes to compile them."""

MINIMAL_PACK_ELEMENTS = 64
"""Buffers smaller than this are not copied: they stay in the first-level cache whatever the stride."""

Free: TypeAlias = Mapping[Value, int | None]
"""Buffers whose storage order is open, with the dimension their producer would have innermost, if any."""

NOTHING: Final[Free] = MappingProxyType({})

GAIN = 0.9
"""Vectors must cost at most this fraction of scalar code."""


@dataclass(frozen=True)
class LaneChoice:
    """The lane loop of a nest, `None` for scalar code; cycles of all iterations without lanes and with the
    best ones.
    """

    lane: int | None = None
    scalar: float = 0.0
    best: float = 0.0


def choose_lane(op: NestOp, p: Profile, layouts: Layouts, free: Free = NOTHING) -> int | None:
    """The lane loop of a nest, `None` for scalar code. See `weigh_lanes`."""
    return weigh_lanes(op, p, layouts, free).lane


def weigh_lanes(op: NestOp, p: Profile, layouts: Layouts, free: Free = NOTHING) -> LaneChoice:
    """The lane loop of a nest that costs least, with its costs, all 0 where none is looked for.

    Buffers in `free` may still be stored in any order; they count as if stored for the lane loop at hand. If
    that is not the dimension their producer would have innermost, its scattered stores are charged here.
    """
    if 0 in p.extents or p.lanes < 2:
        return LaneChoice()
    scalar = _scalar_cost(p)
    if scalar * p.iterations * p.times < MINIMAL_WORK:
        return LaneChoice()
    best, lane, least = scalar * p.lanes * GAIN, None, inf
    strides = {id(load): load.strides(layouts) for load in p.loads}
    for x, extent in enumerate(p.extents):
        if extent < max(2, min(4, p.lanes)):
            continue
        cost = _vector_cost(op, p, x, strides, layouts, free)
        least = min(least, cost)
        if cost < best:
            best, lane = cost, x
    return LaneChoice(lane, scalar * p.iterations, least * p.iterations / p.lanes if least < inf else 0.0)


def _scalar_cost(p: Profile) -> float:
    loads = sum(p.per_iteration(load.loops) for load in p.loads)
    cost = p.scalar_cost + INSTRUCTION * (loads + 1.0 / max(1, p.reductions)) + INSTRUCTION
    return max(cost, CHAINED_SUM) if p.rank < len(p.extents) else cost


def _vector_cost(
    op: NestOp,
    p: Profile,
    x: int,
    strides: dict[int, tuple[int | None, ...]],
    layouts: Layouts,
    free: Free,
) -> float:
    lanes, extent = p.lanes, p.extents[x]
    reduced = 1.0 / max(1, p.reductions)
    cost = sum(c * p.per_iteration(bits) for bits, c in p.op_costs.items())
    walked: dict[Value, int] = {}
    for load in p.loads:
        along = strides[id(load)]
        stride = along[x] if along else 0
        if stride not in (0, 1, -1, None) and load.buffer in free:
            d = load.dimension(x)
            if d is not None and walked.setdefault(load.buffer, d) == d:
                stride = 1
                if free[load.buffer] not in (None, d):
                    cost += lanes * nominal_size(load.buffer) / p.iterations
        one = load_cost(stride, lanes)
        if one == lanes and packable_dimension(p, load, x) is not None:
            one = min(
                one, load_cost(1, lanes) + 2.0 * lanes * nominal_size(load.buffer) / p.runs(load.buffer)
            )
        cost += one * p.per_iteration(load.loops)
    cost *= -(-extent // lanes) * lanes / extent
    if x >= p.rank:
        horizontal = HORIZONTAL_POSITION if p.finds_position else HORIZONTAL
        cost += (horizontal + len(op.roots)) * lanes * reduced + LOOP_START / extent
    else:
        for root in op.roots:
            step = 1 if root in free else result_strides(op, root, layouts)[x]
            elements = nominal_size(root) / max(1, prod(p.extents[: p.rank]))
            cost += store_cost(step, lanes) * reduced * elements
        cost += LOOP_START * reduced / extent
    return cost


def packable_dimension(p: Profile, load: Load, lane: int) -> int | None:
    """The dimension that a copy of the load's buffer would have innermost, if a copy pays.

    It pays when the nest runs at least twice as many iterations as there are elements to copy.
    """
    d = load.dimension(lane)
    size = nominal_size(load.buffer)
    if d is None or len(load.positions) < 2 or size < MINIMAL_PACK_ELEMENTS:
        return None
    return d if p.runs(load.buffer) >= 2 * size else None
