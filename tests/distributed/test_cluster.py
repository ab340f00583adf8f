"""Rounds on a cluster of two processes: bits, counts, lost workers, errors; nothing is left."""

from __future__ import annotations

import gc
import os
import time
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import mlirad as ad
from tests.distributed.problems import bits, curved, data, logistic, normalised

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

CHUNKS = (30,) * 20 + (7,)
X, Y, W, P = data(sum(CHUNKS))


def split() -> tuple[Any, Any]:
    return da.from_array(X, chunks=(CHUNKS, -1)), da.from_array(Y, chunks=(CHUNKS,))


def shards(f: Any) -> list[Any]:
    return next(iter(f.runner._engines.values()))[1].placement.shards


def test_bits_are_those_of_threads_of_one_process(client: Any) -> None:
    for function, at in ((logistic, W), (normalised, P), (curved, W)):
        f = ad.value_and_grad(function)
        with client.as_current():
            found = {bits(f(at, *split())), bits(ad.distributed.resident(f, *split())(at))}
        with _no_client():
            found.add(bits(f(at, *split())))
        assert len(found) == 1


class _no_client:
    """Dask computes in this process."""

    def __enter__(self) -> None:
        import dask

        self._config = dask.config.set(scheduler="threads")

    def __exit__(self, *_: object) -> None:
        self._config.__exit__(*_)


@pytest.mark.parametrize("scheduler", ["threads", "synchronous", "Sync", "distributed", "client", None])
def test_a_scheduler_that_is_named_goes_before_the_client(client: Any, scheduler: str | None) -> None:
    import dask

    named = client if scheduler == "client" else scheduler
    with client.as_current(), dask.config.set({} if named is None else {"scheduler": named}):
        assert ad.value_and_grad(logistic)(W, *split())[0] > 0
        f = ad.distributed.resident(ad.value_and_grad(logistic), *split())
        f(W)
    assert (f.runner.client is client) == (scheduler in ("distributed", "client", None))
    assert bool(f.counts.messages > 1) == (f.runner.client is client)


def test_counts_of_messages_and_bytes(client: Any) -> None:
    f = ad.distributed.resident(ad.value_and_grad(logistic), *split())
    f(W)
    first = f.counts
    f(W)
    # To each of two workers the weights; back the partials of its nodes, a number and a gradient.
    nodes = sum(len(_nodes(shard.chunks)) for shard in shards(f))
    assert f.counts == ad.distributed.Counts(rounds=1, messages=2, sent=2 * 4 * 8, received=nodes * 5 * 8)
    assert first.messages == 2


def _nodes(chunks: tuple[int, ...]) -> Any:
    from mlirad.distributed.trees import climb

    return climb({(0, c): () for c in chunks}, len(CHUNKS), lambda a, b: ())


def test_counts_of_tasks(client: Any) -> None:
    from mlirad.distributed import calls
    from mlirad.distributed.engines.dask_graph import GraphEngine

    call, whole = calls.split_call(ad.value_and_grad(logistic), (W, *split()), {})
    engine = GraphEngine(call.job, call.split)
    call.run(engine, whole)
    # A task for each chunk, 3 + 1 that combine eight, and the job, its stage and its arguments.
    assert engine.counts.tasks == 21 + 4 + 3


def test_functions_share_the_chunks(client: Any) -> None:
    x, y = split()
    f = ad.distributed.resident(ad.value_and_grad(logistic), x, y)
    h = ad.distributed.resident(logistic, x, y)
    np.testing.assert_allclose(h(W), f(W)[0], rtol=1e-15)
    assert shards(h) == shards(f)


def test_solvers(client: Any) -> None:
    f = ad.distributed.resident(ad.value_and_grad(logistic), *split())
    found = scipy.optimize.minimize(f, np.zeros(4), jac=True, method="L-BFGS-B")
    alone = scipy.optimize.minimize(
        lambda w: ad.value_and_grad(logistic)(w, X, Y), np.zeros(4), jac=True, method="L-BFGS-B"
    )
    np.testing.assert_allclose(found.x, alone.x, atol=1e-6)


