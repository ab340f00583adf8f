"""The lane loop of a scatter: one along which neighbours are written to neighbours.

Scatters run in order, since two iterations may write the same element. Lanes are safe along a loop that
moves the innermost position by one and no other: a gradient row `dx[e(i), j] += g[i, j]` runs lanes along j.
"""

from __future__ import annotations

from mlirad.lower.schedule_kernels.lanes import MINIMAL_WORK, NOTHING, Free
from mlirad.lower.schedule_kernels.profiles import Layouts, Profile
from mlirad.lower.schedule_kernels.tiles import width_choices


def choose_scatter_lane(p: Profile, layouts: Layouts, free: Free = NOTHING) -> tuple[int | None, int]:
    """The lane loop and the width of a scatter; `(None, 1)` for scalar code.

    Buffers in `free` may still be stored in any order.
    """
    work = p.iterations * p.trips * (p.scalar_cost + 2)
    if not p.writes or 0 in p.extents or p.lanes < 2 or work < MINIMAL_WORK:
        return None, 1
    *outer, last = p.writes
    for x, extent in enumerate(p.extents):
        if extent < min(4, p.lanes) or last.opaque >> x & 1 or last.coefficients[x] != 1:
            continue
        if p.guard >> x & 1 or any(w.varies(x) for w in outer):
            continue
        if all(
            not load.varies(x)
            or load.strides(layouts)[x] == 1
            or (load.buffer in free and load.dimension(x) is not None)
            for load in p.loads
        ):
            return x, max(w for w in width_choices(p, x) if w <= 2 * p.lanes)
    return None, 1
