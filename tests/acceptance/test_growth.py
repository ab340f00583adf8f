"""The growth of work and memory of derivatives: programs at sizes n and 2 n, loops of n and 4 n steps.

Work is what the interpreter counts; memory is the arena that is planned for a call, in bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects.kernel.plans import COPIED, IN_PLACE, stated_carries
from mlirad.pipelines import expansion, lowering
from tests.acceptance.test_cost import check_cost, run
from tests.passes.derivatives import run_passes

LINEAR = 2.2
"""The most that twice the size may cost, over once."""


def operations(function: Any, arguments: tuple[Any, ...]) -> int:
    """The number of operations that the expanded program executes."""
    return run(function, arguments, expansion()).operations


# Programs of n steps that read or write single elements -------------------------------------------


def histogram(weights, bins):
    """Sums of weights by bin, as many bins as weights."""

    def add(counts, both):
        weight, bin_ = both
        return counts.at[bin_].add(weight)

    return ad.fold(add, np.zeros_like(weights), (weights, bins))


def histogram_of_squares(weights, bins):
    return np.sum(histogram(np.sin(weights), bins) ** 2)


def reads_in_order(x, _):
    return ad.fori_loop(0, len(x), lambda i, c: c * 0.5 + np.sin(x[i]), 0.0)


def reads_by_position(x, positions):
    return ad.fold(lambda c, p: np.sin(c + x[p]), 0.0, positions)


def reads_of_a_captured_array(x, positions):
    """Two reads of a captured vector per step, and stacked outputs."""
    _, ys = ad.scan(lambda c, p: (np.sin(c * x[p]), c * x[p - 1]), 1.0, positions)
    return np.sum(ys**2)


def reads_in_a_while(x, positions):
    def step(state):
        i, total = state
        return i + 1, total + np.sin(total) * x[positions[i]]

    return ad.while_loop(lambda s: s[0] < len(x), step, (0, 1.0))[1]


def reads_in_a_build(x, positions):
    return np.sum(ad.build((len(x),), lambda i: np.sin(x[positions[i]]) * x[i]))


def from_the_root(x, parents):
    """Values of a tree's nodes, each from its parent's: node i has the parent parents[i] < i."""

    def visit(values, i):
        value = np.sin(values[parents[i]]) + x[i]
        return values.at[i].set(value), None

    values, _ = ad.scan(visit, np.zeros_like(x), np.arange(len(x)))
    return np.sum(values**2)


def to_the_root(x, parents):
    """The sums over all subtrees: children give what they have to their parents, the last one first."""

    def visit(sums, i):
        return sums.at[parents[i]].add(np.where(i > 0, np.sin(sums[i]), 0.0)), None

    sums, _ = ad.scan(visit, x, np.arange(len(x)), reverse=True)
    return sums[0]


def updates_of_a_carry(x, positions):
    """A carried vector that changes at one position per step, and is read at another."""

    def step(v, p):
        return v.at[p].multiply(np.cos(v[p - 1])), v[p]

    v, ys = ad.scan(step, x, positions)
    return np.sum(v) + np.sum(ys)


def prefix_by_recursion(x, _):
    return np.sum(ad.scan(lambda c, t: (c * 0.9 + t, c), 0.0, x)[1] ** 2)


def rows_of_a_table(x, _):
    """A table whose rows follow from the row before."""
    n = len(x)

    def step(h, t):
        return h.at[t].set(np.tanh(h[t - 1][::-1] * 0.9 + x[t])), None

    h, _ = ad.scan(step, np.ones((n, 4)) * x[0], np.arange(1, n))
    return np.sum(h**2)


def columns_of_a_table(x, _):
    n = len(x)

    def step(h, t):
        return h.at[:, t].set(np.tanh(h[:, t - 1][::-1] * 0.9 + x[t])), None

    h, _ = ad.scan(step, np.ones((4, n)) * x[0], np.arange(1, n))
    return np.sum(h**2)


def cheapest_paths(x, _):
    """A band of a table, each element from the best of its neighbours."""
    n = len(x)

    def step(d, i):
        for j in range(3):
            above, before = d[i - 1, j], d[i, j - 1] if j else d[i - 1, j]
            d = d.at[i, j].set(np.minimum(above, before) + np.abs(x[i] - x[j]))
        return d, None

    d, _ = ad.scan(step, np.zeros((n, 3)) + x[0], np.arange(1, n))
    return np.sum(d**2)


def pushes_and_pops(x, positions):
    """A stack with a traced pointer."""

    def step(state, p):
        stack, top = state
        stack = stack.at[top].set(np.sin(x[p]))
        product = stack[top] * stack[top - 1]
        return (stack, np.where(p % 2 == 0, top + 1, np.maximum(top - 1, 0))), product

    return np.sum(ad.scan(step, (np.zeros(len(x)), 0), positions)[1])


def swaps(x, positions):
    """Two elements change places in every step."""

    def step(v, p):
        a, b = v[p], v[0]
        return v.at[p].set(b * 1.1).at[0].set(np.sin(a)), None

    v, _ = ad.scan(step, x, positions)
    return np.sum(v * np.arange(len(x)))


def assignments(x, positions):
    def step(i, v):
        v[i] = v[positions[i]] * 0.5 + x[i]
        return v

    return np.sum(ad.fori_loop(0, len(x), step, x * 1.0) ** 2)


def writes_through_views(x, positions):
    table = np.reshape(np.zeros_like(x), (-1, 1)) * np.ones(3)

    def step(i, carry):
        v, table = carry
        rest, column, row = v[1:], v[:, None].T, table[i]
        rest[i - 1] += np.sin(x[i])
        column[0, i] = rest[positions[i] - 1] * 0.5 + column[0, i]
        row += x[i]
        row[1:] *= v[i]
        table.ravel()[3 * i] *= 0.5
        return v, table

    v, table = ad.fori_loop(0, len(x), step, (x * 1.0, table))
    return np.sum(v**2) + np.sum(np.sin(table))


def writes_in_branches(x, positions):
    def step(v, p):
        return ad.cond(p % 2 == 0, lambda: v.at[p].multiply(0.9), lambda: v), None

    v, _ = ad.scan(step, x, positions)
    return np.sum(v**2)


PROGRAMS = {
    f.__name__.replace("_", "-"): f
    for f in (
        histogram_of_squares,
        reads_in_order,
        reads_by_position,
        reads_of_a_captured_array,
        reads_in_a_while,
        reads_in_a_build,
        from_the_root,
        to_the_root,
        updates_of_a_carry,
        prefix_by_recursion,
        rows_of_a_table,
        columns_of_a_table,
        cheapest_paths,
        pushes_and_pops,
        swaps,
        assignments,
        writes_through_views,
        writes_in_branches,
    )
}


def sized(n: int) -> tuple[np.ndarray, np.ndarray]:
    """n numbers, and a position among the earlier ones for each, always the same."""
    rng = np.random.default_rng(7)
    positions = np.array([rng.integers(0, max(i, 1)) for i in range(n)])
    return rng.normal(size=n), positions


def gradient(function: Any) -> Any:
    return lambda x, positions: ad.grad(lambda x: function(x, ad.asarray(positions)))(x)


def tangent(function: Any) -> Any:
    def along_ones(x, positions):
        return ad.jvp(lambda x: function(x, ad.asarray(positions)), (x,), (np.ones_like(x),))[1]

    return along_ones


@pytest.mark.parametrize("name", PROGRAMS)
def test_work_is_linear_in_the_number_of_steps(name):
    function = PROGRAMS[name]
    primal = lambda x, positions: function(x, ad.asarray(positions))  # noqa: E731
    for derivative in (primal, gradient(function), tangent(function)):
        small, large = (operations(derivative, sized(n)) for n in (30, 60))
        assert large <= LINEAR * small
    check_cost(primal, sized(30), (0,))


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_agree(name):
    function = PROGRAMS[name]
    x, positions = sized(7)
    ad.check_derivatives(lambda x: function(x, ad.asarray(positions)), x, step=1e-4)
    compiled = ad.jit(gradient(function))(x, positions)
    interpreted = ad.jit(gradient(function), interpret=True)(x, positions)
    np.testing.assert_allclose(compiled, interpreted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_is_linear_in_the_number_of_steps(name):
    function = ad.jit(gradient(PROGRAMS[name]))
    small, large = (function.lower(*sized(n)).arena_bytes for n in (512, 1024))
    assert large <= LINEAR * small + 1024


def kept_carries(function: Any, *arguments: Any) -> list[int]:
    """The carries of all loops: -1 in place, -2 scalars in slots, else the place of spare memory."""
    module = run_passes(ad.trace(function, *arguments), ",".join((*expansion(), *lowering())))
    return [mode for op in module.walk() for mode in stated_carries(op) or ()]


@pytest.mark.parametrize("name", PROGRAMS)
def test_loops_that_write_single_elements_copy_no_carry(name):
    """Else n iterations would take time n^2, whatever the interpreter counts."""
    function = PROGRAMS[name]
    primal = lambda x, positions: function(x, ad.asarray(positions))  # noqa: E731
    for program in (primal, gradient(function), tangent(function)):
        assert all(mode in (IN_PLACE, COPIED) for mode in kept_carries(program, *sized(16)))


# Memory of the reverse sweep ----------------------------------------------------------------------


WIDTH = 64


def repeated(steps: int, checkpoint: str | None) -> Any:
    """The gradient of a recurrence on vectors of `WIDTH`, in the start and a captured vector."""

    def loss(x, w):
        step = lambda c, _: ((np.sin(c * w) * np.cos(c))[::-1], None)  # noqa: E731
        return np.sum(ad.scan(step, x, None, length=steps, checkpoint=checkpoint)[0])

    return ad.grad(loss, argnums=(0, 1))


def peak_bytes(steps: int, checkpoint: str | None) -> int:
    return repeated(steps, checkpoint).lower(np.ones(WIDTH), np.ones(WIDTH)).arena_bytes


STEPS = (64, 256, 1024)  # n, 4 n, 16 n


def test_what_a_loop_keeps_follows_its_option():
    """All slopes, or all carries: proportional to n. One carry in sqrt(n): to sqrt(n)."""
    peaks = {c: [peak_bytes(n, c) for n in STEPS] for c in ("store", "recompute", "sqrt")}
    carry = 8 * WIDTH
    for kind, growth in (("store", 4), ("recompute", 4), ("sqrt", 2)):
        for before, after in zip(peaks[kind], peaks[kind][1:], strict=False):
            assert after == pytest.approx(growth * before, rel=0.1), kind
    for n, store, recompute, sqrt in zip(STEPS, *peaks.values(), strict=True):
        assert sqrt < recompute <= store
        assert recompute == pytest.approx(n * carry, rel=0.1)
        assert sqrt <= 5 * np.sqrt(n) * carry


@pytest.mark.parametrize("steps", [1, 2, 10, 17, 100])
def test_what_a_loop_keeps_changes_no_derivative(steps):
    x, w = np.linspace(-1, 1, WIDTH), np.linspace(0.5, 2, WIDTH)
    expected = repeated(steps, None)(x, w)
    for checkpoint in ("store", "recompute", "sqrt"):
        for got, want in zip(repeated(steps, checkpoint)(x, w), expected, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


def test_the_square_root_costs_one_more_run_of_the_loop():
    """Every step is run at most once more than by `"recompute"`."""

    def work(checkpoint: str) -> int:
        return operations(repeated(100, checkpoint), (np.ones(WIDTH), np.ones(WIDTH)))

    assert work("recompute") <= 1.6 * work("store")
    assert work("sqrt") <= 1.6 * work("recompute")
