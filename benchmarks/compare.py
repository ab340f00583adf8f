"""Compares with a commit: two processes, with the compiler of the commit and that of the working
tree, take turns on the same problems.

    python -m benchmarks --quick              since the last commit
    python -m benchmarks --quick main~5

Both run the problems of the working tree. In each turn a process calls a derivative for a burst; the ratio is
that of the medians over all turns. The noise of a ratio is found from the same samples: how far the medians
of every other turn of one process are from those of the turns between.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from benchmarks.problems import PROBLEMS
from benchmarks.table import head, milliseconds, row

ROOT = Path(__file__).resolve().parents[1]

LEAST_TURNS = 4
SLOWEST = 0.25
"""Instances whose derivative takes longer than this many seconds are left out."""

SLOWER = 1.03
"""From this ratio on, if it is beyond the noise, an instance counts as slower."""

NOISE_FACTOR = 2.0


class BadCommit(Exception):
    """A commit that does not exist, or that cannot be compared with."""


@dataclass
class Comparison:
    """The samples of one instance by turn: before, by the compiler of the commit, and after."""

    name: str
    size: str
    before: list[float] = field(default_factory=list[float])
    after: list[float] = field(default_factory=list[float])

    @property
    def ratio(self) -> float:
        """The time after over that before."""
        return statistics.median(self.after) / statistics.median(self.before)

    @property
    def noise(self) -> float:
        """Return how far a ratio is from 1 where nothing has changed: the larger of both processes, 0.05 for
        5 %.
        """
        return max(_disagreement(self.before), _disagreement(self.after))

    @property
    def is_slower(self) -> bool:
        return self.ratio > max(SLOWER, 1 + NOISE_FACTOR * self.noise)

    @property
    def is_faster(self) -> bool:
        return 1 / self.ratio > max(SLOWER, 1 + NOISE_FACTOR * self.noise)


def _disagreement(turns: Sequence[float]) -> float:
    even, odd = statistics.median(turns[::2]), statistics.median(turns[1::2])
    return max(even, odd) / min(even, odd) - 1


def main(commit: str, problems: Sequence[str], seconds: float) -> None:
    """Print what became slower, what faster, and how noisy the figures are."""
    start = time.perf_counter()
    with checkout(commit) as folder, Process(folder) as before, Process(ROOT) as after:
        found = compared(before, after, problems, start + seconds)
    said = subprocess.run(
        ["git", "log", "-1", "--format=%h %s", commit], cwd=ROOT, capture_output=True, text=True, check=True
    )
    print(f"\nThe working tree beside {said.stdout.strip()}, by processor time:\n")
    print("\n".join(lines(found)))


def lines(found: Sequence[Comparison]) -> list[str]:
    """The report of a comparison."""
    if not found:
        return ["nothing was compared"]
    typical = 100 * statistics.median(c.noise for c in found)
    result = [*head(["problem", "size", "before", "after", "after / before", "noise", ""])]
    for c in sorted(found, key=lambda c: -c.ratio):
        times = (milliseconds(statistics.median(turns)) for turns in (c.before, c.after))
        verdict = "slower" if c.is_slower else "faster" if c.is_faster else ""
        result.append(row([c.name, c.size, *times, f"{c.ratio:.3f}", f"{100 * c.noise:.1f} %", verdict]))
    slower = sum(c.is_slower for c in found)
    ratio = statistics.geometric_mean(c.ratio for c in found)
    result += [
        "",
        f"{slower} of {len(found)} slower; geometric mean {ratio:.3f}; typical noise {typical:.1f} %",
    ]
    return result


def compared(before: Process, after: Process, problems: Sequence[str], end: float) -> list[Comparison]:
    """The samples of all instances that both compilers have, in turns until the time is over."""
    found = [Comparison(name, size) for name in problems for size in PROBLEMS[name].sizes]
    ready: list[Comparison] = []
    # half of the time is for compiling, smaller sizes first
    half = time.perf_counter() + (end - time.perf_counter()) / 2
    for c in sorted(found, key=lambda c: list(PROBLEMS[c.name].sizes).index(c.size)):
        if time.perf_counter() > half:
            print(f"no time for {c.name} {c.size}", file=sys.stderr)
            continue
        for process in (before, after):
            process.ask({"prepare": [c.name, c.size]})
        answers = [process.answer() for process in (before, after)]
        errors = [a["error"] for a in answers if "error" in a]
        if errors:
            print(f"{c.name} {c.size} is left out: {errors[0]}", file=sys.stderr)
        elif max(a["seconds"] for a in answers) < SLOWEST:
            ready.append(c)
    turns = 0
    while ready and (turns < LEAST_TURNS or time.perf_counter() < end):
        for c in ready:
            for process, samples in ((before, c.before), (after, c.after)):
                process.ask({"burst": [c.name, c.size]})
                samples.append(process.answer()["median"])
        turns += 1
    return ready


class Process:
    """A process with the compiler of a folder and the problems of the working tree."""

    def __init__(self, folder: Path):
        command = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("compared_process.py"))]
        self._process = subprocess.Popen(
            [*command, str(folder), str(ROOT)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def ask(self, question: dict[str, Any]) -> None:
        """Let it begin."""
        to = cast("IO[str]", self._process.stdin)
        to.write(json.dumps(question) + "\n")
        to.flush()

    def answer(self) -> dict[str, Any]:
        """Return what it found. Raises `BadCommit` if it has ended, with its last words."""
        line = cast("IO[str]", self._process.stdout).readline()
        if not line:
            words = cast("IO[str]", self._process.stderr).read().strip().splitlines()
            raise BadCommit(f"a compared process has ended: {words[-1] if words else 'no message'}")
        return json.loads(line)


@contextmanager
def checkout(commit: str) -> Generator[Path]:
    """The files of a commit, in a folder that is there for the time being. Raises `BadCommit`."""

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise BadCommit("git is not installed, which has the files of a commit") from error

    if git("rev-parse", "--git-dir").returncode:
        raise BadCommit(f"{ROOT} is not a checkout of git, which has the files of a commit")
    if git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}").returncode:
        raise BadCommit(f"{commit!r} is not a commit of this repository (git log shows those there are)")
    with tempfile.TemporaryDirectory(prefix="mlirad-compared-") as parent:
        folder = Path(parent) / "tree"
        made = git("worktree", "add", "--detach", "--quiet", str(folder), commit)
        if made.returncode:
            raise BadCommit(f"git cannot check {commit} out: {made.stderr.strip()}")
        try:
            if not (folder / "mlirad" / "__init__.py").exists():
                raise BadCommit(f"{commit} has no package mlirad")
            yield folder
        finally:
            git("worktree", "remove", "--force", str(folder))
