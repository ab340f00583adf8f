"""Values that there is one of per process: made by the thread that asks first, while others wait.

    @once
    def _code() -> LoadedCode: ...          _code() is the same object in all threads, from the first call on

Machine code holds addresses of such values, and nothing that keeps them alive. `functools.cache` calls the
function a second time where two threads ask at once, and drops the value that the first one already has.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Final, TypeVar

from mlirad.jit.forking import CompileLock

T = TypeVar("T")

making: Final = CompileLock()
"""The lock under which all of them are made. There is one, as making one asks for others, in any order."""


def once(function: Callable[..., T]) -> Callable[..., T]:
    """The function, called once for equal arguments, which are hashable. An exception is not kept."""
    kept: dict[tuple[Hashable, ...], T] = {}

    @wraps(function)
    def found(*arguments: Hashable) -> T:
        try:
            return kept[arguments]
        except KeyError:
            pass
        with making:
            if arguments not in kept:
                kept[arguments] = function(*arguments)
            return kept[arguments]

    return found
