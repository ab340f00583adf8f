"""Python's recursion limit while mlirad works on a program.

Passes and the interpreter recurse over what values depend on.

    with deep_recursion():
        ...                     a chain of some thousand ops is no danger
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

RECURSION_LIMIT = 30_000
"""Enough for the deepest calls, long chains of ops and maps, and regions nested as deeply as they may be."""


@contextmanager
def deep_recursion() -> Generator[None]:
    """Python's recursion limit at `RECURSION_LIMIT`, at least.

    The limit is one for all threads: the first that enters raises it, the last that leaves restores it.
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


class _Limit:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before = 0

    def enter(self) -> None:
        with self._lock:
            if self._users == 0:
                self._before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._before, RECURSION_LIMIT))
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                sys.setrecursionlimit(self._before)

    def renew_lock(self) -> None:
        """Another thread may have held the lock when the process was forked."""
        self._lock = threading.Lock()


_limit = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_limit.renew_lock)
