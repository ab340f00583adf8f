"""Functions of `math` and `cmath` in rewritten code: Python's values, and derivatives as of differences."""

from __future__ import annotations

import cmath
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

REAL: dict[str, Callable[[Any], Any]] = {
    "remainder": lambda x: math.remainder(7.3 * x, 2.0) + math.remainder(5.0, x),
    "modf": lambda x: math.modf(3.7 * x)[0] + 2.0 * math.modf(-3.7 * x)[1],
    "is close": lambda x: x * 2.0 if math.isclose(x, x * (1.0 + 1e-12)) else x,
    "is not close": lambda x: x * 2.0 if math.isclose(x, 1.001 * x, rel_tol=1e-4) else x,
    "is close with a tolerance": lambda x: x * 2.0 if math.isclose(x, 0.8, abs_tol=0.2) else x,
    "log to a base": lambda x: math.log(abs(x) + 1.0, 3.0) + math.log(3.0, abs(x) + 2.0),
}
"""Functions of numbers that are not ufuncs of NumPy."""

COMPLEX: dict[str, Callable[[Any], Any]] = {
    name: getattr(cmath, name)
    for name in (
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log10", "sin",
        "sinh", "sqrt", "tan", "tanh", "phase",
    )
} | {
    "polar": lambda z: complex(*cmath.polar(z)),
    "rect": lambda z: cmath.rect(z.real, 2.0 * z.imag + z.real),
    "log to a base": lambda z: cmath.log(z, 3.0),
    "is close": lambda z: z * 2.0 if cmath.isclose(z, z + 1e-12) else z,
    "is finite": lambda z: z * 2.0 if cmath.isfinite(z) and not cmath.isnan(z) and not cmath.isinf(z) else z,
}  # fmt: skip
"""Functions of complex numbers."""


def slope(f: Callable[[float], float], x: float, h: float = 1e-4) -> float:
    return (8.0 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12.0 * h)


def require_the_same(function: Callable[[Any], Any], x: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.ControlFlowWarning)
        value, derivative = ad.value_and_grad(function, interpret=True)(x)
    assert value == pytest.approx(function(x), rel=1e-14)
    assert derivative == pytest.approx(slope(function, x), rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("case", REAL)
def test_functions_of_real_numbers(case: str) -> None:
    for x in (0.7, -0.45, 1.6):
        require_the_same(REAL[case], x)


@pytest.mark.parametrize("case", COMPLEX)
def test_functions_of_complex_numbers(case: str) -> None:
    def parts(x: Any) -> Any:
        found = COMPLEX[case](complex(x, 0.4 * x))
        return found.real + 2.0 * found.imag

    def of_real(x: Any) -> Any:
        found = COMPLEX[case](x)
        return found.real + 2.0 * found.imag

    for x in (0.7, -0.45, 1.6):
        require_the_same(parts, x)
        require_the_same(of_real, x)


def test_remainders_are_exact() -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=200) * 10.0 ** random.integers(-3, 9, size=200)
    y = random.normal(size=200)
    ties = [(n * 0.5, s) for n in range(-9, 10) for s in (1.0, -1.0, 3.0)]
    special = [(0.0, 2.0), (-0.0, 2.0), (3.0, math.inf), (-3.0, -math.inf), (1e300, 3.0)]
    call = ad.jit(lambda x, y: math.remainder(x, y), interpret=True, control="rewrite")
    for a, b in [*zip(x, y, strict=True), *ties, *special]:
        found, wanted = call(float(a), float(b)), math.remainder(a, b)
        assert found == wanted
        assert math.copysign(1.0, found) == math.copysign(1.0, wanted)
