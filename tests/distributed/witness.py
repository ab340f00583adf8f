"""A plan on chunks against the function on all rows, both run by the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from mlirad.distributed.local import at_rows, run
from mlirad.distributed.plan import Plan
from mlirad.distributed.planning import Planned, plan_of
from mlirad.frontend.tracing.pytree import flatten
from mlirad.interpreter import run_function
from tests.distributed.programs import Case

CHUNKS: Final = (90, 7, 120, 2, 1, 80)
"""Rows of chunks, 300 in all."""


def interpreted(text: str, rows: int) -> Callable[..., Any]:
    """A program of a plan, run by the interpreter."""
    return partial(_run, text, rows)


def _run(text: str, rows: int, *arguments: Any) -> Any:
    return run_function(at_rows(text, rows), arguments)


def planned(case: Case, residuals: Any) -> Planned:
    """The plan of a case."""
    return plan_of(case.function, case.args, {}, case.split, residuals=residuals)


def worst_error(case: Case, plan: Plan, chunks: Sequence[int]) -> float:
    """The largest difference to the function of all rows, by the largest entry of all results."""
    expected = [np.asarray(v) for v in flatten(case.function(*case.args))[0]]
    found = run(plan, case.leaves, chunks, interpreted)
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
    top = max((float(np.max(np.abs(v.astype(float)), initial=0.0)) for v in expected), default=0.0)
    errors = [np.max(np.abs(a.astype(float) - b), initial=0.0) for a, b in zip(found, expected, strict=True)]
    return max(map(float, errors), default=0.0) / (top or 1.0)