def test_minimisers_with_a_message_to_each_worker_and_evaluation(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlirad.distributed.engines import dask_resident

    messages: list[str] = []
    told = dask_resident.told

    def counted(client: Any, shards: Any, method: str, *rest: Any) -> Any:
        messages.extend([method] * len(shards))
        return told(client, shards, method, *rest)

    monkeypatch.setattr(dask_resident, "told", counted)
    found = ad.minimize(logistic, W, *split(), full_output=True)
    np.testing.assert_allclose(found.x, ad.minimize(logistic, W, X, Y), atol=1e-7)
    rounds = (messages.count("run") - 2) / 2  # the first time workers do not know the program
    assert messages.count("learn") == 2
    assert found.steps <= rounds <= 3 * found.steps + 3


def test_an_interrupted_solver(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlirad.distributed import solvers

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(solvers._Evaluations, "gradient", interrupted)
        ad.minimize(logistic, W, *split())
    np.testing.assert_allclose(ad.minimize(logistic, W, *split()), ad.minimize(logistic, W, X, Y), atol=1e-7)


def test_errors_of_workers_reach_the_caller(client: Any) -> None:
    x, y = split()

    def broken(block: Any) -> Any:
        raise LookupError("no such file")

    bad = da.map_blocks(broken, x, dtype=float, meta=np.zeros((0, 0)))
    with pytest.raises(LookupError, match="no such file"):
        ad.distributed.resident(ad.value_and_grad(logistic), bad, y)(W)
    checked = ad.distributed.resident(ad.grad(lambda w, x: np.sum(np.log(x @ w)), check_nans=True), x)
    with pytest.raises(ad.NotANumberError, match=r"test_cluster.py:\d+"):
        checked(W)


def test_workers_that_differ() -> None:
    from mlirad.distributed.cluster import identity, require_same

    mine = identity()
    require_same(mine, dict(mine), "tcp://one:1")
    with pytest.raises(ad.ClusterError, match=r"worker tcp://one:1 runs mlirad ab12.*, and the client"):
        require_same(mine, mine | {"mlirad": "ab12"}, "tcp://one:1")
    with pytest.raises(ad.ClusterError, match=r"(?s)avx9 there, nothing here.*MLIRAD_TARGET_FEATURES"):
        require_same(mine, mine | {"processor": mine["processor"] + " avx9"}, "tcp://one:1")
    with pytest.raises(ad.ClusterError, match="does not run mlirad: No module"):
        require_same(mine, ModuleNotFoundError("No module named 'mlirad'"), "tcp://one:1")


def test_rows_beyond_the_memory_of_workers(client: Any) -> None:
    x = da.zeros((10**11, 4), chunks=(10**8, -1))
    with pytest.raises(ad.ClusterError, match="have room for"):
        ad.distributed.resident(lambda w, x: np.sum(x @ w), x)(W)


def test_workers_pass_rounds_on(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlirad.distributed.engines import dask_resident

    f = ad.distributed.resident(ad.value_and_grad(normalised), *split())
    expected = bits(f(P))
    monkeypatch.setattr(dask_resident, "DIRECT", 1)
    assert bits(f(P)) == expected


@pytest.mark.long
def test_memory_is_flat(client: Any) -> None:
    import psutil

    f = ad.distributed.resident(ad.value_and_grad(logistic), *split())
    own = psutil.Process()
    workers = [psutil.Process(pid) for pid in client.run(os.getpid).values()]

    def used() -> int:
        return own.memory_info().rss + sum(worker.memory_info().rss for worker in workers)

    for _ in range(100):
        f(W)
    before = used()
    for _ in range(1000):
        f(W)
    assert used() - before < 2e7


def test_nothing_is_left(client: Any) -> None:
    f = ad.distributed.resident(ad.value_and_grad(logistic), *split())
    f(W)
    f.close()
    del f
    end = time.monotonic() + 10
    while held := [key for key in _keys(client) if "mlirad" in key]:
        gc.collect()
        assert time.monotonic() < end, held
        time.sleep(0.05)


def _keys(client: Any) -> list[str]:
    return [str(key) for keys in client.has_what().values() for key in keys]


def test_least_squares_with_a_message_to_each_worker_and_iteration(client: Any) -> None:
    def errors(w: Any, x: Any, y: Any) -> Any:
        return np.tanh(x @ w) - y

    r, map_ = ad.linearize(errors, W, *split())
    whole = np.linalg.lstsq(ad.jacobian(errors)(W, X, Y), -errors(W, X, Y))[0]
    for method in ("lsmr", "cg"):
        np.testing.assert_allclose(map_.solve(-r, method=method, tol=1e-12), whole, rtol=1e-8)
        assert (map_.counts.rounds, map_.counts.messages, map_.counts.tasks) == (1, 2, 0)


def test_a_closed_client_is_named(client: Any) -> None:
    with distributed.Client(client.scheduler.address, set_as_default=False) as other, other.as_current():
        f = ad.distributed.resident(ad.value_and_grad(logistic), *split())
        f(W)
    with pytest.raises(ad.ClusterError, match="the client is closed"):
        f(W)
