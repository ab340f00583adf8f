"""Programs of spectral functions at equal eigenvalues, and their derivatives in many digits.

    case = symmetric_case(rng, "scaled columns", "exp", is_complex=False)        (v * exp(w)) @ v^T
    case.program(case.matrices)        the result for a batch, of eigenvalues (1, 1, 2), (1, 1 + 1e-15, 3) ...
    case.derivatives()                 its value, first and second derivative along `case.directions`

The reference evaluates the same function of each matrix in mpmath, at three points that lie 1e-20 apart. As a
function of the matrix it is smooth, so differences in many digits are exact, and independent of all rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np

import mlirad as ad

Program = Callable[[Any], Any]
"""A function of a batch of matrices, in NumPy."""

Reference = Callable[[Any], Any]
"""The same of one matrix, in mpmath."""

GAPS = (0, 0, 1e-15, 1e-13, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3)
"""The gaps between nearly equal eigenvalues."""

BATCH = 4
DIGITS = 60


@dataclass(frozen=True)
class Function:
    """A function of positive numbers in NumPy and in mpmath; its parity, if it is smooth at 0, too."""

    numpy: Callable[[Any], Any]
    exact: Callable[[Any], Any]
    parity: str = ""


FUNCTIONS: dict[str, Function] = {
    "exp": Function(np.exp, mp.exp),
    "sqrt": Function(np.sqrt, mp.sqrt),
    "log": Function(np.log, mp.log),
    "inverse": Function(lambda w: 1 / w, lambda w: 1 / w),
    "power": Function(lambda w: w**-0.7, lambda w: w ** mp.mpf(-0.7)),
    "quotient": Function(lambda w: w / (1 + w * w), lambda w: w / (1 + w * w), "odd"),
    "tanh": Function(lambda w: np.tanh(2 * w) - w**3, lambda w: mp.tanh(2 * w) - w**3, "odd"),
    "itself": Function(lambda w: w, lambda w: w, "odd"),
    "square": Function(lambda w: w * w, lambda w: w * w, "even"),
    "bell": Function(lambda w: np.exp(-w * w), lambda w: mp.exp(-w * w), "even"),
    "soft threshold": Function(lambda w: np.maximum(w - 1.5, 0), lambda w: max(w - mp.mpf(1.5), 0)),
    "occupied": Function(lambda w: np.where(w > 1.5, 1.0, 0.0), lambda w: mp.mpf(w > 1.5)),
    "chosen": Function(
        lambda w: np.where(w > 1.5, np.log(np.where(w > 1.5, w, 1.0)), 0.0),
        lambda w: mp.log(w) if w > 1.5 else mp.mpf(0),
    ),
}

JUMP = 1.5
"""The place of a jump or a kink of some functions: eigenvalues keep away from it."""


def dagger(x: Any) -> Any:
    """Conjugated and transposed matrices."""
    return np.conj(np.matrix_transpose(x))


# Forms ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """A way to write a function of matrices: `program` of f in NumPy, `reference` of f in mpmath."""

    program: Callable[[Callable[[Any], Any]], Program]
    reference: Callable[[Callable[[Any], Any]], Reference]
    parity: str = ""
    """That of functions of singular values which are smooth at 0."""


def _by_eigenvectors(join: Callable[[Any, Any, Callable[[Any], Any]], Any]) -> Any:
    def program(f: Callable[[Any], Any]) -> Program:
        def of(a: Any) -> Any:
            w, v = np.linalg.eigh(a)
            return join(w, v, f)

        return of

    return program


def _by_singular_vectors(join: Callable[[Any, Any, Any], Any]) -> Any:
    def program(f: Callable[[Any], Any]) -> Program:
        def of(a: Any) -> Any:
            u, s, vh = np.linalg.svd(a, full_matrices=False)
            return join(u, f(s), vh)

        return of

    return program


def hermitian(f: Callable[[Any], Any]) -> Reference:
    """f of a Hermitian matrix."""

    def of(a: Any) -> Any:
        w, v = mp.eighe((a + a.H) / 2)
        return v * mp.diag([f(x) for x in w]) * v.H

    return of


def _singular(join: Callable[[Any, Any, Any], Any]) -> Any:
    def reference(f: Callable[[Any], Any]) -> Reference:
        def of(a: Any) -> Any:
            u, s, vh = mp.svd_c(a.apply(mp.mpc), full_matrices=False)
            return join(u, mp.diag([f(x) for x in s]), vh)

        return of

    return reference


def _trace_of(f: Callable[[Any], Any]) -> Reference:
    return lambda a: mp.matrix([[mp.fsum(f(x) for x in mp.eighe((a + a.H) / 2, eigvals_only=True))]])


def _sum_of(f: Callable[[Any], Any]) -> Reference:
    def of(a: Any) -> Any:
        return mp.matrix([[mp.fsum(f(x) for x in mp.svd_c(a.apply(mp.mpc), compute_uv=False))]])

    return of


def _written_out(w: Any, v: Any, f: Callable[[Any], Any]) -> Any:
    total = 0.0
    for k in range(w.shape[-1]):
        column = v[..., k]
        total = total + f(w[..., k])[..., None, None] * column[..., :, None] * np.conj(column)[..., None, :]
    return total


def _added_up(w: Any, v: Any, f: Callable[[Any], Any]) -> Any:
    """The same by a loop of the program, with real and imaginary parts as carries."""
    n, values = w.shape[-1], f(w)

    def body(k: Any, total: Any) -> Any:
        column = v[..., k]
        return total + values[..., k][..., None, None] * column[..., :, None] * np.conj(column)[..., None, :]

    return ad.fori_loop(0, n, body, np.zeros(v.shape, v.dtype))


def _applied(w: Any, v: Any, f: Callable[[Any], Any]) -> Any:
    """The matrix times unit vectors, one after the other."""
    n = w.shape[-1]
    columns = [np.squeeze(v @ (f(w)[..., None] * dagger(v)[..., k : k + 1]), -1) for k in range(n)]
    return np.stack(columns, axis=-1)


def _embedded(w: Any, v: Any, f: Callable[[Any], Any]) -> Any:
    return v @ (np.eye(w.shape[-1]) * f(w)[..., None, :]) @ dagger(v)


SYMMETRIC: dict[str, Form] = {
    "scaled columns": Form(_by_eigenvectors(lambda w, v, f: (v * f(w)[..., None, :]) @ dagger(v)), hermitian),
    "scaled rows": Form(_by_eigenvectors(lambda w, v, f: v @ (f(w)[..., None] * dagger(v))), hermitian),
    "diagonal matrix": Form(_by_eigenvectors(_embedded), hermitian),
    "einsum": Form(
        _by_eigenvectors(lambda w, v, f: np.einsum("...ik,...k,...jk->...ij", v, f(w), np.conj(v))), hermitian
    ),
    "sum": Form(
        _by_eigenvectors(
            lambda w, v, f: np.sum(
                v[..., :, None, :] * (f(w)[..., None, :] * np.conj(v))[..., None, :, :], -1
            )
        ),
        hermitian,
    ),
    "vectors": Form(_by_eigenvectors(_applied), hermitian),
    "inverse": Form(_by_eigenvectors(lambda w, v, f: (v * f(w)[..., None, :]) @ np.linalg.inv(v)), hermitian),
    "columns": Form(_by_eigenvectors(_written_out), hermitian),
    "loop": Form(_by_eigenvectors(_added_up), hermitian),
    "trace": Form(_by_eigenvectors(lambda w, v, f: np.sum(f(w), -1)[..., None, None]), _trace_of),
}
"""Functions of symmetric and Hermitian matrices."""

SINGULAR: dict[str, Form] = {
    "u f v": Form(
        _by_singular_vectors(lambda u, f, vh: (u * f[..., None, :]) @ vh),
        _singular(lambda u, f, vh: u * f * vh),
        "odd",
    ),
    "v f u": Form(
        _by_singular_vectors(lambda u, f, vh: (dagger(vh) * f[..., None, :]) @ dagger(u)),
        _singular(lambda u, f, vh: vh.H * f * u.H),
        "odd",
    ),
    "v f v": Form(
        _by_singular_vectors(lambda u, f, vh: dagger(vh) @ (f[..., None] * vh)),
        _singular(lambda u, f, vh: vh.H * f * vh),
        "even",
    ),
    "u f u": Form(
        _by_singular_vectors(lambda u, f, vh: np.einsum("...ik,...k,...jk->...ij", u, f, np.conj(u))),
        _singular(lambda u, f, vh: u * f * u.H),
        "even",
    ),
    "columns": Form(
        _by_singular_vectors(
            lambda u, f, vh: sum(
                f[..., k, None, None] * u[..., :, k, None] * vh[..., k, None, :] for k in range(f.shape[-1])
            )
        ),
        _singular(lambda u, f, vh: u * f * vh),
        "odd",
    ),
    "sum": Form(
        _by_singular_vectors(lambda u, f, vh: np.sum(f, -1)[..., None, None]),
        _sum_of,
        "even",
    ),
    "pinv": Form(
        lambda f: np.linalg.pinv,
        lambda f: _singular(lambda u, s, vh: vh.H * s**-1 * u.H)(lambda x: x),
    ),
}
"""Functions of any matrices."""


# Cases ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A function of a batch of matrices, these, and directions."""

    name: str
    of: Program
    reference: Reference
    matrices: Any
    directions: Any

    @property
    def is_complex(self) -> bool:
        """Return whether matrices are complex."""
        return np.iscomplexobj(self.matrices)

    def program(self, *parts: Any) -> Any:
        """The real numbers of the result, of the parts of matrices: batch, parts, rows, columns."""
        found = self.of(parts[0] + 1j * parts[1] if self.is_complex else parts[0])
        return np.stack([np.real(found), np.imag(found)] if self.is_complex else [found], 1)

    def parts(self, x: Any) -> tuple[Any, ...]:
        """The arguments of the program for matrices, or for directions."""
        return (x.real, x.imag) if self.is_complex else (x,)

    def derivatives(self) -> list[Any]:
        """The values, first and second derivatives along the directions."""
        orders: list[list[Any]] = [[], [], []]
        with mp.workdps(DIGITS):
            h = mp.mpf(10) ** (-DIGITS // 3)
            for a, d in zip(map(_exact, self.matrices), map(_exact, self.directions), strict=True):
                ahead, at, back = (self.reference(a + s * d) for s in (h, 0, -h))
                for found, x in zip(
                    orders, (at, (ahead - back) / (2 * h), (ahead - 2 * at + back) / h**2), strict=True
                ):
                    rows = [[complex(x[i, j]) for j in range(x.cols)] for i in range(x.rows)]
                    found.append(np.array(rows))
        found = [np.stack(x) for x in orders]
        return [np.stack([x.real, x.imag] if self.is_complex else [x.real], 1) for x in found]


def _exact(a: Any) -> Any:
    convert = (lambda x: mp.mpc(complex(x))) if np.iscomplexobj(a) else (lambda x: mp.mpf(float(x)))
    return mp.matrix([[convert(x) for x in row] for row in a])


def normal(rng: np.random.Generator, *shape: int, is_complex: bool) -> Any:
    """Random numbers of an array."""
    x = rng.normal(size=shape)
    return x + 1j * rng.normal(size=shape) if is_complex else x


def spectrum(rng: np.random.Generator, n: int, *, with_zeros: bool = False) -> Any:
    """Positive numbers in ascending order, many of them equal or nearly so."""
    values = np.sort(
        np.concatenate([rng.uniform(0.3, 1.3, size=n // 2), rng.uniform(1.7, 3, size=n - n // 2)])
    )
    if with_zeros:
        values[: rng.integers(1, n + 1)] = rng.choice([0, 0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-4])
    for k in range(1, n):
        if rng.random() < 0.6:
            values[k] = values[k - 1] + rng.choice(GAPS)
    return values


def orthogonal(rng: np.random.Generator, n: int, *, is_complex: bool) -> Any:
    """A random basis; sometimes that of the axes, in which matrices are exactly diagonal."""
    if rng.random() < 0.25:
        return np.eye(n) + (0j if is_complex else 0)
    return np.linalg.qr(normal(rng, n, n, is_complex=is_complex))[0]


def symmetric_matrices(rng: np.random.Generator, n: int, *, is_complex: bool) -> tuple[Any, Any]:
    """Matrices with equal eigenvalues, and directions."""
    found: list[Any] = []
    for _ in range(BATCH):
        q = orthogonal(rng, n, is_complex=is_complex)
        found.append((q * spectrum(rng, n)) @ dagger(q))
    d = normal(rng, BATCH, n, n, is_complex=is_complex)
    a = np.stack(found)
    return (a + dagger(a)) / 2, d + dagger(d)


def symmetric_case(rng: np.random.Generator, form: str, function: str, *, is_complex: bool) -> Case:
    """A function of symmetric matrices."""
    chosen, f = SYMMETRIC[form], FUNCTIONS[function]
    matrices = symmetric_matrices(rng, int(rng.integers(2, 5)), is_complex=is_complex)
    kind = "complex" if is_complex else "real"
    return Case(f"{form}, {function}, {kind}", chosen.program(f.numpy), chosen.reference(f.exact), *matrices)


def singular_case(
    rng: np.random.Generator, form: str, function: str, *, is_complex: bool, with_zeros: bool = False
) -> Case:
    """A function of any matrices; with singular values that are 0, the function has to be smooth there."""
    chosen, f = SINGULAR[form], FUNCTIONS[function]
    m, n = (int(rng.integers(2, 4)) for _ in range(2))
    if with_zeros and f.exact(mp.mpf(0)) != 0:
        n = m
    k, found = min(m, n), []
    for _ in range(BATCH):
        left, right = (orthogonal(rng, x, is_complex=is_complex)[:, :k] for x in (m, n))
        found.append((left * spectrum(rng, k, with_zeros=with_zeros)) @ dagger(right))
    directions = normal(rng, BATCH, m, n, is_complex=is_complex)
    name = f"{form}, {function}, {'complex' if is_complex else 'real'} {m} x {n}"
    return Case(name, chosen.program(f.numpy), chosen.reference(f.exact), np.stack(found), directions)


def determinants(rng: np.random.Generator, n: int, rank: int, *, is_complex: bool) -> Case:
    """Determinants of matrices of a rank, up to rounding, whose other singular values are equal."""
    found: list[Any] = []
    for _ in range(BATCH):
        left, right = (orthogonal(rng, n, is_complex=is_complex) for _ in range(2))
        found.append((left * np.concatenate([np.zeros(n - rank), spectrum(rng, rank)])) @ dagger(right))
    directions = normal(rng, BATCH, n, n, is_complex=is_complex)
    return Case(
        f"determinant, rank {rank}",
        lambda a: np.linalg.det(a)[..., None, None],
        lambda a: mp.matrix([[mp.det(a)]]),
        np.stack(found),
        directions,
    )


def random_program(rng: np.random.Generator, depth: int) -> Case:
    """Spectral functions of each other, and of products with other matrices, in random forms."""
    is_complex, n = bool(rng.random() < 0.3), int(rng.integers(2, 4))
    matrices = symmetric_matrices(rng, n, is_complex=is_complex)
    names, of, reference = ["matrix"], _identity, _identity
    for _ in range(depth):
        name, step, exact = _random_step(rng, n, is_complex=is_complex)
        names.append(name)
        of, reference = _chain(of, step), _chain(reference, exact)
    return Case(" of ".join(reversed(names)), of, reference, *matrices)


def _identity(a: Any) -> Any:
    return a


def _chain(inner: Program, outer: Program) -> Program:
    return lambda a: outer(inner(a))


def _random_step(rng: np.random.Generator, n: int, *, is_complex: bool) -> tuple[str, Program, Reference]:
    """A function from positive matrices to such."""
    kind = rng.choice(["function", "function", "congruence", "shift", "square", "sandwich"])
    if kind == "congruence":
        b = orthogonal(rng, n, is_complex=is_complex) + (0 if rng.random() < 0.5 else 0.2)
        exact = _exact(b)
        return kind, lambda a: b @ a @ dagger(b), lambda a: exact * a * exact.H
    if kind == "shift":
        return kind, lambda a: 0.5 * a + 0.25 * np.eye(n), lambda a: a / 2 + mp.eye(n) / 4
    if kind == "square":
        return kind, lambda a: a @ dagger(a), lambda a: a * a.H
    form = rng.choice([name for name in SYMMETRIC if name != "trace"])
    f = FUNCTIONS[rng.choice(["exp", "sqrt", "inverse", "power"])]
    scaled = Function(lambda w: f.numpy(w / (1 + w)), lambda w: f.exact(w / (1 + w)))
    root, root_of = SYMMETRIC[form].program(scaled.numpy), hermitian(scaled.exact)
    if kind == "sandwich":
        b = np.cov(rng.normal(size=(n, 2 * n))) + 0.1 * np.eye(n)
        exact = _exact(b)
        return f"{kind} {form}", lambda a: root(a) @ b @ root(a), lambda a: root_of(a) * exact * root_of(a)
    return form, root, root_of
