"""Weighing what the comparison of captured arrays costs against what a call costs.

X = np.ones((200_000, 5))
f = ad.grad(lambda w: np.mean((X @ w) ** 2))
for _ in range(5): f(w)      a `CaptureWarning` at the fourth call: comparing X takes 370 µs
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from mlirad.frontend.compiling.recompiles import warn
from mlirad.frontend.tracing.captures import Captures

CALLS: Final = 3
"""The number of calls that are weighed: the shortest one counts, as the first ones are longer than later
ones."""

NOTICED: Final = 2e-5
"""Seconds from which on a comparison is worth a warning."""

SHARE: Final = 1 / 3
"""The share of a call's time that a comparison may take. It also evicts from the caches what the call reads
next: with the arrays as arguments such a call takes half the time or less.
"""


class Weighing:
    """The seconds of the first calls of a function called `name`, and of comparing what it captures."""

    def __init__(self, captures: Captures, name: str):
        self._captures = captures
        self._name = name
        self._calls: list[float] = []
        self._comparisons: list[float] = []

    @property
    def is_last(self) -> bool:
        """Tell whether one call more is enough."""
        return len(self._calls) >= CALLS - 1

    def weighed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return `call` such that it is weighed; the last one warns of costly comparisons."""

        def timed(*leaves: Any) -> Any:
            start = time.perf_counter()
            result = call(*leaves)
            called = time.perf_counter()
            self._captures.guards.hold()
            self._calls.append(called - start)
            self._comparisons.append(time.perf_counter() - called)
            if len(self._calls) == CALLS:
                self._judge(min(self._comparisons), min(self._calls))
            return result

        return timed

    def _judge(self, comparison: float, taken: float) -> None:
        if comparison < max(NOTICED, SHARE * taken):
            return
        large = self._captures.large
        most = max(large, key=lambda array: array.nbytes)
        others = f" and {len(large) - 1} more" if len(large) > 1 else ""
        frozen = "" if most.owns_memory else f"{most.name} = {most.name}.copy(); "
        warn(
            f"comparing {most.name}{others}, which {self._name} reads from outside, takes "
            f"{1e6 * comparison:.0f} µs at every call, and the rest of the call {1e6 * taken:.0f} µs",
            f"pass {most.name} as an argument, or promise that it does not change: "
            f"{frozen}{most.name}.flags.writeable = False",
        )
