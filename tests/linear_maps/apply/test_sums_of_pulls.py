"""Second derivatives of loops and recursion inside of builds, by maps that are added to sums in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.compiler import transform
from mlirad.interpreter import OperationCounter, run_function
from mlirad.pipeline_options import METHODS, Options


def loops(x: Any) -> Any:
    """A loop per position, which reads elements near it."""

    def at(i: Any) -> Any:
        def step(state: Any) -> Any:
            k, y = state
            return k + 1, np.sin(y) * x[(i + k) % len(x)]

        return ad.while_loop(lambda state: state[0] < 3, step, (0, x[i]))[1]

    return np.sum(ad.build(len(x), at))


@ad.function
def _recursive(n: Any, x: Any, i: Any) -> Any:
    return ad.cond(n <= 0, lambda: x[i], lambda: np.sin(_recursive(n - 1, x, i) * x[(i + n) % len(x)]))


def recursion(x: Any) -> Any:
    return np.sum(ad.build(len(x), lambda i: _recursive(3, x, i)))


def shared(x: Any) -> Any:
    """The result of a loop is used by another and added to more, so that not every sum can wait."""

    def at(i: Any) -> Any:
        def grown(y: Any) -> Any:
            return ad.while_loop(
                lambda s: s[0] < 2, lambda s: (s[0] + 1, s[1] * np.sin(x[i]) + x[0]), (0, y)
            )[1]

        once = grown(x[i])
        return grown(once) * once + grown(x[0] * once)

    return np.sum(ad.build(len(x), at)) * np.sum(x**2)


PROGRAMS = (loops, recursion, shared)


def _product(program: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, v: ad.hvp(program, (x,), (v,))


@pytest.mark.parametrize("program", PROGRAMS)
def test_products_with_hessians_are_those_of_all_methods(program: Callable[[Any], Any]) -> None:
    x, v = np.linspace(0.3, 1.0, 6), np.cos(np.arange(6.0))
    gradient, h = ad.grad(program), 1e-5
    expected = (gradient(x + h * v) - gradient(x - h * v)) / (2 * h)
    for method in METHODS:
        found = ad.jit(_product(program), method=method)(x, v)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("program", PROGRAMS)
def test_they_cost_what_is_read(program: Callable[[Any], Any]) -> None:
    """Operations at n, 2 n and 4 n; a sum of whole arrays at each position would cost their square."""
    found: list[int] = []
    for n in (16, 32, 64):
        x = np.linspace(0.3, 1.0, n)
        module = ad.trace(_product(program), x, x)
        transform(module, Options(method="jacobian", end="arrays"))
        counter = OperationCounter()
        run_function(module, [x, x], function="main", counter=counter)
        found.append(counter.total)
    first, second, third = found
    assert third - second <= 2.1 * (second - first)
