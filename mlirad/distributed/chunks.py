"""One stage of a plan on one chunk of rows: what every engine does where the chunk is.

job = Job.of(plan, programs, split, names)                       what a worker has of a plan
chunk = Chunk(number=1, first=300, rows=100, arrays={1: X[300:400]})
run_stage(job, 0, chunk, {0: w}, {}, {})                     (partials, residuals)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias, cast

import numpy as np

from mlirad.distributed.arrays import SplitRows
from mlirad.distributed.combinations import Partials, combined_before, rows_beside
from mlirad.distributed.plan import (
    Argument,
    Before,
    Beside,
    Combined,
    Extent,
    FirstRow,
    Plan,
    Program,
    Residual,
    Source,
)
from mlirad.distributed.programs import ShippedProgram, function_for
from mlirad.errors import MliradError, ShapeError, is_from_signal
from mlirad.frontend.compiling.arguments import prepared
from mlirad.lazy_dataclass import dataclass

Residuals: TypeAlias = dict[tuple[int, int], Any]
"""The residuals of a chunk, by stage and slot."""


@dataclass(frozen=True)
class Job:
    """A plan as workers have it: without texts of programs, with their code; `total` counts all rows."""

    plan: Plan
    programs: tuple[ShippedProgram, ...]
    total: int
    names: tuple[str, ...]
    types: tuple[tuple[tuple[int, ...], np.dtype[Any]] | None, ...]
    """The shape of a row and the dtype, for split arguments."""

    @staticmethod
    def of(plan: Plan, programs: tuple[ShippedProgram, ...], split: SplitRows, names: tuple[str, ...]) -> Job:
        """The job of a plan whose stages have this code, for split arguments; `names` are those of all."""
        types = tuple(
            (tuple(split.arrays[k].shape[1:]), np.dtype(split.arrays[k].dtype)) if k in split.arrays else None
            for k in range(len(plan.split))
        )
        bare = tuple(
            replace(s, program=Program("", s.program.inputs), lines=(), shortcut=None, ranks=None)
            for s in plan.stages
        )
        return Job(replace(plan, stages=bare, final=None, notes=()), programs, split.total, names, types)

    def checked(self, chunk: Chunk) -> Chunk:
        """The chunk with arrays as programs take them. Raises `ShapeError` as `array` does."""
        return replace(chunk, arrays={k: self.array(k, chunk) for k in chunk.arrays}, checked=True)

    def array(self, index: int, chunk: Chunk) -> Any:
        """The rows of a split argument in a chunk. Raises `ShapeError` if they are not what Dask says."""
        try:
            array, stated = quick(prepared(chunk.arrays[index])), self.types[index]
        except MliradError as error:
            message = f"a chunk of {self.names[index]}: {error.message}"
            raise error.restated(message, None) from error  # here is no line of the user's
        assert stated is not None
        shape, dtype = (chunk.rows, *stated[0]), stated[1]
        if array.shape != shape or array.dtype != dtype:
            raise ShapeError(
                f"a chunk of {self.names[index]} is {array.dtype}{list(array.shape)}, and its array says "
                f"{dtype}{list(shape)}",
                hint="correct chunks=, dtype= or meta= where the array of Dask is made",
            )
        return array


@dataclass(frozen=True)
class Chunk:
    """Rows from number `first` on, of each split argument; `number` counts the chunks that have rows.

    Arrays that are `checked` are as their jobs have stated.
    """

    number: int
    first: int
    rows: int
    arrays: Mapping[int, Any]
    checked: bool = False


def run_stage(
    job: Job,
    number: int,
    chunk: Chunk,
    whole: Mapping[int, Any],
    combined: Mapping[int, Any],
    residuals: Residuals,
) -> tuple[Partials, tuple[Any, ...]]:
    """The partials and residuals of a stage; residuals of earlier stages that lack are computed again."""
    stage = job.plan.stages[number]

    def value(source: Source) -> Any:
        if isinstance(source, Residual):
            if (source.stage, source.slot) not in residuals:
                _, made = run_stage(job, source.stage, chunk, whole, combined, residuals)
                residuals.update({(source.stage, slot): array for slot, array in enumerate(made)})
            return residuals[source.stage, source.slot]
        if isinstance(source, Argument) and job.types[source.index] is not None:
            return chunk.arrays[source.index] if chunk.checked else job.array(source.index, chunk)
        return chunk_source(source, job.total, chunk, whole, combined)

    function = function_for(job.programs[number], chunk.rows)
    inputs = [value(source) for source in stage.program.inputs]
    try:
        results = flat_results(function.entry(*inputs))
    except Exception as error:
        if is_from_signal(error):
            raise
        raise noted(error, chunk.number, chunk.first, chunk.rows) from error.__cause__
    partials = len(stage.partials)
    return results[:partials], results[partials:]


def noted(error: Exception, number: int, first: int, rows: int) -> Exception:
    """An error, in whose text a chunk is named: an error of mlirad's in its message, any other in a note."""
    text = f"in chunk {number}, rows {first} to {first + rows - 1}"
    if isinstance(error, MliradError):
        return error.restated(f"{error.message}, {text}", error.location)
    error.add_note(text)
    return error


def chunk_source(
    source: Source, total: int, chunk: Chunk | None, whole: Mapping[int, Any], combined: Mapping[int, Any]
) -> Any:
    """The value of an input that does not lie beside the chunk; without a chunk, of the final program."""
    if isinstance(source, Argument):
        return whole[source.index]
    if isinstance(source, Combined):
        return combined[source.number]
    if isinstance(source, Extent):
        return np.int64(source.scale * total + source.offset)
    assert chunk is not None
    if isinstance(source, Before):
        return combined_before(combined[source.number], chunk.number, source.kind, is_after=source.is_after)
    if isinstance(source, Beside):
        entries, counts = combined[source.number], combined[source.number + 1]
        return rows_beside(entries, counts, chunk.number, source.dim, is_after=source.is_after)
    return np.int64(chunk.first if isinstance(source, FirstRow) else chunk.number)


def quick(value: Any) -> Any:
    """An array with the dtype object that entries of programs compare with, which pickling does not keep."""
    return value.view(np.dtype(value.dtype.char)) if type(value) is np.ndarray else value


def flat_results(found: Any) -> tuple[Any, ...]:
    """The results of a program, which returns a single one as it is."""
    return cast("tuple[Any, ...]", found) if isinstance(found, tuple) else (found,)


def needed(stage_inputs: tuple[Source, ...], plan: Plan) -> tuple[set[int], set[int]]:
    """The whole arguments and the combined partials that a stage reads, with what it may compute again."""
    arguments: set[int] = set()
    numbers: set[int] = set()
    for source in stage_inputs:
        if isinstance(source, Argument) and plan.split[source.index] is None:
            arguments.add(source.index)
        elif isinstance(source, Combined | Before):
            numbers.add(source.number)
        elif isinstance(source, Beside):
            numbers |= {source.number, source.number + 1}
        elif isinstance(source, Residual):
            inner, combined = needed(plan.stages[source.stage].program.inputs, plan)
            arguments |= inner
            numbers |= combined
    return arguments, numbers
