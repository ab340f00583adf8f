"""What reports of a program do: print, or say what went wrong.

perform("print", "x = {}", None, [1.0])          prints x = 1.0
perform("position", "...", "model.py:3", [7])    gives a PositionError

The first failure of a call is raised when the call ends. Compiled programs keep it in the record of the call,
interpreted ones note it here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from mlirad.errors import (
    AbsorbedPoleError,
    ArgumentError,
    AssertionFailedError,
    ConvergenceError,
    IntegerOverflowError,
    LinearAlgebraError,
    MliradError,
    NotANumberError,
    PositionError,
    visible,
)

_ERRORS: dict[str, type[MliradError]] = {
    "position": PositionError,
    "nan": NotANumberError,
    "pole": AbsorbedPoleError,
    "overflow": IntegerOverflowError,
    "matrix": LinearAlgebraError,
    "convergence": ConvergenceError,
    "assertion": AssertionFailedError,
    "argument": ArgumentError,
}
"""What each kind of failure raises."""


class _Printing:
    """How what programs print is shown."""

    def __init__(self) -> None:
        self.shown: Callable[[str], str] = str


_printing = _Printing()


@contextmanager
def controls_shown() -> Generator[None]:
    """Print characters that control terminals as escapes in the `with` block: the program is not trusted."""
    _printing.shown = visible
    try:
        yield
    finally:
        _printing.shown = str


class _Failures(threading.local):
    """What went wrong in the call that is under way in this thread."""

    def __init__(self) -> None:
        self.first: MliradError | None = None


_failures = _Failures()


def perform(kind: str, message: str, source: str | None, values: Sequence[Any]) -> MliradError | None:
    """Print the values of one lane, or give what went wrong in it."""
    if kind == "print":
        print(_printing.shown(message.format(*values)))  # noqa: T201 - what it is for
        return None
    return _ERRORS[kind](message.format(*values), location=source)


def report(kind: str, message: str, source: str | None, values: Sequence[Any]) -> None:
    """Report the values of one lane of an interpreted program. Of failures the first one is kept."""
    failure = perform(kind, message, source, values)
    if _failures.first is None:
        _failures.first = failure


def report_lanes(
    kind: str,
    message: str,
    source: str | None,
    condition: npt.NDArray[np.bool_],
    values: Sequence[npt.NDArray[Any]],
) -> None:
    """Report the values of every lane in which the condition holds, in order."""
    for lane in np.argwhere(condition):
        at = tuple(lane)
        report(kind, message, source, [v[at] for v in values])


def forget() -> None:
    """A call begins."""
    _failures.first = None


def raise_first() -> None:
    """A call has ended: raise the first failure of it, if there was one."""
    error = _failures.first
    if error is not None:
        _failures.first = None
        raise error
