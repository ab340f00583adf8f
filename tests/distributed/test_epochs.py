"""Mini-batches: every row once in an epoch, in an order that the key decides."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad

da = pytest.importorskip("dask.array")

X = da.from_array(np.arange(103.0), chunks=((20, 0, 1, 40, 42),))
Y = da.from_array(-np.arange(103.0)[:, None], chunks=((20, 0, 1, 40, 42), -1))


def test_every_row_comes_once_in_an_epoch() -> None:
    batches = list(ad.distributed.epochs(X, Y, rows=10, key=3, count=2))
    assert [len(x) for x, _ in batches] == ([10] * 10 + [3]) * 2
    assert all(np.array_equal(x, -y[:, 0]) for x, y in batches)
    for epoch in (batches[:11], batches[11:]):
        rows = np.concatenate([x for x, _ in epoch])
        assert sorted(rows) == list(range(103))
        assert list(rows) != list(range(103))
    assert not np.array_equal(batches[0][0], batches[11][0])


def test_a_key_decides_the_order() -> None:
    def order(key: object) -> list[float]:
        return [row for x, _ in ad.distributed.epochs(X, Y, rows=7, key=key) for row in x]

    assert order(ad.random.key(1)) == order(ad.random.key(1)) != order(ad.random.key(2))


def test_refused() -> None:
    with pytest.raises(ad.ArgumentError, match="takes arrays of Dask"):
        ad.distributed.epochs(np.ones(3), rows=2, key=0)
    with pytest.raises(ad.ShapeError, match="rechunk"):
        ad.distributed.epochs(X, Y.rechunk({0: 50}), rows=2, key=0)
