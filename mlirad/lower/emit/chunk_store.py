"""The memory that a program takes while it runs: records one after the other, in chunks that never move.

    store    the chunk in use, the next free byte in it, its end, the first chunk
    chunk    the chunk before, the chunk after, its end, where its last record ended; from byte 32 on, records

An empty store is four null pointers. A record is its address, which stays valid until the store is released,
so kernels write to it in place. Each chunk is at least twice as large as the one before; one that was left
stays linked and is used again after the store was cleared or reset. The tapes of loops and the activation
records of calls are kept in such stores:

    store = ChunkStore.new(f)
    record = store.push(f, 24)         # the address of 24 bytes; ends the call when there is no more memory
    ...
    store.release(f)

The functions below are the whole of it. Those that run for every record are inlined and touch the store by
loads and stores alone, so the words of a store on the stack are in registers; what is called out of line
takes and returns the words by value for the same reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.ir import Attribute

from mlirad.lower.emit.buffers import Place, make_buffer
from mlirad.lower.llvm_text import IRBuilder, Kind, Value, constant
from mlirad.lower.native_program import OUT_OF_MEMORY

ALLOCATE: Final = "mlirad_rt_malloc"
FREE: Final = "mlirad_rt_free"

FIRST_CHUNK_BYTES: Final = 4096
"""The size of the first chunk, unless a record needs more."""

_NULL = Value("null", "ptr")


def allocate(f: IRBuilder, size: int) -> Value:
    """The address of so many new bytes, null if there are none."""
    f.module.external(ALLOCATE, "ptr", ["i64"], "nounwind")
    address = f.call(ALLOCATE, [constant("i64", size)], "ptr")
    assert address is not None
    return address


def free(f: IRBuilder, address: Value) -> None:
    """Give back what was allocated at an address."""
    f.module.external(FREE, "void", ["ptr"], "nounwind")
    f.call(FREE, [address])


def record_layout(types: Sequence[Attribute]) -> tuple[list[int], int]:
    """Where the values of a record lie, and its size; each begins at a multiple of 8 bytes."""
    offsets: list[int] = []
    size = 0
    for type_ in types:
        offsets.append(size)
        size += -(-make_buffer(type_, Place("record", 0)).nbytes // 8) * 8
    return offsets, size


@dataclass(frozen=True)
class ChunkStore:
    """A store, by the address of its four words."""

    words: Value

    @staticmethod
    def new(f: IRBuilder) -> ChunkStore:
        """A store on the stack, empty when the function begins."""
        return ChunkStore(f.alloca("ptr", 4, 8, initial=_NULL))

    def push(self, f: IRBuilder, size: int) -> Value:
        """The address of a new record; ends the call if there is no memory for it."""
        bytes_ = constant("i64", size)
        is_full = _give(f, "is_full", [self.words, bytes_], "i1")
        with f.conditional(is_full, unlikely=True):
            _run(f, "grow", [self.words, bytes_])
            f.fail_if(_give(f, "is_full", [self.words, bytes_], "i1"), OUT_OF_MEMORY)
        return _give(f, "push", [self.words, bytes_], "ptr")

    def holds(self, f: IRBuilder, record: Value, size: int) -> Value:
        """Whether so many bytes from an address on lie in records of one chunk."""
        return _give(f, "holds", [self.words, record, constant("i64", size)], "i1")

    def mark(self, f: IRBuilder) -> Value:
        """The address of a note of what records there are."""
        mark = f.alloca("ptr", 3, 8)
        _run(f, "mark", [self.words, mark])
        return mark

    def reset(self, f: IRBuilder, mark: Value) -> None:
        """Forget all records pushed after the mark, and keep their memory."""
        _run(f, "reset", [self.words, mark])

    def clear(self, f: IRBuilder) -> None:
        """Forget all records, and keep their memory."""
        _run(f, "clear", [self.words])

    def release(self, f: IRBuilder) -> None:
        """Give all memory back."""
        _run(f, "release", [self.words])


class Cursor:
    """A walk over the records of a store, all of one size: from the first or, `reverse`, the last."""

    def __init__(self, f: IRBuilder, store: ChunkStore, size: int, *, reverse: bool):
        self._f = f
        self._size = constant("i64", size)
        self._step = "back" if reverse else "next"
        self._words = f.alloca("ptr", 2, 8)
        _run(f, "last" if reverse else "first", [store.words, self._words])

    def move(self) -> Value:
        """The address of the next record, of which there must be one."""
        return _give(self._f, self._step, [self._words, self._size], "ptr")


def _run(f: IRBuilder, name: str, operands: Sequence[Value]) -> None:
    _define(f)
    f.call(f"mlirad_store_{name}", operands)


def _give(f: IRBuilder, name: str, operands: Sequence[Value], kind: Kind) -> Value:
    _define(f)
    result = f.call(f"mlirad_store_{name}", operands, kind)
    assert result is not None
    return result


def _define(f: IRBuilder) -> None:
    f.module.external(ALLOCATE, "ptr", ["i64"], "nounwind")
    f.module.external(FREE, "void", ["ptr"], "nounwind")
    f.module.add_text(_TEXT)


_TEXT: Final = """
%mlirad.store = type { ptr, ptr, ptr, ptr }
%mlirad.chunk = type { ptr, ptr, ptr, ptr }

