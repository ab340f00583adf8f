"""Rounds on a cluster of Dask: what they cost the client and the workers, and 1000 workers on paper.

    python -m benchmarks.clusters                    # a table of each, in two minutes
    python -m benchmarks.clusters --chart FILE       # the simulation alone, as a chart

*Overhead*: a logistic regression of 128 small chunks, so that a round is nothing but messages. The client's
processor time has that of the scheduler, which is in its process, less what Dask takes idle for as long.
*Work*: processor time of the workers for an evaluation, over that of one process with the same rows, code on
one thread each; wall times of two processes say little where others use the machine.

*Simulation*: one round of P workers with chunks of a given time, by constants measured with Dask 2026.8 on
one machine. A graph is a queue at the scheduler, `TASK` seconds a task. Resident workers are called by the
client, up to `DIRECT` of them, and by each other beyond that, `CALL` seconds a call.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.table import head, row
from mlirad.distributed.engines.dask_resident import DIRECT
from mlirad.distributed.trees import ARITY

TASK, WORK, CALL, LATENCY, BANDWIDTH = 0.75e-3, 1e-3, 0.67e-3, 0.5e-3, 1.25e9
"""Seconds of the scheduler and of a worker for a task, of a caller for a call, of a message; bytes in one."""

WORKERS = (1, 2)
SIMULATED = (10, 30, 100, 300, 1000)
CHUNK_SECONDS = (0.01, 0.1, 1.0)


def logistic(w: Any, x: Any, y: Any) -> Any:
    """A mean negative log-likelihood."""
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - y * z)


def mixture(p: Any, x: Any) -> Any:
    """A mixture of Gaussians: weights, centres, logarithms of widths."""
    d = (x[:, None, :] - p["centres"]) * np.exp(-p["widths"])
    q = p["weights"] - np.sum(p["widths"], axis=1) - 0.5 * np.sum(d * d, axis=2)
    m = np.max(q, axis=1)
    return np.sum(m + np.log(np.sum(np.exp(q - m[:, None]), axis=1)))


def network(p: Any, x: Any, y: Any) -> Any:
    """A network with batch normalisation."""
    h = x @ p["in"]
    mean = np.mean(h, axis=0)
    h = np.tanh((h - mean) / np.sqrt(np.mean((h - mean) ** 2, axis=0) + 1e-5) * p["gain"])
    return np.mean((h @ p["out"] - y) ** 2)


class Problem(NamedTuple):
    """A function, what it is differentiated by, and rows."""

    function: Any
    at: Any
    rows: tuple[np.ndarray[Any, Any], ...]


def problems(count: int) -> dict[str, Problem]:
    """The programs with this many rows."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(count, 20)), (rng.random(count) < 0.5) * 1.0
    narrow = np.ascontiguousarray(x[:, :8])
    clusters = {
        "weights": np.zeros(10),
        "centres": rng.normal(size=(10, 8)),
        "widths": 0.1 * rng.normal(size=(10, 8)),
    }
    layers = {"in": rng.normal(size=(20, 32)), "gain": np.ones(32), "out": rng.normal(size=32)}
    return {
        "logistic": Problem(logistic, rng.normal(size=20), (x, y)),
        "mixture": Problem(mixture, clusters, (narrow,)),
        "batch norm": Problem(network, layers, (x, y)),
    }


class Taken(NamedTuple):
    """Seconds of an evaluation: on the wall at least and in the median, of the client and of the workers.

    Of the client what Dask's loop takes in the same time without evaluations is left out.
    """

    least: float
    median: float
    client: float
    workers: float


def measured(call: Any, pids: list[int], times: int) -> Taken:
    """Measure `times` calls: wall time, and processor time of the client and the workers."""
    import psutil

    processes = [psutil.Process(pid) for pid in pids]

    def used() -> float:
        return sum(sum(p.cpu_times()[:2]) for p in processes)

    call()
    walls: list[float] = []
    own, others = time.process_time(), used()
    for _ in range(times):
        start = time.perf_counter()
        call()
        walls.append(time.perf_counter() - start)
    own, others = time.process_time() - own, used() - others
    idle, pause = time.process_time(), min(sum(walls), 5.0) if pids else 0.0
    time.sleep(pause)
    own -= (time.process_time() - idle) * (sum(walls) / pause if pause else 0.0)
    return Taken(min(walls), float(np.median(walls)), own / times, others / times)


def on_cluster(workers: int, problem: Problem, chunk: int, times: int) -> tuple[Taken, Any]:
    """The times of evaluations on resident rows, and the counts of one."""
    import dask.array as da
    from distributed import Client, LocalCluster

    import mlirad as ad

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        rows = [da.from_array(a, chunks=(chunk, *a.shape[1:])) for a in problem.rows]
        f = ad.distributed.resident(ad.value_and_grad(problem.function), *rows)
        pids = list(client.run(os.getpid).values())
        return measured(lambda: f(problem.at), pids, times), f.counts


