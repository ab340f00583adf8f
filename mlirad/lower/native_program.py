"""The program that lowering passes to code generation: LLVM IR text and a description of its memory.

The text defines one function,

    define void @mlirad_main(ptr %buffers, ptr %arena, ptr %context)

`%buffers` points to an array of data pointers: one per input, then one per output, then one per
constant, in the order of the fields below. `%arena` is scratch memory of `arena_bytes` bytes.
Outputs and arena hold unspecified bytes on entry, and overlap nothing, except for outputs that overwrite an
input (`updates`): these have its address, and hold it.

`%context` is the record of the call, `CONTEXT_WORDS` words of 64 bits, zeros except for the time limit. A
call that could not be finished leaves in its first word why; its outputs are unspecified then. A program
without long loops, calls and reports may leave the parameter out.

For example, the program that doubles a vector of three doubles has

    inputs=(ArraySpec("float64", (3,)),), outputs=(ArraySpec("float64", (3,)),), arena_bytes=0

and reads `%buffers[0]` and writes `%buffers[1]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from math import prod
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from mlirad.dialects.extents import evaluate
from mlirad.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy.typing as npt

ITEM_BYTES: Final = {"float64": 8, "float32": 4, "int64": 8, "int32": 4, "bool": 1}
"""Bytes per element of each element type of the language; a boolean is one byte, 0 or 1."""

DEPTH_LIMIT: Final = 4000
"""The depth to which the functions of a program may call each other."""

OUT_OF_MEMORY: Final = 1
TOO_DEEP: Final = 2
OUT_OF_STACK: Final = 3
OUT_OF_TIME: Final = 4
RAISED: Final = 5
NO_FRAME: Final = 6
NO_ROOM: Final = 7
"""The first word of a call's record after a call that could not be finished; RAISED: a Python exception is
set. Beside NO_ROOM stands the number of a type of records, from bit `RECORD_SHIFT` on.
"""

RECORD_SHIFT: Final = 8

STATUS_WORD: Final = 0
FUEL_WORD: Final = 1
STACK_WORD: Final = 2
THREAD_WORD: Final = 3
DEADLINE_WORD: Final = 4
SIGNALS_WORD: Final = 5
LIMIT_WORD: Final = 6
FAILURE_WORD: Final = 7
THREADS_WORD: Final = 8
GROUP_WORD: Final = 9
MODE_WORD: Final = 10
BORROWED_WORD: Final = 11
CONTEXT_WORDS: Final = 12
"""The record of a call. The program knows the first three: why the call ends, how many instructions functions
that are called may run until the next poll, and the address down to which the stack may grow (0: not asked
yet). The others are the host's: the thread state of Python while the global lock is released, the time at
which the call ends, the time of the next look for signals, the time limit (0: none), the first failure
reported, how many threads may work on the call (0: as many as usual), the parallel loop that is under way,
the caller's mode of floating point, and the arguments whose memory is borrowed. Each thread that works on a
call has a record."""

C_PREFIX: Final = "mlirad_c_"
"""The prefix of symbols of functions of the C library, and of those of SciPy that are like them."""

LIBRARY_PREFIXES: Final = {"blas": "mlirad_blas_", "lapack": "mlirad_lapack_"}
"""The prefixes of symbols of the routines of each library."""

LOOP_PREFIX: Final = "mlirad_loop_"
"""The prefix of symbols of inner loops of the ufuncs of `scipy.special`, and of NumPy's transforms."""

TRANSFORM_PREFIX: Final = "pocketfft_"
"""The next part of the symbols of the loops of NumPy's Fourier transforms."""

POLL: Final = "mlirad_rt_poll"
"""The function `i64 (ptr context)` of the host that long-running programs call now and then. It gives what
the status is: not 0 if the call is to end."""

STACK_LIMIT: Final = "mlirad_rt_stack_limit"
"""The function `i64 (ptr context)` of the host that gives, and notes, down to which address the stack may
grow."""

CLOCK: Final = "mlirad_rt_clock"
"""The function `i64 ()` of the host that profiled programs read the time from, in nanoseconds."""

PARALLEL: Final = "mlirad_rt_parallel"
"""The function of the host that runs the tasks of a loop: see `mlirad/lower/cpu/emit/parallel.py`."""

REPORT: Final = "mlirad_rt_report"
"""The function of the host that programs call to report: see `mlirad/lower/cpu/emit/reports.py`."""

PYTHON: Final = "mlirad_rt_python"
"""The function of the host that calls a Python function of the user; it takes what `REPORT` takes."""

