"""The state that must be as it was before a call, whatever ended the call: settings, locks, threads.

before = settings()
...
disturbed(before)      what is not so, in words; nothing where all is well
"""

from __future__ import annotations

import gc
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

from mlirad.frontend.compiling import compilation, heard_warnings, progress
from mlirad.frontend.differentiation import custom
from mlirad.frontend.splicing.questions import ANSWERS
from mlirad.frontend.splicing.tracing_threads import TRACING
from mlirad.frontend.tracing.open_traces import is_tracing, open_traces
from mlirad.jit import forking
from mlirad.recursion import _Limit  # pyright: ignore[reportPrivateUsage]
from tests.float_modes import mode

# pyright: reportPrivateUsage=false

_SETTINGS: dict[str, Callable[[], Any]] = {
    "the collection of garbage": gc.isenabled,
    "the recursion limit": sys.getrecursionlimit,
    "NumPy's errors": np.geterr,
    "what shows warnings": lambda: warnings.showwarning,
    "the filters of warnings": lambda: list(warnings.filters),
    "the profiler": sys.getprofile,
    "the tracer": sys.gettrace,
    "the size of stacks": threading.stack_size,
    "the mode of floating point": mode,
    "names of NumPy": lambda: (np.sort, np.array, np.linalg.norm, type(np.r_).__getitem__),
}


def settings() -> dict[str, Any]:
    """The settings of this thread and process."""
    return {what: read() for what, read in (*_SETTINGS.items(), *_context())}


def _context() -> Iterator[tuple[str, Callable[[], Any]]]:
    """All context variables of mlirad, which have defaults."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "mlirad":
            for own, value in list(vars(module).items()):
                if isinstance(value, ContextVar):
                    yield f"{name}.{own}", value.get


def disturbed(before: dict[str, Any]) -> list[str]:
    """The settings that are not as they were, and those held by a thread that does nothing."""
    found = [what for what, value in settings().items() if what in before and value != before[what]]
    found += [what for what, held in _held() if held]
    owned = [lock for lock in (*forking._locks, forking.CallsOfLLVM.lock) if not _is_free(lock)]
    return found + ["a lock"] * bool(owned)


def _held() -> Iterator[tuple[str, Any]]:
    yield "functions under construction", is_tracing() or open_traces.frames
    yield "threads that trace", TRACING
    yield "answers", ANSWERS.found
    yield "rules that are traced", custom._open.rules
    yield "deep recursion", _Limit.calls
    yield "compiles", compilation._Garbage.compiles
    yield "listeners to warnings", heard_warnings._ear.listeners
    yield "the line of progress", not _is_free(progress._taken)


def _is_free(lock: Any) -> bool:
    """Return whether another thread could take a lock, which this one does not hold."""
    if lock._is_owned() or not lock.acquire(blocking=False):
        return False
    lock.release()
    return True
