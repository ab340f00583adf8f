"""Loads: the ops by which the bodies of kernels read single elements of their operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.kernel.layouts import LayoutReader
from mlirad.dialects.shapes import element_of, is_array, shape_of
from mlirad.dialects.syntax import StructuredOp


@irdl_op_definition
class LoadOp(StructuredOp, LayoutReader):
    """One element of a buffer. Every position lies inside its dimension: whoever makes the op proves it."""

    name = "kernel.load"
    buffer = operand_def()
    positions = var_operand_def(i64)
    result = result_def()
    POSITIONS_FROM: ClassVar = 1

    def verify_(self) -> None:
        """One position per dimension; the result is an element."""
        check_load(self.buffer.type, self.positions, self.result.type)


@irdl_op_definition
class LoadIfOp(StructuredOp, LayoutReader):
    """One element of a buffer where the guard holds, 0 elsewhere; memory is touched only where it holds.

    The positions lie inside their dimensions wherever the guard holds.
    """

    name = "kernel.load_if"
    guard = operand_def(i1)
    buffer = operand_def()
    positions = var_operand_def(i64)
    result = result_def()
    POSITIONS_FROM: ClassVar = 2

    def verify_(self) -> None:
        """One position per dimension; the result is an element."""
        check_load(self.buffer.type, self.positions, self.result.type)


def check_load(buffer: Attribute, positions: Sequence[object], result: Attribute) -> None:
    """Require one position per dimension of the buffer and its element as result."""
    if not is_array(buffer):
        raise VerifyException(f"buffer must be a scalar or array, got {buffer}")
    if len(positions) != len(shape_of(buffer)):
        raise VerifyException(f"{len(positions)} positions in a buffer of type {buffer}")
    if result != element_of(buffer):
        raise VerifyException(f"result must be {element_of(buffer)}, got {result}")
