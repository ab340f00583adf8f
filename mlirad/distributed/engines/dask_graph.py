"""Rounds as graphs of Dask: a task for each chunk, tasks that combine eight results, one result.

    engine = GraphEngine(job, split)
    engine.run(0, {0: w}, {})            chunks are loaded, used and dropped, by Dask's scheduler

The scheduler is the one that `dask.compute` takes: that of the client where there is one, else threads of
this process, which read what is larger than memory. A result that stays split is an array of Dask whose
chunks are computed when somebody asks for them. Nothing is kept between rounds: residuals are computed again
in the task that reads them.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from mlirad.distributed.arrays import SplitRows
from mlirad.distributed.chunks import Chunk, Job, needed, run_stage
from mlirad.distributed.cluster import current_client
from mlirad.distributed.combinations import Partials, combine
from mlirad.distributed.counts import Counts, bytes_of
from mlirad.distributed.plan import Argument, Residual, Rows, Stage
from mlirad.distributed.progress_line import chunk_is_done, chunks_begin
from mlirad.distributed.trees import folded
from mlirad.packages import load


class GraphEngine:
    """The chunks of Dask arrays, wherever they are or can be made."""

    def __init__(self, job: Job, split: SplitRows):
        self.job = job
        self.split = split
        self.counts = Counts()
        self._delayed: Any = load("dask.delayed").delayed
        self._job: Any = held(job)
        self._blocks = {index: array.to_delayed().ravel() for index, array in split.arrays.items()}

    def begin(self, whole: Mapping[int, Any]) -> None:
        """Begin to count."""
        self.counts = Counts()

    def run(self, stage: int, whole: Mapping[int, Any], combined: Mapping[int, Any]) -> Partials:
        """The partials of a stage over all chunks, by one graph."""
        name = f"mlirad-round-{uuid.uuid4().hex}"
        given = held((dict(whole), dict(combined)))
        tasks = self._on_chunks(_partials, f"{name}-0", stage, given)
        if current_client() is None:
            chunks_begin(len(tasks))
        fold = self._delayed(_folded, pure=False)
        bare = held(self.job.plan.stages[stage])
        root, nodes = folded(
            tasks, lambda height, k, items: fold(bare, items, dask_key_name=f"{name}-{height}-{k}")
        )
        count = len(tasks) + 2 + (len(tasks) > 1) + nodes
        found: Partials = root.compute()
        self.counts = self.counts.plus(
            rounds=1, tasks=count, messages=1, sent=bytes_of((whole, combined)), received=bytes_of(found)
        )
        return found

    def rows(self, result: Rows, whole: Mapping[int, Any], combined: Mapping[int, Any]) -> Any:
        """A result by rows as an array of Dask, with a chunk for each of the arguments."""
        return _rows_array(self, result, whole, combined)

    def on_filled_chunks(self, stage: int, slot: int, given: Any) -> list[Any]:
        """Tasks for a residual of each chunk that has rows."""
        name = f"mlirad-rows-{uuid.uuid4().hex}"
        return self._on_chunks(_Residual(slot), name, stage, given)

    def _on_chunks(self, function: Any, name: str, stage: int, given: Any) -> list[Any]:
        split, run = self.split, self._delayed(function, pure=False, traverse=False)
        read = sorted(_split_arguments(self.job, stage))
        return [
            run(
                self._job,
                stage,
                (number, split.firsts[chunk], split.rows[chunk]),
                read,
                given,
                *[self._blocks[index][chunk] for index in read],
                dask_key_name=f"{name}-{number}",
            )
            for number, chunk in enumerate(split.filled)
        ]


def held(value: Any) -> Any:
    """A value that many tasks read, as a node of the graph that is sent once."""
    delayed = load("dask.delayed").delayed
    return delayed(Held(value), name=f"mlirad-given-{uuid.uuid4().hex}", traverse=False)


class Held:
    """A value that Dask does not look into."""

    def __init__(self, value: Any):
        self.value = value


class _Residual:
    """Computes one residual of a chunk."""

    def __init__(self, slot: int):
        self._slot = slot
        self.__name__ = "residual"

    def __call__(
        self, job: Held, stage: int, place: tuple[int, int, int], read: list[int], given: Held, *blocks: Any
    ) -> Any:
        whole, combined = given.value
        chunk = Chunk(*place, dict(zip(read, blocks, strict=True)))
        return run_stage(job.value, stage, chunk, whole, combined, {})[1][self._slot]


def _partials(
    job: Held, stage: int, place: tuple[int, int, int], read: list[int], given: Held, *blocks: Any
) -> Partials:
    whole, combined = given.value
    chunk = Chunk(*place, dict(zip(read, blocks, strict=True)))
    partials = run_stage(job.value, stage, chunk, whole, combined, {})[0]
    chunk_is_done()
    return partials


def _folded(stage: Held, items: Sequence[Partials]) -> Partials:
    held: Stage = stage.value
    with np.errstate(all="ignore"):
        return reduce(combine(held), items)


def _split_arguments(job: Job, stage: int) -> set[int]:
    """The split arguments that a stage reads, with what it may compute again; one at least."""
    found: set[int] = set()
    for source in job.plan.stages[stage].program.inputs:
        if isinstance(source, Argument) and job.plan.split[source.index] is not None:
            found.add(source.index)
        elif isinstance(source, Residual):
            found |= _split_arguments(job, source.stage)
    return found


def _rows_array(
    engine: GraphEngine, result: Rows, whole: Mapping[int, Any], combined: Mapping[int, Any]
) -> Any:
    """A result by rows: an argument itself, or an array of Dask of the residuals of all chunks."""
    source, split, job = result.source, engine.split, engine.job
    if isinstance(source, Argument):
        return split.arrays[source.index]
    arguments, numbers = needed(job.plan.stages[source.stage].program.inputs, job.plan)
    given = held(({k: whole[k] for k in arguments}, {k: combined[k] for k in numbers}))
    slot = len(job.plan.stages[source.stage].partials) + source.slot
    tasks = iter(engine.on_filled_chunks(source.stage, source.slot, given))
    specs = [job.programs[source.stage].result(split.rows[k], slot) for k in split.filled]
    whole_dims = (0,) * (len(specs[0].shape) - 1 - result.dimension)
    name = f"mlirad-rows-{uuid.uuid4().hex}"
    layer: dict[tuple[Any, ...], Any] = {}
    extents, filled = [0] * len(split.rows), dict(zip(split.filled, specs, strict=True))
    made: list[Any] = []
    for k in range(len(split.rows)):
        place = (name, *(0,) * result.dimension, k, *whole_dims)
        if k in filled:
            made.append(next(tasks))
            layer[place] = made[-1].key
            extents[k] = filled[k].shape[result.dimension]
        else:
            shape = [*specs[0].shape]
            shape[result.dimension] = 0
            layer[place] = np.zeros(shape, specs[0].dtype)
    chunks: list[tuple[int, ...]] = [(extent,) for extent in specs[0].shape]
    chunks[result.dimension] = tuple(extents)
    graph = load("dask.highlevelgraph").HighLevelGraph.from_collections(name, layer, dependencies=made)
    return load("dask.array").Array(graph, name, tuple(chunks), dtype=np.dtype(specs[0].dtype))
