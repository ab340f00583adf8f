"""Python's recursion limit, and its room for frames, while mlirad works on a program.

Passes and the interpreter recurse over what values depend on.

    @deep_recursion
    def run(...):           a chain of some thousand ops is no danger

Python keeps frames in chunks of 16 KiB, some eighty frames each. A call that does not fit maps a chunk, and
its return unmaps it: a loop at that depth takes up to a hundred times as long, and which loop that is depends
on how deep the caller is. A large frame gets a large chunk, whose rest is room for some thousand others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from threading import get_ident
from types import FunctionType
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

RECURSION_LIMIT = 30_000
"""Enough for the deepest calls, long chains of ops and maps, and regions nested as deeply as they may be."""


def in_large_frame(namespace: dict[str, Any]) -> Callable[..., Any]:
    """A function that calls one, whose calls have room for their frames; `namespace` is that of its module.

        in_large_frame(globals())(function, args, kwargs)        what function(*args, **kwargs) gives

    Its frame takes half of its chunk, which has 2 MiB. Pages that nothing uses take no memory.
    """
    return FunctionType(_called.__code__.replace(co_stacksize=(1 << 17) + 1), namespace)


def _called(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs)


_with_room: Final = in_large_frame(globals())


class _Limit:
    """The limit as it was before the calls that are under way, each with the thread that it runs in."""

    before: int = 0
    calls: Final[dict[object, int]] = {}


def deep_recursion(function: Callable[P, T]) -> Callable[P, T]:
    """A function that runs with a recursion limit of `RECURSION_LIMIT`, at least.

    The limit is one for all threads: the first call raises it, and the last that ends restores it. Python
    runs handlers of signals and other threads when a function is entered, or has been called, and in loops.
    So none comes between the statements that end a call, whatever ended it. The end of a `with` block would
    be a function, which is entered.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        call, thread = object(), get_ident()
        if not _Limit.calls:
            _Limit.before = sys.getrecursionlimit()
        _Limit.calls[call] = thread
        try:
            sys.setrecursionlimit(max(_Limit.before, RECURSION_LIMIT))
            return _with_room(function, args, kwargs)
        finally:
            del _Limit.calls[call]
            if not _Limit.calls:
                sys.setrecursionlimit(_Limit.before)

    return run


def _forget_others() -> None:
    """A child process has the thread that forked, and no other."""
    for call, thread in list(_Limit.calls.items()):
        if thread != get_ident():
            del _Limit.calls[call]
    if _Limit.before and not _Limit.calls:
        sys.setrecursionlimit(_Limit.before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_others)
