"""The parts of operands, and complex arrays of parts.

parts(2.0 + 1j)      (2.0, 1.0)
parts(x)             (x, None), for a real operand: products with 0 are never made
paired(x, 0.0)       a complex array with the shape and dtype of x
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from mlirad.frontend.tracing.array import Array, copied
from mlirad.frontend.tracing.complex_array import (
    ComplexArray,
    complex_dtype,
    holds_complex,
    is_complex,
    is_complex_dtype,
)
from mlirad.frontend.tracing.dtypes import F64, language_dtype, result_type
from mlirad.frontend.tracing.operations import (
    as_array,
    broadcast_array,
    broadcast_shapes,
    converted,
    inexact,
    kind_of,
    operand_of,
)
from mlirad.frontend.tracing.raising import dtype_error

Parts: TypeAlias = tuple[Any, Any]
"""The real and the imaginary part, `None` where it is known to be 0."""


def parts(value: Any) -> Parts:
    """The parts of an operand: of an array, of a number, or of a nest of lists of them."""
    if isinstance(value, list | tuple):
        value = stacked(value)
    if is_complex(value):
        return value.real, value.imag
    return value, None


def stacked(values: Any) -> Any:
    """A nest of lists with complex entries as an array with one more dimension per level."""
    found = [parts(value) for value in values]
    if all(imag is None for _, imag in found):
        return operand_of(values)
    whole = [as_complex(value) for value in values]
    return ComplexArray(
        as_array(operand_of([z.real for z in whole])), as_array(operand_of([z.imag for z in whole]))
    )


def paired(real: Any, imag: Any) -> ComplexArray:
    """The complex array of these parts, in their common shape and dtype, which shares nothing with them."""
    kinds = [kind_of(operand_of(real)), kind_of(operand_of(imag))]
    dtype = result_type(kinds)
    is_weak = not any(isinstance(kind, np.dtype) for kind in kinds)
    made: list[Array] = []
    arrays = [as_array(real), as_array(imag)]
    shape = broadcast_shapes([a.shape for a in arrays], "the parts of a complex array")
    for array in arrays:
        part = array if is_weak and array.dtype.kind == "f" else converted(array, dtype)
        part = inexact(part) if part.dtype.kind != "f" else part
        made.append(copied(part if part.shape == shape else broadcast_array(part, shape)))
    return ComplexArray(*made)


def as_complex(value: Any) -> ComplexArray:
    """An operand as a complex array."""
    if isinstance(value, ComplexArray):
        return value
    real, imag = parts(value)
    if isinstance(real, ComplexArray):
        return real
    return paired(real, 0.0 if imag is None else imag)


def real_or_complex(value: Any, dtype: Any = None) -> Any:
    """An operand, or a nest of lists and tuples of operands, as a traced array, of the dtype if given."""
    if not holds_complex([value], {"dtype": dtype}):
        return as_array(value, None if dtype is None else language_dtype(dtype))
    found = as_complex(value)
    if dtype is None:
        return found
    if not is_complex_dtype(dtype):
        raise dtype_error(
            f"{complex_dtype(found.real.dtype)} values do not become {language_dtype(dtype)} ones",
            "write z.real for their real parts",
        )
    return cast_parts(found, part_dtype(dtype))


def cast_parts(z: ComplexArray, part: np.dtype[Any]) -> ComplexArray:
    """The array with parts of another dtype."""
    return z if z.real.dtype == part and not z.real.weak else paired(z.real.astype(part), z.imag.astype(part))


def part_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of the parts of a complex dtype."""
    return np.dtype(np.float32) if np.dtype(dtype) == np.complex64 else F64
