"""Calling a compiled program on NumPy arrays: memory, conversion of arguments, results.

    program = NativeFunction(NativeProgram(llvm=..., inputs=(ArraySpec("float64", (3,)),), ...))
    program.entry(x)  -->  array([...])         one result as it is, several as a tuple
    program(x)        -->  (array([...]),)      always a tuple

Results are fresh writable arrays, and NumPy scalars where the rank is 0; they overlap no argument that is not
donated. There are two ways in, with the same results. `entry` is machine code that takes arguments which
are exactly what the program reads (`jit/entry.py`). For every other argument it calls the
`GeneralPath`, which converts and reports errors.

Both are safe to call from several threads: each call under way has an arena and a record of its own.
Programs of more than about ten microseconds release Python's global lock while they run: immediately where
that is known beforehand, and after a millisecond where it depends on data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.jit import engine
from mlirad.jit.arguments import type_of_element
from mlirad.jit.blas import blas_address
from mlirad.jit.entry import Call, make_entry
from mlirad.jit.general_path import GeneralPath
from mlirad.jit.machine_program import MachineProgram, machine_program
from mlirad.jit.target import Target
from mlirad.lower.native_program import (
    LIBRARY_PREFIXES,
    LOOP_PREFIX,
    PARALLEL,
    NativeProgram,
    ProgramInterface,
)

LONG_WORK: Final = 20_000
"""Scalar operations from which on a program releases the global lock, which costs a call about 50 ns."""

BYTES_PER_OPERATION: Final = 4
"""The bytes of a program's memory that count as one operation, if its operations are not counted."""

Result = npt.NDArray[Any] | np.generic


class NativeFunction:
    """A compiled program that can be called, made of LLVM IR text or of machine code. The code lives as
    long as this object or its `entry`.

    `debug` runs every call twice under guard instead; see `jit/guarded.py`. `target` must be a
    processor that this host can stand in for. `timeout` is how many seconds a call may take,
    `threads` how many threads may work on it, 0 for as many as usual (`jit/threads.py`). `donated` are
    the numbers of inputs whose memory results may take: see `donations`. `code` is the program's where that
    is loaded. Raises
    `CompileError` if code cannot be made. A call that cannot be finished raises `CallDepthError`,
    `OutOfMemoryError`, `TimeLimitError`, or what a signal handler or a print raises.
    """

    def __init__(
        self,
        program: NativeProgram | MachineProgram,
        *,
        name: str = "compiled",
        target: Target | None = None,
        debug: bool = False,
        externals: Mapping[str, int] | None = None,
        timeout: float | None = None,
        threads: int = 0,
        donated: Sequence[int] = (),
        code: engine.LoadedCode | None = None,
    ):
        code = load_code(program, target, externals or {}) if code is None else code
        if threads > 1 and PARALLEL in program.externals:
            from mlirad.jit import pool

            pool.prepare()
        self.program: Final[ProgramInterface] = program
        self.times: Final = code.times
        self.releases_lock: Final = _work(program) >= LONG_WORK
        general = GeneralPath(
            program,
            code,
            name,
            releases_lock=self.releases_lock,
            debug=debug,
            timeout=timeout,
            threads=threads,
            donations=donations(program, donated),
        )
        self._code = code
        self._name = name
        self._debug = debug
        self._general = general
        self.entry: Final[Callable[..., object]] = general if debug else make_entry(general, code, name)
        """The fastest way to call: one result as it is, several or none as a tuple."""
        self.kept_as: str | None = None
        """The key under which the program is on the disk, where it is."""

    @property
    def constants(self) -> Sequence[npt.NDArray[Any]]:
        """The constants of the program where it reads them; those that it writes to change in calls."""
        return self._general.constants

    def entry_for(self, call: Call) -> Callable[..., object]:
        """As `entry`, but arguments that are not as `call` says go elsewhere, and so does every call while a
        guard does not hold.
        """
        return call.otherwise if self._debug else make_entry(self._general, self._code, self._name, call)

    def into(self, outputs: Sequence[npt.NDArray[Any]], *arguments: object) -> None:
        """Call the program with its results written to arrays that overlap no argument.

        Raises ValueError for arrays that are not contiguous or not of the results' shapes and dtypes.
        """
        expected = [(spec.shape, type_of_element[spec.dtype]) for spec in self.program.outputs]
        if [(a.shape, a.dtype) for a in outputs] != expected:
            raise ValueError(f"results have shapes and dtypes {expected}")
        if not all(a.flags.c_contiguous and a.flags.writeable for a in outputs):
            raise ValueError("results can be written to contiguous writable arrays only")
        self._general.into(outputs, *arguments)

    def __call__(self, *arguments: object) -> tuple[Result, ...]:
        results = self.entry(*arguments)
        if len(self.program.outputs) == 1:
            return (cast(Result, results),)
        return cast("tuple[Result, ...]", results)


def load_code(
    program: NativeProgram | MachineProgram,
    target: Target | None = None,
    externals: Mapping[str, int] | None = None,
) -> engine.LoadedCode:
    """The machine code of a program in memory, compiled if it is text. Raises `CompileError`."""
    addresses = resolve(program.externals, externals or {})
    made = program if isinstance(program, MachineProgram) else machine_program(program, target)
    return engine.load_object(made.object_code, externals=addresses, times=made.times)


def donations(program: ProgramInterface, donated: Sequence[int]) -> dict[int, int]:
    """For each output that goes to the memory of a donated input the number of that: the outputs that the
    program makes there, then the first of the same shape and dtype that is left.

    Outputs of rank 0 are returned as scalars, and go nowhere.
    """
    pairs = dict(program.updates)
    for j in donated:
        spec = program.inputs[j]
        if j not in pairs.values() and spec.shape:
            free = (k for k, made in enumerate(program.outputs) if made == spec and k not in pairs)
            found = next(free, None)
            if found is not None:
                pairs[found] = j
    return pairs


def resolve(symbols: tuple[str, ...], known: Mapping[str, int]) -> dict[str, int]:
    """The addresses of a program's external functions; `known` comes first.

    Raises `CompileError` for a symbol that nobody defines.
    """
    loops = [symbol for symbol in symbols if symbol.startswith(LOOP_PREFIX) and symbol not in known]
    addresses = _loop_addresses(loops) if loops else {}
    for symbol in symbols:
        if symbol in known:
            addresses[symbol] = known[symbol]
        elif symbol in addresses:
            continue
        elif symbol.startswith(tuple(LIBRARY_PREFIXES.values())):
            addresses[symbol] = blas_address(symbol)
        else:
            from mlirad.jit.external import external_address

            addresses[symbol] = external_address(symbol)
    return addresses


def _loop_addresses(symbols: Sequence[str]) -> dict[str, int]:
    from mlirad.jit.ufunc_loops import loop_addresses

    return loop_addresses(symbols)


def _work(program: ProgramInterface) -> int:
    """Return how many scalar operations a call takes, roughly."""
    buffers = sum(spec.nbytes for spec in program.inputs + program.outputs)
    memory = buffers + program.arena_bytes + sum(array.nbytes for array in program.constants)
    return max(program.operations, memory // BYTES_PER_OPERATION)
