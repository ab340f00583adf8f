"""Adds the formal derivative over Z/2 of a function of booleans.

    formal-derivative{function=f}       @f_formal(p, q, dp, dq) -> (f(p, q), df)

Booleans are numbers modulo 2: exclusive or is their sum, `and` their product. For f that is linear in each of
its arguments df is f(p, q) xor f(p xor dp, q) for dp alone. Other arguments than booleans are constants; no
branch, trip count or position may depend on a boolean that is differentiated.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.shapes import Value, element_of
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.functions import require_first_order
from mlirad.passes.chad.instances import FORMAL
from mlirad.passes.chad.shadows import ForwardSweep
from mlirad.passes.differentiate import add_beside, chosen
from mlirad.passes.inline import inline_calls


@dataclass(frozen=True)
class FormalDerivativePass(ModulePass):
    """Adds `@f_formal`. Without a name, the function is `@main` or the only one."""

    name = "formal-derivative"
    function: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Put the new function after the one that it differentiates."""
        require_first_order(op)
        functions = functions_by_name(op)
        function = chosen(functions, self.function)
        add_beside(function, with_formal_derivative(inline_calls(function, functions)), functions)


def with_formal_derivative(function: FuncOp) -> FuncOp:
    """The function that returns what a function without calls does, and the derivatives of booleans."""
    block = function_block(function)
    given = [a for a in block.args if element_of(a.type) == i1]
    wanted = [v for v in returned(function) if element_of(v.type) == i1]

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        sweep = ForwardSweep(b, FORMAL, dict(zip(block.args, args, strict=False)))
        sweep.shadows = dict(zip(given, args[len(block.args) :], strict=True))
        sweep.transform(block)
        return sweep.both(returned(function), wanted)

    hints = [a.name_hint for a in block.args]
    hints += [None if a.name_hint is None else f"d_{a.name_hint}" for a in given]
    name, types = f"{function.sym_name.data}_formal", [*block.arg_types, *(a.type for a in given)]
    return new_function(name, types, body, None, hints)
