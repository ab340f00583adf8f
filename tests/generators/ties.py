"""Random smooth functions that are written with kinks and poles, at points where these are met.

    case = random_tie(7)
    case.function(x)          with NumPy: np.maximum(u, v) + np.log1p(np.exp(-np.abs(u - v))), say
    case.exact(*x)            the same with mpmath, written without kinks: log(exp(u) + exp(v))
    case.point                where u = v, or where a root is 0

The function as written is the same near the point, at least to second order. A case of size n has n parts;
the first n - 1 are those of size n - 1.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath as mp
import numpy as np
import numpy.typing as npt

import mlirad as ad

Function: TypeAlias = Callable[..., Any]


@dataclass(frozen=True)
class Part:
    """A function of numbers that are 0 or equal at a tie, and the same without kinks, of mpmath's numbers."""

    written: Function
    exact: Function
    arguments: str
    """The arguments of the function: `0` is a number that is 0 at the tie, `u` and `v` are two that are
    equal.
    """


def _softplus(x: Any) -> Any:
    return mp.log1p(mp.exp(x))


def _logaddexp(x: Any, y: Any) -> Any:
    return mp.log(mp.exp(x) + mp.exp(y))


def _radial(r2: Any) -> Any:
    """(1 + r) exp(-r), up to r^2."""
    return 1 - r2 / 2


def _norm(*x: Any) -> Any:
    return np.linalg.norm(np.stack(x))


def _squares(*x: Any) -> Any:
    return sum(v * v for v in x)


def _horner(a: Any) -> Any:
    """1 + a + a^2."""
    return ad.fori_loop(0, 3, lambda _, y: y * a + 1, 0.0)


def _products(a: Any) -> Any:
    """The terms of the squares of the prefix sums of an array of three besides squares, by half."""
    return 2 * a[0] * a[1] + a[0] * a[2] + a[1] * a[2]


def _pairs(x: Sequence[Any]) -> Any:
    """The sum of the products of magnitudes, by pairs."""
    return sum(np.abs(u) * np.abs(v) for k, u in enumerate(x) for v in x[:k])


def _by_sorting(function: Function, x: Any, y: Any, z: Any) -> Any:
    """A function of three numbers in ascending order, made by comparing two at a time."""
    low, high = np.minimum(x, y), np.maximum(x, y)
    least, middle = np.minimum(low, z), np.maximum(low, z)
    return function(least, np.minimum(middle, high), np.maximum(middle, high))


def _symmetric(a: Any) -> Any:
    return np.array([[1.0, 0.0], [0.0, 2.0]]) + a * np.array([[0.0, 1.0], [1.0, 0.0]])


_MATRIX, _VECTOR = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])

