"""`jit(dynamic=)`: one program for all large sizes and one for all small ones, by which each call runs."""

from __future__ import annotations

import copy
import importlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.frontend.test_dynamic_sizes import POSSIBLY_EMPTY, PROGRAMS, agree, arguments

SIZES = (2, 3, 7, 8, 9, 63, 64, 65, 255, 256, 257)

np_: Any = np
"""NumPy, as functions of traced arrays."""


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The compiles, in order: for sizes, with those that are small, or for numbers."""
    making: Any = importlib.import_module("mlirad.frontend.compiling.run_compiler")
    found: list[str] = []
    sized: Callable[..., Any] = making.sized_code
    static: Callable[..., Any] = making.machine_code

    def of_range(module: Any, options: Any, wanted: Any, name: str) -> Any:
        found.append("small " + " ".join(wanted.small) if wanted.small else "large")
        return sized(module, options, wanted, name)

    def of_numbers(*args: Any, **kwargs: Any) -> Any:
        found.append("numbers")
        return static(*args, **kwargs)

    monkeypatch.setattr(making, "sized_code", of_range)
    monkeypatch.setattr(making, "machine_code", of_numbers)
    return found


def test_ten_small_sizes_are_one_compile(made: list[str]):
    f = ad.jit(ad.grad(lambda x: np.sum(np.tanh(x) * x)), dynamic="x:0", threads=1)
    for n in (3, 7, 8, 9, 31, 64, 100, 150, 200, 255):
        x = np.linspace(-2.0, 1.0, n)
        np.testing.assert_allclose(f(x), np.tanh(x) + x / np.cosh(x) ** 2, rtol=1e-12)
    assert made == ["small n"]


def test_sizes_at_the_ends_of_ranges(made: list[str]):
    f = ad.jit(lambda x: (np.sum(x**2), x[::-1] + x.shape[0]), dynamic="x:0", threads=1)
    for n in (256, 1, 2, 255, 257, 1000, 0, 3):
        x = np.arange(float(n))
        total, turned = f(x)
        assert total == np.sum(x**2)
        np.testing.assert_array_equal(turned, x[::-1] + n)
    assert made == ["large", "numbers", "small n", "numbers"]


def test_two_sizes(made: list[str]):
    f = ad.jit(
        lambda x, y: (np.sum(x[:, None] * y, axis=0), np.exp(-np.abs(x))), dynamic=("x:0", "y:0"), threads=1
    )
    for n, m in ((300, 400), (5, 256), (6, 7), (256, 255), (2, 2), (1000, 3), (9, 1000)):
        x, y = np.linspace(-1, 1, n), np.linspace(0, 2, m)
        agree(f(x, y), (np.sum(x[:, None] * y, axis=0), np.exp(-np.abs(x))))
    assert made == ["large", "small n", "small m n", "small m"]


@pytest.mark.filterwarnings("ignore::mlirad.RecompileWarning")
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_at_all_sizes(case: Callable[..., Any]):
    gradient = ad.grad(case, argnums=(0, 2))
    found = ad.jit(gradient, dynamic="x:0 y:0", threads=1)
    for n in SIZES:
        agree(found(*arguments(n)), ad.jit(gradient, interpret=True)(*arguments(n)))


@pytest.mark.filterwarnings("ignore::mlirad.RecompileWarning")
@pytest.mark.parametrize("case", range(len(POSSIBLY_EMPTY)))
def test_parts_that_may_be_empty_or_single(case: int):
    found = ad.jit(POSSIBLY_EMPTY[case], dynamic="x:0", threads=1)
    for n in (2, 3, 4, 7, 33):
        x = np.arange(float(n)) + 1
        agree(found(x), ad.jit(POSSIBLY_EMPTY[case], interpret=True)(x))


def test_second_differences_are_one_compile(made: list[str]):
    f = ad.jit(
        ad.grad(lambda x: np.sum((x[2:] - 2 * x[1:-1] + x[:-2]) ** 2)),
        dynamic="x:0",
        threads=1,
    )
    for n in (2, 3, 4, 9, 100):
        x = np.random.default_rng(n).normal(size=n)
        matrix = np.diff(np.eye(n), n=2, axis=0)
        np.testing.assert_allclose(f(x), 2 * matrix.T @ (matrix @ x), atol=1e-12)
    assert made == ["small n"]


# Around it ---------------------------------------------------------------------------------------


def test_results_are_written_where_calls_say():
    def step(x: Any, y: Any) -> Any:
        return x + 0.5 * y, np.sum(y)

    f = ad.jit(step, dynamic="x:0 y:0", threads=1)
    donating = ad.jit(step, dynamic="x:0 y:0", donate="x", threads=1)
    for n in (3, 10, 200, 300):
        x, y = np.arange(float(n)), np.ones(n)
        out, total = np.empty(n), np.empty(())
        f(x, y, out=(out, total))
        np.testing.assert_array_equal(out, x + 0.5)
        assert total == n
        wanted, own = x + 0.5, x.copy()
        new, _ = donating(own, y)
        np.testing.assert_array_equal(new, wanted)
        assert np.shares_memory(new, own)


def scaled(x: Any) -> Any:
    return np_.sum(np_.sin(x) * x.shape[0])


def test_copies_and_pickles():
    f = ad.jit(scaled, dynamic="x:0", threads=1)
    f(np.ones(5))
    for other in (copy.deepcopy(f), pickle.loads(pickle.dumps(f))):
        for n in (4, 5, 300):
            np.testing.assert_allclose(other(np.ones(n)), n * n * np.sin(1.0))


def test_both_are_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: list[str]):
    monkeypatch.setenv("MLIRAD_CACHE", str(tmp_path / "cache"))
    for k in range(2):
        f = ad.jit(lambda x: np.cos(x) * x, dynamic="x:0", threads=1)
        for n in (4, 300, 9, 5000):
            x = np.linspace(0, 1, n)
            np.testing.assert_allclose(f(x), np.cos(x) * x)
        assert made == ["small n", "large"], k


def test_what_compiling_takes_is_that_of_the_size():
    f = ad.jit(lambda x: np.sum(x**2), dynamic="x:0", threads=1)
    small, more = f.stats(np.ones(5)), f.stats(np.ones(50))
    assert small.kernels == more.kernels == 1
    assert small.work < more.work
