"""The benchmark problems are well formed, and the protocol takes the samples it promises."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.problems import PROBLEMS
from benchmarks.protocol import median_seconds


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_the_numpy_program_reproduces_the_golden_value(problem):
    golden = problem.golden()
    assert problem.numpy_program(*golden.arguments) == pytest.approx(golden.value, rel=1e-10)
    for position, part in zip(problem.argnums, golden.gradient, strict=True):
        assert np.shape(part) == np.shape(golden.arguments[position])


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_the_smallest_size_has_a_finite_value(problem):
    arguments = next(iter(problem.sizes.values()))()
    assert np.isfinite(problem.numpy_program(*arguments))


def test_every_function_is_called_at_least_as_often_as_asked():
    counts = [0, 0]

    def count(position):
        counts[position] += 1

    calls = [lambda: count(0), lambda: count(1)]
    medians = median_seconds(calls, min_runs=50, min_seconds=0.0)
    assert min(counts) >= 50
    assert all(0 <= median < 1 for median in medians)
