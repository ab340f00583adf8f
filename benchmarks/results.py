"""The measurements of a run, and its file: `Run.read(path)` returns the run of `run.write(path)`.

Every figure is of one problem instance in one system with one number of threads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """Medians in seconds; `peak_bytes` is how much the process grows in a call. None where there is no
    figure.

    `work` and `traffic` are mlirad's counts of scalar operations and bytes of the derivative. `stolen` is the
    part of the processors' time that a hypervisor kept for itself in the `bursts` of calls of the derivative;
    `left_out` of these do not count.
    """

    problem: str
    size: str
    system: str
    threads: int
    value: float | None = None
    derivative: float | None = None
    first_call: float | None = None
    peak_bytes: int | None = None
    work: int | None = None
    traffic: dict[str, int] | None = None
    bursts: int | None = None
    left_out: int | None = None
    stolen: float | None = None

    @property
    def instance(self) -> tuple[str, str]:
        """Return what is measured, whatever the system."""
        return self.problem, self.size


@dataclass
class Run:
    """The measurements of a run, in the order in which they were made, and what it ran on."""

    machine: str
    date: str
    load: float
    versions: dict[str, str]
    clock: str = "wall"
    peaks: dict[str, float] = field(default_factory=dict[str, float])
    measurements: list[Measurement] = field(default_factory=list[Measurement])

    def instances(self) -> list[tuple[str, str]]:
        """The problems and sizes, in order."""
        return list(dict.fromkeys(m.instance for m in self.measurements))

    def threads(self) -> list[int]:
        """The numbers of threads, fewest first."""
        return sorted({m.threads for m in self.measurements})

    def systems(self) -> list[str]:
        """The systems that have figures, in order."""
        return list(dict.fromkeys(m.system for m in self.measurements))

    def found(self, instance: tuple[str, str], system: str, threads: int) -> Measurement | None:
        """The measurement of an instance in a system."""
        for m in self.measurements:
            if (m.instance, m.system, m.threads) == (instance, system, threads):
                return m
        return None

    def of_peers(
        self, instance: tuple[str, str], threads: int, own: str, by_hand: str
    ) -> Iterator[Measurement]:
        """The measurements of an instance in all systems but mlirad and C."""
        for m in self.measurements:
            if m.instance == instance and m.threads == threads and m.system not in (own, by_hand):
                yield m

    def write(self, path: Path) -> None:
        """Write all of it as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")

    @staticmethod
    def read(path: Path) -> Run:
        """A run from its file."""
        content: dict[str, Any] = json.loads(path.read_text())
        measurements = [Measurement(**entry) for entry in content.pop("measurements")]
        return Run(**content, measurements=measurements)
