"""NumPy's functions that make arrays of what NumPy does not dispatch on: shapes, and nests of traced values.

    np.array([a, b])                 with traced a: an array of them, while a function is traced
    ad.numpy.zeros(3)                a traced array, which takes y[i] = x; outside of a trace NumPy's

Functions that ask (`protocols.asked_calls`) call these of traced values. Those of `mlirad.numpy` make traced
arrays of shapes and numbers too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

import numpy as np

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.indexing.views import is_read_only, laid_out
from mlirad.frontend.numpy_functions.arrays.counted_arrays import of_counts
from mlirad.frontend.numpy_functions.arrays.sized_arrays import arange, filled, identity_of
from mlirad.frontend.numpy_functions.calls.parameters import own_dtype
from mlirad.frontend.tracing.array import Array, as_own_array, view_of
from mlirad.frontend.tracing.complex_array import ComplexArray, is_complex_dtype
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import contains_traced, holds_size, xp
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.shapes import static_shape

Maker = Callable[..., Any]


def _signed_as(own: Maker) -> Callable[[Maker], Maker]:
    """Shows the signature of NumPy's function, which a function takes."""
    return functools.partial(functools.update_wrapper, wrapped=own, assigned=(), updated=())


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: int = 0,
    like: Any = None,
) -> Any:
    """`np.array`; in a trace a traced array, if it is one of floats or holds traced values.

    Of integers and booleans alone it is NumPy's, as positions and shapes have to be.
    """
    if not is_symbolic(object):
        made = np.array(object, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, like=like)
        is_traced = is_tracing() and made.dtype.kind in "fc" and _is_known(made.dtype)
        return real_or_complex(made) if is_traced else made
    found = _array_of("array", object, dtype, order, copy)
    return found if found.ndim >= ndmin else xp.reshape(found, (1,) * (ndmin - found.ndim) + found.shape)


@_signed_as(np.full)
def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", **options: Any) -> Any:
    """`np.full`; in a trace a traced array."""
    if not is_tracing() or options or not _is_known(dtype):
        return np.full(shape, fill_value, dtype, order, **options)
    counted = of_counts("full", (shape, fill_value, dtype, order), {})
    if counted is not None:
        return counted
    fill = real_or_complex(fill_value if is_symbolic(fill_value) else np.asarray(fill_value))
    wanted = fill if dtype is None else fill.astype(dtype)
    return xp.copy(xp.broadcast_to(wanted, shape))


def _of_shape(own: Maker) -> Maker:
    @functools.wraps(own)
    def make(shape: Any, dtype: Any = float, order: Any = "C", **options: Any) -> Any:
        if holds_size(shape):
            return filled(static_shape(shape), own((), dtype, order, **options))
        counted = of_counts(own.__name__, (shape, dtype, order), options) if is_tracing() else None
        if counted is not None:
            return counted
        made = own(shape, dtype, order, **options)
        return real_or_complex(made) if is_tracing() and _is_known(made.dtype) else made

    return make


@_signed_as(np.empty)
def empty(shape: Any, dtype: Any = float, order: Any = "C", **options: Any) -> Any:
    """`np.empty`; in a trace a traced array of zeros."""
    return (zeros if is_tracing() else np.empty)(shape, dtype, order, **options)


@_signed_as(np.eye)
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float, **options: Any) -> Any:
    """`np.eye`; in a trace a traced array."""
    columns = N if M is None else M
    if holds_size([N, columns]):
        return identity_of(N, columns, k, dtype)
    made = np.eye(N, M, k, dtype, **options)
    return real_or_complex(made) if is_tracing() and _is_known(made.dtype) else made


@_signed_as(np.identity)
def identity(n: int, dtype: Any = float, **options: Any) -> Any:
    """`np.identity`; in a trace a traced array."""
    return eye(n, dtype=dtype, **options)


def asarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None
) -> Any:
    """`np.asarray`, which takes traced values and nests of them.

    Raises ArgumentError for traced values on another device than `"cpu"`, or of another dtype without a copy.
    """
    if not is_symbolic(a):
        return np.asarray(a, dtype, order, device=device, copy=copy, like=like)
    if device not in ("cpu", None):
        raise argument_error(f"np.asarray: there is no device {device!r}", "leave it out, or write 'cpu'")
    return _array_of("asarray", a, dtype, order, copy)


