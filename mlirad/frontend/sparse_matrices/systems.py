"""Solutions of sparse systems, with derivatives of every order by the right side and by the entries.

    x = A^-1 b:   dx = A^-1 (db - dA x)       transposed:  w = A^-T ct,  ct_b = w,  ct_A[i, j] = -w[i] x[j]

The last is taken in the places of entries alone. All solutions call the host for SuperLU (`factors.py`), with
the same factors. A complex matrix is one of pairs, whose transpose is the adjoint.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mlirad.frontend.constructs.callbacks import called_by_name
from mlirad.frontend.solvers.inverses import Operator, of_solutions
from mlirad.frontend.sparse_matrices.entries import Entries
from mlirad.frontend.sparse_matrices.factors import GivenSolver, Pattern, Solutions, Solver, digest
from mlirad.frontend.sparse_matrices.objects import Sparse, entries_of, is_traced_matrix
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.frontend.tracing.value_keys import Same


class Solving(ABC):
    """Solutions of the systems of one matrix, by a function of the program for each type of right side."""

    def __init__(self, matrix: Any, dtype: np.dtype[Any], name: str):
        self.shape = (int(matrix.shape[0]), int(matrix.shape[1]))
        self.dtype = dtype
        self.is_complex = dtype.kind == "c"
        self._name = name
        self._inverses: dict[Any, tuple[Operator, Operator]] = {}

    @abstractmethod
    def _data(self, part: np.dtype[Any]) -> tuple[Any, ...]:
        """The data that solutions depend on beside right sides, of numbers of this dtype or pairs of them."""

    @abstractmethod
    def _pair_of_inverses(self, space: LeafType) -> tuple[Operator, Operator]:
        """The inverses of the matrix and of its adjoint, on arrays of a type."""

    def solve(self, b: Any, trans: str = "N") -> Any:
        """x with A x = b for the vector or the columns b; for `trans` "T" and "H" of the transpose."""
        b = real_or_complex(b)
        if b.ndim not in (1, 2) or b.shape[0] != self.shape[0]:
            raise shape_error(
                f"{self._name}: a matrix of shape {self.shape} and a right side of shape {tuple(b.shape)}",
                "the right side is a vector, or columns, as long as the matrix has rows",
            )
        columns = b if b.ndim == 2 else b[:, None]
        dtype = np.result_type(self.dtype, b.dtype)
        part = np.dtype(np.float32 if dtype.itemsize == (8 if dtype.kind == "c" else 4) else np.float64)
        if self.is_complex:
            sign = -1 if trans == "T" else 1  # of the transpose by the adjoint: conj(A^-H conj(b))
            pair = xp.stack([xp.real(columns), sign * xp.imag(columns)])
            one, other = self._solution(pair, part, trans)
            found = one + 1j * (sign * other)
        elif isinstance(b, ComplexArray):
            width = columns.shape[1]
            both = self._solution(xp.concatenate([columns.real, columns.imag], axis=1), part, trans)
            found = both[:, :width] + 1j * both[:, width:]
        else:
            found = self._solution(columns, part, trans)
        return found if b.ndim == 2 else found[:, 0]

    def _solution(self, v: Any, part: np.dtype[Any], trans: str) -> Any:
        v = as_array(v, part)
        key = (tuple(v.shape), part)
        if key not in self._inverses:
            self._inverses[key] = self._pair_of_inverses(LeafType(tuple(v.shape), part))
        return self._inverses[key][trans != "N"](v, *self._data(part))


class System(Solving):
    """A square matrix whose systems are solved, by factors that a function of SciPy's makes."""

    def __init__(self, matrix: Sparse, name: str, factorise: Callable[[Any], Any], options: Any):
        if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
            raise shape_error(
                f"{name}: a matrix of shape {tuple(matrix.shape)} is not square",
                "a system has as many equations as unknowns",
            )
        super().__init__(matrix, np.result_type(matrix.dtype, np.float32), name)
        self._factorise, self._options = factorise, options
        self._known: Any = None
        self._values: Any = None
        if is_traced_matrix(matrix):
            entries = entries_of(matrix).summed()
            order = np.lexsort((entries.rows, entries.columns))
            self._rows, self._columns = entries.rows[order], entries.columns[order]
            self._values = entries.values[order]
        else:
            entries = _by_columns(matrix)
            self._rows, self._columns, self._known = entries.rows, entries.columns, entries.values
        starts = np.concatenate([[0], np.cumsum(np.bincount(self._columns, minlength=self.shape[1]))])
        self._pattern = Pattern(self._rows.astype(np.int32), starts.astype(np.int32), self.shape[0])

    def _data(self, part: np.dtype[Any]) -> tuple[Any, ...]:
        values: Any = self._values
        if values is None:
            return ()
        if self.is_complex:
            values = xp.stack([xp.real(values), xp.imag(values)])
        return (as_array(values, part),)

    def _pair_of_inverses(self, space: LeafType) -> tuple[Operator, Operator]:
        """The inverses of the matrix and of its adjoint, on arrays of a type."""
        dtype = np.result_type(space.dtype, np.complex64) if self.is_complex else space.dtype
        known = None if self._known is None else self._known.astype(dtype)
        pattern = self._pattern
        parts = (pattern.indices, pattern.starts, *(() if known is None else (known,)))
        key = digest(self._name, repr(self._options), dtype.str, *parts)
        solver = Solver(
            values=known,
            is_complex=self.is_complex,
            lenient=self._name == "spsolve",
            pattern=pattern,
            factorise=self._factorise,
            key=key,
        )
        solution = _by_host(solver, f"{self._name}:{key.hex()}", None, space)
        adjoint = "H" if self.is_complex else "T"
        return of_solutions(
            [
                (partial(self._product, False), partial(solution, "N")),
                (partial(self._product, True), partial(solution, adjoint)),
            ],
            space,
            is_expensive=True,
        )

    def _product(self, is_adjoint: bool, x: Any, data: Any) -> Any:
        """The product of the matrix, or of its adjoint, with x as a function of both."""
        if not self.is_complex:
            return self._entries(data, is_adjoint).times(x)
        re, im = self._entries(data[0], is_adjoint), self._entries(data[1], is_adjoint)
        sign = -1 if is_adjoint else 1
        one = re.times(x[0]) - sign * im.times(x[1])
        return xp.stack([one, re.times(x[1]) + sign * im.times(x[0])])

    def _entries(self, values: Any, is_adjoint: bool) -> Entries:
        found = Entries(self._rows, self._columns, values, self.shape)
        return found.transposed if is_adjoint else found


