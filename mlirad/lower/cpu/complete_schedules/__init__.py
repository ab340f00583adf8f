"""`complete-schedules{vector-bytes=64}`: every choice about how a kernel runs that is still open.

    kernel.nest %x (%i, %r) {space = [100], reduction = [19], combiners = [add], lane = 0, width = 8} ...
      -->  {..., loops = [#kernel.loop<0, 0 to 96 by 8 lanes, 92 to 100 by 8 lanes>,
                          #kernel.loop<1, 0 to 16 by 4, 16 to 19 by 3>], accumulators = 4}

Stated per kernel: its loops in their order, each cut into segments with lanes and unrolled copies (`cut.py`),
the number of accumulators of a sum, the fast path of its body (`fast_paths.py`). Code generation prints what
is stated and decides nothing. The choices follow from `schedule-kernels`, the target, and the memory plan, so
this is the last pass. With `keep` kernels that state their loops are left alone, and have to be sound.
"""

from __future__ import annotations

from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.passes import ModulePass

from mlirad.dialects.array.control import ReplayOp, ScanOp, WhileOp
from mlirad.dialects.extents import at_most, nominal
from mlirad.dialects.kernel import (
    CumulativeOp,
    DotOp,
    FftOp,
    NestOp,
    RecurrenceOp,
    ScatterOp,
    TriangularSolveOp,
)
from mlirad.dialects.kernel.nests import UNCUT
from mlirad.dialects.kernel.plans import stated_arena
from mlirad.dialects.kernel.schedules import CutLoops
from mlirad.dialects.kernel.strips import LOWERED_CONTROL, StripsOp
from mlirad.dialects.shapes import Value, integer, keyword, values_of
from mlirad.errors import CompileError
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import functions_of
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies.body import Body
from mlirad.lower.bodies.buffers import Buffer, program_buffers
from mlirad.lower.cpu.complete_schedules.fast_paths import choose_fast_path
from mlirad.lower.cpu.complete_schedules.nests import cut_nest
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.lower.llvm.text.polling import ASSUMED_ITERATIONS
from mlirad.lower.machine import FETCHED_AHEAD

__all__ = ["CompleteSchedulesPass", "complete_in_place"]

VECTOR_BYTES = 64


