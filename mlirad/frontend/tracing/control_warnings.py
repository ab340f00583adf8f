"""Sentences about control flow that a trace met: functions rewritten by themselves, and foreign errors.

model.py:12: the truth of Array(x: float64[]) is not known ..., so loss was traced again with its control
flow rewritten: loss (model.py:10), helper (tools.py:3)
"""

from __future__ import annotations

import re
import warnings
from typing import Final

from mlirad.errors import ControlFlowWarning, MliradError, TracingError
from mlirad.frontend.tracing.code_reads import is_program_file
from mlirad.frontend.tracing.control import Control
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.source import CYTHON, user_place

MOST_NAMES: Final = 6
"""The number of functions that a warning names."""

_named: set[str] = set()
"""The functions that a warning has named, with their lines."""


def warn_of_control(control: Control) -> None:
    """Warn of functions that were rewritten without being asked for, once."""
    if control.mode == "auto" and control.is_rewriting and not _named.issuperset(control.rewritten):
        _named.update(control.rewritten)
        names = list(control.rewritten)
        more = "" if len(names) <= MOST_NAMES else f" and {len(names) - MOST_NAMES} more"
        _warn(
            f"functions are traced with their control flow rewritten: {', '.join(names[:MOST_NAMES])}{more}; "
            f"{_told(control.causes[0])}",
            'say that it is meant: ad.jit(f, control="rewrite"); or forbid it: control="plain"',
        )


def note_changed(error: BaseException, changed: list[str]) -> None:
    """Note, in the error of a plain trace, why the function is not traced again with rewriting."""
    error.add_note(
        "mlirad: it is not traced again with its control flow rewritten, because the trace has changed "
        f"{', '.join(changed[:MOST_NAMES])}\n"
        '  hint: pass that as an argument, or have the source rewritten at once: ad.jit(f, control="rewrite")'
    )


def note_foreign(error: BaseException, control: Control) -> None:
    """Note an error of code that does not take traced arrays, which rewriting may go round.

    Functions that Numba compiles are such code: rewritten code calls the function that was compiled. So are
    NumPy's functions that make arrays, np.arange(n), where n is a size.
    """
    if isinstance(error, TracingError) and error.makes_array and not control.is_rewriting:
        control.blocked.append(error)
    is_foreign = isinstance(error, Exception) and not isinstance(error, MliradError)
    if not is_foreign or control.blocked:
        return
    if control.is_rewriting:
        from mlirad.frontend.tracing.entered import entered_at  # which most programs do without

        if not (_NAMES_TRACED.search(str(error)) and control.notes_entered(entered_at(error))):
            return
    if isinstance(error, TypeError) or not _is_raised_by_program(error):
        control.blocked.append(
            tracing_error(
                f"code that does not take traced arrays raised {error!r}",
                "convert or check arguments before the traced function",
            )
        )


def explain_blocked(error: BaseException, control: Control) -> None:
    """Note, in an error that is not mlirad's, that a traced value is behind it."""
    if isinstance(error, MliradError) or not isinstance(error, Exception):
        return
    if _ASKS_FOR_MEMORY.search(str(error)):
        error.add_note(
            "mlirad: compiled code asks for the memory of an array, and an array of a function that is being "
            "traced has none yet\n"
            "  hint: write it with NumPy's functions; or call it by ad.callback, with its derivative by "
            "ad.custom_derivative"
        )
    elif control.blocked:
        hint = control.blocked[0].hint
        error.add_note(f"mlirad: {_told(control.blocked[0])}" + ("" if hint is None else f"\n  hint: {hint}"))
    elif _NAMES_TRACED.search(str(error)) or not _is_raised_by_program(error):
        error.add_note(
            "mlirad: this function is being traced, so it computes with traced arrays, which have a shape, a "
            "dtype, and no elements; code that insists on arrays of NumPy or on numbers refuses them\n"
            "  hint: convert or check arguments before the traced function, or call what is behind the check"
        )


_ASKS_FOR_MEMORY: Final = re.compile(r"buffer API|a bytes-like object is required")
"""Words of functions in C for the memory that traced arrays lack."""

_NAMES_TRACED: Final = re.compile(r"\b(Array|Rows|ComplexArray)\b|buffer API")
"""Words for traced values in messages of functions in C: class names, and the memory that they lack."""


def _told(error: MliradError) -> str:
    return error.message if error.location is None else f"{error.location}: {error.message}"


def _is_raised_by_program(error: BaseException) -> bool:
    """Return whether the innermost frame of an error is one of the program, not of a package."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    file = "" if traceback is None else traceback.tb_frame.f_code.co_filename
    return file not in CYTHON and (not file or is_program_file(file))


def _warn(message: str, hint: str) -> None:
    file, line = user_place() or ("<unknown>", 0)
    warnings.warn_explicit(f"{message}\n  hint: {hint}", ControlFlowWarning, file, line)
