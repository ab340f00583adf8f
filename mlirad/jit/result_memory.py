"""Memory of large results: blocks of results that are gone are kept for results of the same size to come.

    handler_address()      the address of a capsule with NumPy's structure of memory functions
    empty((1000, 1000), np.dtype("float64"))      as np.empty, from that memory

Results of `LARGE_RESULT_BYTES` and more are arrays that own their memory, as all others, and whose memory
NumPy gives to the functions here. They keep blocks (`kept_memory.py` says why and which), and hand all else
on to NumPy's own (`mlirad/runtime/result_memory.c`).
"""

from __future__ import annotations

import ctypes
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.jit import object_layout as layout
from mlirad.jit.engine import LoadedCode
from mlirad.jit.glue import load_glue
from mlirad.jit.kept_memory import LARGE_RESULT_BYTES
from mlirad.jit.linked_text import linked_text
from mlirad.jit.once import once

_HANDLER: Final = "mlirad_results"
_KEEPER: Final = "mlirad_kept_results"


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """An array that is not initialised, of kept memory if it is large."""
    if dtype.itemsize * int(np.prod(shape)) < LARGE_RESULT_BYTES or not layout.is_layout_known():
        return np.empty(shape, dtype)
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)
    set_handler = prototype(layout.numpy_function("PyDataMem_SetHandler"))
    usual = set_handler(_capsule())
    try:
        return np.empty(shape, dtype)
    finally:
        set_handler(usual)


def handler_address() -> int:
    """The address of the capsule by which NumPy is told of the functions."""
    return id(_capsule())


def kept_bytes() -> int:
    """Return how many bytes are kept at present."""
    return ctypes.c_int64.from_address(_code().addresses[_KEEPER]).value


@once
def _capsule() -> object:
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    make = prototype(layout.python_function("PyCapsule_New"))
    return make(_code().addresses[_HANDLER], _CAPSULE_NAME, None)


_CAPSULE_NAME: Final = b"mem_handler"
"""The name that NumPy asks for; the capsule keeps the address of it."""


@once
def _code() -> LoadedCode:
    """The functions. They are called for arrays that outlive all else, so they are never unloaded."""
    text = linked_text(("result_memory",), {"mlirad_numpy_allocator": _usual_functions()})
    code = load_glue(text, (_HANDLER, _KEEPER))
    code.keep_loaded()
    return code


def _usual_functions() -> int:
    """The address of NumPy's own functions, which begin with the context that they are given."""
    variable = layout.numpy_function("PyDataMem_DefaultHandler")
    capsule = cast(object, ctypes.cast(ctypes.c_void_p(variable), ctypes.POINTER(ctypes.py_object))[0])
    return layout.capsule_pointer(capsule, _CAPSULE_NAME) + layout.HANDLER_FUNCTIONS
