"""LLVM IR text to machine code in memory.

    text --parse, verify--> module --optimise--> module --emit--> object code --link--> addresses

Lowering writes explicit vectors, unrolls where that pays, computes addresses and vectors of equal lanes
outside of the loops in which they do not change, and says what is to be inlined. So LLVM has little left to
do: `PASSES` inline, drop what is unused, hand constants on, keep variables in registers and clean up. On the
gradients of all benchmarks (70 texts, AVX2) they take a sixth of the time of O1 without its vectorisers, and
the machine code is as long and as fast:

    pipeline                  optimise    emit    instructions
    O1 without vectorisers       2.0 s   3.4 s          78,100
    as here                     0.35 s   3.5 s          77,500

O1 looks for what lowering never writes, such as loads of what the iteration before has stored.

Nothing is optimised in very long texts, straight-line code that no number of runs makes up for, and their
instructions are selected one by one (the quick tier). Only the length counts, `QUICK_FROM`.

Code is emitted as an object file and linked by ORC (LLVM's LLJIT), one instance per program:
creating it, linking and unloading take 0.7 ms, addresses of external functions are given to the
program alone, and unloading returns all memory. MCJIT is as fast, and knows no program-local
symbols; one ORC instance shared by all programs links in 0.1 ms and keeps some 8 kB of every
program for ever.

The object code of the last programs is kept, so the same text is compiled once: a function that is
re-created for every call, as a lambda in a loop is, costs a link.

Instructions that carry `contract` may be fused to multiply-adds; nothing else is relaxed.
"""

from __future__ import annotations

import ctypes
import time
import weakref
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from mlirad.errors import CompileError
from mlirad.float_modes import standard_floats
from mlirad.jit.llvm_binding import LLVM, Linker, LoadedLibrary, Module, TargetMachine, run_pipeline
from mlirad.jit.memory_left import require_memory
from mlirad.jit.perf_map import note_functions
from mlirad.jit.stacks import large_stack
from mlirad.jit.target import Target, find_target
from mlirad.lazy_dataclass import dataclass

ENTRY: Final = "mlirad_main"
"""The name of the function that the IR text of a program defines."""

INLINING: Final = ("always_inliner",)
"""The passes for texts of the quick tier."""

PASSES: Final = (
    *INLINING,
    "global_dead_code_eliminate",
    "ipsccp",
    "sroa",
    "instruction_combine",
    "simplify_cfg",
)
"""The passes for all other texts, in this order; the names are llvmlite's."""

QUICK_FROM: Final = 4_000_000
"""The number of characters from which a text is compiled in the quick tier: in two seconds instead of ten."""

BYTES_PER_CHARACTER: Final = 256
"""Memory that LLVM may need for a character of text: it was at most 60 bytes for programs of all kinds."""

BYTES_PER_BYTE: Final = 8
"""Memory that it may need to load a byte of object code."""

BYTES_AT_LEAST: Final = 1 << 22
"""Memory that LLVM may need besides."""

PROGRAMS_KEPT: Final = 32
"""The number of texts that are kept with their object code: some 100 kB each where they are large."""


@dataclass(frozen=True)
class StageTimes:
    """Seconds spent in each stage of code generation."""

    parse: float = 0.0
    optimise: float = 0.0
    emit: float = 0.0
    link: float = 0.0

    @property
    def total(self) -> float:
        """Seconds spent in all of them."""
        return self.parse + self.optimise + self.emit + self.link


