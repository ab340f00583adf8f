"""LLVM IR of the check of guards, which the entry of programs and `Guards.hold` share; see `jit/guards.py`.

The invariant of the text: nothing is owned when it returns, and no Python exception is set.
"""

from __future__ import annotations

from mlirad.jit import object_layout as layout
from mlirad.jit.templates import constants, filled, pointer, python_functions

HOLD_FUNCTION = "mlirad_hold"

WORD, ITEM, LIST, DICT, ATTRIBUTE, ARRAY, CALL = range(7)
"""The kinds of guards, in the order of the labels below."""


def guards_text() -> str:
    """The text of `bool mlirad_guards(words, count)`, and of `mlirad_hold`, which is it for Python."""
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
        "same array": same_array("%object", "%flags.wanted", -1, "elements", "wrong"),
        "True": pointer(id(True)),
        "False": pointer(id(False)),
    }
    return filled(_TEXT, {**constants(layout), **python_functions(functions), **values})


def same_array(array: str, flags: str, mask: int, then: str, otherwise: str) -> str:
    """The end of a block that goes to `then` if an array is as wanted: dtype, rank, shape, and masked flags.

    What is wanted is in `%dtype.wanted`, `%rank.wanted`, `%shape.wanted`, and the value `flags`.
    """
    return f"""\
  %dtype.at = getelementptr i8, ptr {array}, i64 {layout.DTYPE}
  %dtype = load ptr, ptr %dtype.at
  %dtype.right = icmp eq ptr %dtype, %dtype.wanted
  %flags.at = getelementptr i8, ptr {array}, i64 {layout.FLAGS}
  %flags = load i32, ptr %flags.at
  %flags.masked = and i32 %flags, {mask}
  %flags.right = icmp eq i32 %flags.masked, {flags}
  %rank.at = getelementptr i8, ptr {array}, i64 {layout.RANK}
  %rank32 = load i32, ptr %rank.at
  %rank = sext i32 %rank32 to i64
  %rank.right = icmp eq i64 %rank, %rank.wanted
  %right.some = and i1 %dtype.right, %flags.right
  %right.all = and i1 %right.some, %rank.right
  br i1 %right.all, label %shape, label %{otherwise}

shape:
  %shape.at = getelementptr i8, ptr {array}, i64 {layout.SHAPE}
  %shape.found = load ptr, ptr %shape.at
  br label %extents.next

extents.next:
  %extent = phi i64 [0, %shape], [%extent.more, %extent.compare]
  %extents.left = icmp ult i64 %extent, %rank.wanted
  br i1 %extents.left, label %extent.compare, label %{then}

extent.compare:
  %extent.at = getelementptr i64, ptr %shape.found, i64 %extent
  %extent.found = load i64, ptr %extent.at
  %extent.wanted.at = getelementptr i64, ptr %shape.wanted, i64 %extent
  %extent.wanted = load i64, ptr %extent.wanted.at
  %extent.right = icmp eq i64 %extent.found, %extent.wanted
  %extent.more = add i64 %extent, 1
  br i1 %extent.right, label %extents.next, label %{otherwise}"""


