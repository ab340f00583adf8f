"""Functions of several elements, by the first one; the others are as large, larger, smaller, or equal."""

# ruff: noqa: E501

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
from mpmath import mp, mpf

from tests.sweep.case import Case, Others
from tests.sweep.conventions import NO_VALUE, OVERFLOW, SUBNORMAL
from tests.sweep.functions.special_calls import LARGEST

SHIFTS = ((0.0,), (5.0,))
SHIFTS_OF_THREE = ((0.0, -40.0), (1.0, 2.0))
SIZES = ((0.0,), (1e-30,), (1.0,), (1e30,))
SMALLEST = tuple(
    sign * float(np.finfo(t).smallest_normal) for t in (np.float64, np.float32) for sign in (1, -1)
)
"""Their halves are subnormal."""

PLACES = ((0.0,), (1.0,), (1e5,))
NEAR = (30.0, 36.0, 37.0, 50.0, 100.0, 300.0, 700.0, -30.0, -37.0, -100.0, -700.0, 1e-3, 1e-5)


def of_elements(
    name: str, function: Callable[[Any], Any], exact: Callable[..., Any] | None = None, **kw: Any
) -> Case:
    """A function of the rows of an array, whose first one is differentiated."""
    return Case(name=name, call=lambda *x: function(np.stack(x)), exact=exact, **kw)


# Exponentials -------------------------------------------------------------------------------------


def _share(x: Any, *others: Any) -> Any:
    """The share of the first exponential in the sum of all."""
    return 1 / (1 + mp.fsum(mp.exp(c - x) for c in others))


def _rest(x: Any, *others: Any) -> Any:
    """1 less this share."""
    total = mp.fsum(mp.exp(c - x) for c in others)
    return total / (1 + total)


def _other_share(x: Any, first: Any, *others: Any) -> Any:
    return _share(first, x, *others)


def _weighted_slope(x: Any, c: Any) -> Any:
    """The slope of the logarithm of 2 e^x + 3 e^c."""
    return 1 / (1 + mpf(3) / 2 * mp.exp(c - x))


EXPONENTIALS = tuple(
    of_elements(name, function, slope=slope, label=f"of {1 + len(others[0])}{label}", others=others, special=NEAR, usual=(-10, 10),
                stated={NO_VALUE: (math.inf,)},
                residues=len(others[0]) > 1, length=lambda *x: 1.0)
    for others in (SHIFTS, SHIFTS_OF_THREE)
    for name, label, function, slope in (
        ("special.softmax", ", [0]", lambda x: scipy.special.softmax(x, axis=0)[0], lambda *x: _share(*x) * _rest(*x)),
        ("special.softmax", ", [1]", lambda x: scipy.special.softmax(x, axis=0)[1], lambda *x: -_share(*x) * _other_share(*x)),
        ("special.log_softmax", ", [0]", lambda x: scipy.special.log_softmax(x, axis=0)[0], _rest),
        ("special.log_softmax", ", [1]", lambda x: scipy.special.log_softmax(x, axis=0)[1], lambda *x: -_share(*x)),
        ("special.logsumexp", "", lambda x: scipy.special.logsumexp(x, axis=0), _share),
        ("np.logaddexp.reduce", "", lambda x: np.logaddexp.reduce(x, axis=0), _share),
    )
)  # fmt: skip

WEIGHTED = (
    Case(name="special.logsumexp", label="weighted", slope=_weighted_slope, others=SHIFTS, special=NEAR, usual=(-10, 10), stated={NO_VALUE: (math.inf,)},
         call=lambda x, c: scipy.special.logsumexp(np.stack([x, c]), axis=0, b=np.array([[2.0], [3.0]], x.dtype))),
    Case(name="special.logsumexp", label="by weight", slope=lambda b, x, c: 1 / (b + mp.exp(c - x)), usual=(0, 5), domain=(0.0, math.inf),
         others=((0.0, 0.0), (3.0, 1.0), (-40.0, 2.0)),
         call=lambda b, x, c: scipy.special.logsumexp(np.stack([x, c]), axis=0, b=np.stack([b, np.ones_like(b)]))),
)  # fmt: skip

# Norms and spreads --------------------------------------------------------------------------------


def _norm_of_order(order: float) -> Callable[..., Any]:
    return lambda *x: mp.fsum(abs(v) ** mpf(order) for v in x) ** (1 / mpf(order))