class GivenSystem(Solving):
    """The systems of an object of SuperLU that was made before the trace; only right sides are traced."""

    def __init__(self, factors: Any):
        # The dtype of the solution for a right side of any: to ask for L and U would copy them.
        dtype = factors.solve(np.zeros(factors.shape[0], np.float32)).dtype
        super().__init__(factors, dtype, "solve")
        self._factors = factors

    def _data(self, part: np.dtype[Any]) -> tuple[Any, ...]:
        return ()

    def _pair_of_inverses(self, space: LeafType) -> tuple[Operator, Operator]:
        nothing = np.zeros(0, self.dtype)
        solver = GivenSolver(values=nothing, is_complex=self.is_complex, lenient=False, given=self._factors)
        solution = _by_host(solver, "SuperLU", Same(self._factors), space)
        adjoint = "H" if self.is_complex else "T"
        pairs = [(_moved_by_nothing, partial(solution, trans)) for trans in ("N", adjoint)]
        return of_solutions(pairs, space, is_expensive=True)


def _moved_by_nothing(*_: Any) -> Any:
    raise AssertionError("a system without data moves by none")


def _by_host(solver: Solutions, name: str, own: Same | None, space: LeafType) -> Operator:
    """The call of a solver for a kind of system, a right side and data; known by a name, and what it owns."""

    def solution(trans: str, v: Any, *data: Any) -> Any:
        full = f"scipy.sparse.linalg.{name}:{trans}"
        return called_by_name((full, own), full, partial(solver.solved, trans), [*data, v], [space])[0]

    return solution


def _by_columns(matrix: Sparse) -> Entries:
    """The entries of a matrix whose values are known, summed and in the order of SuperLU."""
    csc = matrix.tocsc(copy=True)
    csc.sum_duplicates()
    columns: Any = xp.repeat(np.arange(csc.shape[1]), np.diff(csc.indptr))
    values = csc.data.astype(np.result_type(csc.dtype, np.float32), copy=False)
    return Entries(csc.indices.astype(np.intp), columns, values, csc.shape)
