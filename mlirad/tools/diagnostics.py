"""Reports of the command-line tools: an error with its location, the line it is on and a caret.

f.mlir:3:8: error: array.add: operands must have one type, got f64 and f32
  %y = array.add %x, %x : f64, f32 -> f64
       ^
note: broadcast or convert one of them
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from mlirad.errors import MliradError, ParseError, visible
from mlirad.ir.locations import FileLocation, read_place
from mlirad.ir.parsing import place_of_offset
from mlirad.lazy_dataclass import dataclass

STDIN = "<stdin>"
"""The name of standard input in messages."""

MAX_LINE = 400
"""Longer source lines are not shown."""


@dataclass(frozen=True)
class Diagnostic:
    """One message: `kind` is `error`, `warning` or `note`, `place` is `None` where no place is known."""

    kind: str
    message: str
    place: FileLocation | None


@dataclass(frozen=True)
class Source:
    """The text of an input and the name that messages give it."""

    name: str
    text: str

    def line(self, number: int) -> str | None:
        """Line `number`, counted from 1, without its end; `None` if there is no such line."""
        lines = self.text.split("\n", number)
        return lines[number - 1].rstrip("\r") if 1 <= number <= len(lines) else None


def read_source(path: str) -> Source:
    """The text of a file, or of standard input for `-`.

    Raises `ParseError` if it cannot be read, or is not UTF-8, with the place of the first wrong byte.
    """
    name = STDIN if path == "-" else path
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ParseError(f"cannot read {name}: {reason}") from error
    try:
        return Source(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        good = data[: error.start].decode("utf-8")
        place = place_of_offset(good, len(good), name)
        raise ParseError("the text is not valid UTF-8", location=str(place)) from error


def diagnostics_of(error: MliradError) -> list[Diagnostic]:
    """The error and, as a note, what to do about it."""
    place = None if error.location is None else read_place(error.location)
    message = error.message
    if place is None and error.location is not None:
        message = f"{error.location}: {message}"
    found = [Diagnostic("error", message, place)]
    if error.hint is not None:
        found.append(Diagnostic("note", error.hint, None))
    return found


def print_diagnostics(found: list[Diagnostic], source: Source | None, stream: TextIO | None = None) -> None:
    """Print each, with the source line and a caret where it is a line of `source`; to stderr by default."""
    stream = sys.stderr if stream is None else stream
    for diagnostic in found:
        place = diagnostic.place
        where = "" if place is None else f"{place}: "
        print(visible(f"{where}{diagnostic.kind}: {diagnostic.message}"), file=stream)
        if place is None or source is None or place.file != source.name:
            continue
        line = source.line(place.line)
        if line is None or len(line) > MAX_LINE:
            continue
        print(visible(line), file=stream)
        if place.column:
            left = line[: place.column - 1]
            before = "".join(c if c == "\t" else " " for c in visible(left))
            print(before + " " * (place.column - 1 - len(left)) + "^", file=stream)


def report(error: MliradError, source: Source | None = None) -> None:
    """Print an error to stderr."""
    print_diagnostics(diagnostics_of(error), source)


def warn(message: str) -> None:
    """Print a warning to stderr."""
    print_diagnostics([Diagnostic("warning", message, None)], None)
