"""The functions of a module that something needs, without the others.

func.func @f  calls @g                                func.func @f
func.func @g                 --symbol-dce{entry=f}-->  func.func @g
func.func @h
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlirad.errors import CompileError
from mlirad.ir.call_graph import functions_by_name
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import drop_unreferenced


@dataclass(frozen=True)
class SymbolDcePass(ModulePass):
    """Removes private functions that nothing refers to; with `entry` all that this function does not need."""

    name = "mlirad-symbol-dce"
    entry: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Keep what is needed. Raises `CompileError` when there is no such function."""
        if self.entry is not None and self.entry not in functions_by_name(op):
            raise CompileError(f"the module has no function '{self.entry}'")
        drop_unreferenced(op, self.entry)
