"""Cases that are known to fail, and why: `conftest.py` expects them to.

A case that is mended leaves the list.
"""

from __future__ import annotations

from typing import Final

KNOWN_FAULTS: Final[dict[str, str]] = {
    "tests/acceptance/test_cells.py::test_programs[updates-by-recursion]": (
        "the gradient by `jacobian` of recursion that updates an array costs the square of the steps"
    ),
    "tests/threads/test_same_bits.py::test_checked_random_programs[6]": (
        "a program with checks of addresses computes other last bits than one without"
    ),
}
"""By the name of the case."""
