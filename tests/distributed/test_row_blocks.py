"""Sparse Jacobians in blocks of rows: those of arrays in memory, and the same bits wherever chunks lie."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import mlirad as ad
from tests.distributed.problems import bits

da = pytest.importorskip("dask.array")

ROWS, CHUNKS = 101, (30, 0, 40, 31)
RNG = np.random.default_rng(5)
CAMERAS, POINTS, W = RNG.normal(size=(7, 6)), 3 + RNG.normal(size=(40, 3)), RNG.normal(size=4)
OF_CAMERA, OF_POINT = RNG.integers(0, 7, ROWS), RNG.integers(0, 40, ROWS)
SEEN, X = RNG.normal(size=(ROWS, 2)), RNG.normal(size=(ROWS, 4))


def split(x: Any) -> Any:
    return da.from_array(x, chunks=(CHUNKS, *(-1,) * (x.ndim - 1)))


def projected(cameras: Any, points: Any, camera: Any, point: Any, seen: Any) -> Any:
    moved = points[point] * cameras[camera, :3] + cameras[camera, 3:]
    return moved[:, :2] / moved[:, 2:] - seen


def scored(p: Any, x: Any) -> Any:
    return np.tanh(x @ p["w"]) * p["scale"]


PROBLEMS: dict[str, tuple[Callable[..., Any], Any, tuple[Any, ...], tuple[Any, ...]]] = {
    "adjustment": (projected, ("cameras", "points"), (CAMERAS, POINTS), (OF_CAMERA, OF_POINT, SEEN)),
    "by one of two": (projected, 1, (CAMERAS, POINTS), (OF_CAMERA, OF_POINT, SEEN)),
    "of a dictionary": (scored, 0, ({"w": W, "scale": 2.0},), (X,)),
    "dense": (lambda w, x: np.tanh(x @ w), 0, (W,), (X,)),
    "of single precision": (
        lambda w, x: np.sin(x * w)[:, 1:], 0, (W.astype(np.float32),), (X.astype(np.float32),),
    ),
    "that is constant": (lambda w, x: x * 2 + 0 * w[0], 0, (W,), (X,)),
    "of a cube": (lambda w, x: np.stack([x * w, x + w], axis=1), 0, (W,), (X,)),
}  # fmt: skip
"""The functions by name, with argnums, their whole arguments, and those in chunks."""


@pytest.mark.parametrize("name", PROBLEMS)
def test_blocks_are_rows_of_the_whole_matrix(name: str) -> None:
    function, argnums, whole, rows = PROBLEMS[name]
    derivative = ad.jacobian(function, argnums, sparse=True)
    expected = derivative(*whole, *rows)
    found = derivative(*whole, *map(split, rows))
    assert found.shape == expected.shape
    assert found.T.shape == expected.shape[::-1]
    assert found.T.T is found
    assert found.dtype == expected.dtype
    assert len(found.blocks) == 3  # chunks without rows have none
    together = found.to_scipy()
    assert isinstance(together, scipy.sparse.csr_array)
    assert (together != 0).nnz == (expected != 0).nnz
    v, u = RNG.normal(size=expected.shape[1]), RNG.normal(size=expected.shape[0])
    rtol = 1e-12 if found.dtype == np.float64 else 1e-5
    np.testing.assert_allclose(together.toarray(), expected.toarray(), rtol=rtol, atol=rtol)
    product = found @ v
    assert product.chunks[0] == found.rows
    np.testing.assert_allclose(product.compute(), expected @ v, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(
        (found @ np.stack([v, 2 * v], 1)).compute()[:, 1], 2 * (expected @ v), rtol=rtol
    )
    np.testing.assert_allclose(found.T @ u, expected.T @ u, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(
        found.T @ da.from_array(np.stack([u, -u], 1), chunks=(17, 1)),
        expected.T @ np.stack([u, -u], 1),
        rtol=rtol,
        atol=rtol,
    )
    normal = found.normal()
    np.testing.assert_allclose(normal.toarray(), (expected.T @ expected).toarray(), rtol=rtol, atol=rtol)


def test_blocks_on_workers_have_the_bits_of_those_of_threads(client: Any) -> None:
    function, argnums, whole, rows = PROBLEMS["adjustment"]
    derivative = ad.jacobian(function, argnums, sparse=True)
    found = derivative(*whole, *map(split, rows)).persist()
    u = RNG.normal(size=found.shape[0])
    on_workers = found.to_scipy(), found.T @ u, found.normal()
    import dask

    with dask.config.set(scheduler="threads"):
        here = derivative(*whole, *map(split, rows))
        own = here.to_scipy(), here.T @ u, here.normal()
    for one, other in zip(on_workers, own, strict=True):
        values = [v.toarray() if scipy.sparse.issparse(v) else v for v in (one, other)]
        assert bits(values[0]) == bits(values[1])


def test_a_recipe_pickles() -> None:
    recipe = ad.jacobian(projected, "points", sparse=True).recipe
    assert recipe is not None
    assert pickle.loads(pickle.dumps(recipe)) == recipe


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "sums over rows": (lambda w, x: x @ w - np.mean(x @ w), "depend on all rows"),
    "sums from the first row on": (lambda w, x: np.cumsum(x @ w), "depend on all rows"),
    "a whole result": (lambda w, x: np.sum(x @ w), "depend on all rows"),
    "numbers of rows": (lambda w, x: x @ w * x.shape[0], "asks for the number of rows"),
    "two results": (lambda w, x: (x @ w, x * w), "2 results"),
    "rows as columns": (lambda w, x: (x * w).T, "not its first dimension"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_blocks_of_rows_is_refused(name: str) -> None:
    function, message = REFUSED[name]
    with pytest.raises(ad.SplitError, match=message) as caught:
        ad.jacobian(function, sparse=True)(W, split(X))
    assert "ad.linearize" in caught.value.hint
    assert str(caught.value.location).startswith(__file__)


def test_mistakes_are_named() -> None:
    derivative = ad.jacobian(lambda w, x: x * w, sparse=True)
    found = derivative(W, split(X))
    for wrong, text in (
        (lambda: found @ np.ones(3), "has 4 columns, and is multiplied with an array of shape (3,)"),
        (lambda: found.T @ np.ones(3), "has 404 rows, and is multiplied with an array of shape (3,)"),
        (lambda: ad.jacobian(lambda w, x: x * w, 1, sparse=True)(W, split(X)), "a column for every row"),
        (lambda: derivative.structure(W, split(X)), "arrays in memory"),
        (
            lambda: ad.hessian(lambda w, x: np.sum(x * w), sparse=True)(W, split(X)),
            "arrays in memory",
        ),
    ):
        with pytest.raises(ad.MliradError, match=re.escape(text)):
            wrong()
