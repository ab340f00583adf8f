"""Forking while other threads compile: `os.fork` waits until they have ended, so the child has all it needs.

    with compiling_section(): ...        any number of threads; none is in one at the moment of a fork
    with CompileLock(): ...              the same, one thread at a time

A child has only the forking thread. A lock that another thread held would stay locked in it forever, and what
the other was changing would stay half changed: LLVM's state, settings of the interpreter, caches.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cached_property
from types import TracebackType
from typing import Any, cast

from mlirad.jit.llvm_binding import llvm_lock

_depth: ContextVar[int] = ContextVar("depth", default=0)
"""In how many sections the thread is, one inside another. A thread that compiles for one that waits for it
(`mlirad/jit/stacks.py`) is in the sections of that one, whose context it has: a fork waits for both."""


class _Gate:
    """Counts the threads in sections, and is closed while one forks."""

    def __init__(self) -> None:
        self._inside = 0
        self._changed = threading.Condition()
        self._forking: int | None = None
        self._llvm_lock: AbstractContextManager[object] = nullcontext()

    def enter(self) -> None:
        """Enter a section. A thread that is in one need not wait, so that forks wait for it."""
        with self._changed:
            if _depth.get() == 0:
                while self._forking not in (None, threading.get_ident()):
                    self._changed.wait()
                self._inside += 1
            _depth.set(_depth.get() + 1)

    def leave(self) -> None:
        """Leave a section."""
        with self._changed:
            _depth.set(_depth.get() - 1)
            if _depth.get() == 0:
                self._inside -= 1
                self._changed.notify_all()

    def before_fork(self) -> None:
        """Wait until no other thread is in a section, and let none enter."""
        with self._changed:
            while self._forking is not None:
                self._changed.wait()
            self._forking = threading.get_ident()
            while self._inside > (_depth.get() > 0):
                self._changed.wait()
        self._llvm_lock = llvm_lock()
        self._llvm_lock.__enter__()

    def after_fork(self) -> None:
        """Let threads enter again."""
        self._llvm_lock.__exit__(None, None, None)
        with self._changed:
            self._forking = None
            self._changed.notify_all()

    def after_fork_in_child(self) -> None:
        """As `after_fork`, where no other thread is left."""
        self._changed = threading.Condition()
        for lock_owner in _cached_properties():
            lock_owner.lock = threading.RLock()
        self.after_fork()


def _cached_properties() -> Generator[Any]:
    """The cached properties that have locks, which Python 3.12 has done away with."""
    if not hasattr(cached_property(lambda _: None), "lock"):
        return
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in ("mlirad", "xdsl"):
            continue
        for member in list(vars(module).values()):
            if isinstance(member, type) and member.__module__ == name:
                for value in list(vars(cast("type[Any]", member)).values()):
                    if isinstance(value, cached_property):
                        yield value


_gate = _Gate()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_gate.before_fork,
        after_in_parent=_gate.after_fork,
        after_in_child=_gate.after_fork_in_child,
    )


@contextmanager
def compiling_section() -> Generator[None]:
    """Code that no fork interrupts. Forks wait for it."""
    _gate.enter()
    try:
        yield
    finally:
        _gate.leave()


class CompileLock:
    """A lock under which programs are made. Its holder may take it again; at a fork no other has it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._holder: int | None = None
        self._depth = 0

    def __enter__(self) -> None:
        _gate.enter()
        this = threading.get_ident()
        try:
            if self._holder != this:
                self._lock.acquire()
        except BaseException:  # a signal handler may raise when the lock is taken already
            if self._holder != this and cast(Any, self._lock)._is_owned():
                self._lock.release()
            _gate.leave()
            raise
        self._holder = this
        self._depth += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._holder = None
            self._lock.release()
        _gate.leave()
