"""Work on a stack that is large enough: compilers recurse as deeply as programs are nested.

The main thread has a stack of megabytes. Others have what their creator or the system gave them: 512
kilobytes on macOS, 64 where that was requested, and LLVM alone needs more. So for these threads such work
is done by a separate thread, which takes 0.1 milliseconds to create.

Threads other than the main one compile on another stack: passes and LLVM recurse as deeply as programs are
nested, and stacks of 64 to 512 kilobytes are usual there. Recursion in compiled programs is bounded by the
stack itself, whose limit calls check before they go deeper.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from mlirad.jit.forking import CompileLock
from mlirad.jit.memory_left import require_memory

STACK_BYTES: Final = 1 << 26

P = ParamSpec("P")
T = TypeVar("T")

_starting: Final = CompileLock()


class _Thread(threading.Thread):
    """A thread with a large stack."""


def on_large_stack(work: Callable[[], T]) -> T:
    """Return what `work` gives or raises, on a stack of this thread or of another one that is large enough.

    It must not depend on what is local to the thread. Context variables are those of the caller.
    """
    this = threading.current_thread()
    if isinstance(this, _Thread) or this is threading.main_thread():
        return work()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    require_memory(STACK_BYTES + (1 << 22), "compile in a thread with a large stack")
    thread = _Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    with _starting:
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    if errors:
        raise errors.pop()
    return results.pop()


def large_stack(function: Callable[P, T]) -> Callable[P, T]:
    """The function, always run `on_large_stack`."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        return on_large_stack(lambda: function(*args, **kwargs))

    return run
