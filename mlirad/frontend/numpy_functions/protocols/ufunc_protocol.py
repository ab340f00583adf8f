"""NumPy's `__array_ufunc__`: a ufunc or a method of one, with all that it can be given, on traced arrays.

np.add(x, y, out=z, where=m)       z[...] = where(m, x + y, z)
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, Final, cast

import numpy as np

from mlirad.errors import MliradError, is_from_signal
from mlirad.frontend.numpy_functions.calls.binding import Binding, internal_error
from mlirad.frontend.numpy_functions.calls.parameters import (
    UNSET,
    Axis,
    Casting,
    DtypeLike,
    OperandLike,
    Order,
)
from mlirad.frontend.numpy_functions.calls.results import reduction_dtype, require_traced_out, written_out
from mlirad.frontend.numpy_functions.linear_algebra.products import matmul, matvec, vecdot, vecmat
from mlirad.frontend.numpy_functions.protocols.segments import reduceat
from mlirad.frontend.numpy_functions.protocols.ufunc_methods import accumulate, outer, reduce_, update_at
from mlirad.frontend.numpy_functions.protocols.ufuncs import apply, apply_operator, name_of
from mlirad.frontend.tracing.array import Array, is_scalar
from mlirad.frontend.tracing.dtypes import BOOL
from mlirad.frontend.tracing.operations import as_array, select
from mlirad.frontend.tracing.raising import unsupported_error


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """NumPy's `__array_ufunc__`, and Numba's, which asks so of ufuncs of its own."""
    if type(ufunc) is not np.ufunc or ufunc.signature:
        from mlirad.frontend.numpy_functions.protocols import compiled_ufuncs  # which few programs need

        of_numba, function = compiled_ufuncs.compiled(ufunc)
        if function is not None:
            return compiled_ufuncs.apply_compiled(of_numba, function, method, inputs, options)
    name = name_of(ufunc) + ("" if method == "__call__" else f".{method}")
    out = options.pop("out", None)
    if method == "at":
        return update_at(ufunc, *inputs)
    if out is None or all(o is None for o in out):
        return _applied(ufunc, method, name, inputs, options)
    for o in out:
        if o is not None:
            require_traced_out(name, o)
    is_reduction = method in ("reduce", "accumulate", "reduceat") and ufunc not in _LOGICAL
    if is_reduction and options.get("dtype") is None:
        options["dtype"] = reduction_dtype(getattr(inputs[0], "dtype", BOOL), out[0])
    where = options.pop("where", True) if method == "__call__" else True
    result = _applied(ufunc, method, name, inputs, options)
    casting = options.get("casting", "same_kind")
    results: tuple[Any, ...] = cast("Any", result) if isinstance(result, tuple) else (result,)
    given = tuple(
        r if o is None else written_out(name, r if where is True else select(where, r, o), o, casting=casting)
        for r, o in zip(results, out, strict=True)
    )
    return given if isinstance(result, tuple) else given[0]


def apply_in_place(ufunc: np.ufunc, x: Array, other: Any) -> Any:
    """`x += other` and the like: written into x, and so into its base. A scalar becomes another."""
    result = apply_operator(ufunc, x, other)
    if result is NotImplemented or is_scalar(x):
        return result
    return written_out(f"np.{ufunc.__name__}", result, x)


_OF_FUNCTION: Final = " (vectorized)"
"""The end of the names of ufuncs that `np.frompyfunc` makes."""


def _applied(
    ufunc: np.ufunc, method: str, name: str, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    if ufunc.__name__.endswith(_OF_FUNCTION):
        function = ufunc.__name__.removesuffix(_OF_FUNCTION)
        raise unsupported_error(
            f"{function} is made by np.frompyfunc, which leaves no function to trace",
            "write np.vectorize(f), or call the function itself",
        )
    handler = _HANDLERS.get((ufunc.__name__ if ufunc.signature else "", method))
    if handler is None:
        raise unsupported_error(f"{name} cannot be traced", "write a loop with ad.scan")
    try:
        return binding_of_method(ufunc, handler, name).call(inputs, options)[0]
    except (MliradError, RecursionError):
        raise
    except Exception as error:
        if is_from_signal(error):
            raise
        raise internal_error(name, error) from error


@cache
def binding_of_method(ufunc: np.ufunc, handler: Callable[..., Any], name: str) -> Binding:
    """Return how the arguments of a ufunc, or of a method of one, are read."""
    traced = functools.partial(handler, ufunc)
    own = inspect.signature(traced)
    others = [
        inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=default)
        for option, default in _OPTIONS.items()
        if option not in own.parameters
    ]
    return Binding(name, own.replace(parameters=[*own.parameters.values(), *others]), traced)


def _call(
    ufunc: np.ufunc, *inputs: OperandLike, dtype: DtypeLike | None = None, casting: Casting = "same_kind",
    order: Order = "K",
) -> Any:  # fmt: skip
    return apply(ufunc, inputs, dtype=dtype, casting=casting)


def _product(function: Callable[..., Any]) -> Callable[..., Any]:
    """A ufunc on the last dimensions, which is a contraction."""

    def call(ufunc: np.ufunc, x1: OperandLike, x2: OperandLike, *, dtype: DtypeLike | None = None) -> Any:
        if dtype is not None:
            x1, x2 = (as_array(x).astype(dtype) for x in (x1, x2))
        return function(x1, x2)

    return call


def _vecdot(
    ufunc: np.ufunc, x1: OperandLike, x2: OperandLike, *, axis: Axis = -1, dtype: DtypeLike | None = None
) -> Any:
    if dtype is not None:
        x1, x2 = (as_array(x).astype(dtype) for x in (x1, x2))
    return vecdot(x1, x2, axis=axis)


_HANDLERS: dict[tuple[str, str], Callable[..., Any]] = {
    ("", "__call__"): _call,
    ("", "outer"): outer,
    ("", "reduce"): reduce_,
    ("", "accumulate"): accumulate,
    ("", "reduceat"): reduceat,
    ("matmul", "__call__"): _product(matmul),
    ("matvec", "__call__"): _product(matvec),
    ("vecmat", "__call__"): _product(vecmat),
    ("vecdot", "__call__"): _vecdot,
}
"""The functions that trace a ufunc, or a method of one; ufuncs on whole dimensions by name."""


_LOGICAL = (np.logical_and, np.logical_or, np.logical_xor)

_OPTIONS: dict[str, Any] = {
    "where": True, "order": "K", "subok": True, "casting": "same_kind", "signature": None, "sig": None,
    "axes": UNSET, "axis": UNSET, "keepdims": False,
}  # fmt: skip
"""The options of ufuncs beside their operands; those that a handler does not have are refused."""
