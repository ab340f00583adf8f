"""Addresses of the C functions that generated code calls, by symbol `mlirad_c_<name>` or `mlirad_rt_<name>`.

Most are the C library's; `erfinv` is SciPy's, reached through the function pointers that
`scipy.special.cython_special` exports to Cython code.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Final

from mlirad.errors import CompileError
from mlirad.jit.c_library import c_library_address
from mlirad.jit.host import host_address
from mlirad.jit.pool import parallel_address
from mlirad.lower.native_program import C_PREFIX, CLOCK, PARALLEL, POLL, REPORT, STACK_LIMIT
from mlirad.packages import scipy_module

_C_LIBRARY: Final = frozenset({"sin", "cos", "tan", "lgamma"})
_RUNTIME: Final = frozenset({"malloc", "free"})
_RUNTIME_PREFIX: Final = "mlirad_rt_"
_SCIPY: Final = {
    # symbol: (exported name, its C signature)
    "erfinv": ("__pyx_fuse_0erfinv", b"double (double, int __pyx_skip_dispatch)"),
}


@cache
def external_address(symbol: str) -> int:
    """The address of the function behind an external symbol.

    Raises `CompileError` if the symbol is unknown or the library lacks it.
    """
    name = symbol.removeprefix(C_PREFIX)
    if symbol.startswith(C_PREFIX):
        if name in _C_LIBRARY:
            return c_library_address(name)
        if name in _SCIPY:
            return _scipy_address(*_SCIPY[name])
    if symbol in (CLOCK, POLL, REPORT, STACK_LIMIT):
        return host_address(symbol)
    if symbol == PARALLEL:
        return parallel_address()
    if symbol.startswith(_RUNTIME_PREFIX) and symbol.removeprefix(_RUNTIME_PREFIX) in _RUNTIME:
        return c_library_address(symbol.removeprefix(_RUNTIME_PREFIX))
    raise CompileError(f"generated code calls {symbol}, which has no known address")


def _scipy_address(name: str, signature: bytes) -> int:
    module = scipy_module("special.cython_special")
    capsules: dict[str, object] = module.__pyx_capi__
    capsule = capsules.get(name)
    if capsule is None:
        raise CompileError(
            f"scipy.special.cython_special has no {name}",
            hint="install a version of SciPy that mlirad is tested with",
        )
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    is_valid = ctypes.pythonapi.PyCapsule_IsValid
    is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    if not is_valid(capsule, signature):
        raise CompileError(
            f"{name} of scipy.special.cython_special does not have the signature {signature.decode()}",
            hint="install a version of SciPy that mlirad is tested with",
        )
    return int(get_pointer(capsule, signature))
