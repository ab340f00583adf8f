"""Addresses in texts of LLVM IR.

f"call void {pointer(0x7F00)}(ptr %x)"
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlirad.jit.object_layout import python_function

ADDRESS = re.compile(r"inttoptr \(i64 ([1-9]\d*) to ptr\)")
"""An address in a text, as `pointer` writes it; null does not match."""


def pointer(address: int) -> str:
    """An address as a constant of LLVM IR."""
    return f"inttoptr (i64 {address} to ptr)"


def python_functions(names: Sequence[str]) -> dict[str, str]:
    """The addresses of functions of Python's interface for C, by their names."""
    return {name: pointer(python_function(name)) for name in names}
