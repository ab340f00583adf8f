"""Exceptions that the program raises when it runs, where a condition holds.

raise_where(x < 0, ValueError("x is negative"))       reported, and raised when the call ends
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlirad.frontend.constructs.endings import end_where
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.raising import unsupported_error
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

    Raises `UnsupportedError` where an `except` around it would catch that.
    """
    if current_frame().functions.is_early:
        raise Conditional
    for kinds in current_frame().functions.tries:
        if isinstance(error, kinds()):
            raise unsupported_error(
                f"{type(error).__name__} is raised under a traced condition, and an `except` around it "
                "catches it",
                "compute both results, and choose one: np.where(condition, other, result)",
            )
    if not has_reports():
        raise ReportsNeeded
    end_where(condition)
    report("exception", condition.value, [], noted(error).replace("{", "{{").replace("}", "}}"))
