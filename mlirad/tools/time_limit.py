"""The time limit of a tool: an exception in the main thread, wherever it is, and the end of the process if
that does not come to it.

Python runs the handler of a signal between two steps of Python code, and compiled programs let it run every
50 milliseconds. The rest is a library that computes for a long time in one call (LLVM, on a very large
program).
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, NoReturn

from mlirad.errors import TimeLimitError

GRACE_SECONDS: Final = 5.0
"""The time that the main thread may take to come to the exception."""

# The signal is simulated, not sent: any that is not in use here will do.
_SIGNAL: Final = getattr(signal, "SIGALRM", signal.SIGABRT)


@contextmanager
def time_limit(seconds: float | None) -> Generator[None]:
    """Raise a `TimeLimitError` in the body, which the main thread runs, when it takes longer."""
    if seconds is None:
        yield
        return
    is_over = threading.Event()

    def watch() -> None:
        if is_over.wait(seconds):
            return
        _thread.interrupt_main(_SIGNAL)
        if not is_over.wait(GRACE_SECONDS):
            sys.stderr.write("error: this took longer than its time limit\n")
            sys.stderr.flush()
            os._exit(1)

    before = signal.signal(_SIGNAL, _raise)
    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        is_over.set()
        signal.signal(_SIGNAL, before)


def _raise(*_: object) -> NoReturn:
    raise TimeLimitError
