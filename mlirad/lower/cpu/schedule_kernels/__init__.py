"""`schedule-kernels{vector-bytes=64}`: how each nest runs.

Decided per nest, and written down as its properties, from nothing but its loads (buffer, affine address), the
cost of its scalar ops and its extents: loops that are cut in two (`splits`), the lane loop (`lanes`), storage
orders of intermediate results (`layouts`), copies into lane order (`packs`), vector width and tile (`tiles`),
loop order (`orders`), lanes of recurrences (`recurrences`). Then, what threads share (`parallel`), and which
contractions stand together for it (`mlirad/lower/kernels/concurrent_contractions.py`).
Meaning does not change; a nest without properties runs as plain scalar loops.

    kernel.nest %x, %y (%i, %j, %k) {space = [100, 64], reduction = [64], combiners = [add]} ...
      -->  {..., lane = 1, width = 16, tile_dim = 0, tile = 5, order = [0, 1, 2]}

`schedule_function` gives a new function; the pass works on the module it is given.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from mlirad.dialects.array.frames import NextRowOp, SaveOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.kernel import KERNEL_RESULT_OPS, NestOp, RecurrenceOp, ScatterOp
from mlirad.dialects.kernel.plans import stated_arena
from mlirad.dialects.kernel.strips import LOWERED_CONTROL
from mlirad.dialects.shapes import FLAG, Value, integer, ints
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import functions_of
from mlirad.ir.free_values import free_values
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.schedule_kernels.lanes import weigh_lanes
from mlirad.lower.cpu.schedule_kernels.layouts import choose_layouts
from mlirad.lower.cpu.schedule_kernels.orders import (
    choose_order,
    outer_reduction_order,
    prefers_outer_reduction,
)
from mlirad.lower.cpu.schedule_kernels.packs import Packs
from mlirad.lower.cpu.schedule_kernels.parallel import share_loops
from mlirad.lower.cpu.schedule_kernels.profiles import Layouts, Profile, layout_of, profile
from mlirad.lower.cpu.schedule_kernels.recurrences import state_lanes, state_pitch
from mlirad.lower.cpu.schedule_kernels.scatters import choose_scatter_lane
from mlirad.lower.cpu.schedule_kernels.splits import split_loops
from mlirad.lower.cpu.schedule_kernels.tiles import Blocking, choose_blocking
from mlirad.lower.kernels.concurrent_contractions import bring_together
from mlirad.lower.kernels.moves import considered

__all__ = ["ScheduleKernelsPass", "schedule_function", "schedule_in_place"]

VECTOR_BYTES = 64


@dataclass(frozen=True)
class ScheduleKernelsPass(ModulePass):
    """Decides lanes, widths, tiles, storage orders and copies of every kernel.

    With `keep` functions with a memory plan, which was made for their schedule, stay as they are.
    """

    name = "schedule-kernels"

    vector_bytes: int = VECTOR_BYTES
    keep: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Schedule every function of the module."""
        for function in functions_of(op):
            if not self.keep or stated_arena(function) is None:
                schedule_in_place(function, vector_bytes=self.vector_bytes)


def schedule_function(function: FuncOp, *, vector_bytes: int = VECTOR_BYTES) -> FuncOp:
    """The function with its kernels scheduled for vectors of `vector_bytes` bytes, a power of two."""
    scheduled = function.clone()
    schedule_in_place(scheduled, vector_bytes=vector_bytes)
    return scheduled


def schedule_in_place(function: FuncOp, *, vector_bytes: int = VECTOR_BYTES) -> None:
    """Schedule the kernels of this function."""
    _schedule_block(function_block(function), Packs({}, vector_bytes), vector_bytes)
    share_loops(function_block(function), vector_bytes)
    bring_together(function_block(function))


def _schedule_block(block: Block, packs: Packs, vector_bytes: int) -> None:
    """Schedule the kernels of a block and of the loops and branches in it."""
    ops = list(block.ops)
    for op in ops:
        if isinstance(op, NestOp):
            split_loops(op)
    profiles: dict[Operation, Profile] = {
        op: profile(op, vector_bytes) for op in ops if isinstance(op, NestOp | ScatterOp)
    }
    packs.layouts.update(choose_layouts(ops, profiles, _row_major_values(ops)))
    for op in ops:
        if isinstance(op, NestOp):
            _schedule_nest(op, profiles[op], packs, vector_bytes)
        elif isinstance(op, RecurrenceOp):
            state_lanes(op, vector_bytes)
            state_pitch(op)
        elif isinstance(op, ScatterOp):
            _state_layouts(op, packs.layouts)
            lane, width = choose_scatter_lane(profiles[op], op.result, packs.layouts)
            if lane is not None:
                op.properties["lane"] = integer(lane)
                op.properties["width"] = integer(width)
        else:
            for region in op.regions:
                _schedule_block(region.block, packs, vector_bytes)


def _row_major_values(ops: list[Operation]) -> set[Value]:
    """Values that others than nests read or that leave the block."""
    fixed: set[Value] = set()
    for op in ops:
        if isinstance(op, LOWERED_CONTROL):
            fixed.update(free_values(op))
        elif isinstance(op, ScatterOp):
            if op.from_zero is None:
                fixed.add(op.inputs[0])
        elif isinstance(
            op, (*KERNEL_RESULT_OPS, CallOp, SaveOp, NextRowOp, ReturnOp, YieldOp)
        ) and not isinstance(op, NestOp):
            fixed.update(op.operands)
    return fixed


def _schedule_nest(op: NestOp, p: Profile, packs: Packs, vector_bytes: int) -> None:
    layouts = packs.layouts
    properties = op.properties
    _state_layouts(op, layouts)
    if 0 in p.extents or not p.extents:
        return
    choice = weigh_lanes(op, p, layouts)
    lane = choice.lane
    blocking = Blocking(1)
    outer = False
    if lane is not None:
        packs.pack_inputs(op, p, lane)
        blocking = choose_blocking(op, p, lane, layouts, vector_bytes)
        outer = prefers_outer_reduction(op, p, lane, blocking, layouts)
        if outer:
            blocking = choose_blocking(op, p, lane, layouts, vector_bytes, tiled=False)
        properties["lane"] = integer(lane)
        properties["width"] = integer(blocking.width)
        if blocking.tile_dim is not None:
            properties["tile_dim"] = integer(blocking.tile_dim)
            properties["tile"] = integer(blocking.tile)
    order = choose_order(op, p, lane, blocking.width, blocking.tile_dim, blocking.tile, layouts)
    if outer:
        properties["reduction_outer"] = FLAG
        order = outer_reduction_order(p, order)
    if len(order) > 1:
        properties["order"] = ints(order)
    if choice.best:
        considered(op, _shown(p, blocking, lane, order), choice.scalar, choice.best, is_done=lane is not None)


def _shown(p: Profile, blocking: Blocking, lane: int | None, order: Sequence[int]) -> str:
    """The loops of a nest from the outermost one on: how many iterations, which are lanes, which a tile."""

    def loop(x: int) -> str:
        if x == lane:
            return f"{p.extents[x]} by {blocking.width} lanes"
        return f"{p.extents[x]} by {blocking.tile}" if x == blocking.tile_dim else str(p.extents[x])

    return "loops of " + ", ".join(loop(x) for x in order)


def _state_layouts(op: NestOp | ScatterOp, layouts: Layouts) -> None:
    if any(root in layouts for root in op.results):
        op.properties["layouts"] = ArrayAttr([ints(layout_of(root, layouts)) for root in op.results])
