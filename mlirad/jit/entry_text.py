"""LLVM IR of the entry that all compiled programs share; `jit/entry.py` says what it does and reads.

The invariant of the text: until label `begin` nothing is owned, so any doubt goes to `general`; from there on
an error goes to `fail`, with every result made so far in `%results` and the arena released.
"""

from __future__ import annotations

from mlirad.jit import object_layout as layout
from mlirad.jit.guards_text import guards_text, same_array
from mlirad.jit.host import host_address
from mlirad.jit.host_text import CALL
from mlirad.jit.templates import constants, filled, pointer, python_functions

ENTRY_FUNCTION = "mlirad_entry"


def entry_text() -> str:
    """The text of `PyObject *mlirad_entry(PyObject *table, PyObject *const *arguments, Py_ssize_t count)`.

    It comes with the functions of `guards_text`.
    """
    functions = (
        "PyCapsule_GetPointer",
        "PyObject_Vectorcall",
        "PyLong_AsLongLong",
        "PyErr_Occurred",
        "PyErr_Clear",
        "PyTuple_New",
        "PyTuple_SetItem",
        "Py_DecRef",
    )
    readable = layout.READABLE_FLAGS
    values: dict[str, object] = {
        "same array": same_array("%argument", str(readable), readable, "same", "general"),
        "PyArray_New": pointer(layout.numpy_function("PyArray_New")),
        "PyArray_Scalar": pointer(layout.numpy_function("PyArray_Scalar")),
        "call": pointer(host_address(CALL)),
        "ndarray": pointer(id_of_ndarray()),
        "float": pointer(id(float)),
    }
    values |= constants(layout) | python_functions(functions)
    return guards_text() + filled(_TEXT, values)


def id_of_ndarray() -> int:
    """The address of the type `numpy.ndarray`."""
    return layout.numpy_function("PyArray_Type")


