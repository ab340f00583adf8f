"""The tests' knowledge of the C sources of the run-time library."""

from __future__ import annotations

import re

from tools.build_runtime import SOURCES


def constant(file: str, name: str) -> int:
    """The value of a constant that a source file defines in an `enum`."""
    found = re.search(rf"\b{name} = ([^,}}]+)", (SOURCES / file).read_text())
    assert found is not None, f"{file} has no {name}"
    base, _, shift = found[1].partition("<<")
    return int(base, 0) << int(shift or 0)


FIRST_CHUNK_BYTES = constant("chunk_store.c", "FIRST_CHUNK_BYTES")
"""The size of the first chunk of a store, unless a record needs more."""
