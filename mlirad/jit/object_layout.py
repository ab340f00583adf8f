"""Offsets of the fields of CPython's and NumPy's objects, checked on live objects before use.

    ndarray:  +0 reference count  +8 type  +16 data  +24 rank  +32 shape  +40 strides  +48 base
    +56 dtype  +64 flags
    float, numpy.float64, numpy.int32, ...:  +0 reference count  +8 type  +16 value
    cell:  +16 content
    list:  +16 size  +24 items
    function:  +48 code  +56 defaults  +64 defaults by name
    class:  +384 version

This is the layout of NumPy since 1.0 and of CPython on 64-bit machines with a global lock; it is
part of the C interface of both. `is_layout_known` compares it with real objects, and callers manage
without it where that fails (another interpreter, a free-threaded or a debug build).
"""

from __future__ import annotations

import ctypes
import importlib
import sys
import sysconfig
from functools import cache
from types import FrameType, FunctionType
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.jit.once import once

TYPE: Final = 8
VALUE: Final = 16
DATA: Final = 16
RANK: Final = 24
SHAPE: Final = 32
BASE: Final = 48
DTYPE: Final = 56
FLAGS: Final = 64
CELL_CONTENT: Final = 16
LIST_SIZE: Final = 16
LIST_ITEMS: Final = 24
FUNCTION_FIELDS: Final = {"__code__": 48, "__defaults__": 56, "__kwdefaults__": 64}
CLASS_VERSION: Final = 384

FRAME: Final = 24
"""The offset of the interpreter's record in a frame."""

DISPATCHED: Final = 40
"""The offset of the default function in a function of NumPy's that asks its arguments."""

READABLE_FLAGS: Final = 0x0001 | 0x0100
"""Flags of an array that is row-major contiguous and aligned."""

WRITTEN_FLAGS: Final = READABLE_FLAGS | 0x0400
"""Flags of an array that is also writeable."""

FRESH_FLAGS: Final = READABLE_FLAGS | 0x0010 | 0x0020
"""The flags that ask NumPy to convert an array: a readable copy, of whatever element type."""

HANDLER_FUNCTIONS: Final = 128
"""The offset of the functions in NumPy's structure of memory functions: context, malloc, calloc, realloc,
free.
"""

_POSITIONS: Final = {
    "PyArray_Type": 2,
    "PyArrayDescr_Type": 3,
    "PyArray_Scalar": 60,
    "PyArray_FromScalar": 61,
    "PyArray_New": 93,
    "PyArray_FromArray": 109,
    "PyDataMem_SetHandler": 304,
    "PyDataMem_DefaultHandler": 306,
}


def asked_arguments(function: Any) -> FunctionType | None:
    """The function of Python that says which arguments of one of NumPy's are asked whether they override it.

    It stands before what NumPy's object calls by default, which is known. `None` for other objects.
    """
    own = getattr(function, "__wrapped__", None)
    if type(function) is not type(np.sum) or _word(id(function) + DISPATCHED) != id(own):
        return None
    found: Any = ctypes.cast(_word(id(function) + DISPATCHED - 8), ctypes.py_object).value
    return found if isinstance(found, FunctionType) else None


def running_function(frame: FrameType) -> FunctionType | None:
    """The function that a frame runs, where it is known how to find it."""
    at = _function_in_frame()
    if at is None:
        return None
    found: Any = ctypes.cast(_word(_word(id(frame) + FRAME) + at), ctypes.py_object).value
    return found if isinstance(found, FunctionType) else None


@once
def _function_in_frame() -> int | None:
    """Return where the interpreter's record of a frame has the function: first in Python 3.11, then third."""

    def sample() -> int | None:
        record = _word(id(sys._getframe()) + FRAME)  # pyright: ignore[reportPrivateUsage]
        return next((at for at in (0, 16) if _word(record + at) == id(sample)), None)

    return sample()


@cache
def numpy_function(name: str) -> int:
    """The address of a function of NumPy's C interface."""
    return _numpy_table()[_POSITIONS[name]]