_TEXT = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define ptr @mlirad_entry(ptr %self, ptr %arguments, i64 %count) {
entry:
  %table = call ptr ${PyCapsule_GetPointer}(ptr %self, ptr null)
  %main = load ptr, ptr %table
  %arena = load ptr, ptr %table[i64 1]
  %in_use = getelementptr i64, ptr %table, i64 2
  %inputs = load i64, ptr %table[i64 3]
  %outputs = load i64, ptr %table[i64 4]
  %constants = load i64, ptr %table[i64 5]
  %releases = load i64, ptr %table[i64 7]
  %limit = load i64, ptr %table[i64 8]
  %guards = load ptr, ptr %table[i64 9]
  %guards.count = load i64, ptr %table[i64 10]
  %input.words = getelementptr i64, ptr %table, i64 11
  %input.size = mul i64 %inputs, 5
  %output.words = getelementptr i64, ptr %input.words, i64 %input.size
  %output.size = mul i64 %outputs, 4
  %constant.words = getelementptr i64, ptr %output.words, i64 %output.size
  if eq i64 %count, %inputs then %guards.check else %general

guards.check:
  %guards.hold = call i1 @mlirad_guards(ptr %guards, i64 %guards.count)
  br i1 %guards.hold, label %stack, label %general

stack:
  %results.end = add i64 %inputs, %outputs
  %buffers.count = add i64 %results.end, %constants
  %buffers = alloca ptr, i64 %buffers.count
  %scalars = alloca i64, i64 %results.end
  %results = alloca ptr, i64 %outputs
  br label %inputs.next

; --- compare each argument with its description ---

inputs.next:
  %i = phi i64 [0, %stack], [%i.more, %input.done]
  if ult i64 %i, %inputs then %input else %constants.next

input:
  %word.index = mul i64 %i, 5
  %word = getelementptr i64, ptr %input.words, i64 %word.index
  %dtype.wanted = load ptr, ptr %word
  %rank.wanted = load i64, ptr %word[i64 1]
  %argument = load ptr, ptr %arguments[ptr %i]
  %type = load ptr, ptr %argument[i8 ${TYPE}]
  if eq ptr %type, ${ndarray} then %array else %scalar

array:
  %shape.wanted = load ptr, ptr %word[i64 2]
${same array}

same:
  %data = load ptr, ptr %argument[i8 ${DATA}]
  br label %input.done

scalar:
  %numpy_type = load ptr, ptr %word[i64 3]
  %is_numpy = icmp eq ptr %type, %numpy_type
  %value.at = getelementptr i8, ptr %argument, i64 ${VALUE}
  br i1 %is_numpy, label %input.done, label %python_scalar

python_scalar:
  %python_type = load ptr, ptr %word[i64 4]
  if eq ptr %type, %python_type then %float_or_int else %general

float_or_int:
  if eq ptr %type, ${float} then %input.done else %int

int:
  %int.value = call i64 ${PyLong_AsLongLong}(ptr %argument)
  %int.at = getelementptr i64, ptr %scalars, i64 %i
  store i64 %int.value, ptr %int.at
  if eq i64 %int.value, -1 then %int.check else %input.done

int.check:
  %int.error = call ptr ${PyErr_Occurred}()
  if eq ptr %int.error, null then %input.done else %int.too_large

int.too_large:
  call void ${PyErr_Clear}()
  br label %general

input.done:
  %buffer = phi ptr [%data, %same],
                    [%value.at, %scalar], [%value.at, %float_or_int],
                    [%int.at, %int], [%int.at, %int.check]
  store ptr %buffer, ptr %buffers[ptr %i]
  %i.more = add i64 %i, 1
  br label %inputs.next

constants.next:
  %c = phi i64 [0, %inputs.next], [%c.more, %constant]
  if ult i64 %c, %constants then %constant else %take_arena

constant:
  %constant.data = load ptr, ptr %constant.words[ptr %c]
  %constant.index = add i64 %results.end, %c
  store ptr %constant.data, ptr %buffers[ptr %constant.index]
  %c.more = add i64 %c, 1
  br label %constants.next

; --- take the arena, allocate results ---

take_arena:
  %has_arena = icmp ne ptr %arena, null
  br i1 %has_arena, label %try_arena, label %begin

try_arena:
  %exchange = cmpxchg ptr %in_use, i64 0, i64 1 acquire monotonic
  %taken = extractvalue {i64, i1} %exchange, 1
  br i1 %taken, label %begin, label %general

begin:
  %results.bytes = mul i64 %outputs, 8
  call void @llvm.memset.p0.i64(ptr %results, i8 0, i64 %results.bytes, i1 false)
  br label %outputs.next

outputs.next:
  %o = phi i64 [0, %begin], [%o.more, %output.done]
  if ult i64 %o, %outputs then %output else %run

output:
  %output.index = mul i64 %o, 4
  %output.word = getelementptr i64, ptr %output.words, i64 %output.index
  %output.rank = load i64, ptr %output.word[i64 1]
  %slot.index = add i64 %inputs, %o
  %slot = getelementptr i64, ptr %scalars, i64 %slot.index
  if eq i64 %output.rank, 0 then %output.done else %allocate

allocate:
  %output.shape = load ptr, ptr %output.word[i64 2]
  %output.number64 = load i64, ptr %output.word[i64 3]
  %output.number = trunc i64 %output.number64 to i32
  %output.rank32 = trunc i64 %output.rank to i32
  %new = call ptr ${PyArray_New}(
      ptr ${ndarray}, i32 %output.rank32, ptr %output.shape, i32 %output.number,
      ptr null, ptr null, i32 0, i32 0, ptr null)
  if eq ptr %new, null then %release_and_fail else %allocated

allocated:
  store ptr %new, ptr %results[ptr %o]
  %new.data = load ptr, ptr %new[i8 ${DATA}]
  br label %output.done

output.done:
  %output.buffer = phi ptr [%slot, %output], [%new.data, %allocated]
  store ptr %output.buffer, ptr %buffers[ptr %slot.index]
  %o.more = add i64 %o, 1
  br label %outputs.next

; --- call the program ---

run:
  %ended = call i32 ${call}(ptr %main, ptr %buffers, ptr %arena, i64 %releases, i64 %limit)
  br i1 %has_arena, label %release, label %after

release:
  store atomic i64 0, ptr %in_use release, align 8
  br label %after

after:
  if eq i32 %ended, 0 then %boxes.next else %fail

; --- box results of rank 0, return ---

boxes.next:
  %b = phi i64 [0, %after], [%b.more, %box.done]
  if ult i64 %b, %outputs then %box else %finish

box:
  %box.found = load ptr, ptr %results[ptr %b]
  if ne ptr %box.found, null then %box.done else %box.make

box.make:
  %box.index = add i64 %inputs, %b
  %box.data = getelementptr i64, ptr %scalars, i64 %box.index
  %box.word.index = mul i64 %b, 4
  %box.word = getelementptr i64, ptr %output.words, i64 %box.word.index
  %box.dtype = load ptr, ptr %box.word
  %box.new = call ptr ${PyArray_Scalar}(ptr %box.data, ptr %box.dtype, ptr null)
  store ptr %box.new, ptr %results[ptr %b]
  if eq ptr %box.new, null then %fail else %box.done

box.done:
  %b.more = add i64 %b, 1
  br label %boxes.next

finish:
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
  if ult i64 %d, %outputs then %drop else %failed

drop:
  %drop.value = load ptr, ptr %results[ptr %d]
  call void ${Py_DecRef}(ptr %drop.value)
  %d.more = add i64 %d, 1
  br label %drops.next

failed:
  ret ptr null

general:
  %general.path = load ptr, ptr %table[i64 6]
  %general.result = call ptr ${PyObject_Vectorcall}(ptr %general.path, ptr %arguments, i64 %count, ptr null)
  ret ptr %general.result
}
"""
