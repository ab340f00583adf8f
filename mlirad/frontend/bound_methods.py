"""Methods of `Array` and `LinearMap`, the option `control`, and functions of SciPy that call the program's.

They need packages above their own, which are bound to them here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlirad.frontend.complex_numbers import methods as complex_methods
from mlirad.frontend.linear_map.linear_maps import LinearMap
from mlirad.frontend.numpy_functions.calls.answers import Reading
from mlirad.frontend.numpy_functions.protocols import asked_calls, functions, nests, operators
from mlirad.frontend.rewritten import as_called, rewritten
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.containers import bind_matrices
from mlirad.frontend.tracing.control import bind_rewriting
from mlirad.frontend.tracing.library_calls import ANSWERED, Answer
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.sizes import bind_tracing
from mlirad.frontend.tracing.tracebacks import plain_errors


def bind_methods() -> None:
    """Complete the classes; called once, when the package is imported."""
    operators.bind(Array)
    nests.bind()
    asked_calls.bind()
    complex_methods.bind(ComplexArray)
    bind_rewriting(rewritten, as_called)
    bind_tracing(as_array)
    bind_matrices(_traced_matrix)
    functions.CALLING.update({"scipy.optimize": _roots, "scipy.integrate": _integrals})
    methods: dict[str, Callable[..., Any]] = {
        "to_sparse": to_sparse,
        "structure": structure,
        "as_linear_operator": as_linear_operator,
        "solve": solve,
    }
    for name, method in methods.items():
        setattr(LinearMap, name, plain_errors(method))
    ANSWERED["scipy.sparse"] = _sparse_calls
    ANSWERED["scipy.sparse.linalg"] = _solver_calls
    ANSWERED.update(dict.fromkeys(("scipy.optimize._minpack_py", "scipy.odr._odrpack"), _trying_functions))
    asked_calls.METHODS_IN_C["SuperLU", "solve"] = _solve_by_factors


def _trying_functions(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    from mlirad.frontend.numpy_functions.protocols import printing_callbacks  # most programs fit nothing

    return printing_callbacks.trying_functions(module)


def _sparse_calls(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    from mlirad.frontend.sparse_matrices import answers  # once the user has imported SciPy's matrices

    return answers.sparse_calls(module)


def _solver_calls(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    from mlirad.frontend.sparse_matrices import answers

    return answers.solver_calls(module)


def _traced_matrix(matrix: Any, values: Any) -> Any:
    from mlirad.frontend.sparse_matrices import objects

    return objects.traced_like(matrix, values)


def _solve_by_factors(factors: Any, *args: Any, **options: Any) -> Any:
    from mlirad.frontend.sparse_matrices import direct

    return direct.solve_by_given(factors, *args, **options)


def _roots() -> dict[str, tuple[Callable[..., Any], Reading]]:
    from mlirad.frontend import scipy_roots
    from mlirad.frontend.solvers import scipy_calls  # only where SciPy's solvers are imported

    return {name: (hand, scipy_calls.reads_traced) for name, hand in scipy_roots.FUNCTIONS.items()}


def _integrals() -> dict[str, tuple[Callable[..., Any], Reading]]:
    from mlirad.frontend import scipy_integrals, scipy_ivp, scipy_odeint
    from mlirad.frontend.solvers import scipy_calls

    return {
        **{name: (hand, scipy_calls.reads_traced) for name, hand in scipy_integrals.FUNCTIONS.items()},
        "odeint": (scipy_odeint.odeint, scipy_odeint.reads_traced),
        "solve_ivp": (scipy_ivp.solve_ivp, scipy_ivp.reads_traced),
    }


def to_sparse(map_: LinearMap) -> Any:
    """The matrix of the map as a `scipy.sparse.csr_array`, at a cost proportional to its entries.

    It has the structurally nonzero entries, those that can differ from zero; see `ad.jacobian` with
    `sparse=True`. Raises UnsupportedError inside a trace.
    """
    from mlirad.frontend.sparse import maps  # which imports all that finds sparsity patterns

    return maps.to_sparse(map_)


def structure(map_: LinearMap, *, lower: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sparsity pattern of `to_sparse`: rows and columns, by row and then by column.

    With `lower` those of the lower triangle, diagonal included.
    """
    from mlirad.frontend.sparse import maps

    return maps.structure(map_, lower=lower)


def solve(map_: LinearMap, b: Any, **options: Any) -> Any:
    """x, in the structure of the domain, with `map_(x) = b`: `ad.linear_solve(map_, b, **options)`."""
    from mlirad.frontend.solvers import linear_equations  # which imports the iterative solvers

    return linear_equations.linear_solve(map_, b, **options)


def as_linear_operator(map_: LinearMap) -> Any:
    """The map on flat vectors as a `scipy.sparse.linalg.LinearOperator`, for SciPy's solvers."""
    from mlirad.frontend.linear_map.linear_operators import MapOperator  # which imports SciPy's solvers

    return MapOperator(map_)
