"""Watches for warnings while code runs.

made, was_warned = hearing(trace)(f)      was_warned is True if the trace warned, of whatever
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from threading import get_ident
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Ear:
    """Stands for `warnings.showwarning` while somebody listens: counts warnings, and shows them as before."""

    def __init__(self) -> None:
        self.count = 0
        self.listeners: dict[object, int] = {}
        self.show: Callable[..., Any] = warnings.showwarning

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.count += 1
        return self.show(*args, **kwargs)


_ear: Final = _Ear()


def hearing(function: Callable[P, T]) -> Callable[P, tuple[T, bool]]:
    """A function that gives what another one does, and whether a warning was shown meanwhile, in any thread.

    As in `recursion.deep_recursion` nothing comes between the statements that end it.
    """

    def run(*args: P.args, **kwargs: P.kwargs) -> tuple[T, bool]:
        listener, thread = object(), get_ident()
        before = _ear.count
        _ear.listeners[listener] = thread
        try:
            if warnings.showwarning is not _ear:
                _ear.show, warnings.showwarning = warnings.showwarning, _ear
            return function(*args, **kwargs), _ear.count > before
        finally:
            del _ear.listeners[listener]
            if not _ear.listeners and warnings.showwarning is _ear:
                warnings.showwarning = _ear.show

    return run


def _forget_others() -> None:
    """A child process has the thread that forked, and no other."""
    for listener, thread in list(_ear.listeners.items()):
        if thread != get_ident():
            del _ear.listeners[listener]
    if not _ear.listeners and warnings.showwarning is _ear:
        warnings.showwarning = _ear.show


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_others)
