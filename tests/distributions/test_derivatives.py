"""First and second derivatives of all methods of all distributions, in the point and in every shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpmath import mp
from scipy import stats

import mlirad as ad
from tests.distributions.exact import EXACT
from tests.distributions.exact_discrete import DISCRETE
from tests.distributions.points import points
from tests.distributions.references import called, derivative, in_time, methods_of, mixed_derivative

TOLERANCE = 1e-9
LEAST, LARGEST = 1e-300, 1e300

ALL = EXACT | DISCRETE
CASES = [
    (name, shapes, k)
    for name, d in ALL.items()
    for shapes in d.shapes
    for k in range(d.is_discrete, len(shapes) + 1)
    if k - 1 not in d.whole
]


def is_right(got: float, exact: Any, slack: float) -> bool:
    """Return whether a derivative is right to the tolerance, or to the slack that rounding of the argument
    gives.
    """
    if abs(exact) > LARGEST:
        return abs(got) > 0.1 * LARGEST and (got > 0) == (exact > 0)
    if abs(exact) < LEAST:
        return abs(got) <= max(LEAST * 1e10, slack)
    return abs(got - exact) <= max(TOLERANCE * abs(exact), slack)


@pytest.mark.filterwarnings("ignore:.*made again on every call")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_derivatives_over_whole_ranges(case: tuple[str, tuple[float, ...], int]) -> None:
    name, shapes, k = case
    d, x = ALL[name], points(ALL[name], shapes, step=3)
    others = [x, *(np.full(x.shape, s) for s in shapes)]
    ones = np.ones(x.shape)
    wrong: list[Any] = []
    judged = 0

    def values(v: Any) -> list[Any]:
        arguments = [v if j == k else o for j, o in enumerate(others)]
        return [called(name, m, *arguments) for m in methods_of(d)]

    def slopes(v: Any) -> list[Any]:
        return ad.jvp(values, (v,), (ones,))[1]

    firsts, seconds = ad.jit(lambda v: ad.jvp(slopes, (v,), (ones,)))(others[k])
    for method, first, second in zip(methods_of(d), firsts, seconds, strict=True):
        for i, at in enumerate(x):
            exact = [
                in_time(lambda m=method, at=at, n=n: derivative(d, m, float(at), shapes, k, n))
                for n in (1, 2)
            ]
            if None in exact:
                continue
            argument = abs(others[k][i])
            slack = (
                float(8 * np.finfo(float).eps * abs(exact[1]) * argument) if abs(exact[1]) < LARGEST else 0.0
            )
            natural = float(1e-10 * abs(exact[0]) / argument) if argument and abs(exact[0]) < LARGEST else 0.0
            for order, got, want, more in ((1, first[i], exact[0], slack), (2, second[i], exact[1], natural)):
                if not is_right(float(got), want, more):
                    wrong.append((method, order, float(at), float(got), mp.nstr(want, 15)))
                judged += 1
    assert not wrong, wrong
    assert judged


POWERS: dict[str, tuple[float, ...]] = {
    "fisk": (3.1,), "burr": (1.55, 2.0), "mielke": (3.1, 1.5), "burr12": (3.1, 2.0), "kappa3": (3.1,),
    "exponweib": (2.0, 1.55), "weibull_min": (3.1,), "dweibull": (3.1,), "exponpow": (3.1,),
    "powerlaw": (3.1,), "loglaplace": (3.1,), "rayleigh": (), "chi": (3.1,), "nakagami": (1.55,),
    "gengamma": (2.0, 1.55), "maxwell": (), "gamma": (3.1,), "chi2": (6.2,), "dgamma": (3.1,),
    "beta": (3.1, 2.0), "betaprime": (3.1, 2.0), "f": (6.2, 5.0), "ncx2": (6.2, 0.5), "ncf": (6.2, 5.0, 0.5),
}  # fmt: skip
"""Distributions whose shares near 0 are powers, with powers that vanish before those of their slopes do."""


@pytest.mark.parametrize("name", POWERS)
def test_slopes_near_0_where_shares_vanish(name: str) -> None:
    d, shapes, x = EXACT[name], POWERS[name], np.array([1e-100, 1e-102, 1e-110])

    def values(x: Any) -> list[Any]:
        return [called(name, m, x, *shapes) for m in methods_of(d)]

    def slopes(x: Any) -> list[Any]:
        return ad.jvp(values, (x,), (np.ones(3),))[1]

    firsts, seconds = ad.jit(lambda x: ad.jvp(slopes, (x,), (np.ones(3),)))(x)
    for order, found in ((1, firsts), (2, seconds)):
        for method, slope in zip(methods_of(d), found, strict=True):
            for at, got in zip(x, slope, strict=True):
                exact = derivative(d, method, float(at), shapes, 0, order)
                assert exact is None or is_right(float(got), exact, 1e-300), (method, order, float(at), exact)


MIXED = [
    (name, d.shapes[0], k)
    for name, d in EXACT.items()
    for k in range(1, len(d.shapes[0]) + 1)
    if k - 1 not in d.whole
]


@pytest.mark.filterwarnings("ignore:.*made again on every call")
@pytest.mark.parametrize("case", MIXED, ids=str)
def test_derivatives_in_point_and_shape_in_either_order(case: tuple[str, tuple[float, ...], int]) -> None:
    name, shapes, k = case
    d = EXACT[name]
    x = points(d, shapes, step=3)
    x = x[(np.abs(x) > 1e-10) & (np.abs(x) < 1e5)]
    methods = [m for m in methods_of(d) if m in ("logpdf", "cdf", "logsf")]
    ones, others = np.ones(x.shape), [np.full(x.shape, s) for s in shapes]

    def values(x: Any, v: Any) -> list[Any]:
        return [called(name, m, x, *others[: k - 1], v, *others[k:]) for m in methods]

    def by_point(x: Any, v: Any) -> list[Any]:
        return ad.jvp(lambda x: values(x, v), (x,), (ones,))[1]

    def by_shape(x: Any, v: Any) -> list[Any]:
        return ad.jvp(lambda v: values(x, v), (v,), (ones,))[1]

    def both(x: Any, v: Any) -> tuple[Any, ...]:
        one = ad.jvp(lambda v: by_point(x, v), (v,), (ones,))[1]
        other = ad.jvp(lambda x: by_shape(x, v), (x,), (ones,))[1]
        return ad.jvp(lambda x: values(x, v), (x,), (ones,))[1], one, other

    slopes, *found = ad.jit(both)(x, others[k - 1])
    wrong: list[Any] = []
    for j, method in enumerate(methods):
        for i, at in enumerate(x):
            exact = in_time(lambda m=method, at=at: mixed_derivative(d, m, float(at), shapes, k))
            if exact is None or not LEAST < abs(exact) < LARGEST:
                continue
            slack = 1e-10 * abs(slopes[j][i]) / (abs(shapes[k - 1]) or 1)
            for order in found:
                if not abs(order[j][i] - exact) <= 1e-7 * abs(exact) + slack:
                    wrong.append((method, float(at), float(order[j][i]), mp.nstr(exact, 15)))
    assert not wrong, wrong


@pytest.mark.parametrize("case", [(-1e300, 0.5), (-1e160, 2.7), (-1e300, 40.0)], ids=str)
def test_far_tails_of_t_by_freedom(case: tuple[float, float]) -> None:
    x, df = case

    def slope(df: Any) -> Any:
        return ad.jvp(lambda df: stats.t.logcdf(x, df), (df,), (1.0,))[1]

    first, second = ad.jit(lambda df: ad.jvp(slope, (df,), (1.0,)))(df)
    for got, order in ((first, 1), (second, 2)):
        assert is_right(float(got), derivative(EXACT["t"], "logcdf", x, (df,), 1, order), 0.0)
