"""NumPy's ufuncs, their methods, and Python's operators on complex arrays.

np.add(z, x)               by the formula of the ufunc (`elementwise.py`)
np.multiply.reduce(z)      np.prod(z)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlirad.frontend.complex_numbers.elementwise import BINARY, UNARY
from mlirad.frontend.complex_numbers.functions import apply_function, astype, written
from mlirad.frontend.complex_numbers.products import PRODUCTS
from mlirad.frontend.complex_numbers.special_functions import complex_meaning
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.numpy_functions.calls.binding import shown
from mlirad.frontend.numpy_functions.protocols.ufuncs import name_of
from mlirad.frontend.tracing.complex_array import holds_complex, is_complex_dtype
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.raising import argument_error, unsupported_error

REDUCTIONS: dict[np.ufunc, Any] = {np.add: np.sum, np.multiply: np.prod}
"""The functions that `reduce` of a ufunc is."""


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """NumPy's `__array_ufunc__` on operands that include a complex one, or with a complex result.

    Raises `UnsupportedError` for a ufunc, or an option of it, that does not take complex operands.
    """
    name = name_of(ufunc) + ("" if method == "__call__" else f".{method}")
    if method == "reduce" and ufunc in REDUCTIONS:
        return apply_function(REDUCTIONS[ufunc], inputs, {"axis": 0, **options})
    out = options.pop("out", None)
    dtype = options.pop("dtype", None)
    for option, value in options.items():
        if holds_complex((value,)):
            raise argument_error(f"{name}: `{option}` must be real, got {shown(value)}", "leave it out")
    if dtype is not None:
        if not is_complex_dtype(dtype) or not any(t[-1] == np.dtype(dtype).char for t in ufunc.types):
            raise argument_error(f"{name} of complex numbers is not of dtype {shown(dtype)}", "leave it out")
        inputs = tuple(astype(as_complex(x), dtype) for x in inputs)
    if method == "__call__" and ufunc in PRODUCTS:
        result = PRODUCTS[ufunc](ufunc, *inputs, **options)
    elif method == "outer" and ufunc in BINARY:
        x, y = (as_complex(v) for v in inputs)
        result = BINARY[ufunc](x[(..., *[None] * y.ndim)], y)
    else:
        result = _called(ufunc, method, name, inputs, options)
    return result if out is None or all(o is None for o in out) else written(name, result, out)


def _called(ufunc: np.ufunc, method: str, name: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    unary, binary, special = UNARY.get(ufunc), BINARY.get(ufunc), complex_meaning(ufunc)
    if method != "__call__" or (unary is None and binary is None and special is None):
        raise unsupported_error(
            f"{name} of complex arrays cannot be traced",
            "write what is meant with z.real, z.imag or np.abs(z)",
        )
    left = {k: v for k, v in options.items() if k not in ("casting", "order", "subok")}
    where = left.pop("where", True)
    if left or where is not True:
        raise unsupported_error(
            f"{name} of complex arrays takes no {', '.join(left or ['where'])}",
            "write np.where(condition, a, b)",
        )
    if unary is not None:
        z = as_complex(inputs[0])
        return unary(z.real, z.imag)
    meaning = binary or special
    assert meaning is not None
    return meaning(*inputs)


def apply_operator(ufunc: np.ufunc, *inputs: Any) -> Any:
    """A Python operator on operands that include a complex one."""
    if any(x is None or isinstance(x, str | dict | set | MaskedElements) or callable(x) for x in inputs):
        return NotImplemented
    if ufunc is np.matmul:
        return PRODUCTS[np.matmul](np.matmul, *inputs)
    return _called(ufunc, "__call__", name_of(ufunc), inputs, {})
