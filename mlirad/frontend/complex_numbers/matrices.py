"""`np.linalg` on complex matrices, by real ones twice as large: a + ib stands as the block [[a, -b], [b, a]].

Sums and products of such matrices are those of the complex ones, and with the blocks in the places of the
elements, so are triangles: a Cholesky factor of such a matrix is one. Eigenvalues and singular values come
twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from mlirad.frontend.numpy_functions.functions import known_binding
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray, is_complex
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import shape_error, unsupported_error


def matrices(value: Any) -> ComplexArray:
    """An operand as complex matrices; raises `ShapeError` if it has less than two dimensions."""
    z = as_complex(value)
    if z.ndim < 2:
        raise shape_error(f"an array of shape {z.shape} is no matrix", "a matrix has two dimensions: z[None]")
    return z


def embedded(value: Any) -> Array:
    """The real matrices that stand for complex ones."""
    z = matrices(value)
    rows = [xp.stack([z.real, -z.imag], axis=-1), xp.stack([z.imag, z.real], axis=-1)]
    *batch, m, n = z.shape
    return xp.reshape(xp.stack(rows, axis=-3), (*batch, 2 * m, 2 * n))


def extracted(x: Array) -> ComplexArray:
    """The complex matrices that real ones stand for."""
    return ComplexArray(x[..., ::2, ::2], x[..., 1::2, ::2])


def _solve(a: Any, b: Any) -> Any:
    right = as_complex(b)
    is_vector = right.ndim == 1
    columns = right[:, None] if is_vector else right
    tall = xp.reshape(
        xp.stack([columns.real, columns.imag], axis=-2),
        (*columns.shape[:-2], 2 * columns.shape[-2], columns.shape[-1]),
    )
    found = xp.linalg.solve(embedded(a), tall)
    z = ComplexArray(found[..., ::2, :], found[..., 1::2, :])
    return z[:, 0] if is_vector else z


def _cholesky(a: Any, /, *, upper: bool = False) -> Any:
    found = extracted(xp.linalg.cholesky(embedded(a)))
    return found.mT.conj() if upper else found


def _eigvalsh(a: Any, UPLO: str = "L") -> Any:
    z = matrices(a)
    if UPLO.upper() == "U":
        z = z.mT.conj()
    lower = ComplexArray(xp.tril(z.real), xp.tril(z.imag, -1))
    above = ComplexArray(xp.tril(z.real, -1), xp.tril(z.imag, -1)).mT.conj()
    return xp.linalg.eigvalsh(embedded(lower + above))[..., ::2]


def _singular_values(a: Any, full_matrices: bool = True, compute_uv: bool = True, **options: Any) -> Any:
    if compute_uv:
        raise unsupported_error(
            "np.linalg.svd of complex matrices with vectors cannot be traced",
            "write np.linalg.svd(a, compute_uv=False) for the singular values",
        )
    return xp.linalg.svd(embedded(a), compute_uv=False)[..., ::2]


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    z = as_complex(x)
    is_matrix = (axis is None and z.ndim == 2) or isinstance(axis, tuple)
    if ord in (2, -2, "nuc") and is_matrix:
        raise unsupported_error(
            f"np.linalg.norm of complex matrices with ord={ord!r} cannot be traced",
            "write it with np.linalg.svd(a, compute_uv=False)",
        )
    if ord in (None, "fro") or (ord == 2 and not is_matrix):
        both = xp.stack([z.real, z.imag], axis=0)
        if axis is None:
            axes: Any = None
        else:
            axes = tuple(int(d) % z.ndim + 1 for d in np.atleast_1d(cast(Any, axis)))
        total = xp.sum(both * both, axis=None if axes is None else (0, *axes))
        root = xp.sqrt(total)
        if not keepdims:
            return root
        dims = tuple(range(z.ndim)) if axes is None else tuple(d - 1 for d in axes)
        return xp.expand_dims(root, dims)
    return xp.linalg.norm(xp.hypot(z.real, z.imag), ord=ord, axis=axis, keepdims=keepdims)


def _inv(a: Any) -> Any:
    return extracted(xp.linalg.inv(embedded(a)))


def _pinv(a: Any, **options: Any) -> Any:
    return extracted(xp.linalg.pinv(embedded(a), **options))


def _matrix_power(a: Any, n: Any) -> Any:
    if is_complex(n):
        raise known_binding(np.linalg.matrix_power).wrong_kind("n", "an integer", n)
    return extracted(xp.linalg.matrix_power(embedded(a), n))


def _svdvals(x: Any, /) -> Any:
    return _singular_values(x, compute_uv=False)


def _vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    z = as_complex(x)
    if axis is None and not keepdims:
        return _norm(z.reshape(-1), ord)
    return _norm(z, ord, axis, keepdims)


MATRICES: dict[Any, Callable[..., Any]] = {
    np.linalg.solve: _solve,
    np.linalg.inv: _inv,
    np.linalg.pinv: _pinv,
    np.linalg.matrix_power: _matrix_power,
    np.linalg.cholesky: _cholesky,
    np.linalg.eigvalsh: _eigvalsh,
    np.linalg.svd: _singular_values,
    np.linalg.norm: _norm,
    **{
        getattr(np.linalg, name): function
        for name, function in (("svdvals", _svdvals), ("vector_norm", _vector_norm))
        if hasattr(np.linalg, name)
    },
}
"""The functions of `np.linalg` that take complex matrices."""
