"""Counts of rounds, tasks, messages and bytes that an evaluation took. Tests state these, never times.

f = ad.distributed.resident(ad.value_and_grad(loss), X, y)
f(w); f.counts                         Counts(rounds=1, tasks=0, messages=2, sent=320, received=336)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Counts:
    """Counts of an evaluation: rounds, tasks of Dask, messages to workers, bytes of arrays sent and received.

    >>> import dask.array as da
    >>> f = ad.distributed.resident(lambda w, X: np.sum(X @ w), da.ones((6, 2), chunks=(3, 2)))
    >>> f(np.ones(2))
    np.float64(12.0)
    >>> f.counts.rounds, f.counts.received
    (1, 8)
    """

    rounds: int = 0
    tasks: int = 0
    messages: int = 0
    sent: int = 0
    received: int = 0

    def plus(
        self, *, rounds: int = 0, tasks: int = 0, messages: int = 0, sent: int = 0, received: int = 0
    ) -> Counts:
        """These counts with more of each."""
        return Counts(
            self.rounds + rounds,
            self.tasks + tasks,
            self.messages + messages,
            self.sent + sent,
            self.received + received,
        )


def bytes_of(value: Any) -> int:
    """The bytes of the elements of arrays and numbers in containers."""
    if isinstance(value, np.ndarray | np.generic):
        return value.nbytes
    if isinstance(value, Mapping):
        return sum(map(bytes_of, cast("Mapping[Any, Any]", value).values()))
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return sum(map(bytes_of, cast("Sequence[Any]", value)))
    return int(np.asarray(value).nbytes)
