"""Selections of NaN where an operand is NaN are left out where what they select from is NaN anyway."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

AT = np.array([-np.inf, -2.0, -0.5, -0.0, 0.0, 0.5, 1.0, 3.0, np.inf, np.nan] * 3)

FOLLOW: list[Callable[[Any], Any]] = [
    lambda x: x * x - 1.0, lambda x: np.log(np.minimum(x, 3.0)), lambda x: np.exp(-np.abs(x)),
    lambda x: np.maximum(x, 0.0) / 2.0, lambda x: np.sqrt(x) + 1.0, lambda x: np.log1p(x),
    lambda x: np.where(x < 0, 0.0, x), lambda x: np.where(x > 1, 7.0, np.where(x <= -1, -7.0, x)),
    lambda x: np.where(x != 1.0, x, 2.0), lambda x: np.where((x < 0) | (x > 1), 0.0, x),
    lambda x: np.where((x >= 0) & (x <= 1), 0.0, x + 1.0), lambda x: np.where(~(x != x), 0.0, x),
    lambda x: np.where(np.isfinite(x), 1.0, x), lambda x: np.where(np.exp(x) > 2.0, 1.0, np.sin(x)),
    lambda x: np.where(np.arange(30) < 15, x, -x),
]  # fmt: skip
"""Functions that are NaN where x is."""

HIDE: list[Callable[[Any], Any]] = [
    lambda x: np.where(x < 0, x, 1.0), lambda x: np.where(x != x, 0.0, x),
    lambda x: np.where(np.arange(30) < 15, x, 1.0), lambda x: np.where((x < 0) & (x > -9), x, 3.0),
    lambda x: 0.0 * np.arange(30.0) + np.where(x > 0, 1.0, 2.0), lambda x: np.power(x, 0.0) + 0.0,
    lambda x: np.where(~np.isfinite(x), 0.0, x),
]  # fmt: skip
"""Functions that have a value there."""


def _agrees(function: Callable[[Any], Any], program: Any) -> None:
    with np.errstate(all="ignore"):
        expected = np.where(np.isnan(AT), np.nan, function(AT))
    np.testing.assert_allclose(program(AT), expected, rtol=1e-14)


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("k", range(len(FOLLOW)))
def test_what_follows_nan_needs_no_test(k: int, flip: bool) -> None:
    function = FOLLOW[k]

    def tested(x: Any) -> Any:
        return (
            np.where(~np.isnan(x), function(x), np.nan)
            if flip
            else np.where(np.isnan(x), np.nan, function(x))
        )

    program = ad.jit(tested)
    _agrees(function, program)
    makes_nan = _tests(ad.jit(lambda x: function(x)))  # as logarithms of negative numbers do
    assert makes_nan or not _tests(program)


def _tests(program: Any) -> list[str]:
    """The instructions that select NaN."""
    return [line for line in program.llvm(AT).splitlines() if "select" in line and "0x7FF8" in line]


@pytest.mark.parametrize("k", range(len(HIDE)))
def test_what_hides_nan_is_tested(k: int) -> None:
    function = HIDE[k]
    program = ad.jit(lambda x: np.where(np.isnan(x), np.nan, function(x)))
    _agrees(function, program)
    assert _tests(program)


def test_a_derivative_behind_a_test_is_0() -> None:
    """The test is left out when nothing will be differentiated any more."""
    gradient = ad.grad(lambda x: np.sum(np.where(np.isnan(x), np.nan, x * x)))(AT)
    np.testing.assert_array_equal(gradient, np.where(np.isnan(AT), 0.0, 2 * AT))
