"""Random Python functions of idioms that real code has, as source; some cannot be rewritten.

    for z1, z2 in zip(v, u):
        if z1 > a:
            v[0] = z2 * b
            break
    else:
        b = round(b, 3)

The variables are those of `python_scripts`, and so is half of the statements.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.generators.idiom_texts import COLLECTIONS, ENDINGS, FUNCTIONS, LINES, LOOPS, OBJECTS, OUTSIDE
from tests.generators.python_control import defined
from tests.generators.python_expressions import FLOATS, INTEGERS, VECTORS
from tests.generators.python_scripts import Script

IDIOMS = (
    LINES.strip().splitlines(),
    *(text.strip().split("\n\n") for text in (LOOPS, OBJECTS, FUNCTIONS, COLLECTIONS, ENDINGS)),
)
"""Idioms by their kinds."""

CHOICE = re.compile("<<(.+?)>>")
PLACE = re.compile(r"\b([TVKFGWI])\b|\bZ(?=[2k]?\b)")


class Idioms(Script):
    """The statements of one program."""

    def statement(self, depth: int, budget: int, loop: bool) -> None:
        """An idiom, or any statement."""
        if budget and self.random.random() < 0.55:
            self._idiom(depth, self.random.choice(self.random.choice((IDIOMS[0], *IDIOMS))))
        else:
            super().statement(depth, budget, loop)

    def _idiom(self, depth: int, text: str) -> None:
        text = CHOICE.sub(lambda found: self.pick(*found[1].split("|")), text)
        values = {
            "T": self.pick(*FLOATS), "V": self.pick(*VECTORS), "K": self.pick(*INTEGERS), "Z": self.fresh(),
            "F": self.float(1), "G": self.float(0), "W": self.vector(1), "I": self.integer(0),
        }  # fmt: skip
        for line in PLACE.sub(lambda found: values[found[0]], text).splitlines():
            code = line.lstrip()
            self.line(depth + (len(line) - len(code)) // 4, code)


def idiom_script(seed: int, statements: int = 4) -> tuple[Callable[..., Any], str]:
    """A random function of two floats and an integer, and its source."""
    source = Idioms(seed)
    source.lines[1:1] = ["    global calls", "    calls = 0"]
    for _ in range(statements):
        source.statement(1, 2, False)
    source.line(1, f"return {source.result()}")
    return defined("script", [*OUTSIDE.strip().splitlines(), *source.lines], f"<idioms {seed}>")
