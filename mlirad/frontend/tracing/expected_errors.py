"""Exceptions that plain Python raises for some values, where code of the user expects them by their names.

    try:
        return rates[k]             reads 0 in a program, where k is outside
    except IndexError:
        return default              what the program would never compute

A program has a value where Python raises `IndexError`, `ZeroDivisionError`, or what functions of `math`
raise. Where code catches one of these by its name, the program raises an error for such values, or the
operation is refused. Handlers of `Exception` and of all exceptions are taken for what guards against errors
that are not expected.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Final

from mlirad.frontend.tracing.raising import unsupported_error
from mlirad.frontend.tracing.source import is_own_frame
from mlirad.frontend.tracing.try_statements import guards_around

OF_POSITIONS: Final = ("LookupError", "IndexError")
OF_DIVISIONS: Final = ("ArithmeticError", "ZeroDivisionError")
OF_MATH: Final = ("ArithmeticError", "OverflowError", "ValueError")
"""The names by which `except` catches the exceptions of a kind of operation."""

_NAMES: Final = frozenset((*OF_POSITIONS, *OF_DIVISIONS, *OF_MATH))


def require_unexpected(kinds: tuple[str, ...], what: str, hint: str) -> None:
    """Raise `UnsupportedError` where a `try` around the call catches exceptions of these names.

    `what` is the operation that raises them in Python, and `hint` says what to write.
    """
    name = expected(kinds)
    if name is not None:
        raise unsupported_error(
            f"{what} raises an exception in Python for some values, which `except {name}` around it "
            "catches, and none in a program",
            hint,
        )


def expected(kinds: tuple[str, ...]) -> str | None:
    """One of these names by which a `try` around the call catches exceptions, `None` if it catches none."""
    for frame in _frames():
        for name in frame.f_code.co_names:
            if name in _NAMES and name in kinds and name in _caught(frame):
                return name
    return None


def _frames() -> Iterator[FrameType]:
    """The calls of the user's, and of packages, in the trace under way."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        if not is_own_frame(frame):
            yield frame
        elif frame.f_code.co_name == "in_trace":
            return
        frame = frame.f_back


def _caught(frame: FrameType) -> frozenset[str]:
    """The names that handlers around the line of a call catch."""
    types = [kind for guard in guards_around(frame, frame.f_lineno) for kind in guard.caught if kind]
    return frozenset(n.id for kind in types for n in ast.walk(kind) if isinstance(n, ast.Name)) & _NAMES
