"""Storage orders: an intermediate result is stored with the lane loop of its readers innermost.

Readers come after producers, so nests are visited last to first. Each one chooses its lane as if its
intermediate inputs were stored in its favour, and votes, with its number of iterations, for the dimension it
walks along; the producer votes too, with the number of elements it stores, for the lane it would choose if
all storage were free. The dimension with most votes lies innermost.

Fixed in row-major order are values that the function returns, that BLAS reads and that a scatter reads or
writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.kernel.nests import is_element_wise
from mlirad.dialects.shapes import Shape, Value, shape_of
from mlirad.lower.large_sizes import nominal_size
from mlirad.lower.schedule_kernels.lanes import choose_lane
from mlirad.lower.schedule_kernels.profiles import Profile, row_major
from mlirad.lower.schedule_kernels.scatters import choose_scatter_lane


def choose_layouts(
    ops: Sequence[Operation], profiles: Mapping[Operation, Profile], fixed: set[Value]
) -> dict[Value, Shape]:
    """The storage order of every result that is better not row-major."""
    nests = [op for op in ops if isinstance(op, NestOp)]
    layouts: dict[Value, Shape] = {}
    free: dict[Value, int | None] = {
        r: None
        for op in nests
        if is_element_wise(op)
        for r in op.roots
        if len(shape_of(r)) > 1 and r not in fixed
    }
    if not free:
        return layouts
    votes = {root: [0] * len(shape_of(root)) for root in free}
    for op in nests:
        if any(root in free for root in op.roots):
            lane = choose_lane(op, profiles[op], layouts, free)
            for root in op.roots:
                if root in free and lane is not None and lane < profiles[op].rank:
                    free[root] = lane
                    votes[root][lane] += nominal_size(root)
    for op in reversed(ops):
        if isinstance(op, NestOp | ScatterOp):
            _vote(op, profiles[op], layouts, free, votes)
    return layouts


def _vote(
    op: NestOp | ScatterOp,
    p: Profile,
    layouts: dict[Value, Shape],
    free: dict[Value, int | None],
    votes: dict[Value, list[int]],
) -> None:
    """Settle how the results of an op are stored, all its readers having voted, and vote for its inputs."""
    for root in op.results:
        if root in free:
            del free[root]
            most = max(votes[root])
            if most:
                _store(layouts, root, len(votes[root]) - 1 - votes[root][::-1].index(most))
    lane = (
        choose_scatter_lane(p, layouts, free)[0]
        if isinstance(op, ScatterOp)
        else choose_lane(op, p, layouts, free)
    )
    if lane is None:
        return
    for load in p.loads:
        if load.buffer in free:
            d = load.dimension(lane)
            if d is not None:
                votes[load.buffer][d] += p.iterations


def _store(layouts: dict[Value, Shape], value: Value, innermost: int) -> None:
    """Store a value with one dimension innermost, the others in their order."""
    order = (*(d for d in row_major(len(shape_of(value))) if d != innermost), innermost)
    if order != row_major(len(order)):
        layouts[value] = order
