"""LLVM does not see the indices of loops: regrouping sums with indices in them takes it long."""

from __future__ import annotations

import re

import numpy as np
import pytest

import mlirad as ad

KEY = ad.random.key(0)
COUNTED = re.compile(r"= phi i64 .*\[ (%\S+), %\S+ \]$", re.MULTILINE)
HIDDEN = re.compile(r"^  (%\S+) = call i64 asm ", re.MULTILINE)


def test_every_loop_hides_its_index() -> None:
    text = ad.jit(ad.grad(lambda x: np.sum(np.cumsum(x, 1) ** 2))).llvm(np.ones((30, 50)))
    indices = set(COUNTED.findall(text))
    assert indices
    assert indices <= set(HIDDEN.findall(text))


@pytest.mark.parametrize("start", [0, 5, -5])
def test_only_what_counts_from_a_natural_number_is_one(start: int) -> None:
    def f(x):
        return ad.fori_loop(start, start + 40, lambda k, y: y + np.sin(x * k), x)

    x = np.linspace(-1, 1, 7)
    np.testing.assert_allclose(ad.jit(f)(x), x + sum(np.sin(x * k) for k in range(start, start + 40)))


@pytest.mark.parametrize("n", [1, 3, 5])
def test_what_is_drawn_is_what_the_interpreter_draws(n: int) -> None:
    drawn = ad.jit(lambda key: ad.random.bits(key, (n,)))(KEY)
    np.testing.assert_array_equal(drawn, ad.jit(lambda key: ad.random.bits(key, (n,)), interpret=True)(KEY))
