"""Eigenvalues of pairs of a Hermitian and a positive definite matrix: `scipy.linalg.eigh(a, b)`.

With b = L L^H and the ordinary problem C y = w y,

    type 1    a v = w b v     C = L^-1 a L^-H     v = L^-H y
    type 2    a b v = w v     C = L^H a L         v = L^-H y
    type 3    b a v = w v     C = L^H a L         v = L y

as LAPACK has it, so signs are its own.
"""

from __future__ import annotations

import numpy as np

from mlirad.frontend.numpy_functions.linear_algebra.factors import (
    Matrix,
    adjoint,
    linear_algebra_error,
    require_square,
    triangular_solutions,
)
from mlirad.frontend.numpy_functions.linear_algebra.linear_systems import cholesky_factor
from mlirad.frontend.numpy_functions.linear_algebra.spectral import eigh, eigvalsh
from mlirad.frontend.numpy_functions.linear_algebra.structured_systems import INDEFINITE
from mlirad.frontend.tracing.operations import xp


def _hermitian(a: Matrix, lower: bool) -> Matrix:
    """Both triangles from the one that is read."""
    x = a if lower else adjoint(a)
    below = np.tril(np.ones(x.shape[-2:], bool), -1)
    on = np.eye(x.shape[-1], dtype=bool)
    strict = xp.where(below, x, 0)
    # The diagonal of a Hermitian matrix is real.
    return strict + adjoint(strict) + xp.where(on, (x + adjoint(x)) / 2, 0)


def _ordinary(a: Matrix, b: Matrix, type_: int, lower: bool, name: str) -> tuple[Matrix, Matrix]:
    """The ordinary problem, and the factor of b."""
    x, y = require_square(a, name), require_square(b, name)
    if x.shape != y.shape:
        raise linear_algebra_error(
            f"{name}: matrices of shapes {x.shape} and {y.shape}", "a and b have one shape"
        )
    factor = cholesky_factor(y if lower else adjoint(y), INDEFINITE)
    whole = _hermitian(x, lower)
    if type_ != 1:
        return adjoint(factor) @ whole @ factor, factor
    half = triangular_solutions(factor, whole)
    return adjoint(triangular_solutions(factor, adjoint(half))), factor


def generalised_eigh(a: Matrix, b: Matrix, type_: int, lower: bool) -> tuple[Matrix, Matrix]:
    """Eigenvalues and eigenvectors of pairs of matrices."""
    problem, factor = _ordinary(a, b, type_, lower, "eigh")
    values, vectors = eigh(problem)
    if type_ == 3:
        return values, factor @ vectors
    return values, triangular_solutions(factor, vectors, transposed=True)


def generalised_eigvalsh(a: Matrix, b: Matrix, type_: int, lower: bool) -> Matrix:
    """Eigenvalues of pairs of matrices."""
    return eigvalsh(_ordinary(a, b, type_, lower, "eigvalsh")[0])
