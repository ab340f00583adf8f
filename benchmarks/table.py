"""The command line of the benchmarks: checks the figures, times the systems, prints the table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from benchmarks.memory import memory_tables
from benchmarks.problem import Problem
from benchmarks.problems import PROBLEMS
from benchmarks.protocol import Limits, median_seconds
from benchmarks.sparse import MATRICES, sparse_table
from benchmarks.systems import MLIRAD, PEERS, System

TOLERANCE = 1e-8


def main(description: str) -> None:
    options = parse_options(description)
    if options.sparse:
        print_sparse(Limits(options.min_runs, options.min_seconds, options.max_seconds), options.check)
        return
    peers = [PEERS[name] for name in options.peers]
    systems = [] if options.without_mlirad else [MLIRAD]
    systems += [peer for peer in peers if peer.is_installed()]
    for peer in peers:
        if not peer.is_installed():
            print(f"{peer.name} is not installed; its columns are left out.", file=sys.stderr)
    problems = [PROBLEMS[name] for name in options.problems]
    for problem in problems:
        for system in systems:
            error = golden_error(system, problem)
            print(f"{problem.name}: {system.name} within {error:.1e} of the golden figures")
            if not error <= TOLERANCE:
                raise SystemExit(f"{system.name} is wrong on {problem.name}; nothing is timed")
    if options.check:
        return
    if options.memory:
        print_memory(problems)
        return
    print()
    print(row(header(systems)))
    print(row("---" for _ in header(systems)))
    for problem in problems:
        for size in problem.sizes:
            limits = Limits(options.min_runs, options.min_seconds, options.max_seconds)
            cells = measured(problem, size, systems, limits)
            print(row(cells), flush=True)
    if not options.without_mlirad:
        print_memory(problems)


def print_memory(problems: Iterable[Problem]) -> None:
    print()
    for line in memory_tables(problems):
        print(line, flush=True)


def print_sparse(limits: Limits, check_only: bool) -> None:
    for matrix in MATRICES:
        error = matrix.error()
        print(f"{matrix.name}: within {error:.1e} of the figures by hand")
        if not error <= TOLERANCE:
            raise SystemExit(f"the matrix of {matrix.name} is wrong; nothing is timed")
    if check_only:
        return
    print()
    for number, cells in enumerate(sparse_table(limits)):
        print(row(cells), flush=True)
        if number == 0:
            print(row("---" for _ in cells))


def golden_error(system: System, problem: Problem) -> float:
    """The largest error of value and gradient, relative to the largest element of each.

    NaN if any element is.
    """
    golden = problem.golden()
    prepared = system.prepare(problem, golden.arguments)
    pairs = [*zip(arrays_of(prepared.primal()), arrays_of(golden.value), strict=True)]
    pairs += zip(arrays_of(prepared.gradient()), golden.gradient, strict=True)
    errors = [
        np.max(np.abs(np.asarray(actual) - expected)) / np.max(np.abs(expected)) for actual, expected in pairs
    ]
    return float(np.max(errors))


def arrays_of(result: Any) -> list[Any]:
    """The arrays of a result, which is one, or nested tuples of them."""
    if isinstance(result, tuple):
        return [array for part in result for array in arrays_of(part)]
    return [result]


def header(systems: list[System]) -> list[str]:
    titles = ["problem", "size"]
    for system in systems:
        titles += [f"{system.name} primal", f"{system.name} gradient", "ratio"]
        if system is not MLIRAD and MLIRAD in systems:
            titles.append(f"speed-up over {system.name}")
        titles.append(f"{system.name} first call")
    return titles


def measured(problem: Problem, size: str, systems: list[System], limits: Limits) -> list[str]:
    """One row: per system the primal, the gradient, their ratio, the speed-up, the first call."""
    arguments = problem.sizes[size]()
    prepared = [system.prepare(problem, arguments) for system in systems]
    primals = median_seconds([one.primal for one in prepared], limits)
    gradients = median_seconds([one.gradient for one in prepared], limits)
    cells = [problem.name, size]
    for system, one, primal, gradient in zip(systems, prepared, primals, gradients, strict=True):
        cells += [milliseconds(primal), milliseconds(gradient), f"{gradient / primal:.2f}"]
        if system is not MLIRAD and MLIRAD in systems:
            cells.append(f"{gradient / gradients[0]:.2f} x")
        cells.append(f"{one.gradient_first_call:.2f} s")
    return cells


def milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"


def row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def parse_options(description: str) -> argparse.Namespace:
    def names_from(known: Collection[str]) -> Callable[[str], list[str]]:
        def parse(text: str) -> list[str]:
            names = [name for name in text.split(",") if name]
            unknown = [name for name in names if name not in known]
            if unknown:
                raise argparse.ArgumentTypeError(
                    f"unknown: {', '.join(unknown)}; choose from {', '.join(known)}"
                )
            return names

        return parse

    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=names_from(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--peers", type=names_from(PEERS), default=list(PEERS))
    parser.add_argument("--without-mlirad", action="store_true", help="time the peers alone")
    parser.add_argument("--check", action="store_true", help="compare figures, time nothing")
    parser.add_argument("--memory", action="store_true", help="print the working memory, time nothing")
    parser.add_argument("--sparse", action="store_true", help="time sparse matrices, nothing else")
    parser.add_argument("--min-runs", type=int, default=20, metavar="N")
    parser.add_argument("--min-seconds", type=float, default=1.0, metavar="S")
    parser.add_argument(
        "--max-seconds", type=float, default=20.0, metavar="S", help="a slow function is called no longer"
    )
    return parser.parse_args()
