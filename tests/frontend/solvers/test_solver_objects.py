"""Objects among the further arguments of functions that SciPy's solvers call, beside traced values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import mlirad as ad


class Cubic:
    """A potential with a traced coefficient of its own."""

    def __init__(self, a: Any):
        self.a = a

    def at(self, x: Any) -> Any:
        return x**3 + self.a * x


def moved(x: Any, potential: Cubic, b: Any, name: str) -> Any:
    return potential.at(x) - b if name == "cubic" else x


def test_roots_and_integrals() -> None:
    def root(a: Any, b: Any) -> Any:
        return optimize.brentq(moved, 0.0, 3.0, args=(Cubic(a), b, "cubic"))

    def integral(a: Any, b: Any) -> Any:
        return integrate.quad(moved, 0.0, 2.0, args=(Cubic(a), b, "cubic"))[0]

    for function in (root, integral):
        value, slopes = ad.value_and_grad(function, argnums=(0, 1))(1.5, 2.0)
        assert value == pytest.approx(function(1.5, 2.0), rel=1e-12)
        for k, step in enumerate(1e-5 * np.eye(2)):
            point = np.array([1.5, 2.0])
            expected = (function(*(point + step)) - function(*(point - step))) / 2e-5
            assert slopes[k] == pytest.approx(expected, rel=1e-8)
