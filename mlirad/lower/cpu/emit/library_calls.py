"""Calls of the routines of BLAS and LAPACK, all of whose arguments are passed by address.

calls = LibraryCalls(f, "double")
calls.blas("gemv", [calls.char("N"), calls.int(3), ...])      call void @mlirad_blas_dgemv(ptr ..., ...)
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.dialects.extents import is_static
from mlirad.lower.llvm.text import IRBuilder, Kind, Value
from mlirad.lower.native_program import LIBRARY_PREFIXES

LARGEST = 2**31 - 1
"""The largest integer that the routines take."""


class LibraryCalls:
    """Writes calls of the routines for one kind of floats, or for complex numbers, pairs of these."""

    def __init__(self, f: IRBuilder, kind: Kind, *, is_complex: bool = False):
        self.f = f
        self.kind: Kind = kind
        self._is_complex = is_complex
        self._letter = ("z" if is_complex else "d") if kind == "double" else "c" if is_complex else "s"

    def blas(self, routine: str, operands: Sequence[Value], result: Kind | None = None) -> Value | None:
        """Call a routine of BLAS; a few have a result."""
        return self._call("blas", routine, operands, result)

    def lapack(self, routine: str, operands: Sequence[Value]) -> None:
        """Call a routine of LAPACK."""
        self._call("lapack", routine, operands, None)

    def _call(
        self, library: str, routine: str, operands: Sequence[Value], result: Kind | None
    ) -> Value | None:
        name = f"{LIBRARY_PREFIXES[library]}{self._letter}{routine}"
        self.f.module.external(name, result or "void", ["ptr"] * len(operands))
        return self.f.call(name, operands, result)

    def int(self, number: int) -> Value:
        """The address of an integer."""
        if is_static(number):
            return self.f.module.table("i32", [number])
        slot = self.f.alloca("i32", 1, 4)
        self.f.store(self.f.trunc(self.f.value(number, "i64"), "i32"), slot)
        return slot

    def number(self, number: float) -> Value:
        """The address of a real number, as a complex one where numbers are complex."""
        return self.f.module.table(self.kind, [number, 0.0] if self._is_complex else [number])

    def char(self, letter: str) -> Value:
        """The address of a character."""
        return self.f.module.table("i8", [ord(letter)])
