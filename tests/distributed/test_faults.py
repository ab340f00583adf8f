"""Faults of a cluster of two processes: the right bits or a clear error, nothing hangs, nothing is left."""

from __future__ import annotations

import asyncio
import os
import pickle
import random
import signal
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.distributed.problems import bits, data, logistic, normalised

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

CHUNKS = (30,) * 20 + (7,)
X, Y, W, P = data(sum(CHUNKS))


def split() -> tuple[Any, Any]:
    return da.from_array(X, chunks=(CHUNKS, -1)), da.from_array(Y, chunks=(CHUNKS,))


def shards(f: Any) -> list[Any]:
    return next(iter(f.runner._engines.values()))[1].placement.shards


def slow(w: Any, count: Any, x: Any) -> Any:
    """A sum over rows that takes as long as `count` says."""
    return np.sum(ad.fori_loop(0, count, lambda k, z: np.sin(z + 0.1), x @ w))


def two_workers(client: Any) -> None:
    """Wait until two workers answer; the scheduler may still list one that is dead.

    Now and then Dask begins to restart a worker, and does not: then the cluster is asked for one more.
    """
    for seconds in (15, 60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if len(client.run(os.getpid, on_error="ignore")) >= 2:
                return
            time.sleep(0.1)
        client.cluster.scale(len(client.cluster.worker_spec) + 1)
    raise AssertionError("no two workers")


def killed(client: Any, kills: int, rng: random.Random) -> None:
    """Kill a worker at a random time of a loop of evaluations, again and again: no bit may change."""
    f = ad.distributed.resident(ad.value_and_grad(normalised), *split())
    expected = bits(f(P))
    for _ in range(kills):
        two_workers(client)
        address = rng.choice(shards(f)).address
        pid = client.run(os.getpid, workers=[address])[address]
        killing = threading.Timer(rng.uniform(0, 0.2), os.kill, (pid, signal.SIGKILL))
        killing.start()
        end = time.monotonic() + 60
        while any(shard.address == address for shard in shards(f)):
            assert bits(f(P)) == expected
            assert time.monotonic() < end
        assert bits(f(P)) == expected
        killing.join()
    two_workers(client)


def test_a_killed_worker_changes_no_bit(client: Any) -> None:
    killed(client, 1, random.Random(0))


@pytest.mark.fuzz
def test_killed_workers_change_no_bit(client: Any, fuzz_seconds: float) -> None:
    killed(client, 20, random.Random(time.time_ns()))


@contextmanager
def frozen(client: Any, address: str) -> Any:
    pid = client.run(os.getpid, workers=[address])[address]
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("direct", [48, 1], ids=["asked by the client", "asked by another worker"])
def test_a_worker_that_does_not_answer_is_named(
    client: Any, direct: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlirad.distributed.engines import dask_resident

    monkeypatch.setattr(dask_resident, "DIRECT", direct)
    f = ad.distributed.resident(ad.value_and_grad(normalised), *split(), timeout=1.5)
    expected = bits(f(P))
    address = shards(f)[1].address
    start = time.monotonic()
    with (
        frozen(client, address),
        pytest.raises(ad.TimeLimitError, match=f"no answer for 1.[25] s from {address}"),
    ):
        f(P)
    assert time.monotonic() - start < 6
    assert bits(f(P)) == expected


def interrupted(call: Callable[[], Any], seconds: float) -> None:
    """Interrupt a call after some time, as Ctrl-C does."""
    pressing = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    pressing.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    pressing.join()


def at_work(client: Any) -> list[str]:
    """The tasks that workers compute, and the calls of actors that run on them."""
    return [str(name) for names in client.run(_names).values() for name in names]


def _names(dask_worker: Any) -> list[str]:
    return [str(name) for name in dask_worker.active_threads.values()]


def until(is_so: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def left_after_interruption(client: Any, f: Callable[[Any, int], Any]) -> None:
    """Interrupt a call that is at work on workers: they leave it, and the next call works."""
    expected = bits(f(W, 10))
    interrupted(lambda: f(W, 1_000_000), 0.5)
    until(lambda: not at_work(client), 60)
    assert bits(f(W, 10)) == expected


def test_a_stopped_evaluation_is_left_before_its_next_chunk() -> None:
    from mlirad.distributed import calls
    from mlirad.distributed.engines.shards import Request, Shard, Stopped

    call, whole = calls.split_call(ad.value_and_grad(logistic), (W, *split()), {})
    shard = Shard(1, [(0, 0, 30)], X[:30], Y[:30])
    shard.learn("job", call.job, {1: 0, 2: 1})
    asyncio.run(shard.stop("first"))
    answers = [
        pickle.loads(shard.run(pickle.dumps(Request("job", evaluation, 0, whole, {}, {}, 1.0))))
        for evaluation in ("first", "second")
    ]
    assert isinstance(answers[0].error, Stopped)
    assert not answers[0].nodes
    assert answers[1].error is None
    assert list(answers[1].nodes) == [(0, 0)]


def test_an_interrupted_call_leaves_nothing_at_work(client: Any) -> None:
    f = ad.distributed.resident(slow, split()[0])
    left_after_interruption(client, f)


def test_an_interrupted_graph_leaves_nothing_at_work(client: Any) -> None:
    x, _ = split()
    f = ad.jit(slow)
    left_after_interruption(client, lambda w, count: f(w, count, x))


def test_an_interrupted_placement_is_made_up_for(client: Any) -> None:
    f = ad.distributed.resident(ad.value_and_grad(logistic), *split())
    expected = bits(f(W))
    placement = next(iter(f.runner._engines.values()))[1].placement
    placement.shards = placement.shards[1:]  # as after an interruption between a loss and its repair
    assert bits(f(W)) == expected
    assert sorted(chunk for shard in shards(f) for chunk in shard.chunks) == list(range(len(CHUNKS)))


def fails_at(row: int) -> Any:
    """Rows, but the chunk with this one raises when it is loaded."""

    def made(block: Any, block_info: Any = None) -> Any:
        first, end = block_info[0]["array-location"][0]
        if first <= row < end:
            raise LookupError("no such file")
        return block

    return da.map_blocks(made, split()[0], dtype=float, meta=np.zeros((0, 0)))


def test_a_chunk_that_cannot_be_made_is_named(client: Any) -> None:
    with pytest.raises(LookupError, match="no such file\\nin chunk 4, rows 120 to 149"):
        ad.distributed.resident(ad.value_and_grad(logistic), fails_at(130), split()[1])(W)


def test_a_chunk_whose_program_fails_is_named(client: Any) -> None:
    f, rows = ad.jit(slow, timeout=0.1), split()[0]
    for call in (lambda: f(W, 10**9, rows), lambda: ad.distributed.resident(f, rows)(W, 10**9)):
        with pytest.raises(ad.TimeLimitError, match=r"test_faults.py:\d+.*, in chunk \d+, rows \d+ to \d+"):
            call()


def test_a_cluster_of_threads_beside_another(client: Any) -> None:
    """Actors belong to the client that placed them, whichever is current where Dask makes their proxies."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        f = ad.distributed.resident(ad.value_and_grad(logistic), *split())
        assert bits(f(W)) == bits(f(W))
    with pytest.raises(ad.ClusterError, match="the client is closed"):
        f(W)