; Whether another chunk is needed for a record of so many bytes.
define internal i1 @mlirad_store_is_full(ptr %store, i64 %size) alwaysinline nounwind {
  %top.at = getelementptr %mlirad.store, ptr %store, i64 0, i32 1
  %top = load ptr, ptr %top.at
  %end.at = getelementptr %mlirad.store, ptr %store, i64 0, i32 2
  %end = load ptr, ptr %end.at
  %after = getelementptr i8, ptr %top, i64 %size
  %is_full = icmp ugt ptr %after, %end
  ret i1 %is_full
}

; The address of a new record, for which there must be room in the chunk in use.
define internal ptr @mlirad_store_push(ptr %store, i64 %size) alwaysinline nounwind {
  %top.at = getelementptr %mlirad.store, ptr %store, i64 0, i32 1
  %top = load ptr, ptr %top.at
  %after = getelementptr i8, ptr %top, i64 %size
  store ptr %after, ptr %top.at
  ret ptr %top
}

; Go on to a chunk with room for a record of so many bytes; if there is no memory for one, change nothing.
define internal void @mlirad_store_grow(ptr %store, i64 %size) alwaysinline nounwind {
  %old = load %mlirad.store, ptr %store
  %new = call %mlirad.store @mlirad_store_grown(%mlirad.store %old, i64 %size)
  store %mlirad.store %new, ptr %store
  ret void
}

