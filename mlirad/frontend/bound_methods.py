"""The methods of `Array` and `LinearMap` that use rooms above those of these classes: bound here."""

from __future__ import annotations

from typing import Any

from mlirad.frontend.linear_map.linear_maps import LinearMap
from mlirad.frontend.numpy_functions import array_methods
from mlirad.frontend.sparse import maps
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.tracebacks import plain_errors


def bind_methods() -> None:
    """Complete the classes; called once, when the package is imported."""
    array_methods.bind(Array)
    for name, method in {
        "to_sparse": maps.to_sparse,
        "structure": maps.structure,
        "as_linear_operator": as_linear_operator,
    }.items():
        setattr(LinearMap, name, plain_errors(method))


def as_linear_operator(map_: LinearMap) -> Any:
    """The map on flat vectors as a `scipy.sparse.linalg.LinearOperator`, for SciPy's solvers."""
    from mlirad.frontend.linear_map.linear_operators import MapOperator  # which imports SciPy's solvers

    return MapOperator(map_)
