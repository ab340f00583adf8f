"""Addresses of functions of the C library.

c_library_address("malloc")  -->  140131...
"""

from __future__ import annotations

import ctypes
import ctypes.util

from mlirad.errors import CompileError


def c_library_address(name: str) -> int:
    """The address of a function of the C library. Raises `CompileError` if it has none of that name."""
    for library in (None, ctypes.util.find_library("m")):
        try:
            function = getattr(ctypes.CDLL(library), name)
        except (AttributeError, OSError, TypeError):
            continue
        address = ctypes.cast(function, ctypes.c_void_p).value
        if address:
            return address
    raise CompileError(f"the C library has no function {name}")
