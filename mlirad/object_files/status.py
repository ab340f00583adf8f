"""Return codes of an exported function, as the enumeration of the header has them.

    MLIRAD_OK = 0, MLIRAD_OUT_OF_MEMORY = 1, ...

The first codes are those that a call's record ends with (`mlirad/lower/native_program.py`); those from 16 on
are failures that the program reports itself.
"""

from __future__ import annotations

from typing import Final

from mlirad.lower.native_program import NO_FRAME, NO_ROOM, OUT_OF_MEMORY, OUT_OF_STACK, TOO_DEEP

OUTSIDE: Final = 8
"""The code of an access outside of a buffer, in programs that check their accesses."""

CODES: Final = {
    "OK": (0, "the results are written"),
    "OUT_OF_MEMORY": (OUT_OF_MEMORY, "malloc gave no memory"),
    "TOO_DEEP": (TOO_DEEP, "functions of the program call each other too deeply"),
    "OUT_OF_STACK": (OUT_OF_STACK, "the stack is too small for the calls of the program"),
    "NO_FRAME": (NO_FRAME, "the program restores what was not saved"),
    "NO_ROOM": (NO_ROOM, "functions hold more functions of their own kind than there is room for"),
    "OUTSIDE": (OUTSIDE, "an access was outside of its array"),
    "POSITION": (16, "a position is outside of its array"),
    "NAN": (17, "an operation made NaN of operands without NaN"),
    "OVERFLOW": (18, "an integer does not fit its type"),
    "MATRIX": (19, "a matrix is singular, or not positive definite"),
    "CONVERGENCE": (20, "a solver did not converge"),
    "ARGUMENT": (21, "a function has no result for its argument"),
    "ASSERTION": (22, "an assertion of the program does not hold"),
    "EXCEPTION": (23, "the program raises an exception of its own"),
    "POLE": (24, "a zero absorbs an infinite derivative"),
}
"""For each name its code, and what it means. Results are unspecified after all but the first."""

_KINDS: Final = (
    "position", "nan", "overflow", "matrix", "convergence", "argument", "assertion", "exception", "pole",
)  # fmt: skip

OF_REPORT: Final = {kind: CODES[kind.upper()][0] for kind in _KINDS}
"""The code of each kind of failure that programs report."""
