"""The shared parts of solvers: tolerances, norms, dense solves that do not raise, and reports of failure.

An iteration ends with `Progress`: the vector, how many steps it took, and whether it converged.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlirad.frontend.tracing.argument_kinds import checked_integer, checked_number
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import Dtype
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.tokens import ReportsNeeded, has_reports, report
from mlirad.lazy_dataclass import dataclass


class Progress(NamedTuple):
    """The state in which an iteration ended."""

    z: Any
    """The vector, flat."""
    steps: Any
    converged: Any


@dataclass(frozen=True)
class Limits:
    """When an iteration ends: at a relative tolerance, or after a given number of steps."""

    tol: float | None
    maxiter: int

    def tolerance(self, dtype: Dtype, power: float) -> Any:
        """The tolerance in a dtype; by default a power of the distance from 1 to the next float."""
        return dtype.type(np.finfo(dtype).eps ** power if self.tol is None else self.tol)


def checked_limits(tol: Any, maxiter: Any, default: int, what: str) -> Limits:
    """The limits that a user gave."""
    return Limits(
        None if tol is None else checked_number(tol, f"{what}: tol", 1.0, "write tol=1e-8"),
        default if maxiter is None else checked_integer(maxiter, f"{what}: maxiter", 1, "write maxiter=100"),
    )


def largest(x: Any) -> Any:
    """The largest absolute value of a vector; infinite where one is not a number."""
    found = xp.max(xp.abs(x), initial=0.0).astype(x.dtype)
    return xp.where(xp.isnan(found), x.dtype.type(np.inf), found)


def power_of_two(size: Any) -> Any:
    """The largest power of two that is not above a size, which divides it exactly; 1 for 0 and infinity.

    Iterations work on what is divided by it, so that squares neither overflow nor vanish, whatever the unit.
    """
    usable = (size > 0) & xp.isfinite(size)
    exponent = xp.floor(xp.log2(xp.where(usable, size, 1)))
    return xp.where(usable, xp.exp2(exponent), 1).astype(size.dtype)


def finite(x: Any) -> Any:
    """Return whether all elements are finite."""
    return xp.all(xp.isfinite(x))


def solved(matrix: Any, x: Any) -> Any:
    """The solution of a linear system, which is not finite where the matrix is singular."""
    columns = xp.reshape(as_array(x), (-1, 1))
    return xp.reshape(made(emitting().solve(as_array(matrix).value, columns.value)), (-1,))


def is_singular(matrix: Any) -> Any:
    """Return whether a factor of the matrix has a zero on its diagonal."""
    pivots = xp.diagonal(made(emitting().lu("factors", as_array(matrix).value)))
    return xp.any(pivots == 0)


def require_regular(matrix: Any, message: str) -> None:
    """Let the call raise a `LinearAlgebraError` where the matrix is singular."""
    _report("matrix", is_singular(matrix), message)


def report_failures(condition: Any, message: str, *values: Any) -> None:
    """Let the call raise a `ConvergenceError` where the condition holds for a member of the batch."""
    _report("convergence", condition, message, *values)


def _report(kind: str, condition: Any, message: str, *values: Any) -> None:
    failed: Array = as_array(condition)
    if emitting().scalar_of(failed.value) is False:
        return
    if not has_reports():
        raise ReportsNeeded
    report(kind, failed.value, [as_array(v).value for v in values], message)
