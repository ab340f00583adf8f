"""`mlirad_main`: calls of kernels, in the order of the program, with loops and branches around them.

    define void @mlirad_main(ptr %buffers, ptr %arena) {
      ...                                        addresses of inputs, outputs and constants
      call void @k0_map(ptr ..., ptr ...)
      br label %t.body                           a loop
      ...

Kernels of a few instructions are inlined; what they hand to each other through stack slots is then in
registers.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block

from mlirad.dialects import kernel
from mlirad.dialects.array.control import CONTROL_OPS, entry_types
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.shapes import Value as Ssa
from mlirad.dialects.shapes import element_of
from mlirad.lower.emit.buffers import Buffer, Memory, Place
from mlirad.lower.emit.control import write_control
from mlirad.lower.emit.cumulative import emit_cumulative
from mlirad.lower.emit.dot import emit_dot
from mlirad.lower.emit.elementwise import KINDS
from mlirad.lower.emit.fills import copy
from mlirad.lower.emit.kernels import Emitter
from mlirad.lower.emit.nest import emit_nest
from mlirad.lower.emit.scatter import emit_scatter
from mlirad.lower.emit.sort import emit_sort
from mlirad.lower.emit.tapes import Tape
from mlirad.lower.llvm_text import FunctionText, Kind, Parameter, Value


class MainText:
    """The text of `mlirad_main`, and where the buffers of the program are."""

    def __init__(self, emitter: Emitter, memory: Memory, inputs: int, cells: Sequence[Place]):
        """`cells` are the places of constants after those that are passed."""
        parameters = [Parameter("buffers", "ptr"), Parameter("arena", "ptr", 1, "noalias")]
        self.f = emitter.module.function("mlirad_main", parameters, linkage="", attributes="nounwind")
        self.emitter = emitter
        self.memory = memory
        self.tapes: dict[Ssa, Tape] = {}
        self.pointers = _Pointers(self.f, memory, inputs, cells)

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
                case _ if isinstance(op, CONTROL_OPS):
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
        for tape in self.tapes.values():
            tape.free(self.f)
        self.f.ret()
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


class _Pointers(dict[Place, Value]):
    """The address of each place. Those of inputs, outputs and constants are read at the start."""

    def __init__(self, f: FunctionText, memory: Memory, inputs: int, cells: Sequence[Place]):
        super().__init__()
        self._f = f
        self._literals = memory.literals
        places = [Place("input", k) for k in range(inputs)]
        places += [o.place for o in memory.outputs]
        places += [Place("constant", k) for k in range(len(memory.passed))]
        places += cells
        table = f.arguments[0]
        for k, place in enumerate(places):
            self[place] = f.load(f.gep(table, k, "ptr"), "ptr")

    def __missing__(self, place: Place) -> Value:
        match place.region:
            case "arena":
                return self._f.gep(self._f.arguments[1], place.number, "i8")
            case "literal":
                op = self._literals[place.number]
                kind = KINDS[element_of(op.result)]
                numbers = literal_array(op).ravel().tolist() or [0]
                return self._f.module.table("i8" if kind == "i1" else kind, numbers)
            case _:
                raise KeyError(place)
