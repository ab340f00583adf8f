"""Loops over more than caches hold ask ahead for what they keep and read again, and for nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from examples.programs import ode, stencil
from mlirad.lower.machine import CACHE_BYTES

READ, WRITTEN = "0", "1"

PROGRAMS: dict[str, Callable[..., Any]] = {
    "value": stencil.loss_by_build,
    "gradient": ad.grad(stencil.loss_by_build, argnums=(0, 1)),
    "ode": ad.grad(lambda x: ode.last_component(x, 100)),
}


def fetched(f: Callable[..., Any], *args: Any) -> set[str]:
    """The kinds of prefetches in a program: of memory that it reads, and of memory that it writes."""
    return set(
        re.findall(r"call void @llvm\.prefetch\.p0\(ptr %\S+, i32 (\d)", ad.jit(f).lower(*args).llvm())
    )


def loss(start: Any, conductivity: Any, measured: Any) -> Any:
    """`stencil.loss_by_build` in NumPy, of complex arrays, too."""
    u = start
    for _ in range(stencil.STEPS):
        p = np.pad(u, 1)
        u = u + conductivity * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)
    return 0.5 * np.sum((u - measured) ** 2)


def test_what_a_gradient_keeps_is_fetched_where_no_cache_holds_it() -> None:
    large, small = stencil.random_instance(250, 250), stencil.random_instance(64, 64)
    assert large[0].nbytes < CACHE_BYTES < stencil.STEPS * large[0].nbytes
    assert fetched(PROGRAMS["gradient"], *large) == {READ, WRITTEN}
    assert not fetched(PROGRAMS["gradient"], *small)


def test_of_one_dimension_too() -> None:
    assert fetched(PROGRAMS["ode"], ode.random_instance(6000)) == {READ, WRITTEN}
    assert not fetched(PROGRAMS["ode"], ode.random_instance(1000))


def test_carries_and_captured_arrays_are_not() -> None:
    assert not fetched(PROGRAMS["value"], *stencil.random_instance(800, 800))


def trajectory(x: Any, iterations: int) -> Any:
    """Means of neighbours on a circle, taken again and again."""

    def step(u: Any, _: Any) -> tuple[Any, Any]:
        moved = 0.5 * u + 0.5 * np.roll(u, 1)
        return moved, moved

    return ad.scan(step, x, np.arange(iterations))[1]


def test_short_slices_are_not() -> None:
    assert not fetched(lambda x: trajectory(x, 10_000), np.linspace(0, 1, 128))


def test_a_trajectory_is_fetched_to_be_written() -> None:
    x = np.random.default_rng(0).uniform(size=8001)
    assert fetched(lambda x: trajectory(x, 100), x) == {WRITTEN}
    rows, u = ad.jit(lambda x: trajectory(x, 100))(x), x
    for row in rows:
        u = 0.5 * u + 0.5 * np.roll(u, 1)
        np.testing.assert_array_equal(row, u)


@pytest.mark.parametrize("shape", [(256, 256), (257, 243), (9, 8003)])
def test_gradients_are_slopes(shape: tuple[int, int]) -> None:
    args: tuple[Any, ...] = stencil.random_instance(*shape)
    assert fetched(PROGRAMS["gradient"], *args)
    along = np.random.default_rng(1).uniform(-1, 1, size=(2, *shape))
    moved = [x + 1e-30j * d for x, d in zip(args, along, strict=False)]
    want = float(loss(moved[0], moved[1], args[2]).imag) / 1e-30
    gradient: Any = ad.jit(PROGRAMS["gradient"])(*args)
    np.testing.assert_allclose(np.vdot(gradient, along), want, rtol=1e-10)