define internal %mlirad.store @mlirad_store_grown(%mlirad.store %store, i64 %size) noinline cold nounwind {
entry:
  %chunk = extractvalue %mlirad.store %store, 0
  %top = extractvalue %mlirad.store %store, 1
  %end = extractvalue %mlirad.store %store, 2
  %first = extractvalue %mlirad.store %store, 3
  %is_start = icmp eq ptr %chunk, null
  br i1 %is_start, label %choose, label %leave

leave:
  %filled.at = getelementptr %mlirad.chunk, ptr %chunk, i64 0, i32 3
  store ptr %top, ptr %filled.at
  %next.at = getelementptr %mlirad.chunk, ptr %chunk, i64 0, i32 1
  %next = load ptr, ptr %next.at
  %chunk.number = ptrtoint ptr %chunk to i64
  %end.number = ptrtoint ptr %end to i64
  %bytes = sub i64 %end.number, %chunk.number
  %twice = shl i64 %bytes, 1
  br label %choose

choose:
  %following = phi ptr [%first, %entry], [%next, %leave]
  %least = phi i64 [${FIRST_CHUNK_BYTES}, %entry], [%twice, %leave]
  %is_last = icmp eq ptr %following, null
  br i1 %is_last, label %allocate, label %measure

measure:
  %following.end.at = getelementptr %mlirad.chunk, ptr %following, i64 0, i32 2
  %following.end = load ptr, ptr %following.end.at
  %following.start = getelementptr %mlirad.chunk, ptr %following, i64 1
  %following.after = getelementptr i8, ptr %following.start, i64 %size
  %is_enough = icmp ule ptr %following.after, %following.end
  br i1 %is_enough, label %enter, label %allocate

allocate:
  %two = shl i64 %size, 1
  %needed = add i64 %two, 32
  %is_more = icmp ugt i64 %needed, %least
  %capacity = select i1 %is_more, i64 %needed, i64 %least
  %new = call ptr @mlirad_rt_malloc(i64 %capacity)
  %is_none = icmp eq ptr %new, null
  br i1 %is_none, label %unchanged, label %link

unchanged:
  ret %mlirad.store %store

link:
  %new.end = getelementptr i8, ptr %new, i64 %capacity
  %links.0 = insertvalue %mlirad.chunk zeroinitializer, ptr %chunk, 0
  %links.1 = insertvalue %mlirad.chunk %links.0, ptr %following, 1
  %links.2 = insertvalue %mlirad.chunk %links.1, ptr %new.end, 2
  store %mlirad.chunk %links.2, ptr %new
  br i1 %is_last, label %link.before, label %link.after

link.after:
  store ptr %new, ptr %following
  br label %link.before

link.before:
  br i1 %is_start, label %enter, label %link.next

link.next:
  %link.at = getelementptr %mlirad.chunk, ptr %chunk, i64 0, i32 1
  store ptr %new, ptr %link.at
  br label %enter

enter:
  %entered = phi ptr [%following, %measure], [%new, %link.before], [%new, %link.next]
  %entered.end = phi ptr [%following.end, %measure], [%new.end, %link.before], [%new.end, %link.next]
  %entered.first = phi ptr [%first, %measure], [%new, %link.before], [%first, %link.next]
  %entered.top = getelementptr %mlirad.chunk, ptr %entered, i64 1
  %words.0 = insertvalue %mlirad.store zeroinitializer, ptr %entered, 0
  %words.1 = insertvalue %mlirad.store %words.0, ptr %entered.top, 1
  %words.2 = insertvalue %mlirad.store %words.1, ptr %entered.end, 2
  %words.3 = insertvalue %mlirad.store %words.2, ptr %entered.first, 3
  ret %mlirad.store %words.3
}

; A mark is all of a store but its first chunk.
define internal void @mlirad_store_mark(ptr %store, ptr %mark) alwaysinline nounwind {
  %words = load { ptr, ptr, ptr }, ptr %store
  store { ptr, ptr, ptr } %words, ptr %mark
  ret void
}

define internal void @mlirad_store_reset(ptr %store, ptr %mark) alwaysinline nounwind {
  %words = load { ptr, ptr, ptr }, ptr %mark
  store { ptr, ptr, ptr } %words, ptr %store
  ret void
}

define internal void @mlirad_store_clear(ptr %store) alwaysinline nounwind {
  store { ptr, ptr, ptr } zeroinitializer, ptr %store
  ret void
}

define internal void @mlirad_store_release(ptr %store) alwaysinline nounwind {
  %first.at = getelementptr %mlirad.store, ptr %store, i64 0, i32 3
  %first = load ptr, ptr %first.at
  call void @mlirad_store_free(ptr %first)
  ret void
}

define internal void @mlirad_store_free(ptr %first) noinline nounwind {
entry:
  br label %next

next:
  %chunk = phi ptr [%first, %entry], [%following, %release]
  %is_end = icmp eq ptr %chunk, null
  br i1 %is_end, label %done, label %release

release:
  %following.at = getelementptr %mlirad.chunk, ptr %chunk, i64 0, i32 1
  %following = load ptr, ptr %following.at
  call void @mlirad_rt_free(ptr %chunk)
  br label %next

done:
  ret void
}

