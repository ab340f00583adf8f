"""Cases that are known to fail, and why: `conftest.py` expects them to.

A case that is mended leaves the list.
"""

from __future__ import annotations

from typing import Final

KNOWN_FAULTS: Final[dict[str, str]] = {
    "tests/threads/test_same_bits.py::test_checked_random_programs[6]": (
        "LLVM fuses a product with a sum in one basic block only, and a check of an address ends a block"
    ),
}
"""By the name of the case."""
