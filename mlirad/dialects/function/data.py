"""Values made of values: tuples, sums of several types, and values of types that contain themselves.

%t = function.tuple %n, %x : i64, f64 -> tuple<i64, f64>
%x = function.get %t {index = 1} : tuple<i64, f64> -> f64
%s = function.inject %x {index = 1} : f64 -> !function.sum<i64, f64>
%r = function.case %s (%a) : !function.sum<i64, f64> -> f64 {...} case (%b : f64) {...}

%l = function.roll %c : !cell -> !function.inductive<list>
%c = function.unroll %l : !function.inductive<list> -> !cell
!cell = !function.sum<tuple<>, tuple<f64, !function.inductive<list>>>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import I64, IntegerAttr, TupleType
from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import check_arguments, check_results, check_types, check_values
from mlirad.dialects.array.indexing import yielded
from mlirad.dialects.function_types import InductiveType, SumType
from mlirad.dialects.shapes import Value, tuple_type
from mlirad.dialects.syntax import StructuredOp


def alternatives_of(sum_: Value) -> Sequence[Attribute]:
    """The types that the value of a sum may have."""
    return cast(SumType, sum_.type).types.data


@irdl_op_definition
class TupleOp(StructuredOp):
    """The tuple of the operands."""

    name = "function.tuple"
    components = var_operand_def()
    result = result_def(TupleType)

    def verify_(self) -> None:
        """Any number of components but one."""
        if len(self.components) == 1:
            raise VerifyException("a tuple of one component is that component")
        check_results(self.result_types, [tuple_type(self.components.types)])


@irdl_op_definition
class GetOp(StructuredOp):
    """Component number `index` of a tuple."""

    name = "function.get"
    operand = operand_def(TupleType)
    index = prop_def(IntegerAttr[I64])
    result = result_def()
    BRACED: ClassVar = ("index",)

    def verify_(self) -> None:
        """The tuple has such a component."""
        types = cast(TupleType, self.operand.type).types.data
        check_results(self.result_types, [_chosen(types, self.index.value.data, "components")])


@irdl_op_definition
class InjectOp(StructuredOp):
    """The operand as alternative number `index` of a sum."""

    name = "function.inject"
    value = operand_def()
    index = prop_def(IntegerAttr[I64])
    result = result_def(SumType)
    BRACED: ClassVar = ("index",)

    def verify_(self) -> None:
        """The sum has such an alternative."""
        wanted = _chosen(alternatives_of(self.result), self.index.value.data, "alternatives")
        check_types([self.value.type], [wanted], "alternative", "the value is")


@irdl_op_definition
class CaseOp(StructuredOp):
    """The values of the region for the alternative that the value of a sum is; only that region runs.

    Region number k takes a value of alternative k.
    """

    name = "function.case"
    value = operand_def(SumType)
    arms = var_region_def("single_block")
    outputs = var_result_def()
    REGION_WORDS: ClassVar = ("case",)
    REPEATED: ClassVar = True

    def verify_(self) -> None:
        """A region for each alternative, which yields the types of the results."""
        types = alternatives_of(self.value)
        if len(self.arms) != len(types):
            raise VerifyException(f"{len(self.arms)} regions for {len(types)} alternatives")
        for k, (arm, type_) in enumerate(zip(self.arms, types, strict=True)):
            check_arguments(arm.block, (type_,), f"region {k}")
            check_types(yielded(arm)[0], self.result_types, "value", f"region {k} yields")


@irdl_op_definition
class RollOp(StructuredOp):
    """The operand as a value of the type of a name, which stands for the type of the operand.

    All ops of a module that roll or unroll values of one name say the same type.
    """

    name = "function.roll"
    value = operand_def()
    result = result_def(InductiveType)

    def verify_(self) -> None:
        """The operand is a value."""
        check_values([self.value.type], "operand")


@irdl_op_definition
class UnrollOp(StructuredOp):
    """The value that the operand was rolled from."""

    name = "function.unroll"
    operand = operand_def(InductiveType)
    result = result_def()

    def verify_(self) -> None:
        """The result is a value."""
        check_values(self.result_types, "result")


def _chosen(types: Sequence[Attribute], index: int, what: str) -> Attribute:
    """The type at an index; raises if the index is out of range."""
    if not 0 <= index < len(types):
        raise VerifyException(f"index {index} of {len(types)} {what}")
    return types[index]


DATA_OPS = (TupleOp, GetOp, InjectOp, CaseOp, RollOp, UnrollOp)
"""Every op of this file."""
