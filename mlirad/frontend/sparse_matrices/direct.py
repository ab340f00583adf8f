"""Direct solvers of `scipy.sparse.linalg`: `spsolve`, `splu`, `spilu`, `factorized`.

    lu = splu(a)
    lu.solve(b), lu.solve(b, "T")        the same factors, in all calls of the program and in its derivatives

An object of SuperLU that was made outside, `lu` or what `factorized` returns, solves in a trace, too.

Factors are made when the program runs, and found again by what they are made of: in loops, in transposed
solves, in later calls.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mlirad.frontend.sparse_matrices.construction import full
from mlirad.frontend.sparse_matrices.objects import Sparse, converted, is_sparse, is_traced_matrix, traced
from mlirad.frontend.sparse_matrices.systems import GivenSystem, System
from mlirad.frontend.splicing.questions import question_of
from mlirad.frontend.tracing.argument_kinds import checked_choice
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.raising import argument_error, unsupported_error
from mlirad.packages import scipy_module

TRANSPOSES = ("N", "T", "H")
"""The systems that can be solved: the given one, its transpose, and its adjoint."""


class Factors:
    """The result of `splu` in a traced function: `solve`, `shape`, and SciPy's factors of known values."""

    def __init__(self, system: System, own: Callable[[], Any] | None):
        self.shape = system.shape
        self._system = system
        self._own = own

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """The solutions for a vector or for columns; with the transpose for "T", the adjoint for "H"."""
        checked_choice(trans, "trans of solve", TRANSPOSES)
        return self._system.solve(rhs, trans)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._own is None:
            raise unsupported_error(
                f"{name} of the factors of a sparse matrix of traced values is not known",
                "solve with them: splu(a).solve(b)",
            )
        return getattr(self._own(), name)


def spsolve(A: Any, b: Any, permc_spec: Any = None, **_: Any) -> Any:
    """x with A x = b; NaN and a warning where A is singular, as in SciPy."""
    matrix = A if is_sparse(A) else full(A)
    options = {} if permc_spec is None else {"permc_spec": permc_spec}
    system = System(matrix, "spsolve", _factorising("splu", options), options)
    if is_sparse(b):
        columns = system.solve(traced(b).toarray())
        return columns[:, 0] if b.shape[-1] == 1 else converted(full(columns), "csc")
    found = system.solve(b)
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found


def splu(A: Sparse, **options: Any) -> Factors:
    """The factors of A, which solve."""
    return _factors("splu", A, options)


def spilu(A: Sparse, **options: Any) -> Factors:
    """Incomplete factors of a matrix whose values are known: a preconditioner."""
    if is_traced_matrix(A):
        raise unsupported_error(
            "spilu of traced values has no derivative, as it drops entries by their size",
            "factorise exactly, splu(a), or a matrix of known values",
        )
    return _factors("spilu", A, options)


def factorized(A: Sparse) -> Callable[[Any], Any]:
    """The function that solves systems of A for a right side."""
    return splu(A).solve


def solve_by_given(factors: Any, rhs: Any, trans: str = "N") -> Any:
    """`solve` of an object of SuperLU for a traced right side, which the dtype of the factors can hold."""
    right, system = real_or_complex(rhs), GivenSystem(factors)
    if not np.can_cast(right.dtype, system.dtype, "safe"):
        raise argument_error(
            f"factors of {system.dtype} numbers solve for no right side of {right.dtype}",
            f"convert it, lu.solve(b.astype(np.{system.dtype})), or factorise a matrix of {right.dtype}",
        )
    checked_choice(trans, "trans of solve", TRANSPOSES)
    return system.solve(right, trans)


def _factors(name: str, matrix: Any, options: dict[str, Any]) -> Factors:
    if not is_sparse(matrix):
        raise argument_error(
            f"{name} takes a sparse matrix, got an array",
            "scipy.linalg has lu_factor and lu_solve for a dense one",
        )
    given = {key: value for key, value in options.items() if value is not None}
    factorise = _factorising(name, given)
    own = None if is_traced_matrix(matrix) else partial(factorise, matrix.tocsc())
    return Factors(System(matrix, name, factorise, given), own)


def _factorising(name: str, options: dict[str, Any]) -> Callable[[Any], Any]:
    """SciPy's own function, which asks nothing, with options."""
    function = getattr(scipy_module("sparse.linalg"), name)
    asked = question_of(function)
    return partial(function if asked is None else asked.own, **options)
