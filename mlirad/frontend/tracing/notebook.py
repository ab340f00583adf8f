"""Displays of objects in notebooks, as HTML: tables and programs. All text is escaped.

html_table("LinearMap", [("shape", "3 x 4"), ("made of", "2 arrays, 96 bytes")])
html_columns("Profile", ("share", "ms", "kernel"), [("80.0 %", "1.2", "k1 add")], [0.8], ["1.5 ms a call"])
html_program("sin", "builtin.module {...}")
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

LONGEST = 2000
"""The number of characters of a text in a table that are shown."""

MOST_LINES = 1000
"""The number of lines of a program that are shown."""

_CELL = 'style="text-align: left; vertical-align: top; white-space: pre-wrap"'
_NUMBER = "text-align: right; white-space: pre"
_WORDS = "text-align: left; white-space: pre"
_BAR = "background: linear-gradient(to left, rgba(80, 140, 220, 0.35) {0:.1f}%, transparent {0:.1f}%)"


def html_table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """Return a title and a row for each pair of a name and a text; longer texts are cut."""
    from html import escape  # which imports the names of all entities

    body = "".join(
        f"<tr><th {_CELL}>{escape(name)}</th><td {_CELL}><code>{escape(_cut(text))}</code></td></tr>"
        for name, text in rows
    )
    return f"<div><strong>{escape(title)}</strong><table>{body}</table></div>"


def html_columns(
    title: str,
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    shares: Iterable[float],
    notes: Iterable[str] = (),
    *,
    words: int = 1,
) -> str:
    """Return a title, a table of named columns with a bar for the share of each row, and lines below it.

    The last columns, as many as `words`, have words; those before have numbers.
    """
    from html import escape

    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{_cells([escape(_cut(text)) for text in row], share, words)}</tr>"
        for row, share in zip(rows, shares, strict=True)
    )
    below = escape("\n".join(notes))
    table = f"<table><tr>{head}</tr>{body}</table>"
    return f"<div><strong>{escape(title)}</strong>{table}<pre>{below}</pre></div>"


def html_program(title: str, text: str) -> str:
    """Return a title and the text of a program, whose first lines are shown."""
    from html import escape

    lines = text.split("\n")
    rest = len(lines) - MOST_LINES
    shown = "\n".join(lines[:MOST_LINES]) + (f"\n… and {rest} more lines" if rest > 0 else "")
    return f"<div><strong>{escape(title)}</strong><pre>{escape(shown)}</pre></div>"


def _cells(texts: Sequence[str], share: float, words: int) -> str:
    """Return the cells of a row. The first one has the bar."""
    bar = _BAR.format(100 * min(max(share, 0.0), 1.0))
    styles = [f"{_NUMBER}; {bar}", *[_NUMBER] * (len(texts) - words - 1), *[_WORDS] * words]
    return "".join(f'<td style="{style}">{text}</td>' for style, text in zip(styles, texts, strict=True))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
