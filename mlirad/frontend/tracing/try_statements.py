"""The `try` statements around a line of a function that runs, found in its source.

guards_around(frame, line)      those whose bodies have the line, the outermost one first
"""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache
from types import FrameType

from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Guard:
    """A `try` statement: the first and the last line of its body, and the types that its handlers catch.

    A handler that catches everything has None for a type.
    """

    first: int
    last: int
    caught: tuple[ast.expr | None, ...]


def guards_around(frame: FrameType, line: int) -> list[Guard]:
    """The `try` statements around a line of the file of a frame; none where there is no source."""
    file = frame.f_code.co_filename
    guards = _guards(file, tuple(linecache.getlines(file, frame.f_globals)))
    return [guard for guard in guards if guard.first <= line <= guard.last]


@lru_cache(maxsize=64)
def _guards(file: str, lines: tuple[str, ...]) -> tuple[Guard, ...]:
    """Those of a file: an inner statement comes after the one that it is in."""
    try:
        tree = ast.parse("".join(lines), file)
    except (SyntaxError, ValueError):
        return ()
    return tuple(
        Guard(node.body[0].lineno, node.body[-1].end_lineno or 0, tuple(h.type for h in node.handlers))
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
    )
