"""The points of a function that are looked at: over all exponents of the format, special ones, and the usual
ones.

points(case, np.float64, ())      [0, -0, 1, inf, 1e-310 ... 1e308, 200 numbers of the usual interval]
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence

import numpy as np

from tests.sweep.case import Case, Others

COMMON = (0.0, 1.0, 2.0, 3.0, 0.5, 1e-9, 1e-7, math.inf)
LARGER = (10.0, 20.0, 40.0, 89.0, 104.0, 710.0, 745.0)
BESIDE = (0.0, 1e-9, -1e-9, 1e-7, -1e-7)
"""The distances from special points, relative to them."""


def points(case: Case, dtype: type[np.floating], others: Others, every: int = 1) -> list[float]:
    """Arguments of a dtype, none twice: none subnormal, none NaN, none outside of the domain.

    Of each `every` points one is taken; `slow` cases have a quarter of those that are not special.
    """
    info = np.finfo(dtype)
    tiny, largest = float(info.smallest_normal), float(info.max)
    rng = np.random.default_rng(zlib.crc32(f"{case}{others}".encode()))
    ends = [largest] if case.exponents[1] >= 300 else []
    marked = [*case.special, *case.knots_at(others), *(v for v in case.domain_at(others) if math.isfinite(v))]
    beside = [v * (1 + d) for v in marked for d in BESIDE]
    found = [*COMMON, *LARGER, tiny, 1e-160 if dtype is np.float64 else 1e-30, *ends]
    powers = _powers(case, dtype, rng)
    usual = rng.uniform(*case.usual, max(200 // len(case.others), 30)).tolist()
    special = _within(
        case, dtype, others, [*beside, *found, *(-v for v in found)], [*beside, largest, -largest]
    )
    common = _within(case, dtype, others, [*powers, *(-v for v in powers), *usual], [])
    both = [*special, *common[:: 4 if case.slow else 1]]
    return list({(x, math.copysign(1, x)): x for x in both}.values())[::every][: case.most]


def _powers(case: Case, dtype: type[np.floating], rng: np.random.Generator) -> list[float]:
    """A number of each exponent near 0, and of some that are larger."""
    low, high = _exponents(case, dtype)
    step = 10 if dtype is np.float64 else 2
    exponents = {*range(low, high + 1, step)}
    exponents |= {e for near, by in ((20, 2), (8, 1)) for e in range(-near, near + 1, by) if low <= e <= high}
    mantissas = rng.uniform(1.0, 9.0, len(exponents))
    return [float(m) * 10.0**e for e, m in zip(sorted(exponents), mantissas, strict=True)]


def _exponents(case: Case, dtype: type[np.floating]) -> tuple[int, int]:
    info = np.finfo(dtype)
    low = max(case.exponents[0], math.ceil(math.log10(info.smallest_normal)))
    return low, min(case.exponents[1], math.floor(math.log10(info.max)))


def _within(
    case: Case, dtype: type[np.floating], others: Others, found: Sequence[float], asked: Sequence[float]
) -> list[float]:
    """Those in the domain whose exponents are asked for; 0, infinity and what is `asked` have any."""
    (bottom, top), (least, most) = case.domain_at(others), case.reach
    with np.errstate(over="ignore"):
        values = np.array(found, dtype)
        within = (values >= dtype(bottom)) & (values <= dtype(top))
        is_asked = np.isinf(values) | (values == 0) | np.isin(values, np.array(asked, dtype))
    size = np.abs(values.astype(float))
    high = _exponents(case, dtype)[1]
    within &= is_asked | (size >= 10.0 ** max(case.exponents[0], -307)) & (size <= 10.0 ** min(high + 1, 308))
    within &= (values >= least) & (values <= most)
    if bottom == 0:
        within &= ~np.signbit(values)
    return values[within & ((values == 0) | (size >= float(np.finfo(dtype).smallest_normal)))].tolist()
