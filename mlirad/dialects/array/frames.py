"""Activation records, of type `!array.frame`: what a call keeps for its reverse sweep.

    %h = array.save %x, %w : f64, tensor<3xf64> -> !array.frame<f_record>
    %a, %b = array.restore %h : !array.frame<f_record> -> (f64, tensor<3xf64>)
    %n = array.no_frame : -> !array.frame<f_record>
    %r = array.next_row %count {record = 0, room = 64} : i64 -> i64

A record is an immutable value: loops stack and record it, branches yield it, other records hold it. Its
contents are all that can be read of it, and only `save` makes records. Where a value of their type is needed
and there is none, as in a branch that makes no call, it is `no_frame`, which cannot be restored: a program
that tries fails at run time. Records of one type hold values of the same types (`FrameType`).

Records that are rows of arrays (`passes/records_to_rows.py`) have numbers, which `next_row` gives.

A record lasts until the first function around its `save` returns that does not return records itself. As
values leave a function only as its results, none is left then that could be restored.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import check_arrays
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.syntax import StructuredOp


@irdl_op_definition
class SaveOp(StructuredOp):
    """A frame that holds the operands."""

    name = "array.save"
    values = var_operand_def()
    frame = result_def()

    def verify_(self) -> None:
        """A frame holds scalars and arrays; its type is that of a frame."""
        check_arrays([o.type for o in self.operands], "operand")
        check_frame(self.frame.type, "result")


@irdl_op_definition
class RestoreOp(StructuredOp):
    """The values that a frame holds."""

    name = "array.restore"
    frame = operand_def()
    values = var_result_def()

    def verify_(self) -> None:
        """A frame, which holds scalars and arrays."""
        check_frame(self.frame.type, "operand")
        check_arrays(self.result_types, "result")


@irdl_op_definition
class NoFrameOp(StructuredOp):
    """The activation record of a call that was not made."""

    name = "array.no_frame"
    frame = result_def()

    def verify_(self) -> None:
        """The type of the result is that of a frame."""
        check_frame(self.frame.type, "result")


@irdl_op_definition
class NextRowOp(StructuredOp):
    """The operand, which is the number of rows in use, as the number of the next one.

    Where `room`, how many rows there are, is not more, the call ends at once. `record` is the number of the
    type of records that the rows are of; the host makes the program with more room for these.
    """

    name = "array.next_row"
    count = operand_def()
    result = result_def()
    record = prop_def(IntegerAttr[I64])
    room = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("record", "room")

    def verify_(self) -> None:
        """An i64, as is the result, and a room for one record at least."""
        for type_, what in ((self.count.type, "operand"), (self.result.type, "result")):
            if type_ != i64:
                raise VerifyException(f"{what} must be an i64, got {type_}")
        if self.room.value.data < 1:
            raise VerifyException(f"room must be 1 at least, got {self.room.value.data}")
        if self.record.value.data < 0:
            raise VerifyException(f"record must be 0 at least, got {self.record.value.data}")


def check_frame(type_: Attribute, what: str) -> None:
    """Require the type of a frame."""
    if not isinstance(type_, FrameType):
        raise VerifyException(f"{what} must be a frame, such as !array.frame<f>, got {type_}")


FRAME_OPS = (SaveOp, RestoreOp, NoFrameOp, NextRowOp)
"""Every op of this file."""
