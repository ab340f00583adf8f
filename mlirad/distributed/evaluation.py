"""Evaluates a plan: round by round on an engine, then the final program here.

    evaluated(plan, here, total, engine, whole)       flat results: NumPy's, and what the engine has of rows

An engine has the chunks of all split arguments. It runs the program of a stage on each and combines the
partials by the fixed tree, wherever that is; it may keep residuals between the rounds of one evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from mlirad.distributed.chunks import chunk_source, flat_results, needed
from mlirad.distributed.combinations import Partials
from mlirad.distributed.plan import Plan, Program, Rows
from mlirad.distributed.programs import ShippedProgram, function_for
from mlirad.distributed.progress_line import call_begins, call_ends, round_begins
from mlirad.distributed.ranks import searched


class Engine(Protocol):
    """The place of chunks, which runs programs on them."""

    def begin(self, whole: Mapping[int, Any]) -> None:
        """Begin an evaluation with these whole arguments, by index; residuals of the one before may go."""
        ...

    def run(self, stage: int, whole: Mapping[int, Any], combined: Mapping[int, Any]) -> Partials:
        """The partials of a stage over all chunks; given is what the stage reads."""
        ...

    def rows(self, result: Rows, whole: Mapping[int, Any], combined: Mapping[int, Any]) -> Any:
        """A result that stays split, as an array of the kind that the split arguments are."""
        ...


def evaluated(
    plan: Plan, here: Mapping[Program, ShippedProgram], total: int, engine: Engine, whole: Mapping[int, Any]
) -> list[Any]:
    """The flat results of a plan for whole arguments, by index; `here` has the programs without rows."""
    combined: dict[int, Any] = {}

    def results(program: Program) -> tuple[Any, ...]:
        inputs = [chunk_source(s, total, None, whole, combined) for s in program.inputs]
        return flat_results(function_for(here[program]).entry(*inputs))

    def run(number: int, pivots: Mapping[int, Any]) -> Partials:
        round_begins(number)
        combined.update(pivots)
        arguments, numbers = needed(plan.stages[number].program.inputs, plan)
        return engine.run(number, _chosen(whole, arguments), _chosen(combined, numbers))

    engine.begin(whole)
    call_begins(plan.rounds)
    try:
        _rounds(plan, results, run, combined)
    finally:
        call_ends()
    made = () if plan.final is None else results(plan.final)
    return [
        result.cut(engine.rows(result, whole, combined), total)
        if isinstance(result, Rows)
        else made[result.index]
        for result in plan.results
    ]


def _rounds(
    plan: Plan,
    results: Callable[[Program], Sequence[Any]],
    run: Callable[[int, Mapping[int, Any]], Partials],
    combined: dict[int, Any],
) -> None:
    """Run all rounds that are needed, and enter what they combine."""
    for number, stage in enumerate(plan.stages):
        if not stage.combinations:
            continue  # its residuals are computed where they are read
        if stage.shortcut is not None:
            is_needed, *spared = results(stage.shortcut)
            if not is_needed:
                combined.update(zip(stage.partials, spared, strict=True))
                continue
        ranks = () if stage.ranks is None else results(stage.ranks.program)
        found = searched(stage, ranks, partial(run, number))
        combined.update(zip(stage.partials, found, strict=True))


def _chosen(values: Mapping[int, Any], names: set[int]) -> dict[int, Any]:
    return {name: values[name] for name in sorted(names)}
