"""Storage orders: an intermediate result is stored with the lane loop of its consumers innermost.

Consumers come after producers, so nests are read last to first. Each one chooses its lane as if its
intermediate inputs were stored as it likes, and votes, with its number of iterations, for the dimension it
walks along. A result with votes gets the dimension with most of them innermost; one without (it is read
by scalar code only) the lane of its producer.

Fixed in row-major order are values that the function returns, that BLAS reads and that a scatter reads or
writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.shapes import Shape, Value, shape_of
from mlirad.lower.schedule_kernels.lanes import choose_lane
from mlirad.lower.schedule_kernels.profiles import Profile, row_major
from mlirad.lower.schedule_kernels.scatters import choose_scatter_lane


def choose_layouts(
    ops: Sequence[Operation], profiles: Mapping[Operation, Profile], fixed: set[Value]
) -> dict[Value, Shape]:
    """The storage order of every result that is better not row-major."""
    nests = [op for op in ops if isinstance(op, NestOp)]
    free: set[Value] = {r for op in nests for r in op.roots if len(shape_of(r)) > 1 and r not in fixed}
    votes: dict[Value, dict[int, int]] = {}
    layouts: dict[Value, Shape] = {}
    if not free:
        return layouts
    for op in reversed(ops):
        if not isinstance(op, NestOp | ScatterOp):
            continue
        p = profiles[op]
        if isinstance(op, ScatterOp):
            lane, _ = choose_scatter_lane(p, layouts, free)
        else:
            lane = _settle(op, p, layouts, free, votes)
        if lane is None:
            continue
        for load in p.loads:
            if load.buffer in free:
                d = load.dimension(lane)
                if d is not None:
                    mine = votes.setdefault(load.buffer, {})
                    mine[d] = mine.get(d, 0) + p.iterations
    return layouts


def _settle(
    op: NestOp, p: Profile, layouts: dict[Value, Shape], free: set[Value], votes: dict[Value, dict[int, int]]
) -> int | None:
    """Decide how the results of a nest are stored, all its readers having voted; gives its lane."""
    for root in op.roots:
        if root in free and root in votes:
            _store(layouts, root, max(votes[root].items(), key=lambda v: (v[1], v[0]))[0])
            free.discard(root)
    lane = choose_lane(op, p, layouts, free)
    for root in op.roots:
        if root in free and lane is not None and lane < p.rank:
            _store(layouts, root, lane)
        free.discard(root)
    return lane


def _store(layouts: dict[Value, Shape], value: Value, innermost: int) -> None:
    """Store a value with one dimension innermost, the others in their order."""
    order = (*(d for d in row_major(len(shape_of(value))) if d != innermost), innermost)
    if order != row_major(len(order)):
        layouts[value] = order
