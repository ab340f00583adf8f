"""Forking while other threads compile: a child finds locks free, and LLVM between two calls.

    with CompileLock(): ...              one thread at a time, which may take it again

A child has only the forking thread. A lock that another thread held would stay locked in it for ever, so it
is made free there; what the other was making is lost, and nobody has seen it. A fork waits for calls of LLVM
that are under way, as they change what all of them share, and for imports, as modules half imported stay so.
It waits for no trace, which may itself wait for the thread that forks.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from collections.abc import Generator
from functools import cached_property
from threading import get_ident
from typing import Any, Final, cast
from weakref import WeakSet

IMPORT_SECONDS: Final = 10.0
"""The time that a fork waits for imports of other threads."""

_PACKAGES: Final = ("mlirad", "xdsl", "llvmlite", "numpy", "scipy")
"""The packages whose imports it waits for: those that mlirad imports when they are needed."""

_RLock: Final[Any] = type(threading.RLock())


class CompileLock(_RLock):
    """A lock under which programs are made. Its holder may take it again; in a child no other thread has it.

    A `with` block calls functions in C to take it and to give it back, so no handler of a signal comes
    between what they do and what the block knows of it.
    """

    def __init__(self) -> None:
        _locks.add(self)


_locks: Final[WeakSet[Any]] = WeakSet()


class CallsOfLLVM:
    """The lock that is held during each call of LLVM; see `llvm_binding`."""

    lock: Any = CompileLock()


class _Fork:
    """The effects of a fork on the locks."""

    def before(self) -> None:
        """Wait until no other thread imports or is in a call of LLVM."""
        end = time.monotonic() + IMPORT_SECONDS
        while _others_import() and time.monotonic() < end:
            time.sleep(1e-3)
        CallsOfLLVM.lock.acquire()

    def after(self) -> None:
        """Let others call LLVM again."""
        if CallsOfLLVM.lock._is_owned():
            CallsOfLLVM.lock.release()

    def after_in_child(self) -> None:
        """Free the locks of threads that are no more."""
        for lock in [*_locks, *_locks_of_properties()]:
            if not lock._is_owned():
                lock._at_fork_reinit()
        self.after()


def _others_import() -> bool:
    """Return whether another thread imports a module of one of the packages."""
    locks: dict[str, Any] = vars(importlib)["_bootstrap"]._module_locks
    for name, reference in list(locks.items()):
        if name.partition(".")[0] in _PACKAGES:
            owner = getattr(reference(), "owner", None)
            if owner is not None and owner != get_ident():
                return True
    return False


def _locks_of_properties() -> Generator[Any]:
    """The locks of cached properties, which Python 3.12 has done away with."""
    if not hasattr(cached_property(lambda _: None), "lock"):
        return
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in ("mlirad", "xdsl"):
            continue
        for member in list(vars(module).values()):
            if isinstance(member, type) and member.__module__ == name:
                for value in list(vars(cast("type[Any]", member)).values()):
                    if isinstance(value, cached_property):
                        yield cast(Any, value).lock


_fork: Final = _Fork()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_fork.before, after_in_parent=_fork.after, after_in_child=_fork.after_in_child)
