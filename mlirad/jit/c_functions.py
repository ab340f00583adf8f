"""Python functions whose body is machine code: C functions of CPython's fast calling convention.

They are `mlirad/runtime/entry.c` and `guards.c`, loaded once per process. Each Python object made of one
carries a table of its own, which the code reads.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Final, Protocol, cast

from mlirad.jit import object_layout as layout
from mlirad.jit.c_library import c_library_address
from mlirad.jit.engine import LoadedCode
from mlirad.jit.glue import load_glue
from mlirad.jit.host import CALL, host_address
from mlirad.jit.linked_text import linked_text
from mlirad.jit.once import once
from mlirad.jit.standard_mode_text import standard_mode_text

ENTRY_FUNCTION: Final = "mlirad_entry"
HOLD_FUNCTION: Final = "mlirad_hold"

METH_FASTCALL: Final = 0x0080


class MethodDefinition(ctypes.Structure):
    """CPython's `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class Table(Protocol):
    """The table that a function reads, at `address`, and its definition. It keeps alive all whose address it
    holds.
    """

    @property
    def address(self) -> int: ...
    @property
    def definition(self) -> MethodDefinition: ...


def definition(name: str, symbol: str) -> MethodDefinition:
    """Return how CPython calls the machine code `symbol`."""
    return MethodDefinition(name.encode(), _code().addresses[symbol], METH_FASTCALL, None)


def c_function(table: Table) -> Callable[..., object]:
    """The function that a table belongs to. It keeps the table alive."""
    capsule = _python("PyCapsule_New", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
        table.address, None, None
    )
    # The function owns its first Python object, the capsule, and its last, meant for the module's
    # name: the table.
    make = _python("PyCFunction_NewEx", ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    function = make(ctypes.addressof(table.definition), capsule, table)
    return cast("Callable[..., object]", function)


def _python(name: str, *arguments: type) -> Callable[..., object]:
    """A function of CPython's C interface that returns a new object."""
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, *arguments)
    return cast("Callable[..., object]", prototype(layout.python_function(name)))


@once
def _code() -> LoadedCode:
    """The machine code, made on first use and kept for the life of the process."""
    return load_glue(entry_text(), (ENTRY_FUNCTION, HOLD_FUNCTION))


def entry_text() -> str:
    """The text of the functions."""
    names = (
        "PyArray_FromArray",
        "PyArray_FromScalar",
        "PyArray_New",
        "PyArray_Scalar",
        "PyArray_Type",
        "PyDataMem_SetHandler",
    )
    addresses = {name: layout.numpy_function(name) for name in names}
    addresses |= {CALL: host_address(CALL), "memcmp": c_library_address("memcmp")}
    return linked_text(("entry", "guards"), addresses, standard_mode_text())
