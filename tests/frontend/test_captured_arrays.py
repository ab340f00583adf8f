"""Functions of a state of arrays and containers that changes between calls: they compute what Python does.

The function itself is the witness. Two functions of one code may share what is compiled, and of their two
states one is changed while the other is not.
"""

from __future__ import annotations

import random
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.captured_arrays import random_program

READINGS: dict[str, Callable[..., Any]] = {
    "jit": ad.jit,
    "of a jit": lambda f, **o: ad.jit(ad.jit(f), **o),
    "made again": lambda f, **o: lambda x: ad.jit(lambda y: f(y), **o)(x),
    "grad": lambda f, **o: _times(ad.grad(f, **o)),
    "value and grad": lambda f, **o: lambda x: ad.value_and_grad(f, **o)(x)[0],
    "jacobian": lambda f, **o: _times(ad.jacobian(f, **o)),
    "linearize": lambda f, **o: lambda x: ad.linearize(f, x, **o)[1](x),
    "batch": lambda f, **o: _first(ad.vmap(f, **o)),
    "batch of gradients": lambda f, **o: _times(_first(ad.jit(ad.vmap(ad.grad(f)), **o))),
    "gradient of a batch": lambda f, **o: _times(_first(ad.grad(lambda xs: np.sum(ad.vmap(f)(xs)), **o))),
}
"""The compiled forms of a linear function, as functions that give the same."""

MOST_FAILURES = 5


def _times(slope: Callable[[float], Any]) -> Callable[[float], Any]:
    return lambda x: slope(x) * x


def _first(batch: Callable[[Any], Any]) -> Callable[[float], Any]:
    return lambda x: batch(np.array([x, 1.0]))[0]


def judge(seed: int, *, interpret: bool) -> None:
    """Compare what functions of one code give, in turns, as their states change."""
    rng = random.Random(seed)
    name = rng.choice(list(READINGS))
    programs = [random_program(seed) for _ in range(rng.choice((1, 2)))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.CaptureWarning)
        compiled = [READINGS[name](p.function, interpret=interpret) for p in programs]
        for iteration in range(6):
            for program, function in zip(programs, compiled, strict=True):
                found, wanted = function(1.5), program.function(1.5)
                np.testing.assert_allclose(
                    found, wanted, rtol=1e-6, atol=1e-9, err_msg=f"seed {seed}: {name}, iteration {iteration}"
                )
            for _ in range(rng.choice((1, 1, 1, 2))):
                rng.choice(programs).change(rng)


@pytest.mark.parametrize("first", range(0, 12, 6))
def test_changes_of_arrays_are_seen(first: int) -> None:
    for seed in range(first, first + 6):
        judge(seed, interpret=True)


@pytest.mark.fuzz
def test_changes_of_many_arrays_are_seen(fuzz_seconds: float, judged: Counter[str]) -> None:
    end, seeds = time.monotonic() + fuzz_seconds, random.SystemRandom()
    wrong: list[str] = []
    while time.monotonic() < end and len(wrong) < MOST_FAILURES:
        seed = seeds.randrange(2**32)
        judged["states that change"] += 1
        try:
            judge(seed, interpret=seed % 4 > 0)
        except Exception as error:
            wrong.append(str(error))
    assert not wrong, "\n\n".join(wrong)
