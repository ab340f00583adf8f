"""The prose of the project, sentence by sentence: docstrings, comments, messages and pages.

    for sentence in sentences():
        sentence.place, sentence.kind, sentence.text      "mlirad/tree.py:5", "docstring", "Pytrees of ..."

Kinds are `docstring`, `comment`, `string` (all other string literals, messages among them) and `page`.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

FOLDERS = ("mlirad", "tests", "docs", "examples", "benchmarks", "tools", "lit")

COMMENTS = {".c": "//", ".h": "//", ".js": "//", ".mlir": "//", ".toml": "#", ".yml": "#", "": "#"}
"""The beginning of a comment by the suffix of a file; `Makefile` has none."""

UNKNOWN = re.compile(
    r"\bof[ ]which\b|\b(so[ ]many(?! that)|(?<!round[ -])tri[p]s?|hand(s|ed)[ ]on|ane[w])\b", re.IGNORECASE
)
"""Words that only those who wrote the compiler understand, and turns that no native engineer writes."""

HEADLESS = re.compile(
    r"(What|Whether|Which|Whose|How (many|often|long|deep|deeply|large|old|much|far|few))\b"
)
"""The beginnings of sentences without the noun that they are about."""

FIRST = re.compile(
    rf"{HEADLESS.pattern}|(How|Where|Whatever|Whenever|Of)\b|By (the|its|their|name|what|which|how)\b"
    r"|(After|At|As|Below|Beyond|For|From|In|Into|On|To|Under|Up to|With) (how|what|which|whose)\b"
)
"""The same at the beginning of a docstring, which names what it describes."""

_BOUNDARY = re.compile(r"(?<=[.!?])\s+(?=[A-Z`(\"*_\[0-9])|\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.) )")

_MARK = re.compile(r"^\s*(//|#+|;)? ?([-*>] |\d+\. )?(\*\*)?", re.MULTILINE)

_STRING = re.compile(r"""(?s)[rbufRBUF]*('{3}|"{3}|'|")(.*)\1""")

_BEFORE_DOCSTRINGS = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


@dataclass(frozen=True)
class Sentence:
    """A sentence, `is_first` of its docstring, comment, string or page."""

    place: str
    kind: str
    text: str
    is_first: bool


def sentences() -> Iterator[Sentence]:
    """All sentences of the project that may be of interest: with a word of these patterns at a beginning."""
    for path in files():
        text = path.read_text()
        if not (UNKNOWN.search(text) or FIRST.search(text)):
            continue
        for kind, at, piece in _pieces(path, text):
            line = text.count("\n", 0, at) + 1
            place = f"{path.relative_to(ROOT)}:{line}"
            parts = _BOUNDARY.split(piece)
            for number, sentence in enumerate(parts if kind != "page" else _with_cells(parts)):
                clean = " ".join(_MARK.sub("", sentence).split())
                if clean:
                    yield Sentence(place, kind, clean, number == 0)


def _with_cells(parts: list[str]) -> Iterator[str]:
    """Sentences of a page, and the cells of the tables among them."""
    for part in parts:
        yield from part.strip().split("|") if part.lstrip().startswith("|") else [part]


def files() -> Iterator[Path]:
    """The files with prose; `CHANGELOG.md` is history."""
    known = {".py", ".md", *COMMENTS}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in known - {""} and "build" not in path.relative_to(ROOT).parts:
                yield path
    for path in sorted(ROOT.iterdir()):
        if path.name in ("Makefile", "pyproject.toml", "mkdocs.yml") or (
            path.suffix == ".md" and path.name != "CHANGELOG.md"
        ):
            yield path


def _pieces(path: Path, text: str) -> Iterator[tuple[str, int, str]]:
    if path.suffix == ".py":
        yield from _of_python(text)
    elif path.suffix == ".md":
        yield "page", 0, re.sub(r"(?s)```.*?```", lambda found: "\n" * found[0].count("\n"), text)
    else:
        yield from _comments(text, COMMENTS[path.suffix])


def _of_python(text: str) -> Iterator[tuple[str, int, str]]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    before = tokenize.ENCODING
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        at = starts[token.start[0] - 1] + token.start[1]
        if token.type == tokenize.STRING:
            found = _STRING.fullmatch(token.string)
            assert found is not None
            yield "docstring" if before in _BEFORE_DOCSTRINGS else "string", at, found[2]
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type
    yield from _comments(text, "#", code=_without_strings(text, starts))


def _without_strings(text: str, starts: list[int]) -> str:
    """The text with blanks in the place of strings, whose marks begin no comment."""
    characters = list(text)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            for k in range(
                starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]
            ):
                if characters[k] != "\n":
                    characters[k] = " "
    return "".join(characters)


def _comments(text: str, mark: str, code: str | None = None) -> Iterator[tuple[str, int, str]]:
    """The comments, those on lines of their own with what follows them on such lines."""
    code = text if code is None else code
    for found in re.finditer(rf"(?m)^[ \t]*{mark}.*(\n[ \t]*{mark}.*)*|{mark}.*", code):
        yield "comment", found.start(), text[found.start() : found.end()]
