"""Random functions for `ad.vmap`, and what it must give: the function on one slice after the other.

    function = random_slice(seed, 4)              f(s, v, m, i, key) -> (scalar, vector, matrix, integer)
    axes = random_axes(rng)                       (0, None, -1, 1, None, ...), out (1, 0, ...)
    slices(f, args, axes.given, axes.results)     a loop in Python over f on NumPy arrays

Each step maps such a state to one of moderate size: loops whose iterations differ between slices, branches,
recursion, orders, writes, equations, factorisations, transforms, complex and random numbers, derivatives.
Conditions depend on the floats as well.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

import mlirad as ad
import mlirad.random as draws

N, LENGTH = 4, 3
"""The length of vectors and rows, and that of batches."""

State = tuple[Any, Any, Any, Any]
Step = Callable[[State, Any], Any]


@ad.function
def _halved(s: Any, i: Any) -> Any:
    return ad.cond(i > 0, lambda t: 0.5 * _halved(t + 0.25, i - 1) + 0.1, np.sin, s)


def _definite(m: Any) -> Any:
    return m @ m.T * 0.1 + np.eye(N)


def _written(v: Any, i: Any, s: Any) -> Any:
    w = v * 1.0
    w[i % N] = s
    w[1:] += w[:-1] * 0.5
    return w


def _put(x: Any, key: Any, values: Any) -> Any:
    x = x * 1.0
    x[key] = values
    return x


def _counted(s: Any, v: Any, i: Any) -> Any:
    _, s, v = ad.while_loop(
        lambda c: (c[0] < i % 4) & (c[1] < 2),
        lambda c: (c[0] + 1, c[1] + 0.3 * c[2][0], c[2][::-1] * 0.8),
        (i * 0, s, v),
    )
    return np.sin(s), v


def _scanned(s: Any, v: Any) -> Any:
    return ad.scan(lambda c, x: (np.sin(c + x), c * x), s, v)


def _sequence(v: Any, iterations: Any) -> Any:
    return ad.fori_loop(0, iterations % 3 + 1, lambda k, c: _put(c, k % N, np.cos(c[k] + 0.1 * k)), v)


STEPS: Sequence[Step] = (
    lambda t, key: (np.sin(t[0]), t[1] * t[0], t[2] + t[1], t[3] + 1),
    lambda t, key: (t[0], np.tanh(t[2] @ t[1]), np.sin(t[2]), t[3]),
    lambda t, key: (np.mean(t[2]), t[2][1], np.outer(t[1], t[2][0]) * 0.3, t[3] * 2 - 1),
    lambda t, key: (t[0], np.sort(t[1]), t[2][np.argsort(t[1])], np.argmax(t[1])),
    lambda t, key: (np.max(t[2]), np.cumsum(t[1]) * 0.3, np.sort(t[2], axis=0), t[3]),
    lambda t, key: (
        t[1][t[3] % N],
        _put(t[1], t[3] % N, t[0]),
        _put(t[2], (slice(None), t[3] % N), t[1]),
        t[3],
    ),
    lambda t, key: (t[0], _written(t[1], t[3], t[0]), t[2].T, t[3] // 2),
    lambda t, key: (t[0], np.take(t[1], [0, 0, 3, 1]), np.roll(t[2], 1, axis=1), t[3]),
    lambda t, key: (t[0], np.linalg.solve(_definite(t[2]), t[1]), np.linalg.inv(_definite(t[2])), t[3]),
    lambda t, key: (np.log(np.linalg.det(_definite(t[2]))), t[1], np.linalg.cholesky(_definite(t[2])), t[3]),
    lambda t, key: (t[0], np.linalg.eigvalsh(_definite(t[2])) * 0.5, t[2], t[3]),
    lambda t, key: (np.linalg.norm(t[2]), np.abs(np.linalg.qr(_definite(t[2]))[1])[0], t[2] * 0.5, t[3]),
    lambda t, key: (
        t[0],
        scipy.linalg.solve_triangular(np.eye(N) + np.tril(t[2], -1) * 0.2, t[1], lower=True),
        t[2],
        t[3],
    ),
    lambda t, key: (t[0], np.fft.ifft(np.fft.fft(t[1]) * np.exp(1j * t[0])).real, t[2], t[3]),
    lambda t, key: (t[0], np.fft.irfft(np.fft.rfft(t[1]) * 0.5, N), np.fft.fft2(t[2]).imag * 0.1, t[3]),
    lambda t, key: (
        np.abs(t[0] + 1j * t[1][0]),
        np.angle(2 + t[1] * 1j * t[0]),
        ((t[2] + 1j) @ (t[2] - 0.5j)).real * 0.2,
        t[3],
    ),
    lambda t, key: (t[0] + draws.uniform(key), t[1] * draws.normal(key, (N,)) * 0.5, t[2], t[3]),
    lambda t, key: (
        t[0],
        t[1] + draws.uniform(draws.fold_in(key, 3), (N,)),
        t[2],
        t[3] + draws.randint(key, (), 0, 5),
    ),
    lambda t, key: (*_counted(t[0], t[1], t[3]), t[2], t[3]),
    lambda t, key: (*_scanned(t[0], t[1]), t[2], t[3]),
    lambda t, key: (t[0], _sequence(t[1], t[3]), t[2], t[3]),
    lambda t, key: (_halved(t[0], t[3] % 3), t[1], t[2], t[3]),
    lambda t, key: (t[0], t[1], t[2] @ t[2] * 0.2, t[3] * t[3] % 5),
    lambda t, key: (np.where(t[1] > t[0], t[1], 0.5).sum() * 0.2, np.clip(t[1], -0.5, t[0] ** 2), t[2], t[3]),
    lambda t, key: (
        np.interp(t[0], [0.0, 0.5, 1.0], [0.2, 0.7, -0.3]),
        np.convolve(t[1], t[2][0], "same") * 0.3,
        t[2],
        t[3],
    ),
    lambda t, key: (np.median(t[1]), np.searchsorted(np.sort(t[2][0]), t[1]) * 0.25, t[2], np.sum(t[1] > 0)),
    lambda t, key: (
        np.sum(ad.map(lambda x, y: x * y, t[1], t[2][0])),
        ad.build((N,), lambda k: ad.index(t[1], k + t[3] % 3)),
        t[2],
        t[3],
    ),
    lambda t, key: (t[0], ad.grad(lambda w: np.sum(np.sin(w) * t[0] + t[2] @ w * w) * 0.2)(t[1]), t[2], t[3]),
    lambda t, key: (t[0], t[1], np.tanh(ad.jacobian(lambda w: np.sin(t[2] @ w) * t[0])(t[1])), t[3]),
    lambda t, key: (
        t[0],
        ad.vmap(lambda row, x: np.tanh(row @ t[1]) + x * t[0], (1, 0))(t[2], t[1]),
        t[2],
        t[3],
    ),
    lambda t, key: (t[0], t[1], ad.vmap(lambda row: np.sort(row) * t[1], in_axes=1, out_axes=1)(t[2]), t[3]),
    lambda t, key: (t[0], np.cumprod(np.cos(t[1])), np.cumsum(t[2], axis=1) * 0.3, np.argmin(t[2][:, 0])),
    lambda t, key: (np.prod(np.cos(t[1])), np.diff(t[1], append=t[0]), np.flip(t[2], 0), t[3]),
    lambda t, key: (
        t[0],
        ad.bincount(np.arange(N) * t[3] % N, weights=t[1], length=N),
        np.einsum("ij,jk->ki", t[2], t[2]) * 0.2,
        t[3],
    ),
    lambda t, key: (
        t[0],
        ad.scatter(t[1], (N,), lambda k: (k * t[3]) % N),
        np.kron(t[2][:2, :2], t[2][2:, 2:]) * 0.5,
        t[3],
    ),
)


def _branched(rng: random.Random, depth: int) -> Step:
    """Two sequences of steps; a slice takes one of them."""
    one, other, by_float = _steps(rng, depth), _steps(rng, depth), rng.random() < 0.5

    def run(t: State, key: Any) -> State:
        holds = t[0] > 0.3 if by_float else t[3] % 2 == 0
        return ad.cond(holds, lambda u: one(u, key), lambda u: other(u, key), t)

    return run


def _repeated(rng: random.Random, depth: int) -> Step:
    """A sequence of steps, as often as an integer of the slice says."""
    body = _steps(rng, depth)

    def run(t: State, key: Any) -> State:
        return ad.while_loop(
            lambda c: c[0] < t[3] % 3, lambda c: (c[0] + 1, _bounded(body(c[1], key))), (t[3] * 0, t)
        )[1]

    return run


def _bounded(t: State) -> State:
    return np.sin(t[0]) * 1.0, np.sin(t[1]) * 1.0, np.sin(t[2]) * 1.0, ad.asarray(t[3] % 7).astype(np.int64)


def _steps(rng: random.Random, depth: int) -> Step:
    parts: list[Step] = []
    for _ in range(rng.randint(1, 2)):
        kind = rng.random()
        if depth and kind < 0.3:
            parts.append(rng.choice((_branched, _repeated))(rng, depth - 1))
        else:
            parts.append(rng.choice(STEPS))

    def run(t: State, key: Any) -> State:
        for part in parts:
            t = _bounded(part(t, key))
        return t

    return run


def random_slice(seed: int) -> Callable[..., State]:
    """A function of a scalar, a vector, a matrix, an integer and a key, to the first four of them."""
    steps = _steps(random.Random(seed), 2)
    return lambda s, v, m, i, key: steps((s, v, m, i), key)


@dataclass(frozen=True)
class Axes:
    """Along which axes arguments are batched, and results stacked."""

    given: tuple[int | None, ...]
    results: tuple[int, ...]


RANKS = (0, 1, 2, 0)


def random_axes(rng: random.Random) -> Axes:
    """Axes of the arguments of `random_slice`, at least one of them batched, and of its results."""
    while True:
        given = [rng.choice((None, *range(-rank - 1, rank + 1))) for rank in RANKS]
        given.append(rng.choice((None, 0)))
        if any(axis is not None for axis in given):
            return Axes(tuple(given), tuple(rng.randrange(-rank - 1, rank + 1) for rank in RANKS))


def random_arguments(seed: int, *batches: Axes) -> tuple[Any, ...]:
    """Arguments of a function that is batched by axes, the innermost ones first."""
    rng = np.random.default_rng(seed)
    shapes: list[tuple[int, ...]] = [(), (N,), (N, N), (), ()]
    for axes in batches:
        shapes = [
            shape if axis is None else _with(shape, axis)
            for shape, axis in zip(shapes, axes.given, strict=True)
        ]
    s, v, m = (rng.uniform(-1, 1, size=shape) for shape in shapes[:3])
    count = int(np.prod(shapes[4]))
    keys = np.stack([np.asarray(draws.key(seed + k)) for k in range(count)])
    return s, v, m, rng.integers(0, 6, size=shapes[3]), keys.reshape(*shapes[4], *keys.shape[1:])


def _with(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    place = axis % (len(shape) + 1)
    return (*shape[:place], LENGTH, *shape[place:])


def slices(function: Callable[..., Any], args: Sequence[Any], axes: Axes) -> Any:
    """The meaning of `ad.vmap`: the function on each slice, its results stacked."""
    found = [
        function(
            *(a if axis is None else np.take(a, k, axis) for a, axis in zip(args, axes.given, strict=True))
        )
        for k in range(LENGTH)
    ]
    return tuple(
        np.stack(column, axis) for column, axis in zip(zip(*found, strict=True), axes.results, strict=True)
    )
