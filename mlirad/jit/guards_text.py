"""LLVM IR of the check of guards, which the entry of programs and `Guards.hold` share; see `jit/guards.py`.

    i1 mlirad_guards(words, count)            whether all of them hold
    i1 mlirad_same_array(array, dtype, ...)   whether an array has a dtype, a rank, a shape, and of its flags
                                              those that a mask has

The invariant of the text: nothing is owned when it returns, and no Python exception is set.
"""

from __future__ import annotations

from mlirad.jit import object_layout as layout
from mlirad.jit.templates import constants, filled, pointer, python_functions

HOLD_FUNCTION = "mlirad_hold"

WORD, ITEM, LIST, DICT, ATTRIBUTE, ARRAY, CALL, CLASS, KEYS, GROWING_LIST, GROWING_DICT = range(11)
"""The kinds of guards, in the order of the labels below."""


def guards_text() -> str:
    """The text of `mlirad_guards`, `mlirad_same_array`, and `mlirad_hold`, which is the first for Python."""
    functions = (
        "PyCapsule_GetPointer",
        "PyDict_GetItem",
        "PyDict_Next",
        "PyErr_Clear",
        "PyObject_CallNoArgs",
        "PyObject_GetAttr",
        "Py_DecRef",
        "Py_IncRef",
    )
    values = {
        "True": pointer(id(True)),
        "False": pointer(id(False)),
    }
    return filled(_TEXT, {**constants(layout), **python_functions(functions), **values})


