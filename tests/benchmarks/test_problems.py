"""The benchmark problems are well formed, and the protocol takes the samples it promises."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

import mlirad as ad
from benchmarks.figures import arrays_of, golden_error
from benchmarks.memory import CHECKPOINTS, memory_tables, peak_of_loop
from benchmarks.problem import by_complex_step
from benchmarks.problems import PROBLEMS
from benchmarks.protocol import LEAST_RUNS, Limits, median_seconds
from benchmarks.sparse import MATRICES
from benchmarks.systems import MLIRAD
from benchmarks.worker import TOLERANCE

BY_OTHER_METHODS = [
    PROBLEMS[name]
    for name in ("attention", "layer-norm", "mnist", "convnet", "rnn", "stencil-slices", "stencil-build")
]
"""Gradients in several arguments that compile quickly; `test_by_chad.py` takes all by `chad`."""


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_mlirad_reproduces_the_golden_figures(problem):
    golden = problem.golden()
    compiled = MLIRAD.functions(problem, golden.arguments, 1)
    system = replace(MLIRAD, functions=lambda *_: compiled)
    assert golden_error(system, problem) < 1e-10
    found = arrays_of(system.prepare(problem, golden.arguments).derivative())
    assert [np.shape(part) for part in found] == [np.shape(part) for part in golden.gradient]


SINGLE = [problem for problem in PROBLEMS.values() if "float32" in problem.dtypes()]


@pytest.mark.parametrize("problem", SINGLE, ids=lambda problem: problem.name)
def test_mlirad_is_as_accurate_as_float32_allows(problem):
    assert golden_error(MLIRAD, problem, "float32") < TOLERANCE["float32"]


@pytest.mark.parametrize("option", [{"method": "jacobian"}, {"interpret": True}], ids=str)
@pytest.mark.parametrize("problem", BY_OTHER_METHODS, ids=lambda problem: problem.name)
def test_other_methods_reproduce_the_golden_figures(problem, option):
    golden = problem.golden()
    found = ad.grad(problem.numpy_program, argnums=problem.argnums, **option)(*golden.arguments)
    for part, expected in zip(found, golden.gradient, strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-9, atol=1e-10 * np.max(np.abs(expected)))


def test_complex_steps_are_exact():
    x = np.array([0.3, -1.2])
    found = by_complex_step(lambda x, y: np.sum(np.maximum(x, 0) ** 3 * np.sin(y)), (x, x + 2), (1, 0))
    np.testing.assert_allclose(found.gradient[0], np.maximum(x, 0) ** 3 * np.cos(x + 2), rtol=1e-15)
    np.testing.assert_allclose(found.gradient[1], 3 * np.maximum(x, 0) ** 2 * np.sin(x + 2), rtol=1e-15)


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_the_smallest_size_has_finite_figures(problem):
    arguments = next(iter(problem.sizes.values()))()
    prepared = MLIRAD.prepare(problem, arguments)
    assert prepared.primal is not None
    for part in (*arrays_of(prepared.primal()), *arrays_of(prepared.derivative())):
        assert np.all(np.isfinite(part))


def test_every_function_is_called_at_least_as_often_as_asked():
    counts = [0, 0]

    def count(position):
        counts[position] += 1

    calls = [lambda: count(0), lambda: count(1)]
    medians = median_seconds(calls, Limits(min_runs=50, min_seconds=0.0))
    assert min(counts) >= 50
    assert all(0 <= median < 1 for median in medians)


def test_slow_functions_are_called_a_few_times():
    counts = [0, 0]

    def slow():
        counts[0] += 1
        time.sleep(0.02)

    def fast():
        counts[1] += 1

    median_seconds([slow, fast], Limits(min_runs=1000, min_seconds=0.0, max_seconds=0.01))
    assert counts[0] == 1 + LEAST_RUNS
    assert counts[1] >= 1000


def test_memory_of_loops_follows_their_option():
    n, four_n = ({c: peak_of_loop(steps, c, width=32) for c in CHECKPOINTS} for steps in (64, 256))
    growth = {c: four_n[c] / n[c] for c in CHECKPOINTS}
    assert growth["sqrt"] < 2.2 < 3.5 < growth["recompute"] <= growth["store"] < 4.2
    assert n["sqrt"] < n["recompute"] < n["store"]


def test_memory_is_printed_for_every_size():
    problem = PROBLEMS["lse"]
    lines = list(memory_tables([problem]))
    assert sum(line.startswith("| lse |") for line in lines) == len(problem.sizes)


def test_products_with_the_jacobian_are_those_of_its_blocks():
    from benchmarks import products

    _, tangents, cotangent = products.vectors("p32k")
    _, forward, backward, both = products.mlirad_products("p32k")
    image, back = forward(), backward()
    left = np.sum(image * cotangent)
    right = sum(np.sum(a * b) for a, b in zip(back, tangents, strict=True))
    assert left == pytest.approx(right, rel=1e-9)
    gram = both()
    assert sum(np.sum(a * b) for a, b in zip(gram, tangents, strict=True)) == pytest.approx(np.sum(image**2))


@pytest.mark.parametrize("matrix", MATRICES, ids=lambda matrix: matrix.name)
def test_sparse_matrices_agree_with_figures_by_hand(matrix):
    assert matrix.error() < 1e-10
