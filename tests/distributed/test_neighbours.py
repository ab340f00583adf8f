"""Rows beside rows, as `x[1:] - x[:-1]` and sliding windows read them: on chunks as on one machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import signal

import mlirad as ad
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.reductions import COMBINER_ELEMENTS
from mlirad.distributed.combinations import rows_beside
from mlirad.distributed.local import run
from mlirad.errors import SplitError
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.passes.shard_rows import plan_of_module
from tests.distributed.programs import Case
from tests.distributed.witness import CHUNKS, interpreted, planned, worst_error

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(300, 3))
W = RNG.normal(size=3)
SIZES = (CHUNKS, (300,), (150, 150), (1,) * 300, (1, 298, 1), (2, 1, 1, 296))

BY_ROWS: dict[str, Callable[[Any], Any]] = {
    "difference": lambda x: x[1:] - x[:-1],
    "diff": lambda x: np.diff(x, axis=0),
    "second diff": lambda x: np.diff(x, n=2, axis=0),
    "Laplacian": lambda x: x[2:] - 2 * x[1:-1] + x[:-2],
    "far": lambda x: x[17:] * x[:-17],
    "beginning": lambda x: np.sin(x[:-5]),
    "end": lambda x: np.exp(x[5:]),
    "slice of a slice": lambda x: x[3:][:-2][1:] * x[:-6],
    "slice of columns too": lambda x: x[1:, 1:] - x[:-1, :2],
    "gradient": lambda x: np.gradient(x, axis=0),
    "roll": lambda x: np.roll(x, 2, axis=0) * x,
    "roll back": lambda x: np.roll(x, -3, axis=0) + x,
    "flow": lambda x: np.concatenate([x[:1], x[1:] - x[:-1]]),
    "ends kept": lambda x: np.concatenate([x[:2] * 2, x[2:-1] * x[:-3], np.zeros((1, 3))]),
    "padded": lambda x: np.pad(x[1:] * x[:-1], ((1, 0), (0, 0)), constant_values=7.0),
    "padded behind": lambda x: np.pad(x[2:] * x[:-2], ((1, 1), (1, 0))),
    "written": lambda x: np.where(np.arange(x.shape[0] - 1)[:, None] > 3, x[1:], 0.0),
    "windows": lambda x: np.lib.stride_tricks.sliding_window_view(x, 4, axis=0),
    "moving average": lambda x: np.lib.stride_tricks.sliding_window_view(x, 5, axis=0).mean(-1),
    "convolution": lambda x: np.convolve(x[:, 0], np.array([1.0, -2.0, 0.5]), mode="valid"),
    "filter": lambda x: signal.convolve(x, np.ones((3, 1)), mode="valid"),
    "by position": lambda x: ad.vmap(lambda i: x[i + 1] * x[i])(np.arange(299)),
    "differences of sums": lambda x: np.diff(np.cumsum(x, axis=0), axis=0),
    "sums of differences": lambda x: np.cumsum(np.diff(x, axis=0), axis=0),
    "sums from the end": lambda x: np.cumsum(np.diff(x, axis=0)[::1], axis=0)[3:],
    "twice": lambda x: np.tanh(np.diff(np.tanh(np.diff(x, axis=0)), axis=0)),
    "other side": lambda x: (x.T[:, 1:] - x.T[:, :-1]).T,
}

REDUCED: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: np.sum(np.diff(x, axis=0) ** 2),
    "total variation": lambda x: np.sum(np.abs(x[1:] - x[:-1])),
    "mean": lambda x: np.mean(x[1:] * x[:-1], axis=0),
    "deviation": lambda x: np.std(np.diff(x, axis=0), axis=0),
    "product of matrices": lambda x: x[1:].T @ x[:-1],
    "largest": lambda x: np.max(np.diff(x, axis=0), axis=0),
    "least": lambda x: np.min(x[3:] * x[:-3]),
    "place of the largest": lambda x: np.argmax(np.diff(x[:, 0])),
    "all": lambda x: np.all(x[1:] - x[:-1] < 7.0, axis=0),
    "any": lambda x: np.any(x[1:, 0] > 2.0),
    "autocorrelation": lambda x: np.stack([np.sum(x[k:] * x[:-k]) for k in range(1, 5)]),
    "last of the differences": lambda x: np.diff(x, axis=0)[-1],
    "a few": lambda x: np.diff(x, axis=0)[10:13],
    "trapezoids": lambda x: np.trapezoid(x[:, 0] ** 2, x[:, 1]),
    "softmax": lambda x: np.sum(np.exp(np.diff(x[:, 0]) - np.max(np.diff(x[:, 0])))),
}

REFUSED: dict[str, Callable[[Any], Any]] = {
    "every second": lambda x: x[::2],
    "backwards": lambda x: x[::-1][1:],
    "sorted": lambda x: np.median(np.diff(x[:, 0])),
    "more rows": lambda x: np.concatenate([x[1:], x[:-1]]),
    "flat": lambda x: (x[1:] - x[:-1]).reshape(-1),
    "transform": lambda x: np.fft.rfft(np.diff(x[:, 0])).real,
    "loop": lambda x: ad.fori_loop(0, 3, lambda _, y: np.pad(np.diff(y), (1, 0)), x[:, 0]),
}


def agree(case: Case, tolerance: float = 1e-13) -> None:
    plan = planned(case, "cost").plan
    for chunks in SIZES:
        assert worst_error(case, plan, chunks) < tolerance, chunks


@pytest.mark.parametrize("name", BY_ROWS)
def test_results_by_rows(name: str) -> None:
    agree(Case(ad.jit(BY_ROWS[name]), (ROWS,), (0,)))


@pytest.mark.parametrize("name", REDUCED)
def test_reductions(name: str) -> None:
    agree(Case(ad.jit(REDUCED[name]), (ROWS,), (0,)))


@pytest.mark.parametrize(
    "name", [*BY_ROWS, *(n for n in REDUCED if n not in ("place of the largest", "all", "any"))]
)
def test_gradients(name: str) -> None:
    function = {**BY_ROWS, **REDUCED}[name]

    def loss(w: Any, x: Any) -> Any:
        found = function(np.tanh(x * w))
        return np.sum(np.log1p(found**2))

    agree(Case(ad.value_and_grad(loss, argnums=(0, 1)), (W, ROWS), (None, 0)), 1e-12)


def test_second_derivatives() -> None:
    def loss(w: Any, x: Any) -> Any:
        return np.sum(np.tanh((x[1:] - x[:-1]) @ w) ** 2)

    agree(Case(ad.hessian(loss), (W, ROWS), (None, 0)), 1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
def test_dtypes(dtype: Any) -> None:
    rows = (10 * ROWS).astype(dtype)
    agree(Case(ad.jit(lambda x: (np.maximum(x[2:], x[:-2]), np.roll(x, 1, axis=0))), (rows,), (0,)))
    agree(
        Case(
            ad.jit(
                lambda x: (
                    np.max(x[2:]),
                    np.min(x[1:], axis=0),
                    np.sum(x[2:]),
                    np.prod(x[:-1] + x[1:], axis=0),
                )
            ),
            (rows,),
            (0,),
        )
    )


def test_rows_that_are_not_there_do_no_harm() -> None:
    """Logarithms of rows behind the last one would be NaN, and are not looked at."""
    rows = np.abs(ROWS) + 0.1
    function = ad.value_and_grad(lambda x: np.sum(np.log(x[1:]) / x[:-1]), check_nans=True)
    agree(Case(function, (rows,), (0,)), 1e-12)
    infinite = np.where(rows > 2.5, np.inf, rows)
    case = Case(ad.jit(lambda x: x[1:].max(0) - x[:-1].min(0)), (infinite,), (0,))
    np.testing.assert_array_equal(case.function(infinite), infinite[1:].max(0) - infinite[:-1].min(0))


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(SplitError):
        planned(Case(ad.jit(REFUSED[name]), (ROWS,), (0,)), "cost")


def test_a_round_for_all_neighbours() -> None:
    """Several moves of the same rows read the same list."""
    plan = planned(Case(ad.jit(lambda x: x[2:] - 2 * x[1:-1] + x[:-2]), (ROWS,), (0,)), "cost").plan
    first, second = plan.stages
    assert [c.kind for c in first.combinations] == ["list"]
    assert not second.combinations


@pytest.mark.parametrize("is_after", [True, False])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_rows_beside(count: int, is_after: bool) -> None:
    """Short chunks, and empty sides, against slices of all rows."""
    rows, chunks = np.arange(20.0).reshape(10, 2), (1, 3, 1, 1, 4)
    firsts = np.cumsum([0, *chunks])
    entries = np.zeros((5, count, 2))
    counts = np.minimum(chunks, count)
    for k, (first, size) in enumerate(zip(firsts, chunks, strict=False)):
        own = rows[first : first + size]
        if is_after:
            entries[k, : counts[k]] = own[:count]
        else:
            entries[k, count - counts[k] :] = own[-count:]
    for k, size in enumerate(chunks):
        found = rows_beside(entries, counts, k, 0, is_after=is_after)
        assert found.shape == (1, count, 2)
        if is_after:
            there = rows[firsts[k] + size :][:count]
            np.testing.assert_array_equal(found[0, : len(there)], there)
        else:
            there = rows[: firsts[k]][-count:]
            np.testing.assert_array_equal(found[0, count - len(there) :], there)
        assert np.isin(found, rows).all()


@pytest.mark.parametrize("name", ["Laplacian", "convolution", "flow", "twice", "roll", "mean", "windows"])
def test_arrays_of_dask(name: str) -> None:
    """The engines compile and run what the executor of these tests interprets."""
    array = pytest.importorskip("dask.array")
    function = {**BY_ROWS, **REDUCED}[name]
    given = array.from_array(ROWS, chunks=(CHUNKS, -1))
    found = ad.jit(function)(given)
    expected = function(ROWS)
    assert found.shape == expected.shape
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-13, atol=1e-13)
    value, slope = ad.value_and_grad(lambda x: np.sum(np.sin(function(x))))(given)
    expected, exact = ad.value_and_grad(lambda x: np.sum(np.sin(function(x))))(ROWS)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(slope), exact, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 6, 9])
@pytest.mark.parametrize("name", ["diff", "Laplacian", "far", "roll", "gradient", "windows"])
def test_few_rows(name: str, rows: int) -> None:
    """Chunks of one row, and fewer rows than are cut off: what one machine computes, or raises."""
    array = pytest.importorskip("dask.array")
    x = ROWS[:rows]
    given = array.from_array(x, chunks=(1, 3))
    for function in (ad.jit(BY_ROWS[name]), ad.grad(lambda x: np.sum(np.sin(BY_ROWS[name](x))))):
        try:
            expected = function(x)
        except ad.ShapeError:
            with pytest.raises(ad.ShapeError):
                function(given)
            continue
        found = np.asarray(function(given))
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


ROWS_OF = "tensor<?x{0}, #array.extents<[n]>>"
FEWER = "tensor<?x{0}, #array.extents<[n - 1]>>"

REDUCED_TEXT = """func.func @main(%x: {rows}) -> {element} attributes {{array.sizes = ["n"]}} {{
  %0 = array.slice %x {{starts = [1], limits = #array.extents<[n]>, strides = [1]}} : {rows} -> {fewer}
  %1 = array.{op} %0 {{dims = [0]}} : {fewer} -> {element}
  func.return %1 : {element}
}}"""

READ_TEXT = """func.func @main(%x: {rows}) -> {fewer} attributes {{array.sizes = ["n"]}} {{
  %zero = array.constant 0 : i64
  %one = array.constant 1 : i64
  %three = array.constant 3 : i64
  %n = array.size {{extent = #array.extent<n>}} : -> i64
  %last = array.sub %n, %one : i64
  %0 = array.gather %x (%i) : {rows} -> {fewer} {{
    {body}
  }}
  func.return %0 : {fewer}
}}"""

POSITIONS = {
    "i + 1": "%a = array.add %i, %one : i64\n array.yield %a : i64",
    "i, clamped": "%a = array.max %i, %zero : i64\n %b = array.min %a, %last : i64\n array.yield %b : i64",
    "min(max(i + 1, 0), n - 1)": "%a = array.add %i, %one : i64\n %b = array.max %a, %zero : i64\n "
    "%c = array.min %b, %last : i64\n array.yield %c : i64",
    "max(i - 1, 0) + 1": "%a = array.sub %i, %one : i64\n %b = array.max %a, %zero : i64\n "
    "%c = array.add %b, %one : i64\n array.yield %c : i64",
    "min(i + 3, n - 1)": "%a = array.add %i, %three : i64\n %b = array.min %a, %last : i64\n "
    "array.yield %b : i64",
    "min(i, 3)": "%a = array.min %i, %three : i64\n array.yield %a : i64",
    "i - 1": "%a = array.sub %i, %one : i64\n array.yield %a : i64",
    "n - 1 - i": "%a = array.sub %last, %i : i64\n array.yield %a : i64",
    "2 i": "%a = array.add %i, %i : i64\n array.yield %a : i64",
}


def agrees(text: str, x: Any) -> bool:
    """Tell if a program is split, and require then that it computes what it does on one machine."""
    module = parse_module(text)
    (expected,) = run_function(module.clone(), [x])
    try:
        plan = plan_of_module(module, "n")
    except SplitError:
        return False
    for chunks in ((len(x),), (3, 1, len(x) - 4), (1,) * len(x)):
        (found,) = run(plan, [x], chunks, interpreted)
        np.testing.assert_array_equal(found, expected)
    return True


COMBINED = [(k, e) for k, es in COMBINER_ELEMENTS.items() for e in es if not k.startswith("arg")]
"""Kinds of combiners, with element types; "place of the largest" is among the reductions."""


@pytest.mark.parametrize(("kind", "element"), COMBINED)
def test_rows_that_are_too_many_change_no_combiner(kind: str, element: Any) -> None:
    x = np.array([14, 6, -2, 30, 14, 6, 12]).astype(numpy_dtype(element))
    op = "sum" if kind == "add" else f"reduce {kind}"
    names = {"rows": ROWS_OF.format(element), "fewer": FEWER.format(element), "element": element, "op": op}
    assert agrees(REDUCED_TEXT.format(**names), x)


@pytest.mark.parametrize("name", POSITIONS)
def test_positions(name: str) -> None:
    """Rows some rows on are moved; clamps count, unless all positions are between them."""
    names = {"rows": ROWS_OF.format("f64"), "fewer": FEWER.format("f64"), "body": POSITIONS[name]}
    is_split = agrees(READ_TEXT.format(**names), np.arange(9.0) ** 2)
    assert is_split == (name in ("i + 1", "i, clamped", "min(max(i + 1, 0), n - 1)"))


def test_results_of_fewer_rows_are_no_vectors() -> None:
    array = pytest.importorskip("dask.array")
    given = array.from_array(ROWS, chunks=(70, 3))
    with pytest.raises(SplitError, match="a result has 299 rows, and the arguments have 300"):
        ad.linearize(lambda w, x: np.diff(x @ w), W, given)
    r, jacobian = ad.linearize(lambda w, x: np.pad(np.diff(x @ w), (0, 1)), W, given)
    _, exact = ad.linearize(lambda w: np.pad(np.diff(ROWS @ w), (0, 1)), W)
    np.testing.assert_allclose(jacobian.T(r), exact.T(np.asarray(r)), rtol=1e-12)