def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """`np.ascontiguousarray`: of a scalar a vector of one element."""
    if not is_symbolic(a):
        return np.ascontiguousarray(a, dtype, like=like)
    return array(a, dtype, copy=None, order="C", ndmin=1)


def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """`np.asfortranarray`."""
    return asarray(a, dtype, "F", like=like) if is_symbolic(a) else np.asfortranarray(a, dtype, like=like)


def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """`np.asarray_chkfinite`, which looks at no traced values."""
    return asarray(a, dtype, order) if is_symbolic(a) else np.asarray_chkfinite(a, dtype, order)


def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    """`np.require`: a copy where an order, memory of its own or the right to write needs one."""
    if not is_symbolic(a):
        return np.require(a, dtype, requirements, like=like)
    names = [requirements] if isinstance(requirements, str) else list(requirements or ())
    letters = {_LETTERS.get(str(name).upper(), "") for name in names}
    if "" in letters or {"C", "F"} <= letters:
        raise argument_error(
            f"np.require: there is no requirement {requirements!r}",
            'write letters, such as "C" or ["F", "W"]; of "C" and "F" only one',
        )
    order = next((letter for letter in "CF" if letter in letters), None)
    found = asarray(a, dtype, order)
    parts = (found.real, found.imag) if isinstance(found, ComplexArray) else (found,)
    is_copied = any(
        (view_of(part) is not None and "O" in letters) or (is_read_only(part) and "W" in letters)
        for part in parts
    )
    return xp.copy(found, order or "K") if is_copied else found


_LETTERS: Final = {
    **{letter: letter for letter in "CFAOWE"},
    **{f"{letter}_CONTIGUOUS": letter for letter in "CF"},
    "CONTIGUOUS": "C", "FORTRAN": "F", "ALIGNED": "A", "OWNDATA": "O", "WRITEABLE": "W", "ENSUREARRAY": "E",
}  # fmt: skip
"""The requirements of `np.require`, by their names."""

_COPY_MODES: Final[dict[str, bool | None]] = {"ALWAYS": True, "NEVER": False, "IF_NEEDED": None}
"""When to copy, by the names that `np._CopyMode` has for it."""


def _array_of(name: str, given: Any, dtype: Any, order: Any, copy: Any) -> Any:
    """Traced values as an array in an order: the array that is given, unless a copy is needed or wanted."""
    wanted = _COPY_MODES[copy.name] if isinstance(copy, Enum) else copy
    if isinstance(given, MaskedElements):
        elements = _array_of(name, given.elements, dtype, order, copy)
        return given if elements is given.elements else MaskedElements(elements, given.mask, given.dim)
    found = real_or_complex(given, dtype)
    if isinstance(found, Array):
        found = as_own_array(own_dtype(found))
    if wanted:
        return xp.copy(found, order or "K")
    if order in ("C", "F"):
        found = _laid_out(found, order)
    if wanted is not None and found is not given:
        raise argument_error(f"np.{name}: this cannot be done without a copy", "write copy=None")
    return found


def _laid_out(found: Any, order: str) -> Any:
    if not isinstance(found, ComplexArray):
        return laid_out(found, order)
    real, imag = laid_out(found.real, order), laid_out(found.imag, order)
    return found if real is found.real and imag is found.imag else ComplexArray(real, imag)


def _is_known(dtype: Any) -> bool:
    """Return whether a traced array can have this dtype, or that of its elements."""
    return dtype is None or is_complex_dtype(dtype) or np.dtype(dtype) in ELEMENT_TYPES


zeros, ones = _of_shape(np.zeros), _of_shape(np.ones)

CREATING: Final[dict[str, Maker]] = {
    "array": array, "asarray": asarray, "asanyarray": asarray, "ascontiguousarray": ascontiguousarray,
    "asfortranarray": asfortranarray, "asarray_chkfinite": asarray_chkfinite, "require": require,
    "zeros": zeros, "ones": ones, "empty": empty, "full": full, "eye": eye, "identity": identity,
    "arange": _signed_as(np.arange)(arange),
}  # fmt: skip
"""The functions of `mlirad.numpy` that are not NumPy's."""


def is_symbolic(value: object) -> bool:
    """Return whether a nest of lists and tuples holds what has no number while a function is traced."""
    return contains_traced(value) or holds_size(value) or isinstance(value, MaskedElements)