_TEXT = """
declare i32 @memcmp(ptr, ptr, i64)

define internal i1 @mlirad_same_array(ptr %array, ptr %dtype, i64 %rank, ptr %shape, i32 %mask, i32 %flags) {
entry:
  %dtype.found = load ptr, ptr %array[i8 ${DTYPE}]
  %dtype.right = icmp eq ptr %dtype.found, %dtype
  %flags.found = load i32, ptr %array[i8 ${FLAGS}]
  %flags.masked = and i32 %flags.found, %mask
  %flags.right = icmp eq i32 %flags.masked, %flags
  %rank32 = load i32, ptr %array[i8 ${RANK}]
  %rank.found = sext i32 %rank32 to i64
  %rank.right = icmp eq i64 %rank.found, %rank
  %right.some = and i1 %dtype.right, %flags.right
  %right.all = and i1 %right.some, %rank.right
  br i1 %right.all, label %extents, label %wrong

extents:
  %shape.found = load ptr, ptr %array[i8 ${SHAPE}]
  br label %next

next:
  %d = phi i64 [0, %extents], [%d.more, %compare]
  if ult i64 %d, %rank then %compare else %right

compare:
  %extent.found = load i64, ptr %shape.found[ptr %d]
  %extent.wanted = load i64, ptr %shape[ptr %d]
  %d.more = add i64 %d, 1
  if eq i64 %extent.found, %extent.wanted then %next else %wrong

right:
  ret i1 true

wrong:
  ret i1 false
}

define internal i1 @mlirad_guards(ptr %words, i64 %count) {
entry:
  %position = alloca i64
  %key = alloca ptr
  %value = alloca ptr
  br label %next

next:
  %g = phi i64 [0, %entry], [%g.more, %right]
  if ult i64 %g, %count then %guard else %hold

hold:
  ret i1 true

wrong:
  ret i1 false

guard:
  %index = mul i64 %g, 4
  %kind.at = getelementptr i64, ptr %words, i64 %index
  %kind = load i64, ptr %kind.at
  %object = load ptr, ptr %kind.at[i64 1]
  %what = load ptr, ptr %kind.at[i64 2]
  %expected = load ptr, ptr %kind.at[i64 3]
  %length = ptrtoint ptr %expected to i64
  %bytes = mul i64 %length, 8
  switch i64 %kind, label %wrong [
    i64 0, label %word
    i64 1, label %item
    i64 2, label %list
    i64 3, label %dict
    i64 4, label %attribute
    i64 5, label %array
    i64 6, label %call
    i64 7, label %class
    i64 8, label %dict
    i64 9, label %growing
    i64 10, label %dict
  ]

right:
  %g.more = add i64 %g, 1
  br label %next

word:
  %word.found = load ptr, ptr %object
  br label %compare

item:
  %item.found = call ptr ${PyDict_GetItem}(ptr %object, ptr %what)
  br label %compare

compare:
  %found = phi ptr [%word.found, %word], [%item.found, %item], [null, %attribute.missing],
                   [%attribute.found, %attribute.there]
  if eq ptr %found, %expected then %right else %wrong

attribute:
  %attribute.found = call ptr ${PyObject_GetAttr}(ptr %object, ptr %what)
  if eq ptr %attribute.found, null then %attribute.missing else %attribute.there

attribute.missing:
  call void ${PyErr_Clear}()
  br label %compare

attribute.there:
  call void ${Py_DecRef}(ptr %attribute.found)
  br label %compare

growing:
  %size.now = load i64, ptr %object[i8 ${LIST_SIZE}]
  if uge i64 %size.now, %length then %items else %wrong

list:
  %size = load i64, ptr %object[i8 ${LIST_SIZE}]
  if eq i64 %size, %length then %items else %wrong

items:
  %items.found = load ptr, ptr %object[i8 ${LIST_ITEMS}]
  br label %memory

dict:
  store i64 0, ptr %position
  br label %entries.next

entries.next:
  %k = phi i64 [0, %dict], [%k.more, %entry.key.same], [%k.more, %entry.value]
  %entry.found = call i32 ${PyDict_Next}(ptr %object, ptr %position, ptr %key, ptr %value)
  if ne i32 %entry.found, 0 then %entry.count else %entries.end

entries.end:
  if eq i64 %k, %length then %right else %wrong

entry.count:
  if ult i64 %k, %length then %entry.key else %entry.more

entry.more:
  if eq i64 %kind, 10 then %right else %wrong

entry.key:
  %k.more = add i64 %k, 1
  %are.keys = icmp eq i64 %kind, 8
  %parts = select i1 %are.keys, i64 1, i64 2
  %entry.index = mul i64 %k, %parts
  %key.at = getelementptr ptr, ptr %what, i64 %entry.index
  %key.wanted = load ptr, ptr %key.at
  %key.found = load ptr, ptr %key
  if eq ptr %key.found, %key.wanted then %entry.key.same else %wrong

entry.key.same:
  br i1 %are.keys, label %entries.next, label %entry.value

entry.value:
  %value.wanted = load ptr, ptr %key.at[ptr 1]
  %value.found = load ptr, ptr %value
  if eq ptr %value.found, %value.wanted then %entries.next else %wrong

array:
  %dtype.wanted = load ptr, ptr %what
  %flags.wanted64 = load i64, ptr %what[i64 1]
  %flags.wanted = trunc i64 %flags.wanted64 to i32
  %rank.wanted = load i64, ptr %what[i64 2]
  %shape.wanted = load ptr, ptr %what[i64 3]
  %array.same = call i1 @mlirad_same_array(
      ptr %object, ptr %dtype.wanted, i64 %rank.wanted, ptr %shape.wanted, i32 -1, i32 %flags.wanted)
  br i1 %array.same, label %elements, label %wrong

elements:
  %data = load ptr, ptr %object[i8 ${DATA}]
  %copy = load ptr, ptr %what[i64 4]
  %data.bytes = load i64, ptr %what[i64 5]
  br label %memory

memory:
  %memory.found = phi ptr [%items.found, %items], [%data, %elements]
  %memory.wanted = phi ptr [%what, %items], [%copy, %elements]
  %memory.bytes = phi i64 [%bytes, %items], [%data.bytes, %elements]
  %difference = call i32 @memcmp(ptr %memory.found, ptr %memory.wanted, i64 %memory.bytes)
  if eq i32 %difference, 0 then %right else %wrong

class:
  %version32 = load i32, ptr %object
  %version = zext i32 %version32 to i64
  %version.wanted = load i64, ptr %what
  if eq i64 %version, %version.wanted then %right else %call

call:
  %asked = phi ptr [%object, %guard], [%expected, %class]
  %answer = call ptr ${PyObject_CallNoArgs}(ptr %asked)
  if eq ptr %answer, null then %call.failed else %answered

call.failed:
  call void ${PyErr_Clear}()
  br label %wrong

answered:
  call void ${Py_DecRef}(ptr %answer)
  if eq ptr %answer, ${True} then %right else %wrong
}

define ptr @mlirad_hold(ptr %self, ptr %arguments, i64 %count) {
  %table = call ptr ${PyCapsule_GetPointer}(ptr %self, ptr null)
  %words = load ptr, ptr %table
  %guards = load i64, ptr %table[i64 1]
  %hold = call i1 @mlirad_guards(ptr %words, i64 %guards)
  %result = select i1 %hold, ptr ${True}, ptr ${False}
  call void ${Py_IncRef}(ptr %result)
  ret ptr %result
}
"""
