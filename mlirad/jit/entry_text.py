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
  %arena.at = getelementptr i64, ptr %table, i64 1
  %arena = load ptr, ptr %arena.at
  %in_use = getelementptr i64, ptr %table, i64 2
  %inputs.at = getelementptr i64, ptr %table, i64 3
  %inputs = load i64, ptr %inputs.at
  %outputs.at = getelementptr i64, ptr %table, i64 4
  %outputs = load i64, ptr %outputs.at
  %constants.at = getelementptr i64, ptr %table, i64 5
  %constants = load i64, ptr %constants.at
  %general.at = getelementptr i64, ptr %table, i64 6
  %releases.at = getelementptr i64, ptr %table, i64 7
  %releases = load i64, ptr %releases.at
  %limit.at = getelementptr i64, ptr %table, i64 8
  %limit = load i64, ptr %limit.at
  %guards.at = getelementptr i64, ptr %table, i64 9
  %guards = load ptr, ptr %guards.at
  %guards.count.at = getelementptr i64, ptr %table, i64 10
  %guards.count = load i64, ptr %guards.count.at
  %input.words = getelementptr i64, ptr %table, i64 11
  %input.size = mul i64 %inputs, 5
  %output.words = getelementptr i64, ptr %input.words, i64 %input.size
  %output.size = mul i64 %outputs, 4
  %constant.words = getelementptr i64, ptr %output.words, i64 %output.size
  %right_count = icmp eq i64 %count, %inputs
  br i1 %right_count, label %guards.check, label %general

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
  %inputs.left = icmp ult i64 %i, %inputs
  br i1 %inputs.left, label %input, label %constants.next

input:
  %word.index = mul i64 %i, 5
  %word = getelementptr i64, ptr %input.words, i64 %word.index
  %dtype.wanted = load ptr, ptr %word
  %rank.wanted.at = getelementptr i64, ptr %word, i64 1
  %rank.wanted = load i64, ptr %rank.wanted.at
  %argument.at = getelementptr ptr, ptr %arguments, i64 %i
  %argument = load ptr, ptr %argument.at
  %type.at = getelementptr i8, ptr %argument, i64 ${TYPE}
  %type = load ptr, ptr %type.at
  %is_array = icmp eq ptr %type, ${ndarray}
  br i1 %is_array, label %array, label %scalar

array:
  %shape.wanted.at = getelementptr i64, ptr %word, i64 2
  %shape.wanted = load ptr, ptr %shape.wanted.at
${same array}

same:
  %data.at = getelementptr i8, ptr %argument, i64 ${DATA}
  %data = load ptr, ptr %data.at
  br label %input.done

scalar:
  %numpy_type.at = getelementptr i64, ptr %word, i64 3
  %numpy_type = load ptr, ptr %numpy_type.at
  %is_numpy = icmp eq ptr %type, %numpy_type
  %value.at = getelementptr i8, ptr %argument, i64 ${VALUE}
  br i1 %is_numpy, label %input.done, label %python_scalar

python_scalar:
  %python_type.at = getelementptr i64, ptr %word, i64 4
  %python_type = load ptr, ptr %python_type.at
  %is_python = icmp eq ptr %type, %python_type
  br i1 %is_python, label %float_or_int, label %general

float_or_int:
  %is_float = icmp eq ptr %type, ${float}
  br i1 %is_float, label %input.done, label %int

int:
  %int.value = call i64 ${PyLong_AsLongLong}(ptr %argument)
  %int.at = getelementptr i64, ptr %scalars, i64 %i
  store i64 %int.value, ptr %int.at
  %int.minus_one = icmp eq i64 %int.value, -1
  br i1 %int.minus_one, label %int.check, label %input.done

int.check:
  %int.error = call ptr ${PyErr_Occurred}()
  %int.fits = icmp eq ptr %int.error, null
  br i1 %int.fits, label %input.done, label %int.too_large

int.too_large:
  call void ${PyErr_Clear}()
  br label %general

input.done:
  %buffer = phi ptr [%data, %same],
                    [%value.at, %scalar], [%value.at, %float_or_int],
                    [%int.at, %int], [%int.at, %int.check]
  %buffer.at = getelementptr ptr, ptr %buffers, i64 %i
  store ptr %buffer, ptr %buffer.at
  %i.more = add i64 %i, 1
  br label %inputs.next

constants.next:
  %c = phi i64 [0, %inputs.next], [%c.more, %constant]
  %constants.left = icmp ult i64 %c, %constants
  br i1 %constants.left, label %constant, label %take_arena

