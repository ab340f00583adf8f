"""The general way into a compiled program: it converts arguments, and says what is wrong with others.

general = GeneralPath(program, code, "f", releases_lock=False)
general([1, 2, 3])  -->  array([...])
"""

from __future__ import annotations

import ctypes
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mlirad.jit import engine
from mlirad.jit.arguments import prepare, type_of_element
from mlirad.jit.guarded import run_guarded
from mlirad.jit.host import runner
from mlirad.jit.memory import Arena, aligned_bytes, aligned_copy, has_own_elements
from mlirad.jit.result_memory import empty
from mlirad.lower.native_program import LOOP_PREFIX, ProgramInterface


def _references(arrays: Sequence[npt.NDArray[Any]]) -> list[weakref.ref[Any]]:
    """Weak references to the arrays that own the memory of these: NumPy resizes none that has some."""
    owners = [array.base if isinstance(array.base, np.ndarray) else array for array in arrays]
    return [weakref.ref(owner) for owner in owners]


class GeneralPath:
    """The call that takes whatever can be converted, and says what is wrong with the rest."""

    def __init__(
        self,
        program: ProgramInterface,
        code: engine.LoadedCode,
        name: str,
        *,
        releases_lock: bool,
        debug: bool = False,
        timeout: float | None = None,
        threads: int = 0,
        donations: Mapping[int, int] | None = None,
    ):
        self.program: Final = program
        self.constants: Final = tuple(aligned_copy(constant) for constant in program.constants)
        self._name = name
        self._code = code  # owns the memory that the program is in
        self.releases_lock: Final = int(releases_lock)
        self.warns: Final = int(any(symbol.startswith(LOOP_PREFIX) for symbol in program.externals))
        """True if a library may call Python during a call, to warn."""
        self.nanoseconds: Final = 0 if timeout is None else max(1, int(timeout * 1e9))
        self.threads: Final = threads
        self._runner = runner()
        self._debug = debug
        self.arena: Final = Arena(program.arena_bytes)
        """The arena of calls that do not come this way."""
        self.donations: Final = dict(donations or {})
        """For each output that goes to the memory of an input its number."""
        self._updates: Final = dict(program.updates)
        self._arenas: deque[npt.NDArray[np.uint8]] = deque()
        self._buffers = len(program.inputs) + len(program.outputs) + len(self.constants)

    def __call__(self, *arguments: object) -> object:
        inputs = self._prepared(arguments)
        if self._debug:
            results = run_guarded(self.program, self._run, inputs, self.constants)
        else:
            results = [empty(spec.shape, type_of_element[spec.dtype]) for spec in self.program.outputs]
            self._call(inputs, results)
        self._give_donated(results, arguments)
        values = [array[()] if array.ndim == 0 else array for array in results]
        return values[0] if len(values) == 1 else tuple(values)

    def into(self, outputs: Sequence[npt.NDArray[Any]], *arguments: object) -> None:
        """As a call, with the results written to these arrays."""
        self._call(self._prepared(arguments), outputs)

    def _prepared(self, arguments: Sequence[object]) -> list[npt.NDArray[Any]]:
        specs = self.program.inputs
        if len(arguments) != len(specs):
            raise TypeError(f"{self._name} takes {len(specs)} arguments, {len(arguments)} given")
        return [prepare(spec, value, i) for i, (spec, value) in enumerate(zip(specs, arguments, strict=True))]

    def _give_donated(self, results: list[npt.NDArray[Any]], arguments: Sequence[object]) -> None:
        """Copy results to the donated arguments that they fit in, which take their places."""
        for k, j in self.donations.items():
            given = arguments[j]
            if type(given) is not np.ndarray:
                continue
            result, to = results[k], given
            is_apart = not any(np.may_share_memory(to, results[i]) for i in self.donations if i != k)
            fits = (to.shape, to.dtype) == (result.shape, result.dtype) and has_own_elements(to)
            if to.flags.writeable and is_apart and fits:
                np.copyto(to, result)
                results[k] = to

    def _call(self, inputs: Sequence[npt.NDArray[Any]], outputs: Sequence[npt.NDArray[Any]]) -> None:
        read = list(inputs)
        for k, j in self._updates.items():
            np.copyto(outputs[k], inputs[j])
            read[j] = outputs[k]
        try:
            arena = self._arenas.pop()
        except IndexError:
            arena = aligned_bytes(self.program.arena_bytes)
        held = _references((*inputs, *outputs))
        try:
            addresses = [array.ctypes.data for array in (*read, *outputs, *self.constants)]
            self._run(addresses, arena.ctypes.data)
        finally:
            del held
            self._arenas.append(arena)

    def _run(self, buffers: list[int], arena: int) -> None:
        """The program, on the addresses of its buffers and arena."""
        pointers = (ctypes.c_void_p * self._buffers)(*buffers)
        main = self._code.addresses[engine.ENTRY]
        self._runner(
            main, ctypes.addressof(pointers), arena, self.releases_lock, self.nanoseconds, self.threads, 0, 0
        )
