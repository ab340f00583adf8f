"""Calls by which a kernel hands values to the host: to print, to report a failure, to call Python.

The host gets a description, which is text in JSON, a table with the addresses of the values, and a number. It
says whether the program is to go on, which it is not if what runs in Python raises.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.cpu.emit.kernels import KernelText
from mlirad.lower.llvm.text import Value
from mlirad.lower.native_program import ReportNote


class HostCall:
    """A call of a function of the host, the same except for the number wherever the kernel makes it."""

    def __init__(
        self, kernel: KernelText, symbol: str, described: Mapping[str, Any], values: Sequence[Buffer]
    ) -> None:
        f = self._f = kernel.f
        self._symbol = symbol
        f.module.external(symbol, "i64", ["ptr", "ptr", "ptr", "i64"], "nounwind")
        text = (*json.dumps(described).encode(), 0)
        self._description = f.module.table("i8", [c - 256 if c > 127 else c for c in text])
        self._table = f.alloca("ptr", max(1, len(values)), 8)
        for k, value in enumerate(values):
            f.store(kernel.pointers[value.place], f.gep(self._table, k, "ptr"))

    def note(self, kind: str, message: str, line: str | None) -> ReportNote:
        """The note that the program has of the call."""
        return ReportNote(self._description.text, kind, message, line)

    def write(self, number: Value) -> None:
        """Write the call, and the return if the program is not to go on."""
        f = self._f
        status = f.call(self._symbol, [f.context, self._description, self._table, number], "i64")
        assert status is not None
        f.stop_if(f.icmp("ne", status, 0))
