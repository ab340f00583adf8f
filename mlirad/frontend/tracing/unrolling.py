"""Python loops, which are traced iteration by iteration: a warning where that makes thousands of operations.

    for t in range(2000):
        h = np.tanh(w @ h + x[t])      model.py:12: UnrolledLoopWarning: 5000 operations have been traced

Tracing sees operations, not loops. A line that has made very many of them is in a loop, or in a function that
is called in one.
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Final

from mlirad.errors import UnrolledLoopWarning

Place = tuple[str, int]
"""A line of a file."""

EVERY: Final = 5_000
"""The number of operations that are traced between two looks for such lines."""

LEAST_REPEATED: Final = 64
"""The number of operations of one line from which it is taken to be in a loop."""

_warned: set[Place] = set()
"""The lines that a warning has named."""


class LineCounts:
    """The number of operations that each line has made in one trace."""

    def __init__(self) -> None:
        self.total = 0
        self._lines: Counter[Place | None] = Counter()

    def add(self, place: Place | None) -> None:
        """Count an operation, and warn where there are too many; of each line once in a process."""
        self.total += 1
        self._lines[place] += 1
        if self.total % EVERY == 0:
            self._look()

    def _look(self) -> None:
        ((place, count),) = self._lines.most_common(1)
        if place is None or place in _warned or count < LEAST_REPEATED:
            return
        _warned.add(place)
        warnings.warn_explicit(
            f"{self.total} operations have been traced so far, {count} of them for this line: a Python loop "
            "is traced iteration by iteration, which takes long even where the program becomes a loop again\n"
            "  hint: write ad.fori_loop or ad.scan where an iteration needs the one before, ad.vmap or "
            "ad.build where none does, and @ad.function on what is called often; or have long loops "
            "rewritten: "
            'ad.jit(f, control="rewrite")',
            UnrolledLoopWarning,
            *place,
        )
