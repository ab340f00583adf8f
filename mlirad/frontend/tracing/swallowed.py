"""Errors about what cannot be traced that the traced code caught, so that its other way is what is compiled.

    try:
        return math.exp(x)          a TracingError in a trace, and never outside of one
    except Exception:
        return 1e300                what the program would compute for every x

Code that names mlirad's errors (`except ad.TracingError`) knows what it does. Any other handler was written
for errors of plain Python, and gets a warning. Errors that NumPy raises as well, such as those about shapes,
are no concern of this.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Final

from mlirad import errors
from mlirad.errors import MliradError, SwallowedErrorWarning
from mlirad.frontend.tracing.open_traces import Raised
from mlirad.frontend.tracing.source import is_own_frame
from mlirad.frontend.tracing.try_statements import guards_around
from mlirad.lazy_dataclass import dataclass

_OWN_NAMES: Final = frozenset(
    name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, MliradError)
)


@dataclass(frozen=True)
class Swallowed:
    """An error that was caught: in which function, at which line of the `try`."""

    error: MliradError
    frame: FrameType
    line: int


def swallowed(raised: Iterable[Raised]) -> Iterator[Swallowed]:
    """The errors that a trace has survived because code of the user, or of a package, caught them."""
    for error, asking in raised:
        entry = error.__traceback__
        if entry is None:
            continue
        frame, line = entry.tb_frame, entry.tb_lineno
        while entry is not None and is_own_frame(entry.tb_frame):
            entry = entry.tb_next
        is_replaced = entry is None
        if is_replaced:  # by an error of NumPy or Python, raised by code in C that asked for a number
            if asking is None:
                continue
            frame, line = asking.frame, asking.line
        elif is_own_frame(frame):
            continue  # mlirad caught it, to try something else
        catching = _catching(frame, line)
        if (catching or not is_replaced) and not any(map(_names_own_errors, catching)):
            yield Swallowed(error, frame, line)


def warn_of_swallowed(raised: Iterable[Raised]) -> None:
    """Warn of errors that were caught, once for each place."""
    seen: set[tuple[str, int]] = set()
    for found in swallowed(raised):
        file = found.frame.f_code.co_filename
        if (file, found.line) in seen:
            continue
        seen.add((file, found.line))
        warnings.warn_explicit(
            f"{found.frame.f_code.co_name} catches an error that there is in traces alone, and goes on in "
            f"another way, which is compiled: {found.error.message}\n  hint: {found.error.hint}; or catch "
            "errors by their names, such as `except OverflowError`, and ad.TracingError where this is meant",
            SwallowedErrorWarning,
            file,
            found.line,
        )


def _catching(frame: FrameType, line: int) -> list[ast.expr | None]:
    """The types in the handlers of the innermost `try` around a line that catch such errors."""
    for guard in reversed(guards_around(frame, line)):
        catching = [kind for kind in guard.caught if _catches(kind)]
        if catching:
            return catching
    return []


def _catches(kind: ast.expr | None) -> bool:
    if kind is None:
        return True
    named = _named(kind)
    return not named.isdisjoint(_BROAD) or _names_own_errors(kind) or not named


_BROAD: Final = frozenset(("BaseException", "Exception", "TypeError", "ValueError"))
"""The classes by which a handler catches a `TracingError`, or an error that NumPy raises in its place."""


def _names_own_errors(kind: ast.expr | None) -> bool:
    return kind is not None and not _named(kind).isdisjoint(_OWN_NAMES)


def _named(node: ast.expr) -> set[str]:
    return {
        n.attr if isinstance(n, ast.Attribute) else n.id
        for n in ast.walk(node)
        if isinstance(n, ast.Attribute | ast.Name)
    }
