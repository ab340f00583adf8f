"""Factorisations and linear systems on NumPy arrays: the matrices of a batch one by one, by SciPy.

SciPy's routines are imported when the first matrix is factorised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from xdsl.ir import Operation

from mlirad.dialects.array import factorisations
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import shape_of
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.machine import Frame, Meaning
from mlirad.packages import scipy_module


@cache
def _routine(library: str, name: str, dtype: str) -> Callable[..., Any]:
    """SciPy's wrapper of a routine of LAPACK or BLAS for a dtype."""
    return getattr(scipy_module(f"linalg.{library}"), {"f": "s", "d": "d", "F": "c", "D": "z"}[dtype] + name)


def _numbers(pairs: Array) -> Array:
    """The complex numbers that pairs along the last dimension are."""
    z = np.empty(pairs.shape[:-1], np.result_type(pairs.dtype, np.complex64))
    z.real, z.imag = pairs[..., 0], pairs[..., 1]
    return z


def _pairs(z: Array) -> Array:
    """The pairs that complex numbers are."""
    return np.stack([np.real(z), np.imag(z)], -1)


def lu(a: Array) -> dict[str, Array]:
    """The parts of the LU factorisation of a square matrix."""
    factors, swaps, _ = _routine("lapack", "getrf", a.dtype.char)(a)
    order = np.arange(len(a))
    for k, other in enumerate(swaps):
        order[[k, other]] = order[[other, k]]
    return {"factors": factors, "pivots": swaps.astype(np.int64), "permutation": order}


def cholesky(a: Array) -> dict[str, Array]:
    """The Cholesky factor of a symmetric matrix, or NaN if it has none."""
    factor, info = _routine("lapack", "potrf", a.dtype.char)(a, lower=True)
    failed = info or np.isnan(factor[-1, -1])
    return {"factor": np.tril(np.full_like(a, np.nan) if failed else factor)}


def qr(a: Array) -> dict[str, Array]:
    """The factors of the QR factorisation."""
    q, r = np.linalg.qr(a)
    return {"orthogonal": q, "triangular": r}


def eigh(a: Array) -> dict[str, Array]:
    """The eigenvalues and eigenvectors of a symmetric matrix, NaN where they are not found."""
    try:
        values, vectors = np.linalg.eigh(a)
    except np.linalg.LinAlgError:
        return {"values": np.full_like(np.real(a[0]), np.nan), "vectors": np.full_like(a, np.nan)}
    return {"values": values, "vectors": vectors}


def svd(a: Array) -> dict[str, Array]:
    """The singular values and vectors, NaN where they are not found."""
    try:
        left, values, right = np.linalg.svd(a, full_matrices=False)
    except np.linalg.LinAlgError:
        rows, columns = a.shape
        least = min(rows, columns)
        shapes = {"left": (rows, least), "values": (least,), "right": (least, columns)}
        found = {part: np.full(shape, np.nan, a.dtype) for part, shape in shapes.items()}
        return {**found, "values": np.real(found["values"])}
    return {"left": left, "values": values, "right": right}


def eig(a: Array) -> dict[str, Array]:
    """The eigenvalues and eigenvectors of a square matrix, complex ones; NaN where they are not found."""
    complex_dtype = np.result_type(a.dtype, np.complex64)
    try:
        values, vectors = scipy_module("linalg").eig(a)
    except (np.linalg.LinAlgError, ValueError):
        values, vectors = (np.full_like(x, complex(np.nan, np.nan), complex_dtype) for x in (a[0], a))
    return {"values": values.astype(complex_dtype), "vectors": vectors.astype(complex_dtype)}


def schur(a: Array) -> dict[str, Array]:
    """The factors of the Schur factorisation of a square matrix, NaN where they are not found."""
    try:
        triangular, orthogonal = scipy_module("linalg").schur(a)
    except (np.linalg.LinAlgError, ValueError):
        triangular = orthogonal = np.full_like(a, np.nan + (0j if a.dtype.kind != "c" else 1j * np.nan))
    return {"orthogonal": orthogonal, "triangular": triangular}


