"""`--verify-diagnostics`: comments in the input say which messages must come, and where.

    %y = array.neg %b : i1          // expected-error {{operand must be}}
    // expected-error @+1 {{is not defined}}
    // expected-error-re @below {{rank [0-9]+}}       a regular expression

The text in braces must occur in the message. The place is the comment's own line, or `@+n`, `@-n`, `@n`
(that line), `@below` and `@above` (the nearest line that is not itself such a comment), or `@unknown` for a
message without a place. Every error must be expected and every expectation met; a note need not be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlirad.ir.locations import FileLocation
from mlirad.lazy_dataclass import dataclass
from mlirad.tools.diagnostics import Diagnostic, Source

_EXPECTED = re.compile(
    r"expected-(?P<kind>error|note|warning|remark)(?P<regex>-re)?\s*"
    r"(?:@(?P<where>[+-]\d{1,9}|\d{1,9}|above|below|unknown))?\s*\{\{(?P<text>.*?)\}\}(?!\})"
)


@dataclass(frozen=True)
class Expectation:
    """A message that must come: its kind, its line (`None`: without a place), its text and that as a pattern.

    `written` is where the comment stands.
    """

    kind: str
    line: int | None
    text: str
    pattern: re.Pattern[str]
    written: FileLocation

    def matches(self, diagnostic: Diagnostic, source: Source) -> bool:
        """Return whether `diagnostic` is what was expected."""
        place = diagnostic.place
        here = None if place is None or place.file != source.name else place.line
        # A note follows its error and has no place of its own.
        same_line = self.line == here or (self.kind == "note" and place is None)
        return self.kind == diagnostic.kind and same_line and bool(self.pattern.search(diagnostic.message))


def expectations_in(source: Source) -> tuple[list[Expectation], list[Diagnostic]]:
    """Every expectation that the comments of `source` state, and what is wrong with how they state it."""
    found: list[Expectation] = []
    wrong: list[Diagnostic] = []
    waiting: list[tuple[str, str, re.Pattern[str], FileLocation]] = []
    last_plain = 0
    for number, line in enumerate(source.text.split("\n"), start=1):
        comment = line.find("//")
        matches = [] if comment < 0 else list(_EXPECTED.finditer(line, comment))
        if not matches:
            found += [
                Expectation(kind, number, text, pattern, place) for kind, text, pattern, place in waiting
            ]
            waiting.clear()
            last_plain = number
            continue
        for match in matches:
            place = FileLocation(source.name, number, match.start() + 1)
            text = match["text"] if match["regex"] else re.escape(match["text"])
            try:
                pattern = re.compile(text)
            except re.error as error:
                wrong.append(Diagnostic("error", f"not a regular expression: {error}", place))
                continue
            if match["where"] == "below":
                waiting.append((match["kind"], match["text"], pattern, place))
                continue
            where = _line(match["where"], number, last_plain)
            found.append(Expectation(match["kind"], where, match["text"], pattern, place))
        if line[:comment].strip():
            last_plain = number
    wrong += [Diagnostic("error", "there is no line below", place) for *_, place in waiting]
    return found, wrong


def _line(where: str | None, number: int, last_plain: int) -> int | None:
    match where:
        case None:
            return number
        case "above":
            return last_plain
        case "unknown":
            return None
        case relative if relative[0] in "+-":
            return number + int(relative)
        case absolute:
            return int(absolute)


def compare(found: Sequence[Diagnostic], source: Source) -> list[Diagnostic]:
    """Return what differs between the messages that came and those that `source` expects; empty if nothing
    does.
    """
    expected, differences = expectations_in(source)
    missing = list(expected)
    for diagnostic in found:
        for expectation in missing:
            if expectation.matches(diagnostic, source):
                missing.remove(expectation)
                break
        else:
            if diagnostic.kind != "note":
                text = f"unexpected {diagnostic.kind}: {diagnostic.message}"
                differences.append(Diagnostic("error", text, diagnostic.place))
    for expectation in missing:
        text = f"expected {expectation.kind} was not reported: {expectation.text}"
        differences.append(Diagnostic("error", text, expectation.written))
    return sorted(differences, key=lambda d: (0, 0) if d.place is None else d.place[1:])
