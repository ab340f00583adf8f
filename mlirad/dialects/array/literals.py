"""Literals: between attributes of `array.constant` and NumPy values."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute

from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.shapes import array_type, element_of, shape_of

NUMPY_DTYPES: dict[Attribute, np.dtype[Any]] = {
    f64: np.dtype(np.float64),
    f32: np.dtype(np.float32),
    i64: np.dtype(np.int64),
    i32: np.dtype(np.int32),
    i1: np.dtype(np.bool_),
}
"""The NumPy dtype of each element type."""

ELEMENT_TYPES: dict[np.dtype[Any], Attribute] = {d: e for e, d in NUMPY_DTYPES.items()}
"""The element type of each NumPy dtype of the language."""


def numpy_dtype(type_: Attribute) -> np.dtype[Any]:
    """The NumPy dtype of the elements of a scalar or array type; of frames that of their numbers."""
    element = element_of(type_)
    known = NUMPY_DTYPES.get(element)
    if known is None:
        return NUMPY_DTYPES[i64 if isinstance(element, FrameType) else element]
    return known


@lru_cache(maxsize=4096)
def _float_attribute(bits: bytes, element: Attribute) -> FloatAttr[Any]:
    return FloatAttr(np.frombuffer(bits, np.float64)[0].item(), cast(Any, element))


@lru_cache(maxsize=4096)
def _integer_attribute(value: int, element: Attribute) -> IntegerAttr[Any]:
    return IntegerAttr(value, cast(Any, element))


def literal(value: npt.ArrayLike, element: Attribute) -> Attribute:
    """The attribute of a literal with the given element type: rounded or wrapped to it as NumPy converts."""
    if type(value) is int or type(value) is bool or (type(value) is float and value == value != 0.0):
        return _number_attribute(value, element)
    return _attribute(value, element)


@lru_cache(maxsize=4096, typed=True)
def _number_attribute(value: float, element: Attribute) -> Attribute:
    """The attribute of a Python number, except NaN and zeros with signs, which do not differ as keys."""
    return _attribute(value, element)


def _attribute(value: npt.ArrayLike, element: Attribute) -> Attribute:
    numbers = np.asarray(value).astype(NUMPY_DTYPES[element])
    if numbers.ndim == 0:
        if element in (f64, f32):
            return _float_attribute(np.float64(numbers).tobytes(), element)
        return _integer_attribute(int(numbers), element)
    contiguous = np.ascontiguousarray(numbers)
    return DenseIntOrFPElementsAttr(
        cast(Any, array_type(numbers.shape, element)), BytesAttr(contiguous.tobytes())
    )


def literal_number(op: ConstantOp) -> int | float | bool:
    """The value of a scalar constant as a Python number of its type."""
    value, type_ = op.value, op.result.type
    if isinstance(value, FloatAttr | IntegerAttr) and (type_ is f64 or type_ is i64):
        return value.value.data
    return literal_array(op).item()


def literal_array(op: ConstantOp) -> npt.NDArray[Any]:
    """The value of a constant as a read-only NumPy array of its type."""
    value, type_ = op.value, op.result.type
    dtype = numpy_dtype(type_)
    if isinstance(value, DenseIntOrFPElementsAttr):
        return np.frombuffer(value.data.data, dtype).reshape(shape_of(type_))
    assert isinstance(value, FloatAttr | IntegerAttr)
    return np.array(value.value.data, dtype)
