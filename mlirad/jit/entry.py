"""The fast way into a compiled program: a C function of CPython's fast calling convention.

It is one function for all programs, generated once per process as LLVM IR, that reads a table
describing the program. A call does this, and takes about 0.1 microseconds more than the program
itself:

1. check the guards, if there are any (`jit/guards.py`), and compare every argument with its
   description: exactly an ndarray, of this dtype object, rank and shape, contiguous and aligned;
   for rank 0 also NumPy scalars, and Python floats and ints where they fit;
2. take the arena, allocate the results, call the program, box results of rank 0;
3. return the result, or a tuple if there are several or none.

Whenever something is not as expected (a wrong argument, one that needs conversion, an arena in use
by another thread) it calls the program's general path with the same arguments, before anything has
been allocated. Where objects are laid out in an unknown way, the general path is all there is.

The table, in words of 64 bits:

    0 program  1 arena  2 whether the arena is in use  3 inputs  4 outputs  5 constants  6 general
    path 7 whether to release the global lock at once 8 time limit in nanoseconds 9 guards
    10 how many; then
    per input     dtype object, rank, address of the shape, type of NumPy scalar, type of Python
    scalar per output    dtype object, rank, address of the shape, dtype number
    per constant  address
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from mlirad.jit import engine
from mlirad.jit import object_layout as layout
from mlirad.jit.arguments import type_of_element
from mlirad.jit.c_functions import c_function, definition
from mlirad.jit.entry_text import ENTRY_FUNCTION
from mlirad.jit.general_path import GeneralPath
from mlirad.jit.guards import Guards
from mlirad.jit.memory import aligned_bytes
from mlirad.lower.native_program import ArraySpec


class _Table:
    """The description of one program for the entry, and everything whose address it holds."""

    def __init__(
        self,
        general: GeneralPath,
        main: int,
        name: str,
        otherwise: Callable[..., object],
        guards: Guards | None,
    ):
        program = general.program
        self._general = general
        self._otherwise = otherwise
        self._guards = guards
        self._arena = aligned_bytes(program.arena_bytes)
        self._shapes = [
            (ctypes.c_ssize_t * len(spec.shape))(*spec.shape) for spec in program.inputs + program.outputs
        ]
        shapes = [ctypes.addressof(shape) for shape in self._shapes]
        words = [main, self._arena.ctypes.data if program.arena_bytes else 0, 0]
        words += [len(program.inputs), len(program.outputs), len(general.constants)]
        words += [id(otherwise), general.releases_lock, general.nanoseconds]
        words += [0, 0] if guards is None else [guards.address, guards.count]
        for spec, shape in zip(program.inputs, shapes, strict=False):
            words += [*_described(spec, shape), *_scalar_types(spec)]
        for spec, shape in zip(program.outputs, shapes[len(program.inputs) :], strict=True):
            words += [*_described(spec, shape), type_of_element[spec.dtype].num]
        words += [constant.ctypes.data for constant in general.constants]
        self._words = (ctypes.c_int64 * len(words))(*words)
        self.definition = definition(name, ENTRY_FUNCTION)

    @property
    def address(self) -> int:
        """Where the words are."""
        return ctypes.addressof(self._words)


def make_entry(
    general: GeneralPath,
    code: engine.LoadedCode,
    name: str,
    otherwise: Callable[..., object] | None = None,
    guards: Guards | None = None,
) -> Callable[..., object]:
    """A function like `general`, and faster where arguments are as the program wants them.

    For all others, and where a guard does not hold, it calls `otherwise`, by default `general`. It keeps
    alive all that these use.
    """
    otherwise = general if otherwise is None else otherwise
    if not layout.is_layout_known():
        return otherwise
    return c_function(_Table(general, code.addresses[engine.ENTRY], name, otherwise, guards))


def _described(spec: ArraySpec, shape: int) -> tuple[int, int, int]:
    return id(type_of_element[spec.dtype]), len(spec.shape), shape


def _scalar_types(spec: ArraySpec) -> tuple[int, int]:
    """The types of scalars that can stand for an input: of NumPy, and of Python (0 if none)."""
    if spec.shape:
        return 0, 0
    python = {"float64": id(float), "int64": id(int)}
    return id(type_of_element[spec.dtype].type), python.get(spec.dtype, 0)
