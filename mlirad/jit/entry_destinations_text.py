"""LLVM IR of the entry that finds the arrays that results are written to, before the arena is taken.

These are arrays given for it (`out`), or donated arguments whose memory a result may take. Each has to fit
its result, and must overlap no argument that is read and no other such array; any doubt goes to `general`.
What is found is left in `%destinations`, an array or null for each result.
"""

from __future__ import annotations

DESTINATIONS = """
; --- arrays that results are written to: given for it, or arguments whose memory they may take ---

destinations.begin:
  if eq i64 %destinations.any, 0 then %take_arena else %destinations.next

destinations.next:
  %n = phi i64 [0, %destinations.begin], [%n.more, %destination.done]
  if ult i64 %n, %outputs then %destination else %take_arena

destination:
  %to.index = mul i64 %n, ${OUTPUT_WORDS}
  %to.word = getelementptr i64, ptr %output.words, i64 %to.index
  %to.bytes = load i64, ptr %to.word[i64 ${OUTPUT_BYTES}]
  %donated = load i64, ptr %to.word[i64 ${DONATED_INPUT}]
  if eq i64 %given.outs, 0 then %destination.argument else %destination.given

destination.given:
  %out.index = add i64 %inputs, %n
  br label %destination.look

destination.argument:
  if eq i64 %donated, -1 then %destination.done else %destination.look

destination.look:
  %to.argument = phi i64 [%out.index, %destination.given], [%donated, %destination.argument]
  %to = load ptr, ptr %arguments[ptr %to.argument]
  %to.type = load ptr, ptr %to[i8 ${TYPE}]
  if eq ptr %to.type, ${ndarray} then %destination.array else %general

destination.array:
  %to.dtype = load ptr, ptr %to.word[i64 ${DTYPE_WORD}]
  %to.rank = load i64, ptr %to.word[i64 ${RANK_WORD}]
  %to.shape = load ptr, ptr %to.word[i64 ${SHAPE_WORD}]
  %to.fits = call i1 @mlirad_same_array(ptr %to, ptr %to.dtype, i64 %to.rank, ptr %to.shape,
      i32 ${WRITTEN_FLAGS}, i32 ${WRITTEN_FLAGS})
  br i1 %to.fits, label %destination.fits, label %general

destination.fits:
  %to.data = load ptr, ptr %to[i8 ${DATA}]
  %to.end = getelementptr i8, ptr %to.data, i64 %to.bytes
  br label %readers.next

readers.next:
  %r = phi i64 [0, %destination.fits], [%r.more, %reader.apart]
  if ult i64 %r, %inputs then %reader else %writers.next

reader:
  if eq i64 %r, %to.argument then %reader.apart else %reader.compare

reader.compare:
  %reader.data = load ptr, ptr %buffers[ptr %r]
  %reader.index = mul i64 %r, ${INPUT_WORDS}
  %reader.word = getelementptr i64, ptr %input.words, i64 %reader.index
  %reader.bytes = load i64, ptr %reader.word[i64 ${INPUT_BYTES}]
  %reader.end = getelementptr i8, ptr %reader.data, i64 %reader.bytes
  %reader.below = icmp ule ptr %reader.end, %to.data
  %reader.above = icmp ule ptr %to.end, %reader.data
  %reader.none = icmp eq ptr %reader.data, null
  %reader.outside = or i1 %reader.below, %reader.above
  %reader.is_apart = or i1 %reader.outside, %reader.none
  br i1 %reader.is_apart, label %reader.apart, label %general

reader.apart:
  %r.more = add i64 %r, 1
  br label %readers.next

writers.next:
  %w = phi i64 [0, %readers.next], [%w.more, %writer.apart]
  if ult i64 %w, %n then %writer else %destination.done

writer:
  %writer.array = load ptr, ptr %destinations[ptr %w]
  if eq ptr %writer.array, null then %writer.apart else %writer.compare

writer.compare:
  %writer.data = load ptr, ptr %writer.array[i8 ${DATA}]
  %writer.index = mul i64 %w, ${OUTPUT_WORDS}
  %writer.word = getelementptr i64, ptr %output.words, i64 %writer.index
  %writer.bytes = load i64, ptr %writer.word[i64 ${OUTPUT_BYTES}]
  %writer.end = getelementptr i8, ptr %writer.data, i64 %writer.bytes
  %writer.below = icmp ule ptr %writer.end, %to.data
  %writer.above = icmp ule ptr %to.end, %writer.data
  %writer.is_apart = or i1 %writer.below, %writer.above
  br i1 %writer.is_apart, label %writer.apart, label %general

writer.apart:
  %w.more = add i64 %w, 1
  br label %writers.next

destination.done:
  %to.array = phi ptr [null, %destination.argument], [%to, %writers.next]
  store ptr %to.array, ptr %destinations[ptr %n]
  %n.more = add i64 %n, 1
  br label %destinations.next
"""
