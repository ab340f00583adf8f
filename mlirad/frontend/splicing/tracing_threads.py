"""The threads in which a trace is open, for instructions that ask whether theirs is one of them.

    if TRACING and get_ident() in TRACING: ...      a few nanoseconds while no thread traces

A thread that an interrupt leaves in the set pays for longer questions, and gets the same answers.
"""

from __future__ import annotations

import os
from threading import get_ident
from typing import Any, Final


class Threads(set[int]):
    """Identifiers of threads, as a constant of code objects, which have a hash."""

    __slots__ = ()
    __hash__: Any = object.__hash__


TRACING: Final = Threads()


def _forget_others() -> None:
    """A child process has the thread that forked, and no other."""
    TRACING.intersection_update((get_ident(),))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_others)
