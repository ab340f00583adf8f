"""Counts of right and wrong derivatives of a case, in one dtype.

sweep(case, np.float64)          {1: Counter(right=512, value=3), 2: ...} and the wrong points
"""

from __future__ import annotations

import math
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mlirad as ad
from tests.sweep.case import Case, Others
from tests.sweep.conventions import NO_VALUE, RESIDUE, SUBNORMAL
from tests.sweep.judging import ROUNDED, WRONG, explained_by_rounding, verdict
from tests.sweep.points import points
from tests.sweep.references import Number, Reference, derivatives, near

ORDERS = (1, 2)

NO_REFERENCE = "no reference"
"""Points at which mpmath finds no derivative."""

TOO_LONG = "too long"
"""Points at which mpmath takes more time than it is given."""


@dataclass(frozen=True)
class Wrong:
    """A wrong derivative, and what is right."""

    kind: str
    order: int
    x: float
    others: Others
    got: float
    right: Reference


@dataclass
class Tally:
    """Verdicts on one case in one dtype, by order."""

    counts: dict[int, Counter[str]] = field(default_factory=lambda: {order: Counter() for order in ORDERS})
    wrong: list[Wrong] = field(default_factory=list)

    def shown(self) -> str:
        """`wrong/judged` for each order."""
        return "  ".join(
            f"{sum(c[k] for k in WRONG)}/{sum(c.values()) - c[NO_REFERENCE] - c[TOO_LONG]}"
            for c in self.counts.values()
        )


class _TooLong(BaseException):
    """The time for a reference is over; no handler of mpmath's failures catches it."""


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """Raise `_TooLong` after `seconds` of processor time, in the main thread of a POSIX system."""
    if seconds is None:
        yield
        return

    def stop(*_: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def sweep(
    case: Case,
    dtype: type[np.floating],
    every: int = 1,
    at: Sequence[float] | None = None,
    seconds: float | None = None,
) -> Tally:
    """Judge a case at its points, at one in `every` of them, or `at` others, in `seconds` for each."""
    xs: list[float] = []
    others: list[Others] = []
    for given in case.others:
        rounded = tuple(float(dtype(v)) for v in given)
        found = points(case, dtype, rounded, every) if at is None else list(at)
        xs += found
        others += [rounded] * len(found)
    computed = _computed(case, dtype, xs, others)
    tally = Tally()
    for x, given, *got in zip(xs, others, *computed, strict=True):
        judged = Tally()
        try:
            with _limited(seconds):
                _judge(judged, case, dtype, x, given, got)
        except _TooLong:
            judged = Tally({order: Counter({TOO_LONG: 1}) for order in ORDERS})
        for order in ORDERS:
            tally.counts[order] += judged.counts[order]
        tally.wrong += judged.wrong
    return tally


def _judge(
    tally: Tally, case: Case, dtype: type[np.floating], x: float, given: Others, got: list[float]
) -> None:
    if math.isinf(x) and _is_nan(case, dtype, x, given):
        for counts in tally.counts.values():
            counts[NO_VALUE.name] += 1
        return
    stated = case.stated_at(dtype, given, x)
    least = float(np.finfo(dtype).smallest_subnormal)
    references = derivatives(case, x, given, least)
    sizes = [abs(r.value) if isinstance(r, Number) else 0.0 for r in references]
    amplitude = max((s for s in sizes if s < np.inf), default=0.0) if case.waves else 0.0
    scale = abs(x) or max(map(abs, given), default=0.0)
    natural = [0.0, sizes[0] / scale if scale and np.isfinite(x) and np.isfinite(sizes[0]) else 0.0]
    for order in ORDERS:
        k = order - 1
        found = verdict(dtype, order, got[k], references[k], amplitude, natural[k])
        if found in WRONG and np.isfinite(x):
            shift = ROUNDED * float(np.finfo(dtype).eps)
            around = [references[k], *(near(case, x, given, s)[k] for s in (-shift, shift))]
            if explained_by_rounding(dtype, got[k], around):
                found = "right"
        if found in WRONG and stated is not None:
            found = stated.name
        if found in WRONG and order == 2:
            found = _among_terms(case, dtype, x, given, got[k], references) or found
        tally.counts[order][found or NO_REFERENCE] += 1
        if found in WRONG:
            tally.wrong.append(Wrong(found, order, x, given, got[k], references[k]))


def _among_terms(
    case: Case, dtype: type[np.floating], x: float, given: Others, got: float, references: list[Reference]
) -> str | None:
    """The convention by which a second derivative is right, among terms that are larger."""
    first, second = references
    if not isinstance(first, Number) or not isinstance(second, Number):
        return None
    info, length = np.finfo(dtype), case.length(x, *given) if case.length is not None else math.inf
    error, term = abs(got - second.value), abs(first.value) / length if length else 0.0
    if error <= 64 * float(info.smallest_normal) * max(1.0, term):
        return SUBNORMAL.name
    return RESIDUE.name if case.residues and error <= 64 * float(info.eps) * term else None


def _is_nan(case: Case, dtype: type[np.floating], x: float, given: Others) -> bool:
    """Return whether the function itself is NaN there."""
    with np.errstate(all="ignore"):
        return bool(np.isnan(np.real(case.call(*(np.array([v], dtype) for v in (x, *given))))).any())


def both_orders(case: Case) -> Callable[..., Any]:
    """The function of x and of the other arguments that gives the first and the second derivative."""

    def both(x: Any, *given: Any) -> Any:
        def slope(x: Any) -> Any:
            return ad.grad(lambda y: np.sum(case.call(y, *given)))(x)

        return ad.jvp(slope, (x,), (np.ones(x.shape, x.dtype),))

    return both


def _computed(
    case: Case, dtype: type[np.floating], xs: list[float], others: list[Others]
) -> tuple[list[float], list[float]]:
    """Both derivatives, compiled: reverse mode, and forward mode over it."""
    arrays = [np.array(column, dtype) for column in zip(*others, strict=True)]
    at = np.array(xs, dtype)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = ad.jit(both_orders(case))(at, *arrays)
    return first.astype(float).tolist(), second.astype(float).tolist()
