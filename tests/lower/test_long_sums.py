"""Long sums of 32-bit floats keep their digits, wherever a sum is made: compared with sums in 64 bits.

Equal numbers are the hardest: the error of each addition has the same sign for long stretches.
"""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad

N = 1_000_000
UNIT = float(np.finfo(np.float32).eps)
BOUND = 24 * UNIT
"""Pairwise summation errs by log2(N) = 20 units at most; blocks that are read unevenly by a few more."""

KINDS = {"equal": np.full(N, 0.1, np.float32), "random": np.random.default_rng(0).random(N, np.float32)}
PLACES = np.arange(N) % 7


def wide(x):
    return x.astype(np.float64)


def counted(x):
    return np.bincount(PLACES, wide(x), 7)


zeros = np.zeros(7, np.float32)

SUMS = {
    "sum": (np.sum, lambda x: wide(x).sum()),
    "mean": (np.mean, lambda x: wide(x).mean()),
    "of squares": (lambda x: np.sum(x * x), lambda x: (wide(x) ** 2).sum()),
    "dot": (lambda x: x @ x, lambda x: wide(x) @ wide(x)),
    "of rows": (lambda x: np.sum(x.reshape(-1, 1000), 0), lambda x: wide(x).reshape(-1, 1000).sum(0)),
    "of short rows": (lambda x: np.sum(x.reshape(-1, 10), 0), lambda x: wide(x).reshape(-1, 10).sum(0)),
    "of columns": (lambda x: np.sum(x.reshape(10, -1), 1), lambda x: wide(x).reshape(10, -1).sum(1)),
    "of every other column": (
        lambda x: np.sum(x.reshape(-1, 10)[:, ::2], 0),
        lambda x: wide(x).reshape(-1, 10)[:, ::2].sum(0),
    ),
    "matrix and vector": (
        lambda x: np.ones(1000, np.float32) @ x.reshape(1000, 1000),
        lambda x: wide(x).reshape(1000, 1000).sum(0),
    ),
    "cumulative": (np.cumsum, lambda x: np.cumsum(wide(x))),
    "cumulative along rows": (
        lambda x: np.cumsum(x.reshape(10, -1), 1),
        lambda x: np.cumsum(wide(x).reshape(10, -1), 1),
    ),
    "cumulative across rows": (
        lambda x: np.cumsum(x.reshape(-1, 10), 0),
        lambda x: np.cumsum(wide(x).reshape(-1, 10), 0),
    ),
    "gradient of a cumulative sum": (
        lambda x: ad.grad(lambda v: np.sum(np.cumsum(v) * x))(x),
        lambda x: np.cumsum(wide(x)[::-1])[::-1],
    ),
    "scattered": (lambda x: ad.asarray(zeros).at[PLACES].add(x), counted),
    "scattered in order": (
        lambda x: ad.asarray(zeros).at[np.sort(PLACES)].add(x),
        lambda x: np.bincount(np.sort(PLACES), wide(x), 7),
    ),
    "gradient of reads": (
        lambda x: ad.grad(lambda t: np.sum(t[PLACES] * x))(np.ones(7, np.float32)),
        counted,
    ),
    "gradient of a broadcast": (
        lambda x: ad.grad(lambda t: np.sum(t * x.reshape(-1, 10)))(np.ones(10, np.float32)),
        lambda x: wide(x).reshape(-1, 10).sum(0),
    ),
    "log of a sum": (
        lambda x: np.log(np.sum(np.exp(x))),
        lambda x: np.log(np.sum(np.exp(wide(x)))),
    ),
}


def difference(found, right):
    return float(np.max(np.abs(wide(np.asarray(found)) - right) / np.abs(right)))


@pytest.mark.parametrize("name", SUMS)
def test_long_sums_keep_their_digits(name):
    function, right = SUMS[name]
    compiled = ad.jit(function)
    for kind, x in KINDS.items():
        assert difference(compiled(x), right(x)) < BOUND, kind


@pytest.mark.parametrize("name", ["sum", "dot", "of rows", "cumulative", "scattered", "matrix and vector"])
def test_the_interpreter_does_as_well(name):
    function, right = SUMS[name]
    x = KINDS["equal"]
    assert difference(ad.jit(function, interpret=True)(x), right(x)) < BOUND


def test_long_products_keep_their_digits():
    x = (1 + (KINDS["random"] - np.float32(0.5)) * np.float32(1e-3)).astype(np.float32)
    for interpret in (False, True):
        found = ad.jit(np.cumprod, interpret=interpret)(x)
        assert difference(found, np.cumprod(wide(x))) < BOUND


@pytest.mark.parametrize("n", [1, 15, 16, 17, 31, 32, 33, 255, 256, 257, 1023, 1025, 8191, 8193, 40000])
def test_blocks_of_all_lengths(n):
    """Whole numbers, whose sums are exact: nothing is added twice or left out; zeros keep their sign."""
    x = np.random.default_rng(n).integers(-3, 4, n).astype(np.float32)
    places = np.arange(n) % 3

    def sums(x):
        base = ad.asarray(np.array([1.0, -0.0, 2.0, -0.0], np.float32))
        rows = np.stack([x, 2 * x])
        return np.sum(x), np.cumsum(x), np.cumsum(rows.T, 0), np.sum(rows.T, 0), base.at[places].add(x)

    total, prefixes, both, pair, scattered = ad.jit(sums)(x)
    assert total == x.sum()
    np.testing.assert_array_equal(prefixes, np.cumsum(x))
    np.testing.assert_array_equal(both, np.cumsum(np.stack([x, 2 * x]).T, 0))
    np.testing.assert_array_equal(pair, [x.sum(), 2 * x.sum()])
    right = np.array([1.0, 0.0, 2.0, 0.0])
    np.add.at(right, places, x)
    np.testing.assert_array_equal(scattered, right)
    assert np.signbit(scattered[3])


@pytest.mark.parametrize("rows", [255, 256, 300, 1000])
def test_rows_summed_in_memory(rows):
    x = np.random.default_rng(rows).integers(-3, 4, (rows, 4000)).astype(np.float32)
    np.testing.assert_array_equal(ad.jit(lambda x: np.sum(x, 0))(x), x.sum(0))
    infinite = x.copy()
    infinite[rows // 2, 7], infinite[rows - 1, 9] = np.inf, np.nan
    found = ad.jit(lambda x: np.sum(x, 0))(infinite)
    assert found[7] == np.inf and np.isnan(found[9]) and np.isfinite(np.delete(found, [7, 9])).all()
