"""The ops that vectors and values come from, and the parts of complex vectors."""

from __future__ import annotations

from typing import Final

from mlirad.dialects.array.factorisations import EighOp, SvdOp
from mlirad.dialects.array.structural import SliceOp
from mlirad.dialects.shapes import shape_of, values_of
from mlirad.passes.spectral_functions.facts import Frame, Side, Spectral, Vectors

FRAMES: Final = (EighOp, SvdOp)


def frame_of(op: EighOp | SvdOp) -> Frame:
    """The frame that an op gives a part of."""
    return Frame(type(op), op.operand, op.complex is not None)


def known_of(op: EighOp | SvdOp) -> Vectors | Spectral:
    """What is known of the vectors and values of a frame."""
    frame, part = frame_of(op), op.part.data
    if part == "values":
        return Spectral(frame, tuple(range(frame.batch + 1)))
    side = side_of(op)
    label = frame.batch + (1 if side == "left" else 0)
    return Vectors(frame, side, (*range(frame.batch), label))


def side_of(op: EighOp | SvdOp) -> Side:
    """The side of vectors. Right ones are rows, conjugated."""
    return "right" if op.part.data == "right" else "left"


def complex_part(op: SliceOp) -> tuple[EighOp | SvdOp, int] | None:
    """The vectors of which a slice is the real part, 0, or the imaginary part, 1."""
    source = op.operand.owner
    if not isinstance(source, FRAMES) or source.complex is None or source.part.data == "values":
        return None
    starts, shape = values_of(op.starts), shape_of(op.result)
    is_part = shape[-1] == 1 and shape[:-1] == shape_of(op.operand)[:-1] and not any(starts[:-1])
    return (source, starts[-1]) if is_part else None