FACTORISATIONS: dict[str, Callable[[Array], dict[str, Array]]] = {
    "lu": lu,
    "cholesky": cholesky,
    "qr": qr,
    "eigh": eigh,
    "svd": svd,
    "eig": eig,
    "schur": schur,
}
"""The parts of each factorisation of one matrix that is not empty."""


def parts_of_batch(kind: str, part: str, x: Array, empty: Array, *, is_complex: bool) -> Array:
    """A part of the factorisation of every matrix; `empty` is an array like the result."""
    result = np.empty_like(empty)
    if x.size:
        matrices = _numbers(x) if is_complex else x
        for place in np.ndindex(matrices.shape[:-2]):
            found = FACTORISATIONS[kind](matrices[place])[part]
            result[place] = _pairs(found) if found.dtype.kind == "c" else found
    return result


def triangular_solutions(
    matrix: Array, x: Array, *, upper: bool, transposed: bool, unit: bool, complex: bool
) -> Array:
    """The solutions of a batch of triangular systems."""
    if complex:
        return _pairs(_triangular(_numbers(matrix), _numbers(x), upper, transposed, unit))
    return _triangular(matrix, x, upper, transposed, unit)


def _triangular(matrix: Array, x: Array, upper: bool, transposed: bool, unit: bool) -> Array:
    result = np.array(x)
    if x.size:
        trsm = _routine("blas", "trsm", matrix.dtype.char)
        how = int(transposed) * (2 if matrix.dtype.kind == "c" else 1)
        for place in np.ndindex(matrix.shape[:-2]):
            result[place] = trsm(1.0, matrix[place], x[place], lower=not upper, trans_a=how, diag=unit)
    return result


def solutions(matrix: Array, x: Array, *, is_complex: bool) -> Array:
    """The solutions of a batch of linear systems, by LU factors."""
    if is_complex:
        return _pairs(_solved(_numbers(matrix), _numbers(x)))
    return _solved(matrix, x)


def _solved(matrix: Array, x: Array) -> Array:
    result = np.array(x)
    if x.size:
        for place in np.ndindex(matrix.shape[:-2]):
            parts = lu(matrix[place])
            rows = x[place][parts["permutation"]]
            inner = _triangular(parts["factors"], rows, False, False, True)
            result[place] = _triangular(parts["factors"], inner, True, False, False)
    return result


def _part(op: factorisations.PartOp, operands: Sequence[Array], frame: Frame) -> Array:
    return _parts(op, op.part.data, operands[0], is_complex=op.complex is not None)


def _cholesky(op: factorisations.CholeskyOp, operands: Sequence[Array], frame: Frame) -> Array:
    return _parts(op, "factor", operands[0], is_complex=op.complex is not None)


def _parts(op: Operation, part: str, x: Array, *, is_complex: bool) -> Array:
    (result,) = op.results
    empty = np.empty(shape_of(result), numpy_dtype(result.type))
    kind = op.name.removeprefix("array.")
    return parts_of_batch(kind, part, np.asarray(x), empty, is_complex=is_complex)


def _triangular_solve(op: factorisations.TriangularSolveOp, operands: Sequence[Array], frame: Frame) -> Array:
    return triangular_solutions(*map(np.asarray, operands), **factorisations.triangle_flags(op))


def _solve(op: factorisations.SolveOp, operands: Sequence[Array], frame: Frame) -> Array:
    return solutions(*map(np.asarray, operands), is_complex=op.complex is not None)


FACTORISATION_MEANINGS: dict[type[Operation], Meaning] = {
    factorisations.LuOp: _part,
    factorisations.CholeskyOp: _cholesky,
    factorisations.QrOp: _part,
    factorisations.EighOp: _part,
    factorisations.SvdOp: _part,
    factorisations.EigOp: _part,
    factorisations.SchurOp: _part,
    factorisations.TriangularSolveOp: _triangular_solve,
    factorisations.SolveOp: _solve,
}
"""From the class of an op to its meaning."""
