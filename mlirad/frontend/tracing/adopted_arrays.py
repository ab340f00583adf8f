"""Arrays of NumPy that are traced from where they are made on, as traced values are written into them later.

    y = np.zeros(3)        an array of numbers, as it may be a shape or a mask
    ...
    y[i] = x               x has no number: the trace ends by `Adopted`, and in the next one y is traced from
                           the line on that makes it, so all that refers to it refers to the traced array

Code that asks (`splicing.call_sites`) notes where it comes by arrays. Where nothing else has the array yet, a
traced one can stand for it. Other arrays stay what they are, and writing a traced value into them is an
error: others would not see it, or would see it after the trace.

Creating functions of NumPy stay NumPy's until traced values are written: `np.zeros(3)` in a traced function
is an array of numbers, as it may be used as a shape or a mask. Where a traced value is written into it later,
the next trace makes it traced where it was created, so every name for it means the traced one. That takes an
array that nothing else has yet at that place: of a captured one, or one that an object has kept, others would
see numbers without the write, or the write after the trace. Those stay errors. `ad.numpy.zeros` needs no
second trace.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.splicing.plain import Hooks
from mlirad.frontend.tracing.array import Array, copied, is_ordered_array
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.dtypes import DTYPES
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.lessons import Place, Request
from mlirad.frontend.tracing.open_traces import open_traces
from mlirad.frontend.tracing.source import is_user_file
from mlirad.frontend.tracing.told_functions import require_telling_all

PlainArray = npt.NDArray[Any]


class Adopted(Request):
    """A traced value is written into an array that comes from this place."""

    def __init__(self, place: Place, array: PlainArray):
        super().__init__()
        self.place, self.array = place, array


def made(result: Any) -> Any:
    """Return what code that asks goes on with, of a result: a traced array, if that is adopted here."""
    if type(result) is not np.ndarray or not open_traces.frames:
        return result
    functions = current_frame().functions
    place = _place(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
    if place in functions.lessons.adopted and sys.getrefcount(result) <= _unshared() and _owns_all(result):
        return _traced(result)
    owner = _owner(result)
    known = functions.made_arrays.get(id(owner))
    if known is None or known[0]() is not owner:
        functions.made_arrays[id(owner)] = weakref.ref(owner), place
    return result


def _place(frame: FrameType | None) -> Place:
    found: list[tuple[int, int]] = []
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            found.append((id(frame.f_code), frame.f_lasti))
        frame = frame.f_back
    return tuple(found)


def _owner(array: PlainArray) -> PlainArray:
    """The array that has the memory of another one, as far as that is an array of NumPy."""
    while type(array.base) is np.ndarray:
        array = array.base
    return array


_OF_A_BASE = 3
"""The number of references to the base of an array if nothing else refers to it: the array, a variable, and
who counts."""


_COMPLEX = (np.dtype(np.complex64), np.dtype(np.complex128))


def _owns_all(array: PlainArray) -> bool:
    """Return whether nothing but this array refers to what has its memory, and no two of its elements are
    one.
    """
    if not (array.flags.c_contiguous or array.flags.f_contiguous) or not array.flags.writeable:
        return False
    if array.dtype not in DTYPES and array.dtype not in _COMPLEX:
        return False
    while True:
        base: object = array.base
        if base is None:
            return True
        if type(base) is not np.ndarray or sys.getrefcount(base) > _OF_A_BASE:
            return False
        array = base


def _unshared() -> int:
    """Return how many refer to a result that code which asks has just got, as `made` counts them.

    There is one more where the interpreter tells a debugger or a profiler of calls.
    """
    return cast(int, _counting()())


@cache
def _counting() -> Callable[[], object]:
    from mlirad.frontend.splicing.call_sites import asking  # which most programs do without

    def sample() -> object:
        return object()

    def same(value: Any) -> Any:
        return value

    hooks = Hooks(same, same, same, same, same, same, same, made=lambda result: sys.getrefcount(result))
    sample.__code__ = asking(sample.__code__, hooks)
    return sample


def _traced(array: PlainArray) -> Any:
    found = real_or_complex(array)
    if not isinstance(found, Array):
        return found
    result = copied(found)
    result._is_row_major = is_ordered_array(array)  # pyright: ignore[reportPrivateUsage]
    return result


def require_adopted(array: object) -> None:
    """Raise `Adopted` for an array of NumPy into which a traced value is written, if that helps.

    Raises `Unasked` if it is not known where the array comes from.
    """
    if type(array) is not np.ndarray or not open_traces.frames:
        return
    functions = current_frame().functions
    owner = _owner(array)
    known = functions.made_arrays.get(id(owner))
    if known is not None and known[0]() is owner and known[1] not in functions.lessons.adopted:
        raise Adopted(known[1], owner)
    # It is not known, or only where it had others already, for what made it does not ask yet.
    require_telling_all()
