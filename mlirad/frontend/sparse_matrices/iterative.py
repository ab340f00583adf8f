"""Iterative solvers of `scipy.sparse.linalg`: `cg`, `gmres` and `bicgstab`.

    x, info = cg(a, b, rtol=1e-10)        a sparse or dense matrix, or a LinearOperator; info is 0 or positive

They have converged when the residual is at most max(rtol |b|, atol), as in SciPy. Derivatives are those of
the solution, which each solve with the matrix or its transpose by the same iteration to the same tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.constructs.loops import while_loop
from mlirad.frontend.solvers.convergence import Limits, finite
from mlirad.frontend.solvers.flat_functions import closed
from mlirad.frontend.solvers.inverses import Operator, of_solutions, transposed
from mlirad.frontend.solvers.krylov import gmres as krylov_gmres
from mlirad.frontend.solvers.krylov import norm
from mlirad.frontend.sparse_matrices.operators import METHODS, aslinearoperator
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import shape_error, unsupported_error

Map: TypeAlias = Callable[[Any], Any]

Iteration: TypeAlias = Callable[[Map, Map, Any, Any, int], Any]
"""The solution for a map, a preconditioner, a right side, the length of a residual, and a number of steps."""


def _conjugate_gradients(a: Map, m: Map, b: Any, goal: Any, maxiter: int) -> Any:
    def step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        x, r, p, size, steps = state
        image = a(p)
        step = size / (p @ image)
        r = r - step * image
        z = m(r)
        smaller = r @ z
        return x + step * p, r, z + smaller / size * p, smaller, steps + 1

    z = m(b)
    start = (xp.zeros_like(b), b, z, b @ z, as_array(0))
    return while_loop(lambda s: (norm(s[1]) > goal) & (s[4] < maxiter), step, start)[0]


def _stabilised(a: Map, m: Map, b: Any, goal: Any, maxiter: int) -> Any:
    """The stabilised method of two-sided gradients (van der Vorst, 1992).

    Residuals are compared with a vector beside the right side, which few products with sparse matrices are
    orthogonal to.
    """

    beside = b + norm(b) / np.sqrt(b.size) * xp.cos(xp.arange(b.size)).astype(b.dtype)

    def step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        x, r, p, v, rho, alpha, omega, steps = state
        following = beside @ r
        beta = following / rho * (alpha / omega)
        p = xp.where(steps == 0, r, r + beta * (p - omega * v))
        moved = m(p)
        v = a(moved)
        alpha = following / (beside @ v)
        s = r - alpha * v
        other = m(s)
        t = a(other)
        size = t @ t
        omega = xp.where(size > 0, t @ s / xp.where(size > 0, size, 1), 0)
        change, rest = alpha * moved + omega * other, s - omega * t
        goes_on = finite(change) & finite(rest)  # else a direction has vanished: what there is is the result
        x, r = x + xp.where(goes_on, change, 0), xp.where(goes_on, rest, 0)
        return x, r, p, v, following, alpha, omega, steps + 1

    one, nothing = as_array(1.0, b.dtype), xp.zeros_like(b)
    start = (nothing, b, nothing, nothing, one, one, one, as_array(0))
    return while_loop(lambda s: (norm(s[1]) > goal) & (s[7] < maxiter), step, start)[0]


def _least_residual(a: Map, m: Map, b: Any, goal: Any, maxiter: int) -> Any:
    """GMRES with the preconditioner on the right, which leaves residuals as they are."""
    return m(krylov_gmres(lambda v: a(m(v)), b, Limits(None, maxiter), goal).z)


def cg(A: Any, b: Any, x0: Any = None, **options: Any) -> tuple[Any, Any]:
    """Conjugate gradients, for a matrix that is symmetric and positive definite."""
    return _solved("cg", _conjugate_gradients, True, A, b, x0, options)


def bicgstab(A: Any, b: Any, x0: Any = None, **options: Any) -> tuple[Any, Any]:
    """The stabilised method of two-sided gradients, for any regular matrix."""
    return _solved("bicgstab", _stabilised, False, A, b, x0, options)


def gmres(A: Any, b: Any, x0: Any = None, **options: Any) -> tuple[Any, Any]:
    """Least residuals in Krylov spaces, for any regular matrix."""
    options.pop("callback_type", None)
    options.pop("restart", None)
    return _solved("gmres", _least_residual, False, A, b, x0, options)


def _solved(
    name: str, iteration: Iteration, is_symmetric: bool, a: Any, b: Any, x0: Any, options: dict[str, Any]
) -> tuple[Any, Any]:
    if options.get("callback") is not None:
        raise unsupported_error(
            f"{name} of traced values calls no callback",
            "leave the callback out, or solve with NumPy's arrays",
        )
    right, operator = real_or_complex(b), aslinearoperator(a)
    size = operator.shape[0]
    if operator.shape[1] != size or tuple(right.shape) not in ((size,), (size, 1)):
        raise shape_error(
            f"{name}: an operator of shape {tuple(operator.shape)} and a right side of shape "
            f"{tuple(right.shape)}",
            "the operator is square, and the right side a vector as long",
        )
    right = right.reshape(-1)
    dtype = np.result_type(operator.dtype, right.dtype, np.float32)
    flat = _Flat(size, dtype)
    before = options.get("M")
    apply, prepare = flat.map_of(operator), flat.map_of(None if before is None else aslinearoperator(before))
    v = flat.of(right)
    start = None if x0 is None else as_array(stop_gradient(flat.of(real_or_complex(x0).reshape(-1))))
    residual = v if start is None else v - apply(start)
    rtol, atol = options.get("rtol", 1e-5), options.get("atol", 0.0)
    goal = as_array(stop_gradient(xp.maximum(rtol * norm(v), atol)), v.dtype)
    maxiter = options.get("maxiter") or 10 * size
    inverse, data = _inverse(iteration, is_symmetric, apply, prepare, flat.type, (rtol, atol, maxiter))
    x = inverse(residual, *data)
    x = x if start is None else start + x
    rest = norm(as_array(stop_gradient(v - apply(x))))
    info = xp.where(rest <= 2 * goal, 0, maxiter)
    return flat.back(x), info


class _Flat:
    """Vectors of an equation as real ones; complex ones are parts one after the other."""

    def __init__(self, size: int, dtype: np.dtype[Any]):
        self.is_complex = dtype.kind == "c"
        part = np.dtype(np.float32 if dtype.itemsize == (8 if self.is_complex else 4) else np.float64)
        self.type = LeafType((2 * size if self.is_complex else size,), part)

    def of(self, x: Any) -> Any:
        """The real vector of one."""
        parts = xp.concatenate([xp.real(x), xp.imag(x)]) if self.is_complex else x
        return as_array(parts, self.type.dtype)

    def back(self, v: Any) -> Any:
        """The vector that a real one stands for."""
        half = self.type.shape[0] // 2
        return v[:half] + 1j * v[half:] if self.is_complex else v

    def map_of(self, operator: Any) -> Map:
        """An operator on real vectors; the identity for none."""
        if operator is None:
            return lambda v: v
        return lambda v: self.of(METHODS["matvec"](operator, self.back(v)))


def _inverse(
    iteration: Iteration, is_symmetric: bool, apply: Map, prepare: Map, space: LeafType,
    limits: tuple[float, float, int],
) -> tuple[Operator, tuple[Any, ...]]:  # fmt: skip
    """The inverse of an operator as a function of a vector and of all data that operators read, and these."""
    rtol, atol, maxiter = limits
    both = [closed(f, [space], ()) for f in (apply, prepare)]
    count = len(both[0].data)

    def of_data(v: Any, *data: Any) -> Any:
        return both[0](v, *data[:count])

    def prepared(v: Any, *data: Any) -> Any:
        return both[1](v, *data[count:])

    def solution(a: Operator, m: Operator, v: Any, *data: Any) -> Any:
        goal = as_array(xp.maximum(rtol * norm(v), atol), v.dtype)
        found = iteration(lambda x: a(x, *data), lambda x: m(x, *data), v, goal, maxiter)
        return xp.where(norm(v) > 0, found, 0).astype(v.dtype)

    pairs = [(of_data, partial(solution, of_data, prepared))]
    if not is_symmetric:
        back, back_prepared = transposed(of_data, space), transposed(prepared, space)
        pairs.append((back, partial(solution, back, back_prepared)))
    return of_solutions(pairs, space)[0], (*both[0].data, *both[1].data)
