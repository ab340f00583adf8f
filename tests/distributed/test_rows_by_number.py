"""Rows that are read and written by number, and positions of extrema: on chunks as on one machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.distributed.combinations import COMBINATIONS
from mlirad.distributed.local import run
from mlirad.distributed.planning import plan_of
from tests.distributed.programs import Case
from tests.distributed.witness import CHUNKS, interpreted, planned, worst_error

ROWS = np.random.default_rng(0).normal(size=(300, 3))

READ = {
    "first": lambda x: x[0],
    "last": lambda x: x[-1],
    "inside": lambda x: x[217],
    "an element": lambda x: x[-5, 1],
    "first of some": lambda x: x[:1],
    "a few": lambda x: x[96:99],
    "in steps": lambda x: x[10:140:40, ::2],
    "last few": lambda x: x[-4:],
    "by array": lambda x: x[np.array([299, 0, 97, 97])],
    "by matrix": lambda x: x[np.array([[1, -1], [200, 3]])],
    "a column of a few": lambda x: x[np.array([5, -5]), np.array([0, 2])],
    "along a row": lambda x: x.T[:, -2],
}

POSITIONS: list[Any] = [0, 299, -1, 90, 97, np.array([3, 91, 3]), np.array([[-1, 0], [150, 96]])]

ORDERS = (np.argmax, np.argmin)


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("kind", ["value", "gradient", "tangent", "Hessian product"])
def test_rows_that_are_known(name: str, kind: str) -> None:
    read = READ[name]
    weights = np.cos(np.arange(np.size(read(ROWS)))).reshape(np.shape(read(ROWS)))

    def total(x: Any) -> Any:
        return np.sum(np.sin(read(x)) * weights)

    function = {
        "value": ad.jit(read),
        "gradient": ad.grad(total),
        "tangent": ad.jit(lambda x: ad.jvp(total, (x,), (np.cos(x),))),
        "Hessian product": ad.jit(lambda x: ad.jvp(ad.grad(total), (x,), (np.cos(x),))[1]),
    }[kind]
    case = Case(function, (ROWS,), (0,))
    for policy in ("cost", "keep", "again"):
        assert worst_error(case, planned(case, policy).plan, CHUNKS) < 1e-15


@pytest.mark.parametrize("k", range(len(POSITIONS)))
@pytest.mark.parametrize("kind", ["value", "gradient", "written", "gradient of written"])
def test_rows_that_are_computed(k: int, kind: str) -> None:
    def total(x: Any, i: Any) -> Any:
        return np.sum(np.sin(x[i]) * x[0])

    def written(x: Any, i: Any) -> Any:
        x = x.copy()
        if np.ndim(i):
            np.add.at(x, i, np.sin(x[i]) * x[-1])
        else:
            x[i] = 3.0 * x[i] + x[-1]
        return np.sum(np.sin(x) * x[0])

    function = {
        "value": ad.jit(total),
        "gradient": ad.grad(total),
        "written": ad.jit(written),
        "gradient of written": ad.grad(written),
    }[kind]
    case = Case(function, (ROWS, POSITIONS[k]), (0, None))
    assert worst_error(case, planned(case, "cost").plan, CHUNKS) < 3e-15


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("axis", [0, None])
@pytest.mark.parametrize(
    "values",
    [ROWS, np.round(ROWS), np.where(ROWS > 2, np.nan, ROWS), 0.0 * ROWS, (10 * ROWS).astype(int), ROWS > 1],
    ids=["distinct", "ties", "NaN", "zeros", "integers", "booleans"],
)
def test_positions_of_extrema(order: Any, axis: int | None, values: Any) -> None:
    case = Case(ad.jit(lambda x: order(x, axis=axis)), (values,), (0,))
    plan = planned(case, "cost").plan
    assert plan.rounds == 1
    for chunks in (CHUNKS, CHUNKS[::-1], (1,) * 300):
        (found,) = run(plan, case.leaves, chunks, interpreted)
        np.testing.assert_array_equal(found, order(values, axis=axis))


@pytest.mark.parametrize("order", ORDERS)
def test_the_row_of_an_extremum(order: Any) -> None:
    def best(x: Any, y: Any) -> Any:
        return np.sum(np.sin(y[order(x[:, 0])])) + x[order(y[:, 2]), 1] ** 2

    case = Case(ad.value_and_grad(best, argnums=(0, 1)), (ROWS, ROWS[::-1] + 1), (0, 0))
    plan = planned(case, "cost").plan
    assert plan.rounds <= 3
    assert worst_error(case, plan, CHUNKS) < 1e-15
    for a, b in zip(run(plan, case.leaves, CHUNKS), run(plan, case.leaves, CHUNKS, interpreted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14, atol=1e-15)


def written_at_many(x: Any) -> Any:
    x = x.copy()
    x[np.array([1, 2])[np.argsort(x[:2])]] = 0.0
    return x


def test_signs_of_zeros_infinities_and_all_types_are_kept() -> None:
    for values in (
        np.array([-0.0, 0.0, -np.inf, np.inf, np.nan] * 60),
        np.arange(300, dtype=np.float32) - 150,
        np.arange(300) - 150,
        np.arange(300, dtype=np.int32) - 150,
        np.arange(300) % 3 == 0,
    ):
        for i in (0, 1, 2, 3, 4, 150, 299):
            case = Case(ad.jit(lambda x, i: x[i]), (values, i), (0, None))
            (found,) = run(planned(case, "cost").plan, case.leaves, CHUNKS, interpreted)
            assert found.dtype == values.dtype
            assert found.tobytes() == values[i].tobytes()


def test_combinations_of_extrema_have_the_first_of_equals_and_of_nans() -> None:
    numbers = (1.0, 2.0, np.nan, -np.inf)
    for a in numbers:
        for b in numbers:
            for order in ORDERS:
                combined = COMBINATIONS[order.__name__]((a, 3), (b, 7))
                at = (3, 7)[int(order([a, b]))]
                np.testing.assert_array_equal(combined, ((a, b)[int(order([a, b]))], at))


def test_a_plan_is_made_for_as_many_rows_as_are_read() -> None:
    f = ad.jit(lambda x: x[5] + x[-7])
    plans = [plan_of(f, (np.arange(float(n)),), {}, (0,)) for n in (8, 9, 15, 16, 300)]
    assert plans[0] is plans[1] is plans[2]
    assert plans[2] is not plans[3]
    with pytest.raises(IndexError, match="position 5 lies outside a dimension of extent 4"):
        plan_of(f, (np.arange(4.0),), {}, (0,))
    (found,) = run(plans[0].plan, [np.arange(15.0)], (4, 0, 11))
    assert found == 5.0 + 8.0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda x: ad.fori_loop(0, 3, lambda k, c: c + x[k], 0.0),
            "row at a position is used inside of a loop",
        ),
        (lambda x: ad.fori_loop(0, 3, lambda k, c: c * (np.argmax(x) > k), 1.0), "in a loop or a branch"),
        (written_at_many, "not the rows of one chunk"),
        (lambda x: np.pad(x, 1), "not the rows of one chunk"),
        (lambda x: x[np.argsort(x**2)], "sorting along all rows"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals(function: Any, message: str) -> None:
    case = Case(ad.jit(function), (np.linspace(0.0, 1.0, 300),), (0,))
    with pytest.raises(ad.SplitError, match=message) as caught:
        planned(case, "cost")
    assert caught.value.location is not None
    assert "test_rows_by_number.py" in caught.value.location
