"""`mlirad_main`: calls of kernels, in the order of the program, with loops and branches around them.

    define void @mlirad_main(ptr %buffers, ptr %arena, ptr noalias %context) {
      ...                                        addresses of inputs, outputs and constants
      call void @k0_map(ptr ..., ptr ...)
      br label %t.body                           a loop
      ...

Kernels of a few instructions are inlined; what they hand to each other through stack slots is then in
registers. In a program with loops, `mlirad_main` does nothing but call its body with these addresses as
parameters, of which LLVM is told that they do not overlap: so what a loop reads and what it carries stays in
registers too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block

from mlirad.dialects import kernel
from mlirad.dialects.array.control import entry_types
from mlirad.dialects.array.frames import RestoreOp, SaveOp
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.kernel_plans import stated_updates
from mlirad.dialects.kernel_strips import LOWERED_CONTROL
from mlirad.dialects.shapes import Value as Ssa
from mlirad.dialects.shapes import element_of
from mlirad.ir.builder import returned
from mlirad.lower.emit.buffers import Buffer, Memory, Place
from mlirad.lower.emit.calls import begin_call, fail_and_return, finish_call, prepare_calls
from mlirad.lower.emit.control import write_control
from mlirad.lower.emit.cumulative import emit_cumulative
from mlirad.lower.emit.dot import emit_dot
from mlirad.lower.emit.elementwise import kind_of
from mlirad.lower.emit.fills import copy
from mlirad.lower.emit.frames import (
    STORE_PLACE,
    free,
    mark,
    new_store,
    reset,
    write_restore,
    write_save,
)
from mlirad.lower.emit.kernels import Emitter
from mlirad.lower.emit.nest import emit_nest
from mlirad.lower.emit.reports import emit_report
from mlirad.lower.emit.scatter import emit_scatter
from mlirad.lower.emit.sort import emit_sort
from mlirad.lower.emit.tapes import ALLOCATE, FREE, Tape
from mlirad.lower.llvm_text import IRBuilder, Kind, ModuleText, Parameter, Value, constant
from mlirad.lower.native_program import OUT_OF_MEMORY, STATUS_WORD

BODY: Final = "mlirad_body"
"""The name of the function that a program with loops consists of."""


class FunctionEmitter:
    """The text of one function, and where its buffers are: of `mlirad_main`, or of one that it calls.

    A called function has further parameters: the cells, how deep the call is, and the record of the call. It
    allocates its arena. Whatever makes a call fail, in a function or in one that it calls, it goes to its
    end at once, gives back what it owns and returns: nothing is computed from values that are not there.
    """

    def __init__(
        self,
        emitter: Emitter,
        function: FuncOp,
        memory: Memory,
        cells: Sequence[Place],
        *,
        called: bool = False,
        calls: bool = False,
    ):
        block = function.body.block
        self.emitter = emitter
        self.function = function
        self.memory = memory
        self.cells = cells
        self._is_called = called
        self.tapes: dict[Ssa, Tape] = {}
        self._frame: Value | None = None
        emitter.buffers = memory.buffers
        known: dict[Place, Value] = {}
        places = [] if called else _places(memory, len(block.args), cells)
        if called:
            parameters = [Parameter("buffers", "ptr")]
            parameters += [Parameter(f"cell{k}", "ptr") for k in range(len(cells))]
            parameters.append(Parameter("depth", "i64"))
            name = called_name(function.sym_name.data)
            self.f = emitter.module.function(name, parameters, attributes="noinline nounwind")
            known.update(zip(cells, self.f.arguments[1:-1], strict=True))
            self.depth = self.f.arguments[-1]
            begin_call(self.f, self.depth)
            self._frame = self._allocated_arena()
            self.arena = self._frame or Value("null", "ptr")
            known |= _read(self.f, _places(memory, len(block.args), ()))
        elif calls or any(isinstance(op, LOWERED_CONTROL) for op in function.walk()):
            parameters = [_parameter(place, k) for k, place in enumerate(places)]
            parameters.append(Parameter("arena", "ptr", 1, "noalias"))
            self.f = emitter.module.function(BODY, parameters, attributes="noinline nounwind")
            known.update(zip(places, self.f.arguments, strict=False))
            self.arena = self.f.arguments[-1]
        else:
            self.f = _begin_main(emitter.module)
            known |= _read(self.f, places)
            self.arena = self.f.arguments[1]
        if not called:
            self.depth = constant("i64", 0)
        if calls:
            prepare_calls(self.f)
        self._places = places
        self.pointers = _Pointers(self.f, self.arena, memory)
        self.pointers.update(known)
        self._marked: list[Value] | None = None
        if not called and STORE_PLACE in cells:
            self.pointers[STORE_PLACE] = new_store(self.f)
        elif called and STORE_PLACE in cells and not _returns_frames(function):
            self._marked = mark(self.f, self.pointers[STORE_PLACE])

    def fail_if(self, condition: Value, status: int) -> None:
        """End the call with this status where a condition holds."""
        f = self.f
        with f.conditional(condition, unlikely=True):
            f.store(constant("i64", status), f.gep(f.context, STATUS_WORD, "i64"))
            f.line(f"br label %{f.stop_label}")
            f.label(f.fresh_label("unreached"))

    def _allocated_arena(self) -> Value | None:
        f = self.f
        if not self.memory.arena_bytes:
            return None
        f.module.external(ALLOCATE, "ptr", ["i64"], "nounwind")
        arena = f.call(ALLOCATE, [constant("i64", self.memory.arena_bytes)], "ptr")
        assert arena is not None
        fail_and_return(f, f.icmp("eq", arena, Value("null", "ptr")), OUT_OF_MEMORY)
        return arena

    def write(self) -> None:
        """Write the whole body."""
        self.write_block(self.function.body.block)
        for value, output in zip(returned(self.function), self.memory.outputs, strict=True):
            if self.memory.buffers[value].place != output.place:
                self.copy(self.memory.buffers[value], output)
        self.end()

    def _write_call(self, op: CallOp) -> None:
        """Pass the addresses of operands and results in a table, one for both where one is overwritten."""
        f = self.f
        operands = [self.pointer(v) for v in op.operands]
        results = [self.pointer(v) for v in op.results]
        for k, j in stated_updates(op).items():
            self.copy(self.buffer(op.operands[j]), self.buffer(op.results[k]))
            operands[j] = results[k]
        pointers = [*operands, *results]
        table = f.alloca("ptr", max(1, len(pointers)), 8)
        for k, pointer in enumerate(pointers):
            f.store(pointer, f.gep(table, k, "ptr"))
        cells = [self.pointers[place] for place in self.cells]
        f.call_stopping(
            called_name(op.callee.root_reference.data), [table, *cells, f.add(self.depth, 1), f.context]
        )

    def write_block(self, block: Block) -> None:
        """Write what the ops of a block do."""
        for op in block.ops:
            before = len(self.emitter.calls)
            match op:
                case kernel.NestOp():
                    emit_nest(self.emitter, op)
                case kernel.ScatterOp():
                    emit_scatter(self.emitter, op)
                case kernel.DotOp():
                    emit_dot(self.emitter, op)
                case kernel.CumulativeOp():
                    emit_cumulative(self.emitter, op)
                case kernel.SortOp():
                    emit_sort(self.emitter, op)
                case kernel.ReportOp():
                    emit_report(self.emitter, op)
                case CallOp():
                    self._write_call(op)
                    continue
                case SaveOp():
                    write_save(self, op)
                    continue
                case RestoreOp():
                    write_restore(self, op)
                    continue
                case _ if isinstance(op, LOWERED_CONTROL):
                    write_control(self, op)
                    continue
                case _:
                    continue
            for result in op.results:
                self._reserve(result)
            for name, places in self.emitter.calls[before:]:
                self.f.call(name, [self.pointers[p] for p in places])

    def buffer(self, value: Ssa) -> Buffer:
        """The buffer of a value."""
        return self.memory.buffers[value]

    def pointer(self, value: Ssa) -> Value:
        """The address of a value."""
        return self.pointers[self._reserve(value).place]

    def _reserve(self, value: Ssa) -> Buffer:
        """The buffer of a value, with a stack slot if it is a scalar that has no other place."""
        buffer = self.buffer(value)
        if buffer.place.region == "local" and buffer.place not in self.pointers:
            self.pointers[buffer.place] = self.slot(buffer.kind)
        return buffer

    def tape(self, value: Ssa) -> Tape:
        """The tape that a value is."""
        known = self.tapes.get(value)
        if known is None:
            known = self.tapes[value] = Tape.of(self.f, entry_types(value))
        return known

    def end(self) -> None:
        """Give memory back and return."""
        if self._is_called:
            finish_call(self.f)
        self.f.write_stop()
        for tape in self.tapes.values():
            tape.free(self.f)
        if self._marked is not None:
            reset(self.f, self.pointers[STORE_PLACE], self._marked)
        elif not self._is_called and STORE_PLACE in self.cells:
            free(self.f, self.pointers[STORE_PLACE])
        if self._frame is not None:
            self.f.module.external(FREE, "void", ["ptr"], "nounwind")
            self.f.call(FREE, [self._frame])
        self.f.ret()
        if self.f.name == BODY:
            self.f.module.move_last(self.f)
            main = _begin_main(self.f.module)
            main.call(BODY, [*_read(main, self._places).values(), main.arguments[1]])
            main.ret()
            self.f = main
        self.f.module.move_last(self.f)

    def slot(self, kind: Kind) -> Value:
        """A stack slot for a scalar."""
        return self.f.alloca("i8" if kind == "i1" else kind, 1, 8)

    def copy(self, source: Buffer, target: Buffer) -> None:
        """Copy one buffer to another, scalars through a register."""
        if source.size == 1 and source.place != target.place:
            f, kind = self.f, source.kind
            f.store(f.load(self.pointers[source.place], kind), self.pointers[target.place])
        else:
            copy(self.f, self.pointers, source, target)


def _returns_frames(function: FuncOp) -> bool:
    """Whether results are frames."""
    return any(isinstance(element_of(v), FrameType) for v in returned(function))


def called_name(name: str) -> str:
    """The name of the LLVM function of a called function."""
    return "mlirad_call_" + re.sub(r"[^A-Za-z0-9_]", lambda m: f".{ord(m[0])}.", name)


def _places(memory: Memory, inputs: int, cells: Sequence[Place]) -> list[Place]:
    """What the table of buffers that a function is given points to, in order."""
    places = [Place("input", k) for k in range(inputs)]
    places += [o.place for o in memory.outputs]
    places += [Place("constant", k) for k in range(len(memory.passed))]
    return [*places, *(place for place in cells if place != STORE_PLACE)]


def _read(f: IRBuilder, places: Sequence[Place]) -> dict[Place, Value]:
    """The addresses of places in the table."""
    table = f.arguments[0]
    return {place: f.load(f.gep(table, k, "ptr"), "ptr") for k, place in enumerate(places)}


def _begin_main(module: ModuleText) -> IRBuilder:
    parameters = [Parameter("buffers", "ptr"), Parameter("arena", "ptr", 1, "noalias")]
    return module.function("mlirad_main", parameters, linkage="", attributes="nounwind")


def _parameter(place: Place, number: int) -> Parameter:
    """The address of a place as a parameter: outputs overlap nothing, and nobody writes to the others."""
    is_read = place.region in ("input", "constant")
    return Parameter(f"p{number}", "ptr", 1, "noalias readonly" if is_read else "noalias")


class _Pointers(dict[Place, Value]):
    """The address of each place; those in the arena, and of literals, are made when they are asked for."""

    def __init__(self, f: IRBuilder, arena: Value, memory: Memory):
        super().__init__()
        self._f = f
        self._arena = arena
        self._literals = memory.literals

    def __missing__(self, place: Place) -> Value:
        match place.region:
            case "arena":
                return self._f.gep(self._arena, place.number, "i8")
            case "literal":
                op = self._literals[place.number]
                kind = kind_of(op.result)
                numbers = literal_array(op).ravel().tolist() or [0]
                return self._f.module.table("i8" if kind == "i1" else kind, numbers)
            case _:
                raise KeyError(place)
