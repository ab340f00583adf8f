"""Docstrings are in the field's words, and begin with what they describe."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import mlirad

PACKAGE = Path(mlirad.__file__).parent

HEADLESS = re.compile(r"(How (many|often|long|deep|deeply|large|old|much)|Whether|So many)\b")
"""The beginnings of sentences that lack the noun which they are about."""

PRIVATE = re.compile(r"\b(so many(?! that)|(?<!round )trips?|handed on|made anew)\b", re.IGNORECASE)
"""Words that only those who wrote the compiler understand."""


def docstrings() -> Iterator[tuple[str, str]]:
    """The docstrings of the package, those of constants and fields among them, with where they are."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            for statement in (
                getattr(node, "body", ()) if not isinstance(node, ast.Lambda | ast.IfExp) else ()
            ):
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    text = statement.value.value
                    if isinstance(text, str):
                        yield f"{path.relative_to(PACKAGE)}:{statement.lineno}", " ".join(text.split())


def test_docstrings_begin_with_what_they_describe() -> None:
    found = list(docstrings())
    assert len(found) > 5000
    assert [(place, text[:80]) for place, text in found if HEADLESS.match(text)] == []


def test_docstrings_are_in_the_words_of_the_field() -> None:
    assert [(place, text[:80]) for place, text in docstrings() if PRIVATE.search(text)] == []
