"""Whether there was a warning while something ran.

with hearing() as heard:
    trace()
heard.any()      True if the trace warned, of whatever
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from mlirad.jit.forking import CompileLock


class Heard:
    """The warnings since this was made; those of other threads count, too."""

    def __init__(self) -> None:
        self._before = _ear.count

    def any(self) -> bool:
        """Whether there was one."""
        return _ear.count > self._before


class _Ear:
    """What stands for `warnings.showwarning` while somebody listens: it counts, and shows as before."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = CompileLock()
        self._listeners = 0
        self._show: Callable[..., Any] = warnings.showwarning

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.count += 1
        return self._show(*args, **kwargs)

    def open(self) -> None:
        with self._lock:
            self._listeners += 1
            if warnings.showwarning is not self:
                self._show, warnings.showwarning = warnings.showwarning, self

    def close(self) -> None:
        with self._lock:
            self._listeners -= 1
            if self._listeners == 0 and warnings.showwarning is self:
                warnings.showwarning = self._show


_ear = _Ear()


@contextmanager
def hearing() -> Generator[Heard]:
    """Count the warnings that are shown during the `with` block."""
    _ear.open()
    try:
        yield Heard()
    finally:
        _ear.close()
