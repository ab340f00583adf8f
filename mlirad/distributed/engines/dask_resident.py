"""Rounds by actors of Dask: each worker keeps its chunks, and a round is one message to each.

    placement = Placement(client, split, timeout=600.0)      chunks are loaded where they stay
    engine = ResidentEngine(placement, job, {1: 0, 2: 1})    argument 1 is the first array, 2 the second
    engine.run(0, {0: w}, {})                                partials

Dask's scheduler has no part in a round but to pass messages on. A worker hands on the nodes of the fixed tree
that its chunks give, so bits do not depend on who has which. When a worker is lost, its chunks are made again
from the graphs of the arrays, on workers that are left, and these run the round for them; residuals that they
lack they compute again. Beyond `DIRECT` workers, workers pass rounds on to others and combine what these
answer.
"""

from __future__ import annotations

import asyncio
import pickle
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from mlirad.distributed.arrays import SplitRows
from mlirad.distributed.chunks import Chunk, Job, Residuals, quick, run_stage
from mlirad.distributed.cluster import require_alike, workers_of
from mlirad.distributed.combinations import Partials, combine
from mlirad.distributed.counts import Counts, bytes_of
from mlirad.distributed.engines.dask_graph import GraphEngine
from mlirad.distributed.plan import Rows
from mlirad.distributed.trees import ARITY, Node, climb
from mlirad.errors import ClusterError, TimeLimitError, is_from_signal
from mlirad.frontend.tracing.source import user_line
from mlirad.lazy_dataclass import dataclass

DIRECT: Final = 48
"""To how many workers the client talks itself; with more, each passes rounds on to `ARITY` others."""

POLL_SECONDS: Final = 1.0
"""How often the client looks whether the workers that it waits for are still there."""

MEMORY_SHARE: Final = 0.7
"""How much of the memory of a worker its chunks may take: Dask begins to pause workers at 0.8."""


class StateLost(Exception):
    """A worker was lost that had rows which an evaluation made: no graph makes them again."""


@dataclass(frozen=True)
class Request:
    """One round as a worker is asked for it: a stage of a job, in an evaluation, and what it reads.

    With the last round of an evaluation, residuals `new` replace arrays: by position, their stage and slot.
    """

    job: str
    evaluation: str
    stage: int
    whole: Mapping[int, Any]
    combined: Mapping[int, Any]
    new: Mapping[int, tuple[int, int]]


@dataclass(frozen=True)
class Answer:
    """The answer of a worker, and of those below it, to a request: nodes, workers that were lost, or an
    error.

    `lacks` is the number of the shard that does not know the job yet.
    """

    nodes: Mapping[Node, Partials]
    lost: tuple[int, ...] = ()
    lacks: bool = False
    error: BaseException | None = None


