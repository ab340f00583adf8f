"""A program as object code that is not loaded yet: what is kept of it, and what it is loaded from.

    machine_program(native)                  LLVM makes object code of the text
    NativeFunction(machine_program(native))  loads it, here or in another process of the same machine

Object code holds no address: the functions that it calls are found by name when it is loaded.

Programs are object code, not libraries. A library per program, made by the system's linker, could be shared
between processes in memory; but users need not have a linker, and LLVM's object code is linked in a
millisecond.
"""

from __future__ import annotations

from dataclasses import field, fields

from mlirad.jit import engine
from mlirad.jit.target import Target
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.native_program import NativeProgram, ProgramInterface


@dataclass(frozen=True)
class MachineProgram(ProgramInterface):
    """A program in object code that defines `mlirad_main`, and what it took to make."""

    object_code: bytes = field(kw_only=True)
    times: engine.StageTimes = field(default=engine.StageTimes(), kw_only=True, compare=False)


def machine_program(program: NativeProgram, target: Target | None = None) -> MachineProgram:
    """The program in object code for a target. Raises `CompileError` if the text is not valid LLVM IR."""
    code, times = engine.compiled(program.llvm, target)
    interface = {f.name: getattr(program, f.name) for f in fields(ProgramInterface)}
    return MachineProgram(**interface, object_code=code, times=times)
