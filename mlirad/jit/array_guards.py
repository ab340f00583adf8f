"""The guard of an array: has it the same dtype, shape and elements?

    ArrayGuard(a).holds()      -->  True, until an element of a has other bits, or a has another shape

Elements are compared with a copy, which takes as long as reading both. An array whose elements lie together,
in row-major or column-major order, is one piece of memory, which machine code compares. Any other is compared
by NumPy, as integers of the width of its elements, which takes twice as long.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mlirad.jit import object_layout as layout
from mlirad.jit.guard_kinds import ARRAY, CALL
from mlirad.jit.guards import Words

_WORDS: Final[dict[int, type[np.unsignedinteger[Any]]]] = {
    1: np.uint8,
    2: np.uint16,
    4: np.uint32,
    8: np.uint64,
}
"""Integers by their bytes."""

SMALL: Final = 4096
"""The most bytes that are copied in no more time than NumPy's calls for a comparison in place take."""


class ArrayGuard:
    """The elements of an array, compared with a copy bit by bit.

    The elements of an array that owns its memory and cannot be written to stay what they are; of them
    nothing is compared.
    """

    def __init__(self, array: npt.NDArray[Any]):
        self._array = array
        self.is_constant = array.flags.owndata and not array.flags.writeable
        self._copy = array if self.is_constant else array.copy(order="K")
        self._kind = (array.dtype, array.shape, self._flags())

    def holds(self) -> bool:
        """Return whether dtype, shape and elements are the same."""
        array = self._array
        if (array.dtype, array.shape, self._flags()) != self._kind:
            return False
        return self.is_constant or have_same_bits(array, self._copy)

    def shares(self, array: npt.NDArray[Any]) -> bool:
        """Tell whether the array has memory of another one."""
        return np.may_share_memory(self._array, array)

    def put_back(self) -> None:
        """Give the array its former elements, if it has still their shape and can be written."""
        if self._array.shape == self._copy.shape and self._array.dtype == self._copy.dtype:
            np.copyto(self._array, self._copy)

    def _flags(self) -> int:
        return self._array.flags.num

    def words(self, kept: list[object]) -> Sequence[Words]:
        """A description of the array; a call of Python for one whose elements do not lie together."""
        array = self._array
        if not array.flags.forc:
            kept.append(holds := self.holds)
            return [(CALL, id(holds), 0, 0)]
        shape = (ctypes.c_ssize_t * max(array.ndim, 1))(*array.shape)
        description = (ctypes.c_int64 * 6)(
            id(array.dtype),
            ctypes.c_int.from_address(id(array) + layout.FLAGS).value,
            array.ndim,
            ctypes.addressof(shape),
            self._copy.ctypes.data,
            0 if self.is_constant else array.nbytes,
        )
        kept += [shape, description, array.dtype]
        return [(ARRAY, id(array), ctypes.addressof(description), 0)]


def have_same_bits(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> bool:
    """Return whether the elements of two arrays of one shape and dtype, without objects, are the same bit by
    bit.

    Small elements are copied, and so are those without an integer of their width, such as long strings and
    records.
    """
    if a.dtype.kind == "c":
        return have_same_bits(np.real(a), np.real(b)) and have_same_bits(np.imag(a), np.imag(b))
    word = _WORDS.get(a.dtype.itemsize)
    if word is None or a.nbytes <= SMALL:
        return a.tobytes() == b.tobytes()
    return bool(np.array_equal(np.asarray(a).view(word), np.asarray(b).view(word)))