def overhead() -> Iterator[str]:
    """The table of overheads."""
    titles = ["workers", "messages", "wall ms, least", "median", "client ms", "of a worker ms"]
    yield from head(["rounds", *titles])
    for name, problem in problems(128 * 300).items():
        if name == "mixture":
            continue
        for workers in WORKERS:
            taken, counts = on_cluster(workers, problem, 300, 200)
            shown = [f"{1e3 * t:.2f}" for t in (*taken[:3], taken.workers / workers)]
            yield row([f"{name}, {counts.rounds}", str(workers), str(counts.messages), *shown])


def work() -> Iterator[str]:
    """The table of work."""
    import mlirad as ad

    yield from head(["program", "rows", "one process, ms", "workers", "all workers, ms", "ratio"])
    for name, problem in problems(1_000_000).items():
        f = ad.value_and_grad(problem.function)
        alone = measured(lambda f=f, p=problem: f(p.at, *p.rows), [], 10).client
        for workers in WORKERS:
            taken, _ = on_cluster(workers, problem, 100_000, 10)
            figures = [f"{1e3 * alone:.1f}", str(workers), f"{1e3 * taken.workers:.1f}"]
            yield row([name, "1e6", *figures, f"{taken.workers / alone:.2f}"])


def by_graph(workers: int, chunk: float, chunks: int, part: float) -> float:
    """Seconds of a round by tasks: a chunk each, then a tree, all by one scheduler."""
    clock = 0.0
    free = [0.0] * workers
    sent = math.ceil(math.log2(workers + 1)) * (LATENCY + part / BANDWIDTH)
    level: list[tuple[float, int]] = []
    for task in range(chunks):
        clock += TASK
        worker = task * workers // chunks
        free[worker] = max(clock + LATENCY, free[worker], sent) + WORK + chunk
        level.append((free[worker], worker))
    while len(level) > 1:
        groups = [level[k : k + ARITY] for k in range(0, len(level), ARITY)]
        level = []
        for end, worker, width in sorted((max(g)[0], g[0][1], len(g)) for g in groups):
            clock = max(clock, end + LATENCY) + TASK
            start = max(clock + LATENCY, free[worker]) + LATENCY + (width - 1) * part / BANDWIDTH
            free[worker] = start + WORK
            level.append((free[worker], worker))
        level.sort(key=lambda item: item[1])
    return level[0][0] + LATENCY + part / BANDWIDTH


def by_residents(workers: int, chunk: float, chunks: int, part: float) -> float:
    """Seconds of a round by calls: of the client, and of workers of each other."""
    direct = min(workers, DIRECT)
    below = math.ceil(math.log(max((workers - direct) / direct, 1), ARITY)) + 1 if workers > direct else 0
    calls = direct * (CALL + part / BANDWIDTH) + below * ARITY * (CALL + part / BANDWIDTH)
    return calls + 2 * (below + 1) * LATENCY + chunk * math.ceil(chunks / workers)


def simulated(part: float = 1e3) -> dict[tuple[str, float], list[float]]:
    """The efficiency by numbers of workers: of each engine, for chunks of each time, four for a worker."""
    found: dict[tuple[str, float], list[float]] = {}
    for name, engine in (("graph", by_graph), ("resident", by_residents)):
        for chunk in CHUNK_SECONDS:
            found[name, chunk] = [4 * chunk / engine(p, chunk, 4 * p, part) for p in SIMULATED]
    return found


def simulation() -> Iterator[str]:
    """The table of the simulation."""
    yield from head(["engine", "chunk", *(f"{p} workers" for p in SIMULATED)])
    for (name, chunk), shares in simulated().items():
        yield row([name, f"{1e3 * chunk:.0f} ms", *(f"{100 * share:.0f} %" for share in shares)])


def chart(file: Path) -> None:
    """The simulation as a chart."""
    from mlirad.explorer.svg import Drawing, LogScale

    drawing = Drawing(620, 330)
    drawing.text(10, 20, "Efficiency of a round, simulated", "title")
    across = LogScale(SIMULATED[0], SIMULATED[-1], 60, 440)
    for share in (0, 25, 50, 75, 100):
        y = 270 - 2.2 * share
        drawing.line(60, y, 440, y, "grid")
        drawing.text(54, y + 4, f"{share} %", "tick", "end")
    for count in SIMULATED:
        drawing.text(across(count), 288, str(count), "tick", "middle")
    drawing.text(250, 310, "workers, with four chunks each", "note", "middle")
    for (name, chunk), shares in simulated().items():
        kind = "s1" if name == "graph" else "s0"
        points = [(across(p), 270 - 220 * s) for p, s in zip(SIMULATED, shares, strict=True)]
        drawing.path(points, "roof")
        label = f"{name}, chunks of {1e3 * chunk:.0f} ms"
        for (x, y), p, share in zip(points, SIMULATED, shares, strict=True):
            drawing.dot(x, y, kind, f"{label}, {p} workers: {100 * share:.0f} %")
        drawing.text(450, points[-1][1] + 4, label, "tick")
    file.write_text(str(drawing), encoding="utf-8")


def main(*arguments: str) -> None:
    """Print the tables, or write the chart."""
    if arguments[:1] == ("--chart",):
        chart(Path(arguments[1]))
        return
    os.environ["MLIRAD_THREADS"] = "1"
    for title, table in (("Overhead", overhead), ("Work", work), ("Simulation", simulation)):
        print(f"\n{title}\n")
        for line in table():
            print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
