"""Exceptions that the program raises when it runs, where a condition holds.

raise_where(x < 0, ValueError("x is negative"))       reported, and raised when the call ends
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlirad.errors import UnsupportedError
from mlirad.frontend.constructs.endings import end_where
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.tokens import ReportsNeeded, has_reports, report
from mlirad.reports import noted


class Conditional(Exception):
    """Code that is computed although Python might not would have the program raise an exception."""


def computed_early(compute: Callable[[], Any]) -> Any:
    """Run code that Python runs under a condition only. Raises `Conditional` if it can fail."""
    functions = current_frame().functions
    was_early, functions.is_early = functions.is_early, True
    try:
        return compute()
    finally:
        functions.is_early = was_early


def raise_where(condition: Array, error: Exception) -> None:
    """Have the program raise an error where a condition holds.

    Where an `except` around it would catch that, it is an `UnsupportedError`: programs do not go there.
    """
    if any(isinstance(error, kinds()) for kinds in current_frame().functions.tries):
        refuse_where(condition, f"{type(error).__name__} is raised under a traced condition, and an `except`")
    else:
        _raise(condition, error)


def refuse_where(condition: Array, what: str) -> None:
    """Have the program raise an `UnsupportedError` where Python raises an exception that code catches.

    `what` says that, up to the word `except`.
    """
    error = UnsupportedError(
        f"{what} around it catches it, where a compiled function cannot go on",
        hint="compute both results, and choose one: np.where(condition, other, result)",
    )
    _raise(condition, error)


def _raise(condition: Array, error: Exception) -> None:
    if current_frame().functions.is_early:
        raise Conditional
    if not has_reports():
        raise ReportsNeeded
    end_where(condition)
    report("exception", condition.value, [], noted(error).replace("{", "{{").replace("}", "}}"))
