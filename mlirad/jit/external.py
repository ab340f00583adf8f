"""Addresses of what generated code calls by symbol: `mlirad_c_<name>`, `mlirad_rt_<name>`."""

from __future__ import annotations

from functools import cache
from typing import Final

from mlirad.errors import CompileError
from mlirad.jit.c_library import c_library_address
from mlirad.jit.host import host_address
from mlirad.jit.kept_memory import allocation_address
from mlirad.jit.pool import parallel_address
from mlirad.lower.native_program import C_PREFIX, CLOCK, PARALLEL, POLL, PYTHON, REPORT, STACK_LIMIT

_C_LIBRARY: Final = frozenset({"sin", "cos", "tan", "lgamma"})
_ALLOCATION: Final = frozenset({"mlirad_rt_malloc", "mlirad_rt_free"})


@cache
def external_address(symbol: str) -> int:
    """The address of the function behind an external symbol.

    Raises `CompileError` if the symbol is unknown or the library lacks it.
    """
    name = symbol.removeprefix(C_PREFIX)
    if symbol.startswith(C_PREFIX) and name in _C_LIBRARY:
        return c_library_address(name)
    if symbol in (CLOCK, POLL, PYTHON, REPORT, STACK_LIMIT):
        return host_address(symbol)
    if symbol == PARALLEL:
        return parallel_address()
    if symbol in _ALLOCATION:
        return allocation_address(symbol)
    raise CompileError(f"generated code calls {symbol}, which has no known address")
