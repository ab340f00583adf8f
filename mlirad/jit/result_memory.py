"""Memory of large results: blocks of results that are gone are kept for results of the same size to come.

    handler_address()      the address of a capsule with NumPy's structure of memory functions
    empty((1000, 1000), np.dtype("float64"))      as np.empty, from that memory

The system hands a large block out page by page, as it is first written, and takes it back when it is freed:
a call whose results are made and dropped in a loop would spend up to a third of its time on that. So results
of `LARGE_BYTES` and more are arrays that own their memory, as all others, and whose memory NumPy gives to the
functions here. They keep at most `SLOTS` blocks of together `KEPT_BYTES`, and give the oldest back for newer
ones; all else they hand on to NumPy's own.

A block has been touched, so its pages are there; what it holds is not specified. Sizes must be equal: another
fit would leave part of a block unused for as long as its array lives. The functions are called under Python's
global lock, and whoever finds another in them goes past them, so that they are right without it too.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.jit import object_layout as layout
from mlirad.jit.engine import LoadedCode
from mlirad.jit.glue import load_glue
from mlirad.jit.once import once
from mlirad.jit.templates import constants, filled, pointer

LARGE_BYTES: Final = 1 << 18
"""Bytes of a result from which on its block is kept. The C library gives smaller ones from its heap."""

KEPT_BYTES: Final = 1 << 28
"""How many bytes are kept at most."""

SLOTS: Final = 32
"""How many blocks are kept at most."""

_HANDLER: Final = "mlirad_results"
_KEPT: Final = "mlirad_kept_bytes"


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """An array that is not initialised, of kept memory if it is large."""
    if dtype.itemsize * int(np.prod(shape)) < LARGE_BYTES or not layout.is_layout_known():
        return np.empty(shape, dtype)
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)
    set_handler = prototype(layout.numpy_function("PyDataMem_SetHandler"))
    usual = set_handler(_capsule())
    try:
        return np.empty(shape, dtype)
    finally:
        set_handler(usual)


def handler_address() -> int:
    """The address of the capsule by which NumPy is told of the functions."""
    return id(_capsule())


def kept_bytes() -> int:
    """How many bytes are kept at present."""
    return ctypes.c_int64.from_address(_code().addresses[_KEPT]).value


@once
def _capsule() -> object:
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    make = prototype(layout.python_function("PyCapsule_New"))
    return make(_code().addresses[_HANDLER], _CAPSULE_NAME, None)


_CAPSULE_NAME: Final = b"mem_handler"
"""The name that NumPy asks for; the capsule keeps the address of it."""


@once
def _code() -> LoadedCode:
    """The functions. They are called for arrays that outlive all else, so they are never unloaded."""
    values: dict[str, object] = {"LARGE_BYTES": LARGE_BYTES, "KEPT_BYTES": KEPT_BYTES, "SLOTS": SLOTS}
    values |= {"HANDLER": _HANDLER, "KEPT": _KEPT}
    usual = _usual_functions()
    code = load_glue(filled(_TEXT, values | usual | constants(layout)), (_HANDLER, _KEPT))
    code.keep_loaded()
    return code


def _usual_functions() -> dict[str, object]:
    """What NumPy's own functions are given as context, and where they are."""
    variable = layout.numpy_function("PyDataMem_DefaultHandler")
    capsule = cast(object, ctypes.cast(ctypes.c_void_p(variable), ctypes.POINTER(ctypes.py_object))[0])
    structure = layout.capsule_pointer(capsule, _CAPSULE_NAME)
    words = (ctypes.c_size_t * 5).from_address(structure + layout.HANDLER_FUNCTIONS)
    names = ("context", "malloc", "calloc", "realloc", "free")
    return {name: pointer(word) for name, word in zip(names, words, strict=True)}