class LoadedCode:
    """Machine code in memory. The addresses are valid as long as this object is alive; then the
    memory is freed.
    """

    def __init__(self, linker: Linker, library: LoadedLibrary, symbols: tuple[str, ...], times: StageTimes):
        self.addresses: Mapping[str, int] = {symbol: library[symbol] for symbol in symbols}
        self.times = times
        self._unload = weakref.finalize(self, _unload, linker, library)
        # At interpreter exit threads may still run the code, and the process returns the memory
        # anyway.
        self._unload.atexit = False

    def keep_loaded(self) -> None:
        """Leave the code in memory for as long as the process lives, beyond the end of the interpreter."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._unload.peek()))
        self._unload.detach()


def _unload(linker: Linker, library: LoadedLibrary) -> None:
    library.close()
    linker.close()


@large_stack
def load(
    text: str,
    *,
    symbols: tuple[str, ...] = (ENTRY,),
    externals: Mapping[str, int] | None = None,
    target: Target | None = None,
) -> LoadedCode:
    """Compile IR text and load it; `symbols` are the functions wanted, `externals` the addresses it calls.

    Raises `CompileError` if the text is not valid LLVM IR, or names a function that is in neither.
    """
    code, times = compiled(text, target)
    return load_object(code, symbols=symbols, externals=externals, times=times)


@large_stack
@standard_floats
def compiled(text: str, target: Target | None = None) -> tuple[bytes, StageTimes]:
    """The relocatable object file (ELF, Mach-O or COFF) that the IR text compiles to, and what that took."""
    return _compiled(text, target or find_target())


@lru_cache(maxsize=PROGRAMS_KEPT)
def _compiled(text: str, target: Target) -> tuple[bytes, StageTimes]:
    module, parse, optimise = _optimised(text, target)
    start = time.perf_counter()
    code = _emit(module, _machine(text, target))
    return code, StageTimes(parse, optimise, time.perf_counter() - start)


@large_stack
def quick_object_code(text: str, target: Target) -> bytes:
    """The object file that IR text compiles to if nothing is optimised.

    Raises `CompileError` if the text is not valid LLVM IR.
    """
    return _emit(_parsed(text, target), target.quick_machine)


@large_stack
def load_object(
    code: bytes,
    *,
    symbols: tuple[str, ...] = (ENTRY,),
    externals: Mapping[str, int] | None = None,
    times: StageTimes | None = None,
) -> LoadedCode:
    """Load object code made by `object_code` for this machine; see `load`."""
    times = times or StageTimes()
    require_memory(BYTES_AT_LEAST + BYTES_PER_BYTE * len(code), "load the program")
    start = time.perf_counter()
    builder = LLVM.JITLibraryBuilder().add_object_img(code)
    # LLVM calls memcpy and its like of the C library where the text has intrinsics.
    builder.add_current_process()
    for symbol in symbols:
        builder.export_symbol(symbol)
    for symbol, address in (externals or {}).items():
        builder.import_symbol(symbol, address)
    linker = LLVM.create_lljit_compiler(suppress_errors=True)
    try:
        library = builder.link(linker, "program")
    except RuntimeError as error:
        linker.close()
        raise CompileError(f"machine code could not be linked: {error}") from error
    link = time.perf_counter() - start
    note_functions(code, symbols[0], library[symbols[0]])
    return LoadedCode(linker, library, symbols, StageTimes(times.parse, times.optimise, times.emit, link))


@large_stack
def optimised_llvm(text: str, target: Target | None = None) -> str:
    """The IR text after LLVM's optimisation, as code is generated from it."""
    return str(_optimised(text, target or find_target())[0])


@large_stack
def assembly(text: str, target: Target | None = None) -> str:
    """The assembly that the IR text compiles to."""
    target = target or find_target()
    try:
        return _machine(text, target).emit_assembly(_optimised(text, target)[0])
    except RuntimeError as error:
        raise CompileError(f"LLVM could not print assembly: {error}") from error


def is_quick(text: str) -> bool:
    """Return whether a text is compiled in the quick tier."""
    return len(text) >= QUICK_FROM


def _machine(text: str, target: Target) -> TargetMachine:
    return target.quick_machine if is_quick(text) else target.machine


def object_code(text: str, target: Target | None = None) -> bytes:
    """The object file that the IR text compiles to."""
    return compiled(text, target)[0]


def _emit(module: Module, machine: TargetMachine) -> bytes:
    try:
        return machine.emit_object(module)
    except RuntimeError as error:
        raise CompileError(f"LLVM could not emit code: {error}") from error


def _parsed(text: str, target: Target) -> Module:
    """The text as a verified module for the target. Raises `OutOfMemoryError` if LLVM may have too little."""
    require_memory(BYTES_AT_LEAST + BYTES_PER_CHARACTER * len(text), "compile the program")
    try:
        module = LLVM.parse_assembly(text)
        module.triple = target.triple
        module.data_layout = str(target.machine.target_data)
        module.verify()
    except RuntimeError as error:
        raise CompileError(f"the generated LLVM IR is invalid: {error}") from error
    return module


def _optimised(text: str, target: Target) -> tuple[Module, float, float]:
    """The optimised module, and the seconds that parsing and optimising took."""
    start = time.perf_counter()
    module = _parsed(text, target)
    parsed = time.perf_counter()
    run_pipeline(_machine(text, target), module, INLINING if is_quick(text) else PASSES)
    return module, parsed - start, time.perf_counter() - parsed
