"""The points at which distributions are looked at: in the bulk, at the ends of the support, and far out."""

from __future__ import annotations

from math import inf

import numpy as np

from tests.distributions.exact import Exact

_SHARES = (1e-300, 1e-100, 1e-15, 1e-8, 1e-4, 0.1, 0.5, 0.7, 0.99, 1 - 1e-8)
_SIZES = (1e-300, 1e-100, 1e-15, 1e-4, 0.1, 0.7, 1.5, 3.0, 10.0, 38.0, 700.0, 1e5, 1e10, 1e100, 1e300)


def support(d: Exact, shapes: tuple[float, ...]) -> tuple[float, float]:
    """The ends of the support."""
    low, high = (end(*shapes) if callable(end) else end for end in (d.low, d.high))
    return float(low), float(high)


def points(d: Exact, shapes: tuple[float, ...], step: int = 1) -> np.ndarray:
    """Points inside of the support except for knots; only every `step`-th of those there are."""
    low, high = support(d, shapes)
    shares, sizes = np.array(_SHARES[(step > 1) :: step]), np.array(_SIZES[(step > 1) :: step])
    if d.at is not None:
        found = np.array([x for x in d.at[:: (step + 1) // 2] if low <= x <= high])
    elif low > -inf and high < inf:
        found = low + (high - low) * shares
        found = found[(found > low) & (found < high)]
    elif low > -inf:
        found = low + sizes
        found = found[found > low]
    elif high < inf:
        found = high - sizes
        found = found[found < high]
    else:
        found = np.concatenate([-sizes[::-1], [0.0], sizes])
    knots = d.knots(*shapes) if callable(d.knots) else d.knots
    return found[~np.isin(found, knots)]
