"""What reports of a program do: print, or note what went wrong until the call ends.

report("print", "x = {}", None, [1.0])          prints x = 1.0
report("position", "...", "model.py:3", [7])    is raised by `raise_first` after the call
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mlirad.errors import NotANumberError, PositionError


class _Failures(threading.local):
    """What went wrong in the call that is under way in this thread."""

    def __init__(self) -> None:
        self.first: BaseException | None = None


_failures = _Failures()


def report(kind: str, message: str, source: str | None, values: Sequence[Any]) -> None:
    """Report the values of one lane. Of failures the first one is kept."""
    if kind == "print":
        print(message.format(*values))  # noqa: T201 - what it is for
    else:
        error = PositionError if kind == "position" else NotANumberError
        note(error(message.format(*values), location=source))


def note(error: BaseException) -> None:
    """Keep an error until the call ends, if it is the first one."""
    if _failures.first is None:
        _failures.first = error


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
