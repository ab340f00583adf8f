"""Discrete Fourier transforms along the last dimension.

    %y = array.fft forward %z : tensor<4x8x2xf64>
    %s = array.fft real %x : tensor<4x8xf64> -> tensor<4x5x2xf64>
    %x = array.fft half %s : tensor<4x5x2xf64> -> tensor<4x8xf64>

A complex number is a pair along a trailing dimension of extent 2, real part first, as it lies in memory. All
dimensions before that of the transform are a batch. No kind is normalised, so that the transpose of each is
another one: `backward` of `forward`, `half` of `real`.
"""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import OperandOp, check_elements
from mlirad.dialects.shapes import FLOATS, Shape, array_type, element_of, shape_of

PAIR = 2
"""The extent of the dimension along which a complex number lies."""

TRANSPOSED_KINDS = {"forward": "backward", "backward": "forward", "real": "half", "half": "real"}
"""The kinds of transforms, each with that of its transpose."""


@irdl_op_definition
class FftOp(OperandOp):
    """The discrete Fourier transform y[k] = Σ_j x[j] exp(∓2πi jk / n) of each row; nothing is normalised.

    `forward` has the sign −, `backward` +. `real` is `forward` of real numbers, of which it gives the
    n // 2 + 1 results that determine the others. `half` is its transpose: the real parts of
    Σ_k s[k] exp(+2πi jk / n), over these n // 2 + 1 numbers alone.
    """

    name = "array.fft"
    kind = prop_def(StringAttr)
    KEYWORD: ClassVar = "kind"
    ONE_TYPE: ClassVar = True

    def verify_(self) -> None:
        """As `check_transform`."""
        check_transform(self.kind.data, self.operand.type, self.result.type)


def check_transform(kind: str, operand: Attribute, result: Attribute) -> None:
    """Require a known kind, rows of floats that are not empty, and a result of the same batch."""
    if kind not in TRANSPOSED_KINDS:
        raise VerifyException(f"kind '{kind}' is not one of {', '.join(TRANSPOSED_KINDS)}")
    check_elements(operand, FLOATS, "operand")
    check_elements(result, FLOATS, "result")
    signal, spectrum = (result, operand) if kind == "half" else (operand, result)
    shape = shape_of(signal)
    if kind in ("forward", "backward"):
        if len(shape) < 2 or shape[-1] != PAIR:
            raise VerifyException(f"complex numbers have a last dimension of extent 2, got {signal}")
        row, expected = shape[-2], shape
    elif shape:
        row, expected = shape[-1], spectrum_shape(shape)
    else:
        raise VerifyException(f"a transform has a dimension to go along, got {signal}")
    if not row:
        raise VerifyException("a transform is of one number at least")
    wanted = array_type(expected, element_of(signal))
    if spectrum != wanted:
        what, other = ("operand", "result") if kind == "half" else ("result", "operand")
        raise VerifyException(f"{what} has type {spectrum}, for the {other} {signal} it is {wanted}")


def spectrum_shape(signal: Shape) -> Shape:
    """The shape of half the spectrum of rows of real numbers."""
    return (*signal[:-1], signal[-1] // 2 + 1, PAIR)


def transform_operations(operand: Attribute, result: Attribute) -> int:
    """What a transform counts: for each element of its spectra, log2 of how many numbers one has."""
    spectrum = max(operand, result, key=lambda t: len(shape_of(t)))
    return prod(shape_of(spectrum)) * max((shape_of(spectrum)[-2] - 1).bit_length(), 1)


TRANSFORM_OPS = (FftOp,)
"""Every op of this file."""
