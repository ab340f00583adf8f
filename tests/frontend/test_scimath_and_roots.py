"""`np.emath` and `np.roots`: NumPy's values, as complex arrays, and derivatives as of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

POINTS = np.array([0.3, 0.99, -0.4, 1.7, -2.5, 12.0])
"""Inside and outside of the domains of all functions."""

SCIMATH: dict[str, Callable[[Any], Any]] = {
    **{
        name: getattr(np.emath, name)
        for name in ("sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh")
    },
    "logn": lambda x: np.emath.logn(2.0, x),
    "logn of a base": lambda x: np.emath.logn(x, 3.0),
    "power": lambda x: np.emath.power(x, 0.3),
    "power of an exponent": lambda x: np.emath.power(-2.0, x),
    "of a list": lambda x: np.emath.sqrt([x[0], x[4], 3.0]),
    "of complex numbers": lambda x: np.emath.arcsin(x + 0.5j),
    "of integers": lambda x: np.emath.sqrt(np.arange(-2, 4)) * x,
}


@pytest.mark.parametrize("case", SCIMATH)
def test_scimath(case: str) -> None:
    require_the_same(SCIMATH[case], POINTS)


POLYNOMIALS: dict[str, Callable[[Any], Any]] = {
    "all coefficients": lambda x: x,
    "monic": lambda x: np.concatenate([[1.0], x]),
    "first of zero": lambda x: [0.0, 0.0, x[0] * x[1], x[1] + 2.0, x[2] ** 2 + x[1]],
    "last of zero": lambda x: [x[0] * x[1], x[1] + 2.0, x[2] ** 2 + x[1], 0.0, 0.0],
    "of degree 1": lambda x: x[1:3],
    "of degree 0": lambda x: x[:1],
    "a list": lambda x: [1.0, x[0], x[1] * x[2]],
    "complex": lambda x: x[:4] * (1.0 + 0.3j * x[1:5]),
}
"""Coefficients from numbers."""


@pytest.mark.parametrize("case", POLYNOMIALS)
def test_roots(case: str) -> None:
    require_the_same(lambda x: np.roots(POLYNOMIALS[case](x)), np.array([1.3, -0.7, 0.4, 2.1, -1.2, 0.9]))


def require_the_same(function: Callable[[Any], Any], x: Any) -> None:
    wanted = function(x)
    found = ad.jit(function, interpret=True)(x)
    np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13)
    weights = np.cos(np.arange(wanted.size)) + 1j * np.sin(2.0 + np.arange(wanted.size))

    def total(x: Any) -> Any:
        return np.sum(np.real(function(x) * weights)) + 0.0 * np.sum(x)

    differences = np.empty_like(x)
    for k in range(x.size):
        step = np.zeros_like(x)
        step[k] = 1e-4
        first = total(x + step) - total(x - step)
        differences[k] = (8.0 * first - total(x + 2.0 * step) + total(x - 2.0 * step)) / 12e-4
    np.testing.assert_allclose(ad.grad(total, interpret=True)(x), differences, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("place", ["first", "last"])
def test_roots_report_coefficients_that_turn_out_to_be_zero(place: str) -> None:
    call = ad.jit(np.roots)
    coefficients = np.array([1.0, 2.0, 3.0])
    assert len(call(coefficients)) == 2
    coefficients[0 if place == "first" else -1] = 0.0
    with pytest.raises(ad.LinearAlgebraError, match=f"the {place} coefficient is 0"):
        call(coefficients)


def test_roots_take_vectors() -> None:
    with pytest.raises(ad.ShapeError, match="a vector of coefficients"):
        ad.jit(np.roots, interpret=True)(np.ones((2, 2)))
