"""The location of a call in the user's code: the innermost one outside mlirad and NumPy.

y = np.sum(x * x)      # model.py, line 12      -->  ("model.py", 12)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

from mlirad.packages import folder_of

LIBRARIES: Final = ("numpy", "scipy", "xdsl", "llvmlite")
"""Packages that mlirad calls itself while it traces."""

CYTHON: Final = frozenset(("<stringsource>", "View.MemoryView"))
"""The files of the code that Cython adds to what it compiles."""

_OWN = f"{Path(__file__).parents[2]}/"
_FOLDERS = (_OWN, *(f"{Path(folder_of(package))}/" for package in LIBRARIES))
_skipped: dict[str, bool] = {}
"""True if a file belongs to one of these packages, by its name."""


def user_place() -> tuple[str, int] | None:
    """File and line of the innermost call outside these packages, or `None`."""
    frame = user_frame()
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def user_frame() -> FrameType | None:
    """The innermost call outside these packages, or `None`."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        if not _is_skipped(frame.f_code.co_filename) and not _is_generated(frame):
            return frame
        frame = frame.f_back
    return None


def _is_skipped(file: str) -> bool:
    """Return whether a file is not the user's."""
    known = _skipped.get(file)
    if known is None:
        known = _skipped[file] = file.startswith((*_FOLDERS, "<frozen", "<__array_function__"))
    return known


def _is_generated(frame: FrameType) -> bool:
    """Return whether code is a method that `dataclass` made of a class of mlirad; such code has no file."""
    is_nowhere = frame.f_code.co_filename == "<string>"
    return is_nowhere and str(frame.f_globals.get("__name__")).partition(".")[0] == "mlirad"


def codes_on_stack() -> Iterator[CodeType]:
    """The code of all calls that lead here."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def is_user_file(file: str) -> bool:
    """Return whether code in a file, named as in its code objects, is the user's own."""
    return not _is_skipped(file) and not file.endswith(".pyx") and file not in CYTHON


def is_own_frame(frame: FrameType) -> bool:
    """Return whether a call is one of mlirad's, or of what imports modules."""
    return frame.f_code.co_filename.startswith((_OWN, "<frozen importlib")) or _is_generated(frame)


def traceback_line(error: BaseException) -> str | None:
    """The user's innermost place in the traceback of an error, as `file:line`."""
    found = None
    traceback = error.__traceback__
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if is_user_file(file) and not _is_generated(traceback.tb_frame):
            found = f"{file}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return found


def user_line() -> str | None:
    """The user's place as `file:line`, as errors print it."""
    place = user_place()
    return None if place is None else f"{place[0]}:{place[1]}"
