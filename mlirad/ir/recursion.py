"""Python's recursion limit while mlirad works on a program.

Passes and the interpreter recurse over what values depend on.

with deep_recursion():
    ...                     a chain of some thousand ops is no danger
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager

RECURSION_LIMIT = 30_000
"""Enough for the deepest calls, long chains of ops and maps, and regions nested as deeply as they may be."""


@contextmanager
def deep_recursion() -> Generator[None]:
    """Python's recursion limit at `RECURSION_LIMIT`, at least."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
