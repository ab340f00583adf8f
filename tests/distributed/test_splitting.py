"""Functions of split rows, on chunks in this process, agree with the functions of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.distributed.local import run
from tests.distributed import more_programs  # noqa: F401
from tests.distributed.programs import PROGRAMS, Case
from tests.distributed.witness import CHUNKS, interpreted, planned, worst_error


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("residuals", ["cost", "keep", "again"])
def test_named_programs(name: str, residuals: str) -> None:
    case = PROGRAMS[name]()
    plan = planned(case, residuals).plan
    assert plan.rounds <= case.rounds
    assert worst_error(case, plan, CHUNKS) < 1e-13


@pytest.mark.parametrize("name", ["logistic regression", "batch norm"])
def test_machine_code(name: str) -> None:
    case = PROGRAMS[name]()
    plan = planned(case, "cost").plan
    more = [
        v if d is None else np.concatenate([v, 0.5 * v]) for v, d in zip(case.leaves, case.split, strict=True)
    ]
    chunks = (300, 5, 1, 294)
    expected = run(plan, more, chunks, interpreted)
    for a, b in zip(run(plan, more, chunks), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def test_pairs_of_chunks_without_a_number() -> None:
    """A chunk of minus infinities has no share in a softmax, and NaN is kept."""

    def total(x: Any) -> Any:
        m = np.max(x)
        return m + np.log(np.sum(np.exp(x - m)))

    for bad in (-np.inf, np.nan):
        x = np.linspace(-3.0, 3.0, 300)
        x[90:97] = bad
        case = Case(ad.jit(total), (x,), (0,))
        plan = planned(case, "cost").plan
        assert plan.rounds == 1
        (found,) = run(plan, case.leaves, CHUNKS, interpreted)
        np.testing.assert_allclose(found, total(x), rtol=1e-14)


@pytest.mark.parametrize(("scale", "rounds"), [(1.0, 1), (1e200, 2), (1e-200, 2)])
def test_rounds_of_branches_that_are_not_taken_are_left_out(scale: float, rounds: int) -> None:
    x = scale * np.random.default_rng(0).normal(size=(300, 3))
    case = Case(ad.jit(lambda x: np.linalg.norm(x)), (x,), (0,))
    plan = planned(case, "cost").plan
    assert plan.rounds == 2
    run_on_chunks: list[str] = []

    def noted(text: str, rows: int) -> Any:
        if "array.sizes" in text:
            run_on_chunks.append(text)
        return interpreted(text, rows)

    (found,) = run(plan, case.leaves, CHUNKS, noted)
    np.testing.assert_allclose(found, scale * np.linalg.norm(x / scale), rtol=1e-14)
    assert len(run_on_chunks) == rounds * len(CHUNKS)


def test_moments_do_not_cancel() -> None:
    def variance(x: Any) -> Any:
        return np.mean((x - np.mean(x, axis=0)) ** 2, axis=0)

    x = 1e6 + np.random.default_rng(0).normal(size=(300, 3))
    case = Case(ad.jit(variance), (x,), (0,))
    plan = planned(case, "cost").plan
    assert plan.rounds == 1
    (found,) = run(plan, case.leaves, CHUNKS, interpreted)
    np.testing.assert_allclose(found, np.var(x, axis=0), rtol=1e-10)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x[::2], "may be in any chunk"),
        (lambda x: x[:, None] - x[None, :], "pairs of rows"),
        (lambda x: x[::-1], "reading backwards along all rows"),
        (lambda x: ad.scan(lambda c, v: (c * v, c), 1.0, x)[0], "each row needs the one before"),
        (lambda x: ad.fori_loop(0, 3, lambda i, c: c * np.sum(x), 1.0), "inside of a loop"),
        (lambda x: np.fft.rfft(x).real, "number of rows|Fourier"),
        (lambda x: np.concatenate([x, x]), "concatenating along all rows"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals_name_the_line(function: object, message: str) -> None:
    case = Case(ad.jit(function), (np.ones(300),), (0,))
    with pytest.raises(ad.SplitError, match=message) as caught:
        planned(case, "cost")
    assert caught.value.location is not None
    assert "test_splitting.py" in caught.value.location


def test_a_row_that_is_not_there() -> None:
    with pytest.raises(
        ad.PositionError, match="position 400 lies outside a dimension of extent 300"
    ) as caught:
        planned(Case(ad.jit(lambda x: x[400]), (np.ones(300),), (0,)), "cost")
    assert "test_splitting.py" in str(caught.value.location)


def halved_until(keeps_rows: bool) -> Any:
    """A loop written by hand that runs until all rows are small; it keeps rows that are, or halves all."""

    def function(x: Any) -> Any:
        def step(x: Any) -> Any:
            halved = 0.5 * x
            return np.where(np.abs(x) > 1, halved, x) if keeps_rows else halved

        return ad.while_loop(lambda x: np.any(np.abs(x) > 1), step, x)

    return function


def test_a_loop_until_all_rows_are_done() -> None:
    x = np.linspace(-40.0, 300.0, 300)
    case = Case(ad.jit(halved_until(keeps_rows=True)), (x,), (0,))
    assert worst_error(case, planned(case, "cost").plan, CHUNKS) == 0.0
    with pytest.raises(ad.SplitError, match="goes on to change those that are done"):
        planned(Case(ad.jit(halved_until(keeps_rows=False)), (x,), (0,)), "cost")


def test_a_loop_adds_sums_to_what_is_there_once() -> None:
    def total(c: Any, x: Any) -> Any:
        return ad.scan(lambda s, t: (0.5 * s + t * np.sum(x) + c, s), c, np.arange(4.0))

    case = Case(ad.jit(total), (3.0, np.linspace(0.0, 1.0, 300)), (None, 0))
    plan = planned(case, "cost").plan
    assert plan.rounds == 1
    assert worst_error(case, plan, CHUNKS) < 1e-14


def test_a_loop_that_runs_again_reads_what_was_combined() -> None:
    def twice(c: Any, x: Any) -> Any:
        for _ in range(2):
            (x, c), _ = ad.scan(
                lambda s, t: ((np.tanh(s[0] + t), s[1] + np.sum(s[0])), None), (x, c), np.ones(3)
            )
            x = x + 0.01 * c
        return np.sum(x)

    case = Case(ad.value_and_grad(twice), (3.0, np.linspace(0.0, 1.0, 300)), (None, 0), 4)
    for policy in ("cost", "keep", "again"):
        assert worst_error(case, planned(case, policy).plan, CHUNKS) < 1e-13
