"""The lane loop of a scatter: one along which neighbours are written to neighbours.

Scatters run in order, since two iterations may write the same element. Lanes are safe along a loop that
moves one position by one and no other: a gradient row `dx[e(i), j] += g[i, j]` runs lanes along j. Where the
result may be stored in any order, that position can be any:

    dx[n, c, 2 i + k, 2 j + l] += g[i, j, k, l, n, c]       lanes along c, dx stored with c innermost
"""

from __future__ import annotations

from mlirad.dialects.shapes import Value
from mlirad.lower.cpu.schedule_kernels.lanes import MINIMAL_WORK, NOTHING, Free
from mlirad.lower.cpu.schedule_kernels.profiles import Layouts, Profile, layout_of
from mlirad.lower.cpu.schedule_kernels.tiles import width_choices


def choose_scatter_lane(
    p: Profile, result: Value, layouts: Layouts, free: Free = NOTHING
) -> tuple[int | None, int]:
    """The lane loop and the width of a scatter; `(None, 1)` for scalar code.

    Buffers in `free`, `result` among them, may still be stored in any order. Of several loops the one is
    chosen that most producers of these would have innermost.
    """
    work = p.iterations * p.times * (p.scalar_cost + 2)
    if not p.writes or 0 in p.extents or p.lanes < 2 or work < MINIMAL_WORK:
        return None, 1
    innermost = layout_of(result, layouts)[-1]
    best, agreed = None, -1
    for x, extent in enumerate(p.extents):
        written = written_dimension(p, x)
        if extent < min(4, p.lanes) or written is None or not (result in free or written == innermost):
            continue
        along = [load for load in p.loads if load.varies(x)]
        walked = [(load.buffer, load.dimension(x)) for load in along if load.strides(layouts)[x] != 1]
        if all(buffer in free and d is not None for buffer, d in walked):
            agreeing = sum(free[buffer] == d for buffer, d in walked)
            if agreeing > agreed:
                best, agreed = x, agreeing
    if best is None:
        return None, 1
    return best, max(w for w in width_choices(p, best) if w <= 2 * p.lanes)


def written_dimension(p: Profile, loop: int) -> int | None:
    """The dimension of the result along which the iterations of a loop write neighbours, if they do."""
    moved = [d for d, w in enumerate(p.writes) if w.varies(loop)]
    if len(moved) != 1 or p.guard >> loop & 1:
        return None
    position = p.writes[moved[0]]
    return moved[0] if not position.opaque >> loop & 1 and position.coefficients[loop] == 1 else None
