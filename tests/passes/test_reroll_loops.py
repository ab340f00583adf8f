"""Code that is written out becomes loops: with the same values and derivatives, and where a loop pays."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import mlirad as ad
from examples.programs import llsq
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.shapes import shape_of
from mlirad.interpreter import run_function
from mlirad.ir.regions import nested_ops
from mlirad.ir.verification import verify_module
from mlirad.passes.canonicalize import canonicalize
from mlirad.passes.reroll_loops import costs
from mlirad.passes.reroll_loops.periods import periodic_stretches
from mlirad.passes.reroll_loops.rolling import rolled_function
from mlirad.passes.reroll_loops.signatures import Signatures
from tests.generators.unrolled import TYPES, unrolled_program, written_table
from tests.passes.derivatives import differentiated, function_of

PROGRAMS = (unrolled_program, written_table)

SEEDS = (*range(24), 500442)
"""In the last one, a repetition reads what lies further back than there are repetitions."""


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops that save little, so that programs can be small, some of several repetitions an iteration."""
    monkeypatch.setattr(costs, "LEAST_SAVED", 12)
    monkeypatch.setattr(costs, "LEAST_ITERATIONS", 2)
    monkeypatch.setattr(costs, "LONG", 3)


def arguments(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape_of(type_)) for type_ in TYPES]


def loops(module: ModuleOp) -> list[ScanOp]:
    return [op for op in nested_ops(module.body) if isinstance(op, ScanOp)]


