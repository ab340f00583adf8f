"""LLVM IR of the second half of the entry: it makes objects, runs the program and returns its results.

It begins at the label `begin`, with the arena taken; see `jit/entry_text.py` for what is known there.
"""

from __future__ import annotations

from typing import Final

RESULTS: Final = """
begin:
  %arena = phi ptr [null, %take_arena], [%arena.taken, %try_arena]
  %results.bytes = mul i64 %outputs, 8
  call void @llvm.memset.p0.i64(ptr %results, i8 0, i64 %results.bytes, i1 false)
  if eq i64 %conversions, 0 then %outputs.next else %conversions.begin

; --- convert arguments that are not laid out, or not of the dtype, that the program reads ---
; This rounds to nearest, as the program does.

conversions.begin:
  %made.bytes = mul i64 %inputs, 8
  call void @llvm.memset.p0.i64(ptr %made, i8 0, i64 %made.bytes, i1 false)
  %mode = call i64 @enter_standard()
  br label %conversions.next

conversions.next:
  %v = phi i64 [0, %conversions.begin], [%v.more, %conversion.done]
  if ult i64 %v, %inputs then %conversion else %conversions.end

conversion:
  %found = load ptr, ptr %buffers[ptr %v]
  if eq ptr %found, null then %conversion.make else %conversion.done

conversion.make:
  %from = load ptr, ptr %arguments[ptr %v]
  %from.type = load ptr, ptr %from[i8 ${TYPE}]
  %from.index = mul i64 %v, ${INPUT_WORDS}
  %from.word = getelementptr i64, ptr %input.words, i64 %from.index
  %from.dtype = load ptr, ptr %from.word[i64 ${DTYPE_WORD}]
  call void ${Py_IncRef}(ptr %from.dtype)
  if eq ptr %from.type, ${ndarray} then %conversion.array else %conversion.scalar

conversion.array:
  %made.array = call ptr ${PyArray_FromArray}(ptr %from, ptr %from.dtype, i32 ${FRESH_FLAGS})
  br label %conversion.made

conversion.scalar:
  %made.scalar = call ptr ${PyArray_FromScalar}(ptr %from, ptr %from.dtype)
  br label %conversion.made

conversion.made:
  %made.new = phi ptr [%made.array, %conversion.array], [%made.scalar, %conversion.scalar]
  store ptr %made.new, ptr %made[ptr %v]
  if eq ptr %made.new, null then %conversions.fail else %conversion.data

conversion.data:
  %made.data = load ptr, ptr %made.new[i8 ${DATA}]
  store ptr %made.data, ptr %buffers[ptr %v]
  br label %conversion.done

conversion.done:
  %v.more = add i64 %v, 1
  br label %conversions.next

conversions.fail:
  call void @leave_standard(i64 %mode)
  br label %release_and_fail

conversions.end:
  call void @leave_standard(i64 %mode)
  br label %outputs.next

; --- allocate results ---

outputs.next:
  %o = phi i64 [0, %begin], [0, %conversions.end], [%o.more, %output.done]
  if ult i64 %o, %outputs then %output else %run

output:
  %output.index = mul i64 %o, ${OUTPUT_WORDS}
  %output.word = getelementptr i64, ptr %output.words, i64 %output.index
  %output.rank = load i64, ptr %output.word[i64 ${RANK_WORD}]
  %slot.index = add i64 %inputs, %o
  %slot = getelementptr i64, ptr %scalars, i64 %slot.index
  if eq i64 %destinations.any, 0 then %output.new else %output.placed

output.placed:
  %place = load ptr, ptr %destinations[ptr %o]
  %copied = load i64, ptr %output.word[i64 ${IS_COPIED}]
  %place.none = icmp eq ptr %place, null
  %copied.some = icmp ne i64 %copied, 0
  %output.is_new = or i1 %place.none, %copied.some
  br i1 %output.is_new, label %output.new, label %output.given

output.given:
  call void ${Py_IncRef}(ptr %place)
  br label %allocated

output.new:
  if eq i64 %output.rank, 0 then %output.done else %allocate

allocate:
  %output.shape = load ptr, ptr %output.word[i64 ${SHAPE_WORD}]
  %output.number64 = load i64, ptr %output.word[i64 ${DTYPE_NUMBER}]
  %output.number = trunc i64 %output.number64 to i32
  %output.rank32 = trunc i64 %output.rank to i32
  %is_large = load i64, ptr %output.word[i64 ${IS_LARGE}]
  if eq i64 %is_large, 0 then %new.made else %new.handled

new.handled:
  %usual = call ptr ${PyDataMem_SetHandler}(ptr %handler)
  if eq ptr %usual, null then %release_and_fail else %new.made

new.made:
  %handled.by = phi ptr [null, %allocate], [%usual, %new.handled]
  %new = call ptr ${PyArray_New}(
      ptr ${ndarray}, i32 %output.rank32, ptr %output.shape, i32 %output.number,
      ptr null, ptr null, i32 0, i32 0, ptr null)
  store ptr %new, ptr %results[ptr %o]
  if eq ptr %handled.by, null then %new.done else %new.restore

new.restore:
  %replaced = call ptr ${PyDataMem_SetHandler}(ptr %handled.by)
  call void ${Py_DecRef}(ptr %replaced)
  call void ${Py_DecRef}(ptr %handled.by)
  br label %new.done

new.done:
  if eq ptr %new, null then %release_and_fail else %allocated

allocated:
  %array.new = phi ptr [%new, %new.done], [%place, %output.given]
  store ptr %array.new, ptr %results[ptr %o]
  %new.data = load ptr, ptr %array.new[i8 ${DATA}]
  br label %output.done

output.done:
  %output.buffer = phi ptr [%slot, %output.new], [%new.data, %allocated]
  store ptr %output.buffer, ptr %buffers[ptr %slot.index]
  %o.more = add i64 %o, 1
  br label %outputs.next

; --- call the program ---

run:
  %borrowed.arguments = getelementptr i64, ptr %borrowed, i64 ${BORROWED_ARGUMENTS}
  store ptr %arguments, ptr %borrowed.arguments
  %borrowed.count = getelementptr i64, ptr %borrowed, i64 ${BORROWED_COUNT}
  store i64 %count, ptr %borrowed.count
  %borrowed.held = getelementptr i64, ptr %borrowed, i64 ${BORROWED_HELD}
  store i64 0, ptr %borrowed.held
  %ended = call i32 ${call}(ptr %main, ptr %buffers, ptr %arena, i64 %releases, i64 %limit, i64 %threads,
      ptr %borrowed, i64 %holds)
  br i1 %has_arena, label %release, label %after

release:
  store atomic i64 0, ptr %in_use release, align 8
  br label %after

after:
  if eq i32 %ended, 0 then %copies else %fail

; --- copy results to arguments whose memory the program could not write them to ---

copies:
  if eq i64 %destinations.any, 0 then %boxes.next else %copies.next

copies.next:
  %p = phi i64 [0, %copies], [%p.more, %copy.done]
  if ult i64 %p, %outputs then %copy else %boxes.next

copy:
  %copy.place = load ptr, ptr %destinations[ptr %p]
  %copy.result = load ptr, ptr %results[ptr %p]
  %copy.none = icmp eq ptr %copy.place, null
  %copy.same = icmp eq ptr %copy.place, %copy.result
  %copy.skipped = or i1 %copy.none, %copy.same
  br i1 %copy.skipped, label %copy.done, label %copy.made

copy.made:
  %copy.index = mul i64 %p, ${OUTPUT_WORDS}
  %copy.word = getelementptr i64, ptr %output.words, i64 %copy.index
  %copy.bytes = load i64, ptr %copy.word[i64 ${OUTPUT_BYTES}]
  %copy.from = load ptr, ptr %copy.result[i8 ${DATA}]
  %copy.to = load ptr, ptr %copy.place[i8 ${DATA}]
  call void @llvm.memcpy.p0.p0.i64(ptr %copy.to, ptr %copy.from, i64 %copy.bytes, i1 false)
  call void ${Py_IncRef}(ptr %copy.place)
  store ptr %copy.place, ptr %results[ptr %p]
  call void ${Py_DecRef}(ptr %copy.result)
  br label %copy.done

copy.done:
  %p.more = add i64 %p, 1
  br label %copies.next

; --- box results of rank 0, drop what was made of arguments, return ---

boxes.next:
  %b = phi i64 [0, %copies], [0, %copies.next], [%b.more, %box.done]
  if ult i64 %b, %outputs then %box else %finish

box:
  %box.found = load ptr, ptr %results[ptr %b]
  if ne ptr %box.found, null then %box.done else %box.make

box.make:
  %box.index = add i64 %inputs, %b
  %box.data = getelementptr i64, ptr %scalars, i64 %box.index
  %box.word.index = mul i64 %b, ${OUTPUT_WORDS}
  %box.word = getelementptr i64, ptr %output.words, i64 %box.word.index
  %box.dtype = load ptr, ptr %box.word[i64 ${DTYPE_WORD}]
  %box.new = call ptr ${PyArray_Scalar}(ptr %box.data, ptr %box.dtype, ptr null)
  store ptr %box.new, ptr %results[ptr %b]
  if eq ptr %box.new, null then %fail else %box.done

box.done:
  %b.more = add i64 %b, 1
  br label %boxes.next

finish:
  if eq i64 %conversions, 0 then %finish.results else %made.next

made.next:
  %m = phi i64 [0, %finish], [%m.more, %made.drop]
  if ult i64 %m, %inputs then %made.drop else %finish.results

made.drop:
  %made.value = load ptr, ptr %made[ptr %m]
  call void ${Py_DecRef}(ptr %made.value)
  store ptr null, ptr %made[ptr %m]
  %m.more = add i64 %m, 1
  br label %made.next

finish.results:
  if eq i64 %outputs, 1 then %finish.single else %finish.tuple

finish.single:
  %only = load ptr, ptr %results
  ret ptr %only

finish.tuple:
  %tuple = call ptr ${PyTuple_New}(i64 %outputs)
  if eq ptr %tuple, null then %fail else %items.next

items.next:
  %t = phi i64 [0, %finish.tuple], [%t.more, %item]
  if ult i64 %t, %outputs then %item else %finish.filled

item:
  %item.value = load ptr, ptr %results[ptr %t]
  %item.set = call i32 ${PyTuple_SetItem}(ptr %tuple, i64 %t, ptr %item.value)
  %t.more = add i64 %t, 1
  br label %items.next

finish.filled:
  ret ptr %tuple

; --- an error is set: drop what was made ---

release_and_fail:
  br i1 %has_arena, label %release_on_error, label %fail

release_on_error:
  store atomic i64 0, ptr %in_use release, align 8
  br label %fail

fail:
  br label %drops.next

drops.next:
  %d = phi i64 [0, %fail], [%d.more, %drop]
  if ult i64 %d, %outputs then %drop else %failed.made

drop:
  %drop.value = load ptr, ptr %results[ptr %d]
  call void ${Py_DecRef}(ptr %drop.value)
  %d.more = add i64 %d, 1
  br label %drops.next

failed.made:
  if eq i64 %conversions, 0 then %failed else %undo.next

undo.next:
  %u = phi i64 [0, %failed.made], [%u.more, %undo]
  if ult i64 %u, %inputs then %undo else %failed

undo:
  %undo.value = load ptr, ptr %made[ptr %u]
  call void ${Py_DecRef}(ptr %undo.value)
  %u.more = add i64 %u, 1
  br label %undo.next

failed:
  ret ptr null
}
"""
