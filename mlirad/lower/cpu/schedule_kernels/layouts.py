"""Storage orders: an intermediate result is stored with the lane loop of its readers innermost.

Readers come after producers, so nests are visited last to first. Each one chooses its lane as if its
intermediate inputs were stored in its favour, and votes, with its number of iterations, for the dimension it
walks along; the producer votes too, with the number of elements it stores, for the lane it would choose if
all storage were free. The dimension with most votes lies innermost. So it is with what a scatter adds to
zeros, for which the scatter votes with the number of elements it writes.

Fixed in row-major order are values that the function returns, that BLAS reads, and that a scatter updates or
makes by updating others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.kernel.nests import is_element_wise
from mlirad.dialects.shapes import Shape, Value, shape_of
from mlirad.lower.cpu.schedule_kernels.lanes import choose_lane
from mlirad.lower.cpu.schedule_kernels.profiles import Profile, row_major
from mlirad.lower.cpu.schedule_kernels.scatters import choose_scatter_lane, written_dimension
from mlirad.lower.large_sizes import nominal_size


def choose_layouts(
    ops: Sequence[Operation], profiles: Mapping[Operation, Profile], fixed: set[Value]
) -> dict[Value, Shape]:
    """The storage order of every result that is better not row-major."""
    loops = [op for op in ops if isinstance(op, NestOp | ScatterOp)]
    layouts: dict[Value, Shape] = {}
    free: dict[Value, int | None] = {
        r: None
        for op in loops
        if (op.from_zero is not None if isinstance(op, ScatterOp) else is_element_wise(op))
        for r in op.results
        if len(shape_of(r)) > 1 and r not in fixed
    }
    if not free:
        return layouts
    votes = {root: [0] * len(shape_of(root)) for root in free}
    for op in loops:
        if not any(root in free for root in op.results):
            continue
        p = profiles[op]
        lane = _lane(op, p, layouts, free)
        if lane is None:
            continue
        for root in op.results:
            if root not in free:
                continue
            if isinstance(op, ScatterOp):
                dimension, elements = written_dimension(p, lane), p.iterations
            else:
                dimension, elements = lane if lane < p.rank else None, nominal_size(root)
            if dimension is not None:
                free[root] = dimension
                votes[root][dimension] += elements
    for op in reversed(loops):
        _vote(op, profiles[op], layouts, free, votes)
    return layouts


def _lane(
    op: NestOp | ScatterOp, p: Profile, layouts: dict[Value, Shape], free: dict[Value, int | None]
) -> int | None:
    if isinstance(op, ScatterOp):
        return choose_scatter_lane(p, op.result, layouts, free)[0]
    return choose_lane(op, p, layouts, free)


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
    lane = _lane(op, p, layouts, free)
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
