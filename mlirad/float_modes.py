"""The mode of floating point while mlirad works on a program: rounding to nearest, with subnormal numbers.

    @standard_floats
    def compute(...):           constants computed here are the same whoever calls

The mode belongs to the thread. Other libraries change it: some round upwards, those compiled for fast
arithmetic take subnormal numbers for zeros. Constants computed in a trace or a compile end in programs, which
are kept for all callers and all processes. Compiled programs set the mode for themselves
(`lower/llvm/float_control.py`).
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from functools import cache, wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")

_Environment: Final = ctypes.c_uint64 * 8
"""Holds the `fenv_t` of every C library."""


def standard_floats(function: Callable[P, T]) -> Callable[P, T]:
    """A function that computes in the standard mode. The former mode is restored afterwards.

    Where the C library is not known to have functions for it, nothing is changed. No handler of a signal
    comes between the end of the function and the call in C that restores the mode.
    """

    @wraps(function)
    def compute(*args: P.args, **kwargs: P.kwargs) -> T:
        get, put, standard = _functions()
        before = _Environment()
        get(before)
        try:
            put(standard)
            return function(*args, **kwargs)
        finally:
            put(before)

    return compute


def silent(function: Callable[P, T]) -> Callable[P, T]:
    """A function in which NumPy warns of nothing, such as overflows.

    It runs in a context of its own, which holds NumPy's settings among other variables. Whatever ends it,
    they are gone.
    """

    @wraps(function)
    def compute(*args: P.args, **kwargs: P.kwargs) -> T:
        context = copy_context()
        for variable, value in _SILENCE:
            context.run(variable.set, value)
        return context.run(function, *args, **kwargs)

    return compute


def _silence() -> list[tuple[ContextVar[Any], Any]]:
    """Return what NumPy sets to warn of nothing."""
    before, context = copy_context(), copy_context()
    context.run(cast(Any, np.seterr), all="ignore")
    return [(v, value) for v, value in context.items() if v not in before or before[v] is not value]


_SILENCE: Final = _silence()


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
