"""Mutants by number, judged and counted by class; each failure once, reduced.

campaign = Campaign(corpus, seed=1, depth=Depth(), workers=2)
campaign.run(mutants=10_000)
print(campaign.report())
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.robustness.texts.corpus import Corpus
from tests.robustness.texts.judging import Depth, Failure, Verdict
from tests.robustness.texts.mutators import mutant
from tests.robustness.texts.reduction import reduced
from tests.robustness.texts.workers import Task, judged

ALLOWED = ("long run",)
"""Kinds that are counted, and are not failures: a program may run for ever."""


LOOKED_INTO = ("too long", "long run", "slow", "refused")
"""The words of legal classes whose mutants the report names."""


@dataclass
class Found:
    """A kind of failure: how often it came, and the shortest text that showed it."""

    failure: Failure
    text: str
    key: int
    names: tuple[str, ...]
    count: int = 1


@dataclass
class Campaign:
    """Mutants of a corpus, and what became of them."""

    corpus: Corpus
    seed: int
    depth: Depth
    workers: int
    counts: Counter[str] = field(default_factory=Counter[str])
    examples: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    found: dict[str, Found] = field(default_factory=dict[str, Found])
    judged: int = 0
    seconds: float = 0.0
    progress: Callable[[str], None] = lambda line: None

    def run(self, *, mutants: int | None = None, seconds: float | None = None, first: int = 0) -> None:
        """Judge mutants, from number `first` on, until there are as many as asked for or the time is over."""
        start = time.monotonic()
        told = start

        def tasks() -> Iterator[Task]:
            number = first
            while (mutants is None or number < first + mutants) and (
                seconds is None or time.monotonic() - start < seconds
            ):
                yield self.task(number)
                number += 1

        try:
            for task, verdict in judged(tasks(), self.depth, self.workers):
                self.enter(task.key, verdict)
                if time.monotonic() - told > 60:
                    told = time.monotonic()
                    rate = self.judged / (told - start)
                    self.progress(f"{self.judged} mutants, {rate:.0f}/s, {len(self.found)} kinds")
        finally:
            self.seconds += time.monotonic() - start

    def task(self, number: int) -> Task:
        """Mutant `number` as a task."""
        return Task(number, lambda: mutant(self.corpus, self.seed, number)[0], f"{self.seed}:{number}")

    def enter(self, number: int, verdict: Verdict) -> None:
        """Count a verdict."""
        self.judged += 1
        last = verdict.classes[-1] if verdict.classes else "nothing"
        self.counts[f"ends with {last}"] += 1
        for name in verdict.classes[:-1]:
            self.counts[name] += 1
        for name in verdict.classes:
            if any(word in name for word in LOOKED_INTO):
                self.examples.setdefault(name, []).append(number)
        failure = verdict.failure
        if failure is None or failure.kind in ALLOWED:
            return
        text, names = mutant(self.corpus, self.seed, number)
        known = self.found.get(failure.signature)
        if known is None:
            self.found[failure.signature] = Found(failure, text, number, names)
            self.progress(f"found at {number}: {failure.signature}")
            return
        known.count += 1
        if len(text) < len(known.text):
            known.text, known.key, known.names, known.failure = text, number, names, failure

    def reduce(self, max_probes: int = 400) -> None:
        """Make the text of each failure as small as it can be."""
        for found in self.found.values():
            found.text = reduced(found.text, lambda text, f=found: self._fails(text, f), max_probes)

    def _fails(self, text: str, found: Found) -> bool:
        task = Task(0, lambda: text, f"{self.seed}:{found.key}")
        return any(
            verdict.failure is not None and verdict.failure.signature == found.failure.signature
            for _, verdict in judged([task], self.depth, 1)
        )

    def report(self) -> str:
        """Counts by class, then the failures."""
        rate = self.judged / self.seconds if self.seconds else 0.0
        lines = [
            f"{self.judged} mutants in {self.seconds:.0f} s, {rate:.0f} per second, {self.workers} processes"
        ]
        lines += [f"{count:>9}  {name}" for name, count in sorted(self.counts.items(), key=lambda c: -c[1])]
        for name, numbers in sorted(self.examples.items()):
            lines.append(f"{name}: mutants {', '.join(map(str, numbers[:20]))}")
        lines.append(f"{len(self.found)} kinds of failures")
        for signature, found in sorted(self.found.items(), key=lambda f: -f[1].count):
            lines += [
                "",
                f"== {signature}",
                f"   {found.count} times, mutant {found.key} of seed {self.seed}: {', '.join(found.names)}",
                found.text,
                found.failure.detail,
            ]
        return "\n".join(lines)