_TEXT = """
%block = type {ptr, i64}

@${KEPT} = global i64 0
@blocks = internal global [${SLOTS} x %block] zeroinitializer
@oldest = internal global i64 0
@busy = internal global i64 0

@${HANDLER} = constant {[127 x i8], i8, ptr, ptr, ptr, ptr, ptr} {
  [127 x i8] c"mlirad results${zeros}", i8 1,
  ptr null, ptr @take, ptr @take_zeros, ptr @resize, ptr @give_back}

define internal ptr @take(ptr %context, i64 %size) {
entry:
  if uge i64 %size, ${LARGE_BYTES} then %large else %fresh

large:
  %exchange = cmpxchg ptr @busy, i64 0, i64 1 acquire monotonic
  %entered = extractvalue {i64, i1} %exchange, 1
  br i1 %entered, label %next, label %fresh

next:
  %k = phi i64 [0, %large], [%k.more, %other]
  if ult i64 %k, ${SLOTS} then %look else %none

look:
  %slot = getelementptr %block, ptr @blocks, i64 %k
  %bytes = load i64, ptr %slot[i64 1]
  if eq i64 %bytes, %size then %found else %other

other:
  %k.more = add i64 %k, 1
  br label %next

found:
  %kept = load ptr, ptr %slot
  store %block zeroinitializer, ptr %slot
  %total = load i64, ptr @${KEPT}
  %total.less = sub i64 %total, %size
  store i64 %total.less, ptr @${KEPT}
  store atomic i64 0, ptr @busy release, align 8
  ret ptr %kept

none:
  store atomic i64 0, ptr @busy release, align 8
  br label %fresh

fresh:
  %new = call ptr ${malloc}(ptr ${context}, i64 %size)
  ret ptr %new
}

define internal ptr @take_zeros(ptr %context, i64 %count, i64 %size) {
  %new = call ptr ${calloc}(ptr ${context}, i64 %count, i64 %size)
  ret ptr %new
}

define internal ptr @resize(ptr %context, ptr %old, i64 %size) {
  %new = call ptr ${realloc}(ptr ${context}, ptr %old, i64 %size)
  ret ptr %new
}

define internal void @give_back(ptr %context, ptr %given, i64 %size) {
entry:
  %is_large = icmp uge i64 %size, ${LARGE_BYTES}
  %is_small = icmp ule i64 %size, ${KEPT_BYTES}
  %is_kept = and i1 %is_large, %is_small
  br i1 %is_kept, label %enter, label %drop

enter:
  %exchange = cmpxchg ptr @busy, i64 0, i64 1 acquire monotonic
  %entered = extractvalue {i64, i1} %exchange, 1
  br i1 %entered, label %room, label %drop

drop:
  call void ${free}(ptr ${context}, ptr %given, i64 %size)
  ret void

; Blocks are put in one place after the other, in a circle: what is in the next place is the oldest.
room:
  %place = load i64, ptr @oldest
  %slot = getelementptr %block, ptr @blocks, i64 %place
  %old = load ptr, ptr %slot
  %old.bytes = load i64, ptr %slot[i64 1]
  %total = load i64, ptr @${KEPT}
  %total.new = add i64 %total, %size
  %is_full = icmp ugt i64 %total.new, ${KEPT_BYTES}
  %is_taken = icmp ne ptr %old, null
  %replaces = or i1 %is_full, %is_taken
  br i1 %replaces, label %replace, label %put

replace:
  br i1 %is_taken, label %evict, label %skip

evict:
  store %block zeroinitializer, ptr %slot
  %total.less = sub i64 %total, %old.bytes
  store i64 %total.less, ptr @${KEPT}
  call void ${free}(ptr ${context}, ptr %old, i64 %old.bytes)
  br i1 %is_full, label %skip, label %room

skip:
  %following = add i64 %place, 1
  %place.next = urem i64 %following, ${SLOTS}
  store i64 %place.next, ptr @oldest
  br label %room

put:
  store ptr %given, ptr %slot
  store i64 %size, ptr %slot[i64 1]
  store i64 %total.new, ptr @${KEPT}
  %after = add i64 %place, 1
  %after.place = urem i64 %after, ${SLOTS}
  store i64 %after.place, ptr @oldest
  store atomic i64 0, ptr @busy release, align 8
  ret void
}
""".replace("${zeros}", "\\00" * (127 - len("mlirad results")))
