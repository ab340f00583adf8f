"""Code with a derivative of its own.

    %y = array.custom %x (%a : f64) : f64 -> f64 {
      %e = array.exp %a : f64
      array.yield %e : f64
    } derivative (%a : f64, %da : f64) {
      %e = array.exp %a : f64
      %d = array.mul %e, %da : f64
      array.yield %d : f64
    }

The second region is the derivative in forward form, linear in the tangents; it is transposed like any code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, region_def, traits_def, var_operand_def, var_result_def
from xdsl.traits import Pure

from mlirad.dialects.array.control import check_arguments, check_arrays, check_results
from mlirad.dialects.array.indexing import yielded
from mlirad.dialects.shapes import is_float
from mlirad.dialects.syntax import StructuredOp


@irdl_op_definition
class CustomOp(StructuredOp):
    """The values of the first region at the operands, with the derivative that the second region computes.

    The second region takes the operands and one tangent per float operand. It yields one tangent per float
    result and must be linear in the tangents. Floats that a region captures are constants of the derivative.
    """

    name = "array.custom"
    inputs = var_operand_def()
    body = region_def("single_block")
    derivative = region_def("single_block")
    outputs = var_result_def()
    traits = traits_def(Pure())
    REGION_WORDS: ClassVar = ("derivative",)

    def verify_(self) -> None:
        """Operands and results as the regions take and yield them."""
        types = [o.type for o in self.operands]
        check_arrays(types, "operand")
        check_arguments(self.body.block, types, "region")
        made, _ = yielded(self.body)
        check_arrays(made, "yielded value")
        check_results(self.result_types, made)
        check_arguments(self.derivative.block, [*types, *_floats(types)], "derivative")
        tangents, _ = yielded(self.derivative)
        check_results(tangents, _floats(made))


def _floats(types: Sequence[Attribute]) -> list[Attribute]:
    return [t for t in types if is_float(t)]


CUSTOM_OPS = (CustomOp,)
"""Every op of this file."""
