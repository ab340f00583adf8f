"""A line on stderr that tells how far a long compile is.

    mlirad compiles loss: form-kernels, step 19 of 24, 7 s

It appears after two seconds, is rewritten twice a second, and goes when the compile ends. That is on a
terminal; if stderr is not a terminal and the line is asked for all the same, as for a log, each step met is a
line of its own, which stays.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import chain
from typing import Any, Final, TextIO, TypeVar

from mlirad.errors import ArgumentError
from mlirad.jit.forking import CompileLock
from mlirad.lazy_dataclass import dataclass

T = TypeVar("T")

VARIABLE: Final = "MLIRAD_PROGRESS"
_CHOICES: Final = {"on": True, "off": False}

DELAY: Final = 2.0
"""Seconds that a compile takes before there is a line."""

BETWEEN: Final = 0.5
"""Seconds between two looks at how far it is."""


@dataclass
class _Setting:
    """The setting of this process, or None if it is not set."""

    is_shown: bool | None = None


_setting = _Setting()
_taken: Final[Any] = CompileLock()
"""Held by the writer of the line: of several compiles in threads, or one inside another, the first has it."""


def set_shown(value: bool) -> None:
    """Say whether long compiles of this process tell how far they are."""
    _setting.is_shown = value


def is_shown() -> bool:
    """Return whether they do. Raises `ArgumentError` for an environment variable that is neither `on` nor
    `off`.
    """
    if _setting.is_shown is not None:
        return _setting.is_shown
    asked = os.environ.get(VARIABLE, "").lower()
    if asked:
        if asked not in _CHOICES:
            raise ArgumentError(
                f"{VARIABLE} is {asked!r}", hint=f"set it to {' or '.join(_CHOICES)}, or leave it unset"
            )
        return _CHOICES[asked]
    return _is_terminal(sys.stderr)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


@dataclass
class ProgressLine:
    """The progress line of one compile."""

    name: str
    _start: float = field(default_factory=time.monotonic)
    _steps: tuple[str, ...] = ()
    _step: str = "begins"
    _number: int = 0
    _width: int = 0
    _shown: str = ""

    def expect(self, *steps: Sequence[str]) -> None:
        """Say which steps there will be."""
        self._steps = tuple(chain(*steps))

    def begin(self, step: str) -> None:
        """Note that a step begins: the next one of this name, or the first where all are run once more.

        That run may have steps of its own.
        """
        places = [k for k, name in enumerate(self._steps, 1) if name == step]
        if places:
            self._number = next((k for k in places if k > self._number), places[0])
        self._step = step

    def keep_written(self, stream: TextIO, running: Any) -> None:
        """Write it until the lock is free, if that is not soon, and leave the terminal as it was."""
        if running.acquire(timeout=DELAY) or not _taken.acquire(blocking=False):
            return
        try:
            with suppress(OSError, ValueError):  # where nobody reads it any more
                self._write(stream)
                while not running.acquire(timeout=BETWEEN):
                    self._write(stream)
                if self._width:
                    stream.write("\r" + " " * self._width + "\r")
                    stream.flush()
        finally:
            _taken.release()

    def _write(self, stream: TextIO) -> None:
        """Show where the compile is, in place of what was shown before."""
        where = f"mlirad compiles {self.name}: {self._step}, step {self._number} of {len(self._steps)}"
        if not _is_terminal(stream):
            if where != self._shown:
                stream.write(where + "\n")
            self._shown = where
            return
        text = f"{where}, {time.monotonic() - self._start:.0f} s"[: _columns(stream) - 1]
        stream.write("\r" + text.ljust(self._width))
        stream.flush()
        self._width = len(text)


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def with_progress(name: str, work: Callable[[ProgressLine], T]) -> T:
    """Return what a compile gives that is called with its line, and says there where it is."""
    line, stream = ProgressLine(name), sys.stderr
    if not is_shown() or stream is None:
        return work(line)
    running = threading.Lock()
    writer = threading.Thread(target=line.keep_written, args=(stream, running), daemon=True)
    try:
        with running:  # which is free again whatever ends the work, and then the writer ends
            writer.start()
            return work(line)
    finally:
        if writer.is_alive():
            writer.join()
