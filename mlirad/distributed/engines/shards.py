"""The chunks of a worker, on that worker: an actor of Dask that answers rounds.

    shard = Shard(4, [(1, 300, 100)], X[300:400], y[300:400])       of 4 chunks, that with number 1
    shard.learn("job", job, {1: 0, 2: 1})                argument 1 is the first array, 2 the second
    shard.run(pickle.dumps(request))                     the bytes of an answer

A request and its answer are pickled here, once for all workers and as one buffer, which Dask passes on as it
is.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from mlirad.distributed.chunks import Chunk, Job, Residuals, quick, run_stage
from mlirad.distributed.combinations import Partials, combine
from mlirad.distributed.trees import Node, climb
from mlirad.errors import TimeLimitError, is_from_signal
from mlirad.lazy_dataclass import dataclass
from mlirad.packages import load


@dataclass(frozen=True)
class Request:
    """One round as a worker is asked for it: a stage of a job, in an evaluation, and what it reads.

    With the last round of an evaluation, residuals `new` replace arrays: by position, their stage and slot.
    Workers have `seconds` to answer, those that others ask a part of them.
    """

    job: str
    evaluation: str
    stage: int
    whole: Mapping[int, Any]
    combined: Mapping[int, Any]
    new: Mapping[int, tuple[int, int]]
    seconds: float


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


Below: TypeAlias = tuple[tuple[int, str, str, "Below"], ...]
"""Shards that another asks: number, address of the worker, key of the actor, and those below it."""


class Stopped(Exception):
    """The client does not wait for this evaluation any more."""


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
        self._stopped = ""
        self._residuals: list[Residuals] = []

    def learn(self, key: str, job: Job, positions: Mapping[int, int]) -> None:
        """Take a job: argument `index` is the array number `positions[index]`."""
        self._jobs[key] = job, positions

    def forget(self, key: str) -> None:
        """Drop a job."""
        self._jobs.pop(key, None)
        self._chunks.pop(key, None)

    async def stop(self, evaluation: str) -> None:
        """Leave an evaluation after the chunk at hand. Dask calls it while `run` is at work in its thread."""
        self._stopped = evaluation

    def run(self, message: bytes, below: Below = ()) -> bytes:
        """The answer to a request, with those of the shards below."""
        return pickle.dumps(self._answer(message, below))

    def _answer(self, message: bytes, below: Below) -> Answer:
        request = _quick(pickle.loads(message))
        patience = request.seconds * _share(below)
        asked = [
            (number, address, _proxy(address, key).run(message, under))
            for number, address, key, under in below
        ]
        if request.job not in self._jobs:
            for *_, future in asked:
                with suppress(Exception):
                    future.result(timeout=patience)
            return Answer({}, lacks=True)
        try:
            answers = [Answer(self._own(request))]
        except BaseException as error:
            if is_from_signal(error):
                raise
            answers = [Answer({}, error=error)]
        for number, address, future in asked:
            try:
                answers.append(pickle.loads(future.result(timeout=patience)))
            except TimeoutError:
                late = TimeLimitError(f"no answer for {patience:g} s from {address}")
                answers.append(Answer({}, error=late))
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
        stage = job.plan.stages[request.stage]
        repeats = any(c.kind == "ranks" for c in stage.combinations)
        is_last = request.stage + 1 == len(job.plan.stages) and not repeats
        for k, chunk in enumerate(self._checked(request.job)):
            if self._stopped == request.evaluation:
                raise Stopped
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
        return climb(nodes, self._count, combine(stage))

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


def _quick(request: Request) -> Request:
    return replace(
        request,
        whole={index: quick(array) for index, array in request.whole.items()},
        combined={number: quick(array) for number, array in request.combined.items()},
    )


def _share(below: Below) -> float:
    """The part of the time that those below may take: less where they have fewer below themselves, so that
    the error of a worker that does not answer is that of the one which asks it."""
    return 1 - 0.4 / 2 ** _height(below)


def _height(below: Below) -> int:
    return 1 + max((_height(under) for *_, under in below), default=-1)


def _proxy(address: str, key: str) -> Any:
    """The proxy of a shard on another worker."""
    return load("distributed").Actor(Shard, address, key)
