"""`assert`: Python's, or a report that raises when the program runs, where the condition is traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlirad.frontend.constructs.loops import flag_of
from mlirad.frontend.control_flow.state import is_traced
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.tokens import ReportsNeeded, has_reports, report


def assert_(condition: Any, message: Callable[[], Any] | None, shown: str) -> None:
    """`assert condition, message()`. A message that is not a string is left out of a report."""
    if not is_traced(condition):
        if not condition:
            raise AssertionError(*(() if message is None else (message(),)))
        return
    flag = flag_of(condition, "`assert`").value
    if not has_reports():
        raise ReportsNeeded
    said = message() if message is not None else None
    text = said if isinstance(said, str) else f"this does not hold: {shown}"
    b = emitting()
    report("assertion", b.logical_not(flag), [], text.replace("{", "{{").replace("}", "}}"))
