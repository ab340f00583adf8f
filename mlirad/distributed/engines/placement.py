"""Dask arrays on workers: which has which chunks, and new places for those of workers that are lost.

    placement = Placement(client, split, timeout=600.0)      chunks are loaded where they stay
    placement.shards                                         one for each worker

Chunks come from the graphs of the arrays, so Dask makes them again wherever they are asked for.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from typing import Any, Final

from mlirad.distributed.arrays import SplitRows
from mlirad.distributed.chunks import noted
from mlirad.distributed.cluster import require_alike, workers_of
from mlirad.distributed.engines.messages import POLL_SECONDS, Held, reached
from mlirad.distributed.engines.shards import Shard
from mlirad.distributed.trees import ARITY
from mlirad.errors import ClusterError, TimeLimitError, is_from_signal
from mlirad.frontend.tracing.source import user_line

MEMORY_SHARE: Final = 0.7
"""The part of the memory of a worker that its chunks may take: Dask begins to pause workers at 0.8."""


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
        self._near: dict[str, bool] = {}
        self._made = 0
        self._filled = split.filled
        self._firsts = split.firsts
        self._blocks = [array.to_delayed().ravel() for array in split.arrays.values()]
        self._place(tuple(range(len(self._filled))))

    def complete(self) -> list[Held]:
        """The shards of all chunks: those that an interrupted call has not placed again are placed now."""
        if sum(len(shard.chunks) for shard in self.shards) < len(self._filled):
            self.again(())
        return list(self.shards)

    def again(self, lost: Sequence[Held]) -> list[Held]:
        """Place the chunks of lost shards on workers that are left; return the new shards."""
        self.shards = [shard for shard in self.shards if shard not in lost]
        there = {chunk for shard in self.shards for chunk in shard.chunks}
        missing = tuple(chunk for chunk in range(len(self._filled)) if chunk not in there)
        if not missing:
            return []
        require_alike(self.client)
        return self._place(missing)

    def close(self) -> None:
        """Let the workers drop the chunks."""
        self.shards = []

    def _place(self, chunks: tuple[int, ...]) -> list[Held]:
        """Shards for these chunks, by runs of similar size, on the workers that have fewest; retried while
        workers are lost.
        """
        end = time.monotonic() + self.timeout
        left, made = chunks, list[Held]()
        while left:
            addresses = self._addresses(end)
            runs = _runs(left, [self.split.rows[self._filled[c]] for c in left], len(addresses))
            begun = [
                (run, address, *self._begin(run, address))
                for run, address in zip(runs, addresses, strict=False)
            ]
            failed: list[int] = []
            for run, address, blocks, future in begun:
                if self._is_loaded(future, address, end, run, blocks):
                    self._made += 1
                    made.append(Held(self._made, run, address, future, self._is_near(address)))
                else:
                    failed += run
            left = tuple(failed)
        self.shards += made
        return made

    def _is_near(self, address: str) -> bool:
        """Tell whether the client reaches a worker itself; each is tried once."""
        if address not in self._near:
            self._near[address] = reached(self.client, address)
        return self._near[address]

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

    def _begin(self, run: tuple[int, ...], address: str) -> tuple[list[Any], Any]:
        """The futures of blocks, by argument and chunk, and that of the actor which has them."""
        filled = [self._filled[c] for c in run]
        blocks = [block[k] for block in self._blocks for k in filled]
        places = [(c, self._firsts[k], self.split.rows[k]) for c, k in zip(run, filled, strict=True)]
        futures = self.client.compute(blocks, workers=[address], allow_other_workers=True)
        key = f"mlirad-shard-{uuid.uuid4().hex}"
        actor = self.client.submit(
            Shard, len(self._filled), places, *futures, actor=True, pure=False, workers=[address], key=key
        )
        return futures, actor

    def _is_loaded(
        self, future: Any, address: str, end: float, run: tuple[int, ...], blocks: Sequence[Any]
    ) -> bool:
        """Wait for an actor; false where its worker is lost. Raises what loading the chunks raises."""
        from distributed import TimeoutError as Late

        while True:
            try:
                future.result(timeout=POLL_SECONDS)
            except Late:
                if address not in workers_of(self.client):
                    return False
                if time.monotonic() > end:
                    raise TimeLimitError(
                        f"worker {address} has not loaded its chunks within {self.timeout:g} s",
                        location=user_line(),
                        hint="pass timeout=... to resident, or fewer rows",
                    ) from None
            except Exception as error:
                future.release()  # else the client keeps the error, and with it all frames that it came by
                if is_from_signal(error):
                    raise
                if address not in workers_of(self.client):
                    return False
                failed = [k % len(run) for k, block in enumerate(blocks) if block.status == "error"]
                if failed:
                    filled = self._filled[run[failed[0]]]
                    raise noted(
                        error, run[failed[0]], self._firsts[filled], self.split.rows[filled]
                    ) from error.__cause__
                raise
            else:
                return True


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
