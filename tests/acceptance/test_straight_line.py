"""Programs of Python loops, which are traced as straight-line code: what compiling them takes.

Work is counted in calls of functions of the compiler, and in lines of the LLVM IR text that it hands to LLVM.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.jit import engine
from mlirad.linear_maps.apply import evaluator
from tests.work import calls_made

LINEAR = 2.2
"""The most that twice the ops may cost, over once."""


def sines(steps: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    def f(x):
        for _ in range(steps):
            x = np.sin(x) * 1.1 + 0.3
        return np.sum(x)

    return f, (np.linspace(-1.0, 1.0, 4),)


def cells(steps: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    def f(w, x):
        for _ in range(steps):
            gates = w @ x
            x = np.tanh(gates) * x + 1.0 / (1.0 + np.exp(-gates))
        return np.sum(x)

    return f, (np.linspace(-0.3, 0.3, 64).reshape(8, 8), np.linspace(-1.0, 1.0, 8))


def attractions(steps: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    def f(x, v):
        for _ in range(steps):
            d = x[:, None] - x[None, :]
            v = v - 0.01 * np.sum(d / (np.sum(d * d, axis=2) + 0.1)[:, :, None] ** 1.5, axis=1)
            x = x + 0.01 * v
        return np.sum(x * x)

    return f, (np.linspace(-1.0, 1.0, 6).reshape(3, 2), np.zeros((3, 2)))


every_program = pytest.mark.parametrize("program", [sines, cells, attractions])


def lowered(program: Callable[[int], Any], steps: int) -> Any:
    f, arguments = program(steps)
    return ad.grad(f, argnums=tuple(range(len(arguments)))).lower(*arguments)


@pytest.mark.parametrize("program", [sines, cells])
def test_work_is_linear_in_the_ops(program):
    def work(steps: int) -> int:
        # Everything made once per process is made by then.
        lowered(program, 2).llvm()
        return calls_made(lambda: lowered(program, steps).llvm())

    assert work(12) <= LINEAR * work(6)


@pytest.mark.parametrize("program", [sines, attractions])
def test_a_step_more_is_a_call_more_of_the_same_kernels(program):
    """LLVM gets the kernels of a step once, and each elementary function once per width."""

    def functions(steps: int) -> int:
        return lowered(program, steps).llvm().count("define internal")

    assert functions(20) <= functions(10) + 2
    text = lowered(program, 4).llvm()
    for name in ("sin", "cos", "exp", "tanh", "pow"):
        assert text.count(f"@mlirad.{name}.double.1(double %x0") <= 1


@every_program
def test_derivatives_are_those_of_finite_differences(program):
    f, arguments = program(5)
    ad.check_derivatives(f, *arguments)


def test_maps_of_long_programs_are_not_taken_for_nested_ones(monkeypatch: pytest.MonkeyPatch):
    """No program is too long: what a limit counts are maps that are composed with themselves."""
    monkeypatch.setattr(evaluator, "MAX_NESTED_NODES", 100)
    functions = random.Random(0).choices([np.sin, np.cos, np.tanh, lambda x: x * x + 0.5], k=20)

    def f(x, y):
        for function in functions:
            x, y = function(x) * y, 0.6 * x + 0.3 * y[::-1]
        return np.sum(x * y)

    ad.check_derivatives(f, np.linspace(-1.0, 1.0, 4), np.linspace(1.0, 2.0, 4))


def test_long_texts_are_compiled_in_the_quick_tier(monkeypatch: pytest.MonkeyPatch):
    """It is taken by the length of the text alone, computes the same, and `stats` tells of it."""
    f, (x,) = sines(7)
    expected = ad.grad(f)(x)
    text = ad.grad(f).llvm(x)
    for limit, is_quick in ((len(text) + 1, False), (len(text), True)):
        monkeypatch.setattr(engine, "QUICK_FROM", limit)
        engine._compiled.cache_clear()
        stats = ad.grad(f).stats(x)
        assert stats.is_quick == is_quick
        assert ("does not optimise" in str(stats)) == is_quick
        assert np.array_equal(ad.grad(f).lower(x).compile()(x), expected)
