"""LLVM IR of the entry that all compiled programs share; `jit/entry.py` says what it does and reads.

The arguments are compared here; where results go is found in `jit/entry_destinations_text.py`.

The invariant of the text: until label `begin` nothing is owned, so any doubt goes to `general`; from there on
(`jit/entry_results_text.py`) an error goes to `fail`, with every object made so far in `%results` and `%made`
and the arena released.
"""

from __future__ import annotations

from mlirad.jit import entry_table
from mlirad.jit import object_layout as layout
from mlirad.jit.entry_destinations_text import DESTINATIONS
from mlirad.jit.entry_results_text import RESULTS
from mlirad.jit.guards_text import guards_text
from mlirad.jit.host import host_address
from mlirad.jit.host_text import BORROWED_ARGUMENTS, BORROWED_COUNT, BORROWED_HELD, BORROWED_REFERENCES, CALL
from mlirad.jit.standard_mode_text import standard_mode_text
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
        "Py_IncRef",
    )
    numpy_functions = (
        "PyArray_New",
        "PyArray_Scalar",
        "PyArray_FromArray",
        "PyArray_FromScalar",
        "PyDataMem_SetHandler",
    )
    values: dict[str, object] = {
        "call": pointer(host_address(CALL)),
        "BORROWED_ARGUMENTS": BORROWED_ARGUMENTS,
        "BORROWED_COUNT": BORROWED_COUNT,
        "BORROWED_HELD": BORROWED_HELD,
        "BORROWED_REFERENCES": BORROWED_REFERENCES,
        "ndarray": pointer(id_of_ndarray()),
        "float": pointer(id(float)),
        "bool": pointer(id(bool)),
        "True": pointer(id(True)),
    }
    values |= {name: pointer(layout.numpy_function(name)) for name in numpy_functions}
    values |= constants(layout) | constants(entry_table) | python_functions(functions)
    return guards_text() + standard_mode_text() + filled(_ARGUMENTS + DESTINATIONS + _ARENA + RESULTS, values)


def id_of_ndarray() -> int:
    """The address of the type `numpy.ndarray`."""
    return layout.numpy_function("PyArray_Type")


