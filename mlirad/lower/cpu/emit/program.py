"""A lowered function as LLVM text: one function per kernel, and `mlirad_main`, which calls them in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from xdsl.dialects.func import FuncOp, ReturnOp

from mlirad.dialects.array.frames import NextRowOp, RestoreOp, SaveOp
from mlirad.dialects.array.literals import literal_array, numpy_dtype
from mlirad.dialects.concrete_sizes import stated_sizes
from mlirad.dialects.kernel.plans import stated_updates
from mlirad.dialects.shapes import Value as Ssa
from mlirad.dialects.shapes import is_float, shape_of
from mlirad.lower.bodies.buffers import MemorySlot, program_buffers
from mlirad.lower.cpu.emit.activation_records import RECORD_STACK
from mlirad.lower.cpu.emit.function import FunctionEmitter
from mlirad.lower.cpu.emit.kernels import FAULT_PLACE, PROFILE_PLACE, SIZES_PLACE, ProgramText
from mlirad.lower.llvm.float_control import FloatMode
from mlirad.lower.llvm.instructions import ALL_INSTRUCTIONS, Instructions
from mlirad.lower.llvm.text import ModuleText
from mlirad.lower.native_program import ArraySpec, NativeProgram


def emit_program(
    function: FuncOp,
    *,
    instructions: Instructions = ALL_INSTRUCTIONS,
    address_checks: bool = False,
    profiled: bool = False,
    shows_places: bool = False,
    callees: Sequence[FuncOp] = (),
    mode: FloatMode | None = None,
) -> NativeProgram:
    """The program of a function of kernel ops, whose schedules are complete, for a processor that has these
    `instructions`.

    `callees` are the functions, lowered too, that it and they call. A program that has floats runs in the
    `mode` of floating point.

    With `address_checks` every access is compared with the bounds of its buffer first. One outside is not
    made, and the last constant of the program, an int64 that starts as 0, then holds a number: a debug run of
    `mlirad.jit` reports that the program writes to a constant. With `profiled` the last constant holds the
    time and the runs of each kernel. With `shows_places` comments say where instructions come from.

    Of a function with sizes the program is for all that are in the range that they are known to be in, and
    `bound` makes it one that can be called. Raises `SizeNeeded` where there is no such program, and
    `CompileError` for a function that is not fully lowered.
    """
    block = function.body.block
    returned = cast(ReturnOp, block.last_op)
    memory = program_buffers(function, returned)
    sizes = stated_sizes(function)
    program = ProgramText(
        ModuleText(polls=True, shows_places=shows_places, instructions=instructions),
        address_checks,
        profiled,
        sizes,
    )
    constants = [literal_array(op) for op in memory.passed]
    cells: list[MemorySlot] = []
    if sizes:
        cells.append(SIZES_PLACE)
        constants.append(np.zeros(len(sizes), np.int64))
    if address_checks:
        cells.append(FAULT_PLACE)
        constants.append(np.zeros(1, np.int64))
    if profiled:
        cells.append(PROFILE_PLACE)
    if any(isinstance(o, SaveOp | RestoreOp) for f in (function, *callees) for o in f.walk()):
        cells.append(RECORD_STACK)
    for callee in callees:
        last = cast(ReturnOp, callee.body.block.last_op)
        inner = program_buffers(callee, last, all_in_text=True)
        FunctionEmitter(program, callee, inner, cells, called=True).write()
    if not any(_computes_floats(f) for f in (function, *callees)):
        mode = None
    FunctionEmitter(program, function, memory, cells, calls=bool(callees), mode=mode).write()
    if profiled:
        constants.append(np.zeros(2 * len(program.kernels), np.int64))
    return NativeProgram(
        tuple(_spec(a) for a in block.args),
        tuple(_spec(v) for v in returned.arguments),
        tuple(constants),
        memory.arena_bytes,
        tuple(program.module.externals),
        program.operations,
        tuple(stated_updates(function).items()),
        sizes,
        len(memory.passed),
        rooms_of((function, *callees)),
        llvm=program.module.text(),
        kernels=tuple(program.kernels),
        reports=tuple(program.reports),
    )


def rooms_of(functions: Sequence[FuncOp]) -> tuple[int, ...]:
    """Return how many rows there are for the records of each type."""
    rows = [op for f in functions for op in f.walk() if isinstance(op, NextRowOp)]
    rooms = {op.record.value.data: op.room.value.data for op in rows}
    return tuple(rooms.get(k, 0) for k in range(max(rooms, default=-1) + 1))


def _computes_floats(function: FuncOp) -> bool:
    return any(is_float(v) for op in function.walk() for v in (*op.operands, *op.results))


def _spec(value: Ssa) -> ArraySpec:
    return ArraySpec(numpy_dtype(value.type).name, shape_of(value))
