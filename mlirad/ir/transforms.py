"""Constructors of Fourier transforms."""

from __future__ import annotations

from xdsl.ir import Attribute

from mlirad.dialects.array.transforms import Axes, FftOp, number_rank
from mlirad.dialects.shapes import Value, keyword
from mlirad.ir.factorisations import FactorisationBuilder


class TransformBuilder(FactorisationBuilder):
    """The constructor of `fft`."""

    def fft(self, kind: str, x: Value, result: Attribute, axes: Axes | None = None) -> Value:
        """The transform of this kind; `result` is its type, which x does not tell for `half`.

        Without axes the pairs lie along the last dimension, and the transform goes along the one before.
        """
        stated = {} if axes is None else axes.properties(number_rank(kind, x.type))
        return self.emit(FftOp, (x,), result, {"kind": keyword(kind), **stated})