_ARGUMENTS = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define ptr @mlirad_entry(ptr %self, ptr %arguments, i64 %count) {
entry:
  %table = call ptr ${PyCapsule_GetPointer}(ptr %self, ptr null)
  %main = load ptr, ptr %table[i64 ${PROGRAM}]
  %in_use = load ptr, ptr %table[i64 ${ARENA}]
  %inputs = load i64, ptr %table[i64 ${INPUTS}]
  %outputs = load i64, ptr %table[i64 ${OUTPUTS}]
  %constants = load i64, ptr %table[i64 ${CONSTANTS}]
  %releases = load i64, ptr %table[i64 ${RELEASES}]
  %limit = load i64, ptr %table[i64 ${TIME_LIMIT}]
  %threads = load i64, ptr %table[i64 ${THREADS}]
  %guards = load ptr, ptr %table[i64 ${GUARDS}]
  %guards.count = load i64, ptr %table[i64 ${GUARDS_COUNT}]
  %given.outs = load i64, ptr %table[i64 ${GIVEN_OUTS}]
  %destinations.any = load i64, ptr %table[i64 ${DESTINATIONS}]
  %handler = load ptr, ptr %table[i64 ${HANDLER}]
  %holds = load i64, ptr %table[i64 ${HOLDS}]
  %input.words = getelementptr i64, ptr %table, i64 ${HEADER_WORDS}
  %input.size = mul i64 %inputs, ${INPUT_WORDS}
  %output.words = getelementptr i64, ptr %input.words, i64 %input.size
  %output.size = mul i64 %outputs, ${OUTPUT_WORDS}
  %constant.words = getelementptr i64, ptr %output.words, i64 %output.size
  %count.wanted = add i64 %inputs, %given.outs
  if eq i64 %count, %count.wanted then %guards.check else %general

guards.check:
  %guards.hold = call i1 @mlirad_guards(ptr %guards, i64 %guards.count)
  br i1 %guards.hold, label %stack, label %general

stack:
  %results.end = add i64 %inputs, %outputs
  %buffers.count = add i64 %results.end, %constants
  %buffers = alloca ptr, i64 %buffers.count
  %scalars = alloca i64, i64 %results.end
  %results = alloca ptr, i64 %outputs
  %destinations = alloca ptr, i64 %outputs
  %made = alloca ptr, i64 %inputs
  %borrowed.size = add i64 %count, ${BORROWED_REFERENCES}
  %borrowed = alloca i64, i64 %borrowed.size
  br label %inputs.next

; --- compare each argument with its description ---

inputs.next:
  %i = phi i64 [0, %stack], [%i.more, %input.done]
  %conversions = phi i64 [0, %stack], [%conversions.more, %input.done]
  if ult i64 %i, %inputs then %input else %constants.next

input:
  %word.index = mul i64 %i, ${INPUT_WORDS}
  %word = getelementptr i64, ptr %input.words, i64 %word.index
  %dtype.read = load ptr, ptr %word[i64 ${DTYPE_WORD}]
  %dtype.given = load ptr, ptr %word[i64 ${GIVEN_DTYPE}]
  %is_read_as_given = icmp eq ptr %dtype.read, %dtype.given
  %argument = load ptr, ptr %arguments[ptr %i]
  %type = load ptr, ptr %argument[i8 ${TYPE}]
  if eq ptr %type, ${ndarray} then %array else %scalar

array:
  %rank.wanted = load i64, ptr %word[i64 ${RANK_WORD}]
  %shape.wanted = load ptr, ptr %word[i64 ${SHAPE_WORD}]
  %is_same = call i1 @mlirad_same_array(
      ptr %argument, ptr %dtype.given, i64 %rank.wanted, ptr %shape.wanted, i32 0, i32 0)
  br i1 %is_same, label %same, label %general

same:
  %flags = load i32, ptr %argument[i8 ${FLAGS}]
  %flags.readable = and i32 %flags, ${READABLE_FLAGS}
  %is_readable = icmp eq i32 %flags.readable, ${READABLE_FLAGS}
  %is_as_read = and i1 %is_readable, %is_read_as_given
  %data = load ptr, ptr %argument[i8 ${DATA}]
  br i1 %is_as_read, label %input.done, label %convert

convert:
  %conversions.one = add i64 %conversions, 1
  br label %input.done

scalar:
  %numpy_type = load ptr, ptr %word[i64 ${NUMPY_TYPE}]
  %value.at = getelementptr i8, ptr %argument, i64 ${VALUE}
  if eq ptr %type, %numpy_type then %numpy_scalar else %python_scalar

numpy_scalar:
  br i1 %is_read_as_given, label %input.done, label %convert

python_scalar:
  %python_type = load ptr, ptr %word[i64 ${PYTHON_TYPE}]
  %scalar.at = getelementptr i64, ptr %scalars, i64 %i
  if eq ptr %type, %python_type then %float_or_other else %general

float_or_other:
  if eq ptr %type, ${float} then %input.done else %bool_or_int

bool_or_int:
  if eq ptr %type, ${bool} then %bool else %int

bool:
  %bool.value = icmp eq ptr %argument, ${True}
  %bool.byte = zext i1 %bool.value to i8
  store i8 %bool.byte, ptr %scalar.at
  br label %input.done

int:
  %int.value = call i64 ${PyLong_AsLongLong}(ptr %argument)
  store i64 %int.value, ptr %scalar.at
  if eq i64 %int.value, -1 then %int.check else %input.done

int.check:
  %int.error = call ptr ${PyErr_Occurred}()
  if eq ptr %int.error, null then %input.done else %int.too_large

int.too_large:
  call void ${PyErr_Clear}()
  br label %general

input.done:
  %buffer = phi ptr [%data, %same], [null, %convert],
                    [%value.at, %numpy_scalar], [%value.at, %float_or_other],
                    [%scalar.at, %bool], [%scalar.at, %int], [%scalar.at, %int.check]
  %conversions.more = phi i64 [%conversions, %same], [%conversions.one, %convert],
                    [%conversions, %numpy_scalar], [%conversions, %float_or_other],
                    [%conversions, %bool], [%conversions, %int], [%conversions, %int.check]
  store ptr %buffer, ptr %buffers[ptr %i]
  %i.more = add i64 %i, 1
  br label %inputs.next

constants.next:
  %c = phi i64 [0, %inputs.next], [%c.more, %constant]
  if ult i64 %c, %constants then %constant else %destinations.begin

constant:
  %constant.data = load ptr, ptr %constant.words[ptr %c]
  %constant.index = add i64 %results.end, %c
  store ptr %constant.data, ptr %buffers[ptr %constant.index]
  %c.more = add i64 %c, 1
  br label %constants.next
"""

_ARENA = """
; --- take the arena ---

take_arena:
  %has_arena = icmp ne ptr %in_use, null
  br i1 %has_arena, label %try_arena, label %begin

try_arena:
  %exchange = cmpxchg ptr %in_use, i64 0, i64 1 acquire monotonic
  %taken = extractvalue {i64, i1} %exchange, 1
  %arena.taken = load ptr, ptr %in_use[i64 1]
  br i1 %taken, label %begin, label %general

general:
  %general.path = load ptr, ptr %table[i64 ${GENERAL_PATH}]
  %general.result = call ptr ${PyObject_Vectorcall}(ptr %general.path, ptr %arguments, i64 %count, ptr null)
  ret ptr %general.result
"""
