"""Dask arrays among arguments, without a cluster: results, chunks, memory, errors that say what to write."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.distributed.problems import bits, data, logistic, normalised

da = pytest.importorskip("dask.array")

ROWS = 700
CHUNKS = (100, 0, 1, 2, 297, 300)
X, Y, W, P = data(ROWS)


def split(chunks: Any = CHUNKS) -> tuple[Any, Any]:
    return da.from_array(X, chunks=(chunks, -1)), da.from_array(Y, chunks=(chunks,))


def close(found: Any, expected: Any) -> None:
    for one, two in zip(ad.tree.leaves(found), ad.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("function", "at"), [(logistic, W), (normalised, P)])
@pytest.mark.parametrize(
    "chunks", [CHUNKS, (700,), (350, 350), (10, 20, 30, 40, 50, 60, 490)], ids=["odd", "one", "two", "many"]
)
def test_values_and_gradients(function: Any, at: Any, chunks: tuple[int, ...]) -> None:
    found = ad.value_and_grad(function)(at, *split(chunks))
    close(found, ad.value_and_grad(function)(at, X, Y))
    assert all(isinstance(leaf, np.ndarray | np.generic) for leaf in ad.tree.leaves(found))


def test_results_by_rows_stay_split() -> None:
    found = ad.grad(logistic, argnums="x")(W, *split())
    assert found.chunks == (CHUNKS, (4,))
    np.testing.assert_allclose(found.compute(), ad.grad(logistic, argnums="x")(W, X, Y), rtol=1e-12)
    assert bits((found[3:5] + found.sum()).compute()) == bits(found.compute()[3:5] + found.sum().compute())


def test_results_by_rows_after_several_rounds() -> None:
    found = ad.grad(normalised, argnums="x")(P, *split())
    np.testing.assert_allclose(
        found.compute(), ad.grad(normalised, argnums="x")(P, X, Y), rtol=1e-10, atol=1e-14
    )


def test_batches_stay_split() -> None:
    x, _ = split()
    found = ad.vmap(lambda row: np.sum(row * row))(x)
    np.testing.assert_allclose(found.compute(), np.sum(X * X, axis=1), rtol=1e-14)


def test_structures_names_and_dtypes() -> None:
    x, y = (array.astype(np.float32) for array in split())
    w = W.astype(np.float32)
    found = ad.grad(lambda w, batch: logistic(w, batch["x"], batch["y"]))(w, batch={"x": x, "y": y})
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, ad.grad(logistic)(W, X, Y), rtol=1e-4)


def test_static_arguments_and_out() -> None:
    def powers(w: Any, x: Any, n: int) -> Any:
        return np.sum((x @ w) ** n)

    out = np.zeros(4)
    ad.grad(powers, static_argnames="n")(W, split()[0], n=3, out=out)
    np.testing.assert_allclose(out, ad.grad(powers, static_argnames="n")(W, X, n=3), rtol=1e-12)


def test_arrays_of_xarray() -> None:
    xr = pytest.importorskip("xarray")
    x, y = split()
    found = ad.grad(logistic)(W, xr.DataArray(x, dims=("row", "column")), xr.DataArray(y, dims="row"))
    np.testing.assert_allclose(found, ad.grad(logistic)(W, X, Y), rtol=1e-12)


def test_bits_are_those_of_the_chunks() -> None:
    """The scheduler decides who computes, and never a bit."""
    dask = pytest.importorskip("dask")
    found = set()
    for scheduler in ("threads", "synchronous"):
        with dask.config.set(scheduler=scheduler):
            found.add(bits(ad.value_and_grad(normalised)(P, *split((70,) * 10))))
    assert len(found) == 1


def test_chunks_are_dropped_once_used() -> None:
    """Chunks are made when they are used: at most two for each of two threads are there at once."""
    dask = pytest.importorskip("dask")
    alive, most = [0], [0]

    def dropped() -> None:
        alive[0] -= 1

    def made(block_info: Any = None) -> Any:
        rng = np.random.default_rng(block_info[None]["chunk-location"][0])
        chunk = rng.normal(size=block_info[None]["chunk-shape"])
        weakref.finalize(chunk, dropped)
        alive[0] += 1
        most[0] = max(most[0], alive[0])
        return chunk

    x = da.map_blocks(made, chunks=((50,) * 40, (4,)), dtype=float, meta=np.zeros((0, 0)))
    with dask.config.set(scheduler="threads", num_workers=2):
        assert np.isfinite(ad.jit(lambda w, x: np.sum(np.tanh(x @ w)))(W, x))
    assert most[0] <= 4


REFUSED = {
    "rows of NumPy": (
        lambda x, y: (x, Y),
        ad.ShapeError,
        r"write da.from_array\(y, chunks=\{0: x.chunks\[0\]\}\)",
    ),
    "other chunks": (
        lambda x, y: (x, y.rechunk(100)),
        ad.ShapeError,
        r"write y = y.rechunk\(\{0: x.chunks\[0\]\}\)",
    ),
    "chunks of columns": (lambda x, y: (x.rechunk({1: 2}), y), ad.ShapeError, r"x = x.rechunk\(\{1: -1\}\)"),
    "unknown sizes": (lambda x, y: (x[x[:, 0] > 0], y), ad.ArgumentError, "x.compute_chunk_sizes()"),
    "other rows": (lambda x, y: (x, y[:-1]), ad.ShapeError, "700 rows and y 699"),
    "no rows": (lambda x, y: (x[:0], y[:0]), ad.ShapeError, "no rows"),
    "complex numbers": (lambda x, y: (x.astype(complex), y), ad.UnsupportedError, "imaginary parts"),
    "chunks that are not as stated": (
        lambda x, y: (da.map_blocks(lambda b: b[1:], x, chunks=x.chunks, dtype=float), y),
        ad.ShapeError,
        "a chunk of x is",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    change, error, hint = REFUSED[case]
    with pytest.raises(error, match=hint) as caught:
        ad.grad(logistic)(W, *change(*split()))
    assert caught.value.location is not None
    assert __file__.rpartition("/")[2].rpartition(".")[0] in caught.value.location or case == "rows of NumPy"


def test_the_interpreter_is_refused() -> None:
    with pytest.raises(ad.UnsupportedError, match="leave out interpret=True"):
        ad.grad(logistic, interpret=True)(W, *split())


def test_an_error_of_a_chunk_reaches_the_caller() -> None:
    x, y = split()
    broken = da.map_blocks(lambda block: 1 // 0, x, dtype=float, meta=np.zeros((0, 0)))
    with pytest.raises(ZeroDivisionError):
        ad.grad(logistic)(W, broken, y)


def test_reports_of_rounds() -> None:
    assert str(ad.value_and_grad(logistic).split(W, *split())).startswith(
        "logistic in 1 round over the chunks"
    )
    with pytest.raises(ad.ArgumentError, match="nothing is split"):
        ad.value_and_grad(logistic).split(W, X, Y)


def penalised(p: dict[str, Any], x: Any, y: Any) -> Any:
    return logistic(p["w"], x, y) + 0.1 * p["w"] @ p["w"] + (p["c"] - 1.0) ** 2


START = {"w": np.zeros(4), "c": np.array(0.0)}


@pytest.mark.parametrize("method", ["lbfgs", "newton"])
def test_minimisers(method: str) -> None:
    found = ad.minimize(penalised, START, *split(), method=method)
    alone = ad.minimize(penalised, START, X, Y, method=method)
    for name in START:
        np.testing.assert_allclose(found[name], alone[name], rtol=1e-9, atol=1e-12)


def test_roots_and_fixed_points() -> None:
    def score(w: Any, x: Any, y: Any) -> Any:
        return ad.grad(logistic)(w, x, y) + 0.2 * w

    def moved(w: Any, x: Any, y: Any) -> Any:
        return w - score(w, x, y)

    least = ad.minimize(penalised, START, X, Y)["w"]
    np.testing.assert_allclose(ad.root(score, np.zeros(4), *split()), least, atol=1e-9)
    np.testing.assert_allclose(ad.fixed_point(moved, np.zeros(4), *split()), least, atol=1e-8)


def test_solutions_of_single_precision_with_full_output() -> None:
    x, y = (array.astype(np.float32) for array in split())
    found = ad.minimize(logistic, np.zeros(4, np.float32), x, y, full_output=True)
    assert found.converged
    assert found.x.dtype == np.float32
    np.testing.assert_allclose(found.x, ad.minimize(logistic, np.zeros(4), X, Y), atol=1e-3)


def test_solvers_of_the_user() -> None:
    """A solver gets the function of the unknowns alone, with its derivatives."""

    def descent(f: Any, w: Any) -> Any:
        return ad.fori_loop(0, 40, lambda _, w: w - ad.grad(f)(w), w)

    found = ad.minimize(logistic, np.zeros(4), *split(), solver=descent)
    w = np.zeros(4)
    for _ in range(40):
        w = w - ad.grad(logistic)(w, X, Y)
    np.testing.assert_allclose(found, w, rtol=1e-10)


def test_an_evaluation_is_a_round_and_values_come_with_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    from mlirad.distributed.engines.dask_graph import GraphEngine

    def no_client() -> None:
        raise ValueError

    monkeypatch.setattr(pytest.importorskip("distributed"), "get_client", no_client)
    rounds: list[int] = []
    run = GraphEngine.run
    monkeypatch.setattr(GraphEngine, "run", lambda self, *given: rounds.append(given[0]) or run(self, *given))
    found = ad.minimize(penalised, START, *split(), full_output=True)
    assert rounds == [0] * len(rounds)
    assert int(found.steps) <= len(rounds) <= 3 * int(found.steps) + 3


SOLVED_WRONGLY = {
    "rows": (lambda w, x: x @ w, ad.UnsupportedError, "sum over the rows"),
    "sorting": (lambda w, x: np.sum(np.sort(x @ w) ** 3) * w, ad.SplitError, "sorting along all rows"),
    "other unknowns": (lambda w, x: np.sum(x @ w), ad.ShapeError, r"\[4\] is needed"),
}


@pytest.mark.parametrize("case", SOLVED_WRONGLY)
def test_solvers_refuse(case: str) -> None:
    function, error, text = SOLVED_WRONGLY[case]
    with pytest.raises(error, match=text):
        ad.root(function, np.zeros(4), split()[0])


def test_sparse_derivatives_are_of_chunks() -> None:
    """Those that somebody makes by hand are the blocks of rows that a call makes (`test_row_blocks.py`)."""
    dask = pytest.importorskip("dask")
    jacobian = ad.jacobian(lambda w, x: np.tanh(x * w), sparse=True)
    x = split()[0].rechunk((350, -1))
    by_hand = dask.compute(*[dask.delayed(jacobian)(W, block) for block in x.to_delayed().ravel()])
    for block, own in zip(dask.compute(*jacobian(W, x).blocks), by_hand, strict=True):
        assert (block != own).nnz == 0


def test_what_needs_several_chunks_is_an_error_with_its_line() -> None:
    with pytest.raises(ad.SplitError, match="hint") as caught:
        ad.grad(lambda w, x: np.sum(np.sort(x @ w) ** 3))(W, split()[0])
    assert caught.value.location is not None
    assert "test_dask_arrays.py" in caught.value.location