PARTS: dict[str, Part] = {
    # Kinks that cancel in products
    "|x|^2": Part(lambda x: np.abs(x) ** 2, lambda x: x**2, "0"),
    "chosen |x| |x|": Part(
        lambda x: np.where(x < 50, np.abs(x), 1.0) / 3 * (np.where(x < 50, np.abs(x), 1.0) / 3),
        lambda x: x**2 / 9,
        "0",
    ),
    "|x|^4": Part(lambda x: np.abs(x) ** 4, lambda x: x**4, "0"),
    "c|x| |x| / c": Part(lambda x: (3 * np.abs(x)) * (np.abs(x) / 3), lambda x: x**2, "0"),
    "cos |x|": Part(lambda x: np.cos(np.abs(x)), mp.cos, "0"),
    "cosh |x|": Part(lambda x: np.cosh(np.abs(x)), mp.cosh, "0"),
    "|x| tanh |x|": Part(lambda x: np.abs(x) * np.tanh(np.abs(x)), lambda x: x * mp.tanh(x), "0"),
    "sign(x) |x|": Part(lambda x: np.sign(x) * np.abs(x), lambda x: x, "0"),
    "sign(x) sinh |x|": Part(lambda x: np.sign(x) * np.sinh(np.abs(x)), mp.sinh, "0"),
    "copysign": Part(lambda x: np.copysign(np.arctan(np.abs(x)), x), mp.atan, "0"),
    "max min": Part(lambda x, y: np.maximum(x, y) * np.minimum(x, y), lambda x, y: x * y, "uv"),
    "moved max and min": Part(
        lambda x, y: np.sum(np.exp(1 - 2 * np.stack([np.minimum(x, y), np.maximum(x, y)]))),
        lambda x, y: mp.exp(1 - 2 * x) + mp.exp(1 - 2 * y),
        "uv",
    ),
    "median and the others": Part(
        lambda x, y: _by_sorting(lambda a, b, c: np.cos(a * b * c) + a + b + c, x, y, 2 + 0 * x),
        lambda x, y: mp.cos(2 * x * y) + x + y + 2,
        "uv",
    ),
    "extrema of two": Part(
        lambda x, y: np.max(np.stack([x, y])) * np.min(np.stack([x, y])), lambda x, y: x * y, "uv"
    ),
    "range of two^2": Part(lambda x, y: np.ptp(np.stack([x, y])) ** 2, lambda x, y: (x - y) ** 2, "uv"),
    "cos of the range of rows": Part(
        lambda x, y: np.sum(np.cos(np.ptp(np.stack([np.stack([x, y]), np.stack([y, 2 * x - y])]), axis=1))),
        lambda x, y: mp.cos(x - y) + mp.cos(2 * (x - y)),
        "uv",
    ),
    "|x - y|^2": Part(lambda x, y: np.abs(x - y) ** 2, lambda x, y: (x - y) ** 2, "uv"),
    # Norms
    "hypot^2": Part(lambda x, y: np.hypot(x, y) ** 2, lambda x, y: x**2 + y**2, "00"),
    "norm^2": Part(lambda *x: _norm(*x) ** 2, lambda *x: _squares(*x), "000"),
    "norm^4": Part(lambda *x: _norm(*x) ** 4, lambda *x: _squares(*x) ** 2, "000"),
    "|z|^2": Part(lambda x, y: np.abs(x + 1j * y) ** 2, lambda x, y: x**2 + y**2, "00"),
    "std^2": Part(
        lambda *x: np.std(np.stack(x)) ** 2,
        lambda *x: _squares(*x) / 3 - (sum(x) / 3) ** 2,
        "000",
    ),
    "Gaussian kernel": Part(
        lambda *x: np.exp(-((_norm(*x) / 0.7) ** 2)), lambda *x: mp.exp(-_squares(*x) / 0.49), "000"
    ),
    "root of x^4": Part(lambda x: np.cos(np.sqrt(np.sqrt(x**4))), mp.cos, "0"),
    "written-out norm": Part(
        lambda x, y: np.cosh(np.sqrt(sum(v**2 for v in (x, y)))), lambda x, y: 1 + (x**2 + y**2) / 2, "00"
    ),
    "sqrt of squares": Part(
        lambda x, y: 1 / (1 + np.sqrt(x * x + y * y) ** 2), lambda x, y: 1 / (1 + x**2 + y**2), "00"
    ),
    "cos of a norm": Part(lambda *x: np.cos(_norm(*x)), lambda *x: 1 - _squares(*x) / 2, "000"),
    "Matern kernel": Part(
        lambda *x: (1 + _norm(*x)) * np.exp(-_norm(*x)), lambda *x: _radial(_squares(*x)), "000"
    ),
    "norm of norms": Part(lambda x, y, z: np.hypot(np.hypot(x, y), z) ** 2, lambda *x: _squares(*x), "000"),
    "dot of magnitudes": Part(
        lambda *x: np.dot(np.abs(np.stack(x)), np.abs(np.stack(x))), lambda *x: _squares(*x), "000"
    ),
    "|x| |3x|": Part(lambda x: np.abs(x) * np.abs(-3 * x), lambda x: 3 * x**2, "0"),
    "norm, root, hypot": Part(
        lambda x, y: (
            _norm(x, 2 * y) * np.sqrt((x * x + 4 * y * y) / 9) + np.hypot(x, 2 * y) * np.sqrt(x**2 + 4 * y**2)
        ),
        lambda x, y: mp.mpf(4) / 3 * (x**2 + 4 * y**2),
        "00",
    ),
    "exp(-2|x|) by |x|": Part(
        lambda x: (1 + np.abs(2 * x)) * np.exp(-2 * np.abs(x)), lambda x: 1 - 2 * x**2, "0"
    ),
    "cos of moved magnitudes": Part(
        lambda x, y: np.sum(np.cos(np.concatenate([np.abs(np.stack([x, y]))[::-1], np.stack([y])])[:2])),
        lambda x, y: mp.cos(x) + mp.cos(y),
        "00",
    ),
    # Ops that mix elements, and loops
    "product of |x|s": Part(
        lambda x: np.prod(np.stack([np.abs(x), 2 * np.abs(x), 3 + 0 * x])), lambda x: 6 * x**2, "0"
    ),
    "sorted |x| and -|x|": Part(
        lambda x: np.prod(np.sort(np.stack([np.abs(x), -np.abs(x), 2 + 0 * x]))[:2]), lambda x: -(x**2), "0"
    ),
    "product of an array": Part(
        lambda x, y: np.prod(1 + np.abs(np.stack([x, y]))) * np.prod(1 - np.abs(np.stack([x, y]))),
        lambda x, y: (1 - x**2) * (1 - y**2),
        "00",
    ),
    "sorted array": Part(
        lambda *x: np.sum(np.cos(np.sort(np.abs(np.stack(x))))), lambda *x: sum(map(mp.cos, x)), "000"
    ),
    "sums of magnitudes": Part(
        lambda *x: np.sum(np.cumsum(np.abs(np.stack(x))) ** 2) - 2 * _products(np.abs(np.stack(x))),
        lambda x, y, z: 3 * x**2 + 2 * y**2 + z**2,
        "000",
    ),
    "product with a matrix": Part(
        lambda x, y: np.sum(np.cosh(_MATRIX @ np.abs(np.stack([x, y])))) - 5 * np.abs(x) * np.abs(y),
        lambda x, y: 2 + (5 * x**2 + 10 * y**2) / 2,
        "00",
    ),
    "many magnitudes": Part(
        lambda *x: np.exp(sum(np.abs(v) for v in x)) + np.exp(-sum(np.abs(v) for v in x)) - 2 * _pairs(x),
        lambda *x: 2 + _squares(*x),
        "000000",
    ),
    "product of many": Part(
        lambda *x: np.prod([1 + np.abs(v) for v in x]) * np.prod([1 - np.abs(v) for v in x]),
        lambda *x: mp.fprod(1 - v**2 for v in x),
        "00000",
    ),
    "loop": Part(lambda x: _horner(np.abs(x)) + _horner(-np.abs(x)), lambda x: 2 + 2 * x**2, "0"),
    "transform of norms": Part(
        lambda *x: np.sum(np.abs(np.fft.fft(np.stack([_norm(*x), 2 * _norm(*x)]))) ** 2),
        lambda *x: 10 * _squares(*x),
        "000",
    ),
    "convolution": Part(
        lambda x: np.convolve(np.stack([np.abs(x), x]), np.stack([np.abs(x), 1 - x]))[0], lambda x: x**2, "0"
    ),
    "solution": Part(
        lambda x, y: np.linalg.solve(_MATRIX, np.hypot(x, y) * _VECTOR) @ _VECTOR * np.hypot(x, y),
        lambda x, y: mp.mpf(7) / 5 * (x**2 + y**2),
        "00",
    ),
    "eigenvalues": Part(
        lambda x: np.sum(np.exp(np.linalg.eigvalsh(_symmetric(np.abs(x))))),
        lambda x: 2 * mp.exp(1.5) * mp.cosh(mp.sqrt(1 + 4 * x**2) / 2),
        "0",
    ),
    "Cholesky factor": Part(
        lambda x: np.linalg.cholesky(_symmetric(np.abs(x)))[1, 1], lambda x: mp.sqrt(2 - x**2), "0"
    ),
    # Kinks that cancel in sums
    "logaddexp": Part(lambda x, y: np.maximum(x, y) + np.log1p(np.exp(-np.abs(x - y))), _logaddexp, "uv"),
    "logaddexp, least": Part(
        lambda x, y: np.maximum(x, y) + np.log(1 + np.exp(np.minimum(x, y) - np.maximum(x, y))),
        _logaddexp,
        "uv",
    ),
    "softplus": Part(lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))), _softplus, "0"),
    "softplus, where": Part(lambda x: np.where(x > 0, x, 0) + np.log1p(np.exp(-np.abs(x))), _softplus, "0"),
    "softplus, branches": Part(
        lambda x: np.where(x > 0, x + np.log1p(np.exp(-np.abs(x))), np.log1p(np.exp(-np.abs(x)))),
        _softplus,
        "0",
    ),
    "log sigmoid": Part(
        lambda x: np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))), lambda x: -_softplus(-x), "0"
    ),
    "cross entropy": Part(
        lambda x: np.maximum(x, 0) - 0.3 * x + np.log1p(np.exp(-np.abs(x))),
        lambda x: _softplus(x) - mp.mpf(0.3) * x,
        "0",
    ),
    "cross entropy, where": Part(
        lambda x: np.where(x > 0, x, 0) - 0.3 * x + np.log1p(np.exp(-np.abs(x))),
        lambda x: _softplus(x) - mp.mpf(0.3) * x,
        "0",
    ),
    "weighted cross entropy": Part(
        lambda x: 0.8 * x + 1.7 * (np.log1p(np.exp(-np.abs(x))) + np.maximum(-x, 0)),
        lambda x: mp.mpf(0.8) * x + mp.mpf(1.7) * _softplus(-x),
        "0",
    ),
    "log cosh": Part(
        lambda x: np.abs(x) + np.log1p(np.exp(-2 * np.abs(x))) - np.log(2), lambda x: mp.log(mp.cosh(x)), "0"
    ),
    "fair loss": Part(lambda x: np.abs(x) - np.log(1 + np.abs(x)), lambda x: x**2 / 2, "0"),
    # Choices
    "sigmoid by |x|": Part(
        lambda x: np.where(
            x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x)))
        ),
        lambda x: 1 / (1 + mp.exp(-x)),
        "0",
    ),
    "sigmoid by max": Part(
        lambda x: np.where(
            x > 0, 1 / (1 + np.exp(-np.maximum(x, 0))), 1 - 1 / (1 + np.exp(np.minimum(x, 0)))
        ),
        lambda x: 1 / (1 + mp.exp(-x)),
        "0",
    ),
    # Poles
    "exp log": Part(lambda x: np.exp(np.log(x * x)), lambda x: x**2, "0"),
    "sqrt^2": Part(
        lambda x: np.sqrt(np.sin(x) ** 2) * np.sqrt(np.sin(x) ** 2), lambda x: mp.sin(x) ** 2, "0"
    ),
    "cbrt^3": Part(lambda x: np.cbrt(x) ** 3, lambda x: x, "0"),
    "expm1 log1p": Part(lambda x: np.expm1(np.log1p(x * x - 1)), lambda x: x**2 - 1, "0"),
    "sin arcsin": Part(lambda x: np.sin(np.arcsin(1 - x * x)), lambda x: 1 - x**2, "0"),
    "arccos^2": Part(lambda x: np.arccos(np.cos(x)) ** 2, lambda x: x**2, "0"),
    "arccos^2 of a product": Part(
        lambda x, y: np.arccos(np.cos(x) * np.cos(y)) ** 2, lambda x, y: x**2 + y**2, "00"
    ),
    "arccosh^2": Part(lambda x: np.arccosh(1 + x * x / 2) ** 2, lambda x: 4 * mp.asinh(x / 2) ** 2, "0"),
    "copysign of itself": Part(lambda x: np.sin(np.copysign(x, x)), mp.sin, "0"),
    "exp 2 log": Part(lambda x: np.exp(2 * np.log(x * x)), lambda x: x**4, "0"),
}
"""Smooth functions as they are written with kinks or poles."""


