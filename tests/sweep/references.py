"""First and second derivatives by mpmath: differences of values at rising precision, and their limits.

    derivatives(case, 0.5, ())       [Number(0.86), Number(-0.65)]
    derivatives(case, 0.0, ())       [Sides(0.0, inf), ...] where the limits from both sides differ

A difference is right when two of them agree, of steps and precisions far apart. Its error has nothing in
common with that of a formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from mpmath import mp, mpf

from tests.sweep.case import Case, Others

LEVELS = {60: 12, 120: 15, 240: 18, 480: 21, 720: 24, 1000: 27, 1400: 30}
"""Decimal digits that are tried in turn, and the negative exponents of steps relative to the scale of x."""

AGREEMENT = mpf(10) ** -14
"""The distance that two differences may have, relative to either."""

ROUNDING = mpf(10) ** 3
"""The units in the last place by which a value of mpmath may be off."""

OUTSIDE = (ZeroDivisionError, ValueError, OverflowError, TypeError, mp.NoConvergence, NotImplementedError)
"""The exceptions of functions of mpmath where they have no value."""


@dataclass(frozen=True)
class Number:
    """The derivative, or its limit from all sides that there are."""

    value: float
    is_limit: bool = False


@dataclass(frozen=True)
class Sides:
    """Limits from both sides that differ."""

    low: float
    high: float


Reference: TypeAlias = Number | Sides | None
"""`None` where mpmath finds nothing, and where the function is not defined."""

Exact: TypeAlias = Callable[[Any], Any]


def derivatives(case: Case, x: float, others: Others, least: float) -> list[Reference]:
    """The first and second derivative at x, or what they are near it; what is below `least` may be 0.

    At ends of the domain and at infinity the limits from inside count, at knots and poles one-sided ones.
    """
    low, high = case.domain_at(others)
    if not low <= x <= high or math.isnan(x):
        return [None, None]
    inner = [mpf(v) for v in others]
    if math.isinf(x):
        return _joined([_side(case, x, inner, 0)])
    is_knot = any(abs(x - k) <= 1e-7 * abs(k) for k in case.knots_at(others))
    if not is_knot and low < x < high:
        found = _at(case, mpf(x), inner, _scales(x), least)
        if all(v is not None for v in found):
            return [Number(_float(v)) for v in found if v is not None]
    if low < x < high and not is_knot and x != 0 and not 1e-6 < abs(x) < 1e6:
        return [None, None]  # no pole, but a number that mpmath does not reach
    signs = [sign for sign, inside in ((-1, x > low), (1, x < high)) if inside]
    return _joined([_side(case, x, inner, sign) for sign in signs])


def near(case: Case, x: float, others: Others, shift: float) -> list[Reference]:
    """The derivatives at a number close to x: x (1 + shift)."""
    with mp.workdps(50):
        moved = mpf(x) * (1 + mpf(shift))
    low, high = case.domain_at(others)
    if not low < moved < high:
        return [None, None]
    found = _at(case, moved, [mpf(v) for v in others], _scales(x), 0.0)
    return [None if v is None else Number(_float(v)) for v in found]


def _scales(x: float) -> list[mpf]:
    """Steps are small against x, and where x is large also against 1."""
    size = abs(mpf(x))
    return [size, mpf(1)] if size > 1e3 else [size or mpf(1)]


def _joined(sides: Sequence[tuple[float | None, float | None]]) -> list[Reference]:
    """The references that both sides have in common."""
    found: list[Reference] = []
    for order in range(2):
        limits = [side[order] for side in sides]
        known = [v for v in limits if v is not None]
        if not known or len(known) < len(limits):
            found.append(None)
        elif len(known) == 1 or _close(known[0], known[1]):
            found.append(Number(known[0], is_limit=True))
        else:
            found.append(Sides(min(known), max(known)))
    return found


def _close(x: float, y: float) -> bool:
    return x == y or abs(x - y) <= 1e-9 * abs(x) < math.inf


# Differences --------------------------------------------------------------------------------------


def _at(case: Case, x: mpf, others: Sequence[mpf], scales: Sequence[mpf], least: float) -> list[mpf | None]:
    """Both derivatives at a number; `None` where differences do not come to agree."""
    found: list[mpf | None] = [None, None]
    last: dict[tuple[int, int], mpf] = {}
    vanishing: list[mpf | None] = [None, None]
    for digits, exponent in LEVELS.items():
        for k, scale in enumerate(scales):
            with mp.workdps(digits):
                differences = _differences(case, x, others, scale * mpf(10) ** -exponent)
                for order, (value, noise) in enumerate(differences):
                    if found[order] is not None:
                        continue
                    before = last.pop((order, k), None)
                    if abs(value) > noise / AGREEMENT:
                        last[order, k] = value
                        if before is not None and abs(value - before) <= AGREEMENT * abs(value):
                            found[order] = value
                    elif abs(value) <= noise and noise < least:
                        found[order] = mpf(0)
                    elif abs(value) <= noise and digits == max(LEVELS):
                        vanishing[order] = mpf(0)
        if all(v is not None for v in found):
            break
    return [v if v is not None else zero for v, zero in zip(found, vanishing, strict=True)]


def _differences(case: Case, x: mpf, others: Sequence[mpf], h: mpf) -> list[tuple[mpf, mpf]]:
    """Both derivatives by values at x - h, x and x + h, each with a bound of its rounding error."""
    stated = case.slope or case.exact
    assert stated is not None
    try:
        low, middle, high = (_real(stated(y, *others)) for y in (x - h, x, x + h))
    except OUTSIDE:
        return []
    size = ROUNDING * mp.eps * max(abs(low), abs(middle), abs(high))
    slope = (high - low) / (2 * h), size / h
    if case.slope is not None:
        return [(middle, size), slope]
    return [slope, ((high - 2 * middle + low) / h**2, 4 * size / h**2)]


def _real(value: Any) -> mpf:
    """A finite real number; raises `ValueError` for any other."""
    if isinstance(value, int | float):
        value = mpf(value)
    if hasattr(value, "imag") and value.imag != 0:
        raise ValueError
    if not mp.isfinite(value):
        raise ValueError
    return value.real


# Limits -------------------------------------------------------------------------------------------

DISTANCES = (20, 40, 80)
"""Negative decimal exponents of how far from a point its limits are looked for."""

FAR = {False: (60, 120, 240), True: (6, 12, 24)}
"""Decimal exponents of numbers that stand for infinity; lower ones for functions that are slow in mpmath."""


def _side(case: Case, x: float, others: Sequence[mpf], sign: int) -> tuple[float | None, float | None]:
    """The limits of both derivatives from one side, as far as three values on the way tell them."""
    rows: list[list[mpf | None]] = []
    for digits, far in zip(DISTANCES, FAR[case.slow], strict=True):
        if math.isinf(x):
            y = mp.sign(x) * mpf(10) ** far * (1 + mpf(far) / 7)
            scales = [mpf(1), abs(y)]
        else:
            distance = mpf(10) ** -digits * max(abs(mpf(x)), mpf(1))
            with mp.workdps(digits + 50):
                y = mpf(x) + sign * distance
            scales = [distance]
        rows.append(_at(case, y, others, scales, 0.0))
    first, second = (_limit(*(row[order] for row in rows)) for order in range(2))
    return first, second


def _limit(u: mpf | None, v: mpf | None, w: mpf | None) -> float | None:
    """The limit of numbers whose distance to it is squared each time.

    A power of the distance falls or grows a lot, a logarithm by a factor of 2.
    """
    if u is None or v is None or w is None:
        return None
    if abs(v - w) <= abs(w) * mpf(10) ** -10 and abs(u - w) <= abs(w) * mpf(10) ** -5:
        return _float(w)
    ratios = [abs(v / u) if u else mpf(0), abs(w / v) if v else mpf(0)]
    if all(r < mpf(10) ** -1.9 for r in ratios) or all(0.45 < r < 0.55 for r in ratios):
        return 0.0
    if all(r > mpf(10) ** 1.9 or 1.8 < r < 2.2 for r in ratios):
        return math.inf if w > 0 else -math.inf
    return None


def _float(value: mpf) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