# Periods ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_stretches_are_all_that_are_periodic(seed: int) -> None:
    rng = random.Random(seed)
    word: list[int] = []
    while len(word) < 60:
        part = [rng.randrange(3) for _ in range(rng.randint(1, 6))]
        word += part * rng.choice((1, 1, 2, 5))
    least = rng.randint(3, 5)
    found = periodic_stretches(word, least)
    for start, period, length in found:
        assert length >= least * period
        assert all(word[k] == word[k + period] for k in range(start, start + length - period))
    # Of every place that a primitive word is repeated at so often, a stretch knows.
    for start in range(len(word)):
        for period in range(1, (len(word) - start) // least + 1):
            part = word[start : start + period]
            is_power = any(part == part[:d] * (period // d) for d in range(1, period) if period % d == 0)
            if not is_power and word[start : start + least * period] == part * least:
                assert any(
                    s.period == period and s.start <= start and start + least * period <= s.start + s.length
                    for s in found
                )


# Random programs -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_random_programs_keep_their_bits(program: Callable[[int], FuncOp], seed: int) -> None:
    function = canonicalize(program(seed))
    before = run_function(ModuleOp([function.clone()]), arguments(seed), function="main")
    module = ModuleOp([rolled_function(function, Signatures()).clone()])
    verify_module(module)
    for x, y in zip(before, run_function(module, arguments(seed), function="main"), strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_many_random_programs_become_loops(program: Callable[[int], FuncOp]) -> None:
    rolled = [rolled_function(canonicalize(program(seed)), Signatures()) for seed in SEEDS]
    assert sum(bool(loops(ModuleOp([f.clone()]))) for f in rolled) > len(SEEDS) / 3


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_derivatives_of_both_orders_are_those_of_what_was_written(
    program: Callable[[int], FuncOp], seed: int
) -> None:
    everything = tuple(range(len(TYPES)))
    function = canonicalize(program(seed))
    found: list[Any] = []
    for f in (function, rolled_function(function, Signatures())):
        module = differentiated(ModuleOp([f.clone()]), "main", everything, "reverse")
        grad = function_of(module, "main_grad")
        types = list(grad.function_type.inputs)
        rng = np.random.default_rng(seed)
        given = [0.5 * rng.normal(size=shape_of(type_)) for type_ in types]
        tangents = [rng.normal(size=shape_of(type_)) for type_ in types]
        wrt = tuple(range(len(types)))
        twice = differentiated(ModuleOp([grad.clone()]), "main_grad", wrt, "forward")
        found.append(run_function(twice, [*given, *tangents], function="main_grad_jvp"))
    for x, y in zip(*found, strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-8, atol=1e-10)


# Programs of users ----------------------------------------------------------------------------------


def recurrent(w, h, xs):
    made = []
    for x in xs:
        h = np.tanh(w @ h + x)
        made.append(h)
    return np.stack(made), h


RECURRENT = (np.eye(3) * 0.5, np.ones(3), np.linspace(-1, 1, 90).reshape(30, 3))


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian", "chad"])
def test_gradients_of_a_recurrent_net_by_every_method(method: str) -> None:
    def loss(w):
        made, last = recurrent(w, *RECURRENT[1:])
        return np.sum(made**2) + np.sum(last)

    def by_scan(w):
        def step(h, x):
            new = np.tanh(w @ h + x)
            return new, new

        last, made = ad.scan(step, RECURRENT[1], RECURRENT[2])
        return np.sum(made**2) + np.sum(last)

    w = RECURRENT[0]
    np.testing.assert_allclose(
        ad.grad(loss, method=method)(w), ad.grad(by_scan, method=method)(w), rtol=1e-12
    )


def test_work_of_a_written_out_fit_does_not_grow_with_its_terms() -> None:
    def work(terms: int) -> tuple[int, int]:
        f = ad.grad(llsq.primal)
        arguments = llsq.random_instance(terms, 64)
        text = f.ir(*arguments, after="reroll-loops")
        assert text.count("array.scan") == 1
        return text.count("array."), f.ir(*arguments, after="plan-memory").count("kernel.nest")

    ops, kernels = work(65)
    assert kernels and work(129) == (ops, kernels)


def test_a_iteration_over_long_arrays_makes_several_repetitions() -> None:
    def muls(points: int) -> str:
        text = ad.jit(llsq.primal).ir(*llsq.random_instance(66, points), after="reroll-loops")
        return text[text.index("array.scan") : text.index("array.yield")]

    assert muls(16).count("array.mul") == 2
    assert muls(4096).count("array.mul") == 2 * costs.IN_ONE_ITERATION


def test_a_list_of_results_is_the_stacked_result() -> None:
    text = ad.jit(recurrent).ir(*RECURRENT, after="reroll-loops")
    assert text.count("array.scan") == 1 and "array.stack" not in text
    scan = ad.scan(lambda h, x: (np.tanh(RECURRENT[0] @ h + x),) * 2, *RECURRENT[1:])
    for x, y in zip(ad.jit(recurrent)(*RECURRENT), reversed(scan), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-13)


def test_lists_of_results_with_another_dimension_are_joined() -> None:
    def joined(x):
        made = [np.tanh(np.sin(row) * 2 + 1) * row for row in x]
        rows, numbers = [r[None] for r in made], [np.sum(r)[None] for r in made]
        return [
            np.stack(rows),
            np.stack(rows, 2),
            np.concatenate(rows),
            np.stack(numbers),
            np.concatenate(numbers),
            np.stack([r[:, None] for r in made], 1),
        ]

    x = np.linspace(-1, 1, 48).reshape(16, 3)
    for k in (1, 2):
        text = ad.jit(lambda x, k=k: joined(x)[k]).ir(x, after="reroll-loops")
        assert "array.stack" not in text and "array.concatenate" not in text
    for some in (x, x[:, :0]):
        for one, other in zip(ad.jit(joined)(some), joined(some), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, strict=True)


def test_repetitions_without_carries_become_whole_array_code() -> None:
    def rows(x):
        return np.stack([np.sin(x[k]) * np.sum(x[k] * x[k]) + x[k, 0] for k in range(40)])

    x = np.linspace(0, 1, 120).reshape(40, 3)
    assert "array.build" in ad.jit(rows).ir(x, after="reroll-loops")
    bulk = ad.jit(rows).ir(x, after="bulk-operations")
    assert "array.scan" not in bulk and "array.build" not in bulk
    np.testing.assert_allclose(ad.jit(rows)(x), rows(x), rtol=1e-14)


def test_nested_loops_become_nested_loops() -> None:
    def nested(x):
        total = 0.0
        for i in range(10):
            inner = 0.0
            for j in range(24):
                inner = inner * 0.5 + np.sin(x[i, j]) * x[i, j]
            total = total + np.exp(-inner * inner)
        return total

    x = np.linspace(0, 1, 240).reshape(10, 24)
    text = ad.jit(nested).ir(x, after="reroll-loops")
    assert text.count("array.sin") <= 4
    np.testing.assert_allclose(ad.jit(nested)(x), nested(x), rtol=1e-14)


def test_two_loops_in_a_row_become_two() -> None:
    def twice(x, y):
        total = 0.0
        for z in (x, y):
            for k in range(32):
                total = np.sin(total) * z[k] + np.cos(z[k])
        return total

    x, y = np.linspace(0, 1, 32), np.linspace(1, 2, 32)
    assert ad.jit(twice).ir(x, y, after="reroll-loops").count("array.scan") == 2
    np.testing.assert_allclose(ad.jit(twice)(x, y), twice(x, y), rtol=1e-14)


@pytest.mark.parametrize("first", range(3))
@pytest.mark.parametrize("count", [18, 19, 20, 22])
def test_positions_that_are_one_number_in_some_repetitions_stay_two(first: int, count: int) -> None:
    columns = tuple((first + 2 * k) % 3 for k in range(count))

    def written(x, y, columns=columns):
        m = np.ones((2, 3)) * x
        for column in columns:
            m[0, column] += y
            m[1, column] *= y
            m[column % 2, column] -= np.sin(x)
            m = m + x
        return m

    np.testing.assert_allclose(
        ad.jit(written, static_argnames="columns", interpret=True)(-1.2, 0.8), written(-1.2, 0.8)
    )


def test_what_is_told_apart_in_no_repetition_stays_written_out() -> None:
    def written(x):
        m = np.ones((3, 3)) * x
        for k in range(24):
            m[k % 3, (0, 1, 2, 0, 2, 1)[k % 6]] += np.sin(x * (k % 3))
            m = m * x
        return m

    np.testing.assert_allclose(ad.jit(written, interpret=True)(0.8), written(0.8), rtol=1e-13)


def test_gradient_steps_become_a_loop_and_have_derivatives() -> None:
    target = np.linspace(-1, 1, 3)

    def trained(w, rate):
        loss = ad.grad(lambda w: np.sum((np.tanh(w) - target) ** 2))
        for _ in range(16):
            w = w - rate * loss(w)
        return np.sum(w * w)

    def by_loop(w, rate):
        loss = ad.grad(lambda w: np.sum((np.tanh(w) - target) ** 2))
        return np.sum(ad.fori_loop(0, 16, lambda _, w: w - rate * loss(w), w) ** 2)

    arguments = np.array([0.1, 0.5, -0.2]), 0.3
    text = ad.grad(trained, argnums=(0, 1)).ir(*arguments, after="reroll-loops")
    assert text.count("array.scan") == 1 and text.count("linear.linearize") == 2
    for x, y in zip(*(ad.grad(f, argnums=(0, 1))(*arguments) for f in (trained, by_loop)), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12)


def test_little_code_stays_as_it_is_written() -> None:
    def few(x):
        for _ in range(7):
            x = np.sin(x) * np.cos(x) + np.exp(-x) * np.tanh(x) * x + np.sin(x * x) * x - np.cos(x * 2)
        return x

    def little(x):
        for _ in range(20):
            x = np.sin(x) * x
        return x

    for f in (few, little):
        assert "array.scan" not in ad.jit(f).ir(0.5, after="reroll-loops")


def test_patterns_of_sparse_hessians_stay_exact() -> None:
    def rosenbrock(x):
        total = 0.0
        for k in range(39):
            total = total + 100 * (x[k + 1] - x[k] ** 2) ** 2 + (1 - x[k]) ** 2
        return total

    x = np.linspace(-1, 1, 40)
    assert "array.scan" in ad.jit(rosenbrock).ir(x, after="reroll-loops")
    hessian = ad.hessian(rosenbrock, sparse=True)(x)
    assert hessian.nnz == 3 * 40 - 2
    beside = -400 * x[:-1]
    diagonal = np.append(1200 * x[:-1] ** 2 - 400 * x[1:] + 2, 0.0) + np.append(0.0, np.full(39, 200.0))
    expected = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    np.testing.assert_allclose(hessian.toarray(), expected, rtol=1e-12, atol=1e-9)


def test_prints_come_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    def told(x):
        for k in range(40):
            x = np.sin(x) + 0.125 * k
            ad.debug_print("{:.6f}", x)
        return x

    assert "array.scan" in ad.jit(told).ir(0.5, after="reroll-loops")
    ad.jit(told)(0.5)
    printed = capsys.readouterr().out
    told(0.5)
    assert printed.count("\n") == 40 and printed == capsys.readouterr().out


def test_failures_name_the_line_of_the_user() -> None:
    def factors(a):
        total = 0.0
        for k in range(40):
            total = total + np.sum(np.linalg.cholesky(a - 0.25 * k * np.eye(2)) ** 2)
        return total

    a = np.eye(2) * 4.0
    assert "array.scan" in ad.jit(factors).ir(a, after="reroll-loops")
    with pytest.raises(ad.LinearAlgebraError) as caught:
        ad.jit(factors)(a)
    line = inspect.getsourcelines(factors)[1] + 3
    assert f"{__file__}:{line}" in str(caught.value)
    np.testing.assert_allclose(ad.jit(factors)(a * 4), sum(2 * (16 - 0.25 * k) for k in range(40)))


# Tables ----------------------------------------------------------------------------------------------


def soft_dtw(x, y, border=1e10):
    """Soft dynamic time warping (Cuturi and Blondel 2017) of two lines, cell by cell."""
    cost = {(0, 0): 0.0}
    cost |= {(i, 0): border for i in range(1, len(x) + 1)} | {(0, j): border for j in range(1, len(y) + 1)}
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            before = cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1]
            least = np.minimum(np.minimum(before[0], before[1]), before[2])
            total = sum(np.exp(least - c) for c in before)
            cost[i, j] = (x[i - 1] - y[j - 1]) ** 2 + least - np.log(total)
    return cost[len(x), len(y)]


@pytest.mark.parametrize("border", [1e10, 3.0])
def test_a_table_becomes_a_loop_of_loops(border: float) -> None:
    x, y = np.sin(np.arange(14.0)), np.cos(np.arange(13.0))

    def loss(x, y):
        return soft_dtw(x, y, border)

    ops = [ad.jit(loss).ir(x[:n], y[:n], after="reroll-loops").count("array.") for n in (11, 12, 14)]
    assert len(set(ops)) == 1 and ops[0] < 160
    np.testing.assert_allclose(ad.jit(loss)(x, y), soft_dtw(x, y, border), rtol=1e-13)
    direction = np.linspace(-1, 1, 14)
    step = 1e-6
    expected = (soft_dtw(x + step * direction, y, border) - soft_dtw(x - step * direction, y, border)) / (
        2 * step
    )
    np.testing.assert_allclose(ad.grad(loss)(x, y) @ direction, expected, rtol=1e-6)


def test_code_for_each_of_many_arguments_becomes_a_loop() -> None:
    def total(values):
        return sum(np.sin(v) * np.exp(-v) + np.cos(v * v) / (1 + v * v) for v in values)

    values = [0.1 * k for k in range(24)]
    assert ad.jit(total).ir(values, after="reroll-loops").count("array.sin") == 1
    np.testing.assert_allclose(ad.jit(total)(values), total(values), rtol=1e-13)
    np.testing.assert_allclose(
        ad.grad(total)(values), [ad.grad(lambda v: total([v]))(v) for v in values], rtol=1e-12
    )