@dataclass(frozen=True)
class Tie:
    """A smooth function, written with kinks, and exactly; both take the coordinates of one point."""

    names: tuple[str, ...]
    function: Function
    exact: Function
    point: npt.NDArray[np.float64]


def random_tie(seed: int, size: int = 2, dimensions: int = 2) -> Tie:
    """A random sum and product of `size` parts, at a point where all of them tie."""
    source = random.Random(seed)
    point = _random_point(source, dimensions)
    parts = [_at(source.choice(list(PARTS)), source, point) for _ in range(size)]

    def total(of: Callable[[Tie], Function], x: Any, cos: Function) -> Any:
        """The parts, each times a smooth function of those before."""
        value = of(parts[0])(x)
        for part in parts[1:]:
            value = value + cos(value) * of(part)(x)
        return value

    return Tie(
        tuple(name for part in parts for name in part.names),
        lambda x: total(lambda part: part.function, x, np.cos),
        lambda *x: total(lambda part: lambda x: part.exact(*x), x, mp.cos),
        point,
    )


def random_part(name: str, source: random.Random, dimensions: int) -> Tie:
    """One of the parts by itself, of random functions of `dimensions` coordinates."""
    return _at(name, source, _random_point(source, dimensions))


def _random_point(source: random.Random, dimensions: int) -> npt.NDArray[np.float64]:
    return np.array([source.choice((0.0, 0.5, -1.25)) for _ in range(dimensions)])


def _at(name: str, source: random.Random, point: npt.NDArray[np.float64]) -> Tie:
    """A part of smooth functions of the coordinates that tie at the point."""
    part = PARTS[name]
    count = len(part.arguments)
    slopes = [[source.choice((0.5, -1.0, 1.5, 2.0)) for _ in point] for _ in range(count)]
    bends = [source.choice((0.25, -0.5, 1.0)) for _ in range(count)]
    height = source.choice((0.5, -0.75)) if part.arguments == "uv" else 0.0

    def inner(k: int, x: Sequence[Any], sin: Function) -> Any:
        """The height at the point, exactly: what is added to it is a product with what is 0 there."""
        moved = sum(a * (v - p) for a, v, p in zip(slopes[k], x, point.tolist(), strict=True))
        return height + moved * (1 + bends[k] * sin(moved))

    return Tie(
        (name,),
        lambda x: part.written(*(inner(k, [x[d] for d in range(len(point))], np.sin) for k in range(count))),
        lambda *x: part.exact(*(inner(k, x, mp.sin) for k in range(count))),
        point,
    )
