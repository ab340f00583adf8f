"""The pass `curry`: functions as combinators, and derivatives by their back-propagators.

    curry{function=f}                  adds @f_curry, which returns @f as a rep-function, to be read
    curry{tangents=environment}        every differentiation operator becomes `function.pullback` of one

The interpreter runs rep-functions, by either form of the tangents of closures. `maps-to-closures` makes
closures of them, which are compiled (`staging.py`).
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlirad.dialects import linear
from mlirad.dialects.function.combinators import TANGENTS, PullbackOp
from mlirad.dialects.function.rep import RepType
from mlirad.dialects.shapes import Value, keyword, tuple_type, values_of
from mlirad.errors import DifferentiationError, UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function, rebuild_function
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.first_order import is_higher
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.chad.specification.functions import partial_map
from mlirad.passes.chad.types import Types
from mlirad.passes.curry.translation import SUFFIX, Translation
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import drop_unreferenced, holds, replace_function, visit_regions


@dataclass(frozen=True)
class CurryPass(ModulePass):
    """Adds `@f_curry`, the function as combinators; without a name, expands all derivatives."""

    name = "curry"
    function: str | None = None
    tangents: str = "environment"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Add the combinators of the function, or of those that are differentiated, and of all they call."""
        if self.tangents not in TANGENTS:
            there = ", ".join(TANGENTS)
            raise UnsupportedError(f"there are no tangents {self.tangents!r}", hint=f"there are {there}")
        functions = functions_by_name(op)
        asked: dict[str, None] = {}
        if self.function is not None:
            if self.function not in functions:
                there = ", ".join(f"@{name}" for name in functions) or "none"
                raise UnsupportedError(f"there is no function @{self.function}", hint=f"there are {there}")
            asked[self.function] = None
        else:
            for function in functions.values():
                if holds(function, linear.DifferentiationOp):
                    replace_function(function, eliminate_dead_code(_expanded(function, self.tangents, asked)))
        made = 0
        while made < len(asked):
            name = list(asked)[made]
            op.body.block.add_op(_translated(functions[name], asked))
            made += 1
        if self.function is None:
            drop_unreferenced(op)


def _translated(function: FuncOp, asked: dict[str, None]) -> FuncOp:
    """The function that returns a function as combinators; `asked` gets the names of those it needs."""

    def body(b: ArrayBuilder) -> list[Value]:
        b.location = function.location
        translation = Translation(b)
        block = function_block(function)
        made = translation.block(block, block.args)
        asked.update(translation.called)
        return [made]

    new = eliminate_dead_code(new_function(function.sym_name.data + SUFFIX, (), body, "private"))
    new.location = function.location
    return new


def _expanded(function: FuncOp, tangents: str, asked: dict[str, None]) -> FuncOp:
    """The function with its differentiation operators as pullbacks of combinators."""

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if not isinstance(op, linear.DifferentiationOp):
            visit_regions(b, op, env, visit)
            return
        if isinstance(op, linear.JetOp):
            raise DifferentiationError(
                f"the differentiable curry makes linear maps, and a jet of @{op.callee_name} is not linear",
                location=location_of(op),
                hint="choose another method where there are jets",
            )
        arguments = [env.get(a, a) for a in op.arguments]
        if any(is_higher(a.type) for a in arguments):
            raise DifferentiationError(
                f"@{op.callee_name} takes a function, tuple or sum, whose tangents have no type of their own",
                location=location_of(op),
                hint="make it in the function that is differentiated",
            )
        asked[op.callee_name] = None
        inputs, outputs = [a.type for a in arguments], [r.type for r in op.primals[:-1]]
        callee = {"callee": SymbolRefAttr(op.callee_name + SUFFIX)}
        rep = b.emit(CallOp, (), RepType(tuple_type(inputs), tuple_type(outputs)), callee)
        types = Types("reverse")
        domain = types.linear_product(inputs)
        results = [*outputs, types.map(domain, types.linear_product(outputs))]
        properties = {"tangents": keyword(tangents)}
        *values, map_ = b.insert(PullbackOp, [rep, *arguments], results, properties).results
        map_ = partial_map(b, types, map_, domain, values_of(op.wrt), len(inputs))
        env.update(zip(op.primals, [*values, b.transpose_map(map_)], strict=True))
        if isinstance(op, linear.PullbackOp):
            env[op.primals[-1]] = map_

    return rebuild_function(function, visit)