class Shard:
    """The chunks of one worker, on that worker: a run of them, with what stays beside them.

    `places` are number, first row and rows of each; of the arrays, those of the first argument come first.
    """

    def __init__(self, count: int, places: Sequence[tuple[int, int, int]], *arrays: Any):
        width = self._width = len(places)
        self._count = count
        self._places = places
        self._arrays = [list(arrays[k : k + width]) for k in range(0, len(arrays), width)]
        self._jobs: dict[str, tuple[Job, Mapping[int, int]]] = {}
        self._chunks: dict[str, Sequence[Chunk]] = {}
        self._evaluation = ""
        self._residuals: list[Residuals] = []

    def learn(self, key: str, job: Job, positions: Mapping[int, int]) -> None:
        """Take a job: argument `index` is the array number `positions[index]`."""
        self._jobs[key] = job, positions

    def forget(self, key: str) -> None:
        """Drop a job."""
        self._jobs.pop(key, None)
        self._chunks.pop(key, None)

    def run(self, message: bytes, below: Sequence[tuple[int, Any, Any]] = ()) -> bytes:
        """The answer to a request, with those of the shards below, each given with those below it."""
        return pickle.dumps(self._answer(message, below))

    def _answer(self, message: bytes, below: Sequence[tuple[int, Any, Any]]) -> Answer:
        request = _quick(pickle.loads(message))
        asked = [(number, shard.run(message, under)) for number, shard, under in below]
        if request.job not in self._jobs:
            for _, future in asked:
                with suppress(Exception):
                    future.result()
            return Answer({}, lacks=True)
        try:
            answers = [Answer(self._own(request))]
        except BaseException as error:
            if is_from_signal(error):
                raise
            answers = [Answer({}, error=error)]
        for number, future in asked:
            try:
                answers.append(pickle.loads(future.result()))
            except Exception as error:
                if is_from_signal(error):
                    raise
                answers.append(Answer({}, lost=(number,)))
        return self._merged(answers, request)

    def _own(self, request: Request) -> Mapping[Node, Partials]:
        job, _ = self._jobs[request.job]
        if request.evaluation != self._evaluation:
            self._evaluation = request.evaluation
            self._residuals = [{} for _ in self._places]
        nodes: dict[Node, Partials] = {}
        is_last = request.stage + 1 == len(job.plan.stages)
        for k, chunk in enumerate(self._checked(request.job)):
            kept = self._residuals[k]
            partials, residuals = run_stage(job, request.stage, chunk, request.whole, request.combined, kept)
            kept.update({(request.stage, slot): array for slot, array in enumerate(residuals)})
            nodes[0, chunk.number] = partials
            if is_last:
                for position, place in request.new.items():
                    self._arrays[position][k] = kept[place]
        if is_last and request.new:
            self._chunks.clear()
        if is_last:
            self._residuals = [{} for _ in self._places]
            self._evaluation = ""
        return climb(nodes, self._count, combine(job.plan.stages[request.stage]))

    def _checked(self, key: str) -> Sequence[Chunk]:
        """The chunks as a job takes them, checked once."""
        found = self._chunks.get(key)
        if found is None:
            job, positions = self._jobs[key]
            arrays = [
                {index: self._arrays[p][k] for index, p in positions.items()} for k in range(self._width)
            ]
            chunks = [Chunk(*place, a) for place, a in zip(self._places, arrays, strict=True)]
            found = self._chunks[key] = [job.checked(chunk) for chunk in chunks]
        return found

    def _merged(self, answers: Sequence[Answer], request: Request) -> Answer:
        if len(answers) == 1:
            return answers[0]
        nodes = {node: partials for answer in answers for node, partials in answer.nodes.items()}
        stage = self._jobs[request.job][0].plan.stages[request.stage]
        errors = [answer.error for answer in answers if answer.error is not None]
        lost = tuple(number for answer in answers for number in answer.lost)
        lacks = any(answer.lacks for answer in answers)
        return Answer(climb(nodes, self._count, combine(stage)), lost, lacks, errors[0] if errors else None)


@dataclass(frozen=True, eq=False)
class Held:
    """A shard as the client knows it: which chunks it has, where, and its actor."""

    number: int
    chunks: tuple[int, ...]
    address: str
    actor: Any


class Placement:
    """Dask arrays with all chunks in the memory of workers, as long as this object lives.

    `working` is how many bytes programs take on each worker besides. Raises `ClusterError` where there are no
    workers, or none with memory for the rows, or other versions.
    """

    def __init__(self, client: Any, split: SplitRows, timeout: float, working: int = 0):
        require_alike(client)
        self.client = client
        self.split = split
        self.timeout = timeout
        self.shards: list[Held] = []
        self._working = working
        self._made = 0
        self._filled = split.filled
        self._firsts = split.firsts
        self._blocks = [array.to_delayed().ravel() for array in split.arrays.values()]
        self._place(tuple(range(len(self._filled))))

    def again(self, lost: Sequence[Held]) -> list[Held]:
        """Place the chunks of lost shards on workers that are left; return the new shards."""
        self.shards = [shard for shard in self.shards if shard not in lost]
        require_alike(self.client)
        return self._place(tuple(sorted(chunk for shard in lost for chunk in shard.chunks)))

    def close(self) -> None:
        """Let the workers drop the chunks."""
        self.shards = []

    def lost(self) -> list[Held]:
        """The shards whose workers are gone."""
        there = workers_of(self.client)
        return [shard for shard in self.shards if shard.address not in there]

    def _place(self, chunks: tuple[int, ...]) -> list[Held]:
        """Shards for these chunks, by runs of similar size, on the workers that have fewest; retried while
        workers are lost.
        """
        end = time.monotonic() + self.timeout
        left, made = chunks, list[Held]()
        while left:
            addresses = self._addresses(end)
            runs = _runs(left, [self.split.rows[self._filled[c]] for c in left], len(addresses))
            begun = [self._begin(run, address) for run, address in zip(runs, addresses, strict=False)]
            failed: list[int] = []
            for (run, address, future), seconds in zip(begun, _patience(end, len(begun)), strict=True):
                actor = self._actor(future, address, seconds)
                if actor is None:
                    failed += run
                else:
                    self._made += 1
                    made.append(Held(self._made, run, address, actor))
            left = tuple(failed)
        self.shards += made
        return made

    def _addresses(self, end: float) -> list[str]:
        """The workers, those with fewest rows first, once there is one."""
        while not (workers := workers_of(self.client)):
            if time.monotonic() > end:
                raise ClusterError(
                    "the cluster has no workers",
                    location=user_line(),
                    hint="start some, and wait for them by client.wait_for_workers(1)",
                )
            time.sleep(0.1)
        limits = [info["memory_limit"] for info in workers.values() if info.get("memory_limit")]
        room = sum(limit * MEMORY_SHARE - self._working for limit in limits)
        if limits and self.split.nbytes > room:
            raise ClusterError(
                f"the rows take {self.split.nbytes:.3g} bytes, and the {len(workers)} workers have room for "
                f"{room:.3g}",
                location=user_line(),
                hint="use more workers, or call the function with the arrays: it then reads them chunk by "
                "chunk in each round",
            )
        rows = dict.fromkeys(workers, 0)
        for shard in self.shards:
            if shard.address in rows:
                rows[shard.address] += sum(self.split.rows[self._filled[c]] for c in shard.chunks)
        return sorted(rows, key=lambda address: (rows[address], address))

    def _begin(self, run: tuple[int, ...], address: str) -> tuple[tuple[int, ...], str, Any]:
        filled = [self._filled[c] for c in run]
        blocks = [block[k] for block in self._blocks for k in filled]
        places = [(c, self._firsts[k], self.split.rows[k]) for c, k in zip(run, filled, strict=True)]
        futures = self.client.compute(blocks, workers=[address], allow_other_workers=True)
        return (
            run,
            address,
            self.client.submit(
                Shard,
                len(self._filled),
                places,
                *futures,
                actor=True,
                pure=False,
                workers=[address],
                key=f"mlirad-shard-{uuid.uuid4().hex}",
            ),
        )

    def _actor(self, future: Any, address: str, seconds: float) -> Any:
        """The actor, None where its worker is lost. Raises what loading the chunks raises."""
        from distributed import TimeoutError as Late

        end = time.monotonic() + seconds
        while True:
            try:
                return future.result(timeout=POLL_SECONDS)
            except Late:
                if address not in workers_of(self.client):
                    return None
                if time.monotonic() > end:
                    raise TimeLimitError(
                        f"worker {address} has not loaded its chunks within {self.timeout:g} s",
                        location=user_line(),
                        hint="pass timeout=... to resident, or fewer rows",
                    ) from None
            except Exception as error:
                future.release()  # else the client keeps the error, and with it all frames that it came by
                if is_from_signal(error) or address in workers_of(self.client):
                    raise
                return None


