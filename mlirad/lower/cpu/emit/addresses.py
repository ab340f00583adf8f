"""Addresses of the values of a running function, by slot.

at = ValueAddresses(f, arena, memory, {MemorySlot("input", 0): x})
f.load(at.pointer(value), "double")
"""

from __future__ import annotations

from collections.abc import Mapping

from mlirad.dialects.array.control import entry_types
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value as Ssa
from mlirad.lower.bodies.buffers import Buffer, Memory, MemorySlot
from mlirad.lower.bodies.elementwise import kind_of
from mlirad.lower.cpu.emit.fills import copy
from mlirad.lower.cpu.emit.tapes import Tape
from mlirad.lower.llvm.text import IRBuilder, Kind, Operand, Value
from mlirad.lower.native_program import BUFFER_ALIGNMENT


class ValueAddresses:
    """The addresses of the places of one function, and its tapes.

    Those in the arena, of literals and of scalars on the stack are made when they are asked for; `known` are
    the others.
    """

    def __init__(self, f: IRBuilder, arena: Value, memory: Memory, known: Mapping[MemorySlot, Value]):
        self.f = f
        self.arena = arena
        self.memory = memory
        self.pointers = _Pointers(f, arena, memory)
        self.pointers.update(known)
        self.tapes: dict[Ssa, Tape] = {}

    def buffer(self, value: Ssa) -> Buffer:
        """The buffer of a value."""
        return self.memory.buffers[value]

    def pointer(self, value: Ssa) -> Value:
        """The address of a value; a scalar that has no other place gets a stack slot."""
        buffer = self.buffer(value)
        if buffer.place.region == "local" and buffer.place not in self.pointers:
            self.pointers[buffer.place] = self.slot(buffer.kind)
        return self.pointers[buffer.place]

    def tape(self, value: Ssa) -> Tape:
        """The tape that a value is."""
        known = self.tapes.get(value)
        if known is None:
            known = self.tapes[value] = Tape.of(self.f, entry_types(value))
        return known

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


class _Pointers(dict[MemorySlot, Value]):
    """The address of each place; those in the arena, and of literals, are made when they are asked for."""

    def __init__(self, f: IRBuilder, arena: Value, memory: Memory):
        super().__init__()
        self._f = f
        self._arena = arena
        self._literals = memory.literals

    def __missing__(self, place: MemorySlot) -> Value:
        match place.region:
            case "arena":
                return in_arena(self._f, self._arena, place.number)
            case "literal":
                op = self._literals[place.number]
                kind = kind_of(op.result)
                numbers = literal_array(op).ravel().tolist() or [0]
                return self._f.module.table("i8" if kind == "i1" else kind, numbers)
            case _:
                raise KeyError(place)


def in_arena(f: IRBuilder, arena: Value, offset: int) -> Value:
    """An address in the arena."""
    return f.gep(arena, aligned_offset(f, offset), "i8")


def aligned_offset(f: IRBuilder, offset: int) -> Operand:
    """An offset of the arena; one with sizes in it is rounded up to the alignment."""
    if is_static(offset):
        return offset
    return f.and_(f.add(f.value(offset, "i64"), BUFFER_ALIGNMENT - 1), -BUFFER_ALIGNMENT)
