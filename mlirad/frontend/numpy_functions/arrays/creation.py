"""NumPy's functions that make arrays of what NumPy does not dispatch on: shapes, and nests of traced values.

    np.array([a, b])                 with traced a: an array of them, while a function is traced
    ad.numpy.zeros(3)                a traced array, which takes y[i] = x; outside of a trace NumPy's

NumPy's own names stand for what takes nests of traced values while a function is traced, as SciPy's do
(`tracing.library_names`). Those of `mlirad.numpy` make traced arrays of shapes and numbers too.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.frontend.numpy_functions.arrays.sized_arrays import arange, filled, identity_of
from mlirad.frontend.tracing.complex_array import is_complex_dtype
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.library_names import Handing
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import contains_traced, holds_size, xp
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.shapes import static_shape
from mlirad.frontend.tracing.source import is_user_file

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
    found = _copied_as_asked("array", object, real_or_complex(object, dtype), copy)
    return found if found.ndim >= ndmin else xp.reshape(found, (1,) * (ndmin - found.ndim) + found.shape)


@_signed_as(np.full)
def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", **options: Any) -> Any:
    """`np.full`; in a trace a traced array."""
    if not is_tracing() or options or not _is_known(dtype):
        return np.full(shape, fill_value, dtype, order, **options)
    fill = real_or_complex(fill_value if is_symbolic(fill_value) else np.asarray(fill_value))
    wanted = fill if dtype is None else fill.astype(dtype)
    return xp.copy(xp.broadcast_to(wanted, shape))


def _of_shape(own: Maker) -> Maker:
    @functools.wraps(own)
    def make(shape: Any, dtype: Any = float, order: Any = "C", **options: Any) -> Any:
        if holds_size(shape):
            return filled(static_shape(shape), own((), dtype, order, **options))
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
    return _copied_as_asked("asarray", a, real_or_complex(a, dtype), copy)


def _copied_as_asked(name: str, given: Any, found: Any, copy: Any) -> Any:
    """The array that was found for what is given: that itself, unless a copy is needed or asked for."""
    if copy is False and found is not given:
        raise argument_error(f"np.{name}: this cannot be done without a copy", "write copy=None")
    return xp.copy(found) if copy and found is given else found


def _is_known(dtype: Any) -> bool:
    """Whether a traced array can have this dtype, or that of its elements."""
    return dtype is None or is_complex_dtype(dtype) or np.dtype(dtype) in ELEMENT_TYPES


zeros, ones = _of_shape(np.zeros), _of_shape(np.ones)

CREATING: Final[dict[str, Maker]] = {
    "array": array, "asarray": asarray, "asanyarray": asarray, "ascontiguousarray": asarray, "zeros": zeros,
    "ones": ones, "empty": empty, "full": full, "eye": eye, "identity": identity,
    "arange": _signed_as(np.arange)(arange),
}  # fmt: skip
"""The functions of `mlirad.numpy` that are not NumPy's."""


def is_symbolic(value: object) -> bool:
    """Whether a nest of lists and tuples holds what has no number while a function is traced."""
    return contains_traced(value) or holds_size(value)


def of_traced(make: Maker) -> Handing:
    """What a name of NumPy stands for in a trace: `make`, for users' calls with traced values."""

    def hand(own: Maker, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        is_users = is_user_file(sys._getframe(2).f_code.co_filename)  # pyright: ignore[reportPrivateUsage]
        if is_users and is_tracing() and is_symbolic([*args, *options.values()]):
            return make(*args, **options)
        return own(*args, **options)

    return hand


OF_NESTS: Final[dict[str, Handing]] = {
    name: of_traced(CREATING[name])
    for name in ("array", "asarray", "asanyarray", "ascontiguousarray", "full")
}
"""What names of `numpy` stand for while a function is traced."""