_TEXT = """
declare i32 @memcmp(ptr, ptr, i64)

define internal i1 @mlirad_guards(ptr %words, i64 %count) {
entry:
  %position = alloca i64
  %key = alloca ptr
  %value = alloca ptr
  br label %next

next:
  %g = phi i64 [0, %entry], [%g.more, %right]
  %left = icmp ult i64 %g, %count
  br i1 %left, label %guard, label %hold

hold:
  ret i1 true

wrong:
  ret i1 false

guard:
  %index = mul i64 %g, 4
  %kind.at = getelementptr i64, ptr %words, i64 %index
  %kind = load i64, ptr %kind.at
  %object.at = getelementptr i64, ptr %kind.at, i64 1
  %object = load ptr, ptr %object.at
  %what.at = getelementptr i64, ptr %kind.at, i64 2
  %what = load ptr, ptr %what.at
  %expected.at = getelementptr i64, ptr %kind.at, i64 3
  %expected = load ptr, ptr %expected.at
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
  %same = icmp eq ptr %found, %expected
  br i1 %same, label %right, label %wrong

attribute:
  %attribute.found = call ptr ${PyObject_GetAttr}(ptr %object, ptr %what)
  %attribute.is_missing = icmp eq ptr %attribute.found, null
  br i1 %attribute.is_missing, label %attribute.missing, label %attribute.there

attribute.missing:
  call void ${PyErr_Clear}()
  br label %compare

attribute.there:
  call void ${Py_DecRef}(ptr %attribute.found)
  br label %compare

list:
  %size.at = getelementptr i8, ptr %object, i64 ${LIST_SIZE}
  %size = load i64, ptr %size.at
  %size.right = icmp eq i64 %size, %length
  br i1 %size.right, label %items, label %wrong

items:
  %items.at = getelementptr i8, ptr %object, i64 ${LIST_ITEMS}
  %items.found = load ptr, ptr %items.at
  br label %memory

dict:
  store i64 0, ptr %position
  br label %entries.next

entries.next:
  %k = phi i64 [0, %dict], [%k.more, %entry.value]
  %entry.found = call i32 ${PyDict_Next}(ptr %object, ptr %position, ptr %key, ptr %value)
  %entry.is_there = icmp ne i32 %entry.found, 0
  br i1 %entry.is_there, label %entry.count, label %entries.end

entries.end:
  %entries.right = icmp eq i64 %k, %length
  br i1 %entries.right, label %right, label %wrong

entry.count:
  %entry.expected = icmp ult i64 %k, %length
  br i1 %entry.expected, label %entry.key, label %wrong

entry.key:
  %entry.index = mul i64 %k, 2
  %key.at = getelementptr ptr, ptr %what, i64 %entry.index
  %key.wanted = load ptr, ptr %key.at
  %key.found = load ptr, ptr %key
  %key.right = icmp eq ptr %key.found, %key.wanted
  br i1 %key.right, label %entry.value, label %wrong

entry.value:
  %value.at = getelementptr ptr, ptr %key.at, i64 1
  %value.wanted = load ptr, ptr %value.at
  %value.found = load ptr, ptr %value
  %k.more = add i64 %k, 1
  %value.right = icmp eq ptr %value.found, %value.wanted
  br i1 %value.right, label %entries.next, label %wrong

array:
  %dtype.wanted = load ptr, ptr %what
  %flags.wanted.at = getelementptr i64, ptr %what, i64 1
  %flags.wanted64 = load i64, ptr %flags.wanted.at
  %flags.wanted = trunc i64 %flags.wanted64 to i32
  %rank.wanted.at = getelementptr i64, ptr %what, i64 2
  %rank.wanted = load i64, ptr %rank.wanted.at
  %shape.wanted.at = getelementptr i64, ptr %what, i64 3
  %shape.wanted = load ptr, ptr %shape.wanted.at
${same array}

elements:
  %data.at = getelementptr i8, ptr %object, i64 ${DATA}
  %data = load ptr, ptr %data.at
  %copy.at = getelementptr i64, ptr %what, i64 4
  %copy = load ptr, ptr %copy.at
  %data.bytes.at = getelementptr i64, ptr %what, i64 5
  %data.bytes = load i64, ptr %data.bytes.at
  br label %memory

memory:
  %memory.found = phi ptr [%items.found, %items], [%data, %elements]
  %memory.wanted = phi ptr [%what, %items], [%copy, %elements]
  %memory.bytes = phi i64 [%bytes, %items], [%data.bytes, %elements]
  %difference = call i32 @memcmp(ptr %memory.found, ptr %memory.wanted, i64 %memory.bytes)
  %memory.right = icmp eq i32 %difference, 0
  br i1 %memory.right, label %right, label %wrong

call:
  %answer = call ptr ${PyObject_CallNoArgs}(ptr %object)
  %failed = icmp eq ptr %answer, null
  br i1 %failed, label %call.failed, label %answered

call.failed:
  call void ${PyErr_Clear}()
  br label %wrong

answered:
  call void ${Py_DecRef}(ptr %answer)
  %answer.right = icmp eq ptr %answer, ${True}
  br i1 %answer.right, label %right, label %wrong
}

define ptr @mlirad_hold(ptr %self, ptr %arguments, i64 %count) {
  %table = call ptr ${PyCapsule_GetPointer}(ptr %self, ptr null)
  %words = load ptr, ptr %table
  %guards.at = getelementptr i64, ptr %table, i64 1
  %guards = load i64, ptr %guards.at
  %hold = call i1 @mlirad_guards(ptr %words, i64 %guards)
  %result = select i1 %hold, ptr ${True}, ptr ${False}
  call void ${Py_IncRef}(ptr %result)
  ret ptr %result
}
"""
