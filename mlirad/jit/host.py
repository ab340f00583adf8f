"""The host of compiled programs (`mlirad/runtime/host.c`): its machine code, made on first use, what it finds
out about the system, and the Python functions that it calls.

Arrays are held by weak references, and late. A reference does not keep NumPy from moving an array's memory,
which `resize(refcheck=False)` does; a weak one does. To take one costs 40 ns per array, a tenth of a short
call. So the host takes them where Python is about to run, or the global lock to be released: most calls end
before.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Final, NoReturn, cast

import numpy as np

from mlirad.errors import CallDepthError, InterpreterError, NoRoomError, OutOfMemoryError, TimeLimitError
from mlirad.jit.engine import LoadedCode
from mlirad.jit.glue import load_glue
from mlirad.jit.linked_text import linked_text
from mlirad.jit.once import once
from mlirad.jit.reporting import report
from mlirad.jit.system_text import system_text
from mlirad.lower.native_program import (
    CLOCK,
    DEPTH_LIMIT,
    NO_FRAME,
    NO_ROOM,
    OUT_OF_MEMORY,
    OUT_OF_STACK,
    POLL,
    PYTHON,
    RECORD_SHIFT,
    REPORT,
    STACK_LIMIT,
    TOO_DEEP,
)
from mlirad.runtime import runtime_module

CALL: Final = "mlirad_call"

_main_thread = ctypes.c_uint64()


def _note_main_thread() -> None:
    _main_thread.value = threading.main_thread().ident or 0


def host_address(symbol: str) -> int:
    """The address of a function of the host."""
    return _code().addresses[symbol]


@once
def runner() -> Callable[[int, int, int, int, int, int, int, int], None]:
    """The function that runs a program given addresses: of its code, its buffers and its arena.

    Then come whether to release the global lock at once, the time limit in nanoseconds, or 0, and how many
    threads may work on it, or 0 for as many as usual; last the table of borrowed arguments, or 0, and
    whether to hold them at once. It raises what the program ends with.
    """
    # `ctypes` raises the exception that is set when such a function returns.
    words = (*(ctypes.c_void_p,) * 3, *(ctypes.c_int64,) * 3, ctypes.c_void_p, ctypes.c_int64)
    prototype = ctypes.PYFUNCTYPE(ctypes.c_int, *words)
    return cast(
        "Callable[[int, int, int, int, int, int, int, int], None]", prototype(_code().addresses[CALL])
    )


def _fail(status: int) -> NoReturn:
    """Raise what the status of a call that could not be finished says."""
    if status == OUT_OF_MEMORY:
        raise OutOfMemoryError(
            "the record of a loop or the calls of a function took all memory",
            hint="wrap the body of the loop in ad.checkpoint, or make fewer iterations or calls",
        )
    if status == TOO_DEEP:
        raise CallDepthError(
            f"functions called each other more than {DEPTH_LIMIT} deep",
            hint="check that the recursion ends, or make the call of itself the last thing that the function "
            "does: then it runs as a loop, of any length",
        )
    if status == OUT_OF_STACK:
        raise CallDepthError(
            "functions called each other too deeply for the stack of this thread",
            hint="call with a larger threading.stack_size(), or make the call of itself the last thing that "
            "the function does: then it runs as a loop, of any length",
        )
    if status == NO_FRAME:
        raise InterpreterError(
            "the program restores a frame that nothing has saved",
            hint="what array.no_frame makes cannot be restored",
        )
    if status & 255 == NO_ROOM:
        raise NoRoomError(status >> RECORD_SHIFT)
    raise TimeLimitError


@once
def _code() -> LoadedCode:
    _note_main_thread()
    if hasattr(os, "register_at_fork"):
        # The thread that forks is the main thread of the child.
        os.register_at_fork(after_in_child=_note_main_thread)
    addresses = {
        "mlirad_main_thread": ctypes.addressof(_main_thread),
        "mlirad_report": id(report),
        "mlirad_fail": id(_fail),
        "PyArray_Type": id(np.ndarray),
        **_system_addresses(),
    }
    text = linked_text(("host", *_system_parts()), addresses, system_text())
    return load_glue(text, (CALL, CLOCK, POLL, PYTHON, REPORT, STACK_LIMIT))


def _system_parts() -> tuple[str, str]:
    """The parts of the run-time library that find the time and the stack of a thread on this system."""
    if os.name == "nt":
        return "clock_windows", "stack_windows"
    if sys.platform == "darwin":
        return "clock_posix", "stack_darwin"
    return "clock_posix", "stack_linux" if _system_address("pthread_getattr_np") else "stack_unknown"


def _system_addresses() -> dict[str, int]:
    """The addresses that these parts need."""
    declared = [name for part in _system_parts() for name in runtime_module(part).declarations]
    found = {name: _system_address(name) for name in declared if not name.startswith("mlirad_")}
    found["mlirad_monotonic_clock"] = ctypes.addressof(_monotonic_clock)
    found["mlirad_tick_nanoseconds"] = ctypes.addressof(_tick_nanoseconds)
    return found


def _system_address(name: str) -> int:
    """The address of a function of the C library or of the system; 0 if it has none of this name."""
    library = ctypes.WinDLL("kernel32") if sys.platform == "win32" else ctypes.CDLL(None)
    function = getattr(library, name, None)
    return 0 if function is None else ctypes.cast(function, ctypes.c_void_p).value or 0


def _nanoseconds_of_a_tick() -> float:
    if sys.platform != "win32":
        return 1.0
    frequency = ctypes.c_int64()
    ctypes.WinDLL("kernel32").QueryPerformanceFrequency(ctypes.byref(frequency))
    return 1e9 / frequency.value


_monotonic_clock: Final = ctypes.c_int(getattr(time, "CLOCK_MONOTONIC", 0))
_tick_nanoseconds: Final = ctypes.c_double(_nanoseconds_of_a_tick())
