"""Random programs that read splines at and beside their own points, with derivatives by SciPy's splines.

case = random_knots(7)
case.function(x)       np.sin(spline(x[0])) * other(x[1]) + ..., traced with the spline's class
case.points            vectors x whose elements are points of the splines, or 1e-9 or 1e-7 beside one
case.expected(x)       value, gradient and Hessian: SciPy's `derivative()` in the product and chain rule
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import interpolate

Floats = npt.NDArray[np.float64]

KINDS: dict[str, Callable[[Floats, Floats], Any]] = {
    "CubicSpline": interpolate.CubicSpline,
    "CubicSpline, natural": lambda x, y: interpolate.CubicSpline(x, y, bc_type="natural"),
    "CubicSpline, clamped": lambda x, y: interpolate.CubicSpline(x, y, bc_type="clamped"),
    "PchipInterpolator": interpolate.PchipInterpolator,
    "Akima1DInterpolator": interpolate.Akima1DInterpolator,
    "CubicHermiteSpline": lambda x, y: interpolate.CubicHermiteSpline(x, y, np.sin(y)),
    "PPoly": lambda x, y: interpolate.PPoly(np.stack([y[1:], y[:-1], y[1:] - y[:-1]]), x),
    "BSpline, quadratic": lambda x, y: interpolate.make_interp_spline(x, y, 2),
    "BSpline": lambda x, y: interpolate.make_interp_spline(x, y, 3),
    "BSpline, quintic": lambda x, y: interpolate.make_interp_spline(x, y, 5),
}
"""Splines through points, whose derivatives at these are those of the piece on the right."""

OUTER: dict[str, tuple[Callable[..., Any], ...]] = {
    "sin": (np.sin, np.cos, lambda v: -np.sin(v)),
    "exp": (lambda v: np.exp(v / 8), lambda v: np.exp(v / 8) / 8, lambda v: np.exp(v / 8) / 64),
    "square": (lambda v: v * v, lambda v: 2 * v, lambda v: 2 + 0 * v),
    "itself": (lambda v: v, lambda v: 1 + 0 * v, lambda v: 0 * v),
}
"""Functions of a spline's value, with two derivatives."""

BESIDE = (0.0, 0.0, 1e-9, -1e-9, 1e-7, -1e-7)
"""The distances from points at which splines are read."""


@dataclass(frozen=True)
class Knots:
    """A product of functions of splines, each of its own variable, and where to look at it."""

    names: tuple[str, ...]
    splines: tuple[Any, ...]
    outer: tuple[tuple[Callable[..., Any], ...], ...]
    points: Floats

    def function(self, x: Any) -> Any:
        """The product."""
        found: Any = 1.0
        for k, (spline, functions) in enumerate(zip(self.splines, self.outer, strict=True)):
            found = found * functions[0](spline(x[k]))
        return found

    def expected(self, x: Floats) -> tuple[float, Floats, Floats]:
        """The value, the gradient and the Hessian."""
        factors = []
        for t, spline, (f, slope, bend) in zip(x, self.splines, self.outer, strict=True):
            first = spline.derivative()
            v, d, e = float(spline(t)), float(first(t)), float(first.derivative()(t))
            factors.append((f(v), slope(v) * d, bend(v) * d * d + slope(v) * e))
        n = len(factors)

        def product(*orders: int) -> float:
            counts = [orders.count(k) for k in range(n)]
            return float(np.prod([factor[count] for factor, count in zip(factors, counts, strict=True)]))

        hessian = np.array([[product(i, j) for j in range(n)] for i in range(n)])
        return product(), np.array([product(i) for i in range(n)]), hessian


def random_knots(seed: int) -> Knots:
    """A program of one to three splines; equal seeds give equal programs."""
    source, numbers = random.Random(seed), np.random.default_rng(seed)
    count = source.randint(1, 3)
    names = tuple(source.choice(list(KINDS)) for _ in range(count))
    places = [np.cumsum(numbers.uniform(0.2, 2.0, source.randint(6, 9))) - 3.0 for _ in names]
    made = [KINDS[name](x, numbers.normal(size=x.size)) for name, x in zip(names, places, strict=True)]
    outer = tuple(OUTER[source.choice(list(OUTER))] for _ in names)
    points = [[source.choice(list(x[1:-1])) + source.choice(BESIDE) for x in places] for _ in range(6)]
    return Knots(names, tuple(made), outer, np.array(points))
