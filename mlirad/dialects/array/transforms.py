"""Discrete Fourier transforms along one dimension.

    %y = array.fft forward %z : tensor<4x8x2xf64>
    %s = array.fft real %x : tensor<4x8xf64> -> tensor<4x5x2xf64>
    %x = array.fft half %s : tensor<4x5x2xf64> -> tensor<4x8xf64>
    %y = array.fft forward %z {dim = 0, pairs = 0} : tensor<2x8x4xf64>

A complex number is a pair along a dimension of extent 2, real part first, which is at place `pairs` of the
array. `dim` is the dimension of the transform, counted without that one; the others are a batch. Where they
are not stated, the pairs lie along the last dimension, and the transform goes along the one before. No kind
is normalised, so that the transpose of each is another one: `backward` of `forward`, `half` of `real`.

A Fourier transform is not normalised, so the transpose of each kind is another kind, and normalising is a
product that fuses with its neighbours. Half a spectrum is transposed into real numbers that count each of its
numbers once (`half`), where NumPy's inverse counts those that stand for two twice. The whole spectrum of real
numbers is `real` and its mirror image, so it and its transpose cost half of `forward` and `backward`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import ClassVar, NamedTuple, cast

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import OperandOp, check_elements
from mlirad.dialects.shapes import FLOATS, Shape, array_type, element_of, integer, shape_of

PAIR = 2
"""The extent of the dimension along which a complex number lies."""

TRANSPOSED_KINDS = {"forward": "backward", "backward": "forward", "real": "half", "half": "real"}
"""The kinds of transforms, each with that of its transpose."""


class Axes(NamedTuple):
    """The dimension of a transform among those of an array of complex numbers, and where pairs lie in it."""

    dim: int
    pairs: int

    def complex_shape(self, spectrum: Shape) -> Shape:
        """The shape of an array of complex numbers, without the dimension of the pairs."""
        return (*spectrum[: self.pairs], *spectrum[self.pairs + 1 :])

    def spectrum_shape(self, signal: Shape) -> Shape:
        """The shape of half the spectrum of real numbers."""
        numbers = (*signal[: self.dim], signal[self.dim] // 2 + 1, *signal[self.dim + 1 :])
        return self.pair_shape(numbers)

    def pair_shape(self, numbers: Shape) -> Shape:
        """The shape of an array of pairs of complex numbers in this one."""
        return (*numbers[: self.pairs], PAIR, *numbers[self.pairs :])

    def properties(self, rank: int) -> dict[str, Attribute]:
        """Return the properties of an op on numbers of this rank: none where both axes are the last."""
        if self == Axes(rank - 1, rank):
            return {}
        return {"dim": integer(self.dim), "pairs": integer(self.pairs)}

    def behind(self, batch: int) -> Axes:
        """The axes of an array with `count` more dimensions in front."""
        return Axes(self.dim + batch, self.pairs + batch)


def axes_of(properties: Mapping[str, Attribute], rank: int) -> Axes:
    """The axes that a transform of numbers of a given number of dimensions states or, where it does not, the
    last.
    """
    stated = (cast("IntegerAttr[I64] | None", properties.get(name)) for name in Axes._fields)
    dim, pairs = (None if a is None else a.value.data for a in stated)
    return Axes(rank - 1 if dim is None else dim, rank if pairs is None else pairs)


def number_rank(kind: str, operand: Attribute) -> int:
    """Return how many dimensions of numbers the operand of a transform has."""
    return len(shape_of(operand)) - (0 if kind == "real" else 1)


@irdl_op_definition
class FftOp(OperandOp):
    """The discrete Fourier transform y[k] = Σ_j x[j] exp(∓2πi jk / n) of each row; nothing is normalised.

    `forward` has the sign −, `backward` +. `real` is `forward` of real numbers: it gives the first
    n // 2 + 1 results, which determine the others. `half` is its transpose: the real parts of
    Σ_k s[k] exp(+2πi jk / n), over these n // 2 + 1 numbers alone.
    """

    name = "array.fft"
    kind = prop_def(StringAttr)
    dim = opt_prop_def(IntegerAttr[I64])
    pairs = opt_prop_def(IntegerAttr[I64])
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = Axes._fields
    ONE_TYPE: ClassVar = True

    @property
    def axes(self) -> Axes:
        """The dimension of the transform, and that of the pairs."""
        return axes_of(self.properties, number_rank(self.kind.data, self.operand.type))

    def verify_(self) -> None:
        """As `check_transform`."""
        check_transform(self.kind.data, self.properties, self.operand.type, self.result.type)


def check_transform(
    kind: str, properties: Mapping[str, Attribute], operand: Attribute, result: Attribute
) -> None:
    """Require a known kind, rows of floats that are not empty, and a result of the same batch."""
    if kind not in TRANSPOSED_KINDS:
        raise VerifyException(f"kind '{kind}' is not one of {', '.join(TRANSPOSED_KINDS)}")
    check_elements(operand, FLOATS, "operand")
    check_elements(result, FLOATS, "result")
    signal, spectrum = (result, operand) if kind == "half" else (operand, result)
    shape = shape_of(signal)
    is_complex = kind in ("forward", "backward")
    rank = len(shape) - 1 if is_complex else len(shape)
    axes = axes_of(properties, rank)
    if is_complex:
        if rank < 1 or not 0 <= axes.pairs <= rank or shape[axes.pairs] != PAIR:
            what = "a last dimension of extent 2"
            if "pairs" in properties:
                what = f"a dimension of extent 2 at {axes.pairs}"
            raise VerifyException(f"complex numbers have {what}, got {signal}")
    elif not shape:
        raise VerifyException(f"a transform has a dimension to go along, got {signal}")
    if not (0 <= axes.dim < rank and 0 <= axes.pairs <= rank):
        raise VerifyException(
            f"numbers of {rank} dimensions have no transform along {axes.dim} with pairs at {axes.pairs}"
        )
    numbers = axes.complex_shape(shape) if is_complex else shape
    if not numbers[axes.dim]:
        raise VerifyException("a transform is of one number at least")
    expected = shape if is_complex else axes.spectrum_shape(shape)
    wanted = array_type(expected, element_of(signal))
    if spectrum != wanted:
        what, other = ("operand", "result") if kind == "half" else ("result", "operand")
        raise VerifyException(f"{what} has type {spectrum}, for the {other} {signal} it is {wanted}")


def transform_operations(kind: str, axes: Axes, operand: Attribute, result: Attribute) -> int:
    """Return what a transform counts: for each element of its spectra, log2 of how many numbers one has."""
    spectrum = shape_of(result if kind == "real" else operand)
    length = axes.complex_shape(spectrum)[axes.dim]
    return prod(spectrum) * max((length - 1).bit_length(), 1)


TRANSFORM_OPS = (FftOp,)
"""Every op of this file."""
