"""The open traces and the classes of traced values, for code that runs without any trace.

    is_tracing()      False: a call runs a program, and nothing of the tracer is needed

A program that another process compiled is found and called without xDSL. So what every call asks stands
here, apart from frames and arrays, and the rest of the frontend is imported with the first trace.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeAlias

from mlirad.errors import MliradError
from mlirad.lazy_dataclass import dataclass


class Traced:
    """The base class of all values that stand for values of a program."""

    __slots__ = ()


class Known:
    """The base of functions and sums that are made outside of a trace, and hold what they stand for."""

    __slots__ = ()


class Chosen:
    """The base of what is one of several objects, as a traced condition decides; see `alternatives.py`."""

    __slots__ = ()


class TracedParts:
    """The base class of pairs of values that together stand for one, such as complex arrays."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Asking:
    """The call of the program that an error is about, and its line then."""

    frame: FrameType
    line: int


Raised: TypeAlias = tuple[MliradError, Asking | None]
"""An error that says what cannot be traced, and what asked for it."""


class _OpenTraces(threading.local):
    def __init__(self) -> None:
        self.frames: Any = ()
        """The functions under construction, the innermost one last; in a trace a list, see `frames`."""
        self.codes: set[Any] = set()
        """The code of the program that has emitted operations; see `outside_reads`."""
        self.profiler: Callable[..., None] | None = None
        """The function that is told of calls while a function is traced."""
        self.callers: frozenset[Any] = frozenset()
        """The code that leads to the trace."""
        self.raised: list[Raised] | None = None
        """The errors that say what cannot be traced; see `swallowed`."""


open_traces = _OpenTraces()


def is_tracing() -> bool:
    """Return whether a function is being traced in this thread."""
    return bool(open_traces.frames)


class _EagerMode:
    """The setting `ad.config.eager`, one for the process."""

    is_on = False
    """A flag: functions are called as they stand."""


eager_mode = _EagerMode()


class _Completing:
    """Imports all that a traced function may use."""

    complete: Callable[[], object]


_completing = _Completing()


def bind_completing(complete: Callable[[], object]) -> None:
    """Say what imports the rest of the frontend; called once, when it is imported."""
    _completing.complete = complete


def complete() -> None:
    """Import all that a traced function may use: the methods of arrays, and NumPy's functions on them."""
    _completing.complete()
