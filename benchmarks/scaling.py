"""Simulates derivatives on many threads, from times of one thread.

    python -m benchmarks.scaling                             # all problems, 4, 16 and 64 threads
    python -m benchmarks.scaling --problems mlp,gmm --threads 2,8 --kernels 3

Each kernel is timed on one thread, by a program that reads the clock, and its tasks are counted. With t
threads the k tasks of a kernel, or of a loop around it, take ceil(k / t) / k of that time, and a kernel that
is shared begins when its workers have woken. Code outside of kernels takes what it takes. So the figures are
bounds: threads do not compete for memory, tasks are equally long, and kernels run one after the other. They
show where tasks are too few, which a machine with two cores cannot.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.problem import Problem
from benchmarks.problems import PROBLEMS
from benchmarks.protocol import use_threads
from mlirad.frontend.compiling.profile import KernelTime, Profile

THREADS = (4, 16, 64)

WAKE_SECONDS = 1e-5
"""The time that a worker thread that sleeps takes to begin, measured on an idle machine."""


def tasks_of(kernel: KernelTime) -> int:
    """The number of threads that can work on a kernel: its tasks, or those of the loop around it."""
    return max(kernel.tasks, kernel.loop_tasks, 1)


def seconds_of(kernel: KernelTime, threads: int) -> float:
    """The seconds of a kernel in a call on this number of threads."""
    tasks = tasks_of(kernel)
    if threads == 1 or tasks == 1:
        return kernel.seconds
    woken = kernel.runs * WAKE_SECONDS if kernel.tasks > 1 and not kernel.loop_tasks else 0.0
    return min(kernel.seconds, kernel.seconds * -(-tasks // threads) / tasks + woken)


def seconds(profile: Profile, threads: int) -> float:
    """The seconds of a call on this number of threads."""
    inside = sum(kernel.seconds for kernel in profile.kernels)
    return profile.seconds - inside + sum(seconds_of(kernel, threads) for kernel in profile.kernels)


def profile_of(problem: Problem, arguments: tuple[Any, ...]) -> Profile:
    """The profile of the derivative of a problem on one thread."""
    import mlirad as ad

    return ad.jit(problem.derivative_in(ad, problem.numpy_program)).profile(*arguments)


def row(name: str, size: str, profile: Profile, threads: Sequence[int]) -> str:
    """A derivative: its time on one thread, by how much more threads are faster, and what limits the last."""
    whole = profile.seconds
    cells = [f"{whole / seconds(profile, n):.1f}" for n in threads]
    slowest = max(profile.kernels, key=lambda k: seconds_of(k, threads[-1]), default=None)
    if slowest is None:
        limit = "no kernel"
    else:
        share = seconds_of(slowest, threads[-1]) / seconds(profile, threads[-1])
        tasks = tasks_of(slowest)
        of_task = slowest.nbytes / max(slowest.runs * tasks, 1) / 1024
        limit = f"{share:.0%} {slowest.what}, {tasks} tasks of {of_task:.0f} KiB"
    return f"| {name} | {size} | {1e3 * whole:.3g} ms | {' | '.join(cells)} | {limit} |"


def table(problems: Sequence[str], threads: Sequence[int], kernels: int) -> Iterator[str]:
    """The lines of the table, each with the slowest `kernels` of its derivative below it."""
    counts = " | ".join(f"{n} threads" for n in threads)
    yield f"| problem | size | one thread | {counts} | what limits {threads[-1]} threads |"
    yield "| --- | --- | --: |" + " --: |" * len(threads) + " --- |"
    for name in problems:
        for size, instance in PROBLEMS[name].sizes.items():
            profile = profile_of(PROBLEMS[name], instance())
            yield row(name, size, profile, threads)
            for kernel in sorted(profile.kernels, key=lambda k: -seconds_of(k, threads[-1]))[:kernels]:
                shares = " | ".join(f"{kernel.seconds / seconds_of(kernel, n):.1f}" for n in threads)
                line, count = kernel.line or "", tasks_of(kernel)
                yield f"| | {kernel.what} {line} | {1e3 * kernel.seconds:.3g} ms | {shares} | {count} tasks |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scaling", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--problems", default=",".join(PROBLEMS), help="names with commas between them")
    parser.add_argument("--threads", default=",".join(map(str, THREADS)), help="numbers of threads")
    parser.add_argument("--kernels", type=int, default=0, help="how many kernels of each derivative to show")
    options = parser.parse_args()
    names = options.problems.split(",")
    unknown = [name for name in names if name not in PROBLEMS]
    if unknown:
        parser.error(f"there is no problem {unknown[0]}; there are {', '.join(PROBLEMS)}")
    use_threads(1)
    for line in table(names, [int(n) for n in options.threads.split(",")], options.kernels):
        print(line, flush=True)


if __name__ == "__main__":
    main()
