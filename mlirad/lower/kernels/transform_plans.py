"""The factors of a transform, the number of columns that it takes at once, and its roots of unity.

factors(48)      (4, 4, 3)
factors(34)      None: 17 is left to a library
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from math import cos, pi, sin
from typing import Final

from mlirad.dialects.array.transforms import Axes
from mlirad.dialects.shapes import Shape

PRIMES: Final = (13, 11, 7, 5, 3)
"""The odd factors that there are butterflies for."""

MOST_NUMBERS: Final = 8192
"""The longest transform. Its work space, 256 KiB of 64-bit floats, lies in the second level of cache."""

COLUMN_BYTES: Final = (128, 64)
"""The part of each row of an array that is read at once where the transform goes along columns: two lines of
the cache, which processors fetch together, or one where the columns are long."""


@cache
def factors(n: int) -> tuple[int, ...] | None:
    """The factors of a length in the order of their passes; None for one that is left to a library.

    Fours come first, or an eight, so that neighbours fill vectors from the second pass on.
    """
    if not 2 <= n <= MOST_NUMBERS:
        return None
    twos = 0
    while n % 2 == 0:
        n //= 2
        twos += 1
    found = [8] * (twos % 2 and twos > 2)
    found += [4] * ((twos - 3 * len(found)) // 2)
    odd: list[int] = []
    for prime in PRIMES:
        while n % prime == 0:
            n //= prime
            odd.append(prime)
    if n != 1:
        return None
    return (*found, *odd, *([2] if twos == 1 else []))


def complex_length(kind: str, n: int) -> int:
    """Return the length of the complex transform that computes one of n numbers, or 0."""
    if kind in ("forward", "backward"):
        return n
    return n // 2 if n % 2 == 0 else 0


def is_written_out(kind: str, axes: Axes, signal: Shape) -> bool:
    """Return whether a transform is compiled: it has factors, and its planes lie one after the other."""
    numbers = axes.complex_shape(signal) if kind in ("forward", "backward") else signal
    has_planes = axes.pairs <= axes.dim and 0 not in numbers
    return has_planes and factors(complex_length(kind, numbers[axes.dim])) is not None


def column_block(n: int, columns: int, element: int) -> int:
    """Return how many of `columns` columns a transform of n complex numbers takes at once."""
    if columns == 1:
        return 1
    most = MOST_NUMBERS * 8 // element // n
    block = next((nbytes // element for nbytes in COLUMN_BYTES if nbytes // element <= most), most)
    return min(columns, block)


def roots(exponents: Iterable[int], n: int) -> tuple[list[float], list[float]]:
    """Real and imaginary parts of exp(-2πi k / n), to the last digit: angles are reduced as integers."""
    circle = _circle(n)
    pairs = [circle[k % n] for k in exponents]
    return [p[0] for p in pairs], [p[1] for p in pairs]


@lru_cache(maxsize=4)
def _circle(n: int) -> list[tuple[float, float]]:
    """The powers of exp(-2πi / n), by an eighth of them where the others are its reflections."""
    if n % 8:
        return [_root(k, n) for k in range(n)]
    angles = [2 * pi * k / n for k in range(n // 8 + 1)]
    points = [(cos(angle), sin(angle)) for angle in angles]
    up, down = points[:-1], points[:0:-1]
    lower = [(c, -s) for c, s in up] + [(s, -c) for c, s in down]
    lower += [(-s, -c) for c, s in up] + [(-c, -s) for c, s in down]
    return lower + [(-c, -s) for c, s in lower]


def _root(k: int, n: int) -> tuple[float, float]:
    octant, rest = divmod(8 * k, n)
    if octant % 2:
        rest = n - rest
    angle = pi * rest / (4 * n)
    c, s = cos(angle), sin(angle)
    if octant in (1, 2, 5, 6):
        c, s = s, c
    return -c if octant in (2, 3, 4, 5) else c, s if octant > 3 else -s
