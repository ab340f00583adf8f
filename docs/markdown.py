"""Parts of Markdown that the generated pages are made of."""

from __future__ import annotations


def cell(text: str) -> str:
    """Text that may stand in a cell of a table."""
    return text.replace("|", "\\|")


def code(text: str) -> str:
    """Text as code."""
    return f"`{text}`"
