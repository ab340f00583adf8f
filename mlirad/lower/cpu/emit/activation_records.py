"""Activation records: what a call keeps for the reverse sweep, on a stack that all calls of a program share.

    %frame = array.save %x, %y         8 bytes of x, 8 of y and so on, pushed on the stack
    %u, %v = array.restore %frame      the addresses of these bytes

A `!array.frame` is the address of a record, or 0 for no record. A function that returns no records pops the
stack to where it was, and the memory is reused; `mlirad_main` frees it.

A value of such a type is 0 or the address of a record that holds what the type says: when there is no more
memory, the call ends. So `restore` only checks whether the address is 0. With address checks it looks for the
record on the stack.
"""

from __future__ import annotations

from typing import Final

from mlirad.dialects.array.frames import NextRowOp, RestoreOp, SaveOp
from mlirad.lower.bodies.buffers import MemorySlot, make_buffer
from mlirad.lower.cpu.emit.addresses import ValueAddresses
from mlirad.lower.cpu.emit.chunk_store import ChunkStore, record_layout
from mlirad.lower.llvm.text import Value
from mlirad.lower.native_program import NO_FRAME, NO_ROOM, RECORD_SHIFT

RECORD_STACK: Final = MemorySlot("records", 0)
"""The place of the store that the records of a program are in."""

_NULL = Value("null", "ptr")


def write_save(at: ValueAddresses, op: SaveOp) -> None:
    """Copy the operands to a new record."""
    f, target = at.f, at.pointer(op.frame)
    offsets, size = record_layout([v.type for v in op.operands])
    if not size:
        f.store(_NULL, target)
        return
    record = ChunkStore(at.pointers[RECORD_STACK]).push(f, size)
    f.store(record, target)
    for k, (value, offset) in enumerate(zip(op.operands, offsets, strict=True)):
        place = MemorySlot("record", k)
        at.pointers[place] = f.gep(record, offset, "i8")
        at.copy(at.buffer(value), make_buffer(value.type, place))


def write_restore(at: ValueAddresses, op: RestoreOp, *, checked: bool) -> None:
    """Let the results be where the record holds them; end the call if there is no such record."""
    f = at.f
    record = f.load(at.pointer(op.frame), "ptr")
    offsets, size = record_layout([v.type for v in op.results])
    if size:
        stack = ChunkStore(at.pointers[RECORD_STACK])
        is_there = stack.holds(f, record, size) if checked else f.icmp("ne", record, _NULL)
        f.fail_if(f.not_(is_there), NO_FRAME)
    for value, offset in zip(op.results, offsets, strict=True):
        at.pointers[at.buffer(value).place] = f.gep(record, offset, "i8")


def write_next_row(at: ValueAddresses, op: NextRowOp) -> None:
    """Copy the number of rows that are in use; end the call if there are no others."""
    f = at.f
    count = f.load(at.pointer(op.count), "i64")
    f.fail_if(f.icmp("sge", count, op.room.value.data), NO_ROOM | op.record.value.data << RECORD_SHIFT)
    f.store(count, at.pointer(op.result))