@dataclass(frozen=True)
class CompleteSchedulesPass(ModulePass):
    """States the loops of every kernel, cut into segments, and every other choice that is open.

    With `keep` kernels that state their loops are left alone, and plans of memory, which may be written by
    hand too, are verified before they are used.
    """

    name = "complete-schedules"

    vector_bytes: int = VECTOR_BYTES
    keep: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Complete the schedules of every function of the module."""
        for function in functions_of(op):
            if self.keep and stated_arena(function) is not None:
                verify_plan(function)
            complete_in_place(function, vector_bytes=self.vector_bytes, keep=self.keep)


def complete_in_place(function: FuncOp, *, vector_bytes: int = VECTOR_BYTES, keep: bool = False) -> None:
    """Complete the schedules of the kernels of this function."""
    block = function_block(function)
    returned = block.last_op
    assert isinstance(returned, ReturnOp)
    _Completion(program_buffers(function, returned).buffers, vector_bytes, keep=keep).block(block, 1)


class _Completion:
    """Completes the schedules of one function; `buffers` hold its values."""

    def __init__(self, buffers: dict[Value, Buffer], vector_bytes: int, *, keep: bool):
        self._buffers = buffers
        self._vector_bytes = vector_bytes
        self._keep = keep

    def block(self, block: Block, runs: int) -> None:
        """Complete the kernels of a block that runs about `runs` times, and of the blocks inside it."""
        for op in block.ops:
            match op:
                case NestOp():
                    self._nest(op, runs)
                case RecurrenceOp():
                    self._recurrence(op, runs)
                case ScatterOp():
                    self._scatter(op)
                case CumulativeOp() | FftOp() | TriangularSolveOp() | DotOp():
                    if not at_most(self._buffers[op.result].size, 0):
                        self._whole_arrays(op)
                case _ if isinstance(op, LOWERED_CONTROL):
                    for region in op.regions:
                        self.block(region.block, runs * _iterations(op))
                case _:
                    pass

    def _whole_arrays(self, op: CumulativeOp | FftOp | TriangularSolveOp | DotOp) -> None:
        from mlirad.lower.cpu.complete_schedules.whole_arrays import cut_cumulative, state_width

        match op:
            case CumulativeOp():
                if not (self._keep and op.loops is not None):
                    _state(op, cut_cumulative(op, self._vector_bytes), None)
            case FftOp() | TriangularSolveOp():
                if not (self._keep and op.width is not None):
                    state_width(op, self._vector_bytes)
            case DotOp():
                if not (self._keep and op.products is not None):
                    from mlirad.lower.cpu.complete_schedules.products import state_products

                    state_products(op, self._buffers, self._vector_bytes)

    def _nest(self, op: NestOp, runs: int) -> None:
        if at_most(prod(op.extents), 0):
            return
        outputs = [self._buffers[r] for r in op.roots]
        body = Body(op, self._buffers, outputs)
        loads = body.loads()
        in_place = any(a.overlaps(b.buffer) for a in outputs for b in loads)
        if self._keep and op.loops is not None:
            if in_place and op.cut_loops.repeats:
                raise CompileError(
                    "a kernel that writes over what it reads runs iterations twice",
                    location=location_of(op),
                    hint="take away its loops, and the compiler cuts them",
                )
            return
        combiners = [] if op.combiners is None else [c.data for c in op.combiners.data]
        loops = cut_nest(op, body, combiners, self._vector_bytes, may_repeat=not in_place, runs=runs)
        _state(op, loops, choose_fast_path(body, loops, runs, reduces=bool(combiners)))
        if not loops.may_be_shared:
            op.properties.pop("parallel", None)
        prefetches = not combiners and loops.lane_is_innermost and any(body.passing(loops.lane))
        _set(op, "prefetch", integer(FETCHED_AHEAD) if prefetches else None)

    def _recurrence(self, op: RecurrenceOp, runs: int) -> None:
        from mlirad.lower.cpu.complete_schedules.elements import cut_recurrence

        if at_most(prod(values_of(op.space)), 0) or (self._keep and op.loops is not None):
            return
        body = Body(op, self._buffers, [self._buffers[r] for r in op.roots])
        loops = cut_recurrence(op, body, self._vector_bytes)
        _state(op, loops, choose_fast_path(body, op.around_iterations(loops), runs))

    def _scatter(self, op: ScatterOp) -> None:
        from mlirad.lower.cpu.complete_schedules.elements import cut_scatter, may_have_lanes

        output = self._buffers[op.result]
        if at_most(output.size, 0) or at_most(prod(op.extents), 0):
            return
        body = Body(op, self._buffers, [output])
        if self._keep and op.loops is not None:
            lane = op.cut_loops.lane
            if lane is not None and not may_have_lanes(op, body, lane):
                raise CompileError(
                    f"lanes of loop {lane} write to the same elements, or in an order that counts",
                    location=location_of(op),
                    hint="take away its lane and its loops",
                )
            return
        _state(op, cut_scatter(op, body, self._vector_bytes), None)


def _iterations(op: Operation) -> int:
    """Return about how often the regions of a loop or branch run."""
    match op:
        case ScanOp() | StripsOp():
            return nominal(op.iterations)
        case WhileOp() | ReplayOp():
            return ASSUMED_ITERATIONS
        case _:
            return 1


def _state(
    op: NestOp | RecurrenceOp | ScatterOp | CumulativeOp, loops: CutLoops, fast_path: str | None
) -> None:
    """State the loops, in place of the properties that they follow from."""
    numbers: dict[str, int | None] = {"width": None if loops.lane is None else loops.width}
    if not isinstance(op, CumulativeOp):
        numbers["lane"] = loops.lane
    if isinstance(op, NestOp):
        for name in UNCUT:
            op.properties.pop(name, None)
        numbers["tile_dim"] = loops.tile
        numbers["accumulators"] = loops.accumulators if loops.accumulators > 1 else None
    for name, number in numbers.items():
        _set(op, name, None if number is None else integer(number))
    _set(op, "loops", loops.stated)
    _set(op, "fast_path", None if fast_path is None else keyword(fast_path))


def _set(op: Operation, name: str, value: Attribute | None) -> None:
    """State a property of an op, or take it away."""
    op.properties.pop(name, None)
    if value is not None:
        op.properties[name] = value
