"""Random programs with functions as values, judged by number and counted; each failure at its least size.

    campaign = Campaign(workers=1)                by default judged by some of the witnesses
    campaign.run(range(20_000))
    print(campaign.report())

Child processes judge them and tell what they begin and what became of it, a line each: a program that crashes
its process is a failure like others, and the next process begins behind it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

PROGRAMS_PER_PROCESS = 500
"""The resources that programs leave behind in a process end with it."""


class Failure(NamedTuple):
    """A program that failed, and how; `size` is the least at which that of its seed does."""

    seed: int
    size: int
    detail: str


@dataclass
class Campaign:
    """Programs by number, judged by what `JUDGES` names, and what became of them."""

    workers: int = 1
    by: str = "some"
    progress: Callable[[str], None] = lambda line: None
    counts: Counter[str] = field(default_factory=Counter[str])
    failures: list[Failure] = field(default_factory=list[Failure])
    judged: int = 0
    seconds: float = 0.0
    processor_seconds: float = 0.0

    def run(self, seeds: range, seconds: float = float("inf")) -> None:
        """Judge the programs of these seeds until the time is over or an interrupt comes, which is raised."""
        step = PROGRAMS_PER_PROCESS
        parts = (seeds[k : k + step] for k in range(0, len(seeds), step))
        lock, stop, start = threading.Lock(), threading.Event(), time.monotonic()
        threads = [threading.Thread(target=self._work, args=(parts, lock, stop)) for _ in range(self.workers)]
        told = start
        try:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads) and time.monotonic() - start < seconds:
                time.sleep(0.2)
                if time.monotonic() - told > 60:
                    told = time.monotonic()
                    failed = len(self.failures)
                    self.progress(f"{self.judged} programs, {failed} failures, {told - start:.0f} s")
        finally:
            stop.set()
            for thread in threads:
                thread.join()
            self.seconds += time.monotonic() - start

    def _work(self, parts: Iterator[range], lock: threading.Lock, stop: threading.Event) -> None:
        while not stop.is_set():
            with lock:
                part = next(parts, None)
            if part is None:
                return
            while part and not stop.is_set():
                part = self._judged(part, lock, stop)

    def _judged(self, seeds: range, lock: threading.Lock, stop: threading.Event) -> range:
        """Judge the programs of these seeds in a new process; those that it did not come to."""
        command = [sys.executable, "-m", "tests.higher_order", "--judge", f"{seeds.start}:{seeds.stop}"]
        command += ["--by", self.by]
        begun = seeds.start - 1
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            for line in child.stdout:
                with lock:
                    match json.loads(line):
                        case {"begun": seed}:
                            begun = seed
                        case verdict:
                            self._enter(verdict)
                if stop.is_set():
                    child.terminate()
                    return range(0)
        if child.returncode == 0:
            return range(0)
        if begun < seeds.start:
            raise RuntimeError(f"a process that judges programs ends with {child.returncode}")
        with lock:
            self._enter({"seed": begun, "size": 0, "failure": f"the process ends with {child.returncode}"})
        return range(begun + 1, seeds.stop)

    def _enter(self, verdict: dict[str, Any]) -> None:
        self.judged += 1
        self.counts.update(verdict.get("by", []))
        self.processor_seconds += verdict.get("seconds", 0.0)
        if "failure" in verdict:
            failure = Failure(verdict["seed"], verdict["size"], verdict["failure"])
            self.failures.append(failure)
            self.progress(_told(failure))

    def report(self) -> str:
        """The numbers of programs judged by each judge, then the failures."""
        lines = [
            f"{self.judged} programs in {self.seconds:.0f} s, {self.processor_seconds:.0f} s of processors, "
            f"{self.workers} at a time"
        ]
        lines += [f"{count:>9}  {name}" for name, count in sorted(self.counts.items())]
        lines.append(f"{len(self.failures)} failures")
        lines += map(_told, self.failures)
        return "\n".join(lines)


def _told(failure: Failure) -> str:
    return f"== seed {failure.seed}, size {failure.size}\n{failure.detail}"
