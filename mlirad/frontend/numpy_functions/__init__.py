"""NumPy's functions on traced arrays: `__array_function__`, by a table from the function to its tracing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.utils.exceptions import VerifyException

from mlirad.errors import ShapeError, UnsupportedError
from mlirad.frontend.numpy_functions import (
    contraction,
    filling,
    joining,
    norms,
    ordering,
    reductions,
    selection,
    shapes,
    windows,
)
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import handlers

FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **shapes.FUNCTIONS,
    **joining.FUNCTIONS,
    **filling.FUNCTIONS,
    **reductions.FUNCTIONS,
    **contraction.FUNCTIONS,
    **selection.FUNCTIONS,
    **ordering.FUNCTIONS,
    **norms.FUNCTIONS,
    **windows.FUNCTIONS,
}
"""Every NumPy function that can be traced."""

HINTS: dict[Callable[..., Any], str] = {
    np.nonzero: "its shape depends on elements; use np.where(condition, a, b)",
    np.argwhere: "its shape depends on elements; use np.where(condition, a, b)",
    np.unique: "its shape depends on elements",
    np.copyto: "traced values are never written into existing arrays; use np.where or x.at[i].set(v)",
    np.put: "traced values are never written into existing arrays; use x.at[i].set(v)",
}
"""What to do about some of those that cannot."""


def apply_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """NumPy's `__array_function__`."""
    traced = FUNCTIONS.get(function)
    if traced is None:
        module = function.__module__.replace("numpy", "np", 1)
        raise UnsupportedError(
            f"{module}.{function.__name__} cannot be traced",
            location=user_line(),
            hint=HINTS.get(function, "write it with other functions, or compute it outside the traced one"),
        )
    if kwargs.get("out") is not None:
        raise UnsupportedError(
            f"np.{function.__name__} cannot write a traced value into an existing array",
            location=user_line(),
            hint="assign the result to a name instead of passing out=",
        )
    try:
        return traced(*args, **kwargs)
    except VerifyException as error:
        raise ShapeError(f"np.{function.__name__}: {error}", location=user_line()) from error


handlers.function = apply_function
