"""mlirad as a tool of GradBench: a message of JSON a line on standard input, an answer a line on standard
output.

    {"id": 0, "kind": "start", "eval": "hello"}                                  {"id": 0, "tool": "mlirad"}
    {"id": 1, "kind": "define", "module": "hello"}                               {"id": 1, "success": true}
    {"id": 2, "kind": "evaluate", "module": "hello", "function": "double", "input": 3.0}
            {"id": 2, "success": true, "output": 6.0, "timings": [{"name": "prepare", ...}, {"name":
            "evaluate", ...}]}

    python -m benchmarks.gradbench            one thread
    python -m benchmarks.gradbench --threads 2

A timing `evaluate` is one call, from arrays in memory to results in memory. Reading the input and compiling
are `prepare`. A module that is not here is refused, and a function that fails is an answer too.

Source: the protocol of https://github.com/gradbench/gradbench, CONTRIBUTING.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

Input = Any
Call = Callable[[], Any]


@dataclass(frozen=True)
class Prepared:
    """A computation, ready to run, and how its result is written as JSON."""

    call: Call
    output: Callable[[Any], Any]


Function = Callable[[Input], Prepared]


class UnknownName(Exception):
    """A module or a function that there is not."""


def main() -> None:
    """Answer the messages on standard input."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gradbench", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="how many threads calls may take")
    from benchmarks.protocol import use_threads

    threads = parser.parse_args().threads
    if threads < 1:
        parser.error(f"--threads is {threads}; write 1 or more")
    use_threads(threads)
    serve(sys.stdin, sys.stdout, threads)


def serve(messages: IO[str], answers: IO[str], threads: int = 1) -> None:
    """Answer every message, to the end of the input or a message of the kind `end`."""
    modules = Modules(threads)
    for line in messages:
        if not line.strip():
            continue
        message = json.loads(line)
        if message["kind"] == "end":
            return
        answers.write(json.dumps({"id": message["id"], **answer(message, modules)}) + "\n")
        answers.flush()


def answer(message: Mapping[str, Any], modules: Modules) -> dict[str, Any]:
    """Return what a message is answered, without its number."""
    kind = message["kind"]
    try:
        if kind == "start":
            return {"tool": "mlirad"}
        if kind == "define":
            modules.functions(message["module"])
            return {"success": True}
        if kind == "evaluate":
            return evaluated(modules.functions(message["module"]), message["function"], message["input"])
    except Exception as error:
        return {"success": False, "error": f"{type(error).__name__}: {error}"}
    return {}


def evaluated(functions: Mapping[str, Function], name: str, given: Input) -> dict[str, Any]:
    """The output of a function, and the time of each of the runs that the input asks for."""
    if name not in functions:
        raise UnknownName(f"the module has no function {name!r}; it has {', '.join(functions)}")
    start = time.perf_counter_ns()
    prepared = functions[name](given)
    result = prepared.call()
    timings = [{"name": "prepare", "nanoseconds": time.perf_counter_ns() - start}]
    for taken in runs(prepared.call, given):
        timings.append({"name": "evaluate", "nanoseconds": taken})
    return {"success": True, "output": prepared.output(result), "timings": timings}


def runs(call: Call, given: Input) -> Iterator[int]:
    """The nanoseconds of each run, until there are enough of them and of seconds."""
    least, seconds = 1, 0.0
    if isinstance(given, dict):
        least, seconds = given.get("min_runs", 1), given.get("min_seconds", 0)
    count = total = 0
    while count < least or total < 1e9 * seconds:
        start = time.perf_counter_ns()
        call()
        taken = time.perf_counter_ns() - start
        count, total = count + 1, total + taken
        yield taken


class Modules:
    """The modules by name, each a dictionary of functions; mlirad is imported when it is first needed."""

    def __init__(self, threads: int):
        from benchmarks.systems import thread_options

        self._options = thread_options(threads)
        self._made: dict[str, dict[str, Function]] = {}

    def functions(self, name: str) -> dict[str, Function]:
        """The functions of a module. Raises `UnknownName`."""
        if name not in self._made:
            from benchmarks.gradbench_modules import MODULES

            if name not in MODULES:
                raise UnknownName(f"there is no module {name!r}; there are {', '.join(MODULES)}")
            self._made[name] = MODULES[name](self._options)
        return self._made[name]


if __name__ == "__main__":
    main()
