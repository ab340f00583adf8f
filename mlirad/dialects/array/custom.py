"""Code whose derivative is not taken as that of other code: by a rule of its own, or without keeping values.

    %y = array.custom %x (%a : f64) : f64 -> f64 {
      %e = array.exp %a : f64
      array.yield %e : f64
    } derivative (%a : f64, %da : f64) {
      %e = array.exp %a : f64
      %d = array.mul %e, %da : f64
      array.yield %d : f64
    }

    %z = array.checkpoint : -> f64 {
      %e = array.exp %x : f64
      array.yield %e : f64
    }

The second region of `custom` is the derivative in forward form, linear in the tangents; it is transposed like
any code. A region of `checkpoint` captures what it reads.
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
    result and must be linear in the tangents. By floats that the first region captures, the first region is
    differentiated as it is written.
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


@irdl_op_definition
class CheckpointOp(StructuredOp):
    """The values of the region. Its derivative keeps nothing of it: the region runs again there."""

    name = "array.checkpoint"
    body = region_def("single_block")
    outputs = var_result_def()
    traits = traits_def(Pure())
    BARE_REGIONS: ClassVar = True

    def verify_(self) -> None:
        """The region yields the results."""
        check_arguments(self.body.block, (), "region")
        made, _ = yielded(self.body)
        check_arrays(made, "yielded value")
        check_results(self.result_types, made)


def _floats(types: Sequence[Attribute]) -> list[Attribute]:
    return [t for t in types if is_float(t)]


CUSTOM_OPS = (CustomOp, CheckpointOp)
"""Every op of this file."""
