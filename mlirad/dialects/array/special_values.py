"""Ufuncs of `scipy.special` on arrays of NumPy, so that every call ends and Ctrl-C ends each sooner.

special_values("airy", x)        its four results
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.dialects.array.special_domains import DOMAINS, HARMLESS
from mlirad.dialects.array.special_functions import OF_WHOLE
from mlirad.packages import special_ufunc

CHUNK: Final = 1 << 12
"""Elements of a call: Python handles signals between two calls."""

_Array = npt.NDArray[Any]


def special_values(ufunc: str, *operands: _Array) -> Sequence[_Array]:
    """The results of a ufunc; NaN at arguments at which SciPy takes for ever (`special_domains.py`)."""
    name = ufunc.removeprefix(OF_WHOLE)
    called = _of_whole(special_ufunc(name)) if name != ufunc else special_ufunc(ufunc)
    arrays = np.broadcast_arrays(*operands)
    if arrays[0].size <= CHUNK:
        return _values(ufunc, called, operands)
    flat = [array.reshape(-1) for array in arrays]
    starts = range(0, flat[0].size, CHUNK)
    parts = [_values(ufunc, called, [array[k : k + CHUNK] for array in flat]) for k in starts]
    return [np.concatenate(found).reshape(arrays[0].shape) for found in zip(*parts, strict=True)]


def _of_whole(ufunc: Any) -> Any:
    """The ufunc by its loop for an integer and doubles."""

    def called(n: _Array, *others: _Array) -> _Array:
        found = ufunc(n.astype(np.int64), *(x.astype(np.float64) for x in others))
        return np.asarray(found, n.dtype)

    return called


class _NumPy:
    """The functions of NumPy that domains are written with."""

    where = staticmethod(np.where)
    floor = staticmethod(np.floor)
    abs = staticmethod(np.abs)

    @staticmethod
    def smallest_normal(x: _Array) -> float:
        return float(np.finfo(x.dtype).smallest_normal)


NUMPY: Final = _NumPy()


def complex_values(ufunc: str, *operands: _Array) -> Sequence[_Array]:
    """The same for real parameters and a complex operand, whose parts are the last two operands."""
    called = special_ufunc(ufunc)

    def of_parts(*operands: _Array) -> Any:
        *orders, x, y = operands
        z = np.empty(np.broadcast_shapes(*map(np.shape, operands)), np.complex128)
        z.real, z.imag = x, y
        return called(*orders, z)

    return _values(f"complex_{ufunc}", of_parts, operands)


def _values(name: str, ufunc: Any, operands: Sequence[_Array]) -> Sequence[_Array]:
    domain = DOMAINS.get(name)
    if domain is None:
        found = ufunc(*operands)
        return cast("Sequence[_Array]", found if isinstance(found, tuple) else (found,))
    ends, arguments = domain(NUMPY, *operands)
    found = ufunc(*[np.where(ends, x, x.dtype.type(HARMLESS)) for x in arguments])
    many = cast("tuple[_Array, ...]", found if isinstance(found, tuple) else (found,))
    return [np.where(ends, value, value.dtype.type(np.nan)) for value in many]
