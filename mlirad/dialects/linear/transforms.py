"""The map that a Fourier transform is.

%m = linear.fft forward : -> !linear.map<tensor<8x2xf64>, tensor<8x2xf64>>
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, prop_def

from mlirad.dialects.array.transforms import check_transform
from mlirad.dialects.linear.maps import PrimitiveMapOp


@irdl_op_definition
class FftOp(PrimitiveMapOp):
    """As `array.fft`. The transpose of `forward` is `backward`, that of `real` is `half`."""

    name = "linear.fft"
    kind = prop_def(StringAttr)
    KEYWORD: ClassVar = "kind"

    def verify_(self) -> None:
        """As `array.fft` of the domain."""
        check_transform(self.kind.data, self.domain, self.codomain)
