"""Combinations of partials: what two runs of chunks that follow each other have together.

    COMBINATIONS["add"]((1.0,), (2.0,))                       (3.0,)
    COMBINATIONS["logsumexp"]((3.0, 1.0), (5.0, 2.0))         (5.0, 2.0 + exp(-2.0))
    combine(stage)((4.0, 1.0), (9.0, 2.0))                    of (sum, max): [13.0, 2.0]

Rounding depends on the order in which they are applied, which `trees.py` fixes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, cast

import numpy as np

from mlirad.distributed.plan import Stage

Partials: TypeAlias = Sequence[Any]
"""Partials as arrays and scalars of NumPy: of a stage, or of one of its combinations."""

Combine: TypeAlias = Callable[[Partials, Partials], Partials]
"""Makes the partials of two runs of chunks, the second after the first, those of both."""


def _by(ufunc: np.ufunc, left: Partials, right: Partials) -> Partials:
    combined = cast("Callable[[Any, Any], Any]", ufunc)
    with np.errstate(over="ignore", invalid="ignore"):
        return (combined(left[0], right[0]),)


def _first(left: Partials, right: Partials) -> Partials:
    """The value of the first chunk."""
    return left


def _logsumexp(left: Partials, right: Partials) -> Partials:
    """Pairs (m, s) of a maximum m and the sum s of exp(x - m)."""
    (low, low_sum), (high, high_sum) = left, right
    top = np.maximum(low, high)
    return top, low_sum * _exp_of_gap(low, top) + high_sum * _exp_of_gap(high, top)


def _exp_of_gap(x: Any, top: Any) -> Any:
    """exp(x - top), which is 1 where both are the same infinity."""
    with np.errstate(invalid="ignore"):
        gap = cast(Any, np.where(x == top, np.ones_like(x), np.exp(x - top)))
        return gap[()]


COMBINATIONS: Final[Mapping[str, Combine]] = {
    "add": partial(_by, np.add),
    "prod": partial(_by, np.multiply),
    "max": partial(_by, np.maximum),
    "min": partial(_by, np.minimum),
    "and": partial(_by, np.bitwise_and),
    "or": partial(_by, np.bitwise_or),
    "first": _first,
    "logsumexp": _logsumexp,
}
"""By the kinds of `plan.Combination`: of as many arrays as the kind combines."""


def combine(stage: Stage) -> Combine:
    """The combination of all partials of a stage, in their order."""
    parts: list[tuple[Combine, slice]] = []
    start = 0
    for combination in stage.combinations:
        end = start + len(combination.numbers)
        parts.append((COMBINATIONS[combination.kind], slice(start, end)))
        start = end

    def combined(left: Partials, right: Partials) -> list[Any]:
        found: list[Any] = []
        for by, part in parts:
            found += by(left[part], right[part])
        return found

    return combined
