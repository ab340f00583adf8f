"""Reports of a program: prints, calls of Python functions, and failures.

perform("print", "x = {}", None, [1.0])          prints x = 1.0
perform("position", "...", "model.py:3", [7])    gives a PositionError

    raise ValueError("x is negative")            "exception", "builtins.ValueError: x is negative"

A program is text, so it has the class of an exception of its own by name. Classes of Python and of mlirad
are found by their names, others if a trace in this process has noted them: text from a file makes no other
object.

The first failure of a call is raised when the call ends. Compiled programs keep it in the record of the call,
interpreted ones note it here.
"""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mlirad import callbacks, errors
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
    ProgramError,
    is_from_signal,
    visible,
)

_KNOWN: Final = {"builtins": builtins, "mlirad.errors": errors}
"""The modules whose exceptions every process knows, by name."""

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
"""The exception of each kind of failure."""


class _Printing:
    """The display of text that programs print."""

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
    """The failures in the call that is under way in this thread."""

    def __init__(self) -> None:
        self.first: Exception | None = None


_failures = _Failures()


def perform(kind: str, message: str, source: str | None, values: Sequence[Any]) -> Exception | None:
    """Print the values of one lane, or give what went wrong in it."""
    if kind == "print":
        print(_printing.shown(message.format(*values)))  # noqa: T201 - what it is for
        return None
    if kind == "call":
        callbacks.perform(message, source, values)
        return None
    if kind == "exception":
        return program_error(message.format(*values), source)
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


# Exceptions of the program's own -----------------------------------------------------------------

_noted: Final[dict[str, type[Exception]]] = {}
"""Classes of exceptions that traced functions raise, by their names."""


def noted(error: Exception) -> str:
    """An exception as text: the name of its class, which is noted, and its message."""
    kind = type(error)
    name = f"{kind.__module__}.{kind.__qualname__}"
    _noted[name] = kind
    return f"{name}: {error.args[0] if len(error.args) == 1 else error}"


def program_error(text: str, source: str | None) -> Exception:
    """The exception that a text stands for, with the line that raises it as a note."""
    name, _, message = text.partition(": ")
    kind = _class_of(name)
    if kind is None:
        return ProgramError(text, location=source)
    made = _made(kind, message)
    if source is not None:
        made.add_note(f"raised at {source}")
    return made


def _class_of(name: str) -> type[Exception] | None:
    kind: Any = _noted.get(name)
    module, _, last = name.rpartition(".")
    if kind is None and module in _KNOWN:
        kind = getattr(_KNOWN[module], last, None)
    return kind if isinstance(kind, type) and issubclass(kind, Exception) else None


def _made(kind: type[Exception], message: str) -> Exception:
    """An exception with a message, also of a class whose `__init__` takes something else."""
    try:
        made = kind(message)
        if made.args == (message,):
            return made
    except Exception as error:
        if is_from_signal(error):
            raise
    made = kind.__new__(kind)
    made.args = (message,)
    return made
