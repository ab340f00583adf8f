"""Ops whose result depends on the order of elements along one dimension: sorting and prefix reductions.

%s = array.sort %x {dim = 0} : tensor<4x2xf64>
%p = array.argsort %x {dim = 0} : tensor<4x2xf64> -> tensor<4x2xi64>
%c = array.cumulative sum %x {dim = 1, reverse} : tensor<4x2xf64>
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import OperandOp, check_elements
from mlirad.dialects.array.reductions import COMBINER_ELEMENTS
from mlirad.dialects.array.structural import check_same_element, check_shape
from mlirad.dialects.shapes import ELEMENTS, array_type, check_dims, shape_of

CUMULATIVE_KINDS = {"sum": "add", "prod": "prod", "max": "max", "min": "min"}
"""The kinds of prefix reductions, and how each combines elements."""


@irdl_op_definition
class SortOp(OperandOp):
    """The elements along `dim` in ascending order, equal ones in the order they had, NaN last."""

    name = "array.sort"
    dim = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("dim",)
    ONE_TYPE: ClassVar = True

    def verify_(self) -> None:
        """A dimension of the operand, whose type the result has."""
        check_elements(self.operand.type, ELEMENTS, "operand")
        check_dims((self.dim.value.data,), len(shape_of(self.operand)), "dim")
        check_same_element(self.operand.type, self.result.type)
        check_shape(self.result.type, shape_of(self.operand))


@irdl_op_definition
class ArgsortOp(OperandOp):
    """The positions along `dim`, as i64, at which `sort` finds its elements."""

    name = "array.argsort"
    dim = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("dim",)

    def verify_(self) -> None:
        """A dimension of the operand; i64 positions in its shape."""
        check_elements(self.operand.type, ELEMENTS, "operand")
        check_dims((self.dim.value.data,), len(shape_of(self.operand)), "dim")
        expected = array_type(shape_of(self.operand), i64)
        if self.result.type != expected:
            raise VerifyException(f"result has type {self.result.type}, the op computes {expected}")


@irdl_op_definition
class CumulativeOp(OperandOp):
    """Each element reduced with all before it along `dim` (with `reverse`, with all after it).

    NaN is propagated by max and min, integers wrap, floats are taken in order.
    """

    name = "array.cumulative"
    kind = prop_def(StringAttr)
    dim = prop_def(IntegerAttr[I64])
    reverse = opt_prop_def(UnitAttr)
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("dim", "reverse")
    ONE_TYPE: ClassVar = True

    def verify_(self) -> None:
        """A known kind and a dimension of a numeric operand, whose type the result has."""
        if self.kind.data not in CUMULATIVE_KINDS:
            raise VerifyException(f"kind '{self.kind.data}' is not one of {', '.join(CUMULATIVE_KINDS)}")
        check_elements(self.operand.type, COMBINER_ELEMENTS[CUMULATIVE_KINDS[self.kind.data]], "operand")
        check_dims((self.dim.value.data,), len(shape_of(self.operand)), "dim")
        check_same_element(self.operand.type, self.result.type)
        check_shape(self.result.type, shape_of(self.operand))


ORDERING_OPS = (SortOp, ArgsortOp, CumulativeOp)
"""Every op of this file, in the order of the documentation."""
