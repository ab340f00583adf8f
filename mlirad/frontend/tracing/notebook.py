"""What objects show of themselves in notebooks: a title and a table, as HTML. All text is escaped.

html_table("LinearMap", [("shape", "3 x 4"), ("made of", "2 arrays, 96 bytes")])
"""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 2000
"""How many characters of a text are shown."""

_CELL = 'style="text-align: left; vertical-align: top; white-space: pre-wrap"'


def html_table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """A title and a row for each pair of a name and a text; longer texts are cut."""
    from html import escape  # which imports the names of all entities

    body = "".join(
        f"<tr><th {_CELL}>{escape(name)}</th><td {_CELL}><code>{escape(_cut(text))}</code></td></tr>"
        for name, text in rows
    )
    return f"<div><strong>{escape(title)}</strong><table>{body}</table></div>"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
