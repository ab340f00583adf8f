"""Reports where a zero absorbs an infinite derivative, in programs that are compiled with `check_absorbed`.

    %k = 0.5 / sqrt(%x)                             infinite where x = 0
    %d = array.absorbing_mul %k, %c       --->      %t1 = array.report pole %t, (%k not finite, %c == 0, ...)
                                                    %d = array.absorbing_mul %k, %c

By the chain rule a derivative is a sum of products of factors. Where one factor is infinite and another 0,
their product is taken to be 0, which need not be the derivative. That is meant where the 0 says that
something is not taken: the branch of a `where`, an element that nothing reads, a direction in which nothing
moves. It is a finding where the 0 was computed, and `computed_zeros.py` tells which of the two a zero is.
Products that absorb by their definition, as in `xlogy`, are not findings.

`name-ops` runs before derivatives are made, `check-absorbed` when all of them are array code.

`control.py` carries reports, tokens and shadows through loops and branches of the array code that derivatives
have become.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, NameLoc, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.array import elementwise as ew
from mlirad.ir.call_graph import CallGraph, functions_by_name, is_private
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import replace_function


@dataclass(frozen=True)
class NameOpsPass(ModulePass):
    """Put the names of ops into their locations, which their derivatives have, too."""

    name = "name-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Name every op after itself."""
        for inner in nested_ops(op.body):
            name = StringAttr(inner.name.removeprefix("array."))
            inner.location = NameLoc(name, inner.location)


@dataclass(frozen=True)
class CheckAbsorbedPass(ModulePass):
    """Report where a zero that was computed absorbs an infinite derivative."""

    name = "check-absorbed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that hold products in which zeros absorb, and those that call them."""
        functions = functions_by_name(op)
        graph = CallGraph(functions)
        holding = {name for name, f in functions.items() if _holds_products(f)}
        reporting = {name for name in functions if not holding.isdisjoint(graph.reachable([name]))}
        if not reporting:
            return
        from mlirad.passes.check_absorbed.control import checked

        for name in reporting:
            function = functions[name]
            replace_function(function, checked(function, reporting, is_entry=not is_private(function)))


def _holds_products(function: FuncOp) -> bool:
    return any(isinstance(op, ew.AbsorbingMulOp) for op in nested_ops(function.body))
