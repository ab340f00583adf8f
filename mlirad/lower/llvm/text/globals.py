"""The shared globals of a module: declarations, constant tables and metadata, each once.

Everything is keyed by content and kept in order of first use, so the same calls give the same text.

    shared = ModuleGlobals()
    shared.table("double", [1.0, 2.0])              # @table.0 = private constant ...
    shared.table("double", [1.0, 2.0])              # the same
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final

import numpy as np

from mlirad.lower.llvm.instructions import ALL_INSTRUCTIONS, Instructions
from mlirad.lower.llvm.text.value import BYTES, Kind, Value, constant
from mlirad.lower.native_program import BUFFER_ALIGNMENT
from mlirad.runtime import runtime_module

LONG_TABLE: Final = 64
"""The number of floats from which a table is written as bytes."""

_STORED: Final[dict[Kind, str]] = {"double": "<f8", "float": "<f4"}


class ModuleGlobals:
    """Collects what stands outside of the functions of one module.

    `externals` maps each symbol that must be resolved outside the module (`mlirad_c_lgamma`) to its
    declaration; intrinsics are not among them. With `polls`, code that may run long asks the host now and
    then whether to go on; see `polling.py`. With `shows_places`, every instruction is followed by a comment
    that says which place in the source it is for, where that is known. `instructions` says which the
    processor has.
    """

    def __init__(
        self,
        *,
        polls: bool = False,
        shows_places: bool = False,
        instructions: Instructions = ALL_INSTRUCTIONS,
    ) -> None:
        self.polls = polls
        self.instructions = instructions
        self.shows_places = shows_places
        self.externals: dict[str, str] = {}
        self._declarations: dict[str, str] = {}
        self._tables: dict[tuple[Kind, str], Value] = {}
        self._known_tables: dict[Hashable, tuple[Value, Value]] = {}
        self._globals: list[str] = []
        self._metadata: dict[str, str] = {}
        self._added: list[str] = []

    def declare(self, name: str, result: str, parameters: Sequence[str], attributes: str = "") -> None:
        """Declare an intrinsic (or any function the linker knows), once."""
        if name not in self._declarations:
            suffix = f" {attributes}" if attributes else ""
            self._declarations[name] = f"declare {result} @{name}({', '.join(parameters)}){suffix}"

    def external(self, name: str, result: str, parameters: Sequence[str], attributes: str = "") -> None:
        """Declare a symbol whose address the just-in-time compiler must supply."""
        if name not in self.externals:
            self.declare(name, result, parameters, attributes)
            self.externals[name] = self._declarations[name]

    def table(self, kind: Kind, numbers: Sequence[float | int]) -> Value:
        """A pointer to a constant array with these elements; equal tables are shared."""
        content = self._content(kind, numbers)
        key = (kind, content)
        if key not in self._tables:
            value = Value(f"@table.{len(self._tables)}", "ptr")
            align = max(BYTES[kind], BUFFER_ALIGNMENT)
            self._globals.append(f"{value.text} = private unnamed_addr constant {content}, align {align}")
            self._tables[key] = value
        return self._tables[key]

    def _content(self, kind: Kind, numbers: Sequence[float | int]) -> str:
        """An array with its type: of literals or, as LLVM reads these slowly, of the bytes of many floats."""
        count = len(numbers)
        if kind in _STORED and count >= LONG_TABLE and self.instructions.low_first:
            packed = np.asarray(numbers, _STORED[kind]).tobytes()
            return f'[{len(packed)} x i8] c"\\{packed.hex(chr(92)).upper()}"'
        elements = ", ".join([constant(kind, number).typed for number in numbers])
        return f"[{count} x {kind}] [{elements}]"

    def two_tables(
        self, what: Hashable, kind: Kind, make: Callable[[], tuple[Sequence[float], Sequence[float]]]
    ) -> tuple[Value, Value]:
        """Two tables that belong together; `make` is called where the module has none for `what` yet."""
        if what not in self._known_tables:
            one, two = make()
            self._known_tables[what] = self.table(kind, one), self.table(kind, two)
        return self._known_tables[what]

    def add_text(self, text: str) -> None:
        """Add text that defines types and functions, as given, once."""
        if text not in self._added:
            self._added.append(text)

    def add_runtime(self, name: str) -> None:
        """Add a part of the run-time library, and declare what it calls of LLVM and of the host."""
        definitions, declarations = runtime_module(name)
        self.add_text(definitions)
        for symbol, declaration in declarations.items():
            self._declarations.setdefault(symbol, declaration)
            if not symbol.startswith("llvm."):
                self.externals.setdefault(symbol, declaration)

    def metadata(self, node: str) -> str:
        """The reference `!k` of a metadata node given by its text, `!{!"branch_weights", ...}`."""
        reference = self._metadata.get(node)
        if reference is None:
            reference = self._metadata[node] = f"!{len(self._metadata)}"
        return reference

    def unlikely(self) -> str:
        """Return what a branch ends with whose condition hardly ever holds."""
        weights = self.metadata('!{!"branch_weights", i32 1, i32 10000}')
        return f", !prof {weights}"

    def natural(self) -> str:
        """The range of integers that are not negative."""
        return self.metadata("!{i64 0, i64 -9223372036854775808}")
