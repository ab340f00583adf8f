"""Adds the formal derivative over Z/2 of a function of booleans.

    formal-derivative{function=f}                   @f_formal(p, q, dp, dq) -> (f(p, q), df)
    formal-derivative{function=f mode=reverse}      @f_formal_reverse(p, q, ct) -> (f(p, q), ct_p, ct_q)

Booleans are numbers modulo 2: exclusive or is their sum, `and` their product. For f that is linear in each of
its arguments df is f(p, q) xor f(p xor dp, q) for dp alone. Other arguments than booleans are constants; no
branch, trip count or position may depend on a boolean that is differentiated.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.shapes import Value, element_of
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.first_order import require_first_order
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.chad.instances import FORMAL
from mlirad.passes.chad.shadows import ForwardSweep
from mlirad.passes.chad.sweeps.formal_reverse import swept
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.differentiate import add_beside, chosen
from mlirad.passes.inline import inline_calls


@dataclass(frozen=True)
class FormalDerivativePass(ModulePass):
    """Adds `@f_formal` or `@f_formal_reverse`. Without a name, the function is `@main` or the only one."""

    name = "formal-derivative"
    function: str | None = None
    mode: str = "forward"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Put the new function after the one that it differentiates."""
        modes = {"forward": _forward, "reverse": _reverse}
        if self.mode not in modes:
            raise UnsupportedError(f"there is no mode {self.mode!r}", hint=f"there are {', '.join(modes)}")
        require_first_order(op)
        functions = functions_by_name(op)
        function = chosen(functions, self.function)
        add_beside(function, modes[self.mode](inline_calls(function, functions)), functions)


def _forward(function: FuncOp) -> FuncOp:
    """The function that returns what a function without calls does, and the derivatives of booleans."""
    block = function_block(function)
    given, wanted = _booleans(block.args), _booleans(returned(function))

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        sweep = ForwardSweep(b, FORMAL, dict(zip(block.args, args, strict=False)))
        sweep.shadows = dict(zip(given, args[len(block.args) :], strict=True))
        sweep.transform(block)
        return sweep.both(returned(function), wanted)

    hints = [a.name_hint for a in block.args]
    hints += [None if a.name_hint is None else f"d_{a.name_hint}" for a in given]
    name, types = f"{function.sym_name.data}_formal", [*block.arg_types, *(a.type for a in given)]
    return eliminate_dead_code(new_function(name, types, body, None, hints))


def _reverse(function: FuncOp) -> FuncOp:
    """The function that also takes cotangents of booleans it returns, and returns those of its arguments."""
    block = function_block(function)
    given, wanted = _booleans(block.args), _booleans(returned(function))

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        env: Environment = dict(zip(block.args, args, strict=False))
        cotangents = list(zip(wanted, args[len(block.args) :], strict=True))
        s, sums = swept(b, env, list(block.ops), given, cotangents)
        return [*s.values(returned(function)), *sums]

    hints = [*(a.name_hint for a in block.args), *(["ct"] * len(wanted))]
    name, types = f"{function.sym_name.data}_formal_reverse", [*block.arg_types, *(v.type for v in wanted)]
    return eliminate_dead_code(new_function(name, types, body, None, hints))


def _booleans(values: Sequence[Value]) -> list[Value]:
    return [v for v in values if element_of(v.type) == i1]
