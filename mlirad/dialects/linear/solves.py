"""The map from right sides of triangular systems to their solutions.

%m = linear.triangular_solve %t {upper} : tensor<3x3xf64> -> !linear.map<tensor<3x2xf64>, tensor<3x2xf64>>
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def

from mlirad.dialects.array.factorisations import TRIANGLE_FLAGS, check_system
from mlirad.dialects.linear.maps import PrimitiveMapOp


@irdl_op_definition
class TriangularSolveOp(PrimitiveMapOp):
    """dx goes to the solution of T y = dx, as `array.triangular_solve`.

    The transpose solves with T^T, of complex matrices with T^H.
    """

    name = "linear.triangular_solve"
    matrix = operand_def()
    upper = opt_prop_def(UnitAttr)
    transposed = opt_prop_def(UnitAttr)
    unit = opt_prop_def(UnitAttr)
    complex = opt_prop_def(UnitAttr)
    BRACED: ClassVar = TRIANGLE_FLAGS

    def verify_(self) -> None:
        """As `array.triangular_solve` of the domain."""
        check_system(self.matrix.type, self.domain, is_complex=self.complex is not None)
        self.require(self.domain, self.domain)
