"""The classes of elementwise ops: operands and results of one shape, and their checks."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.shapes import (
    FLOATS,
    NUMBERS,
    is_array,
    is_boolean,
    shape_of,
)
from mlirad.dialects.syntax import StructuredOp


def check_elements(type_: Attribute, elements: tuple[Attribute, ...], what: str) -> None:
    """Require a scalar or a static array of rank at least 1 over one of `elements`."""
    if not is_array(type_, elements):
        names = ", ".join(str(e) for e in elements)
        raise VerifyException(f"{what} must be a scalar or static array of {names}, got {type_}")


class ArrayOp(StructuredOp, ABC):
    """An op with one result, an array or a scalar."""

    result = result_def()


class OperandOp(ArrayOp, ABC):
    """An op that makes its result of one array."""

    operand = operand_def()


class ElementwiseOp(ArrayOp, ABC):
    """Applies one scalar function at every position; `DOMAIN` is the element types it is defined on."""

    DOMAIN: ClassVar[tuple[Attribute, ...]]


class UnaryOp(ElementwiseOp, OperandOp, ABC):
    """One operand, of floats unless `DOMAIN` says otherwise; the result has its type."""

    DOMAIN: ClassVar = FLOATS
    ONE_TYPE: ClassVar = True

    def verify_(self) -> None:
        """Operand of a known element type; result of the same type."""
        check_elements(self.operand.type, self.DOMAIN, "operand")
        if self.result.type != self.operand.type:
            raise VerifyException(
                f"result type {self.result.type} must equal operand type {self.operand.type}"
            )


class BinaryOp(ElementwiseOp, ABC):
    """Two operands of one type, of numbers unless `DOMAIN` says otherwise; the result has it too."""

    DOMAIN: ClassVar = NUMBERS
    lhs = operand_def()
    rhs = operand_def()
    ONE_TYPE: ClassVar = True

    def verify_(self) -> None:
        """Operands and result of one type with a known element type."""
        check_elements(self.lhs.type, self.DOMAIN, "left operand")
        if self.rhs.type != self.lhs.type:
            raise VerifyException(
                f"operands must have one type, got {self.lhs.type} and {self.rhs.type}; "
                "broadcast or convert one of them"
            )
        if self.result.type != self.lhs.type:
            raise VerifyException(f"result type {self.result.type} must equal operand type {self.lhs.type}")


class FloatTestOp(ElementwiseOp, OperandOp, ABC):
    """A property of a float: the result is boolean, of the operand's shape."""

    DOMAIN: ClassVar = FLOATS

    def verify_(self) -> None:
        """A float operand and booleans of its shape as result."""
        check_elements(self.operand.type, self.DOMAIN, "operand")
        check_boolean_result(self.operand.type, self.result.type)


def check_boolean_result(operand: Attribute, result: Attribute) -> None:
    """Require booleans of the operand's shape."""
    if not is_boolean(result) or shape_of(result) != shape_of(operand):
        raise VerifyException(
            f"result must hold i1 in the operand's shape {list(shape_of(operand))}, got {result}"
        )
