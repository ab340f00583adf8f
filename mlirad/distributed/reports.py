"""The cost of a plan as text: rounds, bytes, and the lines of the user's code that need them.

print(report_of(planned, "loss"))
loss in 2 rounds over the chunks of n rows
  round 1: 3 partial results, 1.2 kB of each chunk: model.py:12, model.py:14
  round 2: 1 partial result, 8 B of each chunk: model.py:15; a chunk keeps 8 B for each row
  results: 2 whole, 1 by rows
"""

from __future__ import annotations

from math import prod
from pathlib import PurePath
from typing import cast

from xdsl.dialects.func import FuncOp

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.extents import evaluate
from mlirad.dialects.shapes import shape_of
from mlirad.distributed.plan import Plan, Stage, Whole
from mlirad.ir.parsing import parse_module
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class RoundReport:
    """A round: how many partial results, their bytes from each chunk, bytes kept for each row, and lines."""

    partials: int
    partial_bytes: int
    kept_bytes: int
    lines: tuple[str, ...]
    is_spared: bool
    """It may be left out, as a branch needs it or does not."""


@dataclass(frozen=True)
class SplitReport:
    """A function that is split by rows: its rounds, and its results that are whole and by rows."""

    name: str
    rounds: tuple[RoundReport, ...]
    whole: int
    by_rows: int

    def __str__(self) -> str:
        lines = [f"{self.name} in {_counted(len(self.rounds), 'round')} over the chunks of n rows"]
        for number, made in enumerate(self.rounds, 1):
            text = f"  round {number}: "
            if made.partials:
                text += (
                    f"{_counted(made.partials, 'partial result')}, {_bytes(made.partial_bytes)} of each chunk"
                )
            else:
                text += "rows alone"
            if made.lines:
                text += f": {', '.join(made.lines)}"
            if made.is_spared:
                text += "; only where a branch needs it"
            if made.kept_bytes:
                text += f"; a chunk keeps {_bytes(made.kept_bytes)} for each row"
            lines.append(text)
        lines.append(f"  results: {self.whole} whole, {self.by_rows} by rows")
        return "\n".join(lines)

    __repr__ = __str__


def report_of(plan: Plan, name: str) -> SplitReport:
    """The report of a plan of a function of this name."""
    whole = sum(isinstance(result, Whole) for result in plan.results)
    rounds = tuple(_round(stage, plan.size) for stage in plan.stages)
    return SplitReport(name, rounds, whole, len(plan.results) - whole)


def _round(stage: Stage, size: str) -> RoundReport:
    main = cast(FuncOp, parse_module(stage.program.text).body.block.first_op)
    types = main.function_type.outputs.data
    count = len(stage.partials)
    one, two = ([_bytes_of(t, {size: rows}) for t in types] for rows in (1, 2))
    kept = sum(two[count:]) - sum(one[count:])
    return RoundReport(
        count, sum(one[:count]), kept, tuple(map(_short, stage.lines)), stage.shortcut is not None
    )


def _bytes_of(type_: object, sizes: dict[str, int]) -> int:
    extents = shape_of(type_)  # pyright: ignore[reportArgumentType]
    return prod(evaluate(e, sizes) for e in extents) * numpy_dtype(type_).itemsize  # pyright: ignore[reportArgumentType]


def _short(line: str) -> str:
    """A place with the name of its file alone."""
    path, _, rest = line.partition(":")
    return f"{PurePath(path).name}:{rest}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _bytes(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"
