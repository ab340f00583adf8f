"""A process that measures: `python -m benchmarks.worker`, started by `benchmarks.runs`.

It reads one JSON object, what to measure, from its standard input, and prints one for each figure that it
has. A process of its own keeps one number of threads, with which libraries are loaded, and the memory of one
system.
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.protocol import Limits, median_seconds, timings, use_threads

TOLERANCE = {"float64": 1e-8, "float32": 2e-4}


def main() -> None:
    wanted = json.loads(sys.stdin.readline())
    use_threads(wanted["threads"])
    if wanted["kind"] == "memory":
        found = peak_bytes(wanted["problem"], wanted["size"], wanted["system"], wanted["threads"])
        answer({"peak_bytes": found})
        return
    if wanted["kind"] == "check":
        check(wanted["problems"], wanted["systems"], wanted["threads"])
        return
    for name, sizes in wanted["problems"].items():
        for size in sizes:
            measure(name, size, wanted["systems"], wanted["threads"], Limits(*wanted["limits"]))


def answer(content: dict[str, Any]) -> None:
    print(json.dumps(content), flush=True)


def check(names: list[str], systems: list[str], threads: int) -> None:
    """Prints the error of every system on the golden instance of every problem."""
    from benchmarks.problems import PROBLEMS

    for name in names:
        for key in systems_of(name, systems):
            for dtype in PROBLEMS[name].dtypes():
                found = error_of(key, name, dtype, threads)
                answer({"problem": name, "system": key, "dtype": dtype, **found})


def systems_of(name: str, systems: list[str]) -> list[str]:
    """The systems that have a problem."""
    from benchmarks.problems import PROBLEMS
    from benchmarks.systems import SYSTEMS

    return [key for key in systems if SYSTEMS[key].takes(PROBLEMS[name])]


def error_of(key: str, name: str, dtype: str, threads: int) -> dict[str, Any]:
    """The largest error, or the reason that it is missing: a system may not be able to compile a program at
    all.
    """
    from benchmarks.figures import golden_error
    from benchmarks.problems import PROBLEMS
    from benchmarks.systems import SYSTEMS

    try:
        return {"error": golden_error(SYSTEMS[key], PROBLEMS[name], dtype, threads)}
    except Exception as failure:
        if key == "mlirad":
            raise
        return {"failure": f"{type(failure).__name__}: {failure}".splitlines()[0][:200]}


def measure(name: str, size: str, systems: list[str], threads: int, limits: Limits) -> None:
    """Prints the figures of an instance in all systems that have it and run it."""
    from benchmarks.problems import PROBLEMS
    from benchmarks.systems import SYSTEMS

    problem = PROBLEMS[name]
    arguments = problem.sizes[size]()
    prepared = {}
    for key in systems_of(name, systems):
        try:
            SYSTEMS[key].prepare(problem, problem.golden().arguments, threads)  # loads what it loads once
            prepared[key] = SYSTEMS[key].prepare(problem, arguments, threads, limits.clock)
        except Exception as failure:
            if key == "mlirad":
                raise
            reason = f"{type(failure).__name__}: {failure}".splitlines()[0][:200]
            answer({"problem": name, "size": size, "system": key, "failure": reason})
    derivatives = timings([p.derivative for p in prepared.values()], limits, threads)
    primals = {key: p.primal for key, p in prepared.items() if p.primal is not None}
    values = dict(zip(primals, median_seconds(list(primals.values()), limits, threads), strict=True))
    for (key, one), derivative in zip(prepared.items(), derivatives, strict=True):
        answer(
            {
                "problem": name, "size": size, "system": key, "threads": threads, "value": values.get(key),
                "derivative": derivative.seconds, "first_call": one.first_call,
                "bursts": derivative.bursts, "left_out": derivative.left_out, "stolen": derivative.stolen,
                **(counted(name, size) if key == "mlirad" else {}),
            }
        )  # fmt: skip


def counted(name: str, size: str) -> dict[str, Any]:
    """The scalar operations of mlirad's derivative, and the bytes that its kernels move, by cache."""
    import mlirad as ad
    from benchmarks.problems import PROBLEMS

    problem = PROBLEMS[name]
    stats = ad.jit(problem.derivative_in(ad, problem.numpy_program)).stats(*problem.sizes[size]())
    return {"work": stats.work, "traffic": stats.traffic}


def peak_bytes(name: str, size: str, key: str, threads: int) -> int | None:
    """Return how much the process grows at most in one call of the derivative: arrays of results, scratch
    memory and whatever else the system allocates. Compiling, and a call with the golden instance, go before.

    None where Linux's figures are missing.
    """
    from benchmarks.problems import PROBLEMS
    from benchmarks.systems import SYSTEMS

    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not reset.exists():
        return None
    problem, system = PROBLEMS[name], SYSTEMS[key]
    system.functions(problem, problem.golden().arguments, threads).derivative()
    made = system.functions(problem, problem.sizes[size](), threads)
    call = made.derivative if made.compiled is None else made.compiled()
    gc.collect()
    give_back_memory()
    before = kilobytes(status, "VmRSS")
    reset.write_text("5")  # the peak is that from here on
    result = call()
    peak = kilobytes(status, "VmHWM")
    del result
    return 1024 * max(peak - before, 0)


def give_back_memory() -> None:
    """Return what `malloc` keeps to the system, so that it is counted when it is used again."""
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def kilobytes(status: Path, field: str) -> int:
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(field))


if __name__ == "__main__":
    main()