def _at_zeros(*others: float) -> Others:
    """The points at which a norm has a kink."""
    return () if any(others) else (0.0,)


def _variance(*x: Any) -> Any:
    mean = mp.fsum(x) / len(x)
    return mp.fsum((v - mean) ** 2 for v in x) / len(x)


def _spread(*x: Any) -> Any:
    return mp.sqrt(_variance(*x))


def _float_spread(*x: float) -> float:
    with mp.workdps(50):
        return float(_spread(*map(mpf, x)))


def _same(*others: float) -> Others:
    """The point at which all elements are equal."""
    return (others[0],) if len(set(others)) == 1 else ()


NORMS = (
    of_elements("np.linalg.norm", lambda x: np.linalg.norm(x, axis=0), mp.hypot, others=SIZES, knots=_at_zeros, length=math.hypot),
    of_elements("np.linalg.norm", lambda x: np.linalg.norm(x, axis=0), lambda *x: mp.sqrt(mp.fsum(v * v for v in x)), label="of three",
                others=((0.0, 0.0), (1.0, 2.0), (1e-20, 1e20)), knots=_at_zeros),
    of_elements("np.linalg.norm", lambda x: np.linalg.norm(x, 3, axis=0), _norm_of_order(3), label="of order 3", others=((1.0,), (1e5,)),
                knots=(0.0,), exponents=(-60, 60)),
    of_elements("np.linalg.norm", lambda x: np.linalg.norm(x, 1, axis=0), lambda x, c: abs(x) + abs(c), label="of order 1", others=SIZES,
                knots=(0.0,)),
    of_elements("np.linalg.norm", lambda x: np.linalg.norm(x, np.inf, axis=0), lambda x, c: max(abs(x), abs(c)), label="of order inf",
                others=SIZES, knots=lambda c: (c, -c) if c else (0.0,)),
    of_elements("np.hypot.reduce", lambda x: np.hypot.reduce(x, axis=0), mp.hypot, others=SIZES, knots=_at_zeros, length=math.hypot),
    of_elements("np.std", lambda x: np.std(x, axis=0), _spread, others=PLACES, knots=_same, stated={SUBNORMAL: SMALLEST},
                length=_float_spread, residues=True),
    of_elements("np.std", lambda x: np.std(x, axis=0), _spread, label="of three", others=((0.0, 1.0), (1.0, 1.0), (-3.0, 1e5)), knots=_same,
                length=_float_spread, residues=True, stated={OVERFLOW: LARGEST}),
    of_elements("np.var", lambda x: np.var(x, axis=0), _variance, others=PLACES),
)  # fmt: skip

# Sums, products, extrema --------------------------------------------------------------------------

REDUCTIONS = (
    of_elements("np.sum", lambda x: np.sum(x, axis=0), lambda x, c: x + c, others=PLACES),
    of_elements("np.mean", lambda x: np.mean(x, axis=0), lambda x, c: (x + c) / 2, others=PLACES),
    of_elements("np.prod", lambda x: np.prod(x[[0, 0, 1]], axis=0), lambda x, c: x * x * c, others=((0.0,), (2.0,))),
    of_elements("np.cumprod", lambda x: np.cumprod(x[[0, 1, 0]], axis=0)[-1], lambda x, c: x * x * c, others=((0.0,), (2.0,))),
    of_elements("np.max", lambda x: np.max(x, axis=0), max, others=PLACES, knots=lambda c: (c,)),
    of_elements("np.min", lambda x: np.min(x, axis=0), min, others=PLACES, knots=lambda c: (c,)),
    of_elements("np.max", lambda x: np.max(np.abs(x), axis=0) ** 2, lambda x, c: max(abs(x), abs(c)) ** 2, label="of sizes, squared",
                others=((1.0,), (1e-5,)), knots=lambda c: (c, -c)),
    of_elements("np.max", lambda x: np.max(np.abs(x[[0, 0]]), axis=0) ** 2, lambda x, c: x * x, label="of equal sizes, squared",
                others=((1.0,),)),
)  # fmt: skip

CASES: tuple[Case, ...] = (*EXPONENTIALS, *WEIGHTED, *NORMS, *REDUCTIONS)
"""Functions that depend on several elements each."""
