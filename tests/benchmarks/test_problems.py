"""The benchmark problems are well formed, and the protocol takes the samples it promises."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.problems import PROBLEMS
from benchmarks.protocol import median_seconds
from benchmarks.systems import MLIRAD
from benchmarks.table import arrays_of, golden_error


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_mlirad_reproduces_the_golden_figures(problem):
    assert golden_error(MLIRAD, problem) < 1e-10


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_the_golden_derivative_has_the_shapes_of_the_computed_one(problem):
    golden = problem.golden()
    found = arrays_of(MLIRAD.prepare(problem, golden.arguments).gradient())
    assert [np.shape(part) for part in found] == [np.shape(part) for part in golden.gradient]


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_the_smallest_size_has_finite_figures(problem):
    arguments = next(iter(problem.sizes.values()))()
    prepared = MLIRAD.prepare(problem, arguments)
    for part in (*arrays_of(prepared.primal()), *arrays_of(prepared.gradient())):
        assert np.all(np.isfinite(part))


def test_every_function_is_called_at_least_as_often_as_asked():
    counts = [0, 0]

    def count(position):
        counts[position] += 1

    calls = [lambda: count(0), lambda: count(1)]
    medians = median_seconds(calls, min_runs=50, min_seconds=0.0)
    assert min(counts) >= 50
    assert all(0 <= median < 1 for median in medians)
