"""Fourier transforms of the `kernel` dialect, of row-major arrays.

%y = kernel.fft forward %x {places = [0]} : tensor<4x8x2xf64> -> tensor<4x8x2xf64>
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from mlirad.dialects.array.transforms import check_transform
from mlirad.dialects.kernel.factorisations import check_places
from mlirad.dialects.shapes import EXTENT_LIST
from mlirad.dialects.syntax import StructuredOp


@irdl_op_definition
class FftOp(StructuredOp):
    """`array.fft` with its properties."""

    name = "kernel.fft"
    kind = prop_def(StringAttr)
    operand = operand_def()
    places = opt_prop_def(EXTENT_LIST)
    result = result_def()
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("places",)

    def verify_(self) -> None:
        """As `array.fft`."""
        check_transform(self.kind.data, self.operand.type, self.result.type)
        check_places(self.places, 1)