def python_function(name: str) -> int:
    """The address of a function of CPython's C interface."""
    address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    if address is None:
        raise AttributeError(f"this interpreter has no {name}")
    return address


def capsule_pointer(capsule: object, name: bytes | None) -> int:
    """The pointer in a capsule, CPython's box for one, whose name is `name`."""
    prototype = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    return cast(int, prototype(python_function("PyCapsule_GetPointer"))(capsule, name))


@once
def is_layout_known() -> bool:
    """Return whether this interpreter and this NumPy lay out objects as above."""
    if (
        sys.implementation.name != "cpython"
        or ctypes.sizeof(ctypes.c_void_p) != 8
        or object.__basicsize__ != VALUE
        or sysconfig.get_config_var("Py_GIL_DISABLED")
    ):
        return False
    try:
        table = _numpy_table()
        return (
            table[_POSITIONS["PyArray_Type"]] == id(np.ndarray)
            and table[_POSITIONS["PyArrayDescr_Type"]] == id(np.dtype)
            and all(_is_array_as_expected(array) for array in _sample_arrays())
            and all(_is_scalar_as_expected(scalar) for scalar in _sample_scalars())
            and _are_containers_as_expected()
        )
    except (AttributeError, ImportError, TypeError, ValueError):
        return False


@cache
def _numpy_table() -> tuple[int, ...]:
    """NumPy's table of C functions and types, as far as it is needed."""
    module = importlib.import_module("numpy._core._multiarray_umath")
    address = capsule_pointer(module._ARRAY_API, None)
    return tuple((ctypes.c_size_t * (max(_POSITIONS.values()) + 1)).from_address(address))


def _sample_arrays() -> list[npt.NDArray[Any]]:
    base = np.arange(24.0).reshape(2, 3, 4)
    fixed = base.copy()
    fixed.flags.writeable = False
    return [base, base[:, ::2], base.T, np.zeros((), np.int32), np.zeros((0, 5), bool), fixed]


def _sample_scalars() -> list[float | np.generic]:
    return [2.5, np.float64(2.5), np.float32(2.5), np.int64(-7), np.int32(-7), np.bool_(True)]


def _is_array_as_expected(array: npt.NDArray[Any]) -> bool:
    address = id(array)
    shape = (ctypes.c_ssize_t * array.ndim).from_address(_word(address + SHAPE))
    flags = ctypes.c_int.from_address(address + FLAGS).value
    readable = array.flags.c_contiguous and array.flags.aligned
    return (
        type(array) is np.ndarray
        and _word(address + TYPE) == id(np.ndarray)
        and _word(address + DATA) == array.ctypes.data
        and ctypes.c_int.from_address(address + RANK).value == array.ndim
        and tuple(shape) == array.shape
        and _word(address + BASE) == (0 if array.base is None else id(array.base))
        and _word(address + DTYPE) == id(array.dtype)
        and (flags & READABLE_FLAGS == READABLE_FLAGS) == readable
        and (flags & WRITTEN_FLAGS == WRITTEN_FLAGS) == (readable and array.flags.writeable)
    )


def _is_scalar_as_expected(scalar: float | np.generic) -> bool:
    value = np.asarray(scalar)
    return (
        _word(id(scalar) + TYPE) == id(type(scalar))
        and ctypes.string_at(id(scalar) + VALUE, value.itemsize) == value.tobytes()
    )


def _are_containers_as_expected() -> bool:
    """Return whether cells, lists and functions are laid out as above."""
    content = object()

    def sample(x: object = content, *, y: object = None) -> object:
        return content, x, y

    cell = (sample.__closure__ or (None,))[0]
    items = [content, cell]
    return (
        _word(id(cell) + CELL_CONTENT) == id(content)
        and _word(id(items) + LIST_SIZE) == len(items)
        and _word(_word(id(items) + LIST_ITEMS) + 8) == id(cell)
        and all(_word(id(sample) + at) == id(getattr(sample, f)) for f, at in FUNCTION_FIELDS.items())
    )


def _word(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value
