"""The memory that a gradient keeps, as planned: by the option `checkpoint` of a loop, and of the problems.

No time is measured. The figures are the bytes of working memory of one call, without its arguments and
results, so they are the same on every machine with vectors of one size. Records of loops on data, which grow
at run time, are not in them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from benchmarks.problem import Problem

WIDTH = 256
STEPS = (256, 1024, 4096, 16384)
CHECKPOINTS = ("store", "recompute", "sqrt")


def gradient_of_loop(steps: int, checkpoint: str | None) -> Callable[..., Any]:
    """The gradient of `steps` steps that make sin(c w) cos(c), turned around, of a vector c; by c and w."""
    import mlirad as ad

    def loss(x, w):
        step = lambda c, _: ((np.sin(c * w) * np.cos(c))[::-1], None)  # noqa: E731
        return np.sum(ad.scan(step, x, None, length=steps, checkpoint=checkpoint)[0])

    return ad.grad(loss, argnums=(0, 1))


def peak_of_loop(steps: int, checkpoint: str | None, width: int = WIDTH) -> int:
    """The bytes of working memory of that gradient."""
    start = np.ones(width)
    return gradient_of_loop(steps, checkpoint).lower(start, start).arena_bytes


def peak_of_problem(problem: Problem, arguments: tuple[Any, ...]) -> tuple[int, int]:
    """The bytes of working memory of value and derivative of a problem."""
    import mlirad as ad

    value = ad.jit(problem.value_in(ad, problem.numpy_program))
    derivative = ad.jit(problem.derivative_in(ad, problem.numpy_program))
    return value.lower(*arguments).arena_bytes, derivative.lower(*arguments).arena_bytes


def memory_tables(problems: Iterable[Problem]) -> Iterator[str]:
    """The lines of both tables."""
    yield f"Working memory of the gradient of a loop over {WIDTH} float64, by the number of steps:"
    yield ""
    yield "| checkpoint | " + " | ".join(f"{n} steps" for n in STEPS) + " | growth by 4 times the steps |"
    yield "| --- |" + " --- |" * (len(STEPS) + 1)
    for checkpoint in CHECKPOINTS:
        peaks = [peak_of_loop(n, checkpoint) for n in STEPS]
        growth = ", ".join(f"{b / a:.2f}" for a, b in itertools.pairwise(peaks))
        yield f'| "{checkpoint}" | ' + " | ".join(map(shown, peaks)) + f" | {growth} |"
    yield ""
    yield "Working memory of the problems:"
    yield ""
    yield "| problem | size | value | derivative |"
    yield "| --- | --- | --- | --- |"
    for problem in problems:
        for size, arguments in problem.sizes.items():
            value, derivative = peak_of_problem(problem, arguments())
            yield f"| {problem.name} | {size} | {shown(value)} | {shown(derivative)} |"


def shown(count: int) -> str:
    return f"{count / 1024:.4g} KiB" if count < 1024**2 else f"{count / 1024**2:.4g} MiB"
