"""Changes that a trace makes to objects outside of its function, undone before the next trace.

    def loss(self, w):
        self.calls += 1                      runs in each trace, and counts once
        return w if w > 0 else -w            the plain trace is blocked here, and repeated with rewriting

The places are those that guards compare: variables, attributes, elements of containers and arrays. One that
has changed gets its former value, so that the next trace sees the state that the call began with. A module
that was imported stays.

The output of an abandoned trace stays. `print` is in C, and writes to whatever `sys.stdout` is: to stand
between, that object or the builtin must be replaced during the trace, which all threads see, which an
interrupt leaves behind, and which notebooks, test runners and debuggers do themselves. Text held back would
come late, after that of C code and of stderr, and not at all where a process dies. So it shows twice, and the
docs say so.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from mlirad.frontend.tracing.captures import Watch
from mlirad.jit.array_guards import ArrayGuard


class State:
    """The values that a function reads from outside, at the time when this is made."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._before = watch.entire()

    def has_array(self, array: npt.NDArray[Any]) -> bool:
        """Tell whether the function now reads an array, or a part of it, from outside."""
        return any(guard.shares(array) for guard in self._watch.entire().guards.among(ArrayGuard))

    def put_back(self) -> list[str]:
        """Undo what has changed since; return the names of what could not be undone."""
        if self._watch.entire().key == self._before.key:
            return []
        is_whole = self._before.guards.put_back()
        after = self._watch.entire()
        if is_whole:
            self._before = after
        return [] if after.key == self._before.key else self._before.differences(after) or ["what it reads"]
