"""Rounds by actors of Dask: each worker keeps its chunks, and a round is one message to each.

    placement = Placement(client, split, timeout=600.0)      chunks are loaded where they stay
    engine = ResidentEngine(placement, job, {1: 0, 2: 1})    argument 1 is the first array, 2 the second
    engine.run(0, {0: w}, {})                                partials

Dask's scheduler has no part in a round but to pass messages on. A worker passes on the nodes of the fixed
tree that its chunks give, so bits do not depend on who has which. When a worker is lost, its chunks are made
again from the graphs of the arrays, on workers that are left, and these run the round for them; residuals
that they lack they compute again. Beyond `DIRECT` workers, workers pass rounds on to others and combine what
these answer.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mlirad.distributed.chunks import Job
from mlirad.distributed.combinations import Partials, combine
from mlirad.distributed.counts import Counts, bytes_of
from mlirad.distributed.engines.dask_graph import GraphEngine
from mlirad.distributed.engines.messages import Held, told, told_only
from mlirad.distributed.engines.placement import Placement
from mlirad.distributed.engines.shards import Answer, Below, Request
from mlirad.distributed.plan import Rows, Stage
from mlirad.distributed.trees import ARITY, Node, climb

DIRECT: Final = 48
"""The most workers that the client talks to itself; with more, each passes rounds on to `ARITY` others."""


class StateLost(Exception):
    """A worker was lost that had rows which an evaluation made: no graph makes them again."""


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
        request = Request(
            self._key, self._evaluation, stage, whole, combined, self._new or {}, self.placement.timeout
        )
        fold = combine(self._job.plan.stages[stage])
        nodes: dict[Node, Partials] = {}
        count = len(self.placement.split.filled)
        sent = bytes_of((whole, combined))
        self.counts = self.counts.plus(rounds=1)
        asked = self.placement.complete()
        try:
            while asked:
                answers = self._answers(asked, request)
                self.counts = self.counts.plus(
                    messages=len(asked),
                    sent=sent * len(asked),
                    received=_bytes_of_nodes(answers, self._job.plan.stages[stage]),
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
        except BaseException:  # an interruption too: workers need not go on with their chunks
            placement = self.placement
            told_only(placement.client, placement.shards, "stop", (self._evaluation,), placement.timeout)
            raise
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
        placement = self.placement
        told_only(placement.client, placement.shards, "forget", (self._key,), placement.timeout)

    def _answers(self, shards: Sequence[Held], request: Request) -> list[Answer]:
        """Ask the shards; teach the job first to those that do not know it."""
        trees = _trees(shards)
        answers = self._asked(trees, request)
        if any(answer.lacks for answer in answers):
            self._told(shards, "learn", [(self._key, self._job, self._positions)] * len(shards))
            answers = self._asked(trees, request)
        return answers

    def _asked(self, trees: Sequence[tuple[Held, Below]], request: Request) -> list[Answer]:
        message = pickle.dumps(request)  # once for all, and as one buffer
        given = [(message, below) if below else (message,) for _, below in trees]
        answers: list[Answer] = []
        found = self._told([shard for shard, _ in trees], "run", given)
        for (shard, below), answer in zip(trees, found, strict=True):
            lost = (shard.number, *_numbers(below))
            answers.append(Answer({}, lost=lost) if answer is None else pickle.loads(answer))
        return answers

    def _told(self, shards: Sequence[Held], method: str, given: Sequence[tuple[Any, ...]]) -> list[Any]:
        return told(self.placement.client, shards, method, given, self.placement.timeout)


def _bytes_of_nodes(answers: Sequence[Answer], stage: Stage) -> int:
    """The bytes of the partials of all nodes, of one size unless they are lists of what chunks have."""
    if any(c.kind == "list" for c in stage.combinations):
        return bytes_of([a.nodes for a in answers])
    one = next((partials for a in answers for partials in a.nodes.values()), ())
    return bytes_of(one) * sum(len(a.nodes) for a in answers)


def _trees(shards: Sequence[Held]) -> list[tuple[Held, Below]]:
    """The shards that the client asks, each with those below it as its message has them."""
    if len(shards) <= DIRECT:
        return [(shard, ()) for shard in shards]
    below: dict[int, list[int]] = {}
    for k in range(DIRECT, len(shards)):
        below.setdefault((k - DIRECT) // ARITY, []).append(k)

    def under(k: int) -> Below:
        return tuple(
            (shards[c].number, shards[c].address, shards[c].future.key, under(c)) for c in below.get(k, ())
        )

    return [(shards[k], under(k)) for k in range(DIRECT)]


def _numbers(below: Below) -> list[int]:
    return [n for number, _, _, under in below for n in (number, *_numbers(under))]