constant:
  %constant.at = getelementptr ptr, ptr %constant.words, i64 %c
  %constant.data = load ptr, ptr %constant.at
  %constant.index = add i64 %results.end, %c
  %constant.buffer.at = getelementptr ptr, ptr %buffers, i64 %constant.index
  store ptr %constant.data, ptr %constant.buffer.at
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
  %outputs.left = icmp ult i64 %o, %outputs
  br i1 %outputs.left, label %output, label %run

output:
  %output.index = mul i64 %o, 4
  %output.word = getelementptr i64, ptr %output.words, i64 %output.index
  %output.rank.at = getelementptr i64, ptr %output.word, i64 1
  %output.rank = load i64, ptr %output.rank.at
  %slot.index = add i64 %inputs, %o
  %slot = getelementptr i64, ptr %scalars, i64 %slot.index
  %output.is_scalar = icmp eq i64 %output.rank, 0
  br i1 %output.is_scalar, label %output.done, label %allocate

allocate:
  %output.shape.at = getelementptr i64, ptr %output.word, i64 2
  %output.shape = load ptr, ptr %output.shape.at
  %output.number.at = getelementptr i64, ptr %output.word, i64 3
  %output.number64 = load i64, ptr %output.number.at
  %output.number = trunc i64 %output.number64 to i32
  %output.rank32 = trunc i64 %output.rank to i32
  %new = call ptr ${PyArray_New}(
      ptr ${ndarray}, i32 %output.rank32, ptr %output.shape, i32 %output.number,
      ptr null, ptr null, i32 0, i32 0, ptr null)
  %no_memory = icmp eq ptr %new, null
  br i1 %no_memory, label %release_and_fail, label %allocated

allocated:
  %result.at = getelementptr ptr, ptr %results, i64 %o
  store ptr %new, ptr %result.at
  %new.data.at = getelementptr i8, ptr %new, i64 ${DATA}
  %new.data = load ptr, ptr %new.data.at
  br label %output.done

output.done:
  %output.buffer = phi ptr [%slot, %output], [%new.data, %allocated]
  %output.buffer.at = getelementptr ptr, ptr %buffers, i64 %slot.index
  store ptr %output.buffer, ptr %output.buffer.at
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
  %is_done = icmp eq i32 %ended, 0
  br i1 %is_done, label %boxes.next, label %fail

; --- box results of rank 0, return ---

boxes.next:
  %b = phi i64 [0, %after], [%b.more, %box.done]
  %boxes.left = icmp ult i64 %b, %outputs
  br i1 %boxes.left, label %box, label %finish

box:
  %box.at = getelementptr ptr, ptr %results, i64 %b
  %box.found = load ptr, ptr %box.at
  %box.is_array = icmp ne ptr %box.found, null
  br i1 %box.is_array, label %box.done, label %box.make

box.make:
  %box.index = add i64 %inputs, %b
  %box.data = getelementptr i64, ptr %scalars, i64 %box.index
  %box.word.index = mul i64 %b, 4
  %box.word = getelementptr i64, ptr %output.words, i64 %box.word.index
  %box.dtype = load ptr, ptr %box.word
  %box.new = call ptr ${PyArray_Scalar}(ptr %box.data, ptr %box.dtype, ptr null)
  store ptr %box.new, ptr %box.at
  %box.failed = icmp eq ptr %box.new, null
  br i1 %box.failed, label %fail, label %box.done

box.done:
  %b.more = add i64 %b, 1
  br label %boxes.next

finish:
  %single = icmp eq i64 %outputs, 1
  br i1 %single, label %finish.single, label %finish.tuple

finish.single:
  %only = load ptr, ptr %results
  ret ptr %only

finish.tuple:
  %tuple = call ptr ${PyTuple_New}(i64 %outputs)
  %tuple.failed = icmp eq ptr %tuple, null
  br i1 %tuple.failed, label %fail, label %items.next

items.next:
  %t = phi i64 [0, %finish.tuple], [%t.more, %item]
  %items.left = icmp ult i64 %t, %outputs
  br i1 %items.left, label %item, label %finish.filled

item:
  %item.at = getelementptr ptr, ptr %results, i64 %t
  %item.value = load ptr, ptr %item.at
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
  %drops.left = icmp ult i64 %d, %outputs
  br i1 %drops.left, label %drop, label %failed

drop:
  %drop.at = getelementptr ptr, ptr %results, i64 %d
  %drop.value = load ptr, ptr %drop.at
  call void ${Py_DecRef}(ptr %drop.value)
  %d.more = add i64 %d, 1
  br label %drops.next

failed:
  ret ptr null

general:
  %general.path = load ptr, ptr %general.at
  %general.result = call ptr ${PyObject_Vectorcall}(ptr %general.path, ptr %arguments, i64 %count, ptr null)
  ret ptr %general.result
}
"""
