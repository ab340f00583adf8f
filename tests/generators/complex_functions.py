"""Random functions of complex arrays, in the language of users, which run on NumPy's arrays as well.

    f = random_complex_function(seed=3, depth=3)        f((z, x)) -> (z', x')   of a complex matrix and a
                                                        real vector, of shapes (ROWS, N) and (N,)

They are smooth where parts are moderate, as they stay: every step bounds what it makes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import mlirad as ad

ROWS, N = 3, 4
State: TypeAlias = tuple[Any, Any]
Step: TypeAlias = Callable[[State], State]
xp: Any = np


def random_complex_function(seed: int, depth: int) -> Step:
    """A function of a pair (matrix, vector); equal seeds and depths give equal functions."""
    return _steps(random.Random(seed), depth)


def _steps(rng: random.Random, depth: int) -> Step:
    makers = FLAT if depth <= 1 else (*FLAT, *NESTED)
    chosen = [rng.choice(makers)(rng, depth - 1) for _ in range(rng.randint(1, 3))]

    def run(state: State) -> State:
        for step in chosen:
            state = step(state)
        return state

    return run


def bounded(z: Any) -> Any:
    """z with absolute values below 2: smooth, and not holomorphic."""
    return 2 * z / (1 + xp.abs(z) ** 2)


def smoothed(hermitian: Any) -> Any:
    """A function of a Hermitian matrix, by eigenvalues that are kept apart."""
    values, vectors = xp.linalg.eigh(hermitian / 20 + np.diag(np.arange(float(ROWS))))
    return (vectors * xp.tanh(values)) @ vectors.conj().T


ELEMENTWISE: tuple[Callable[[Any], Any], ...] = (
    lambda z: xp.sin(z), lambda z: xp.tanh(z / 2), lambda z: xp.sqrt(z + 3), lambda z: xp.log(3 - z),
    lambda z: xp.exp(z / 2), lambda z: xp.arctan(z / 3), lambda z: xp.arcsin(z / 3j), lambda z: z**3,
    lambda z: xp.arccosh(z + 4j), lambda z: xp.cosh(z), lambda z: xp.log1p(z / 3), lambda z: xp.expm1(z),
    lambda z: (z + 3) ** (0.5 - 1j), lambda z: 1 / (z + 3), lambda z: z.conj() * z.real,
    lambda z: z * xp.abs(z), lambda z: 2.0 ** z, lambda z: (z - 3j) ** -2, lambda z: xp.reciprocal(z - 3),
    lambda z: z / (z - 4j),
)  # fmt: skip


def elementwise(rng: random.Random, _: int) -> Step:
    function = rng.choice(ELEMENTWISE)
    return lambda state: (bounded(function(state[0])), state[1])


MIXED: tuple[Callable[[Any, Any], Any], ...] = (
    lambda z, x: z * x, lambda z, x: z + 1j * x, lambda z, x: z / (2 + x), lambda z, x: (x + 3) ** z,
    lambda z, x: xp.where(x > 0.1, z, 1j * x), lambda z, x: z - xp.exp(1j * x), lambda z, x: x / (z + 3),
    lambda z, x: xp.concatenate([z[1:], x[None]]), lambda z, x: xp.stack([x, x * 1j, z[0]]),
    lambda z, x: xp.interp(x, [-2.0, 0.0, 1.0, 2.0], z[0]) * z, lambda z, x: z * (x + 2) ** 0.5j,
)  # fmt: skip


def mixing(rng: random.Random, _: int) -> Step:
    """The matrix by the vector, and the vector by a real function of the matrix."""
    function, other = rng.choice(MIXED), rng.choice(REAL)
    return lambda state: (bounded(function(*state)), xp.tanh(state[1] + other(state[0])))


REAL: tuple[Callable[[Any], Any], ...] = (
    lambda z: z[0].real, lambda z: xp.abs(z[1] + 3), lambda z: xp.angle(z[2] + 3), lambda z: xp.var(z, 0),
    lambda z: xp.linalg.norm(z + 3, axis=0), lambda z: xp.vdot(z[0], z[1]).imag,
    lambda z: xp.fft.irfft(z[0], N), lambda z: xp.fft.hfft(z[1, :3], N), lambda z: xp.mean(z.imag),
    lambda z: xp.linalg.svd(z[:, :2] + 3 * np.eye(ROWS, 2), compute_uv=False)[0],
)  # fmt: skip


TRANSFORMS: tuple[Callable[[Any], Any], ...] = (
    lambda z: xp.fft.fft(z), lambda z: xp.fft.ifft(z, axis=0), lambda z: xp.fft.fftn(z, norm="ortho"),
    lambda z: xp.fft.fft(z, 7, norm="forward")[:, 2:6], lambda z: xp.fft.fft(z, 1) + z,
    lambda z: xp.fft.ifft(z.real, axis=0), lambda z: xp.fft.fftshift(z),
    lambda z: xp.fft.fft(z.imag, 2, 0)[:1] * z,
    lambda z: xp.fft.irfft(z, 2 * N)[:, :N] + 1j * z, lambda z: xp.fft.ifft2(z, (ROWS, 9))[:, :N],
    lambda z: xp.fft.rfft(z.real, 2 * N - 1), lambda z: xp.fft.ihfft(z.imag, 2 * N - 2, axis=1) * z,
)  # fmt: skip


SHAPED: tuple[Callable[[Any], Any], ...] = (
    lambda z: z[::-1, ::-1], lambda z: xp.roll(z, 2, 1), lambda z: z.reshape(N, ROWS).T,
    lambda z: xp.cumsum(z, 1) / N, lambda z: xp.cumprod(z / 2, 0), lambda z: z - xp.mean(z, 0),
    lambda z: xp.pad(xp.diff(z), [(0, 0), (0, 1)]), lambda z: xp.tril(z, 1) + z[[1, 2, 0]],
    lambda z: xp.outer(z[:, 0], z[1]), lambda z: xp.prod(z / 2, 0) + z,
    lambda z: xp.sum(z, 0, initial=1j) - z,
)  # fmt: skip


PRODUCTS: tuple[Callable[[Any], Any], ...] = (
    lambda z: (z @ z.conj().T) @ z / 9, lambda z: xp.einsum("ij,kj,kl->il", z, z.conj(), z) / 9,
    lambda z: xp.linalg.solve(9 * np.eye(ROWS) + z[:, :ROWS], z),
    lambda z: xp.tensordot(z, z[0], 0)[0, :ROWS],
    lambda z: xp.linalg.cholesky(z @ z.conj().T + 2 * np.eye(ROWS)) @ z / 3,
    lambda z: xp.linalg.inv(z[:, :ROWS] + 5j * np.eye(ROWS)) @ z, lambda z: xp.kron(z[0, :2], z[:, ::2]),
    lambda z: xp.linalg.det(z[:, :ROWS] + 4 * np.eye(ROWS)) * z / 60,
    lambda z: xp.linalg.qr(z[:, :ROWS] + 4 * np.eye(ROWS))[0] @ z, lambda z: smoothed(z @ z.conj().T) @ z,
    lambda z: xp.stack([xp.convolve(z[0], z[1], "same"), xp.correlate(z[1], z[2], "same"), z[2]]) / N,
)  # fmt: skip


def of_matrix(rng: random.Random, _: int) -> Step:
    function = rng.choice(rng.choice((TRANSFORMS, SHAPED, PRODUCTS)))
    return lambda state: (bounded(function(state[0])), state[1])


def written(rng: random.Random, _: int) -> Step:
    row, function = rng.randrange(ROWS), rng.choice(ELEMENTWISE)

    def run(state: State) -> State:
        z, x = state
        y = z.copy()
        y[row] = function(z[row - 1])
        y.T[1] *= 1j
        y.imag[0] = x
        y[1:, 1:3] += z[:2, :2]
        return bounded(y), x

    return run


def scanned(rng: random.Random, depth: int) -> Step:
    inner = _steps(rng, depth)

    def run(state: State) -> State:
        def step(carry: Any, row: Any) -> tuple[Any, Any]:
            z, x = inner((carry["z"] + row, carry["x"]))
            return {"z": z, "x": x}, z[0]

        carry, rows = ad.scan(step, {"z": state[0] * 1j, "x": state[1]}, state[0])
        return bounded(rows + carry["z"]), carry["x"]

    return run


def repeated(rng: random.Random, depth: int) -> Step:
    inner, count = _steps(rng, depth), rng.randrange(3)
    return lambda state: ad.fori_loop(0, count, lambda i, s: inner((s[0] * (1 - 0.1j * i), s[1])), state)


def counted(rng: random.Random, depth: int) -> Step:
    inner, most = _steps(rng, depth), rng.randrange(4)

    def run(state: State) -> State:
        def step(s: Any) -> Any:
            return (s[0] + 1, *inner(s[1:]))

        return ad.while_loop(lambda s: s[0] < most, step, (np.int64(0), *state))[1:]

    return run


def branched(rng: random.Random, depth: int) -> Step:
    one, other = _steps(rng, depth), _steps(rng, depth)
    return lambda state: ad.cond(state[0][0, 0].real > 0.2, lambda: one(state), lambda: other(state))


def by_rows(rng: random.Random, depth: int) -> Step:
    functions = [rng.choice(ELEMENTWISE) for _ in range(2)]

    def run(state: State) -> State:
        def of_row(row: Any, shift: Any) -> Any:
            return bounded(functions[0](row) * shift + xp.fft.fft(functions[1](row)))

        return ad.vmap(of_row)(state[0], xp.exp(1j * state[1][:ROWS])), state[1]

    return run


def differentiated(rng: random.Random, depth: int) -> Step:
    """The gradient of a real function, or the derivative of a holomorphic one."""
    function = rng.choice(ELEMENTWISE[:10])

    def run(state: State) -> State:
        z, x = state
        if depth % 2:
            return bounded(ad.grad(lambda z: xp.sum(xp.abs(function(z)) ** 2 * x))(z)), x
        return bounded(ad.grad(lambda z: xp.sum(function(z) * x), holomorphic=True)(z)), x

    return run


def checkpointed(rng: random.Random, depth: int) -> Step:
    return ad.checkpoint(_steps(rng, depth))


FLAT = (elementwise, mixing, of_matrix, of_matrix, written)
NESTED = (scanned, repeated, counted, branched, by_rows, differentiated, checkpointed)
