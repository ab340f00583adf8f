"""The inner loops of the ufuncs of `scipy.special` and `numpy.fft`, as functions that generated code calls.

    mlirad_loop_gammainc_dd_d             the loop of scipy.special.gammainc that takes and gives doubles
    mlirad_loop_pocketfft_rfft_n_odd_dd_D   the loop behind numpy.fft.rfft for rows of odd length

A ufunc's loops are C functions

    void (char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)

which NumPy calls without the global lock. Their addresses and `data` stand in the object, whose layout
`PyUFuncObject` is part of NumPy's C interface. A symbol stands for a loop with its `data` bound, run in the
mode of floating point that gives SciPy's values: a few instructions, made when a program is loaded that calls
it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any, Final, cast

import numpy as np

from mlirad.errors import CompileError
from mlirad.jit.engine import LoadedCode
from mlirad.jit.glue import load_glue
from mlirad.jit.pointers import pointer
from mlirad.jit.standard_mode_text import standard_mode_text
from mlirad.lower.native_program import LOOP_PREFIX, TRANSFORM_PREFIX
from mlirad.packages import special_ufunc, transform_ufunc


class _UfuncObject(ctypes.Structure):
    """The first fields of NumPy's `PyUFuncObject`."""

    _fields_ = (
        ("references", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
    )


_addresses: Final[dict[str, int]] = {}
# Programs hold bare addresses of this code, so it stays for the life of the process.
_loaded: Final[list[LoadedCode]] = []


def loop_addresses(symbols: Iterable[str]) -> dict[str, int]:
    """The address of every symbol. Imports `scipy.special` if a ufunc of it is among them.

    Raises `CompileError` for a loop that this version of SciPy or NumPy does not have.
    """
    new = tuple(symbol for symbol in symbols if symbol not in _addresses)
    if new:
        code = load_glue("\n".join([standard_mode_text(), *map(_bound, new)]), new)
        _loaded.append(code)
        _addresses.update(code.addresses)
    return {symbol: _addresses[symbol] for symbol in symbols}


def _bound(symbol: str) -> str:
    """IR of a function that calls a loop with its data."""
    name, operands, results = symbol.removeprefix(LOOP_PREFIX).rsplit("_", 2)
    function, data = _loop(_ufunc(name), f"{operands}->{results}")
    return f"""
define void @{symbol}(ptr %args, ptr %dimensions, ptr %steps) {{
  %mode = call i64 @enter_standard()
  call void {pointer(function)}(ptr %args, ptr %dimensions, ptr %steps, ptr {pointer(data)})
  call void @leave_standard(i64 %mode)
  ret void
}}"""


def _ufunc(name: str) -> np.ufunc:
    is_transform = name.startswith(TRANSFORM_PREFIX)
    package = "NumPy" if is_transform else "SciPy"
    try:
        if is_transform:
            return cast(np.ufunc, transform_ufunc(name.removeprefix(TRANSFORM_PREFIX)))
        return cast(np.ufunc, special_ufunc(name))
    except ImportError as error:
        raise CompileError(
            f"the installed {package} has no ufunc {name}",
            hint=f"install a version of {package} that mlirad is tested with",
        ) from error


def _loop(ufunc: np.ufunc, types: str) -> tuple[int, int]:
    """The addresses of the loop of these types and of its data."""
    fields: Any = _UfuncObject.from_address(id(ufunc))
    as_expected = (fields.nin, fields.nout, fields.nargs, fields.ntypes, fields.name) == (
        ufunc.nin,
        ufunc.nout,
        ufunc.nargs,
        ufunc.ntypes,
        ufunc.__name__.encode(),
    )
    if not as_expected or types not in ufunc.types:
        raise CompileError(
            f"the ufunc {ufunc.__name__} has no loop {types} that could be called",
            hint="install versions of NumPy and SciPy that mlirad is tested with",
        )
    k = ufunc.types.index(types)
    return int(fields.functions[k]), int((fields.data[k] if fields.data else None) or 0)
