"""Statistics of a compile: time by stage, kernels, work and memory of a call.

stage                              ms     ops
trace                            6.74       7
...
total                          153.50
7 kernels, 12.1k operations, 24.0 KiB of working memory a call:
  model.py:12                            16.0 KiB
  model.py:13                             8.0 KiB
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from xdsl.ir import Operation

from mlirad.frontend.tracing.notebook import html_columns
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.moves import Move, explanation

LINES_SHOWN = 10
"""The number of lines of the source that are listed with the memory that they need."""


@dataclass(frozen=True)
class Stage:
    """One step of a compile: its name, the seconds it took, and the ops of the program after it.

    A pass of lowering states what moves it considered.
    """

    name: str
    seconds: float
    operations: int
    moves: Sequence[Move] = ()


@dataclass(repr=False)
class Stats:
    """The time that compiling one signature took, stage by stage, and the resources of a call of the result.

    `kernels` is the number of kernels, `work` roughly the scalar operations of a call, with data-dependent
    loops counted as one iteration; `peak_bytes` its scratch memory, and `memory` what lies there at the peak,
    by source line. `traffic` is roughly how many bytes its kernels read and write, by the smallest cache that
    holds those of one run of a kernel ("memory" where none does), and empty where the caches are not known.
    `shared_kernels` is how many kernels threads may share, and `shared_work` their part of the work. They are
    0 and empty for the interpreter. `is_loaded` says that the program was found on the disk, so that only its
    work and its scratch memory are known. `is_quick` says that its LLVM IR text is so long that LLVM does not
    optimise it.
    """

    stages: list[Stage] = field(default_factory=list[Stage])
    kernels: int = 0
    work: int = 0
    peak_bytes: int = 0
    memory: dict[str, int] = field(default_factory=dict[str, int])
    traffic: dict[str, int] = field(default_factory=dict[str, int])
    shared_kernels: int = 0
    shared_work: int = 0
    is_loaded: bool = False
    is_quick: bool = False

    @property
    def seconds(self) -> float:
        """The time of all stages."""
        return sum(stage.seconds for stage in self.stages)

    def explain(self) -> str:
        """Return what lowering considered doing to the loops of the program, line by line, and what it
        expected.

        Costs are estimates for a nominal machine. The text is empty for the interpreter.
        """
        return explanation((stage.name, stage.moves) for stage in self.stages)

    def add(self, name: str, seconds: float, program: Operation | None, moves: Sequence[Move] = ()) -> None:
        """Record a stage that has left `program`."""
        operations = self.stages[-1].operations if program is None and self.stages else count_ops(program)
        self.stages.append(Stage(name, seconds, operations, moves))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return a table of the stages for notebooks, with what the program needs below it."""
        rows = [(f"{1e3 * s.seconds:.2f}", str(s.operations), s.name) for s in self.stages]
        total = self.seconds
        shares = [stage.seconds / total if total else 0.0 for stage in self.stages]
        notes = [f"{1e3 * total:.2f} ms in all", *self._needs()]
        return html_columns("A compile by mlirad", ("ms", "ops", "stage"), rows, shares, notes)

    def _lines(self) -> Iterator[str]:
        yield f"{'stage':<28}{'ms':>9}{'ops':>8}"
        for stage in self.stages:
            yield f"{stage.name:<28}{1e3 * stage.seconds:>9.2f}{stage.operations:>8}"
        yield f"{'total':<28}{1e3 * self.seconds:>9.2f}"
        yield from self._needs()

    def _needs(self) -> Iterator[str]:
        if not self.kernels:
            return
        if self.is_quick:
            yield "the program is so long that LLVM does not optimise it"
        memory = f"{_bytes(self.peak_bytes)} of working memory a call"
        yield f"{self.kernels} kernels, {_count(self.work)} operations, {memory}{':' if self.memory else ''}"
        for line, size in list(self.memory.items())[:LINES_SHOWN]:
            yield f"  {line:<40} {_bytes(size):>12}"
        if self.shared_kernels:
            part = f"{_count(self.shared_work)} operations"
            yield f"threads may share {self.shared_kernels} kernels with {part}"
        if self.traffic:
            moved = ", ".join(f"{_bytes(size)} in {level}" for level, size in self.traffic.items())
            yield f"kernels read and write {moved}"


def count_ops(program: Operation | None) -> int:
    """The number of ops in a program, without modules, functions and terminators."""
    if program is None:
        return 0
    return sum(1 for region in program.regions for op in nested_ops(region) if op.results)


def _bytes(count: int) -> str:
    return f"{count / 1024:.1f} KiB" if count < 1024**2 else f"{count / 1024**2:.1f} MiB"


def _count(number: int) -> str:
    return (
        str(number)
        if number < 10_000
        else f"{number / 1000:.4g}k"
        if number < 1e6
        else f"{number / 1e6:.4g}M"
    )
