"""A map that a function makes, as a value that crosses the call.

    func.func private @f_map(%r: tensor<3xf64>) -> !linear.map<tensor<3xf64>, f64> {...}

    %y, %r = func.call @f(%x) : (tensor<3xf64>) -> (f64, tensor<3xf64>)
    %m = linear.call %r {callee = @f_map} : tensor<3xf64> -> !linear.map<tensor<3xf64>, f64>

At run time the map is its operands, the residuals, and two functions made of the callee: one that applies
the map and one that applies its transpose.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import FlatSymbolRefAttrConstr
from xdsl.irdl import irdl_op_definition, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.linear.maps import MapOp, MapType


@irdl_op_definition
class CallOp(MapOp):
    """The map that the function `callee` returns for the operands.

    Applied, it is a call of a function of the operands and of the vector; so is its transpose. The code of
    the map exists once, however many calls there are.
    """

    name = "linear.call"
    arguments = var_operand_def()
    callee = prop_def(FlatSymbolRefAttrConstr)
    BRACED: ClassVar = ("callee",)

    @property
    def callee_name(self) -> str:
        """The symbol of the function that makes the map."""
        return self.callee.root_reference.data

    def verify_(self) -> None:
        """Operands are values; the callee is looked up by the check of the module."""
        for k, argument in enumerate(self.arguments):
            if isinstance(argument.type, MapType):
                raise VerifyException(f"operand {k} is a linear map: the callee makes maps of values")
