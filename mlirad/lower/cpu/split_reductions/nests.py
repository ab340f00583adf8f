"""A nest cut along a reduction: a loop whose iterations reduce a block of it each, and what is left over.

    reduction [1000]    8 iterations of 124 in a loop, a nest over the last 8, a nest that combines the parts

The loop that is cut is the one that walks furthest through memory. Blocks have a multiple of `MULTIPLE`
iterations where they have many, so that vectors are filled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.kernel import NestOp
from mlirad.dialects.kernel.nests import is_element_wise
from mlirad.dialects.shapes import Value, array_type, element_of, integer, values_of
from mlirad.lower.cpu.schedule_kernels.kernel_costs import cycles_of
from mlirad.lower.cpu.schedule_kernels.lanes import choose_lane
from mlirad.lower.cpu.schedule_kernels.orders import prefers_outer_reduction
from mlirad.lower.cpu.schedule_kernels.parallel import may_be_shared, task_count
from mlirad.lower.cpu.schedule_kernels.profiles import Profile, profile
from mlirad.lower.cpu.schedule_kernels.tiles import choose_blocking
from mlirad.lower.cpu.split_reductions.blocks import block_body, even_rows, first_row, literal_row
from mlirad.lower.cpu.split_reductions.totals import combined_parts, most_parts
from mlirad.lower.kernels.moves import considered
from mlirad.lower.kernels.strip_mine.totals import COMBINING, combined, plain_nest

ENOUGH: Final = 16
"""Iterations of a loop over the result from which on it is shared, and the reduction stays whole."""


def split_nest(op: NestOp, vector_bytes: int) -> None:
    """Cut a nest along its reduction if that is the loop that threads can share, and worth it."""
    if op.combiners is None or not is_element_wise(op) or not may_be_shared(op):
        return
    combiners = [c.data for c in op.combiners.data]
    if any(c not in COMBINING for c in combiners):
        return
    rank = len(values_of(op.space))
    p = profile(op, vector_bytes)
    d = max(range(rank, len(op.extents)), key=lambda x: (_stride(p, x), -x))
    extent = op.extents[d]
    cycles = cycles_of(op, vector_bytes, scheduled=False)
    tasks = task_count(cycles, most_parts(cycles, op.roots, extent // 2))
    if tasks < 2:
        return
    if _steps(op, p, vector_bytes) >= min(ENOUGH, tasks // 2):
        return
    rows = even_rows(extent, tasks)
    considered(op, f"parts of {rows} of {extent}, for threads", cycles, cycles / tasks, is_done=True)
    _replace(op, d, rows, extent // rows)


def _steps(op: NestOp, p: Profile, vector_bytes: int) -> int:
    """Return how many iterations a loop over the result has that threads can share, in blocks of lanes and
    tiles; 0 where the reduction will stand outside of these loops.
    """
    steps = list(p.extents[: p.rank])
    lane = choose_lane(op, p, {})
    if lane is not None:
        blocking = choose_blocking(op, p, lane, {}, vector_bytes)
        if prefers_outer_reduction(op, p, lane, blocking, {}):
            return 0
        if lane < p.rank:
            steps[lane] = -(-steps[lane] // blocking.width)
        if blocking.tile_dim is not None:
            steps[blocking.tile_dim] = -(-steps[blocking.tile_dim] // blocking.tile)
    return max(steps, default=0)


def _stride(p: Profile, loop: int) -> int:
    return sum(abs((load.strides({}) or [0] * len(p.extents))[loop] or 0) for load in p.loads)


def _replace(op: NestOp, d: int, rows: int, iterations: int) -> None:
    """Put a loop over blocks of a given number of rows along loop d, and what combines them, in the place of
    a nest.
    """
    assert op.combiners is not None and op.parent is not None
    block = Block(arg_types=[i64])
    iteration = block.args[0]
    part = _part(op, d, rows, lambda body: first_row(body, iteration, rows))
    block.add_ops([part, YieldOp.create(operands=list(part.results))])
    space = values_of(op.space)
    parts = ScanOp.create(
        operands=[],
        result_types=[array_type((iterations, *space), element_of(r)) for r in op.roots],
        properties={"carries": integer(0), "length": integer(iterations)},
        regions=[Region(block)],
        location=op.location,
    )
    totals = combined_parts(list(parts.results), op.combiners, op)
    made: list[Operation] = [parts, totals]
    left = op.extents[d] - rows * iterations
    if left:
        rest = _part(op, d, left, lambda body: literal_row(body, rows * iterations))
        combiners = [c.data for c in op.combiners.data]
        both = combined(list(zip(totals.roots, rest.roots, combiners, strict=True)), op)
        made += [rest, both]
    op.parent.insert_ops_before(made, op)
    for old, new in zip(op.results, made[-1].results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def _part(op: NestOp, d: int, rows: int, first: Callable[[Block], Value]) -> NestOp:
    """The nest over a given number of iterations of loop d, from the one that `first` writes the number
    of.
    """
    body = block_body(op.body.block, d, first)
    rank = len(values_of(op.space))
    extents = [rows if k == d else e for k, e in enumerate(op.extents)]
    types = [r.type for r in op.roots]
    return plain_nest(extents[rank:], extents[:rank], types, body, op, op.combiners)
