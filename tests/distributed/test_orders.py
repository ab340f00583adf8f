"""Cumulative sums, quantiles and sorted elements along the rows: on chunks as on one machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.distributed.combinations import combined_before
from mlirad.distributed.local import run
from mlirad.distributed.plan import PIVOTS
from mlirad.distributed.ranks import RankSearch
from mlirad.frontend.tracing.pytree import flatten
from tests.distributed.programs import Case
from tests.distributed.witness import CHUNKS, interpreted, planned, worst_error

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(300, 3))

VALUES = {
    "distinct": ROWS,
    "ties": np.round(ROWS),
    "NaN": np.where(ROWS > 1.5, np.nan, ROWS),
    "infinities": np.where(np.abs(ROWS) > 1.5, np.inf * ROWS, ROWS),
    "integers": (10 * ROWS).astype(int),
    "short": ROWS.astype(np.float32),
    "a column": ROWS[:, 0],
}

CUMULATIVE = {
    "sum": lambda x: np.cumsum(x, axis=0),
    "flat sum": lambda x: np.cumsum(x),
    "product": lambda x: np.cumprod(np.sign(x) * (1 + x / 100), axis=0),
    "maximum": lambda x: np.maximum.accumulate(x, axis=0),
    "minimum": lambda x: np.minimum.accumulate(x, axis=0),
}

SELECTED = {
    "median": lambda x: np.median(x, axis=0),
    "flat median": lambda x: np.median(x),
    "quantiles": lambda x: np.quantile(x, [0.0, 0.3, 0.99, 1.0], axis=0),
    "percentile": lambda x: np.percentile(x, 17, axis=0),
    "nanmedian": lambda x: np.nanmedian(x, axis=0),
    "nanquantile": lambda x: np.nanquantile(x, 0.2, axis=0),
    "least": lambda x: np.sort(x, axis=0)[:5],
    "largest": lambda x: np.sort(x, axis=0)[-1],
    "in the middle": lambda x: np.sort(x, axis=0)[x.shape[0] // 4 : x.shape[0] // 4 + 2],
    "partition": lambda x: np.partition(x, 4, axis=0)[4],
    "rows": lambda x: np.argsort(x, axis=0)[np.array([0, 5, 150, 299, 5])],
}


def found(case: Case, chunks: tuple[int, ...]) -> list[Any]:
    return run(planned(case, "cost").plan, case.leaves, chunks, interpreted)


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("name", CUMULATIVE)
def test_cumulative(name: str, values: str) -> None:
    case = Case(ad.jit(CUMULATIVE[name]), (VALUES[values],), (0,))
    assert planned(case, "cost").plan.rounds == 2
    (expected,) = flatten(case.function(*case.args))[0]
    tolerance = 1e-5 if values == "short" else 1e-13
    for chunks in (CHUNKS, (1,) * 300):
        (made,) = found(case, chunks)
        assert made.dtype == expected.dtype
        np.testing.assert_allclose(made, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", [*CUMULATIVE, *SELECTED])
def test_arrays_of_dask(name: str) -> None:
    """The engines run what the executor of these tests does: every program of a plan is compiled."""
    array = pytest.importorskip("dask.array")
    function = {**CUMULATIVE, **SELECTED}[name]
    made = ad.jit(function)(array.from_array(ROWS, chunks=(CHUNKS, -1)))
    np.testing.assert_allclose(np.asarray(made), function(ROWS), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("is_after", [False, True])
def test_a_product_stays_zero_and_a_zero_keeps_its_sign(is_after: bool) -> None:
    x = np.full(300, 1e200)
    x[-1 if is_after else 0] = 0.0
    case = Case(ad.jit(lambda x: np.cumprod(x)), (x,), (0,))
    expected = np.cumprod(x)
    np.testing.assert_array_equal(found(case, (2, 298))[0], expected)
    case = Case(ad.jit(lambda x: np.cumsum(x)), (np.full(300, -0.0),), (0,))
    assert np.all(np.signbit(found(case, CHUNKS)[0][: CHUNKS[0]]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32])
@pytest.mark.parametrize("kind", ["sum", "prod", "max", "min"])
def test_entries_before_and_after_a_chunk(kind: str, dtype: Any) -> None:
    entries = np.array([[3, -1], [2, 5], [-4, 2], [1, 1]], dtype)
    whole = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}[kind]
    for k in range(4):
        for is_after, rest in ((False, entries[:k]), (True, entries[k + 1 :])):
            made = combined_before(entries, k, kind, is_after=is_after)
            assert made.shape == (1, 2)
            assert made.dtype == dtype
            with_one = np.concatenate([made, entries[k : k + 1]])
            np.testing.assert_array_equal(
                whole(with_one, axis=0), whole(np.concatenate([rest, entries[k : k + 1]]), axis=0)
            )


def test_derivatives_of_cumulative_sums() -> None:
    def total(w: Any, x: Any) -> Any:
        y = np.cumsum(np.tanh(x * w) - np.mean(x), axis=0)
        return np.sum(np.tanh(np.cumsum(y, axis=0) / 50) * y[::1]) + np.sum(np.cumsum(y)[-1])

    w = np.ones(3)
    for function in (
        ad.value_and_grad(total, argnums=(0, 1)),
        ad.hessian(total),
        ad.jit(lambda w, x: ad.jvp(lambda x: np.cumsum(np.sin(x * w), axis=0), (x,), (x * x,))),
    ):
        case = Case(function, (w, ROWS), (None, 0))
        for policy in ("cost", "keep", "again"):
            assert worst_error(case, planned(case, policy).plan, CHUNKS) < 1e-13


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("name", SELECTED)
def test_selected(name: str, values: str) -> None:
    case = Case(ad.jit(SELECTED[name]), (VALUES[values],), (0,))
    (expected,) = flatten(case.function(*case.args))[0]
    for chunks in (CHUNKS, (300,)):
        (made,) = found(case, chunks)
        assert np.asarray(made).dtype == np.asarray(expected).dtype
        np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize("values", ["distinct", "ties", "NaN", "a column"])
@pytest.mark.parametrize("name", ["median", "quantiles", "least", "nanmedian"])
@pytest.mark.parametrize("mode", ["forward", "reverse", "second"])
def test_derivatives_of_selected(name: str, values: str, mode: str) -> None:
    select = SELECTED[name]

    def total(w: Any, x: Any) -> Any:
        return np.sum(np.sin(select(np.tanh(x) * w)) * np.cos(w))

    function = {
        "forward": ad.jit(lambda w, x: ad.jvp(total, (w, x), (w, np.cos(x)))),
        "reverse": ad.value_and_grad(total, argnums=(0, 1)),
        "second": ad.hessian(total),
    }[mode]
    x = VALUES[values]
    case = Case(function, (np.array(0.7) if x.ndim == 1 else np.array([0.7, 1.1, 2.0]), x), (None, 0))
    plan = planned(case, "cost").plan
    expected = [np.asarray(v) for v in flatten(case.function(*case.args))[0]]
    for a, b in zip(run(plan, case.leaves, CHUNKS, interpreted), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15)


def test_machine_code_and_groupings_have_the_same_bits() -> None:
    def robust(w: Any, x: Any) -> Any:
        r = x @ w
        spread = np.median(np.abs(r - np.median(r)))
        return np.sum(np.tanh(np.cumsum(r) / 10)) / spread + np.quantile(r, 0.9)

    case = Case(ad.value_and_grad(robust, argnums=(0, 1)), (np.ones(3), ROWS), (None, 0))
    plan = planned(case, "cost").plan
    first = run(plan, case.leaves, CHUNKS)
    for a, b in zip(first, run(plan, case.leaves, CHUNKS, interpreted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
    assert [a.tobytes() for a in run(plan, case.leaves, CHUNKS)] == [a.tobytes() for a in first]


def counted(x: Any, pivots: Any) -> tuple[Any, ...]:
    rows, p = x[:, None], pivots[None]
    low, high = (-np.inf, np.inf) if x.dtype.kind == "f" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
    above = np.where(rows >= p, rows, high).min(axis=0, initial=high)
    below = np.where(rows < p, rows, low).max(axis=0, initial=low)
    return (rows < p).sum(axis=0), above, below, (x == x).sum(axis=0)


def columns(rows: int) -> dict[str, Any]:
    normal, shape = RNG.normal(size=(rows, 2)), (rows, 2)
    with np.errstate(over="ignore"):
        return {
            "normal": normal,
            "short": normal.astype(np.float32),
            "ties": np.round(normal, 1),
            "all magnitudes": np.exp(200 * normal),
            "NaN": np.where(normal > 1, np.nan, normal),
            "infinities": np.where(np.abs(normal) > 1, np.inf * normal, 1e300 * normal),
            "long integers": RNG.integers(-(2**62), 2**62, size=shape),
            "integers": RNG.integers(-(2**31), 2**31 - 1, size=shape).astype(np.int32),
            "one number": np.zeros(shape),
            "subnormal": RNG.random(shape) * 1e-310,
            "narrow": 1e9 + RNG.random(shape),
            "clusters": RNG.choice([1.0, 1.0 + 1e-15, 1e300, -1e-300], size=shape),
        }


@pytest.mark.parametrize("rows", [1, 2, 17, 1000, 30000])
def test_searches_are_exact_and_short(rows: int) -> None:
    for name, x in columns(rows).items():
        ranks = np.sort(RNG.integers(0, rows, size=(4, 2)), axis=0)
        ranks[0], ranks[-1] = 0, rows - 1
        search, rounds = RankSearch(ranks, x.dtype), 0
        while not search.is_done:
            assert search.pivots.shape == (PIVOTS, 2)
            search.take(*counted(x, search.pivots))
            rounds += 1
            assert rounds <= 12, name
        np.testing.assert_array_equal(search.values, np.take_along_axis(np.sort(x, axis=0), ranks, axis=0))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: np.sort(x), "sorting along all rows"),
        (lambda x: np.argsort(x), "sorting along all rows"),
        (lambda x: x[np.argsort(x)], "sorting along all rows"),
        (lambda x: ad.fori_loop(0, 2, lambda k, c: c + np.median(x * c), 1.0), "sorting along all rows"),
        (lambda x: ad.fori_loop(0, 2, lambda k, c: np.cumsum(c), x), "cumulative sum inside of a loop"),
        (lambda x: np.median(np.diff(x)), "not the rows of one chunk"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals(function: Any, message: str) -> None:
    case = Case(ad.jit(function), (np.linspace(0.0, 1.0, 300),), (0,))
    with pytest.raises(ad.SplitError, match=message) as caught:
        planned(case, "cost")
    assert caught.value.location is not None
    assert "test_orders.py" in caught.value.location
