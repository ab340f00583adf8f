"""Values of all methods of all distributions against mpmath, over their whole ranges, to 1e-12."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

import mlirad as ad
from tests.distributions.exact import EXACT
from tests.distributions.exact_discrete import DISCRETE
from tests.distributions.points import points, support
from tests.distributions.references import called, in_time, methods_of, value

TOLERANCE = 1e-12
LEAST, LARGEST = 2.3e-308, 1.79e308

ALL = EXACT | DISCRETE
CASES = [(name, shapes) for name, d in ALL.items() for shapes in d.shapes]
SHARES = np.array([1e-100, 1e-12, 1e-3, 0.2, 0.5, 0.9, 1 - 1e-9, 1 - 2.0**-50])


def is_right(got: float, exact: Any, beside: Any) -> bool:
    """Return whether a value is right to the tolerance, or as close as the values at the next numbers."""
    if abs(exact) > LARGEST:
        return abs(got) > 1e307 and (got > 0) == (exact > 0)
    if abs(exact) < LEAST:
        return abs(got) < 16 * LEAST
    error = abs(got - exact)
    return error <= TOLERANCE * abs(exact) or (beside is not None and error <= 4 * abs(beside - exact))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_over_whole_ranges(case: tuple[str, tuple[float, ...]]) -> None:
    name, shapes = case
    d, x = ALL[name], points(ALL[name], shapes)
    every = ad.jit(lambda x, *s: [called(name, m, x, *s) for m in methods_of(d)])
    wrong: list[Any] = []
    for method, found in zip(methods_of(d), every(x, *shapes), strict=True):
        for at, got in zip(x, found, strict=True):
            exact = in_time(lambda m=method, at=at: value(d, m, float(at), shapes))
            if exact is None:
                continue
            if not is_right(float(got), exact, None):
                beside = [
                    in_time(lambda m=method, at=at, to=to: value(d, m, float(np.nextafter(at, to)), shapes))
                    for to in (-np.inf, np.inf)
                ]
                if not any(is_right(float(got), exact, b) for b in beside):
                    wrong.append((method, float(at), float(got), mp.nstr(exact, 17)))
    assert not wrong, wrong


QUANTILES = [(name, shapes) for name, d in EXACT.items() for shapes in d.shapes if d.cdf is not None]


@pytest.mark.parametrize("case", QUANTILES, ids=str)
def test_quantiles_have_their_shares(case: tuple[str, tuple[float, ...]]) -> None:
    name, shapes = case
    d = EXACT[name]
    ends = support(d, shapes)

    def below(x: mpf) -> Any:
        """The share below a number, which may be outside of the support."""
        return mpf(x >= ends[1]) if not ends[0] < x < ends[1] else d.cdf(x, *map(mpf, shapes))

    wrong: list[Any] = []
    for method in ("ppf", "isf"):
        try:
            found = ad.jit(lambda q, *s, m=method: called(name, m, q, *s))(SHARES, *shapes)
        except ad.UnsupportedError:
            continue
        for share, x in zip(SHARES, np.asarray(found), strict=True):
            # the shares of the numbers beside the quantile are on both sides of its own, or of one that
            # rounding of the smaller side's share cannot tell from it
            spread = max(abs(x) * 4e-13, 1e-300)
            low, high = sorted((mpf(float(x)) - mpf(spread), mpf(float(x)) + mpf(spread)))
            with mp.workdps(150):
                shares = [in_time(lambda at=at: below(at)) for at in (low, high)]
                if None in shares or not np.isfinite(x):
                    continue
                target = mpf(float(share)) if method == "ppf" else 1 - mpf(float(share))
                rounding = np.finfo(float).eps * min(target, 1 - target)
                if not shares[0] - rounding <= target <= shares[1] + rounding:
                    wrong.append((method, float(share), float(x)))
    assert not wrong, wrong


FAR: dict[str, tuple[float, ...]] = {
    "chi": (1.0,), "nakagami": (0.7,), "gengamma": (0.5, 10.0), "halfgennorm": (3.5,), "gennorm": (20.0,),
    "maxwell": (), "loggamma": (0.01,), "moyal": (), "exponweib": (0.2, 2.0), "t": (0.9,),
    "jf_skew_t": (0.7, 1.5), "burr": (5.0, 0.02), "burr12": (5.0, 0.2), "mielke": (0.01, 5.0),
    "kappa3": (20.0,), "fisk": (20.0,), "weibull_min": (20.0,), "dweibull": (20.0,), "exponpow": (20.0,),
    "powerlaw": (30.0,), "loglaplace": (30.0,), "rayleigh": (), "ncx2": (8.0, 0.5),
    "ncf": (8.0, 5.0, 0.5), "f": (8.0, 3.0), "betaprime": (4.0, 2.0), "beta": (4.0, 2.0),
}  # fmt: skip
"""Distributions whose quantiles are powers, or logarithms, of numbers that vanish by themselves."""


@pytest.mark.parametrize("name", FAR)
def test_quantiles_of_tiny_shares_have_them(name: str) -> None:
    """The logarithm of the share below a point is right, which another test compares to mpmath."""
    shapes, shares = FAR[name], np.array([1e-300, 1e-250, 1e-160, 1e-30, 1e-4])

    def found(q: Any) -> tuple[Any, Any]:
        x = called(name, "ppf", q, *shapes)
        return x, called(name, "logcdf", x, *shapes)

    points, logs = ad.jit(found)(shares)
    seen = (abs(points) > LEAST) & (abs(points) < LARGEST)
    np.testing.assert_allclose(logs[seen], np.log(shares[seen]), rtol=1e-11)
    ends = np.array([LEAST, -LARGEST]) if name not in ("loggamma", "moyal") else np.zeros(2)
    beyond = ad.jit(lambda x: called(name, "logcdf", x, *shapes))(ends)
    hidden = np.log(shares) < np.max(beyond[ends > support(EXACT[name], shapes)[0]], initial=-np.inf)
    assert np.all(seen | hidden), points


NUMBERS = [(name, shapes) for name, d in DISCRETE.items() for shapes in d.shapes if d.cdf is not None]


@pytest.mark.parametrize("case", NUMBERS, ids=str)
def test_quantiles_of_numbers_are_the_least_with_their_shares(case: tuple[str, tuple[float, ...]]) -> None:
    """Or they are 2^53, above which floats are no longer all integers."""
    name, shapes = case
    shares = np.array([1e-9, 0.2, 0.5, 0.9])

    def sides(q: Any, *s: Any) -> list[Any]:
        k, j = called(name, "ppf", q, *s), called(name, "isf", q, *s)
        return (
            [called(name, "cdf", k - i, *s) for i in (0, 1)]
            + [called(name, "sf", j - i, *s) for i in (0, 1)]
            + [np.greater_equal(k, 2.0**53), np.greater_equal(j, 2.0**53)]
        )

    reached, missed, rest, more, last, last_rest = ad.jit(sides, interpret=True)(shares, *shapes)
    near = 1e-12 * shares
    assert np.all(((reached >= shares - near) | last) & (missed < shares + near))
    assert np.all(((rest <= shares + near) | last_rest) & (more > shares - near))


@pytest.mark.parametrize("name", ALL)
def test_means_and_variances(name: str) -> None:
    d = ALL[name]
    for shapes in d.shapes:
        for method, exact in (("mean", d.mean), ("var", d.var)):
            if exact is None:
                continue
            own = lambda *s, m=method: called(name, m, *s)  # noqa: E731
            got = ad.jit(lambda z, *s, own=own: own(*s) + z)(0.0, *shapes) if shapes else own()
            with mp.workdps(40):
                np.testing.assert_allclose(got, float(exact(*map(mpf, shapes))), rtol=1e-12, atol=1e-15)
