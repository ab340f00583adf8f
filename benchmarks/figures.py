"""Checks that a system computes what is timed: its value and derivative beside golden figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.problem import Problem
from benchmarks.systems import System


def golden_error(system: System, problem: Problem, dtype: str = "float64", threads: int = 1) -> float:
    """The largest error of value and derivative on the golden instance with floats of this dtype, relative to
    the largest element of each array.

    NaN if any element is.
    """
    golden = problem.golden()
    arguments = tuple(
        a.astype(dtype) if isinstance(a, np.ndarray) and a.dtype == np.float64 else a
        for a in golden.arguments
    )
    prepared = system.prepare(problem, arguments, threads)
    pairs = [*zip(arrays_of(prepared.derivative()), golden.gradient, strict=True)]
    if prepared.primal is not None:
        pairs += zip(arrays_of(prepared.primal()), arrays_of(golden.value), strict=True)
    errors = [np.max(np.abs(as_numpy(found) - known)) / np.max(np.abs(known)) for found, known in pairs]
    return float(np.max(errors))


def as_numpy(array: Any) -> Any:
    """An array of any system in NumPy; PyTorch's may be on record."""
    return np.asarray(array.detach() if hasattr(array, "detach") else array)


def arrays_of(result: Any) -> list[Any]:
    """The arrays of a result, which is one, or nested tuples of them."""
    if isinstance(result, tuple):
        return [array for part in result for array in arrays_of(part)]
    return [result]