CALL: Final = "call"
"""The kind of report that calls a Python function, whose name is the message."""

CALLBACK: Final = "callback"
"""The kind of description that calls a Python function for results: `mlirad/lower/cpu/emit/callbacks.py`."""

BUFFER_ALIGNMENT: Final = 64
"""The alignment of arena and constants, and what lies in them, in bytes: a cache line."""


@dataclass(frozen=True)
class ArraySpec:
    """The element type and shape of one input or output.

    Elements lie row-major and contiguous, aligned to the element size and no more. Rank 0 is a
    scalar in memory.
    """

    dtype: str
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.dtype not in ITEM_BYTES:
            raise ValueError(f"no element type {self.dtype!r}; there are {', '.join(ITEM_BYTES)}")

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return self.size * ITEM_BYTES[self.dtype]

    def bound(self, sizes: Mapping[str, int]) -> ArraySpec:
        """The same with numbers in place of sizes."""
        return ArraySpec(self.dtype, tuple(evaluate(e, sizes) for e in self.shape))


@dataclass(frozen=True)
class KernelNote:
    """The facts about a kernel that are known before it runs: the name of its function, what it computes, its
    line in the source, and, roughly, the bytes that a run reads and writes, its scalar operations, on
    elements of a given size, and how often a call runs it. Threads share its `tasks`, or the `loop_tasks` of
    a loop around it, 0 where no such loop is shared.
    """

    name: str
    what: str
    line: str | None
    nbytes: int
    work: int
    element_bytes: int
    iterations: int
    tasks: int = 1
    loop_tasks: int = 0

    @property
    def is_shared(self) -> bool:
        """Tell if threads share its tasks, or those of a loop around it."""
        return self.tasks > 1 or self.loop_tasks > 0


@dataclass(frozen=True)
class ReportNote:
    """A report that a program can make: the name in the text of its description, what kind of failure it is,
    "print", `CALL` or `CALLBACK`, its message or the name of the function, and its line in the source.
    """

    name: str
    kind: str
    message: str
    line: str | None


@dataclass(frozen=True)
class ProgramInterface:
    """The arguments of a program: arrays, scratch memory, and functions that it does not define.

    `constants` are the literals too large for the text, passed by pointer. `arena_bytes` is the
    size of the scratch memory. `externals` are the symbols that the text declares and does not
    define: `mlirad_blas_*` are BLAS routines, `mlirad_c_*` functions of the C library and of SciPy,
    `mlirad_loop_*` the inner loops of ufuncs, `mlirad_rt_*` the functions that allocate memory, and
    those of the host. `operations` is roughly how many scalar operations a call takes. `updates` are
    pairs of an output and of the input that it overwrites: one buffer is passed for both. The last
    constant of a profiled program holds two int64 for each kernel, which calls add to: nanoseconds, and
    how often it ran. A program with `sizes` is for all of a range: shapes and the bytes of the arena are
    extents, and the constant number `size_table` is to hold what they are in a call. `rooms` are how many
    rows there are for the records of each type, 0 where a type has none.
    """

    inputs: tuple[ArraySpec, ...]
    outputs: tuple[ArraySpec, ...]
    constants: tuple[npt.NDArray[np.generic[Any]], ...] = ()
    arena_bytes: int = 0
    externals: tuple[str, ...] = ()
    operations: int = 0
    updates: tuple[tuple[int, int], ...] = ()
    sizes: tuple[str, ...] = ()
    size_table: int = 0
    rooms: tuple[int, ...] = ()

    def bound(self, sizes: Mapping[str, int]) -> Self:
        """The program for calls with these sizes, by the same code.

        Sizes in the interface are numbers then, and the table is filled.
        """
        constants = list(self.constants)
        constants[self.size_table] = np.array([sizes[name] for name in self.sizes], np.int64)
        return replace(
            self,
            inputs=tuple(spec.bound(sizes) for spec in self.inputs),
            outputs=tuple(spec.bound(sizes) for spec in self.outputs),
            constants=tuple(constants),
            arena_bytes=evaluate(self.arena_bytes, sizes),
            sizes=(),
        )


@dataclass(frozen=True)
class NativeProgram(ProgramInterface):
    """One program: LLVM IR text that defines `@mlirad_main`, and what it is called with.

    `kernels` are in the order of the text, and so are `reports`.
    """

    llvm: str = field(kw_only=True)
    kernels: tuple[KernelNote, ...] = field(default=(), kw_only=True)
    reports: tuple[ReportNote, ...] = field(default=(), kw_only=True)