class ResidentEngine:
    """One job on placed chunks; `new` says which arrays its results by rows replace, and these stay there."""

    def __init__(
        self,
        placement: Placement,
        job: Job,
        positions: Mapping[int, int],
        new: Mapping[int, tuple[int, int]] | None = None,
    ):
        self.placement = placement
        self.counts = Counts()
        self._job = job
        self._positions = positions
        self._new = new
        self._key = uuid.uuid4().hex
        self._evaluation = ""
        self._graph: GraphEngine | None = None

    def begin(self, whole: Mapping[int, Any]) -> None:
        """Begin an evaluation: workers drop the residuals of the one before with its first round."""
        self._evaluation = uuid.uuid4().hex
        self.counts = Counts()

    def run(self, stage: int, whole: Mapping[int, Any], combined: Mapping[int, Any]) -> Partials:
        """The partials of a stage: one message to each worker, and more where workers were lost."""
        request = Request(self._key, self._evaluation, stage, whole, combined, self._new or {})
        fold = combine(self._job.plan.stages[stage])
        nodes: dict[Node, Partials] = {}
        asked = list(self.placement.shards)
        count = len(self.placement.split.filled)
        sent = bytes_of((whole, combined))
        self.counts = self.counts.plus(rounds=1)
        while asked:
            answers = self._answers(asked, request)
            self.counts = self.counts.plus(
                messages=len(asked), sent=sent * len(asked), received=bytes_of([a.nodes for a in answers])
            )
            for answer in answers:
                if answer.error is not None:
                    raise answer.error
                nodes.update(answer.nodes)
            numbers = {number for answer in answers for number in answer.lost}
            lost = [shard for shard in asked if shard.number in numbers]
            if lost and self._new:
                raise StateLost
            asked = self.placement.again(lost) if lost else []
        (partials,) = climb(nodes, count, fold).values()
        return partials

    def rows(self, result: Rows, whole: Mapping[int, Any], combined: Mapping[int, Any]) -> Any:
        """A result by rows as an array of Dask, whose chunks are computed from those of the arguments.

        None where it stays on the workers.
        """
        if self._new is not None:
            return None
        if self._graph is None:
            self._graph = GraphEngine(self._job, self.placement.split)
        return self._graph.rows(result, whole, combined)

    def close(self) -> None:
        """Let the workers drop the job."""
        for shard in self.placement.shards:
            shard.actor.forget(self._key)

    def _answers(self, shards: Sequence[Held], request: Request) -> list[Answer]:
        """Ask the shards; teach the job first to those that do not know it."""
        trees = _trees(shards)
        answers = self._asked(trees, request)
        if any(answer.lacks for answer in answers):
            learning = [s.actor.learn(self._key, self._job, self._positions) for s in shards]
            self._waited(learning, shards)
            answers = self._asked(trees, request)
        return answers

    def _asked(self, trees: Sequence[tuple[Held, Any]], request: Request) -> list[Answer]:
        message = pickle.dumps(request)  # once for all, and as one buffer
        futures: list[Any] = []
        for shard, below in trees:
            try:
                futures.append(shard.actor.run(message, below) if below else shard.actor.run(message))
            except RuntimeError:  # Dask knows already that the worker is lost
                futures.append(None)
        settled = self._waited(futures, [shard for shard, _ in trees])
        answers: list[Answer] = []
        for (shard, below), found in zip(trees, settled, strict=True):
            lost = (shard.number, *_numbers(below))
            answers.append(Answer({}, lost=lost) if found is None else pickle.loads(found))
        return answers

    def _waited(self, futures: Sequence[Any], shards: Sequence[Held]) -> list[Any]:
        """The results of calls of actors; None for those whose workers are lost, or whose call failed."""
        client, end = self.placement.client, time.monotonic() + self.placement.timeout
        while True:
            found = client.sync(_settled, futures, POLL_SECONDS)
            if all(is_done for is_done, _ in found):
                return [result for _, result in found]
            there = workers_of(client)
            late = [s for s, (is_done, _) in zip(shards, found, strict=True) if not is_done]
            gone = [s for s in late if s.address not in there]
            if len(gone) == len(late):
                return [result if is_done else None for is_done, result in found]
            if client.status != "running":
                raise ClusterError("the scheduler is lost", location=user_line(), hint="make a new client")
            if time.monotonic() > end:
                names = ", ".join(s.address for s in late if s not in gone)
                raise TimeLimitError(
                    f"no answer for {self.placement.timeout:g} s from {names}",
                    location=user_line(),
                    hint="pass timeout=... to resident, or look whether the worker hangs",
                )


