"""The origin of each line of a listing: the op of the traced program, and the user's line.

    origins = Origins()
    origins.number(module)            every op of a traced module gets a number, as the column of its place
    origins.listed(module)            the text, and for each line the origin of the op that it is of

Passes hand places on, so the number of an op survives in all that is made of it, down to the comments in the
LLVM IR. An origin is a number of the table `places`: first those of ops, then those that are known by their
line alone; 0 is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from mlirad.ir.locations import FileLocation, place_of, read_place, source_location
from mlirad.lazy_dataclass import dataclass

_LOCATION = re.compile(r"\s*loc\((?:unknown|\"((?:[^\"\\]|\\.)*)\":(\d+):(\d+))\)\s*$")
_OF_ARGUMENT = re.compile(r" loc\((?:unknown|\"(?:[^\"\\]|\\.)*\":\d+:\d+)\)")

LONGEST_LINE = 500
"""The number of characters of a line that are kept: literals can be as long as they like."""


@dataclass(frozen=True)
class Listing:
    """The lines of a text, and the origin of each."""

    lines: list[str]
    origins: list[int]


@dataclass
class Origins:
    """The table of places, by their numbers."""

    places: list[FileLocation | None] = field(default_factory=lambda: [None])
    _known: dict[FileLocation, int] = field(default_factory=dict[FileLocation, int])

    def number(self, module: ModuleOp) -> None:
        """Give every op of a traced module that has a place a number of its own, as the column."""
        for op in module.walk():
            place = place_of(op.location)
            if place is not None:
                number = len(self.places)
                op.location = source_location(place.file, place.line, number)
                self.of(FileLocation(place.file, place.line, number))

    def of(self, place: FileLocation | None) -> int:
        """The number of a place."""
        if place is None:
            return 0
        known = self._known.get(place)
        if known is None:
            known = self._known[place] = len(self.places)
            self.places.append(place)
        return known

    def of_text(self, text: str | None) -> int:
        """The number of a place as `file:line:column`."""
        return 0 if text is None else self.of(read_place(text))

    def is_op(self, number: int) -> bool:
        """Return whether an origin is an op of the traced program."""
        place = self.places[number]
        return place is not None and place.column == number

    def listed(self, module: ModuleOp) -> Listing:
        """A module as MLIR text. A line that opens a region is of the op whose region it is."""
        stream = StringIO()
        Printer(stream=stream, print_debuginfo=True).print_op(module)
        return self._read(stream.getvalue().splitlines())

    def _read(self, texts: Sequence[str]) -> Listing:
        lines: list[str] = []
        origins: list[int] = []
        opened: list[int] = []
        for text in texts:
            found = _LOCATION.search(text)
            origin = 0
            if found is not None:
                text = text[: found.start()]
                if found[1] is not None:
                    origin = self.of(
                        FileLocation(found[1].replace("\\\\", "\\"), int(found[2]), int(found[3]))
                    )
            closes = text.lstrip()[:1] in ("}", ")")
            if closes and opened:
                first = opened.pop()
                if found is not None:
                    origins[first] = origin
            if text.rstrip().endswith("{"):
                opened.append(len(lines))
            text = _OF_ARGUMENT.sub("", text)
            lines.append(text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]} …")
            origins.append(origin)
        return Listing(lines, origins)
