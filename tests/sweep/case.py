"""A swept function in one of its arguments, as users call it and as mpmath knows it.

    Case(name="np.hypot", call=np.hypot, exact=mp.hypot, others=((1.0,), (1e-5,)))

`call` takes arrays, the one that is differentiated first, `exact` numbers of mpmath in the same order. Where
the value hides the derivative, because it saturates or takes long to compute, `slope` states the first
derivative instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import inf
from typing import Any, TypeAlias

import numpy as np

from tests.sweep.conventions import Convention

Others: TypeAlias = tuple[float, ...]
"""Values of the arguments that are not differentiated."""

OfOthers: TypeAlias = Callable[..., Sequence[float]] | Sequence[float]
"""Numbers, or a function from the other arguments to numbers."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A function in its argument number `argument`.

    `usual` is an interval of common arguments, `exponents` bounds decimal exponents of |x|, `special` are
    points to look at besides the common ones. `domain` is where the function is real and smooth: nothing
    counts outside, and at its ends the limits from inside do; points are taken within `reach`, too, which is
    no boundary. At `knots`, both one-sided limits are right, and what lies between; at `stated` points and in
    `regions`, of the dtype and all arguments, a convention holds. With `waves`, errors are relative to the
    amplitude, not to a value near a zero. A `slow` case takes mpmath long, and is looked at in fewer common
    points, at `most` in that many for each of the others. The first derivative over `length`, a function of
    all arguments, is the size of terms of the second one, which may underflow; with `residues` they cancel.
    `label` tells cases of a function apart.
    """

    name: str
    label: str = ""
    argument: int = 0
    call: Callable[..., Any]
    exact: Callable[..., Any] | None = None
    slope: Callable[..., Any] | None = None
    others: Sequence[Others] = ((),)
    usual: tuple[float, float] = (-5.0, 5.0)
    exponents: tuple[int, int] = (-330, 330)
    domain: OfOthers = (-inf, inf)
    reach: tuple[float, float] = (-inf, inf)
    knots: OfOthers = ()
    special: Sequence[float] = ()
    stated: Mapping[Convention, OfOthers] = field(default_factory=dict[Convention, OfOthers])
    regions: Mapping[Convention, Callable[..., bool]] = field(
        default_factory=dict[Convention, Callable[..., bool]]
    )
    length: Callable[..., float] | None = None
    residues: bool = False
    waves: bool = False
    slow: bool = False
    most: int = 1000

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, self.label, f"by argument {self.argument}")))

    def knots_at(self, others: Others) -> Sequence[float]:
        """The points at which derivatives jump."""
        return _at(self.knots, others)

    def stated_at(self, dtype: type[np.floating], others: Others, x: float) -> Convention | None:
        """The convention that holds at x."""
        points = (c for c, where in self.stated.items() if x in _at(where, others))
        regions = (c for c, inside in self.regions.items() if inside(dtype, x, *others))
        return next(chain(points, regions), None)

    def domain_at(self, others: Others) -> tuple[float, float]:
        """The ends of the interval where the function is smooth, except for its knots."""
        low, high = _at(self.domain, others)
        return low, high


def _at(numbers: OfOthers, others: Others) -> Sequence[float]:
    return numbers(*others) if callable(numbers) else numbers
