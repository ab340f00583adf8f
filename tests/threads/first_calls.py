"""A process whose threads make their first programs together: `python -m tests.threads.first_calls`."""

from __future__ import annotations

import faulthandler
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import mlirad as ad

THREADS = 4

FUNCTIONS: list[Callable[[Any], Any]] = [
    ad.jit(lambda x: np.linalg.solve(np.outer(x, x) + np.eye(len(x)), x)),
    ad.jit(lambda x: np.cumsum(np.exp(x)), threads=3),
    ad.jit(ad.grad(lambda x: np.sum(np.sin(x) * np.cos(x))), dynamic="x:0"),
    ad.jit(lambda x: x * np.tanh(x), dynamic="x:0", threads=2),
]

KINDS = ("?", "b", "i", "q", "f", "d", "D")
RANKS = (0, 1, 2, 3)

doubled = ad.jit(lambda x: x + x)


def main() -> None:
    """Call every function in every thread, each beginning with another one; sizes are small and large.

    The threads call one function with arrays of several dtypes and ranks too, each in its own order.
    """
    faulthandler.enable()
    sys.setswitchinterval(1e-6)
    barrier = threading.Barrier(THREADS)
    results: list[list[Any]] = []

    def work(first: int) -> None:
        barrier.wait()
        found: dict[tuple[int, int], Any] = {}
        for k in range(len(FUNCTIONS)):
            which = (first + k) % len(FUNCTIONS)
            for size in (5, 300, 70_000) if which else (5,):
                for _ in range(5):
                    found[which, size] = FUNCTIONS[which](np.linspace(0.0, 1.0, size))
        signatures = [(kind, rank) for kind in KINDS for rank in RANKS]
        for kind, rank in signatures[7 * first :] + signatures[: 7 * first]:
            for _ in range(3):
                given = np.ones((2,) * rank, kind)
                assert np.array_equal(doubled(given), given + given)
        results.append([found[key] for key in sorted(found)])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == THREADS
    for others in results[1:]:
        for one, other in zip(results[0], others, strict=True):
            assert np.array_equal(one, other)


if __name__ == "__main__":
    main()
