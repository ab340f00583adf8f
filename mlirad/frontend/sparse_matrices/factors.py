"""Factors of sparse matrices by SuperLU, which programs call for by the pattern of the matrix.

    solver = Solver(pattern=..., values=None)      a pattern, and values that come with each call
    solver.solved("N", [values, b])                factorises, or finds the factors of equal values
    GivenSolver(given=lu).solved("N", [b])         by factors that are there before the program is made

Factors are kept by the digest of what they were made of, least recently used first out. So a solver is a pure
function: a call that finds no factors makes them again. A dictionary is all that threads share; two of them
may make the same factors at once.
"""

from __future__ import annotations

import hashlib
import warnings
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.lazy_dataclass import dataclass
from mlirad.packages import scipy_module

LIMIT: Final = 512 << 20
"""The most bytes of factors that are kept, about; the latest stay whatever their size."""

_kept: Final[OrderedDict[bytes, tuple[Any, npt.NDArray[Any]]]] = OrderedDict()
"""Factors and values by the digest of what they were made of, the latest last."""

_latest: Final[dict[bytes, bytes]] = {}
"""The key of the factors that a solver used last, which are most often used next, by the solver's key."""


def digest(*parts: Any) -> bytes:
    """The digest of arrays and of texts."""
    found = hashlib.blake2b(digest_size=20)
    for part in parts:
        if isinstance(part, np.ndarray):
            array = cast("npt.NDArray[Any]", part)
            found.update(repr((array.dtype.str, array.shape)).encode())
            found.update(np.ascontiguousarray(array).data)
        else:
            found.update(repr(part).encode())
    return found.digest()


@dataclass(frozen=True, eq=False)
class Pattern:
    """Places of entries by columns, as SuperLU takes them."""

    indices: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    size: int

    def matrix(self, values: npt.NDArray[Any]) -> Any:
        """The matrix of some values."""
        shape = (self.size, self.size)
        return scipy_module("sparse").csc_array((values, self.indices, self.starts), shape=shape)


@dataclass(frozen=True, eq=False)
class Solutions(ABC):
    """Solutions of systems by SuperLU's factors.

    `values` are those of the matrix if they are known, and else come with each call. A singular matrix gives
    NaN and a warning if it is `lenient`.
    """

    values: npt.NDArray[Any] | None
    is_complex: bool
    lenient: bool

    @abstractmethod
    def factors(self, values: npt.NDArray[Any]) -> Any:
        """SuperLU's factors of the matrix of some values."""

    def solved(self, trans: str, operands: Sequence[Any]) -> list[Any]:
        """The solutions for the right sides that come last, [n, k], of one matrix or of a batch of them.

        Complex numbers are pairs of real ones along the first axis. SuperLU's own error for a singular matrix
        passes through.
        """
        right = _complex(operands[-1], 3) if self.is_complex else np.asarray(operands[-1])
        if right.ndim == 2:
            given = None if self.values is not None else operands[0]
            found = self._solution(self._values(given), trans, right)
        elif self.values is not None:
            found = self._of_one(self.values, trans, right)
        else:
            found = np.empty_like(right)
            rows = list(operands[0])
            for first, last in _runs(rows):
                found[first:last] = self._of_one(self._values(rows[first]), trans, right[first:last])
        return [_pair(found) if self.is_complex else found]

    def _values(self, given: Any) -> npt.NDArray[Any]:
        if self.values is not None:
            return self.values
        return _complex(given, 2) if self.is_complex else np.asarray(given)

    def _of_one(self, values: npt.NDArray[Any], trans: str, right: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Solutions of a batch of right sides for one matrix, all at once."""
        count, size, width = right.shape
        columns = np.moveaxis(right, 0, 1).reshape(size, count * width)
        found = self._solution(values, trans, columns)
        return np.moveaxis(found.reshape(size, count, width), 1, 0)

    def _solution(self, values: npt.NDArray[Any], trans: str, right: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if not right.size:
            return right
        try:
            factors = self.factors(values)
        except RuntimeError:
            if not self.lenient:
                raise
            linalg = scipy_module("sparse.linalg")
            warnings.warn("Matrix is exactly singular", linalg.MatrixRankWarning, stacklevel=2)
            return np.full_like(right, np.nan)
        return factors.solve(np.asfortranarray(right), trans)


@dataclass(frozen=True, eq=False)
class Solver(Solutions):
    """Solutions of systems of a pattern.

    `factorise` is SciPy's `splu` with its options, and `key` the digest of all that is known when the program
    is made.
    """

    pattern: Pattern
    factorise: Callable[[Any], Any]
    key: bytes

    def factors(self, values: npt.NDArray[Any]) -> Any:
        """SuperLU's factors of the matrix of some values."""
        latest = _kept.get(_latest.get(self.key, b""))
        if latest is not None and (latest[1] is values or np.array_equal(latest[1], values)):
            return latest[0]
        key = self.key if self.values is not None else digest(self.key, values)
        known = _kept.get(key)
        found = (self.factorise(self.pattern.matrix(values)), values) if known is None else known
        _kept[key] = found
        _latest[self.key] = key
        try:
            _kept.move_to_end(key)
            while known is None and len(_kept) > 1 and _bytes_kept() > LIMIT:
                _kept.popitem(last=False)
        except (KeyError, RuntimeError):  # another thread has taken some out
            pass
        return found[0]


@dataclass(frozen=True, eq=False)
class GivenSolver(Solutions):
    """Solutions by one object of SuperLU, whatever it is made of."""

    given: Any

    def factors(self, values: npt.NDArray[Any]) -> Any:
        """The object."""
        return self.given


def _bytes_kept() -> int:
    """The size of all factors: of each entry the value and the index."""
    return sum(12 * factors.nnz for factors, _ in list(_kept.values()))


def _runs(rows: Sequence[npt.NDArray[Any]]) -> list[tuple[int, int]]:
    """The ranges of consecutive equal rows."""
    firsts = [k for k in range(len(rows)) if not k or not np.array_equal(rows[k - 1], rows[k])]
    return list(zip(firsts, [*firsts[1:], len(rows)], strict=True))


def _complex(pairs: Any, ndim: int) -> npt.NDArray[Any]:
    """Complex numbers of pairs, whose axis is the first except for that of a batch."""
    pairs = np.asarray(pairs)
    axis = pairs.ndim - ndim
    return np.take(pairs, 0, axis) + 1j * np.take(pairs, 1, axis)


def _pair(numbers: Any) -> npt.NDArray[Any]:
    return np.stack([numbers.real, numbers.imag], axis=numbers.ndim - 2)
