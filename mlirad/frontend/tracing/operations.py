"""The steps that all traced operations are made of: operands, conversion, broadcasting, elementwise ops.

An operand is an `Array` or anything NumPy makes an array of; Python scalars have no dtype of their own and
take that of what they meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.extents import Extent, is_static
from mlirad.dialects.shapes import Shape, Value, shape_of
from mlirad.errors import IntegerOverflowError
from mlirad.float_modes import silent
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.dtypes import (
    BOOL,
    F64,
    I32,
    I64,
    PYTHON_TYPES,
    Dtype,
    Kind,
    language_dtype,
    plain_array,
    result_type,
)
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.raising import shape_error
from mlirad.frontend.tracing.run_time_checks import check_fits
from mlirad.frontend.tracing.sizes import SAME_SIZE
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.values import Higher
from mlirad.ir.arrays import ArrayBuilder

xp: Any = np
"""NumPy, as functions of traced arrays: their types do not fit NumPy's stubs."""

Scalar: TypeAlias = bool | int | float
Operand: TypeAlias = Array | npt.NDArray[Any] | Scalar


def operand_of(value: Any) -> Operand:
    """Return what an operation works with: an `Array`, a plain NumPy array, or a Python scalar."""
    if isinstance(value, Array):
        return value
    if isinstance(value, bool | int | float) and not isinstance(value, np.generic):
        return value
    if isinstance(value, Extent):
        return made(emitting().constant(cast(Any, value), ELEMENT_TYPES[I64]), weak=True)
    nest = cast("Sequence[object]", value)
    if isinstance(value, list | tuple) and (contains_traced(nest) or holds_size(nest)):
        return stacked(cast("Sequence[Any]", value))
    return plain_array(cast(object, value))


def contains_traced(value: object) -> bool:
    """Return whether a nest of lists and tuples holds a traced value."""
    if isinstance(value, list | tuple):
        return any(contains_traced(part) for part in cast("Sequence[object]", value))
    return isinstance(value, Array | Higher | ComplexArray)


def holds_size(value: object) -> bool:
    """Return whether a value is a size, or a nest of lists and tuples that holds one."""
    if isinstance(value, list | tuple):
        return any(holds_size(part) for part in cast("Sequence[object]", value))
    return isinstance(value, Extent)


def stacked(parts: Sequence[Any]) -> Array:
    """A nest of lists and tuples of equal shapes as an array with one more dimension per level."""
    arrays = common([operand_of(part) for part in parts])
    b = emitting()
    check_equal_shapes([a.shape for a in arrays], "stacked arrays")
    return made(b.stack([a.value for a in arrays], 0))


def as_array(value: Any, dtype: Dtype | None = None) -> Array:
    """An operand as an `Array`, of the given dtype if there is one; Python scalars stay weak without."""
    operand = operand_of(value)
    if isinstance(operand, Array):
        return operand if dtype is None else converted(operand, dtype)
    weak = type(operand) in (bool, int, float) and dtype is None
    target = language_dtype(np.asarray(operand).dtype) if dtype is None else dtype
    return made(constant(emitting(), operand, target), weak=weak)


def are_numbers_of_python(values: Iterable[Any]) -> bool:
    """Return whether values are numbers of Python's, known or traced."""
    return all(v.weak if isinstance(v, Array) else type(v) in (bool, int, float) for v in values)


def positions(extent: int) -> Any:
    """The positions along a dimension: a NumPy array, or a traced one where their number is not known."""
    return np.arange(extent) if is_static(extent) else made(emitting().iota((extent,), 0))


def counted(count: int) -> Any:
    """A number of elements to compute with: an integer, or the traced value of a size."""
    return count if is_static(count) else as_array(count)


_PLAIN: Final = {np.dtype(np.float64): float, np.dtype(np.int64): int, np.dtype(np.bool_): bool}
"""The dtypes of literals that are Python numbers."""


def constant(b: ArrayBuilder, value: npt.NDArray[Any] | Scalar, dtype: Dtype) -> Value:
    """A literal of the given dtype; raises for a Python int that the dtype does not hold.

    Of a size it is what that is when the program runs.
    """
    if isinstance(value, Extent):
        return b.constant(cast(Any, value), ELEMENT_TYPES[dtype])
    if (
        type(value) is int
        and dtype.kind == "i"
        and not -(1 << 8 * dtype.itemsize - 1) <= value < 1 << 8 * dtype.itemsize - 1
    ):
        raise IntegerOverflowError(
            f"the Python integer {value} is out of bounds for {dtype}",
            location=user_line(),
            hint="convert the array to a wider dtype, x.astype(np.int64)",
        )
    if type(value) is _PLAIN.get(dtype):
        return b.constant(value, ELEMENT_TYPES[dtype])
    return b.constant(silent(np.asarray(value).astype)(dtype), ELEMENT_TYPES[dtype])


