"""Calls with Dask arrays among the arguments: planned, compiled, run by an engine, put into their structure.

ad.value_and_grad(loss)(w, X, y)      X, y of Dask: the value and the gradient in w as arrays of NumPy
ad.grad(loss, "X")(w, X, y)           a result by rows: an array of Dask with the chunks of X
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mlirad.distributed.arrays import SplitRows, as_split, split_rows
from mlirad.distributed.chunks import Job
from mlirad.distributed.cluster import require_alike
from mlirad.distributed.engines.dask_graph import GraphEngine
from mlirad.distributed.evaluation import Engine, evaluated
from mlirad.distributed.plan import Program
from mlirad.distributed.planning import Planned, plan_of
from mlirad.distributed.programs import ShippedProgram, shipped_program
from mlirad.distributed.reports import SplitReport, report_of
from mlirad.errors import MliradError, ShapeError
from mlirad.frontend.compiling.arguments import prepared
from mlirad.frontend.tracing.function_names import argument_paths, function_name
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from mlirad.frontend.compiling.transformed import Transformed


@dataclass(frozen=True, eq=False)
class SplitCall:
    """A function with the split arguments of a call: planned, and compiled for the chunks of these."""

    planned: Planned
    job: Job
    here: Mapping[Program, ShippedProgram]
    """The programs without rows, which run in this process."""
    split: SplitRows

    def run(self, engine: Engine, whole: Mapping[int, Any]) -> Any:
        """The result for whole arguments, by index, in its structure."""
        try:
            found = evaluated(self.planned.plan, self.here, self.split.total, engine, whole)
        except MliradError as error:
            if error.location is None:  # of a worker, which knows no line
                raise error.restated(error.message, user_line()) from error
            raise
        return self.planned.result.unflatten(found)


def called(function: Transformed, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function with Dask arrays among its arguments; each is read once per round.

    Raises `SplitError` where the function cannot be computed chunk by chunk.
    """
    call, whole = split_call(function, args, kwargs)
    require_alike()
    return call.run(GraphEngine(call.job, call.split), whole)


def split_call(
    function: Transformed, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[SplitCall, Mapping[int, Any]]:
    """A call that is ready to run, and its whole arguments by index."""
    planned, split, whole, names = _planned(function, args, kwargs)
    return _compiled(planned, split, names, function), whole


def report(function: Transformed, args: tuple[Any, ...], kwargs: dict[str, Any]) -> SplitReport:
    """The rounds of a call, without running it. Raises `SplitError` as the call would."""
    planned, *_ = _planned(function, args, kwargs)
    return report_of(planned.plan, function_name(function))


def planned_call(
    function: Transformed, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Planned, SplitRows]:
    """The plan of a call, which is not compiled, and its split rows."""
    planned, split, *_ = _planned(function, args, kwargs)
    return planned, split


def _planned(
    function: Transformed, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Planned, SplitRows, Mapping[int, Any], tuple[str, ...]]:
    """The plan of a call, its split rows, its whole arguments by index, and the names of all."""
    inner, moving = function.moving(args, kwargs)
    leaves, tree = flatten(moving)
    names = tuple(argument_paths(inner, tree))
    found = {k: array for k, leaf in enumerate(leaves) if (array := as_split(leaf)) is not None}
    split = split_rows(found, dict(enumerate(names)))
    whole = {k: prepared(leaf) for k, leaf in enumerate(leaves) if k not in found}
    places = [0 if k in found else None for k in range(len(leaves))]
    try:
        planned = plan_of(function, *_standing_in(args, kwargs), places)
    except ShapeError as error:
        raise _with_rows_named(error, split, whole, names) from None
    return planned, split, whole, names


def _with_rows_named(
    error: ShapeError, split: SplitRows, whole: Mapping[int, Any], names: tuple[str, ...]
) -> ShapeError:
    """The error, or one that names an array of NumPy with as many rows as those of Dask have."""
    for index, array in whole.items():
        if np.ndim(array) and np.shape(array)[0] == split.total:
            one = names[next(iter(split.arrays))]
            return ShapeError(
                f"argument {names[index]} is an array of NumPy with as many rows as {one}, which is of Dask: "
                f"{error.message}",
                location=error.location,
                hint=f"write da.from_array({names[index]}, chunks={{0: {one}.chunks[0]}})",
            )
    return error


def _compiled(planned: Planned, split: SplitRows, names: tuple[str, ...], function: Transformed) -> SplitCall:
    plan, options = planned.plan, function.options
    name = function_name(function)
    rows = {split.rows[chunk] for chunk in split.filled}
    programs = tuple(
        shipped_program(stage.program, plan.size, rows, options, f"{name}, round {number}")
        for number, stage in enumerate(plan.stages)
    )
    here = {
        program: shipped_program(program, plan.size, (), options, f"{name}, results")
        for program in plan.without_rows
    }
    return SplitCall(planned, Job.of(plan, programs, split, names), here, split)


def _standing_in(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with arrays without memory in place of Dask's."""
    leaves, tree = flatten((args, tuple(kwargs.values())))
    stand_ins: list[Any] = []
    for leaf in leaves:
        array = as_split(leaf)
        stand_ins.append(leaf if array is None else _stand_in(array))
    positional, named = tree.unflatten(stand_ins)
    return positional, dict(zip(kwargs, named, strict=True))


def _stand_in(array: Any) -> Any:
    return np.broadcast_to(np.zeros((), array.dtype), array.shape)
