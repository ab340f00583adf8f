"""Ufuncs that Numba compiled from a Python function, on traced arrays: the function at every position.

@numba.vectorize                                        np.vectorize(f)(x, y)
def f(a, b): return a if a > b else b

@numba.guvectorize([(float64[:], float64[:])], "(n)->()")       np.vectorize(g, signature="(n)->()")(x), where
def f(a, total): total[0] = a.sum()                             g makes `total`, calls f, and returns total[0]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from mlirad.frontend.numpy_functions.arrays.vectorizing import dimensions, vectorized
from mlirad.frontend.tracing.compiled_functions import calling, python_function
from mlirad.frontend.tracing.control import as_traced
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import unsupported_error


def compiled(ufunc: Any) -> tuple[Any, FunctionType | None]:
    """The object of Numba's that a ufunc is, or is called by, and its function; `None` for one of NumPy's."""
    owner = calling(ufunc) if type(ufunc) is np.ufunc else ufunc
    return owner, python_function(owner)


def apply_compiled(
    ufunc: Any, function: FunctionType, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """A call of a ufunc that Numba made of a function.

    Raises `UnsupportedError` for methods of it, for options, and for a generalised ufunc without signatures.
    """
    name = function.__name__
    if method != "__call__" or options:
        what = f"{name}.{method}" if method != "__call__" else f"{name} with `{next(iter(options))}`"
        raise unsupported_error(
            f"{what} cannot be traced, as Numba compiled it", f"call {name}(x) itself, and reduce the result"
        )
    if ufunc.signature is None:
        return _at_each_position(as_traced(function), None, inputs)
    nin = ufunc.nin
    kinds = getattr(getattr(ufunc, "gufunc_builder", None), "_sigs", None)
    if not kinds or len(inputs) != nin:
        raise unsupported_error(
            f"{name} cannot be traced, as it has no types before Numba has compiled it",
            'state them: @guvectorize(["(float64[:], float64[:])"], "(n)->()")',
        )
    returning = _returning(function, ufunc.signature, kinds[0].args, nin)
    return _at_each_position(returning, ufunc.signature, inputs[:nin])


def _at_each_position(function: Callable[..., Any], signature: str | None, inputs: Sequence[Any]) -> Any:
    whole: Any = np.vectorize(function, signature=signature)
    return vectorized(whole, whole, inputs, {})


def _returning(
    function: FunctionType, signature: str, kinds: Sequence[Any], count: int
) -> Callable[..., Any]:
    """The function as one that returns what it writes into its last arguments, whose numbers are `[0]`."""
    names, results = dimensions(signature)

    def returning(*values: Any) -> Any:
        extents = {
            name: extent
            for value, known in zip(values, names, strict=True)
            for name, extent in zip(known, value.shape, strict=True)
        }
        given = [
            xp.reshape(value, 1) if not known and hasattr(kind, "ndim") else value
            for value, known, kind in zip(values, names, kinds[:count], strict=True)
        ]
        made = [
            as_array(np.zeros([extents[name] for name in known] or 1, kind.dtype.name))
            for known, kind in zip(results, kinds[count:], strict=True)
        ]
        as_traced(function)(*given, *made)
        found = [made_ if known else made_[0] for made_, known in zip(made, results, strict=True)]
        return found[0] if len(found) == 1 else tuple(found)

    return returning
