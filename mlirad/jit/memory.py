"""Blocks of memory with a given alignment, as arrays of bytes, and the arena that calls share."""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mlirad.lower.native_program import BUFFER_ALIGNMENT


def aligned_bytes(size: int, alignment: int = BUFFER_ALIGNMENT) -> npt.NDArray[np.uint8]:
    """`size` bytes, not initialised, whose address is a multiple of `alignment`."""
    block = np.empty(size + alignment, np.uint8)
    start = -block.ctypes.data % alignment
    return block[start : start + size]


def aligned_copy(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A read-only row-major copy at an address that is a multiple of `BUFFER_ALIGNMENT`."""
    copy = aligned_bytes(array.nbytes).view(array.dtype.newbyteorder("=")).reshape(array.shape)
    copy[...] = array
    copy.flags.writeable = False
    return copy


def has_own_elements(array: npt.NDArray[Any]) -> bool:
    """Return whether each element lies in memory of its own, as in slices of arrays: not where one was
    repeated.

    Of dimensions that are interleaved it may say no where nothing is shared.
    """
    if array.flags.c_contiguous or array.size < 2:
        return True
    reach = array.itemsize
    for stride, extent in sorted(zip(map(abs, array.strides), array.shape, strict=True)):
        if extent > 1:
            if stride < reach:
                return False
            reach = stride * extent
    return True


class Arena:
    """Scratch memory for one call at a time; `words` are whether it is in use, and its address.

    A call takes it by setting the first word from 0 to 1 in one step.
    """

    def __init__(self, size: int):
        self.size: Final = size
        self._block = aligned_bytes(size)
        self.words: Final = (ctypes.c_int64 * 2)(0, self._block.ctypes.data)

    @property
    def address(self) -> int:
        """The address of the words; 0 for an arena of no bytes, which nobody has to take."""
        return ctypes.addressof(self.words) if self.size else 0