; Whether so many bytes from an address on lie in records of one chunk, up to the chunk in use.
define internal i1 @mlirad_store_holds(ptr %store, ptr %record, i64 %size) noinline nounwind {
entry:
  %words = load %mlirad.store, ptr %store
  %last = extractvalue %mlirad.store %words, 0
  %top = extractvalue %mlirad.store %words, 1
  %first = extractvalue %mlirad.store %words, 3
  %is_empty = icmp eq ptr %last, null
  br i1 %is_empty, label %outside, label %look

look:
  %chunk = phi ptr [%first, %entry], [%following, %go_on]
  %is_last = icmp eq ptr %chunk, %last
  %filled.at = getelementptr %mlirad.chunk, ptr %chunk, i64 0, i32 3
  %filled = load ptr, ptr %filled.at
  %end = select i1 %is_last, ptr %top, ptr %filled
  %start = getelementptr %mlirad.chunk, ptr %chunk, i64 1
  %is_after = icmp uge ptr %record, %start
  %is_before = icmp ule ptr %record, %end
  %is_between = and i1 %is_after, %is_before
  %end.number = ptrtoint ptr %end to i64
  %record.number = ptrtoint ptr %record to i64
  %room = sub i64 %end.number, %record.number
  %is_enough = icmp uge i64 %room, %size
  %is_inside = and i1 %is_between, %is_enough
  br i1 %is_inside, label %inside, label %go_on

go_on:
  %following.at = getelementptr %mlirad.chunk, ptr %chunk, i64 0, i32 1
  %following = load ptr, ptr %following.at
  br i1 %is_last, label %outside, label %look

inside:
  ret i1 true

outside:
  ret i1 false
}

; A cursor is a chunk and an address in it: of the next record, or where the record before it ends.
define internal void @mlirad_store_first(ptr %store, ptr %cursor) alwaysinline nounwind {
  %first.at = getelementptr %mlirad.store, ptr %store, i64 0, i32 3
  %first = load ptr, ptr %first.at
  store ptr %first, ptr %cursor
  %record = getelementptr %mlirad.chunk, ptr %first, i64 1
  %record.at = getelementptr ptr, ptr %cursor, i64 1
  store ptr %record, ptr %record.at
  ret void
}

define internal void @mlirad_store_last(ptr %store, ptr %cursor) alwaysinline nounwind {
  %words = load { ptr, ptr }, ptr %store
  store { ptr, ptr } %words, ptr %cursor
  ret void
}

define internal ptr @mlirad_store_next(ptr %cursor, i64 %size) alwaysinline nounwind {
entry:
  %chunk = load ptr, ptr %cursor
  %record.at = getelementptr ptr, ptr %cursor, i64 1
  %record = load ptr, ptr %record.at
  %end.at = getelementptr %mlirad.chunk, ptr %chunk, i64 0, i32 2
  %end = load ptr, ptr %end.at
  %after = getelementptr i8, ptr %record, i64 %size
  %is_past = icmp ugt ptr %after, %end
  br i1 %is_past, label %following, label %found, !prof !{!"branch_weights", i32 1, i32 10000}

following:
  %next.at = getelementptr %mlirad.chunk, ptr %chunk, i64 0, i32 1
  %next = load ptr, ptr %next.at
  store ptr %next, ptr %cursor
  %start = getelementptr %mlirad.chunk, ptr %next, i64 1
  br label %found

found:
  %here = phi ptr [%record, %entry], [%start, %following]
  %there = getelementptr i8, ptr %here, i64 %size
  store ptr %there, ptr %record.at
  ret ptr %here
}

define internal ptr @mlirad_store_back(ptr %cursor, i64 %size) alwaysinline nounwind {
entry:
  %chunk = load ptr, ptr %cursor
  %end.at = getelementptr ptr, ptr %cursor, i64 1
  %end = load ptr, ptr %end.at
  %start = getelementptr %mlirad.chunk, ptr %chunk, i64 1
  %is_start = icmp eq ptr %end, %start
  br i1 %is_start, label %before, label %found, !prof !{!"branch_weights", i32 1, i32 10000}

before:
  %previous = load ptr, ptr %chunk
  store ptr %previous, ptr %cursor
  %filled.at = getelementptr %mlirad.chunk, ptr %previous, i64 0, i32 3
  %filled = load ptr, ptr %filled.at
  br label %found

found:
  %after = phi ptr [%end, %entry], [%filled, %before]
  %back = sub i64 0, %size
  %here = getelementptr i8, ptr %after, i64 %back
  store ptr %here, ptr %end.at
  ret ptr %here
}
""".replace("${FIRST_CHUNK_BYTES}", str(FIRST_CHUNK_BYTES))
