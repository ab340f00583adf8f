"""Constructors of Fourier transforms."""

from __future__ import annotations

from xdsl.ir import Attribute

from mlirad.dialects.array.transforms import FftOp
from mlirad.dialects.shapes import Value, keyword
from mlirad.ir.factorisations import FactorisationBuilder


class TransformBuilder(FactorisationBuilder):
    """The constructor of `fft`."""

    def fft(self, kind: str, x: Value, result: Attribute) -> Value:
        """The transform of this kind; `result` is its type, which x does not tell for `half`."""
        return self.emit(FftOp, (x,), result, {"kind": keyword(kind)})
