"""Results of NumPy's functions: a copy, in a known or unknown order, or the array `out`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from mlirad.frontend.numpy_functions.writes.writes import replace
from mlirad.frontend.tracing.adopted_arrays import require_adopted
from mlirad.frontend.tracing.array import Array, copied, is_ordered, is_ordered_array, view_of
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.dtypes import BOOL, Dtype
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, broadcast_shapes, broadcast_value, converted
from mlirad.frontend.tracing.raising import dtype_error, shape_error, unsupported_error


def as_copies(result: Any, is_row_major: bool) -> Any:
    """The arrays of a result as arrays of their own."""
    if isinstance(result, Array):
        own = copied(result)
        own._is_row_major = is_row_major  # pyright: ignore[reportPrivateUsage]
        own._is_array = False  # pyright: ignore[reportPrivateUsage]
        return own
    if isinstance(result, ComplexArray):
        return ComplexArray(*(as_copies(part, is_row_major) for part in (result.real, result.imag)))
    if type(result) in (tuple, list):
        parts = [as_copies(part, is_row_major) for part in cast("Iterable[Any]", result)]
        return type(result)(parts)
    return result


def in_order(result: Any, args: tuple[Any, ...], is_row_major: bool) -> Any:
    """The result, with the order noted for the arrays in it that are neither views nor arguments."""
    if type(result) in (tuple, list):
        for part in cast("Iterable[Any]", result):
            in_order(part, args, is_row_major)
    elif isinstance(result, Array) and view_of(result) is None and all(result is not a for a in args):
        result._is_row_major = is_row_major  # pyright: ignore[reportPrivateUsage]
    return result


def all_ordered(values: Iterable[Any]) -> bool:
    """Return whether NumPy computes from these what is in row-major order."""
    for value in values:
        part = value.real if type(value) is ComplexArray else value
        if isinstance(part, Array):
            if not is_ordered(part):
                return False
        elif isinstance(value, np.ndarray):
            if not is_ordered_array(cast("np.ndarray[Any, Any]", value)):
                return False
        elif isinstance(value, tuple | list) and not all_ordered(cast("Iterable[Any]", value)):
            return False
    return True


def require_traced_out(name: str, out: Any) -> None:
    """Raise if `out` is not a traced array."""
    if not isinstance(out, Array):
        require_adopted(out)
        raise unsupported_error(
            f"{name} cannot write a traced value into an existing array",
            "write a = a + x for a += x on a NumPy array, or start from a traced one: ad.asarray(a)",
        )


def reduction_dtype(own: Dtype, out: Array) -> Dtype | None:
    """The dtype in which NumPy reduces an array of a dtype into `out`; `None` for that of the array."""
    return out.dtype if out.dtype != BOOL and np.can_cast(own, out.dtype, "same_kind") else None


def written_out(
    name: str, result: Any, out: Array, *, is_exact: bool = False, casting: Any = "same_kind"
) -> Array:
    """`out`, after the result was written into it."""
    x = as_array(result)
    if not x.weak and not np.can_cast(x.dtype, out.dtype, casting):
        raise dtype_error(
            f"{name}: a result of dtype {x.dtype} cannot be written into an array of dtype {out.dtype}",
            "write out[...] = result.astype(dtype) if the loss is meant",
        )
    if (x.shape if is_exact else broadcast_shapes([x.shape, out.shape], name)) != out.shape:
        raise shape_error(
            f"{name}: a result of shape {x.shape} cannot be written into an array of shape {out.shape}",
            "out= has the shape of the result",
        )
    replace(out, broadcast_value(emitting(), converted(x, out.dtype).value, out.shape))
    return out
