"""Makes values smooth at ties, where they are made of kinks, for derivatives of second order.

    %a = array.abs %x
    %l = array.log1p (array.exp (-%a))      --->     %l, and where x = 0: x x / 8 more, which is 0

Where a kink a is 0, what is computed of it is f(0) + f'(0) a + f''(0) a^2 / 2, up to third order. The slope
of a is 0 there by convention, so derivatives that are made op by op lack those of the last term, whose factor
a^2 is smooth: x x. With it the second derivative at a tie is the mean of the limits from both sides, which is
that of the function where kinks cancel, as in max(x, 0) + log1p(exp(-|x|)). Each of several kinks has a term.
Values stay as they are. What is differentiated once needs none of this.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.linear import DifferentiationOp, JetOp
from mlirad.dialects.shapes import values_of
from mlirad.ir.call_graph import CallGraph, functions_by_name, references_of
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import holds, replace_function

KINKS: Final = (ew.AbsOp, ew.MaxOp, ew.SignOp, ew.CopysignOp, ew.SqrtOp, ew.HypotOp, CustomOp)
"""The ops without which there is nothing to expand."""


@dataclass(frozen=True)
class ExpandTiesPass(ModulePass):
    """Make what kinks are in smooth at ties, in functions that are differentiated twice."""

    name = "expand-ties"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that a derivative of a derivative reaches."""
        functions = functions_by_name(op)
        graph = CallGraph(functions, references_of)
        _, twice, thrice = _differentiations(functions, graph)
        called = {name for f in functions.values() for name, inner in references_of(f) if inner not in twice}
        again = graph.reachable(inner.callee_name for inner in thrice)
        for name in graph.reachable(inner.callee_name for inner in twice):
            arguments = {k for inner in twice if inner.callee_name == name for k in values_of(inner.wrt)}
            wanted = Wanted(None if name in called else arguments, is_last=name not in again)
            replace_function(functions[name], expand_ties(functions[name], wanted))


def _differentiations(functions: Mapping[str, FuncOp], graph: CallGraph) -> list[list[DifferentiationOp]]:
    """The ops that differentiate, those in what is differentiated, and those in what these differentiate."""
    found: list[list[DifferentiationOp]] = []
    names: Collection[str] = functions
    jets: list[JetOp] = []
    for order in range(1, 4):
        ops = [
            op
            for name in names
            for op in nested_ops(functions[name].body)
            if isinstance(op, DifferentiationOp)
        ]
        if order == 1:
            jets = [op for op in ops if isinstance(op, JetOp)]
        else:
            ops = list(dict.fromkeys([*ops, *(jet for jet in jets if jet.degree >= order)]))
        found.append(ops)
        names = graph.reachable(op.callee_name for op in ops)
    return found


@dataclass(frozen=True)
class Wanted:
    """The derivatives of a function that are taken."""

    arguments: Collection[int] | None = None
    """The positions of the arguments that it is differentiated by; `None` is all."""
    is_last: bool = False
    """Tell if no derivative of third order is taken."""


def expand_ties(function: FuncOp, wanted: Wanted | None = None) -> FuncOp:
    """The function, smooth at ties where it is made of kinks; itself if it is not."""
    if not holds(function, KINKS):
        return function
    from mlirad.passes.expand_ties.expansion import expanded

    wanted = wanted or Wanted()
    return expanded(function, wanted.arguments, is_last=wanted.is_last)
