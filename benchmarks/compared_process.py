"""One side of `benchmarks.compare`: `python compared_process.py FOLDER ROOT` runs the problems that are in
ROOT with the
compiler that is in FOLDER.

    {"prepare": ["lse", "1e4"]}    {"seconds": 1.2e-05}, of a call after the first, or {"error": "..."}
    {"burst": ["lse", "1e4"]}      {"median": 1.1e-05}
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any


def main(folder: str, root: str) -> None:
    """Answer questions, a line of JSON each, until there are no more."""
    os.environ["MLIRAD_CACHE"] = "off"
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    sys.path[0] = folder
    import mlirad  # noqa: F401  first, so that it is that of the folder

    sys.path[0] = root
    calls: dict[tuple[str, str], Callable[[], Any]] = {}
    for line in sys.stdin:
        question = json.loads(line)
        if "prepare" in question:
            print(json.dumps(prepared(calls, *question["prepare"])), flush=True)
        else:
            call = calls[tuple(question["burst"])]
            print(json.dumps({"median": statistics.median(burst_of(call))}), flush=True)


def prepared(calls: dict[tuple[str, str], Callable[[], Any]], name: str, size: str) -> dict[str, Any]:
    """Compile a derivative, which a compiler of another time may not be able to."""
    from benchmarks.problems import PROBLEMS
    from benchmarks.systems import MLIRAD

    problem = PROBLEMS[name]
    try:
        call = MLIRAD.functions(problem, problem.sizes[size](), 1).derivative
        call()
        start = time.process_time()
        call()
        calls[name, size] = call
        return {"seconds": time.process_time() - start}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0]}


def burst_of(call: Callable[[], Any]) -> list[float]:
    from benchmarks.protocol import CLOCKS, burst

    call()  # brings back what the other process has put out of the caches
    return burst(call, CLOCKS["cpu"])


if __name__ == "__main__":
    main(*sys.argv[1:])
