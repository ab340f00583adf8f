"""The mode of floating point while mlirad works on a program: rounding to nearest, with subnormal numbers.

    with standard_floats():
        ...                     constants computed here are the same whoever calls

The mode belongs to the thread. Other libraries change it: some round upwards, those compiled for fast
arithmetic take subnormal numbers for zeros. What is computed in a trace or a compile ends in programs, which
are kept for all callers and all processes. Compiled programs set the mode for themselves
(`lower/float_control.py`).
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Final

_Environment: Final = ctypes.c_uint64 * 8
"""Holds the `fenv_t` of every C library."""


class standard_floats:
    """A context in which this thread computes in the standard mode. What the mode was is restored behind it.

    Where the C library is not known to have functions for it, nothing is changed.
    """

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        get, put, standard = _functions()
        self._before = _Environment()
        get(self._before)
        put(standard)

    def __exit__(self, *raised: object) -> None:
        _functions()[1](self._before)


@cache
def _functions() -> tuple[Callable[[Any], object], Callable[[Any], object], object]:
    """`fegetenv`, `fesetenv` and the standard environment, `FE_DFL_ENV`."""
    if os.name == "nt":
        return _nothing, _nothing, None
    # The global lock of Python is kept: these are a few instructions.
    library = ctypes.PyDLL(None)
    try:
        get, put = library.fegetenv, library.fesetenv
        get.restype = put.restype = None
        # The address of an object on macOS; elsewhere the number that stands for it.
        standard = ctypes.byref(ctypes.c_char.in_dll(library, "_FE_DFL_ENV")) if _IS_MACOS else _MINUS_ONE
    except (AttributeError, ValueError):
        return _nothing, _nothing, None
    return get, put, standard


_IS_MACOS: Final = sys.platform == "darwin"
_MINUS_ONE: Final = ctypes.c_void_p(-1)


def _nothing(_: object) -> None:
    """There is nothing to get or set."""
