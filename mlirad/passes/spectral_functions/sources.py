"""The ops that vectors and values come from, and the parts of complex vectors."""

from __future__ import annotations

from typing import Final

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import CONTROL_OPS
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.array.factorisations import EighOp, EigOp, SvdOp
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.array.structural import SliceOp
from mlirad.dialects.shapes import Value, shape_of, values_of
from mlirad.passes.spectral_functions.facts import Frame, Side, Spectral, Vectors

FRAMES: Final = (EighOp, SvdOp)

WITH_VECTORS: Final = (EighOp, SvdOp, EigOp)
"""Ops that can give vectors: without one there is nothing to expand, and nothing in doubt."""

HIGHEST_ORDER: Final = 2
"""The highest order of derivatives for which sums are looked for."""

NESTING: Final = (*CONTROL_OPS, BuildOp, CheckpointOp)
"""Ops with regions that are differentiated as they are written."""


def frame_of(op: EighOp | SvdOp) -> Frame:
    """The frame that an op gives a part of."""
    return Frame(type(op), op.operand, op.complex is not None)


def known_of(op: EighOp | SvdOp) -> Vectors | Spectral:
    """Return what is known of the vectors and values of a frame."""
    frame = frame_of(op)
    kept = (*range(frame.batch), label_of(op))
    return Spectral(frame, kept) if op.part.data == "values" else Vectors(frame, side_of(op), kept)


def label_of(op: EighOp | SvdOp | EigOp) -> int:
    """The dimension of the columns of vectors, or of the values."""
    batch = len(shape_of(op.operand)) - (3 if op.complex is not None else 2)
    return batch if op.part.data in ("values", "right") else batch + 1


def is_constant(x: Value) -> bool:
    """Tell whether nothing reads a value but as a constant of derivatives."""
    return all(isinstance(use.operation, ew.StopGradientOp) for use in x.uses)


def side_of(op: EighOp | SvdOp) -> Side:
    """The side of vectors. Right ones are rows, conjugated."""
    return "right" if op.part.data == "right" else "left"


def complex_part(op: SliceOp) -> tuple[EighOp | SvdOp, int] | None:
    """The vectors that a slice takes a part of: 0 for the real part, 1 for the imaginary part."""
    source = op.operand.owner
    if not isinstance(source, FRAMES) or source.complex is None or source.part.data == "values":
        return None
    starts, shape = values_of(op.starts), shape_of(op.result)
    is_part = shape[-1] == 1 and shape[:-1] == shape_of(op.operand)[:-1] and not any(starts[:-1])
    return (source, starts[-1]) if is_part else None
