"""Functions of dynamic dimensions: a program for all large sizes, one for all small ones, or one for each."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.compiling import run_compiler
from mlirad.lower.native_program import NativeProgram

SIZES = (256, 257, 1000, 100)


@pytest.fixture
def emitted(monkeypatch: pytest.MonkeyPatch) -> Generator[list[tuple[str, ...]]]:
    """The sizes of every program that is made machine code of, none for those of numbers."""
    found: list[tuple[str, ...]] = []
    compiled = run_compiler.machine_program

    def noted(program: NativeProgram) -> Any:
        found.append(program.sizes)
        return compiled(program)

    monkeypatch.setattr(run_compiler, "machine_program", noted)
    yield found


def loss(w: Any, x: Any, y: Any) -> Any:
    """The mean error of a layer."""
    error = np.tanh(x @ w) - y
    return np.sum(error * error) / x.shape[0]


def test_sizes_share_programs(emitted: list[tuple[str, ...]]) -> None:
    step = ad.jit(lambda w, x, y: ad.value_and_grad(loss)(w, x, y), dynamic="x:0 y:0")
    plain = ad.value_and_grad(loss)
    rng = np.random.default_rng(0)
    w = rng.standard_normal((6, 3))
    for n in SIZES:
        x, y = rng.standard_normal((n, 6)), rng.standard_normal((n, 3))
        value, gradient = step(w, x, y)
        count = len(emitted)
        expected, expected_gradient = plain(w, x, y)
        np.testing.assert_allclose(value, expected, rtol=1e-13)
        np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-12, atol=1e-14)
        del emitted[count:]
    assert emitted == [("n",), ("n",)]


def test_what_has_no_such_program(emitted: list[tuple[str, ...]]) -> None:
    inverse = ad.jit(np.linalg.inv, dynamic="a:0 a:1")
    rng = np.random.default_rng(0)
    for n in (256, 300):
        x = rng.uniform(1.0, 2.0, n)
        np.testing.assert_allclose(inverse(np.diag(x)), np.diag(1 / x), rtol=1e-13)
    assert emitted == [(), ()]


def test_donated_memory() -> None:
    step = ad.jit(lambda x, g: x - 0.1 * g, dynamic="x:0 g:0", donate="x")
    for n in (256, 300):
        x = np.arange(float(n))
        result = step(x, np.ones(n))
        assert result is x
        np.testing.assert_allclose(result, np.arange(n) - 0.1)


def test_two_sizes(emitted: list[tuple[str, ...]]) -> None:
    distances = ad.jit(lambda x, y: np.sum(np.abs(x[:, None] - y[None]), axis=1), dynamic=("x:0", "y:0"))
    rng = np.random.default_rng(0)
    for n, m in ((256, 300), (1000, 257)):
        x, y = rng.standard_normal(n), rng.standard_normal(m)
        np.testing.assert_allclose(distances(x, y), np.abs(x[:, None] - y).sum(1), rtol=1e-13)
    assert emitted == [("n", "m")]
