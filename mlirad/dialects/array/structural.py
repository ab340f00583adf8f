"""Structural ops: constants, and ops that place elements by a pattern fixed in the program text.

`broadcast` with arbitrary dims is the only transposition. It may name dimensions in any order; a `transpose`
is a broadcast that adds no dimensions, and the builder writes it that way: one op, one rule per table, and no
special case for a sum followed by a permutation. `array.transpose` exists in text, because people write it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import I64, DenseArrayBase, DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import (
    BaseAttr,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import ArrayOp, OperandOp, check_elements
from mlirad.dialects.extents_attribute import ExtentAttr
from mlirad.dialects.language_op import LanguageOp
from mlirad.dialects.shapes import (
    ELEMENTS,
    EXTENT_LIST,
    STORED,
    array_type,
    check_broadcast,
    check_dims,
    check_reshape,
    concatenate_shape,
    element_of,
    pad_shape,
    shape_of,
    slice_shape,
    stack_shape,
    transpose_shape,
    values_of,
)


@irdl_op_definition
class ConstantOp(LanguageOp):
    """A literal: a scalar (float, integer or boolean attribute) or a dense array.

    A dense literal keeps its bytes in one shared buffer. A uniform array is better written as a
    `broadcast` of a scalar constant.
    """

    name = "array.constant"
    value = prop_def(Attribute)
    result = result_def()
    traits = traits_def(ConstantLike())

    def print(self, printer: Printer) -> None:
        """`array.constant 2.5 : f64`, `array.constant dense<[1, 2]> : tensor<2xi64>`."""
        printer.print_string(" ")
        printer.print_attribute(self.value)
        printer.print_op_attributes(self.attributes, print_keyword=True)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the literal; its type is the type of the result."""
        position = parser.pos
        value = parser.parse_attribute()
        if not isinstance(value, FloatAttr | IntegerAttr | DenseIntOrFPElementsAttr):
            parser.raise_error("expected a float, an integer or a dense literal", position)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        properties: dict[str, Attribute] = {"value": value}
        return cls.create(
            result_types=[value.get_type()],
            properties=properties,
            attributes={} if attributes is None else attributes.data,
        )

    def verify_(self) -> None:
        """A literal of the result's type."""
        check_elements(self.result.type, ELEMENTS, "result")
        value = self.value
        if not isinstance(value, FloatAttr | IntegerAttr | DenseIntOrFPElementsAttr):
            raise VerifyException("value must be a float, an integer or a dense literal")
        if value.get_type() != self.result.type:
            raise VerifyException(
                f"literal of type {value.get_type()} for a result of type {self.result.type}"
            )


@irdl_op_definition
class IotaOp(ArrayOp):
    """The index along dimension `dim` at every position, as i64."""

    name = "array.iota"
    dim = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("dim",)

    def verify_(self) -> None:
        """An i64 array of rank at least 1 that has dimension `dim`."""
        check_elements(self.result.type, (i64,), "result")
        check_dims((self.dim.value.data,), len(shape_of(self.result)), "dim")


@irdl_op_definition
class SizeOp(ArrayOp):
    """An extent of the program, as i64: a size, or what is computed of sizes."""

    name = "array.size"
    extent = prop_def(BaseAttr(ExtentAttr))
    BRACED: ClassVar = ("extent",)

    def verify_(self) -> None:
        """The result is an i64."""
        check_elements(self.result.type, (i64,), "result")
        check_shape(self.result.type, ())


@irdl_op_definition
class BroadcastOp(OperandOp):
    """Operand dimension k becomes result dimension `dims[k]`; the other result dimensions are new.

    `dims` is any injective list, so a transposition is a broadcast without new dimensions.
    """

    name = "array.broadcast"
    dims = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("dims",)

    def verify_(self) -> None:
        """Equal element types; every operand extent equals that of its result dimension."""
        check_elements(self.operand.type, STORED, "operand")
        check_same_element(self.operand.type, self.result.type)
        check_broadcast(shape_of(self.operand), values_of(self.dims), shape_of(self.result))


@irdl_op_definition
class TransposeOp(OperandOp):
    """Result dimension k is operand dimension `permutation[k]`."""

    name = "array.transpose"
    permutation = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("permutation",)

    def verify_(self) -> None:
        """A permutation of the operand's dimensions."""
        check_elements(self.operand.type, STORED, "operand")
        check_same_element(self.operand.type, self.result.type)
        shape = transpose_shape(shape_of(self.operand), values_of(self.permutation))
        check_shape(self.result.type, shape)


