"""Roots, logarithms, powers and signs of matrices, by iterations: `sqrtm`, `logm` and their like in SciPy.

    sqrtm(A)        X -> mu X (I + M^-1 / mu^2) / 2,  M -> (I + (mu^2 M + M^-1 / mu^2) / 2) / 2

That is the product form of the iteration of Denman and Beavers, with mu from determinants (N. Higham,
Functions of Matrices, 2008, section 6.3). Derivatives go through it: those of an iterate are a part of the
iterate of a block matrix with the same eigenvalues, so they converge as fast, and a few steps more settle
those of higher orders. No part of that cares for eigenvalues that meet. A result has the dtype of the matrix:
a real matrix whose root or logarithm is complex is an error when the program runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.constructs.loops import while_loop
from mlirad.frontend.numpy_functions.calls.parameters import Number
from mlirad.frontend.numpy_functions.linear_algebra.determinants import slogdet
from mlirad.frontend.numpy_functions.linear_algebra.factors import (
    Matrix,
    MatrixLike,
    floating,
    real_dtype,
    report_failure,
    require_square,
    solutions,
)
from mlirad.frontend.numpy_functions.linear_algebra.matrix_functions import expm
from mlirad.frontend.numpy_functions.linear_algebra.spectral import eigvals
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.operations import as_array, xp

_MOST_STEPS = 60
_STEPS_MORE = 4
"""Steps after the iterate is close: one for its digits, the others for its derivatives."""

_MOST_ROOTS = 40
_NEAR_ONE = 0.25
"""The norm of A - I up to which `_POINTS` of the quadrature give the logarithm of A."""

_POINTS = 8


def sqrtm(A: MatrixLike) -> Matrix:
    """`scipy.linalg.sqrtm`: the principal root. Raises where it is complex, and the matrix is real."""
    x = floating(require_square(A, "sqrtm"))
    _require_principal(x, "square root")
    return _root(x)


def logm(A: MatrixLike) -> Matrix:
    """`scipy.linalg.logm`: by square roots until the matrix is close to I. Raises as `sqrtm` does."""
    x = floating(require_square(A, "logm"))
    _require_principal(x, "logarithm")
    return _logarithm(x)


def fractional_matrix_power(A: MatrixLike, t: Number) -> Matrix:
    """`scipy.linalg.fractional_matrix_power`, by the logarithm. Raises as `sqrtm` does."""
    x = floating(require_square(A, "fractional_matrix_power"))
    _require_principal(x, "power")
    return expm(t * _logarithm(x))


def signm(A: MatrixLike) -> Matrix:
    """`scipy.linalg.signm`, by Newton's iteration. Raises where an eigenvalue is imaginary."""
    x = floating(require_square(A, "signm"))
    if not x.size:
        return x
    values = stop_gradient(eigvals(x))
    size = xp.max(xp.abs(values), axis=-1, keepdims=True)
    is_between = xp.abs(values.real) <= _tolerance(x) * size
    report_failure(xp.any(is_between).value, "signm of a matrix with an eigenvalue on the imaginary axis")

    def step(y: Matrix) -> tuple[Matrix, Array]:
        inverse = solutions(y, _identity(y))
        far = _distance(y, inverse)
        scale = _scale(y, far) ** 0.5
        return 0.5 * (scale * y + inverse / scale), far

    return _settled(step, x)


def _require_principal(x: Matrix, what: str) -> None:
    """Let the call raise where an eigenvalue is negative or 0."""
    if not x.size:
        return
    values = stop_gradient(eigvals(x))
    least = _tolerance(x) * xp.max(xp.abs(values), axis=-1, keepdims=True)
    is_cut = (values.real <= least) & (xp.abs(values.imag) <= least)
    kind = "complex" if isinstance(x, ComplexArray) else "real"
    report_failure(
        xp.any(is_cut).value,
        f"a {kind} matrix with an eigenvalue that is negative or 0 has no principal {what} that is {kind}",
    )


def _tolerance(x: Matrix) -> float:
    return 100 * float(np.finfo(real_dtype(x)).eps)


def _identity(x: Matrix) -> Any:
    real = as_array(np.broadcast_to(np.eye(x.shape[-1], dtype=real_dtype(x)), x.shape))
    return ComplexArray(real, xp.zeros_like(real)) if isinstance(x, ComplexArray) else real


def _distance(x: Matrix, y: Any) -> Array:
    """The largest element of x - y in modulus, over that of y or 1."""
    difference, size = stop_gradient(xp.max(xp.abs(x - y))), stop_gradient(xp.max(xp.abs(y)))
    return difference / xp.maximum(size, 1.0)


def _scale(x: Matrix, far: Array) -> Array:
    """|det x|^(-2/n) of each matrix, by which x^2 gets the determinant 1; 1 close to the end."""
    logarithm = stop_gradient(slogdet(x)[1])
    return xp.where(far > 0.01, xp.exp(logarithm * (-2 / x.shape[-1])), 1.0)[..., None, None]


def _settled(step: Callable[[Any], tuple[Any, Array]], start: Any) -> Any:
    """Steps until one says that it began close to the end, and a few more."""
    near = 1e-3 if _is_short(start) else 1e-6

    def is_unsettled(carry: Any) -> Any:
        count, settled, _ = carry
        return (settled < _STEPS_MORE) & (count < _MOST_STEPS)

    def body(carry: Any) -> Any:
        count, settled, state = carry
        after, far = step(state)
        return count + 1, xp.where(far < near, settled + 1, 0), after

    return while_loop(is_unsettled, body, (np.int64(0), np.int64(0), start))[2]


def _is_short(state: Any) -> bool:
    first = cast("tuple[Any, ...]", state)[0] if isinstance(state, tuple) else state
    return real_dtype(first) == np.float32


def _root(x: Matrix) -> Matrix:
    if not x.size:
        return x
    identity = _identity(x)

    def step(state: tuple[Matrix, Matrix]) -> tuple[tuple[Matrix, Matrix], Array]:
        root, product = state
        far = _distance(product, identity)
        square = _scale(product, far) ** 0.5
        inverse = solutions(product, identity) / square
        after = 0.5 * (identity + 0.5 * (square * product + inverse))
        return (0.5 * xp.sqrt(square) * (root @ (identity + inverse)), after), far

    return _settled(step, (x, x))[0]


def _logarithm(x: Matrix) -> Matrix:
    if not x.size:
        return x
    identity = _identity(x)

    def is_far(carry: Any) -> Any:
        count, root = carry
        size = stop_gradient(xp.max(xp.sum(xp.abs(root - identity), axis=-2)))
        return (size > _NEAR_ONE) & (count < _MOST_ROOTS)

    count, root = while_loop(is_far, lambda carry: (carry[0] + 1, _root(carry[1])), (np.int64(0), x))
    rest = root - identity
    points, weights = np.polynomial.legendre.leggauss(_POINTS)
    total: Any = 0.0
    for point, weight in zip(points, weights, strict=True):
        share = np.asarray((point + 1) / 2, real_dtype(x))[()]
        total = total + np.asarray(weight / 2, real_dtype(x))[()] * solutions(identity + share * rest, rest)
    return xp.exp2(count.astype(real_dtype(x))) * total


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrtm": sqrtm, "logm": logm, "signm": signm, "fractional_matrix_power": fractional_matrix_power,
}  # fmt: skip
"""The functions that trace those of `scipy.linalg`, by their names there."""
