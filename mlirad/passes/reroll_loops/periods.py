"""Periodic stretches of a sequence of numbers, in time O(n log² n).

    periodic_stretches([7, 1, 2, 1, 2, 1, 2, 5], 3)   -->   [Stretch(start=1, period=2, length=6)]

Windows of 1, 2, 4, ... numbers are given ranks, equal for equal windows, as in making a suffix array. Where
windows at least as long as the period all stand again at the same distance, this distance is the period: a
word that is not a repetition itself does not occur inside of two copies of it but as one of them. (Source of
the ranks: Karp, Miller and Rosenberg 1972.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

LEAST_REPETITIONS: Final = 8
"""Fewer repetitions stay as they are written."""


class Stretch(NamedTuple):
    """`length` numbers from `start` on, each equal to the one `period` places later while that is inside."""

    start: int
    period: int
    length: int


def periodic_stretches(numbers: Sequence[int], least: int) -> list[Stretch]:
    """The maximal stretches that hold at least `least` periods, three or more; the shortest periods first."""
    found: list[Stretch] = []
    ranks = _ranks(np.asarray(numbers, np.int64))
    width, count = 1, len(numbers)
    while len(ranks) and width * least < 2 * count:
        distances = _distances(ranks)
        bounds = np.flatnonzero(np.diff(distances, prepend=-1, append=-1))
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            period = int(distances[first])
            length = last - first + width - 1 + period
            if width // 2 < period <= width and length >= least * period:
                found.append(Stretch(first, period, length))
        joined = ranks[: max(0, len(ranks) - width)] * (int(ranks.max()) + 1) + ranks[width:]
        ranks = _ranks(joined)
        width *= 2
    return sorted(found, key=lambda s: (s.period, s.start))


def _ranks(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def _distances(ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return how far behind each place the next equal rank stands; 0 if no equal rank follows."""
    order = np.argsort(ranks, kind="stable")
    again = ranks[order[1:]] == ranks[order[:-1]]
    distances = np.zeros(len(ranks), np.int64)
    distances[order[:-1][again]] = np.diff(order)[again]
    return distances
