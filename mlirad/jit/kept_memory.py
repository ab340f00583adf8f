"""Memory that calls need again and again: blocks that are gone are kept for blocks of the same size to come.

    KEPT_BYTES               how many bytes each of the two keepers holds at most
    allocation_address("mlirad_rt_malloc")    the function by which programs allocate while they run

The system hands a large block out page by page, as it is first written, and takes it back when it is freed: a
call whose results are made and dropped in a loop would spend up to a third of its time on that, one that
keeps activation records four fifths. There are two keepers: for results (`result_memory.py`), whose memory
NumPy's functions allocate, and for what programs allocate while they run, chunks of records and tapes. A
keeper holds large blocks, and gives the oldest back for newer ones; smaller ones are the C library's business
(`mlirad/runtime/kept_blocks.h`).

Where there is no memory left a keeper gives back all that it has, and asks again.

A block has been touched, so its pages are there; what it holds is not specified. Sizes must be equal: another
fit would leave part of a block unused for as long as it is in use. Chunks double, so programs share sizes.
"""

from __future__ import annotations

from typing import Final

from mlirad.jit.c_library import c_library_address
from mlirad.jit.engine import LoadedCode
from mlirad.jit.glue import load_glue
from mlirad.jit.linked_text import linked_text
from mlirad.jit.once import once

LARGE_RESULT_BYTES: Final = 1 << 18
LARGE_RECORD_BYTES: Final = 1 << 15
"""Bytes of a block from which on it is kept. The C library gives smaller ones from its heap. A program's
memory goes back all at once, upon which the heap would give its end back to the system.
"""

KEPT_BYTES: Final = 1 << 28
"""The number of bytes that a keeper holds at most."""

KEEPER: Final = "mlirad_kept_records"

_ALLOCATE: Final = "mlirad_rt_malloc"
_FREE: Final = "mlirad_rt_free"


def allocation_address(symbol: str) -> int:
    """The address of the function by which programs allocate memory, or by which they give it back; of the
    keeper, whose first word says how many bytes it holds.
    """
    return _code().addresses[symbol]


@once
def _code() -> LoadedCode:
    """The functions. Programs and threads hold bare addresses of them, so they are never unloaded."""
    addresses = {
        "mlirad_c_malloc": c_library_address("malloc"),
        "mlirad_c_free": c_library_address("free"),
    }
    code = load_glue(linked_text(("record_memory",), addresses), (_ALLOCATE, _FREE, KEEPER))
    code.keep_loaded()
    return code