def _quick(request: Request) -> Request:
    return replace(
        request,
        whole={index: quick(array) for index, array in request.whole.items()},
        combined={number: quick(array) for number, array in request.combined.items()},
    )


async def _settled(futures: Sequence[Any], seconds: float) -> list[tuple[bool, Any]]:
    """For each call whether it is done, within some seconds, and its result, None where it failed."""
    waits = [asyncio.ensure_future(_result(future)) for future in futures]
    await asyncio.wait(waits, timeout=seconds)
    found: list[tuple[bool, Any]] = []
    for wait in waits:
        if wait.done():
            found.append((True, wait.result()))
        else:
            wait.cancel()
            found.append((False, None))
    return found


async def _result(future: Any) -> Any:
    if future is None:
        return None
    try:
        return await future
    except Exception as error:
        if is_from_signal(error):
            raise
        return None


def _runs(chunks: tuple[int, ...], rows: Sequence[int], parts: int) -> list[tuple[int, ...]]:
    """Cut chunks into at most `parts` runs with a similar number of rows, between whole nodes of the tree if
    there are enough.
    """
    step = ARITY if len(chunks) >= 4 * ARITY * parts else 1
    total, passed, runs = sum(rows), 0, [list[int]() for _ in range(parts)]
    for k in range(0, len(chunks), step):
        inside = sum(rows[k : k + step])
        runs[min(parts - 1, int((passed + inside / 2) * parts / total))] += chunks[k : k + step]
        passed += inside
    return [tuple(run) for run in runs if run]


def _patience(end: float, count: int) -> list[float]:
    return [max(end - time.monotonic(), POLL_SECONDS)] * count


def _trees(shards: Sequence[Held]) -> list[tuple[Held, Any]]:
    """The shards that the client asks, each with those below it as its message has them."""
    if len(shards) <= DIRECT:
        return [(shard, ()) for shard in shards]
    below: dict[int, list[int]] = {}
    for k in range(DIRECT, len(shards)):
        below.setdefault((k - DIRECT) // ARITY, []).append(k)

    def under(k: int) -> tuple[tuple[int, Any, Any], ...]:
        return tuple((shards[c].number, shards[c].actor, under(c)) for c in below.get(k, ()))

    return [(shards[k], under(k)) for k in range(DIRECT)]


def _numbers(below: Sequence[tuple[int, Any, Any]]) -> list[int]:
    return [n for number, _, under in below for n in (number, *_numbers(under))]
