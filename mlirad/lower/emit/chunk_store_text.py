"""LLVM IR of the chunk store; `chunk_store.py` says what it is for.

    store    the chunk in use, the next free byte in it, its end, the first chunk
    chunk    the chunk before, the chunk after, its end, where its last record ended; from byte 32 on, records

Functions that run for every record are inlined and touch the store only by loads and stores, so the words of
a store on the stack are in registers; for the same reason functions that are called out of line take and
return the words by value.
"""

from __future__ import annotations

from typing import Final

ALLOCATE: Final = "mlirad_rt_malloc"
FREE: Final = "mlirad_rt_free"

FIRST_CHUNK_BYTES: Final = 4096
"""The size of the first chunk, unless a record needs more."""

CHUNK_STORE: Final = """
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
