"""Modes of floating point as other libraries set them: how the thread rounds, and what is subnormal."""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Generator
from contextlib import contextmanager

import pytest

IS_X86 = platform.machine() in ("x86_64", "AMD64")

ROUNDING = {"nearest": 0, "down": 0x400, "up": 0x800, "zero": 0xC00}
"""The numbers that x86-64 gives to the ways to round."""

_FLUSHING = 1 << 15 | 1 << 6
_CONTROL = 0xFFC0
_MXCSR_WORD = 7
"""The word of glibc's `fenv_t` that has the register. Its low bits say which exceptions there were."""

needs_modes = pytest.mark.skipif(
    not (IS_X86 and sys.platform == "linux"), reason="sets the register as glibc does on x86-64"
)


def mode() -> int:
    """The mode of this thread."""
    return _environment()[_MXCSR_WORD] & _CONTROL


@contextmanager
def in_mode(rounding: str = "nearest", *, flushes: bool = False) -> Generator[int]:
    """Code that runs in a mode; gives it, as `mode` does, and checks that it is still so at the end."""
    library = ctypes.CDLL(None)
    before, changed = _environment(), _environment()
    wanted = changed[_MXCSR_WORD] & ~(0xC00 | _FLUSHING) | (_FLUSHING if flushes else 0)
    changed[_MXCSR_WORD] = wanted
    library.fesetenv(changed)
    library.fesetround(ROUNDING[rounding])
    wanted = wanted & _CONTROL | ROUNDING[rounding] << 3
    try:
        yield wanted
        assert mode() == wanted, "the mode of the caller is not restored"
    finally:
        library.fesetenv(before)


def _environment() -> ctypes.Array[ctypes.c_uint32]:
    found = (ctypes.c_uint32 * 16)()
    ctypes.CDLL(None).fegetenv(found)
    return found
