"""NumPy's functions that make arrays of what NumPy does not dispatch on: shapes, and nests of traced values.

    np.array([a, b])                 with traced a: an array of them, while a function is traced
    ad.numpy.zeros(3)                a traced array, which takes y[i] = x; outside of a trace NumPy's

Those of `mlirad.numpy` make traced arrays of shapes and numbers too. How NumPy's own names come to stand for
what takes nests is said in `nests`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.frontend.tracing.array import copied
from mlirad.frontend.tracing.complex_array import holds_complex
from mlirad.frontend.tracing.dtypes import language_dtype
from mlirad.frontend.tracing.frames import is_tracing
from mlirad.frontend.tracing.operations import as_array, contains_traced, converted, xp

Maker = Callable[..., Any]


def of_nest(value: Any, dtype: Any = None, ndmin: int = 0) -> Any:
    """An array of a nest of lists and tuples that holds traced values."""
    if holds_complex((value,)):
        found = _stacked(value)
        found = found if dtype is None else xp.astype(found, dtype)
    else:
        found = as_array(value, None if dtype is None else language_dtype(dtype))
    return found if found.ndim >= ndmin else xp.reshape(found, (1,) * (ndmin - found.ndim) + found.shape)


def _stacked(nest: Any) -> Any:
    parts = cast("list[Any]", nest)
    return xp.stack([_stacked(part) for part in parts]) if isinstance(nest, list | tuple) else nest


def array(object: Any, dtype: Any = None, **options: Any) -> Any:
    """`np.array`; in a trace a traced array, if it is one of floats or holds traced values.

    Of integers and booleans alone it is NumPy's, as positions and shapes have to be.
    """
    if contains_traced(object):
        return array_of(object, dtype, **options)
    made = np.array(object, dtype, **options)
    return as_array(made) if is_tracing() and made.dtype.kind == "f" and _is_known(made.dtype) else made


def array_of(*args: Any, **options: Any) -> Any:
    """`np.array` of a nest that holds traced values."""
    value, dtype = (*args, options.get("dtype"))[:2]
    found = of_nest(value, dtype, options.get("ndmin", 0))
    return xp.copy(found) if found is value and options.get("copy", True) else found


def as_array_of(*args: Any, **options: Any) -> Any:
    """`np.asarray` of a nest that holds traced values."""
    value, dtype = (*args, options.get("dtype"))[:2]
    return of_nest(value, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", **options: Any) -> Any:
    """`np.full`; in a trace a traced array."""
    if not is_tracing() or options or not _is_known(dtype):
        return np.full(shape, fill_value, dtype, order, **options)
    fill = of_nest(fill_value) if contains_traced(fill_value) else as_array(np.asarray(fill_value))
    wanted = fill if dtype is None else converted(fill, np.dtype(dtype))
    return copied(xp.copy(xp.broadcast_to(wanted, shape)))


def _of_shape(own: Maker) -> Maker:
    @functools.wraps(own)
    def make(shape: Any, dtype: Any = float, order: Any = "C", **options: Any) -> Any:
        made = own(shape, dtype, order, **options)
        return as_array(made) if is_tracing() and _is_known(made.dtype) else made

    return make


def empty(shape: Any, dtype: Any = float, order: Any = "C", **options: Any) -> Any:
    """`np.empty`; in a trace a traced array of zeros."""
    return (zeros if is_tracing() else np.empty)(shape, dtype, order, **options)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float, **options: Any) -> Any:
    """`np.eye`; in a trace a traced array."""
    made = np.eye(N, M, k, dtype, **options)
    return as_array(made) if is_tracing() and _is_known(made.dtype) else made


def identity(n: int, dtype: Any = float, **options: Any) -> Any:
    """`np.identity`; in a trace a traced array."""
    return eye(n, dtype=dtype, **options)


def asarray(a: Any, dtype: Any = None, order: Any = None, **options: Any) -> Any:
    """`np.asarray`, which takes traced values and nests of them."""
    return of_nest(a, dtype) if contains_traced(a) else np.asarray(a, dtype, order, **options)


def _is_known(dtype: Any) -> bool:
    """Whether a traced array can have this dtype, or that of its elements."""
    return dtype is None or np.dtype(dtype) in ELEMENT_TYPES


zeros, ones = _of_shape(np.zeros), _of_shape(np.ones)

CREATING: Final[dict[str, Maker]] = {
    "array": array, "asarray": asarray, "asanyarray": asarray, "ascontiguousarray": asarray, "zeros": zeros,
    "ones": ones, "empty": empty, "full": full, "eye": eye, "identity": identity,
}  # fmt: skip
"""The functions of `mlirad.numpy` that are not NumPy's."""
