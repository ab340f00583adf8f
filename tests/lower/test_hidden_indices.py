"""LLVM is not told that long sums of integers contain loop indices, whose regrouping takes it seconds."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad.jit.target import find_target

KEY = ad.random.key(0)
OPAQUE = 'asm ""'


def draws(n: int) -> str:
    return ad.jit(lambda key: ad.random.bits(key, (n,))).llvm(KEY)


def test_generators_of_random_numbers_hide_them_in_scalar_loops() -> None:
    """Vectors of two lanes leave three elements no scalar loop."""
    assert (OPAQUE in draws(3)) == (find_target().vector_bytes > 16)


def test_vectors_and_short_sums_need_not() -> None:
    assert OPAQUE not in draws(512)
    assert OPAQUE not in ad.jit(lambda x: np.where(np.arange(3) < 2, x, 2.0 * x)).llvm(np.ones(3))


@pytest.mark.parametrize("n", [1, 3, 5])
def test_what_is_drawn_is_what_the_interpreter_draws(n: int) -> None:
    drawn = ad.jit(lambda key: ad.random.bits(key, (n,)))(KEY)
    np.testing.assert_array_equal(drawn, ad.jit(lambda key: ad.random.bits(key, (n,)), interpret=True)(KEY))
