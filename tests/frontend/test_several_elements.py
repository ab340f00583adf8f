"""Gradients and Hessians of functions of several elements, at degenerate points, against mpmath.

Elements are of very different sizes, at the ends of the range, nearly equal, or 0. References are difference
quotients of hundreds of digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mp
from scipy import special

import mlirad as ad

INF = math.inf


@dataclass
class Function:
    """A function of a vector, the same of a list of mpmath's numbers, and points."""

    name: str
    call: Callable[[Any], Any]
    exact: Callable[[Sequence[Any]], Any]
    points: Sequence[Sequence[float]]

    def __str__(self) -> str:
        return self.name


def exact_sum(x: Sequence[Any], b: Sequence[Any] | None = None) -> Any:
    return mp.log(mp.fsum(w * mp.exp(v) for v, w in zip(x, b or [1] * len(x), strict=True)))


def softmax(k: int) -> Callable[[Any], Any]:
    return lambda x: special.softmax(x)[k]


def exact_softmax(k: int) -> Callable[[Sequence[Any]], Any]:
    return lambda x: mp.exp(x[k] - exact_sum(x))


def log_softmax(k: int) -> Callable[[Any], Any]:
    return lambda x: special.log_softmax(x)[k]


def exact_log_softmax(k: int) -> Callable[[Sequence[Any]], Any]:
    return lambda x: x[k] - exact_sum(x)


def exact_norm(order: float) -> Callable[[Sequence[Any]], Any]:
    return lambda x: mp.fsum(abs(v) ** mp.mpf(order) for v in x) ** (1 / mp.mpf(order))


def distances(x: Sequence[Any]) -> list[Any]:
    mean = mp.fsum(x) / len(x)
    return [v - mean for v in x]


def exact_std(x: Sequence[Any], less: int = 0) -> Any:
    return mp.sqrt(mp.fsum(d * d for d in distances(x)) / (len(x) - less))


