"""`kernel.cumulative` as an LLVM function: prefix reductions, in order along their dimension.

The other dimensions are independent. Those inside of the dimension, which are consecutive in memory, run
across vector lanes; without lanes, several lines run side by side to hide the latency of the chain.
Sums and products of 32-bit floats are carried in 64 bits: in 32 bits a million numbers keep three or four
digits, and products of numbers near 1 are rounded with a bias. Elements are added one after the other, so
that prefix sums of numbers that are not negative never decrease, which searches in them rely on.

    shape (3, 5, 20), dim 1      for o in 0 ... 3: for lanes in 0, 8, 16 (4 lanes): for k in 0 ... 5
"""

from __future__ import annotations

from math import prod

from mlirad.dialects.array.ordering import CUMULATIVE_KINDS
from mlirad.dialects.extents import at_most, nominal
from mlirad.dialects.kernel import CumulativeOp
from mlirad.dialects.kernel.schedules import Segment
from mlirad.dialects.kernel.whole_arrays import COLUMNS, LINES
from mlirad.lower.bodies import reductions
from mlirad.lower.cpu.emit.kernels import KernelEmitter, begin_kernel, stated_loops
from mlirad.lower.llvm.text import IRBuilder, Kind, Value


def emit_cumulative(emitter: KernelEmitter, op: CumulativeOp) -> None:
    """Write the function of a prefix reduction and the call of it."""
    source, output = emitter.buffers[op.operand], emitter.buffers[op.result]
    if at_most(output.size, 0):
        return
    dim = op.dim.value.data
    outer, extent, inner = (
        prod(output.shape[:dim]),
        output.shape[dim],
        prod(output.shape[dim + 1 :]),
    )
    work = 4 * nominal(output.size)
    kernel = begin_kernel(emitter, op, f"cumulative_{op.kind.data}", [source], [output], work)
    f, kind = kernel.f, output.kind
    read, written = kernel.pointers[source.place], kernel.pointers[output.place]
    combiner = CUMULATIVE_KINDS[op.kind.data]

    def lines(starts: list[Value], width: int) -> None:
        """The prefix reductions of lines that begin at these elements, `width` neighbours each."""
        _write_lines(
            f, read, written, starts, (extent, inner), (combiner, kind, width), reverse=op.reverse is not None
        )

    loops = stated_loops(op)
    columns = loops.segments.get(COLUMNS)
    if columns is None:
        for segment in loops.segments.get(LINES, (Segment(0, 1),)):
            with f.loop(segment.lower, segment.upper, segment.step, name="line") as loop:
                lines([f.mul(f.add(loop.index, k), extent) for k in range(segment.copies)], 1)
    else:
        with f.loop(0, outer, name="outer") as around:
            start = f.mul(around.index, extent * inner)
            for segment in columns:
                with f.loop(segment.lower, segment.upper, segment.step, name="lane") as loop:
                    lines([f.add(start, loop.index)], segment.width)
    f.ret()


def _write_lines(
    f: IRBuilder,
    read: Value,
    written: Value,
    starts: list[Value],
    steps: tuple[int, int],
    how: tuple[str, Kind, int],
    *,
    reverse: bool,
) -> None:
    extent, inner = steps
    combiner, kind, width = how
    carried: Kind = "double" if kind == "float" and combiner in ("add", "prod") else kind
    first = [f.widen(reductions.identity(combiner, carried), width) for _ in starts]
    with f.loop(0, extent, carries=first, name="k") as loop:
        k = f.sub(extent - 1, loop.index) if reverse else loop.index
        totals: list[Value] = []
        for start, total in zip(starts, loop.carries, strict=True):
            at = f.add(start, f.mul(k, inner))
            value = f.load(f.gep(read, at, kind), kind, width)
            value = value if carried == kind else f.fpext(value)
            totals.append(reductions.combine(f, combiner, [total], [value])[0])
            prefix = totals[-1] if carried == kind else f.fptrunc(totals[-1])
            f.store(prefix, f.gep(written, at, kind))
        loop.carry(*totals)
