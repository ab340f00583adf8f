"""Loops whose iterations read and update single cells of an array: in branches, inner loops, calls and
recursion.

Twice the cells and iterations cost twice the work, for the gradient as for the program, by both methods; and
what is counted happens: compiled loops copy no array. The gradients equal finite differences and each other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.dialects.kernel.plans import ARENA_ATTRIBUTE, COPIED, IN_PLACE, stated_carries
from mlirad.interpreter import OperationCounter, run_function
from mlirad.pipeline_options import METHODS
from mlirad.pipelines import expansion, lowering
from tests.acceptance.test_random_programs import run_for
from tests.generators.cells import random_cells
from tests.passes.derivatives import run_passes

LINEAR = 1.15
"""The most that the work of the gradient may grow, over that of the program."""

SIZE = 64


def reads_beside_an_update(x, positions):
    """The cotangent of what is read comes before that of the updated array."""

    def step(state, p):
        v, s = state
        return (v.at[p].set(v[p - 1] * s), s + v[0] * v[1]), None

    return np.sum(ad.scan(step, (x, 1.0), positions)[0][0])


def reads_in_a_branch(x, positions):
    def step(state, p):
        v, s = state
        s = ad.switch(p % 3, [lambda: np.sin(v[p - 1]) * s, lambda: s, lambda: v[p] * v[p]])
        return (v.at[p].set(s), s), None

    return ad.scan(step, (x, 1.0), positions)[0][1]


def updates_in_two_branches(x, positions):
    def step(state, p):
        v, s = state
        v, s = ad.cond(p % 2 == 0, lambda: (v.at[p].set(s * v[0]), s + v[p]), lambda: (v, s))
        y = v[p - 1] * v[0]
        return ad.cond(p % 3 == 0, lambda: (v.at[p - 1].set(y), s * v[p]), lambda: (v, s + y)), None

    v, s = ad.scan(step, (x, 1.0), positions)[0]
    return np.sum(v) + s


def a_stack_in_a_while(x, positions):
    def step(state):
        i, v, top, s = state
        p = positions[i]
        below = np.maximum(top - 1, 0)

        def push():
            return v.at[top].set(np.sin(s + x[p])), np.minimum(top + 1, len(x) - 1), s

        return (i + 1, *ad.cond(p % 2 == 0, push, lambda: (v, below, s + v[below] ** 2)))

    return ad.while_loop(lambda state: state[0] < len(x), step, (0, x * 0.0, 0, 1.0))[3]


def reads_in_an_inner_loop(x, positions):
    def step(state, p):
        v, s = state
        inner = lambda j, t: ad.cond(j > 0, lambda: np.sin(v[p - j] * t), lambda: t * v[p])  # noqa: E731
        s = ad.fori_loop(0, 3, inner, s)
        return (v.at[p].set(s), s), None

    return ad.scan(step, (x, 1.0), positions)[0][1]


def reads_in_a_loop_on_data(x, positions):
    """The inner loop runs again in the reverse sweep; the array is restored for it."""

    def step(state, p):
        v, s = state
        s = ad.fori_loop(0, p % 3, lambda j, s: np.sin(v[p - j] * s), s)
        return (v.at[p].set(s), s), None

    return ad.scan(step, (x, 1.0), positions)[0][1]


def reads_in_loops_on_data(x, positions):
    def step(state):
        i, v, s = state
        p = positions[i]
        inner = lambda c: (c[0] + 1, np.sin(v[p - c[0]] * c[1]))  # noqa: E731
        s = ad.while_loop(lambda c: c[0] < p % 3, inner, (0, s))[1]
        return i + 1, v.at[p].set(s).at[0].add(s), s

    return ad.while_loop(lambda state: state[0] < len(x), step, (0, x, 1.0))[2]


def reads_in_a_checkpoint(x, positions):
    def step(state, p):
        v, s = state
        s = ad.checkpoint(lambda v, s: np.sin(np.sin(v[p - 1]) * s))(v, s)
        return (v.at[p].set(s), s), None

    return ad.scan(step, (x, 1.0), positions)[0][1]


@ad.function
def read(v, p, s):
    return np.sin(v[p - 1]) * s


@ad.function
def updated(v, p, s):
    return v.at[p].set(np.sin(v[p - 1]) * s)


def reads_in_calls(x, positions):
    s = ad.scan(lambda s, p: (read(x, p, s), None), 1.0, positions)[0]
    for p in range(0, len(x), 4):
        s = read(x, p, s)
    return s


def updates_in_calls(x, positions):
    def step(v, p):
        return updated(v, p, read(v, p, v[0])), None

    return ad.scan(step, x, positions)[0][1]


def updates_by_recursion(x, positions):
    """The recursive function calls others, which under the method `jacobian` stay functions."""

    @ad.function
    def visit(v, i):
        return ad.cond(i < 1, lambda: v, lambda: visit(updated(v, i, read(v, positions[i], v[0])), i - 1))

    return np.sum(visit(x, len(x) - 1))


PROGRAMS = {
    f.__name__.replace("_", "-"): f
    for f in (
        reads_beside_an_update,
        reads_in_a_branch,
        updates_in_two_branches,
        a_stack_in_a_while,
        reads_in_an_inner_loop,
        reads_in_a_loop_on_data,
        reads_in_loops_on_data,
        reads_in_a_checkpoint,
        reads_in_calls,
        updates_in_calls,
        updates_by_recursion,
    )
}


def sized(n: int) -> tuple[np.ndarray, np.ndarray]:
    """n numbers, and a position among the earlier ones for each."""
    rng = np.random.default_rng(n)
    return rng.normal(size=n), np.array([rng.integers(0, max(i, 1)) for i in range(n)])


def expanded(function: Callable[..., Any], n: int, method: str) -> ModuleOp:
    module = ad.trace(lambda x, positions: function(x, ad.asarray(positions)), *sized(n))
    return run_passes(module, ",".join(expansion(method)))


def run(module: ModuleOp, n: int) -> tuple[np.ndarray, int]:
    """The result at size n, and the operations that it takes."""
    counter = OperationCounter()
    (result,) = run_function(module, list(sized(n)), function="main", counter=counter)
    return np.asarray(result), counter.total


def check_cells(function: Callable[..., Any]) -> None:
    """Work, values and in-place updates of a function of cells and positions, and of its gradient."""

    def gradient(x: Any, positions: Any) -> Any:
        return ad.grad(lambda x: function(x, positions))(x)

    sizes = (SIZE, 2 * SIZE)
    programs = [expanded(function, n, "dual-arrays") for n in sizes]
    primal = [run(program, n)[1] for program, n in zip(programs, sizes, strict=True)]
    found: list[np.ndarray] = []
    for method in METHODS:
        modules = [expanded(gradient, n, method) for n in sizes]
        (_, small), (value, large) = (run(m, n) for m, n in zip(modules, sizes, strict=True))
        found.append(value)
        assert large / small <= LINEAR * max(primal[1] / primal[0], 2), method
        lowered = run_passes(modules[0], ",".join(lowering()))
        modes = [mode for op in lowered.walk() for mode in stated_carries(op) or ()]
        assert all(mode in (IN_PLACE, COPIED) for mode in modes), method
        if method == "dual-arrays":
            twice = run_passes(modules[1], ",".join(lowering()))
            small, large = (max(map(arena_bytes, m.walk())) for m in (lowered, twice))
            assert large <= 2.2 * small + 1024
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-9, atol=1e-11)
    x, positions = sized(2 * SIZE)
    along, step = np.random.default_rng(0).normal(size=x.shape), 1e-5
    ahead, behind = (
        run_function(programs[1], [x + h * along, positions], function="main")[0] for h in (step, -step)
    )
    slope, terms = (ahead - behind) / (2 * step), along * found[0]
    assert abs(slope - np.sum(terms)) <= 1e-5 * (1 + np.sum(np.abs(terms)))


def arena_bytes(op: Any) -> int:
    """The memory that a function takes for a call."""
    stated = op.attributes.get(ARENA_ATTRIBUTE) if isinstance(op, FuncOp) else None
    return 0 if stated is None else stated.value.data


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    check_cells(PROGRAMS[name])


@pytest.mark.parametrize("seed", [2, 4, 12])
def test_random_programs(seed):
    check_cells(random_cells(seed))


@pytest.mark.fuzz
def test_many_random_programs(fuzz_seconds, judged):
    def check(seed: int, size: int) -> None:
        check_cells(random_cells(seed, min(size // 8, 2)))

    run_for(check, "cells", fuzz_seconds, judged)


@pytest.mark.fuzz
def test_compiled_gradients_are_the_interpreted_ones():
    """One program that has all: branches, calls, checkpoints, recursion."""
    parts = [
        PROGRAMS[name]
        for name in ("updates-in-two-branches", "reads-in-a-checkpoint", "updates-by-recursion")
    ]

    def total(x, positions):
        return functools.reduce(lambda t, f: t + f(x, positions), parts, 0.0)

    x, positions = sized(7)
    for method in METHODS:
        compiled, interpreted = (
            ad.grad(lambda x: total(x, ad.asarray(positions)), method=method, interpret=i)(x)
            for i in (False, True)
        )
        np.testing.assert_allclose(compiled, interpreted, rtol=1e-12, atol=1e-13)