def exact_correlation(x: Sequence[Any]) -> Any:
    a, b = distances(x[: len(x) // 2]), distances(x[len(x) // 2 :])
    moment = mp.fsum(p * q for p, q in zip(a, b, strict=True))
    return moment / mp.sqrt(mp.fsum(p * p for p in a) * mp.fsum(q * q for q in b))


EXPONENTS = (
    [0.0, 1.0, 2.0], [50.0, 0.0, 0.0], [0.0, 60.0, -60.0], [1000.0, 0.0, -1000.0], [1e5, 1e5, 1e5],
    [-800.0, 0.0, 3.0], [30.0, 31.0, -30.0], [88.0, 89.0, 90.0], [0.0, -40.0],
)  # fmt: skip
FACTORS = (
    [1.0, 2.0, 3.0],
    [1.0, 0.0, 1.0],
    [0.0, 0.0, 2.0],
    [2.0, -1.0, 0.5],
    [1e-30, 1.0, 1.0],
    [1.0, 1e-20, 1e-25],
)
LENGTHS = (
    [3.0, 1.0, -4.0], [1e-8, 1.0], [1e-20, 1.0, 1e-25], [1e-170, 2e-170, 5e-170], [1e160, -2e160, 1e155],
    [1e-300, 3e-300], [0.0, 2.0], [1e300, 2.0], [1e-30, -1e-30, 2e-30],
)  # fmt: skip
SPREADS = (
    [1.0, 2.0, 4.0], [1e6, 1e6 + 1, 1e6 + 3], [1e15, 1e15 + 1, 1e15 + 3], [1e-20, 2e-20, 4e-20],
    [1e-170, 2e-170, 5e-170], [1e160, 2e160, -1e160],
)  # fmt: skip
PAIRS = (
    [1.0, 2.0, 4.0, 2.0, 5.0, 3.0], [1e6, 1e6 + 1, 1e6 + 4, 2.0, 5.0, 3.0], 
    [1e-100, 2e-100, 4e-100, 2.0, 5.0, 3.0],
    [1.0, 2.0, 3.0, 2.0, 4.0, 6.0], [1e-140, 2e-140, 4e-140, 2e160, 5e160, 3e160],
)  # fmt: skip

FUNCTIONS = [
    Function("logsumexp", lambda x: special.logsumexp(x), exact_sum, EXPONENTS),
    Function("logaddexp.reduce", lambda x: np.logaddexp.reduce(x), exact_sum, EXPONENTS),
    Function(
        "logsumexp by both", lambda x: special.logsumexp(x[:3], b=x[3:]), lambda x: exact_sum(x[:3], x[3:]),
        [[3.0, 1.0, 2.0, *b] for b in FACTORS],
    ),
    *(Function(f"softmax[{k}]", softmax(k), exact_softmax(k), EXPONENTS) for k in (0, 1)),
    *(Function(f"log_softmax[{k}]", log_softmax(k), exact_log_softmax(k), EXPONENTS) for k in (0, 1)),
    *(
        Function(
            f"norm of order {p}", lambda x, p=p: np.linalg.norm(x, p), exact_norm(p),
            [x for x in LENGTHS if (p in (2, 4) or 0.0 not in x) and (p > 0 or 1e-25 not in x)],
        )
        for p in (2, 3, 1.5, 4, -1)
    ),
    Function("hypot.reduce", lambda x: np.hypot.reduce(x), exact_norm(2), LENGTHS),
    Function(
        "norm of complex", lambda x: np.linalg.norm(x[:1] + 1j * x[1:]), exact_norm(2),
        [x for x in LENGTHS if len(x) == 2],
    ),
    Function("std", lambda x: np.std(x), exact_std, SPREADS),
    Function("std, ddof=1", lambda x: np.std(x, ddof=1), lambda x: exact_std(x, 1), SPREADS),
    Function(
        "std of some", lambda x: np.std(np.append(x, np.nan), where=np.arange(x.size + 1) < x.size),
        exact_std, SPREADS,
    ),
    Function("nanstd", lambda x: np.nanstd(np.append(x, np.nan)), exact_std, SPREADS),
    Function("corrcoef", lambda x: np.corrcoef(np.reshape(x, (2, -1)))[0, 1], exact_correlation, PAIRS),
]  # fmt: skip


DIGITS, STEP, NOISE = 1600, mp.mpf(10) ** -300, mp.mpf(10) ** -500


def derivatives(f: Callable[[Sequence[Any]], Any], point: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and Hessian."""
    with mp.workdps(DIGITS):
        x = [mp.mpf(v) for v in point]
        least = min(abs(v) for v in x if v)
        h = [STEP * (abs(v) or least) for v in x]

        def at(*moves: tuple[int, int]) -> Any:
            moved = list(x)
            for k, sign in moves:
                moved[k] += sign * h[k]
            return f(moved)

        n, middle = len(x), f(x)
        up, down = [at((k, 1)) for k in range(n)], [at((k, -1)) for k in range(n)]
        hessian = np.zeros((n, n), object)
        for i in range(n):
            hessian[i, i] = (up[i] - 2 * middle + down[i]) / h[i] ** 2
            for k in range(i):
                mixed = at((i, 1), (k, 1)) - at((i, 1), (k, -1)) - at((i, -1), (k, 1)) + at((i, -1), (k, -1))
                hessian[i, k] = hessian[k, i] = mixed / (4 * h[i] * h[k])
        return np.array([(a - b) / (2 * s) for a, b, s in zip(up, down, h, strict=True)], object), hessian


def assert_right(got: Any, exact: np.ndarray, dtype: Any, natural: float) -> None:
    """Each element to the tolerance; of one that is 0, what rounding leaves of terms of size `natural`."""
    info, tolerance = np.finfo(dtype), 1e-9 if dtype is np.float64 else 1e-3
    largest = max(abs(v) for v in exact.flat)
    for g, v in zip(np.asarray(got, float).flat, exact.flat, strict=True):
        if abs(v) <= max(largest * NOISE, natural * NOISE, float(info.tiny)):
            assert abs(g) <= max(
                float(largest) * tolerance, 16 * float(info.tiny), 8 * float(info.eps) * natural
            ), (g, v)
        elif abs(v) < float(info.max):
            assert abs(g - v) <= tolerance * abs(v), (g, mpmath.nstr(v, 17))


@pytest.mark.filterwarnings("ignore:.*made again on every call")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", FUNCTIONS, ids=str)
def test_derivatives_of_orders_one_and_two(name: Function, dtype: Any) -> None:
    f, info = name.call, np.finfo(dtype)
    by_x = ad.jit(lambda x: (ad.grad(f)(x), ad.jacfwd(f)(x), ad.jacfwd(ad.grad(f))(x)))
    for point in name.points:
        with np.errstate(over="ignore"):
            x = np.array(point, dtype)
        in_range = np.isfinite(x) & ((np.abs(x) >= info.tiny) | (np.array(point) == 0))
        if not in_range.all() or ("std" in name.name and np.ptp(x) == 0):
            continue
        gradient, hessian = derivatives(name.exact, [float(v) for v in x])
        reverse, forward, second = by_x(x)
        size = 1 / float(np.abs(x[x != 0]).min())
        assert_right(reverse, gradient, dtype, size)
        assert_right(forward, gradient, dtype, size)
        assert_right(second, hessian, dtype, size * size)


@pytest.mark.parametrize("ufunc", [np.logaddexp, np.hypot])
def test_reductions_by_ufuncs_are_those_of_numpy(ufunc: np.ufunc) -> None:
    x = np.random.default_rng(0).normal(size=(3, 4, 5))
    mask = x[0] > 0
    for options in ({}, {"axis": 1}, {"axis": (0, 2), "keepdims": True}, {"axis": None}, {"initial": 2.0}):
        got = ad.jit(lambda x, o=options: ufunc.reduce(x, **o))(x)
        np.testing.assert_allclose(got, ufunc.reduce(x, **options), rtol=1e-13)
    got = ad.jit(lambda x, m: ufunc.reduce(x, axis=0, where=m, initial=0.5))(x, mask)
    np.testing.assert_allclose(got, ufunc.reduce(x, axis=0, where=mask, initial=0.5), rtol=1e-13)


def test_values_near_0_keep_their_digits() -> None:
    x = np.array([0.0, -50.0, -60.0])
    got = ad.jit(lambda x: (special.logsumexp(x), special.log_softmax(x)[0], np.logaddexp.reduce(x)))(x)
    np.testing.assert_allclose(got, [np.exp(-50.0) + np.exp(-60.0)] * np.array([1, -1, 1]), rtol=1e-13)
    weighted = ad.jit(lambda x, b: special.logsumexp(x, b=b))
    np.testing.assert_allclose(weighted(x, np.array([1.0, -3.0, 0.0])), -3 * np.exp(-50.0), rtol=1e-13)
    assert weighted(np.array([0.0, np.inf, np.nan]), np.array([2.0, 0.0, 0.0])) == np.log(2)


def test_norms_where_squares_are_out_of_range() -> None:
    for x in LENGTHS:
        for f in (np.linalg.norm, lambda x: np.linalg.norm(x, 3)):
            order = 2 if f is np.linalg.norm else 3
            with mp.workdps(50):
                exact = float(exact_norm(order)([mp.mpf(v) for v in x]))
            np.testing.assert_allclose(ad.jit(lambda x, f=f: f(x))(np.array(x)), exact, rtol=1e-14)
    assert ad.jit(lambda x: np.std(x))(np.full(7, 0.1)) == 0
    rows = np.array([[3e-200, 4e-200], [0.0, 0.0], [3.0, 4.0], [3e200, 4e200], [np.inf, 1.0], [np.nan, 1.0]])
    lengths = ad.jit(lambda x: np.linalg.norm(x, axis=1))(rows)
    np.testing.assert_allclose(lengths, [5e-200, 0, 5, 5e200, np.inf, np.nan], rtol=1e-15)
    unit = ad.grad(lambda x: np.sum(np.linalg.norm(x, axis=1)))(rows)
    np.testing.assert_allclose(unit[:5], [[0.6, 0.8], [0, 0], [0.6, 0.8], [0.6, 0.8], [1, 0]], rtol=1e-15)
