"""Random programs that read a value from somewhere, and changes of it: what is compiled is never stale.

The witness is arithmetic: every program is x times the value. Pairs of programs of one code, which may share
what is compiled, differ in the value alone, and one is changed while the other is not.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.captured_state import program_of

READINGS: dict[str, Callable[..., Callable[[float], Any]]] = {
    "jit": ad.jit,
    "grad": lambda f, **o: lambda x: ad.grad(f, **o)(x) * x,
    "vmap": lambda f, **o: lambda x: ad.vmap(f, **o)(np.full(2, x))[1],
    "of a gradient": lambda f, **o: lambda x: ad.jit(ad.grad(f), **o)(x) * x,
    "of a batch": lambda f, **o: lambda x: ad.jit(ad.vmap(f), **o)(np.full(2, x))[0],
    "of a closure": lambda f, **o: ad.jit(lambda x: f(x), **o),
    "of a partial": lambda f, **o: lambda x: ad.value_and_grad(f, **o)(x)[0],
}
"""The compiled forms of a function, as functions that give the same."""


def judge(seed: int, *, interpret: bool) -> None:
    """Compare what three functions of one code give, in turns, as their values change."""
    choose = random.Random(seed)
    programs = [program_of(seed, value) for value in (2.0, 3.0, 2.0)]
    name = choose.choice(list(READINGS))
    compiled = [READINGS[name](p.function, interpret=interpret) for p in programs]
    for _ in range(7):
        for k in choose.sample(range(3), 3):
            found, wanted = compiled[k](1.5), 1.5 * programs[k].value
            assert found == wanted, f"seed {seed}: {name} gives {found}, not {wanted}\n{programs[k].text}"
        programs[choose.randrange(3)].change(choose.choice((2.0, 3.0, 5.0, 7.0)))


@pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")
@pytest.mark.parametrize("first", range(0, 16, 8))
def test_changes_are_seen(first: int) -> None:
    for seed in range(first, first + 8):
        judge(seed, interpret=True)


@pytest.mark.fuzz
@pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")
@pytest.mark.parametrize("first", range(100, 1100, 50))
def test_changes_of_many_programs_are_seen(first: int) -> None:
    for seed in range(first, first + 50):
        judge(seed, interpret=seed % 4 > 0)
