"""The functions of a program: calls of kernels, in its order, with loops and branches around them.

    define void @mlirad_main(ptr %buffers, ptr %arena, ptr noalias %context) {
      ...                                        addresses of inputs, outputs and constants
      call void @k0_map(ptr ..., ptr ...)
      br label %t.body                           a loop
      ...

Kernels of a few instructions are inlined; what they pass to each other through stack slots is then in
registers. In a program with loops, `mlirad_main` only calls its body with these addresses as parameters,
which LLVM is told do not overlap: so what a loop reads and what it carries stays in registers too. So it does
in one that computes with floats, in whose mode the body runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.func import FuncOp

from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.kernel.strips import LOWERED_CONTROL
from mlirad.dialects.shapes import element_of
from mlirad.ir.builder import returned
from mlirad.lower.bodies.buffers import Memory, MemorySlot
from mlirad.lower.cpu.emit.activation_records import RECORD_STACK
from mlirad.lower.cpu.emit.addresses import ValueAddresses
from mlirad.lower.cpu.emit.blocks import BlockEmitter, called_name
from mlirad.lower.cpu.emit.calls import begin_call, fail_and_return, finish_call, prepare_calls
from mlirad.lower.cpu.emit.chunk_store import ChunkStore, allocate, free
from mlirad.lower.cpu.emit.kernels import SIZES_PLACE, KernelEmitter, ProgramText, read_sizes
from mlirad.lower.llvm.float_control import FloatMode, running_in
from mlirad.lower.llvm.text import IRBuilder, ModuleText, Parameter, Value, constant
from mlirad.lower.native_program import OUT_OF_MEMORY

BODY: Final = "mlirad_body"
"""The name of the function that a program with loops consists of."""


class FunctionEmitter:
    """Emits one function of a program: `mlirad_main`, or one that it calls.

    A called function has further parameters: the cells, how deep the call is, and the record of the call. It
    allocates its arena. Whatever makes a call fail, in a function or in one that it calls, it goes straight
    to its end, releases what it owns and returns: nothing is computed from missing values. With a `mode` of
    floating point it runs in that.
    """

    def __init__(
        self,
        program: ProgramText,
        function: FuncOp,
        memory: Memory,
        cells: Sequence[MemorySlot],
        *,
        called: bool = False,
        calls: bool = False,
        mode: FloatMode | None = None,
    ):
        inputs = len(function.body.block.args)
        module = program.module
        self._function = function
        self._memory = memory
        self._cells = cells
        self._mode = mode
        self._is_called = called
        self._allocated: Value | None = None
        self._depth = constant("i64", 0)
        self._places = [] if called else _places(memory, inputs, cells)
        known: dict[MemorySlot, Value] = {}
        if called:
            parameters = [Parameter("buffers", "ptr")]
            parameters += [Parameter(f"cell{k}", "ptr") for k in range(len(cells))]
            parameters.append(Parameter("depth", "i64"))
            name = called_name(function.sym_name.data)
            f = module.function(name, parameters, attributes="noinline nounwind")
            known.update(zip(cells, f.arguments[1:-1], strict=True))
            self._depth = f.arguments[-1]
            begin_call(f, self._depth)
            arena = Value("null", "ptr")
            if memory.arena_bytes:
                arena = self._allocated = allocate(f, memory.arena_bytes)
                fail_and_return(f, f.icmp("eq", arena, Value("null", "ptr")), OUT_OF_MEMORY)
            known |= _read(f, _places(memory, inputs, ()))
        elif calls or mode or any(isinstance(op, LOWERED_CONTROL) for op in function.walk()):
            parameters = [_parameter(place, k) for k, place in enumerate(self._places)]
            parameters.append(Parameter("arena", "ptr", 1, "noalias"))
            f = module.function(BODY, parameters, attributes="noinline nounwind")
            known.update(zip(self._places, f.arguments, strict=False))
            arena = f.arguments[-1]
        else:
            f = _begin_main(module)
            known |= _read(f, self._places)
            arena = f.arguments[1]
        if calls:
            prepare_calls(f)
        if SIZES_PLACE in known:
            read_sizes(f, program.sizes, known)
        self._f = f
        self._at = ValueAddresses(f, arena, memory, known)
        self._blocks = BlockEmitter(KernelEmitter(program, memory.buffers), self._at, cells, self._depth)
        self._begin_records()

    def _begin_records(self) -> None:
        """Make the stack of activation records, or note its height if it is to be popped to that."""
        self._mark: Value | None = None
        if RECORD_STACK not in self._cells:
            return
        if not self._is_called:
            self._at.pointers[RECORD_STACK] = ChunkStore.new(self._f).words
        elif not _returns_frames(self._function):
            self._mark = ChunkStore(self._at.pointers[RECORD_STACK]).mark(self._f)

    def write(self) -> None:
        """Write the whole body."""
        self._blocks.write(self._function.body.block)
        for value, output in zip(returned(self._function), self._memory.outputs, strict=True):
            if self._memory.buffers[value].place != output.place:
                self._at.copy(self._memory.buffers[value], output)
        self._end()

    def _end(self) -> None:
        """Give memory back and return."""
        f = self._f
        if self._is_called:
            finish_call(f)
        f.write_stop()
        for tape in self._at.tapes.values():
            tape.release(f)
        if RECORD_STACK in self._cells:
            records = ChunkStore(self._at.pointers[RECORD_STACK])
            if self._mark is not None:
                records.reset(f, self._mark)
            elif not self._is_called:
                records.release(f)
        if self._allocated is not None:
            free(f, self._allocated, self._memory.arena_bytes)
        f.ret()
        f.module.move_last(f)
        if f.name == BODY:
            self._write_main(f.module)

    def _write_main(self, module: ModuleText) -> None:
        """Write the function that calls the body."""
        main = _begin_main(module)
        operands = [*_read(main, self._places).values(), main.arguments[1]]
        if self._mode is None:
            main.call(BODY, operands)
        else:
            with running_in(main, self._mode):
                main.call(BODY, operands)
        main.ret()
        module.move_last(main)


def _returns_frames(function: FuncOp) -> bool:
    """Return whether results are frames."""
    return any(isinstance(element_of(v), FrameType) for v in returned(function))


def _places(memory: Memory, inputs: int, cells: Sequence[MemorySlot]) -> list[MemorySlot]:
    """Return what the table of buffers that a function is given points to, in order."""
    places = [MemorySlot("input", k) for k in range(inputs)]
    places += [o.place for o in memory.outputs]
    places += [MemorySlot("constant", k) for k in range(len(memory.passed))]
    return [*places, *(place for place in cells if place != RECORD_STACK)]


def _read(f: IRBuilder, places: Sequence[MemorySlot]) -> dict[MemorySlot, Value]:
    """The addresses of places in the table."""
    table = f.arguments[0]
    return {place: f.load(f.gep(table, k, "ptr"), "ptr") for k, place in enumerate(places)}


def _begin_main(module: ModuleText) -> IRBuilder:
    parameters = [Parameter("buffers", "ptr"), Parameter("arena", "ptr", 1, "noalias")]
    return module.function("mlirad_main", parameters, linkage="", attributes="nounwind")


def _parameter(place: MemorySlot, number: int) -> Parameter:
    """The address of a place as a parameter: outputs overlap nothing, and nobody writes to the others."""
    is_read = place.region in ("input", "constant", "sizes")
    return Parameter(f"p{number}", "ptr", 1, "noalias readonly" if is_read else "noalias")
