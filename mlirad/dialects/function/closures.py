"""Functions as values: made from code, or from a function some of whose parameters are fixed, and applied.

%f = function.lambda (%z : f64) : -> !function.closure<(f64) -> f64> {...}
%g = function.partial %e {callee = @power} : i64 -> !function.closure<(f64) -> f64>
%y = function.apply %f, %x : !function.closure<(f64) -> f64>, f64 -> f64
"""

from __future__ import annotations

from typing import ClassVar, cast

from xdsl.dialects.builtin import FlatSymbolRefAttrConstr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    result_def,
    var_operand_def,
    var_result_def,
)

from mlirad.dialects.array.control import check_arguments, check_types, check_values
from mlirad.dialects.array.indexing import yielded
from mlirad.dialects.function_types import ClosureType
from mlirad.dialects.shapes import Value
from mlirad.dialects.syntax import StructuredOp


def signature_of(closure: Value) -> ClosureType:
    """The type of a closure."""
    return cast(ClosureType, closure.type)


@irdl_op_definition
class LambdaOp(StructuredOp):
    """The function whose code is the region, with the values that the region captures."""

    name = "function.lambda"
    body = region_def("single_block")
    closure = result_def(ClosureType)

    def verify_(self) -> None:
        """The region takes the parameters of the closure and yields its results."""
        type_ = signature_of(self.closure)
        check_arguments(self.body.block, type_.inputs, "region")
        check_types(yielded(self.body)[0], type_.outputs, "result", "region yields")


@irdl_op_definition
class PartialOp(StructuredOp):
    """The function `callee` with its last parameters fixed to the operands."""

    name = "function.partial"
    fixed = var_operand_def()
    callee = prop_def(FlatSymbolRefAttrConstr)
    closure = result_def(ClosureType)
    BRACED: ClassVar = ("callee",)

    def verify_(self) -> None:
        """Operands are values; the callee is looked up by the check of the module."""
        check_values(self.fixed.types, "operand")

    @property
    def callee_name(self) -> str:
        """The symbol of the function."""
        return self.callee.root_reference.data


@irdl_op_definition
class ApplyOp(StructuredOp):
    """The results of a closure at the arguments."""

    name = "function.apply"
    closure = operand_def(ClosureType)
    arguments = var_operand_def()
    outputs = var_result_def()

    def verify_(self) -> None:
        """Arguments and results are those of the closure."""
        type_ = signature_of(self.closure)
        check_types(self.arguments.types, type_.inputs, "parameter", "the closure is given")
        check_types(self.outputs.types, type_.outputs, "result", "the op returns")


CLOSURE_OPS = (LambdaOp, PartialOp, ApplyOp)
"""Every op of this file."""
