"""The fast way into a compiled program: a C function of CPython's fast calling convention.

It is one function for all programs (`mlirad/runtime/entry.c`), which reads a table
describing the program (`jit/entry_table.py`). A call does this, and takes about 0.1 microseconds more than
the program itself:

1. check the guards, if there are any (`jit/guards.py`), and compare every argument with its
   description: exactly an ndarray, of this dtype object, rank and shape; for rank 0 also NumPy
   scalars, and Python floats, ints and bools where they fit;
2. compare the arrays that results are written to, if there are any: of the result's dtype and shape,
   contiguous, writeable, and apart from all else;
3. take the arena, have NumPy convert the arguments that are not contiguous, aligned and of the
   dtype that is read, allocate the results, call the program, box results of rank 0;
4. return the result, or a tuple if there are several or none.

Whenever something is not as expected (a wrong argument, an array that is both read and written, an
arena in use by another thread) it calls the program's general path with the same arguments, before
anything has been allocated. Where objects are laid out in an unknown way, the general path is all
there is.

An entry point per program would cost compile time for each.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlirad.jit import engine, entry_table, kept_memory, result_memory
from mlirad.jit import object_layout as layout
from mlirad.jit.arguments import type_of_element
from mlirad.jit.c_functions import ENTRY_FUNCTION, c_function, definition
from mlirad.jit.general_path import GeneralPath
from mlirad.jit.guards import Guards
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.native_program import ArraySpec


@dataclass(frozen=True)
class Given:
    """The argument for an input: an array or NumPy scalar of a dtype, or, if `weak`, a Python scalar."""

    dtype: np.dtype[Any]
    weak: bool = False


@dataclass(frozen=True)
class Call:
    """The call of a program: the guards to check, the path for other arguments, and the arguments.

    Without `given` it is what the program reads, and any scalar that stands for that. With `outs`, arrays for
    all results follow the arguments.
    """

    otherwise: Callable[..., object]
    guards: Guards
    given: Sequence[Given] | None = None
    outs: bool = False


class _Table:
    """The description of one program for the entry, and everything whose address it holds."""

    def __init__(self, general: GeneralPath, main: int, name: str, call: Call):
        program = general.program
        self._general = general
        self._call = call
        self._shapes = [
            (ctypes.c_ssize_t * len(spec.shape))(*spec.shape) for spec in program.inputs + program.outputs
        ]
        shapes = [ctypes.addressof(shape) for shape in self._shapes]
        given = call.given or [None] * len(program.inputs)
        is_large = [spec.nbytes >= kept_memory.LARGE_RESULT_BYTES for spec in program.outputs]
        header = {
            entry_table.PROGRAM: main,
            entry_table.ARENA: general.arena.address,
            entry_table.INPUTS: len(program.inputs),
            entry_table.OUTPUTS: len(program.outputs),
            entry_table.CONSTANTS: len(general.constants),
            entry_table.GENERAL_PATH: id(call.otherwise),
            entry_table.RELEASES: general.releases_lock,
            entry_table.TIME_LIMIT: general.nanoseconds,
            entry_table.THREADS: general.threads,
            entry_table.GUARDS: call.guards.address if call.guards.count else 0,
            entry_table.GUARDS_COUNT: call.guards.count,
            entry_table.GIVEN_OUTS: len(program.outputs) * call.outs,
            entry_table.DESTINATIONS: int(call.outs or bool(general.donations)),
            entry_table.HOLDS: general.warns,
            entry_table.HANDLER: result_memory.handler_address() if any(is_large) else 0,
        }
        words = _in_order(header, entry_table.HEADER_WORDS)
        for spec, shape, kind in zip(program.inputs, shapes, given, strict=False):
            numpy_type, python_type, given_dtype = _given_types(spec, kind)
            described = {
                entry_table.INPUT_BYTES: spec.nbytes,
                entry_table.NUMPY_TYPE: numpy_type,
                entry_table.PYTHON_TYPE: python_type,
                entry_table.GIVEN_DTYPE: given_dtype,
            }
            words += _in_order(_described(spec, shape) | described, entry_table.INPUT_WORDS)
        updates = dict(program.updates)
        for k, spec in enumerate(program.outputs):
            described = {
                entry_table.OUTPUT_BYTES: spec.nbytes,
                entry_table.DTYPE_NUMBER: type_of_element[spec.dtype].num,
                entry_table.DONATED_INPUT: general.donations.get(k, -1),
                entry_table.IS_COPIED: int(not call.outs and k not in updates),
                entry_table.IS_LARGE: int(is_large[k]),
            }
            shape = shapes[len(program.inputs) + k]
            words += _in_order(_described(spec, shape) | described, entry_table.OUTPUT_WORDS)
        words += [constant.ctypes.data for constant in general.constants]
        self._words = (ctypes.c_int64 * len(words))(*words)
        self.definition = definition(name, ENTRY_FUNCTION)

    @property
    def address(self) -> int:
        """Return where the words are."""
        return ctypes.addressof(self._words)


def make_entry(
    general: GeneralPath, code: engine.LoadedCode, name: str, call: Call | None = None
) -> Callable[..., object]:
    """A function like `general`, and faster where arguments are as the program wants them.

    Where they are not it calls `general`, or what `call` says. It keeps alive all that these use.
    """
    call = Call(general, Guards(())) if call is None else call
    if not layout.is_layout_known():
        return call.otherwise
    return c_function(_Table(general, code.addresses[engine.ENTRY], name, call))


def _described(spec: ArraySpec, shape: int) -> dict[int, int]:
    return {
        entry_table.DTYPE_WORD: id(type_of_element[spec.dtype]),
        entry_table.RANK_WORD: len(spec.shape),
        entry_table.SHAPE_WORD: shape,
    }


def _in_order(words: dict[int, int], count: int) -> list[int]:
    return [words[k] for k in range(count)]


_PYTHON_TYPES = {"float64": id(float), "int64": id(int), "bool": id(bool)}


def _given_types(spec: ArraySpec, given: Given | None) -> tuple[int, int, int]:
    """The types of scalars that can stand for an input, of NumPy and of Python, and the dtype of arrays."""
    if given is None:
        read = type_of_element[spec.dtype]
        python = 0 if spec.shape else _PYTHON_TYPES.get(spec.dtype, 0)
        return 0 if spec.shape else id(read.type), python, id(read)
    if given.weak:
        return 0, _PYTHON_TYPES[given.dtype.name], 0
    return 0 if spec.shape else id(given.dtype.type), 0, id(given.dtype)
