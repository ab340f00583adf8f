"""Functions that read of complex arrays only what is static: shape and dtype.

np.ndim(z)                        that of the parts
np.result_type(z, np.float64)     complex128
np.ones_like(z, dtype=int)        real, as no element comes from z
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlirad.frontend.complex_numbers.partwise import apart, complex_part
from mlirad.frontend.numpy_functions.arrays.filling import (
    can_cast,
    common_type,
    may_share_memory,
    result_type_of,
    shares_memory,
)
from mlirad.frontend.numpy_functions.calls.binding import qualified_name
from mlirad.frontend.numpy_functions.protocols.functions import known_binding
from mlirad.frontend.tracing.complex_array import holds_complex, is_complex_dtype
from mlirad.frontend.tracing.complex_pairs import as_complex, paired, parts
from mlirad.frontend.tracing.operations import xp


def _like(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what makes an array like a complex one, of a real dtype if that is asked for."""

    def make(*args: Any, **options: Any) -> Any:
        bound = known_binding(function).bound(args, options)
        dtype = bound.arguments.get("dtype")
        if dtype is None or is_complex_dtype(dtype):
            found = apart(function, args, options)
            return paired(found.real, xp.zeros_like(found.imag)) if function == np.ones_like else found
        if holds_complex((bound.arguments.get("fill_value"),)):
            complex_part(qualified_name(function), dtype)  # raises
        array = next(iter(bound.arguments))
        bound.arguments[array] = parts(bound.arguments[array])[0]
        return function(*bound.args, **bound.kwargs)

    return make


def _iscomplexobj(x: Any) -> bool:
    return True


def _isrealobj(x: Any) -> bool:
    return False


def _shape(a: Any) -> tuple[int, ...]:
    return as_complex(a).shape


def _ndim(a: Any) -> int:
    return as_complex(a).ndim


def _size(a: Any, axis: int | None = None) -> int:
    return as_complex(a).size if axis is None else as_complex(a).shape[axis]


FORMS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{function: _like(function) for function in (np.zeros_like, np.ones_like, np.empty_like, np.full_like)},
    np.iscomplexobj: _iscomplexobj,
    np.isrealobj: _isrealobj,
    np.shape: _shape,
    np.ndim: _ndim,
    np.size: _size,
    np.result_type: result_type_of,
    np.common_type: common_type,
    np.can_cast: can_cast,
    np.may_share_memory: may_share_memory,
    np.shares_memory: shares_memory,
}
"""The functions, by those of NumPy."""
