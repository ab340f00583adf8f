"""Random functions of complex arrays: values by NumPy, derivatives by differences and by other methods."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.complex_functions import ROWS, N, random_complex_function


def arguments(rng: np.random.Generator) -> tuple[Any, Any]:
    """A complex matrix and a real vector."""
    return rng.normal(size=(ROWS, N)) + 1j * rng.normal(size=(ROWS, N)), rng.normal(size=N)


def inner(one: Any, other: Any) -> Any:
    """The real inner product of two structures, without conjugates."""
    return sum(np.sum(a * b).real for a, b in zip(one, other, strict=True))


def check(seed: int, depth: int) -> None:
    """Compiled values against NumPy's, and derivatives against each other; every second seed interpreted."""
    f = random_complex_function(seed, depth)
    rng = np.random.default_rng(seed)
    point, direction, weights = (arguments(rng) for _ in range(3))
    interpret = bool(seed % 2)

    def loss(z: Any, x: Any) -> Any:
        return inner(f((z, x)), weights)

    def along(t: float) -> Any:
        return loss(*(p + t * d for p, d in zip(point, direction, strict=True)))

    for found, wanted in zip(ad.jit(f, interpret=interpret)(point), f(point), strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    _, slope = ad.jvp(loss, point, direction, interpret=interpret)
    step = 1e-5
    np.testing.assert_allclose(slope, (along(step) - along(-step)) / (2 * step), rtol=1e-5, atol=1e-5)
    for method in ("dual-arrays", "jacobian", "chad") if seed % 3 == 0 else ("dual-arrays",):
        gradient = ad.grad(loss, argnums=(0, 1), method=method, interpret=interpret)(*point)
        np.testing.assert_allclose(inner(gradient, direction), slope, rtol=1e-8, atol=1e-8, err_msg=method)


@pytest.mark.parametrize("seed", range(10))
def test_random_functions(seed: int) -> None:
    check(seed, depth=2)


@pytest.mark.fuzz
def test_fresh_functions(fuzz_seconds: float, judged: Counter[str]) -> None:
    end = time.monotonic() + fuzz_seconds
    while time.monotonic() < end:
        seed = random.SystemRandom().randrange(10**9)
        try:
            check(seed, depth=3)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        judged["complex functions"] += 1
