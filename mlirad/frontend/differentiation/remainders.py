"""Measurements of `check_derivatives` at one point: remainders of Taylor's formula, differences between the
modes.

<J dx, ct> = <dx, J^T ct>
|f(x + h dx) - f(x) - h J dx| = O(h^2), by halvings of h
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mlirad.errors import DerivativeCheckError
from mlirad.frontend.tracing.source import user_line
from mlirad.lazy_dataclass import dataclass

HALVINGS = 12
"""The number of steps h that are tried."""

LEAST_ORDER = 1.7
"""The order of the remainder below which a derivative is wrong."""

NOISE = 200.0
"""The number of units of rounding of the function's values that a remainder must exceed to be one."""

Arrays = list[npt.NDArray[Any]]
Function = Callable[[Arrays], Arrays]


@dataclass(frozen=True)
class Modes:
    """The derivative at the point: from tangents of the float leaves to those of the float results, and back.

    A mode that the function does not have is `None`.
    """

    forward: Function | None
    transposed: Function | None


@dataclass(frozen=True)
class Setting:
    """The point and the steps at which derivatives are measured.

    `points` are the leaves of the arguments and `paths` their names; those numbered in `differentiable` are
    floats. The first h is `step`, a derivative may be wrong by `tolerance`, relative to its size, and `seed`
    is what directions are drawn from.
    """

    points: Arrays
    paths: Sequence[str]
    differentiable: Sequence[int]
    step: float
    tolerance: float | None
    seed: int


@dataclass(frozen=True)
class DerivativeCheck:
    """The measurements of a check, by argument: order of the remainder, relative difference of the modes."""

    orders: dict[str, float]
    differences: dict[str, float]

    def __str__(self) -> str:
        lines = [f"{'argument':<24}{'order':>8}{'difference':>14}"]
        lines += [f"{p:<24}{o:>8.2f}{self.differences[p]:>14.1e}" for p, o in self.orders.items()]
        return "\n".join(lines)


def measured(value: Function, modes: Modes, setting: Setting) -> DerivativeCheck:
    """The orders and differences of a function's derivative; raises `DerivativeCheckError` if it is wrong."""
    points = setting.points
    rng = np.random.default_rng(setting.seed)
    base = value(points)
    cotangents = [rng.normal(size=b.shape).astype(b.dtype) for b in base]
    orders: dict[str, float] = {}
    differences: dict[str, float] = {}
    for k in setting.differentiable:
        point, path = points[k], setting.paths[k]
        direction = (rng.normal(size=point.shape) * max(1.0, _largest([point]))).astype(point.dtype)
        tangents = [direction if j == k else np.zeros_like(points[j]) for j in setting.differentiable]
        unit = max(float(np.finfo(a.dtype).eps) for a in [*base, direction])
        allowed = 1e4 * unit if setting.tolerance is None else setting.tolerance
        forward = None if modes.forward is None else modes.forward(tangents)
        backward = None if modes.transposed is None else modes.transposed(cotangents)
        differences[path] = 0.0
        if forward is not None and backward is not None:
            differences[path] = _difference(forward, cotangents, tangents, backward)
        function, slope = value, forward
        if slope is None:
            assert backward is not None
            function, slope = _paired(value, cotangents), [_inner(tangents, backward)]
        remainders = _remainders(function, setting, k, direction, slope, unit, allowed)
        orders[path] = _order(remainders)
        if not differences[path] <= allowed:
            raise DerivativeCheckError(
                f"forward and transposed derivative with respect to {path} differ by "
                f"{differences[path]:.1e}, relative to their size",
                location=user_line(),
                hint="look at the rules of the function: one of them is wrong",
            )
        if not orders[path] >= LEAST_ORDER:
            raise DerivativeCheckError(
                f"the derivative with respect to {path} does not belong to the function: the remainder "
                f"of Taylor's formula has order {orders[path]:.2f}, and 2 is right",
                location=user_line(),
                hint="a step that crosses a kink looks the same: try a smaller `step`; so does a derivative "
                "that iterates until it has converged: its error is a `tolerance`",
            )
    return DerivativeCheck(orders, differences)


def _inner(left: Arrays, right: Arrays) -> npt.NDArray[Any]:
    products = (np.sum(a.astype(np.float64) * b) for a, b in zip(left, right, strict=True))
    return np.asarray(sum(products))


def _paired(value: Function, cotangents: Arrays) -> Function:
    """The function paired with cotangents, as one number."""
    return lambda at: [_inner(value(at), cotangents)]


def _difference(forward: Arrays, cotangents: Arrays, tangents: Arrays, backward: Arrays) -> float:
    """The difference of the two inner products, relative to the sum of the magnitudes of their terms."""
    ahead = [a.astype(np.float64) * b for a, b in zip(forward, cotangents, strict=True)]
    behind = [a.astype(np.float64) * b for a, b in zip(tangents, backward, strict=True)]
    size = sum(float(np.sum(np.abs(t))) for t in [*ahead, *behind])
    difference = sum(float(np.sum(t)) for t in ahead) - sum(float(np.sum(t)) for t in behind)
    return abs(difference) / size if size else abs(difference)


def _remainders(
    value: Function,
    setting: Setting,
    k: int,
    direction: npt.NDArray[Any],
    slope: Arrays,
    unit: float,
    tolerance: float,
) -> list[float]:
    """The remainders at halvings of h along a direction of leaf `k`, down to where they are no more than
    rounding, or an error of the derivative that is tolerated; NaN ends them."""
    points = setting.points
    base = value(points)
    noise = NOISE * unit * max(_largest(base), 1e-300)
    remainders: list[float] = []
    for n in range(HALVINGS):
        h = setting.step * 0.5**n
        moved = [p + points[k].dtype.type(h) * direction if j == k else p for j, p in enumerate(points)]
        differences = [
            after.astype(np.float64) - before - h * image.astype(np.float64)
            for after, before, image in zip(value(moved), base, slope, strict=True)
        ]
        found = _largest(differences)
        if not np.isfinite(found):
            return [math.nan]
        if found <= max(noise, tolerance * h * _largest(slope)):
            break
        remainders.append(found)
    return remainders


def _order(remainders: Sequence[float]) -> float:
    """The order of the remainder, from the smallest steps; infinite if there are not two of them."""
    if any(map(math.isnan, remainders)):
        return math.nan
    orders = [math.log2(a / b) for a, b in itertools.pairwise(remainders)]
    return float(np.median(orders[-3:])) if orders else math.inf


def _largest(arrays: Arrays) -> float:
    return max((float(np.max(np.abs(a), initial=0.0)) for a in arrays), default=0.0)
