"""NumPy's functions on traced arrays: `__array_function__`, by a table from the function to its tracing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.utils.exceptions import VerifyException

from mlirad.errors import ShapeError, UnsupportedError
from mlirad.frontend.handlers import handlers
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
    writing,
)
from mlirad.frontend.numpy_functions.results import all_ordered, as_copies, in_order, without_out, written_out
from mlirad.frontend.source import user_line

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
    **writing.FUNCTIONS,
}
"""Every NumPy function that can be traced."""

VIEWS: frozenset[Callable[..., Any]] = frozenset(
    (
        np.reshape, np.ravel, np.transpose, np.permute_dims, np.swapaxes, np.moveaxis, np.rollaxis,
        np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.broadcast_to,
        np.broadcast_arrays, np.meshgrid, np.flip, np.fliplr, np.flipud, np.rot90, np.matrix_transpose,
        np.diagonal, np.diag, np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.real, np.imag,
        np.real_if_close, np.nan_to_num, np.diff, np.linalg.matrix_power,
    )
)  # fmt: skip
"""The functions whose results can share elements with their arguments. Those of all others are copies."""

TRANSPOSING: frozenset[Callable[..., Any]] = frozenset(
    (np.linspace, np.take_along_axis, np.take, np.repeat, np.pad, np.gradient, np.diff, np.cross)
)
"""Functions that may lay out what they return in another order than row-major."""

HINTS: dict[Callable[..., Any], str] = {
    np.nonzero: "its shape depends on elements; use np.where(condition, a, b)",
    np.argwhere: "its shape depends on elements; use np.where(condition, a, b)",
    np.unique: "its shape depends on elements",
    np.extract: "its shape depends on elements; use np.where(condition, a, b)",
    np.compress: "its shape depends on elements; use np.where(condition, a, b)",
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
    args, kwargs, out = without_out(function, traced, args, kwargs)
    try:
        result = traced(*args, **kwargs)
    except VerifyException as error:
        raise ShapeError(f"np.{function.__name__}: {error}", location=user_line()) from error
    if out is not None:
        return written_out(f"np.{function.__name__}", result, out)
    is_row_major = function not in TRANSPOSING and all_ordered((*args, *kwargs.values()))
    return in_order(result, args, is_row_major) if function in VIEWS else as_copies(result, is_row_major)


handlers.function = apply_function
