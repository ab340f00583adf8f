"""A check for free memory, before code that could not recover from its lack.

    require_memory(1 << 26, "compile a program of 2 MB of LLVM IR")

LLVM ends the process where the system refuses it memory, and OpenBLAS asks again for ever: under `ulimit -v`,
or where nothing is left. So it is asked for beforehand, and given back at once.

Memory is asked for before it is needed. LLVM ends the process where an allocation fails, and OpenBLAS tries
again for ever; neither can be told otherwise. A compile in a child would survive it, at the price of a fork
of a process with threads for every program. A mapping that is given back at once costs a microsecond, and
finds out all but what other threads take in between.
"""

from __future__ import annotations

import mmap
import os
from typing import Final

from mlirad.errors import OutOfMemoryError

COMPILE_BYTES: Final = 1 << 26
"""The memory that a compile of a program of usual size takes in Python. With less, Python itself fails in odd
ways.
"""

_FLAGS: Final = (
    mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0) if os.name == "posix" else 0
)
"""Limits count such memory. The machine is not asked for as much, as little of it may be used."""


def require_memory(size: int, purpose: str) -> None:
    """Raise `OutOfMemoryError` unless the system gives a given number of bytes at present."""
    if os.name != "posix":
        return
    try:
        mmap.mmap(-1, size, flags=_FLAGS).close()
    except (OSError, MemoryError) as error:
        raise OutOfMemoryError(
            f"there is no memory to {purpose}: up to {-(-size >> 20)} MiB may be needed",
            hint="raise the limit of the process, as ulimit -v shows it, or free what is not needed",
        ) from error
