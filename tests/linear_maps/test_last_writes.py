"""The writes that survive: at once where positions differ, by counting otherwise."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects.array.indexing import UpdateOp
from mlirad.pipelines import expansion
from tests.passes.derivatives import run_passes

A = np.arange(1.0, 13.0).reshape(3, 4)


def updates(function, *arguments) -> int:
    """The updates that the pullback of a write of values does."""
    module = run_passes(
        ad.trace(lambda a, v: ad.vjp(lambda v: function(a, v), v)[1](a), *arguments), ",".join(expansion())
    )
    return sum(isinstance(op, UpdateOp) for op in module.walk())


DIFFERENT = {
    "column": (lambda a, v: a.at[:, ad.asarray(2)].set(v), 3),
    "reversed": (lambda a, v: a.at[::-1, ad.asarray(2)].set(v), 3),
    "strided": (lambda a, v: a.at[::2, ad.asarray(1)].set(v), 2),
}
POSITIONS = np.array([2, 0, 2])
EQUAL = {
    "given": (lambda a, v: a.at[ad.asarray(POSITIONS), 1].set(v), 3),
    "computed": (lambda a, v: a.at[ad.asarray(POSITIONS) // 2, 3].set(v), 3),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_different_positions_cost_nothing(name):
    function, count = DIFFERENT[name]
    assert updates(function, A, np.ones(count)) == 0


@pytest.mark.parametrize("name", {**DIFFERENT, **EQUAL})
def test_what_is_overwritten_has_no_derivative(name):
    function, count = {**DIFFERENT, **EQUAL}[name]
    values = np.linspace(0.5, 1.0, count)
    expected = np.zeros(count)
    for k in range(count):
        changed = values.copy()
        changed[k] += 1.0
        difference = ad.jit(function)(A, changed) - ad.jit(function)(A, values)
        expected[k] = np.sum(difference * A)
    _, pullback = ad.vjp(lambda v: function(ad.asarray(A), v), values)
    np.testing.assert_allclose(pullback(A)[0], expected)
    by_base, _ = ad.vjp(function, A, values)[1](np.ones((3, 4)))
    np.testing.assert_array_equal(by_base, ad.jit(function)(A, values) == A)
