"""Objects that hold an array and answer NumPy's ufuncs, as quantities with units do, of traced arrays."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad


class Quantity:
    """A number or an array, and the power of a unit."""

    def __init__(self, value: Any, power: int = 1):
        self.value, self.power = value, power

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise AssertionError("an array would lose the unit")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        values = [x.value if isinstance(x, Quantity) else x for x in inputs]
        powers = [x.power if isinstance(x, Quantity) else 0 for x in inputs]
        power = (
            powers[0] + (powers[1] if ufunc is np.multiply else -powers[1]) if len(powers) > 1 else powers[0]
        )
        if ufunc not in (np.multiply, np.true_divide):
            power = powers[0]
        return Quantity(getattr(ufunc, method)(*values, **options), power)

    def _by(function: Callable[[Any, Any], Any]) -> Any:
        return lambda self, other: function(self, other)

    __mul__, __add__, __sub__, __truediv__ = map(_by, (np.multiply, np.add, np.subtract, np.true_divide))

    def __rmul__(self, other: Any) -> Any:
        return np.multiply(other, self)


OPERATORS = (operator.mul, operator.add, operator.sub, operator.truediv)
UNARY = (np.sqrt, np.exp, np.negative, np.abs)
POINTS = (np.array([1.5, 2.5]), np.float64(0.7))


@pytest.mark.parametrize("x", POINTS)
@pytest.mark.parametrize("apply", OPERATORS)
def test_operators(apply: Callable[[Any, Any], Any], x: Any) -> None:
    unit = Quantity(3.0)
    for f in (
        lambda x: apply(x, unit).value,
        lambda x: apply(unit, x).value,
        lambda x: apply(x, x * unit).value,
        lambda x: apply(x * unit, np.sin(x)).value,
    ):
        np.testing.assert_allclose(ad.jit(f)(x), f(x), rtol=1e-15)
        ad.check_derivatives(f, x)


@pytest.mark.parametrize("x", POINTS)
@pytest.mark.parametrize("ufunc", UNARY)
def test_ufuncs(ufunc: np.ufunc, x: Any) -> None:
    def f(x: Any) -> Any:
        return ufunc(x * Quantity(2.0)).value

    np.testing.assert_allclose(ad.jit(f)(x), f(x), rtol=1e-14)
    ad.check_derivatives(f, x)


def test_units_are_kept() -> None:
    powers: list[int] = []
    ad.jit(lambda x: (powers.append((x * Quantity(1.0) * Quantity(x)).power), x)[1])(1.0)
    assert powers == [2]


class Lazy(Quantity):
    """A quantity that may hold an array of Dask, and answers Dask as such quantities do."""

    def compute(self) -> Any:
        raise AssertionError("nothing is computed")

    def __dask_graph__(self) -> Any:
        return None


class Pending(Quantity):
    """A quantity whose elements are not there yet."""

    def compute(self) -> Any:
        raise AssertionError("nothing is computed")

    def __dask_graph__(self) -> Any:
        return {}


@pytest.mark.parametrize("has_dask", [False, True])
@pytest.mark.parametrize("x", POINTS)
def test_quantities_that_may_hold_arrays_of_dask(x: Any, has_dask: bool, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "dask", sys) if has_dask else monkeypatch.delitem(
        sys.modules, "dask", raising=False
    )
    for f in (
        lambda x: (x * Lazy(2.0)).value,
        lambda x: np.multiply(x, Lazy(2.0)).value,
        lambda x: (Lazy(x) * np.sin(x)).value,
        lambda x: np.sqrt(x * Lazy(2.0)).value,
    ):
        np.testing.assert_allclose(ad.jit(f)(x), f(x), rtol=1e-15)
        ad.check_derivatives(f, x)


def test_quantities_whose_elements_are_pending_are_refused(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "dask", sys)
    with pytest.raises(ad.UnsupportedError, match="compute"):
        ad.jit(lambda x: (x * Pending(2.0)).value)(1.5)
