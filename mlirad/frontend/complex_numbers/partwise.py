"""Functions that treat real and imaginary parts alike, each called once for every part.

np.concatenate([z, x])         of the real parts, and of the imaginary ones, that of x being 0
np.sum(z, initial=2.0)         the imaginary part starts at 0
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from mlirad.frontend.numpy_functions.calls.binding import qualified_name
from mlirad.frontend.numpy_functions.protocols.functions import known_binding
from mlirad.frontend.tracing.complex_array import ComplexArray, holds_complex, is_complex_dtype
from mlirad.frontend.tracing.complex_pairs import paired, part_dtype, parts
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import argument_error

_FIRST = (
    "reshape", "ravel", "transpose", "permute_dims", "swapaxes", "moveaxis", "rollaxis", "squeeze",
    "expand_dims", "broadcast_to", "flip", "fliplr", "flipud", "rot90", "matrix_transpose", "roll",
    "tile", "repeat", "resize", "diag", "diagflat", "diagonal", "tril", "triu", "trace", "take",
    "take_along_axis", "delete", "split", "array_split", "hsplit", "vsplit", "dsplit", "unstack", "copy",
    "mean", "cumsum", "atleast_1d", "atleast_2d", "atleast_3d",
    "broadcast_arrays", "meshgrid", "zeros_like", "ones_like", "empty_like", "stack", "concatenate", "concat",
    "hstack", "vstack", "dstack", "column_stack", "block", "gradient", "around", "round",
    "linalg.trace", "linalg.diagonal", "linalg.matrix_transpose", "cumulative_sum",
    "lib.stride_tricks.sliding_window_view",
)  # fmt: skip

APART: dict[str, str] = dict.fromkeys(_FIRST, "") | {
    "where": "x y",
    "select": "choicelist default",
    "append": "arr values",
    "insert": "arr values",
    "full_like": "a fill_value",
    "trapezoid": "y",
    "interp": "fp left right",
    "linspace": "start stop",
    "sum": "a initial",
    "diff": "a prepend append",
    "pad": "array constant_values end_values",
    "ediff1d": "ary to_end to_begin",
}
"""The functions, with the names of the operands that have parts: the first, or all of those that can come in
any number."""


@cache
def functions_apart() -> dict[Callable[..., Any], str]:
    """`APART` by functions, those that this NumPy has."""
    found: dict[Callable[..., Any], str] = {}
    for name, operands in APART.items():
        holder: Any = np
        *modules, last = name.split(".")
        for module in modules:
            holder = getattr(holder, module)
        if hasattr(holder, last):
            found[getattr(holder, last)] = operands
    return found


def operands_apart(function: Callable[..., Any]) -> list[str]:
    """The names of the operands of such a function that have parts."""
    return functions_apart()[function].split() or [next(iter(known_binding(function).signature.parameters))]


def apart(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The function of the real parts and of the imaginary ones.

    Raises `ArgumentError` for a dtype that is not complex.
    """
    bound = known_binding(function).bound(args, kwargs)
    dtype = bound.arguments.get("dtype")
    if dtype is not None:
        bound.arguments["dtype"] = complex_part(qualified_name(function), dtype)
    parameters = bound.signature.parameters
    given = {name: bound.arguments[name] for name in operands_apart(function) if name in bound.arguments}
    found: list[Any] = []
    for k in range(2):
        for name, value in given.items():
            is_several = parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            bound.arguments[name] = tuple(_part(v, k) for v in value) if is_several else _part(value, k)
            if holds_complex([bound.arguments[name]]):
                raise known_binding(function).wrong_kind(name, "an array", value)
        found.append(function(*bound.args, **bound.kwargs))
    if any(parameters[name].kind is inspect.Parameter.VAR_POSITIONAL for name in given) and len(given) == 1:
        (values,) = given.values()
        return _joined_each(values, *found)
    return _joined(*found)


def complex_part(name: str, dtype: Any) -> np.dtype[Any]:
    """The dtype of the parts that a result of a complex dtype has; raises `ArgumentError` for another."""
    if not is_complex_dtype(dtype):
        raise argument_error(
            f"{name} of complex numbers is not of dtype {np.dtype(dtype)}", "write z.real for the real part"
        )
    return part_dtype(dtype)


def _part(value: Any, k: int) -> Any:
    """One part of an operand, or of each operand in a list."""
    if isinstance(value, list | tuple):
        several = [_part(v, k) for v in cast("list[Any]", value)]
        return tuple(several) if isinstance(value, tuple) else several
    real, imag = parts(value)
    if k == 0 or real is None:
        return real
    if imag is None:
        return xp.zeros_like(as_array(real)) if np.ndim(real) else 0
    return imag


def _joined_each(values: tuple[Any, ...], real: Any, imag: Any) -> Any:
    """One result for every operand, real if that is."""
    if not isinstance(real, list | tuple):
        return _joined(real, imag)
    several = zip(values, cast("list[Any]", real), imag, strict=True)
    joined = [r if parts(v)[1] is None else _joined(r, i) for v, r, i in several]
    return tuple(joined) if isinstance(real, tuple) else joined


def _joined(real: Any, imag: Any) -> Any:
    if isinstance(real, list | tuple):
        several = [_joined(r, i) for r, i in zip(cast("list[Any]", real), imag, strict=True)]
        return tuple(several) if isinstance(real, tuple) else several
    return ComplexArray(real, imag) if real.dtype == imag.dtype else paired(real, imag)
