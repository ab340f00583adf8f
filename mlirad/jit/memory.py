"""Blocks of memory with a given alignment, as arrays of bytes."""

from __future__ import annotations

from typing import Any

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
