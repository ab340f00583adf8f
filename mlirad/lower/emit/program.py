"""A lowered function as LLVM text: one function per kernel, and `mlirad_main`, which calls them in order."""

from __future__ import annotations

from typing import cast

import numpy as np
from xdsl.dialects.func import FuncOp, ReturnOp

from mlirad.dialects import kernel
from mlirad.dialects.array.literals import literal_array, numpy_dtype
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.shapes import Value as Ssa
from mlirad.dialects.shapes import element_of, shape_of
from mlirad.lower.compiled_text import ArraySpec, NativeProgram
from mlirad.lower.emit.buffers import Memory, Place, program_buffers
from mlirad.lower.emit.dot import emit_dot
from mlirad.lower.emit.elementwise import KINDS
from mlirad.lower.emit.fills import copy
from mlirad.lower.emit.kernels import Emitter
from mlirad.lower.emit.nest import emit_nest
from mlirad.lower.emit.scatter import emit_scatter
from mlirad.lower.llvm_text import FunctionText, ModuleText, Parameter, Value


def emit_program(function: FuncOp, *, vector_bytes: int, address_checks: bool = False) -> NativeProgram:
    """The program of a function of kernel ops; `vector_bytes` is the size of a vector register.

    With `address_checks` every access is compared with the bounds of its buffer first. One outside is not
    made, and the last constant of the program, an int64 that starts as 0, then holds a number: a debug run of
    `mlirad.jit` reports that the program writes to a constant.

    Raises `CompileError` for a function that is not fully lowered.
    """
    block = function.body.block
    returned = cast(ReturnOp, block.last_op)
    memory = program_buffers(function, returned)
    emitter = Emitter(ModuleText(), memory.buffers, vector_bytes, address_checks)
    for op in block.ops:
        match op:
            case kernel.NestOp():
                emit_nest(emitter, op)
            case kernel.ScatterOp():
                emit_scatter(emitter, op)
            case kernel.DotOp():
                emit_dot(emitter, op)
            case _:
                pass
    constants = [literal_array(op) for op in memory.passed]
    if address_checks:
        constants.append(np.zeros(1, np.int64))
    _write_main(emitter, memory, len(block.args), returned, len(constants))
    return NativeProgram(
        emitter.module.text(),
        tuple(_spec(a) for a in block.args),
        tuple(_spec(v) for v in returned.arguments),
        tuple(constants),
        memory.arena_bytes,
        tuple(emitter.module.externals),
        emitter.operations,
    )


def _spec(value: Ssa) -> ArraySpec:
    return ArraySpec(numpy_dtype(value.type).name, shape_of(value))


class _Pointers(dict[Place, Value]):
    """The pointer of each place, made where it is first asked for."""

    def __init__(self, f: FunctionText, memory: Memory, inputs: int, constants: int):
        super().__init__()
        self._f = f
        self._literals = memory.literals
        outputs = len(memory.outputs)
        self._first = {"input": 0, "output": inputs, "constant": inputs + outputs}
        self._fault = inputs + outputs + constants - 1

    def __missing__(self, place: Place) -> Value:
        f = self._f
        table, arena = f.arguments
        match place.region:
            case "arena":
                pointer = f.gep(arena, place.number, "i8")
            case "literal":
                pointer = _literal(f, self._literals[place.number])
            case "fault":
                pointer = f.load(f.gep(table, self._fault, "ptr"), "ptr")
            case region:
                pointer = f.load(f.gep(table, self._first[region] + place.number, "ptr"), "ptr")
        self[place] = pointer
        return pointer


def _literal(f: FunctionText, op: ConstantOp) -> Value:
    """The address of a literal in the text."""
    kind = KINDS[element_of(op.result)]
    numbers = literal_array(op).ravel().tolist() or [0]
    return f.module.table("i8" if kind == "i1" else kind, numbers)


def _write_main(emitter: Emitter, memory: Memory, inputs: int, returned: ReturnOp, constants: int) -> None:
    parameters = [Parameter("buffers", "ptr"), Parameter("arena", "ptr")]
    f = emitter.module.function("mlirad_main", parameters, linkage="", attributes="nounwind")
    pointers = _Pointers(f, memory, inputs, constants)
    for name, places in emitter.calls:
        f.call(name, [pointers[p] for p in places])
    for value, output in zip(returned.arguments, memory.outputs, strict=True):
        source = memory.buffers[value]
        if source.place != output.place:
            copy(f, pointers, source, output)
    f.ret()
