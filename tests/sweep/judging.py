"""The verdict on a derivative: right, or how it is wrong.

    verdict(np.float64, 1, got, reference, 0, 0)      "right", the name of a convention, or one of `WRONG`

A relative error of 1e-9 is right in float64, one of 1e-3 in float32, and so is what is as close to the
derivative at a number that rounding cannot tell from x. Where the derivative underflows or overflows, so may
what is computed; results below the normal numbers may be 0, and so may terms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tests.sweep.conventions import KINK, OPPOSITE, POLE, SUBNORMAL
from tests.sweep.references import Number, Reference, Sides

WRONG = ("value", "zero", "not finite", "finite for infinite", "sign", "limit", "not zero")
"""Kinds of errors."""

TOLERANCE = {np.float64: 1e-9, np.float32: 1e-3}

ROUNDED = 4
"""The units in the last place by which x may be off."""


def verdict(
    dtype: type[np.floating], order: int, got: float, reference: Reference, amplitude: float, natural: float
) -> str | None:
    """The kind of error, "right", or a convention's name; `None` where there is no reference.

    Errors are relative to `amplitude` where that is larger than the derivative. Where that is 0, what is left
    of terms of the size `natural` is right.
    """
    if reference is None:
        return None
    if isinstance(reference, Sides):
        return _between(got, reference)
    info = np.finfo(dtype)
    tiny, largest, eps = float(info.smallest_normal), float(info.max), float(info.eps)
    true = reference.value
    kind = "limit" if reference.is_limit else None
    if abs(true) > largest and order == 2 and math.isnan(got):
        return OPPOSITE.name
    if abs(true) > largest:
        return _of_infinite(got, true, largest, kind)
    if not math.isfinite(got):
        return kind or "not finite"
    if abs(true) < 8 * tiny:
        is_zero = abs(got) <= max(16 * tiny, 16 * eps * amplitude, 64 * eps * natural)
        return "right" if is_zero else kind or "not zero"
    if abs(got - true) <= TOLERANCE[dtype] * max(abs(true), amplitude):
        return "right"
    if abs(got - true) <= 4 * tiny:
        return SUBNORMAL.name
    if got == 0:
        return kind or "zero"
    return kind or ("sign" if (got > 0) != (true > 0) else "value")


def _between(got: float, sides: Sides) -> str:
    """Name the convention of a value that lies between the sides, or is 0."""
    if math.isinf(sides.low) or math.isinf(sides.high):
        return POLE.name
    if got == 0:
        return KINK.name
    slack = 1e-3 * max(abs(sides.low), abs(sides.high))
    return KINK.name if sides.low - slack <= got <= sides.high + slack else "limit"


def _of_infinite(got: float, true: float, largest: float, kind: str | None) -> str:
    if got == math.copysign(math.inf, true) or (abs(got) > 0.99 * largest and (got > 0) == (true > 0)):
        return "right"
    if math.isnan(got):
        return kind or "not finite"
    if math.isinf(got):
        return "sign"
    return kind or "finite for infinite"


def explained_by_rounding(dtype: type[np.floating], got: float, around: Sequence[Reference]) -> bool:
    """Return whether a derivative lies between those at numbers that rounding cannot tell from x."""
    values = [r.value for r in around if isinstance(r, Number)]
    if len(values) < len(around):
        return False
    low, high = min(values), max(values)
    slack = TOLERANCE[dtype] * max(abs(low), abs(high))
    return low - slack <= got <= high + slack
