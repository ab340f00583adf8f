"""NumPy's functions on traced arrays: `__array_function__`, by a table from the function to its tracing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlirad.errors import MliradError, UnsupportedError
from mlirad.frontend.numpy_functions import (
    contraction,
    diagonals,
    differences,
    elementwise,
    filling,
    joining,
    nan_reductions,
    norms,
    ordering,
    padding,
    polynomials,
    quantiles,
    reductions,
    searching,
    selection,
    shapes,
    statistics,
    windows,
)
from mlirad.frontend.numpy_functions.alternatives import alternative_to
from mlirad.frontend.numpy_functions.binding import binding_of, internal_error, qualified_name
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import handlers

FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **shapes.FUNCTIONS,
    **diagonals.FUNCTIONS,
    **padding.FUNCTIONS,
    **joining.FUNCTIONS,
    **filling.FUNCTIONS,
    **reductions.FUNCTIONS,
    **nan_reductions.FUNCTIONS,
    **quantiles.FUNCTIONS,
    **contraction.FUNCTIONS,
    **selection.FUNCTIONS,
    **elementwise.FUNCTIONS,
    **differences.FUNCTIONS,
    **polynomials.FUNCTIONS,
    **statistics.FUNCTIONS,
    **ordering.FUNCTIONS,
    **searching.FUNCTIONS,
    **norms.FUNCTIONS,
    **windows.FUNCTIONS,
}
"""Every NumPy function that can be traced. Its arguments are read by the annotations of what traces it."""


def apply_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """NumPy's `__array_function__`."""
    traced = FUNCTIONS.get(function)
    name = qualified_name(function)
    if traced is None:
        raise UnsupportedError(
            f"{name} cannot be traced", location=user_line(), hint=alternative_to(name.removeprefix("np."))
        )
    try:
        return binding_of(function, traced).call(args, kwargs)
    except (MliradError, RecursionError):
        raise
    except Exception as error:
        if function in elementwise.CALL_BACK:  # the user's own function has raised
            raise
        raise internal_error(name, error) from error


handlers.function = apply_function
