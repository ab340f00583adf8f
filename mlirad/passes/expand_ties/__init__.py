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

from collections.abc import Iterable
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.linear import DifferentiationOp, JetOp
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
        once = graph.reachable(_differentiated(functions.values()))
        twice = [*_differentiated(functions[name] for name in once), *_with_jets(functions.values())]
        for name in graph.reachable(twice):
            replace_function(functions[name], expand_ties(functions[name]))


def _differentiated(functions: Iterable[FuncOp]) -> list[str]:
    """The functions of which functions take derivatives."""
    ops = (op for function in functions for op in nested_ops(function.body))
    return [op.callee_name for op in ops if isinstance(op, DifferentiationOp)]


def _with_jets(functions: Iterable[FuncOp]) -> list[str]:
    """The functions whose Taylor coefficients of order 2 and more are taken."""
    ops = (op for function in functions for op in nested_ops(function.body))
    return [op.callee_name for op in ops if isinstance(op, JetOp) and op.degree > 1]


def expand_ties(function: FuncOp) -> FuncOp:
    """The function, smooth at ties where it is made of kinks; itself if it is not."""
    if not holds(function, KINKS):
        return function
    from mlirad.passes.expand_ties.expansion import expanded

    return expanded(function)
