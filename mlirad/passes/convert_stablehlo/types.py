"""Types and literals of StableHLO as those of the language.

tensor<f64>       -->  f64                 rank 0 is a scalar
tensor<2xui32>    -->  tensor<2xi32>       the same bits
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    DenseIntOrFPElementsAttr,
    Float16Type,
    IntegerType,
    Signedness,
    TensorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute

from mlirad.dialects.shapes import ELEMENTS, FLOATS, MAX_RANK, Shape, Value, array_type, element_of, shape_of

_INTEGERS = {1: i1, 32: i32, 64: i64}


class UnsupportedType(Exception):
    """A type that the language has no word for; the message is a clause."""


def is_unsigned(what: Value | Attribute) -> bool:
    """Return whether a StableHLO type has unsigned elements."""
    integer = _integer(element_of(what))
    return integer is not None and integer.signedness.data == Signedness.UNSIGNED


def _integer(element: Attribute) -> IntegerType[int, Signedness] | None:
    """The element as a type of integers, if it is one."""
    return cast("IntegerType[int, Signedness]", element) if isinstance(element, IntegerType) else None


def language_element(element: Attribute) -> Attribute:
    """The element type of the language: unsigned integers become signed ones of the same bits."""
    if element in FLOATS:
        return element
    integer = _integer(element)
    if integer is not None:
        known = _INTEGERS.get(integer.width.data)
        if known is not None:
            return known
        raise UnsupportedType(f"integers of {integer.width.data} bits: compute with 32 or 64")
    if isinstance(element, Float16Type | BFloat16Type):
        raise UnsupportedType(f"floats of type {element}: compute in f32 or f64")
    if isinstance(element, ComplexType):
        raise UnsupportedType("complex numbers: compute with real and imaginary parts")
    raise UnsupportedType(f"elements of type {element}")


def language_type(type_: Attribute) -> Attribute:
    """The array type, or scalar, that stands for a tensor type of StableHLO."""
    if type_ in ELEMENTS:
        return type_
    if not isinstance(type_, TensorType):
        raise UnsupportedType(f"values of type {type_}")
    tensor = cast("TensorType[Any]", type_)
    shape = tuple(extent.data for extent in tensor.shape.data)
    if any(extent < 0 for extent in shape):
        raise UnsupportedType(f"dynamic shapes ({tensor}): lower the program for arguments of known shapes")
    if len(shape) > MAX_RANK:
        raise UnsupportedType(f"arrays of more than {MAX_RANK} dimensions")
    return array_type(shape, language_element(cast(Attribute, tensor.element_type)))


def literal_of(value: DenseIntOrFPElementsAttr) -> tuple[npt.NDArray[Any], Attribute]:
    """The numbers of a dense literal, wrapped to the language's element type, and that type."""
    type_ = value.get_type()
    element = language_element(element_of(type_))
    shape: Shape = shape_of(type_)
    numbers = np.array(list(cast(Any, value).get_values()))
    if element in (i32, i64):
        bits = 32 if element == i32 else 64
        numbers = numbers.astype(object) & ((1 << bits) - 1)
        numbers = numbers.astype(np.uint64).astype(np.dtype(f"u{bits // 8}")).view(np.dtype(f"i{bits // 8}"))
    return np.broadcast_to(numbers.reshape(-1), (max(int(np.prod(shape)), 0),)).reshape(shape), element
