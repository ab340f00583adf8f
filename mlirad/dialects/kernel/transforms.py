"""Fourier transforms of the `kernel` dialect, of row-major arrays.

    %y = kernel.fft forward %x {places = [0]} : tensor<4x8x2xf64> -> tensor<4x8x2xf64>
    %y = kernel.fft forward %x {dim = 0, pairs = 0, parallel = 8} : tensor<2x8x512xf64> -> tensor<2x8x512xf64>

With `parallel` threads may share it in blocks of a given number of items: rows, or groups of neighbouring
columns.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from mlirad.dialects.array.transforms import Axes, axes_of, check_transform, number_rank
from mlirad.dialects.kernel.factorisations import check_places
from mlirad.dialects.kernel.nests import check_parallel
from mlirad.dialects.kernel.schedules import MOST_LANES, check_width
from mlirad.dialects.shapes import EXTENT_LIST
from mlirad.dialects.syntax import StructuredOp


@irdl_op_definition
class FftOp(StructuredOp):
    """`array.fft` with its properties.

    Schedule: `width` items or elements run across vector lanes; `parallel`: threads share blocks of that
    many items.
    """

    name = "kernel.fft"
    kind = prop_def(StringAttr)
    operand = operand_def()
    dim = opt_prop_def(IntegerAttr[I64])
    pairs = opt_prop_def(IntegerAttr[I64])
    parallel = opt_prop_def(IntegerAttr[I64])
    width = opt_prop_def(IntegerAttr[I64])
    places = opt_prop_def(EXTENT_LIST)
    result = result_def()
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = (*Axes._fields, "parallel", "width", "places")

    @property
    def axes(self) -> Axes:
        """The dimension of the transform, and that of the pairs."""
        return axes_of(self.properties, number_rank(self.kind.data, self.operand.type))

    def verify_(self) -> None:
        """As `array.fft`; blocks of one item at least."""
        check_transform(self.kind.data, self.properties, self.operand.type, self.result.type)
        if self.parallel is not None:
            check_parallel(self.parallel)
        check_width(self.width, MOST_LANES)
        check_places(self.places, 1)
