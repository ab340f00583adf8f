"""Combinations of partials: what two runs of chunks that follow each other have together.

    COMBINATIONS["add"]((1.0,), (2.0,))                       (3.0,)
    COMBINATIONS["logsumexp"]((3.0, 1.0), (5.0, 2.0))         (5.0, 2.0 + exp(-2.0))
    combine(stage)((4.0, 1.0), (9.0, 2.0))                    of (sum, max): [13.0, 2.0]

Rounding depends on the order in which they are applied, which `trees.py` fixes.
"""

from __future__ import annotations

import operator
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
    return (combined(left[0], right[0]),)


def _first(left: Partials, right: Partials) -> Partials:
    """The value of the first chunk."""
    return left


def _listed(left: Partials, right: Partials) -> Partials:
    """Lists of what each chunk has."""
    return [np.concatenate(pair) for pair in zip(left, right, strict=True)]


def _ranks(left: Partials, right: Partials) -> Partials:
    """Counts, next elements above and below, and numbers of elements: of a search for ranks (`ranks.py`)."""
    by = np.add, np.minimum, np.maximum, np.add
    return [ufunc(a, b) for ufunc, a, b in zip(by, left, right, strict=True)]


def _extreme(is_better: Callable[[Any, Any], Any], left: Partials, right: Partials) -> Partials:
    """An extremum and its position: the first of equals, the first NaN if there is one."""
    (low, low_at), (high, high_at) = left, right
    with np.errstate(invalid="ignore"):
        is_high = is_better(high, low) | ((high != high) & (low == low))
    return _where(is_high, high, low), _where(is_high, high_at, low_at)


def _logsumexp(left: Partials, right: Partials) -> Partials:
    """A maximum m, and sums over exp(x - m) times something."""
    (low, *low_sums), (high, *high_sums) = left, right
    top = _maximum(low, high)
    a, b = _exp_of_gap(low, top), _exp_of_gap(high, top)
    with np.errstate(invalid="ignore", over="ignore"):
        return top, *(x * a + y * b for x, y in zip(low_sums, high_sums, strict=True))


def _moments(left: Partials, right: Partials) -> Partials:
    """The number n of elements, their sum, and the sum of squares of their differences from the mean."""
    (low, low_sum, low_squares), (high, high_sum, high_squares) = left, right
    with np.errstate(all="ignore"):
        number = low + high
        gap = high_sum / high - low_sum / low
        between = _where(low * high == 0, 0.0 * number, gap * gap * (low * high / number))
        return number, low_sum + high_sum, low_squares + high_squares + between


def _exp_of_gap(x: Any, top: Any) -> Any:
    """exp(x - top), which is 1 where both are the same infinity."""
    return _where(x == top, np.ones_like(x), _exp(x - top))


_maximum: Callable[[Any, Any], Any] = np.maximum
_exp: Callable[[Any], Any] = np.exp


def _where(condition: Any, a: Any, b: Any) -> Any:
    """The elements of `a` where the condition holds, else those of `b`; of scalars a scalar."""
    made = cast(Any, np.where(condition, a, b))
    return made[()]


CUMULATED: Final[Mapping[str, tuple[np.ufunc, str]]] = {
    "sum": (np.add, "nothing"),
    "prod": (np.multiply, "one"),
    "max": (np.maximum, "least"),
    "min": (np.minimum, "greatest"),
}
"""The function that combines entries of a list, and the result of an empty list."""


def combined_before(entries: Any, chunk: int, kind: str, *, is_after: bool) -> Any:
    """The entries of a list before that of a chunk, combined in their order, or those after it in reverse."""
    some = entries[:chunk:-1] if is_after else entries[:chunk]
    ufunc, empty = CUMULATED[kind]
    if not len(some):
        return np.full_like(entries[:1], _neutral(entries.dtype, empty))
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(ufunc.accumulate(some, axis=0, dtype=entries.dtype)[-1:])


def rows_beside(entries: Any, counts: Any, chunk: int, dim: int, *, is_after: bool) -> Any:
    """The rows after a chunk, or before it, in an array like an entry of a list of what each chunk has.

    Entry k has the first `counts[k]` rows of a chunk at its start, or the last ones at its end. Where there
    are too few rows, the outermost one is repeated.
    """
    wanted = entries.shape[dim + 1]
    found: list[Any] = []
    for k in range(chunk + 1, len(entries)) if is_after else range(chunk - 1, -1, -1):
        if sum(part.shape[dim] for part in found) >= wanted:
            break
        found.append(_border(entries[k], int(counts[k]), dim, is_after))
    if not found:
        found.append(_border(entries[chunk], int(counts[chunk]), dim, is_after))
    if not is_after:
        found.reverse()
    rows = np.concatenate(found, axis=dim)
    there = rows.shape[dim]
    last = there - 1
    order = [min(k, last) if is_after else max(there - wanted + k, 0) for k in range(wanted)]
    return np.ascontiguousarray(rows[(*(slice(None),) * dim, order)])[None]


def _border(entry: Any, count: int, dim: int, is_after: bool) -> Any:
    rows = slice(0, count) if is_after else slice(entry.shape[dim] - count, None)
    return entry[(*(slice(None),) * dim, rows)]


def _neutral(dtype: Any, name: str) -> float:
    if name == "one":
        return 1
    if name == "nothing":
        return -0.0 if dtype.kind == "f" else 0  # with -0 added to it a number keeps its sign
    if dtype.kind == "f":
        return -np.inf if name == "least" else np.inf
    bounds = np.iinfo(dtype)
    return int(bounds.min if name == "least" else bounds.max)


COMBINATIONS: Final[Mapping[str, Combine]] = {
    "add": partial(_by, np.add),
    "prod": partial(_by, np.multiply),
    "max": partial(_by, np.maximum),
    "min": partial(_by, np.minimum),
    "and": partial(_by, np.bitwise_and),
    "or": partial(_by, np.bitwise_or),
    "first": _first,
    "list": _listed,
    "ranks": _ranks,
    "row": partial(_by, np.maximum),
    "argmax": partial(_extreme, operator.gt),
    "argmin": partial(_extreme, operator.lt),
    "logsumexp": _logsumexp,
    "moments": _moments,
}
"""The combining functions of arrays, by the kinds of `plan.Combination`."""


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
