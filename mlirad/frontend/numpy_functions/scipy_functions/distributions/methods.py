"""The methods that SciPy's distributions have, made of formulas in standard form by location and scale.

Outside of the support a density is 0; for shapes or scales that the distribution does not have all is NaN.
Results are float64, as SciPy's are. At infinite points values are limits, and derivatives those of the
formula at the largest finite number.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.calls.parameters import OperandLike
from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution, Formula
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.operations import as_array, converted, xp
from mlirad.frontend.tracing.raising import unsupported_error

Method = Callable[..., Any]

_LARGEST, _LEAST = float(np.finfo(np.float64).max), float(np.finfo(np.float64).smallest_normal)


def as_float(value: Any) -> Array:
    """A value as a traced array of float64."""
    return converted(as_array(value), F64)


def _inside(x: Array, end: Any, is_open: Any, step: int) -> Array:
    """x, where it is the end of the support, and that is open, the next number; with the derivative of x."""
    if is_open is False or _is_infinite(end):
        return x
    last = as_float(end)
    beside = xp.where(xp.equal(last, 0), step * _LEAST, last + step * xp.abs(last) * np.finfo(np.float64).eps)
    return valued(x, xp.where(xp.equal(x, last) & is_open, beside, x))


def valued(found: Any, value: Any) -> Array:
    """A value with the derivatives of what was found."""
    arrays = xp.broadcast_arrays(as_float(found), as_float(value))
    return with_derivative(_second, _first_tangent, *arrays)


def _second(_: Array, y: Array) -> Array:
    return y


def _first_tangent(_: Array, __: Array, ___: Array, dx: Array, ____: Array) -> Array:
    return dx


class _Given:
    """Shapes, location and scale as they are given."""

    def __init__(self, d: Distribution, given: dict[str, Any]):
        self.shapes = [as_float(given[name]) for name in d.shapes]
        self.loc, self.scale = as_float(given.get("loc", 0.0)), as_float(given.get("scale", 1.0))
        self.is_scaled = "scale" in given
        known = d.allows(*self.shapes) if self.shapes else True
        self.is_known = known & xp.greater(self.scale, 0) & ~xp.isnan(self.loc)
        self.low, self.high = d.bottom(*self.shapes), d.top(*self.shapes)
        self.low_is_open = d.low_is_open(*self.shapes) if callable(d.low_is_open) else d.low_is_open
        self.high_is_open = d.high_is_open(*self.shapes) if callable(d.high_is_open) else d.high_is_open


def _is_infinite(end: Any) -> bool:
    return isinstance(end, float) and bool(np.isinf(end))


def _is_finite(end: Any) -> bool:
    return isinstance(end, float) and bool(np.isfinite(end))


def _is_end(x: Array, end: Any, is_open: Any, infinity: float) -> Any:
    """Tell whether x is an end at which there is no formula: an open one, or an infinite one."""
    at_infinity = xp.equal(x, infinity) if not isinstance(end, float) or np.isinf(end) else False
    return (
        at_infinity if is_open is False or _is_infinite(end) else at_infinity | (xp.equal(x, end) & is_open)
    )


def _where(condition: Any, x: Any, y: Any) -> Any:
    return y if condition is False else xp.where(condition, x, y)


class _Point(_Given):
    """A point in standard form, and where it lies."""

    def __init__(self, d: Distribution, x: Any, given: dict[str, Any]):
        super().__init__(d, given)
        self.x = (as_float(x) - self.loc) / self.scale
        self.is_known = self.is_known & ~xp.isnan(self.x)
        self.is_below = False if _is_infinite(self.low) else xp.less(self.x, self.low)
        self.is_above = False if _is_infinite(self.high) else xp.greater(self.x, self.high)

    def _finite(self) -> Array:
        """The point, or the largest finite number where it is infinite and not beside the support."""
        bottom = None if _is_finite(self.low) else -_LARGEST
        top = None if _is_finite(self.high) else _LARGEST
        return self.x if bottom is None and top is None else xp.clip(self.x, bottom, top)

    def chosen(self, formula: Formula, below: float, above: float) -> Array:
        """A formula of the point inside of the support, numbers beside it, NaN where nothing is known."""
        x = valued(self.x, self._finite())
        x = _inside(_inside(x, self.low, self.low_is_open, 1), self.high, self.high_is_open, -1)
        found = formula(x, *self.shapes)
        if below == above and _is_infinite(self.low) and _is_infinite(self.high):
            is_low, is_high = xp.isinf(self.x), False
        else:
            is_low = _is_end(self.x, self.low, self.low_is_open, -np.inf)
            is_high = _is_end(self.x, self.high, self.high_is_open, np.inf)
        found = valued(found, _where(is_low, below, _where(is_high, above, found)))
        found = _where(self.is_below, below, _where(self.is_above, above, found))
        return xp.where(self.is_known, found, np.nan)


def _log_density(d: Distribution, formula: Formula, x: Any, given: dict[str, Any]) -> Array:
    at = _Point(d, x, given)
    if d.is_discrete:
        at.is_below = at.is_below | xp.not_equal(at.x, xp.floor(at.x))
    found = at.chosen(formula, -np.inf, -np.inf)
    return found - xp.log(at.scale) if at.is_scaled else found


def _density(d: Distribution, formula: Formula, x: Any, given: dict[str, Any]) -> Array:
    at = _Point(d, x, given)
    if d.is_discrete:
        at.is_below = at.is_below | xp.not_equal(at.x, xp.floor(at.x))
    found = at.chosen(formula, 0.0, 0.0)
    return found / at.scale if at.is_scaled else found


def _share(below: float, above: float) -> Callable[..., Array]:
    """The probability of one side of a point, or its logarithm."""

    def share(d: Distribution, formula: Formula, x: Any, given: dict[str, Any]) -> Array:
        at = _Point(d, x, given)
        if d.is_discrete:
            at.x = xp.floor(at.x)
        return at.chosen(formula, below, above)

    return share


def _quantile(is_lower: bool) -> Callable[..., Array]:
    def quantile(d: Distribution, formula: Formula, q: Any, given: dict[str, Any]) -> Array:
        at, share = _Given(d, given), as_float(q)
        low = at.low - 1.0 if d.is_discrete else at.low
        first, last = (low, at.high) if is_lower else (at.high, low)
        found = formula(share, *at.shapes)
        ends = xp.where(xp.equal(share, 0), first, xp.where(xp.equal(share, 1), last, found))
        known = at.is_known & xp.greater_equal(share, 0) & xp.less_equal(share, 1)
        return xp.where(known, valued(found, ends) * at.scale + at.loc, np.nan)

    return quantile


def _mean(d: Distribution, formula: Formula, given: dict[str, Any]) -> Array:
    at = _Given(d, given)
    return xp.where(at.is_known, formula(*at.shapes) * at.scale + at.loc, np.nan)


def _var(d: Distribution, formula: Formula, given: dict[str, Any]) -> Array:
    at = _Given(d, given)
    return xp.where(at.is_known, formula(*at.shapes) * at.scale * at.scale, np.nan)


def _std(d: Distribution, formula: Formula, given: dict[str, Any]) -> Array:
    at = _Given(d, given)
    return xp.where(at.is_known, xp.sqrt(formula(*at.shapes)) * at.scale, np.nan)


def _median(d: Distribution, formula: Formula, given: dict[str, Any]) -> Array:
    return _quantile(True)(d, formula, 0.5, given)


_OF_POINTS = {
    "pdf": ("density", _density), "logpdf": ("log_density", _log_density),
    "cdf": ("cdf", _share(0.0, 1.0)), "sf": ("sf", _share(1.0, 0.0)),
    "logcdf": ("log_cdf", _share(-np.inf, 0.0)), "logsf": ("log_sf", _share(0.0, -np.inf)),
    "ppf": ("ppf", _quantile(True)), "isf": ("isf", _quantile(False)),
}  # fmt: skip
"""The formula that a method takes, and the function that makes the method of it, by name."""

_OF_SHAPES = {
    "mean": ("mean", _mean), "var": ("var", _var), "std": ("var", _std), "median": ("ppf", _median),
}  # fmt: skip
"""The same of methods that take no point."""


def _method(
    name: str, d: Distribution, first: str | None, formula: Formula | None, compute: Callable[..., Array]
) -> Method:
    """A method with SciPy's parameters: the point, the shapes, `loc`, and `scale` unless it is discrete."""

    def method(**given: Any) -> Array:
        if formula is None:
            raise unsupported_error(
                f"scipy.stats.{name} cannot be traced: there is no formula for it",
                "compute it outside of the function, or by a sum over points of what can be traced",
            )
        return compute(d, formula, *(() if first is None else (given.pop(first),)), given)

    kind = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter(n, kind) for n in (*(() if first is None else (first,)), *d.shapes)]
    parameters.append(Parameter("loc", kind, default=0))
    if not d.is_discrete:
        parameters.append(Parameter("scale", kind, default=1))
    setattr(method, "__signature__", Signature(parameters))  # noqa: B010
    method.__annotations__ = {p.name: OperandLike for p in parameters}
    return method


def _formulas(distribution: Distribution) -> dict[str, tuple[Formula | None, Method, str | None]]:
    """The formula of each method, the function that makes a method of it, and its first parameter's name."""
    d = distribution.completed()
    point = "k" if d.is_discrete else "x"
    found: dict[str, tuple[Formula | None, Method, str | None]] = {}
    for method, (formula, compute) in _OF_POINTS.items():
        own = method.replace("pdf", "pmf") if d.is_discrete else method
        found[own] = getattr(d, formula), compute, "q" if method in ("ppf", "isf") else point
    for method, (formula, compute) in _OF_SHAPES.items():
        found[method] = getattr(d, formula), compute, None
    return found


def names_of(distribution: Distribution) -> list[str]:
    """The methods of a distribution that there are formulas for."""
    return [name for name, (formula, _, _) in _formulas(distribution).items() if formula is not None]


def methods_of(name: str, distribution: Distribution) -> dict[str, Method]:
    """The functions that trace the methods of a distribution, by name; an error if there is no formula."""
    d = distribution.completed()
    return {
        method: _method(f"{name}.{method}", d, first, formula, compute)
        for method, (formula, compute, first) in _formulas(d).items()
    }
