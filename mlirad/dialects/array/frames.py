"""Frames: what a call keeps for its reverse sweep, found again by a number.

    %h = array.save %x, %w : f64, tensor<3xf64> -> i64
    %a, %b = array.restore %h : i64 -> (f64, tensor<3xf64>)

A frame is a value like any other, and its number an integer like any other: loops stack and record it,
branches yield it, other frames hold it. Nothing but `restore` may depend on which number a frame has. Frames
last until the first function around the `save` returns that does not return frames itself.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def, var_operand_def, var_result_def
from xdsl.traits import Pure

from mlirad.dialects.array.control import check_arrays
from mlirad.dialects.syntax import StructuredOp


@irdl_op_definition
class SaveOp(StructuredOp):
    """The number of a frame that holds the operands."""

    name = "array.save"
    values = var_operand_def()
    frame = result_def(i64)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        """A frame holds scalars and arrays."""
        check_arrays([o.type for o in self.operands], "operand")


@irdl_op_definition
class RestoreOp(StructuredOp):
    """The values that the frame with this number holds; it must hold values of the types of the results."""

    name = "array.restore"
    frame = operand_def(i64)
    values = var_result_def()
    traits = traits_def(Pure())

    def verify_(self) -> None:
        """A frame holds scalars and arrays."""
        check_arrays(self.result_types, "result")


FRAME_OPS = (SaveOp, RestoreOp)
"""Every op of this file."""
