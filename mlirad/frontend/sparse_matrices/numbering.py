"""Moves of entries: SciPy moves the numbers of values, and the values follow.

    n = Numbering()
    moved = csr_array((n.numbers_of(values), indices, indptr)).tocsc()     its data are numbers
    n.values_at(moved.data)                                                the values, in that order

So whatever SciPy does that moves entries without adding them can be done to traced values, as SciPy does it.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.operations import xp

Numbers = npt.NDArray[np.int64]


class Numbering:
    """Values with numbers from 1 on; 0 stands for no value."""

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._count = 0

    def numbers_of(self, values: Any) -> Numbers:
        """New numbers for values, in an array of their shape."""
        values = real_or_complex(values)
        size = prod(values.shape)
        first, self._count = self._count + 1, self._count + size
        self._values.append(values.reshape(-1))
        return xp.arange(first, first + size).reshape(values.shape)

    def values_at(self, numbers: Any) -> Any:
        """The values that have these numbers, and 0 for 0."""
        numbers = xp.asarray(numbers).astype(np.int64)
        whole = self._whole()
        if xp.array_equal(numbers.ravel(), np.arange(1, whole.size + 1)):
            return whole.reshape(numbers.shape)
        if not numbers.size:
            return xp.zeros(numbers.shape, whole.dtype)
        if xp.min(numbers) == 0:
            whole, numbers = xp.concatenate([xp.zeros_like(whole, shape=1), whole]), numbers + 1
        return whole[numbers - 1]

    def _whole(self) -> Any:
        if not self._values:
            return real_or_complex(np.zeros(0))
        return self._values[0] if len(self._values) == 1 else xp.concatenate(self._values)
