"""What factorisations and linear systems are on NumPy arrays: the matrices of a batch one by one, by SciPy.

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
    return getattr(scipy_module(f"linalg.{library}"), {"f": "s", "d": "d"}[dtype] + name)


def lu(a: Array) -> dict[str, Array]:
    """The parts of the LU factorisation of a square matrix."""
    factors, swaps, _ = _routine("lapack", "getrf", a.dtype.char)(a)
    order = np.arange(len(a))
    for k, other in enumerate(swaps):
        order[[k, other]] = order[[other, k]]
    return {"factors": factors, "pivots": swaps.astype(np.int64), "permutation": order}


def cholesky(a: Array) -> dict[str, Array]:
    """The Cholesky factor of a symmetric matrix, NaN where there is none."""
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
        return {"values": np.full_like(a[0], np.nan), "vectors": np.full_like(a, np.nan)}
    return {"values": values, "vectors": vectors}


def svd(a: Array) -> dict[str, Array]:
    """The singular values and vectors, NaN where they are not found."""
    try:
        left, values, right = np.linalg.svd(a, full_matrices=False)
    except np.linalg.LinAlgError:
        rows, columns = a.shape
        least = min(rows, columns)
        shapes = {"left": (rows, least), "values": (least,), "right": (least, columns)}
        return {part: np.full(shape, np.nan, a.dtype) for part, shape in shapes.items()}
    return {"left": left, "values": values, "right": right}


FACTORISATIONS: dict[str, Callable[[Array], dict[str, Array]]] = {
    "lu": lu,
    "cholesky": cholesky,
    "qr": qr,
    "eigh": eigh,
    "svd": svd,
}
"""The parts of each factorisation of one matrix that is not empty."""


def parts_of_batch(kind: str, part: str, x: Array, empty: Array) -> Array:
    """A part of the factorisation of every matrix; `empty` is an array like the result."""
    result = np.empty_like(empty)
    if x.size:
        for place in np.ndindex(x.shape[:-2]):
            result[place] = FACTORISATIONS[kind](x[place])[part]
    return result


def triangular_solutions(matrix: Array, x: Array, *, upper: bool, transposed: bool, unit: bool) -> Array:
    """The solutions of a batch of triangular systems."""
    result = np.array(x)
    if x.size:
        trsm = _routine("blas", "trsm", matrix.dtype.char)
        for place in np.ndindex(matrix.shape[:-2]):
            result[place] = trsm(1.0, matrix[place], x[place], lower=not upper, trans_a=transposed, diag=unit)
    return result


def solutions(matrix: Array, x: Array) -> Array:
    """The solutions of a batch of linear systems, by LU factors."""
    result = np.array(x)
    if x.size:
        for place in np.ndindex(matrix.shape[:-2]):
            parts = lu(matrix[place])
            inner = triangular_solutions(
                parts["factors"], x[place][parts["permutation"]], upper=False, transposed=False, unit=True
            )
            result[place] = triangular_solutions(
                parts["factors"], inner, upper=True, transposed=False, unit=False
            )
    return result


def _part(op: factorisations.PartOp, operands: Sequence[Array], frame: Frame) -> Array:
    return _parts(op, op.part.data, operands[0])


def _cholesky(op: factorisations.CholeskyOp, operands: Sequence[Array], frame: Frame) -> Array:
    return _parts(op, "factor", operands[0])


def _parts(op: Operation, part: str, x: Array) -> Array:
    (result,) = op.results
    empty = np.empty(shape_of(result), numpy_dtype(result.type))
    return parts_of_batch(op.name.removeprefix("array."), part, np.asarray(x), empty)


def _triangular_solve(op: factorisations.TriangularSolveOp, operands: Sequence[Array], frame: Frame) -> Array:
    return triangular_solutions(*map(np.asarray, operands), **factorisations.triangle_flags(op))


def _solve(op: factorisations.SolveOp, operands: Sequence[Array], frame: Frame) -> Array:
    return solutions(*map(np.asarray, operands))


FACTORISATION_MEANINGS: dict[type[Operation], Meaning] = {
    factorisations.LuOp: _part,
    factorisations.CholeskyOp: _cholesky,
    factorisations.QrOp: _part,
    factorisations.EighOp: _part,
    factorisations.SvdOp: _part,
    factorisations.TriangularSolveOp: _triangular_solve,
    factorisations.SolveOp: _solve,
}
"""From the class of an op to its meaning."""
