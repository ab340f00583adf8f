"""Moves that the passes of lowering considered, with their expected gains, and whether they were done.

    moves = watched(lower)(module)                   run_passes does so with every pass, and passes call
        considered(op, "strips of 64 of 4096 rows", 1.2e6, 4.1e5, is_done=True)

    strip-mine
      model.py:12     strips of 64 of 4096 rows           1.2M -> 410k cycles    done
      model.py:19     strips of 32 of 96 rows             9100 -> 8700 cycles    left

The costs are estimates for the nominal machine (`machine.py`), which serve to compare, not to foretell times.

The loop tree is a program of kernels. A schedule could be a tree of its own, with a search over moves on it,
as in a polyhedral compiler. Here the tree is the IR: `array.scan` is a loop of iterations, `kernel.strips`
one over blocks of rows, `kernel.recurrence` one with its carries in registers, `kernel.nest` a perfect nest
whose lanes, tile and order are properties. So decisions can be printed, read back, verified, interpreted and
run after every move, and a text that someone else wrote is a program like any other. A tree would add a nest
inside a nest: a row-parallel value in a row buffer of one iteration. Strips of a few rows keep it in the
first-level cache, for the price of a call per strip, which the costs know. Moves are tried in one order, each
by its own costs, without a search among orders: memory accesses dominate, so the gain of one move rarely
depends on those after it, and users see compile time first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar, copy_context
from typing import Literal, ParamSpec, TypeAlias

from xdsl.ir import Operation

from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass

P = ParamSpec("P")

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


def watched(function: Callable[P, object]) -> Callable[P, tuple[Move, ...]]:
    """A function that gives the moves which another one considers, each once, in order.

    That one has context variables of its own, which are gone behind it, whatever ends it.
    """

    def run(*args: P.args, **kwargs: P.kwargs) -> tuple[Move, ...]:
        found: dict[Move, None] = {}
        context = copy_context()
        context.run(_watching.set, found)
        context.run(function, *args, **kwargs)
        return tuple(found)

    return run


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
