"""The host of compiled programs: its machine code, made on first use, and the Python functions that it
calls."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import NoReturn, cast

from mlirad.errors import CallDepthError, InterpreterError, NoRoomError, OutOfMemoryError, TimeLimitError
from mlirad.jit.engine import LoadedCode
from mlirad.jit.glue import load_glue
from mlirad.jit.host_text import CALL, host_text
from mlirad.jit.once import once
from mlirad.jit.reporting import report
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
    text = host_text(ctypes.addressof(_main_thread), id(report), id(_fail))
    return load_glue(text, (CALL, CLOCK, POLL, PYTHON, REPORT, STACK_LIMIT))