@irdl_op_definition
class ReshapeOp(OperandOp):
    """The same elements in row-major order under another shape."""

    name = "array.reshape"

    def verify_(self) -> None:
        """Equal element types and numbers of elements."""
        check_elements(self.operand.type, STORED, "operand")
        check_same_element(self.operand.type, self.result.type)
        check_reshape(shape_of(self.operand), shape_of(self.result))


@irdl_op_definition
class SliceOp(OperandOp):
    """Elements `start, start + stride, ...` below `limit` along each dimension."""

    name = "array.slice"
    starts = prop_def(EXTENT_LIST)
    limits = prop_def(EXTENT_LIST)
    strides = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("starts", "limits", "strides")

    def verify_(self) -> None:
        """Ranges inside the operand, strides of at least 1."""
        check_elements(self.operand.type, STORED, "operand")
        check_same_element(self.operand.type, self.result.type)
        shape = slice_shape(
            shape_of(self.operand),
            values_of(self.starts),
            values_of(self.limits),
            values_of(self.strides),
        )
        check_shape(self.result.type, shape)


@irdl_op_definition
class PadOp(ArrayOp):
    """The operand surrounded by `low` and `high` copies of `value`, with `interior` between neighbours."""

    name = "array.pad"
    operand = operand_def()
    value = operand_def()
    low = prop_def(EXTENT_LIST)
    high = prop_def(EXTENT_LIST)
    interior = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("low", "high", "interior")

    def verify_(self) -> None:
        """Widths of at least 0; a scalar fill value of the operand's element type."""
        check_elements(self.operand.type, STORED, "operand")
        check_same_element(self.operand.type, self.result.type)
        if self.value.type != element_of(self.operand):
            raise VerifyException(
                f"fill value must be a scalar {element_of(self.operand)}, got {self.value.type}"
            )
        shape = pad_shape(
            shape_of(self.operand),
            values_of(self.low),
            values_of(self.high),
            values_of(self.interior),
        )
        check_shape(self.result.type, shape)


@irdl_op_definition
class ConcatenateOp(ArrayOp):
    """The operands one after the other along dimension `dim`."""

    name = "array.concatenate"
    parts = var_operand_def()
    dim = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("dim",)

    def verify_(self) -> None:
        """Operands equal in type except for the extent of dimension `dim`."""
        check_parts(self.parts.types, self.result.type)
        shape = concatenate_shape([shape_of(p) for p in self.parts], self.dim.value.data)
        check_shape(self.result.type, shape)


@irdl_op_definition
class ReverseOp(OperandOp):
    """The operand read backwards along each of `dims`."""

    name = "array.reverse"
    dims = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("dims",)

    def verify_(self) -> None:
        """Distinct dimensions of the operand; the result has its type."""
        check_elements(self.operand.type, STORED, "operand")
        if self.result.type != self.operand.type:
            raise VerifyException(
                f"result type {self.result.type} must equal operand type {self.operand.type}"
            )
        check_dims(values_of(self.dims), len(shape_of(self.operand)), "dims")


@irdl_op_definition
class StackOp(ArrayOp):
    """Operands of one type as the slices of an array along a new dimension `dim`."""

    name = "array.stack"
    parts = var_operand_def()
    dim = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("dim",)

    def verify_(self) -> None:
        """Operands of one type, at least one."""
        check_parts(self.parts.types, self.result.type)
        shape = stack_shape([shape_of(p) for p in self.parts], self.dim.value.data)
        check_shape(self.result.type, shape)


def check_parts(parts: Sequence[Attribute], result: Attribute) -> None:
    """Require arrays over the element type of the result."""
    for k, part in enumerate(parts):
        check_elements(part, STORED, f"operand {k}")
        check_same_element(part, result)


def check_same_element(operand: Attribute, result: Attribute) -> None:
    """Require the result to keep the operand's element type."""
    if element_of(operand) != element_of(result):
        raise VerifyException(
            f"result of element type {element_of(result)} from an operand of {element_of(operand)}"
        )


def check_shape(result: Attribute, shape: tuple[int, ...]) -> None:
    """Require the result to have the shape the op computes."""
    expected = array_type(shape, element_of(result))
    if result != expected:
        raise VerifyException(f"result has type {result}, the op computes {expected}")


STRUCTURAL_OPS = (
    ConstantOp,
    IotaOp,
    SizeOp,
    BroadcastOp,
    TransposeOp,
    ReshapeOp,
    SliceOp,
    PadOp,
    ConcatenateOp,
    ReverseOp,
    StackOp,
)
"""Every structural op, in the order of the documentation."""
