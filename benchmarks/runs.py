"""Runs: which systems there are, whether their figures are right, and the processes that measure them."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.machine import described
from benchmarks.problems import PROBLEMS
from benchmarks.protocol import Limits
from benchmarks.results import Measurement, Run
from benchmarks.systems import SYSTEMS
from benchmarks.worker import TOLERANCE

ROOT = Path(__file__).resolve().parents[1]


class WrongFigures(Exception):
    """A system does not reproduce golden figures."""


def available(systems: Sequence[str]) -> list[str]:
    """Those of the systems that are there; says of the others why not."""
    found: list[str] = []
    for key in systems:
        missing = SYSTEMS[key].why_not()
        if missing is None:
            found.append(key)
        else:
            print(f"The column {SYSTEMS[key].name} is left out: {missing}.", file=sys.stderr)
    return found


def checked(problems: Sequence[str], systems: Sequence[str], threads: int = 1) -> dict[str, list[str]]:
    """The systems that have each problem, after the golden figures.

    Raises `WrongFigures` where one of them is wrong. One that cannot run a problem at all is left out of it.
    """
    runs: dict[str, list[str]] = {name: [] for name in problems}
    failed: set[tuple[str, str]] = set()
    wanted = {"kind": "check", "problems": list(problems), "systems": list(systems), "threads": threads}
    for found in worker(wanted):
        problem, key, dtype = found["problem"], found["system"], found["dtype"]
        said = f"{problem}: {SYSTEMS[key].name} in {dtype}"
        if "failure" in found:
            print(f"{said} is left out: {found['failure']}", file=sys.stderr)
            failed.add((problem, key))
            continue
        print(f"{said} within {found['error']:.1e} of the golden figures", flush=True)
        if not found["error"] <= TOLERANCE[dtype]:
            raise WrongFigures(f"{SYSTEMS[key].name} is wrong on {problem} in {dtype}; nothing is timed")
        if key not in runs[problem]:
            runs[problem].append(key)
    return {name: [key for key in keys if (name, key) not in failed] for name, keys in runs.items()}


def timed(
    systems: dict[str, list[str]], sizes: dict[str, list[str]], threads: Sequence[int], limits: Limits
) -> Iterator[Measurement]:
    """The times of all instances, problem by problem: each problem in a process of its own per number of
    threads, in which its systems take turns."""
    for problem, keys in systems.items():
        for count in threads:
            wanted = {
                "kind": "time", "problems": {problem: sizes[problem]}, "systems": keys, "threads": count,
                "limits": list(limits),
            }  # fmt: skip
            for found in worker(wanted):
                if "failure" in found:
                    said = f"{problem} {found['size']}: {SYSTEMS[found['system']].name}"
                    print(f"{said} fails: {found['failure']}", file=sys.stderr)
                else:
                    yield Measurement(**found)


def with_memory(measurements: Sequence[Measurement]) -> list[Measurement]:
    """The measurements with the growth of a process that makes one call.

    Each has a process of its own: what an earlier call has given back to `malloc`, or what a library keeps of
    it, would be used again and not be counted.
    """
    found: list[Measurement] = []
    for m in measurements:
        wanted = {"kind": "memory", "problem": m.problem, "size": m.size, "system": m.system,
                  "threads": m.threads}  # fmt: skip
        (answer,) = worker(wanted)
        found.append(replace(m, peak_bytes=answer["peak_bytes"]))
    return found


def worker(wanted: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what a process that measures prints. Raises `RuntimeError` with its last words if it fails."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.worker"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        try:
            process.stdin.write(json.dumps(wanted) + "\n")
            process.stdin.close()
            for line in process.stdout:
                yield json.loads(line)
            words = process.stderr.read().strip().splitlines()
            if process.wait() != 0:
                raise RuntimeError(
                    f"a process that measures has failed: {words[-1] if words else 'no message'}"
                )
        finally:
            process.kill()


def new_run(systems: Sequence[str], clock: str) -> Run:
    """A run on this machine, without measurements."""
    modules = {"mlirad": None, "jax": "jax", "torch": "torch", "torch-compiled": "torch", "c": None}
    versions = {"NumPy": importlib.metadata.version("numpy")}
    for key in systems:
        module = modules[key]
        if module is not None:
            versions[SYSTEMS[key].name.split()[0]] = importlib.metadata.version(module)
    return Run(
        machine=described(),
        date=datetime.date.today().isoformat(),
        load=round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0,
        versions=versions,
        clock=clock,
    )


def all_sizes(problems: Sequence[str], chosen: Sequence[str] = ()) -> dict[str, list[str]]:
    """The sizes of problems: those whose names have one of the chosen words, or all."""
    return {
        name: [size for size in PROBLEMS[name].sizes if not chosen or any(word in size for word in chosen)]
        for name in problems
    }
