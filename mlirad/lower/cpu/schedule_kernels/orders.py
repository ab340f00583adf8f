"""The order of loops: what runs outermost, what innermost.

Output loops stand outside of reduction loops, so that sums stay in registers; within each group the loop with
the longest strides is outermost and the lane loop innermost. Two cases are different:

- A long reduction that strides over memory while lanes run along a small result (column sums of a tall
  matrix) has the reduction outside and the sums in memory.
- When what a reduction reads exceeds the first-level cache, the lane loop moves to where the fewest bytes
  have to be refetched, the innermost of such places: blocks of lanes then stay in cache while the loops
  inside of it run over them. Without a reduction that would trade cached reads for stores that jump through
  memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.dialects.kernel import NestOp
from mlirad.dialects.shapes import Shape
from mlirad.lower.cpu.schedule_kernels.profiles import Layouts, Profile, result_strides
from mlirad.lower.cpu.schedule_kernels.tiles import Blocking
from mlirad.lower.large_sizes import nominal_size
from mlirad.lower.machine import L1_BYTES

OUTER_REDUCTION_BYTES = 24 * 1024
"""The largest results that are summed in memory: they stay in the first-level cache."""

LONG_REDUCTION = 64
LONG_STRIDE = 16
"""Iterations, and elements between them, from which walking down a column is slow."""

MIN_PASSES = 3
"""Blocks of lanes, each walking down the columns on its own, from which one walk for all is better."""

SHARING_TILE = 3
"""Iterations that share the walk down a column from which it costs less than sums in memory."""

FEWER_BYTES = 0.8
"""Moving the lane loop outermost must save at least the rest."""


def prefers_outer_reduction(op: NestOp, p: Profile, lane: int, blocking: Blocking, layouts: Layouts) -> bool:
    """Return whether the reduction loops should run outside, adding to the results in memory, in place of
    blocking outputs so.
    """
    width = blocking.width
    if lane >= p.rank or not p.reduction_bits or p.finds_position:
        return False
    size = nominal_size(op.roots[0])
    if len(op.roots) * size * p.element_bytes > OUTER_REDUCTION_BYTES or size <= width:
        return False
    if p.reductions < LONG_REDUCTION or any(result_strides(op, r, layouts)[lane] != 1 for r in op.roots):
        return False
    if p.extents[lane] < MIN_PASSES * width:
        return False
    inner = len(p.extents) - 1
    loads = [load for load in p.loads if load.varies(lane)]
    varying = [load.strides(layouts) for load in loads]
    if any(s[lane] not in (0, 1, -1) or _jumps(s, inner, p.rank) for s in varying):
        return False
    tiled = blocking.tile_dim if blocking.tile >= SHARING_TILE else None
    return any(
        s[lane] in (1, -1) and abs(s[inner] or 0) >= LONG_STRIDE and (tiled is None or load.varies(tiled))
        for load, s in zip(loads, varying, strict=True)
    )


def _jumps(strides: Sequence[int | None], inner: int, rank: int) -> bool:
    """Return whether some output loop strides further than the reduction, and so has to stay outside of
    it.
    """
    return any(abs(strides[x] or 0) > abs(strides[inner] or 0) for x in range(rank))


def choose_order(
    op: NestOp, p: Profile, lane: int | None, width: int, tile_dim: int | None, tile: int, layouts: Layouts
) -> Shape:
    """The loops from outermost to innermost, reductions innermost."""
    weights = _stride_weights(op, p, layouts)
    parts = tile_dim if len(p.extents) == p.rank else None  # all of them in one iteration
    outputs = sorted(range(p.rank), key=lambda x: (x == lane, x == parts, -weights[x], x))
    reductions = sorted(range(p.rank, len(p.extents)), key=lambda x: (x == lane, -weights[x], x))
    if reductions and lane is not None and lane < p.rank and len(outputs) > 1:
        steps = {lane: max(1, width)}
        if tile_dim is not None:
            steps[tile_dim] = tile
        others = [x for x in outputs if x != lane]
        places = [(*others[:k], lane, *others[k:]) for k in reversed(range(len(outputs)))]
        costs = [_fetched(p, (*place, *reductions), steps) for place in places]
        if min(costs) < FEWER_BYTES * costs[0]:
            outputs = list(places[costs.index(min(costs))])
    return (*outputs, *reductions)


def outer_reduction_order(p: Profile, usual: Sequence[int]) -> Shape:
    """The loops with the reductions outermost."""
    return (*(x for x in usual if x >= p.rank), *(x for x in usual if x < p.rank))


def _stride_weights(op: NestOp, p: Profile, layouts: Layouts) -> list[int]:
    """Per loop, how far apart in memory its iterations are, over all loads and results."""
    weights = [0] * len(p.extents)
    for load in p.loads:
        for x, stride in enumerate(load.strides(layouts)):
            weights[x] += abs(stride or 0)
    for root in op.roots:
        for x, stride in enumerate(result_strides(op, root, layouts)):
            weights[x] += stride
    return weights


def _fetched(p: Profile, order: Sequence[int], steps: dict[int, int]) -> float:
    """Bytes that loads fetch from beyond the first-level cache, 0 when all they read fits into it.

    Loops are taken from the inside out as long as what they read fits; all that lies outside of
    them fetches it again, except for what does not depend on the loop that no longer fits.
    """
    bits = [load.loops for load in p.loads]
    held = [float(p.element_bytes)] * len(bits)
    for x, step in steps.items():
        held = [h * step if b >> x & 1 else h for h, b in zip(held, bits, strict=True)]
    for depth in reversed(range(len(order))):
        x = order[depth]
        count = -(-p.extents[x] // steps.get(x, 1))
        grown = [h * count if b >> x & 1 else h for h, b in zip(held, bits, strict=True)]
        if sum(grown) > L1_BYTES:
            times = 1
            for y in order[:depth]:
                times *= -(-p.extents[y] // steps.get(y, 1))
            return sum(grown) * times
        held = grown
    return 0.0
