"""Integrals by `scipy.integrate.quad` of functions that read traced values, between traced limits.

    quad(lambda t: np.exp(-k * t), 0.0, b)        by k the integral of the derivative, by b the integrand

The pieces by which the value was found are cut once: derivatives are sums over their nodes, so a derivative
is as accurate as the integral where both need the same pieces. Mixed and higher ones follow from one rule:
the integral has the derivatives of the sum over these nodes, which stay, and of the integrals from where the
limits are to where they move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np

from mlirad.frontend.constructs.branches import cond
from mlirad.frontend.constructs.build import map_, stop_gradient
from mlirad.frontend.constructs.loops import scan
from mlirad.frontend.differentiation.custom import custom_derivative
from mlirad.frontend.differentiation.linearization import linearize
from mlirad.frontend.numpy_functions.calls.parameters import (
    Anything,
    ArrayLike,
    Function,
    Int,
    Number,
    Scalar,
)
from mlirad.frontend.solvers.adaptive_quadrature import WEIGHTS, Accuracy, Pieces, cut, nodes_of
from mlirad.frontend.solvers.flat_functions import Closed, closed, with_data
from mlirad.frontend.solvers.scipy_calls import own_arguments
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array, converted, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error

_RULE = np.polynomial.legendre.leggauss(4)
_NODES, _WEIGHTS = (1 + _RULE[0]) / 2, _RULE[1] / 2
"""Nodes and weights of Gauss on [0, 1]."""

_INFINITE = {(False, False): "finite", (False, True): "above", (True, False): "below", (True, True): "whole"}
"""The map of an interval, by flags for infinite limits."""


class Interval(NamedTuple):
    """The map from [0, 1] to an interval: its points, and the factor of lengths there."""

    kind: str

    def point(self, s: Any, a: Any, b: Any) -> tuple[Any, Any]:
        """The point for s, and the factor there."""
        if self.kind == "finite":
            return a + (b - a) * s, b - a
        far = (1 - s) / s
        if self.kind == "above":
            return a + far, 1 / (s * s)
        return (b if self.kind == "below" else 0.0) - far, 1 / (s * s)

    def scaled(self, f: Callable[[Any], Any], a: Any, b: Any) -> Callable[[Any], Any]:
        """The integrand on [0, 1]."""

        def integrand(s: Any) -> Any:
            t, factor = self.point(s, a, b)
            value = f(t) + f(-t) if self.kind == "whole" else f(t)
            return value * factor

        return integrand


def _to_end(f: Callable[..., Any], end: Any, inside: Any, data: tuple[Any, ...]) -> Any:
    """The integral from where the end is to where it moves: 0, with all derivatives, by Gauss's nodes.

    Where the integrand or its derivative is not finite at the end, the end has a first derivative alone.
    """
    here = stop_gradient(end)
    known = stop_gradient(data)
    value, change = linearize(lambda *data: f(here, *data), *known)
    ones = [None if x.dtype.kind != "f" else np.ones(x.shape) for x in known]
    slope = as_array(change(*ones)) if any(x.dtype.kind == "f" for x in known) else as_array(0.0)
    regular = xp.isfinite(value) & xp.isfinite(slope)
    step = end - here
    at = xp.where(regular, here, inside)
    found = sum(w * f(at + step * s, *data) for s, w in zip(_NODES, _WEIGHTS, strict=True))
    return xp.where(regular, step * found, 0.0) + step * xp.where(regular, 0.0, stop_gradient(value))


def _sum_over_pieces(f: Callable[[Any], Any], pieces: Pieces) -> Any:
    """The integral over [0, 1] by nodes that stay."""

    def of_piece(total: Any, at: tuple[Any, Any]) -> tuple[Any, None]:
        ends, index = at

        def added() -> Any:
            points, half = nodes_of(ends)
            return total + half * (map_(f, points) @ WEIGHTS)

        return cond(index < pieces.count, added, lambda: total), None

    count = pieces.ends.shape[0]
    return scan(of_piece, as_array(0.0), (pieces.ends, xp.arange(count)))[0]


def _integral(
    function: Closed, interval: Interval, ends: tuple[Any, Any], breaks: Any, accuracy: Accuracy
) -> Any:
    """The integral and its error."""

    def search(a: Any, b: Any, breaks: Any, *data: Any) -> Pieces:
        return cut(interval.scaled(with_data(function, data), a, b), breaks, accuracy)

    found = custom_derivative(search)

    @found.rule(reads_result=True)
    def forward(pieces: Pieces, a: Any, b: Any, _: Any, *data: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        low, high = here = stop_gradient((a, b))
        still = Pieces(*(None if x is None else stop_gradient(x) for x in pieces))

        def by_all(a: Any, b: Any, *data: Any) -> Any:
            total = _sum_over_pieces(interval.scaled(with_data(function, data), *here), still)
            if interval.kind == "finite":
                middle = 0.5 * (low + high)
                return total + _to_end(function, b, middle, data) - _to_end(function, a, middle, data)
            if interval.kind == "below":
                return total + _to_end(function, b, high - 1, data)
            return total - _to_end(function, a, low + 1, data) if interval.kind == "above" else total

        change = linearize(by_all, a, b, *data)[1]

        def moved(da: Any, db: Any, _: Any, *tangents: Any) -> Pieces:
            return Pieces(change(da, db, *tangents), None, None, None)

        return moved

    return found(*ends, breaks, *function.data)


def _known(x: Any) -> float | None:
    """A limit that is not a traced value."""
    return float(cast("float", x)) if isinstance(x, int | float | np.number | np.ndarray) else None


def quad(
    func: Function, a: Scalar, b: Scalar, args: Anything = (), *, epsabs: Number = 1.49e-8,
    epsrel: Number = 1.49e-8, limit: Int = 50, points: ArrayLike | None = None,
) -> Any:  # fmt: skip
    """`scipy.integrate.quad`: the integral and an estimate of its error."""
    if limit < 1 or not (epsabs > 0 or epsrel >= 5e-29):
        raise argument_error(
            f"quad: limit is {limit}, epsabs {epsabs} and epsrel {epsrel}",
            "limit is 1 at least, and one of epsabs and epsrel is positive",
        )
    lower, upper = _known(a), _known(b)
    sign = 1.0
    if lower == np.inf or upper == -np.inf:
        a, b, lower, upper, sign = b, a, upper, lower, -1.0
    infinite = (lower == -np.inf, upper == np.inf)
    interval = Interval(_INFINITE[infinite])
    low, high = (converted(as_array(0.0 if out else x), F64) for x, out in zip((a, b), infinite, strict=True))
    if points is None:
        breaks = as_array(np.array([0.0, 1.0]))
    else:
        if any(infinite):
            raise argument_error(
                "quad: `points` between infinite limits", "integrate up to the last point, and from there on"
            )
        width = stop_gradient(high - low)
        inner = converted(stop_gradient(points), F64) - stop_gradient(low)
        inner = inner / xp.where(width == 0, 1.0, width)
        inner = xp.sort(xp.clip(xp.ravel(inner), 0.0, 1.0))
        breaks = xp.concatenate([np.zeros(1), inner, np.ones(1)])

    def of_number(t: Any, *args: Any) -> Any:
        found = as_array(func(t, *args))
        if found.shape:
            raise shape_error(
                f"quad: {function_name(func)} returns an array of shape {found.shape}, and an integrand is "
                "a number",
                "integrate each element by its own, with ad.vmap, or by fixed_quad",
            )
        return converted(found, F64)

    function = closed(of_number, [LeafType((), F64)], own_arguments(args))
    accuracy = Accuracy(float(epsabs), float(epsrel), limit)
    found = _integral(function, interval, (low, high), breaks, accuracy)
    return sign * found.value, stop_gradient(found.error)


FUNCTIONS: dict[str, Callable[..., Any]] = {"quad": quad}
"""The functions that trace functions of functions in `scipy.integrate`, by their names there."""
