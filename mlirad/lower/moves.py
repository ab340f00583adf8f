"""What the passes of lowering considered, what each expected to gain by it, and whether it was done.

    with watched() as moves:                                       run_passes does so around every pass
        considered(op, "strips of 64 of 4096 rows", 1.2e6, 4.1e5, is_done=True)

    strip-mine
      model.py:12     strips of 64 of 4096 rows           1.2M -> 410k cycles    done
      model.py:19     strips of 32 of 96 rows             9100 -> 8700 cycles    left

The costs are estimates for the nominal machine (`machine.py`), which serve to compare, not to foretell times.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, TypeAlias

from xdsl.ir import Operation

from mlirad.ir.locations import location_of

Unit: TypeAlias = Literal["cycles", "elements", "kernels"]

NOWHERE = "-"
"""The place of what has no line of a source."""


@dataclass(frozen=True)
class Move:
    """One thing that a pass could do at a place of the source, and what it costs before and after it.

    `is_done` says whether the pass did it.
    """

    place: str
    what: str
    before: float
    after: float
    unit: Unit
    is_done: bool

    def __str__(self) -> str:
        costs = f"{_short(self.before)} -> {_short(self.after)} {self.unit}"
        return f"{self.place:<28} {self.what:<44} {costs:<26} {'done' if self.is_done else 'left'}"


_watching: ContextVar[dict[Move, None] | None] = ContextVar("watching", default=None)


@contextmanager
def watched() -> Generator[dict[Move, None]]:
    """The moves that are considered inside, each once, in order."""
    found: dict[Move, None] = {}
    token = _watching.set(found)
    try:
        yield found
    finally:
        _watching.reset(token)


def considered(
    op: Operation, what: str, before: float, after: float, *, unit: Unit = "cycles", is_done: bool
) -> None:
    """State that a pass could do `what` to an op, or to those that begin with it."""
    found = _watching.get()
    if found is not None:
        found[Move(location_of(op) or NOWHERE, what, before, after, unit, is_done)] = None


def explanation(steps: Iterable[tuple[str, Iterable[Move]]]) -> str:
    """The moves of passes, given by name, as lines of text; nothing of passes that considered none."""
    lines: list[str] = []
    for name, moves in steps:
        shown = [f"  {move}" for move in moves]
        lines += [name, *shown] if shown else []
    return "\n".join(lines)


def _short(cost: float) -> str:
    for limit, divisor, suffix in ((1e4, 1, ""), (1e6, 1e3, "k"), (1e9, 1e6, "M")):
        if cost < limit:
            return f"{cost / divisor:.4g}{suffix}"
    return f"{cost / 1e9:.4g}G"
