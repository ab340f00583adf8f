"""Lanes of kernels of whole arrays, and the lines of cumulative ops that run side by side."""

from __future__ import annotations

from mlirad.dialects.array.factorisations import matrices_of
from mlirad.dialects.extents import is_static
from mlirad.dialects.kernel import CumulativeOp, FftOp, TriangularSolveOp
from mlirad.dialects.kernel.schedules import MOST_LANES, CutLoops, Segment
from mlirad.dialects.kernel.whole_arrays import COLUMNS, LINES, cut_lines
from mlirad.dialects.shapes import integer
from mlirad.lower.bodies.elementwise import kind_of
from mlirad.lower.cpu.complete_schedules import cut
from mlirad.lower.llvm.text import BYTES

SIDE_BY_SIDE = 4
"""The lines of a cumulative op that run side by side."""


def cut_cumulative(op: CumulativeOp, vector_bytes: int) -> CutLoops:
    """The loops of a cumulative op: lanes are columns; lines that have none run side by side."""
    lines, columns = op.extents
    width = None
    if columns == 1:
        full = lines // SIDE_BY_SIDE * SIDE_BY_SIDE
        segments = [Segment(0, full, SIDE_BY_SIDE), Segment(full, lines)]
        loops = [(LINES, [s for s in segments if not is_static(s.blocks) or s.blocks])]
    else:
        native = max(1, vector_bytes // BYTES[kind_of(op.result)])
        width = cut.fitting_width(columns, native, native, masks=False)
        lanes = cut.output_lanes(columns, width, native, may_repeat=True, compact=False)
        loops = [(LINES, cut.plain(lines)), (COLUMNS, lanes)]
    return cut_lines(loops, width)


def state_width(op: FftOp | TriangularSolveOp, vector_bytes: int) -> None:
    """State the lanes of a transform or of the solution of a small system."""
    native = max(1, vector_bytes // BYTES[kind_of(op.result)])
    if isinstance(op, FftOp):
        width = min(native, MOST_LANES)
    else:
        columns = matrices_of(op.operand.type, is_complex=op.complex is not None)[-1]
        width = native if columns >= native else 1
    op.properties["width"] = integer(width)
