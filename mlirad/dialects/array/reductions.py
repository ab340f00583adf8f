"""Reductions, their argument forms and tensor contraction."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, Final

import numpy as np
from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import ArrayOp, OperandOp, check_elements
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.structural import check_same_element, check_shape
from mlirad.dialects.shapes import (
    FLOATS,
    INTEGERS_AND_BOOLEANS,
    NUMBERS,
    Shape,
    Value,
    array_type,
    dot_shape,
    reduce_shape,
    shape_of,
    values_of,
)
from mlirad.dialects.syntax import StructuredOp

REDUCTION_ELEMENTS: dict[str, tuple[Attribute, ...]] = {
    "max": NUMBERS,
    "min": NUMBERS,
    "prod": NUMBERS,
    "and": INTEGERS_AND_BOOLEANS,
    "or": INTEGERS_AND_BOOLEANS,
}
"""The kinds of `array.reduce`, each with the element types it is defined on."""

COMBINER_ELEMENTS: dict[str, tuple[Attribute, ...]] = {
    "add": NUMBERS,
    **REDUCTION_ELEMENTS,
    "argmax": NUMBERS,
    "argmin": NUMBERS,
}
"""The ways in which elements are combined, also in kernels, each with the element types it is defined on."""

IDEMPOTENT: Final = frozenset({"max", "min", "and", "or", "argmax", "argmin"})
"""Those that an operand may enter twice."""


def identity(kind: str, element: Attribute) -> float:
    """The number that leaves others as they are when it is combined with them, of a kind of combiner."""
    dtype = numpy_dtype(element)
    if kind in ("max", "min"):
        if dtype.kind == "f":
            return -np.inf if kind == "max" else np.inf
        bounds = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return int(bounds[kind == "min"])
    return {"add": 0, "prod": 1, "and": -1 if dtype.kind == "i" else 1, "or": 0}[kind]


@irdl_op_definition
class SumOp(OperandOp):
    """The sum over `dims`; 0 over an empty range. Floats may be added in any order, integers wrap."""

    name = "array.sum"
    dims = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("dims",)

    def verify_(self) -> None:
        """Distinct dimensions of a numeric operand, which the result lacks."""
        check_elements(self.operand.type, COMBINER_ELEMENTS["add"], "operand")
        check_same_element(self.operand.type, self.result.type)
        shape = reduce_shape(shape_of(self.operand), values_of(self.dims))
        check_shape(self.result.type, shape)


@irdl_op_definition
class ReduceOp(OperandOp):
    """Reduction over `dims` by `max`, `min`, `prod`, `and` or `or`.

    An empty range gives the identity: -inf or the least integer for max, +inf or the greatest for min, 1 for
    prod, all ones (true) for and, 0 (false) for or. NaN is propagated by max and min. Floats may be
    multiplied in any order, integers wrap.
    """

    name = "array.reduce"
    kind = prop_def(StringAttr)
    dims = prop_def(DenseArrayBase.constr(i64))
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("dims",)

    def verify_(self) -> None:
        """A known kind on an element type it is defined on."""
        kind = self.kind.data
        if kind not in REDUCTION_ELEMENTS:
            raise VerifyException(f"kind '{kind}' is not one of {', '.join(REDUCTION_ELEMENTS)}")
        check_elements(self.operand.type, REDUCTION_ELEMENTS[kind], "operand")
        check_same_element(self.operand.type, self.result.type)
        shape = reduce_shape(shape_of(self.operand), values_of(self.dims))
        check_shape(self.result.type, shape)


class ArgReductionOp(OperandOp, ABC):
    """The position of an extremum along `dim` as i64: the first of equals, the first NaN if there is one.

    An empty dimension gives 0.
    """

    dim = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("dim",)

    def verify_(self) -> None:
        """A dimension of a numeric operand; i64 positions as result."""
        check_elements(self.operand.type, COMBINER_ELEMENTS["argmax"], "operand")
        expected = array_type(reduce_shape(shape_of(self.operand), (self.dim.value.data,)), i64)
        if self.result.type != expected:
            raise VerifyException(f"result has type {self.result.type}, the op computes {expected}")


@irdl_op_definition
class ArgmaxOp(ArgReductionOp):
    """The position of the largest element along `dim`."""

    name = "array.argmax"


@irdl_op_definition
class ArgminOp(ArgReductionOp):
    """The position of the smallest element along `dim`."""

    name = "array.argmin"


class ContractionOp(StructuredOp, ABC):
    """An op with the properties of a contraction: which dimensions of its left and right array are paired."""

    lhs_batch = prop_def(DenseArrayBase.constr(i64))
    rhs_batch = prop_def(DenseArrayBase.constr(i64))
    lhs_contract = prop_def(DenseArrayBase.constr(i64))
    rhs_contract = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract")

    @property
    def batch(self) -> tuple[Shape, Shape]:
        """The batch dimensions of the left array and of the right one."""
        return values_of(self.lhs_batch), values_of(self.rhs_batch)

    @property
    def contract(self) -> tuple[Shape, Shape]:
        """The contracted dimensions of the left array and of the right one."""
        return values_of(self.lhs_contract), values_of(self.rhs_contract)

    def contracted_shape(self, lhs: Value | Attribute, rhs: Value | Attribute) -> Shape:
        """The shape of the contraction of arrays of these types."""
        return dot_shape(shape_of(lhs), shape_of(rhs), *self.batch, *self.contract)


@irdl_op_definition
class DotOp(ArrayOp, ContractionOp):
    """General contraction of two float arrays.

    Result dimensions: the batch dimensions, then the free ones of the left operand, then those of the right,
    each in operand order. `lhs_batch[k]` is paired with `rhs_batch[k]`, `lhs_contract[k]` with
    `rhs_contract[k]`.
    """

    name = "array.dot"
    lhs = operand_def()
    rhs = operand_def()

    def verify_(self) -> None:
        """Paired dimensions of equal extent; one float element type."""
        check_elements(self.lhs.type, FLOATS, "left operand")
        check_elements(self.rhs.type, FLOATS, "right operand")
        check_same_element(self.lhs.type, self.rhs.type)
        check_same_element(self.lhs.type, self.result.type)
        shape = self.contracted_shape(self.lhs, self.rhs)
        check_shape(self.result.type, shape)


REDUCTION_OPS = (SumOp, ReduceOp, ArgmaxOp, ArgminOp, DotOp)
"""Every op of this file, in the order of the documentation."""
