"""The map that a Fourier transform is.

%m = linear.fft forward : -> !linear.map<tensor<8x2xf64>, tensor<8x2xf64>>
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def

from mlirad.dialects.array.transforms import Axes, axes_of, check_transform, number_rank
from mlirad.dialects.linear.maps import PrimitiveMapOp


@irdl_op_definition
class FftOp(PrimitiveMapOp):
    """As `array.fft`. The transpose of `forward` is `backward`, that of `real` is `half`."""

    name = "linear.fft"
    kind = prop_def(StringAttr)
    dim = opt_prop_def(IntegerAttr[I64])
    pairs = opt_prop_def(IntegerAttr[I64])
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = Axes._fields

    @property
    def axes(self) -> Axes:
        """The dimension of the transform, and that of the pairs."""
        return axes_of(self.properties, number_rank(self.kind.data, self.domain))

    def verify_(self) -> None:
        """As `array.fft` of the domain."""
        check_transform(self.kind.data, self.properties, self.domain, self.codomain)
