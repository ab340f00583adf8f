"""LLVM IR of the check of guards, which the entry of programs and `Guards.hold` share; see `jit/guards.py`.

The law of the text: nothing is owned when it returns, and no Python exception is set.
"""

from __future__ import annotations

from mlirad.jit import object_layout as layout

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
    values = {name: f"inttoptr (i64 {layout.python_function(name)} to ptr)" for name in functions}
    values |= {"True": f"inttoptr (i64 {id(True)} to ptr)", "False": f"inttoptr (i64 {id(False)} to ptr)"}
    values |= {
        "LIST_SIZE": str(layout.LIST_SIZE),
        "LIST_ITEMS": str(layout.LIST_ITEMS),
        "DATA": str(layout.DATA),
        "RANK": str(layout.RANK),
        "SHAPE": str(layout.SHAPE),
        "DTYPE": str(layout.DTYPE),
        "FLAGS": str(layout.FLAGS),
    }
    text = _TEXT
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", value)
    return text


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
  %dtype.at = getelementptr i8, ptr %object, i64 ${DTYPE}
  %dtype = load ptr, ptr %dtype.at
  %dtype.wanted = load ptr, ptr %what
  %dtype.right = icmp eq ptr %dtype, %dtype.wanted
  %flags.at = getelementptr i8, ptr %object, i64 ${FLAGS}
  %flags = load i32, ptr %flags.at
  %flags.wanted.at = getelementptr i64, ptr %what, i64 1
  %flags.wanted64 = load i64, ptr %flags.wanted.at
  %flags.wanted = trunc i64 %flags.wanted64 to i32
  %flags.right = icmp eq i32 %flags, %flags.wanted
  %rank.at = getelementptr i8, ptr %object, i64 ${RANK}
  %rank = load i32, ptr %rank.at
  %rank.wanted.at = getelementptr i64, ptr %what, i64 2
  %rank.wanted64 = load i64, ptr %rank.wanted.at
  %rank.wanted = trunc i64 %rank.wanted64 to i32
  %rank.right = icmp eq i32 %rank, %rank.wanted
  %right.some = and i1 %dtype.right, %flags.right
  %right.all = and i1 %right.some, %rank.right
  br i1 %right.all, label %shape, label %wrong

shape:
  %shape.at = getelementptr i8, ptr %object, i64 ${SHAPE}
  %shape.found = load ptr, ptr %shape.at
  %shape.wanted.at = getelementptr i64, ptr %what, i64 3
  %shape.wanted = load ptr, ptr %shape.wanted.at
  %shape.bytes = mul i64 %rank.wanted64, 8
  %shape.difference = call i32 @memcmp(ptr %shape.found, ptr %shape.wanted, i64 %shape.bytes)
  %shape.right = icmp eq i32 %shape.difference, 0
  br i1 %shape.right, label %elements, label %wrong

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
