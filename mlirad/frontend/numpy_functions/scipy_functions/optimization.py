"""Rosenbrock's function in `scipy.optimize`, on which optimisers are tried, and its derivatives, traced.

    rosen(x)      sum over k of 100 (x[k + 1] - x[k]²)² + (1 - x[k])²

SciPy writes them with NumPy's functions behind a conversion that traced arrays do not have.
"""

from __future__ import annotations

from typing import Any

from mlirad.frontend.numpy_functions.calls.parameters import ArrayLike
from mlirad.frontend.tracing.operations import inexact, xp


def _pairs(x: ArrayLike) -> tuple[Any, Any]:
    """The elements but the last, and those after them."""
    found = inexact(x)
    return found[:-1], found[1:]


def _added(first: Any, second: Any) -> Any:
    """One array for all positions but the last, and one for all but the first."""
    empty = xp.zeros_like(first[:1])
    return xp.concatenate([first, empty]) + xp.concatenate([empty, second])


def rosen(x: ArrayLike) -> Any:
    """`scipy.optimize.rosen`."""
    a, b = _pairs(x)
    return xp.sum(100.0 * (b - a**2) ** 2 + (1 - a) ** 2, axis=0)


def rosen_der(x: ArrayLike) -> Any:
    """`scipy.optimize.rosen_der`."""
    a, b = _pairs(x)
    return _added(-400 * a * (b - a**2) - 2 * (1 - a), 200 * (b - a**2))


def rosen_hess(x: ArrayLike) -> Any:
    """`scipy.optimize.rosen_hess`."""
    a, _ = _pairs(x)
    return xp.diag(-400 * a, 1) + xp.diag(-400 * a, -1) + xp.diag(_diagonal(x))


def rosen_hess_prod(x: ArrayLike, p: ArrayLike) -> Any:
    """`scipy.optimize.rosen_hess_prod`."""
    a, _ = _pairs(x)
    one, other = _pairs(p)
    return _diagonal(x) * p + _added(-400 * a * other, -400 * a * one)


def _diagonal(x: ArrayLike) -> Any:
    a, b = _pairs(x)
    return _added(1200 * a**2 - 400 * b + 2, xp.full_like(b, 200.0))


FUNCTIONS = {
    "rosen": rosen, "rosen_der": rosen_der, "rosen_hess": rosen_hess, "rosen_hess_prod": rosen_hess_prod,
}  # fmt: skip
"""The functions that trace those of `scipy.optimize`, by their names there."""