def kind_of(operand: Operand) -> Kind:
    """Return how an operand promotes: by its dtype, or as the Python scalar that it is or comes from."""
    if isinstance(operand, Array):
        return PYTHON_TYPES[operand.dtype.kind] if operand.weak else operand.dtype
    return operand.dtype if isinstance(operand, np.ndarray) else type(operand)


def shape_of_operand(operand: Operand) -> Shape:
    """The shape of an operand, `()` of a Python scalar."""
    return operand.shape if isinstance(operand, Array | np.ndarray) else ()


def value_of(operand: Operand, dtype: Dtype) -> Value:
    """An operand as a value of the given dtype, in its own shape. A Python integer must fit."""
    b = current_frame().builder
    if isinstance(operand, Array):
        if operand.weak and operand.dtype == I64 and dtype == I32:
            check_fits(operand.value, dtype)
        return b.convert(operand.value, ELEMENT_TYPES[dtype])
    return constant(b, operand, dtype)


def converted(x: Array, dtype: npt.DTypeLike) -> Array:
    """`x.astype(dtype)`."""
    target = language_dtype(dtype)
    if x.dtype == target and not x.weak:
        return x
    return made(emitting().convert(x.value, ELEMENT_TYPES[target]))


def common(operands: Sequence[Operand]) -> list[Array]:
    """The operands converted to the dtype that NumPy promotes arrays of them to, each in its own shape.

    Python scalars count as arrays here, as they do for NumPy's functions that are not ufuncs.
    """
    kinds = [np.dtype(kind_of(o)) for o in operands]
    dtype = result_type(kinds) if kinds else F64
    emitting()
    return [made(value_of(o, dtype)) for o in operands]


def inexact(x: Array) -> Array:
    """`x` itself if it holds floats, else converted to float64, as NumPy's averages and norms do."""
    return x if x.dtype.kind == "f" else converted(x, F64)


# Shapes ------------------------------------------------------------------------------------------


def broadcast_shapes(shapes: Sequence[Shape], what: str) -> Shape:
    """The common shape of operands; raises `ShapeError` if they do not fit."""
    first = shapes[0]
    if all(s == first for s in shapes):
        return first
    rank = max(map(len, shapes))  # np.broadcast_shapes takes no more than 32 dimensions
    extents: list[int] = []
    for across in zip(*((*[1] * (rank - len(s)), *s) for s in shapes), strict=True):
        kinds = {e for e in across if e != 1}
        if len(kinds) > 1:
            raise shape_error(
                f"{what}: shapes {', '.join(map(str, shapes))} do not broadcast together",
                "dimensions are compared from the last one; they must be equal, or one of them 1"
                if all(map(is_static, kinds))
                else SAME_SIZE,
            )
        extents.append(kinds.pop() if kinds else 1)
    return tuple(extents)


def check_equal_shapes(shapes: Sequence[Shape], what: str) -> None:
    """Require one shape."""
    if any(s != shapes[0] for s in shapes):
        raise shape_error(
            f"{what} must have one shape, got {', '.join(map(str, shapes))}",
            "np.broadcast_to repeats an array to a shape, np.ravel makes vectors for np.concatenate",
        )


def broadcast_value(b: ArrayBuilder, x: Value, shape: Shape) -> Value:
    """`x` repeated to a shape that it broadcasts to."""
    old = shape_of(x)
    if old == shape:
        return x
    offset = len(shape) - len(old)
    kept = [d for d, e in enumerate(old) if e == shape[d + offset]]
    small = b.reshape(x, [old[d] for d in kept])
    return b.broadcast(small, shape, [d + offset for d in kept])


def broadcast_array(x: Array, shape: Shape) -> Array:
    """`np.broadcast_to(x, shape)`, for a shape known to fit."""
    return made(broadcast_value(emitting(), x.value, shape), weak=x.weak)


def select(condition: Any, on_true: Any, on_false: Any) -> Array:
    """`np.where(condition, on_true, on_false)`."""
    test = as_array(condition)
    if test.dtype != BOOL:
        test = converted(test, BOOL)
    branches = [operand_of(on_true), operand_of(on_false)]
    kinds = [kind_of(o) for o in branches]
    dtype = result_type(kinds)
    b = emitting()
    values = [value_of(o, dtype) for o in branches]
    shape = broadcast_shapes([test.shape, *map(shape_of, values)], "where")
    flag = test.value if not test.shape else broadcast_value(b, test.value, shape)
    chosen = b.select(flag, *(broadcast_value(b, v, shape) for v in values))
    return made(chosen, weak=all(not isinstance(k, np.dtype) for k in kinds))
