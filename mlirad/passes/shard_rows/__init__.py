"""The pass `shard-rows`: a function of arrays becomes programs that run on chunks of their rows.

    shard-rows{size=n}          the rows are the dimensions whose extent is the size n

The input is array code, after differentiation, with a size (`docs/dynamic-sizes.md`): a dimension with that
extent is the rows of a value. So the pass is a check of each op, with a number for each value: how many
rounds over all chunks come before it. Differentiation knows nothing of chunks.

| file | job |
| --- | --- |
| `states.py` | how a value of a chunk is related to that of all rows |
| `flow.py` | the walk that finds states and levels |
| `rules.py` | the rule of each op, or why it has no rule |
| `positions.py`, `loops.py` | rules of gathers and scatters; of loops and branches |
| `linear.py` | what may be done to partial results |
| `branches.py` | what branches sum over rows is summed in front of them |
| `hoisting.py`, `pairs.py` | fewer rounds, as sums are taken apart, or need no mean or maximum |
| `emission.py` | new ops |
| `frozen.py` | the proof that rows that are done with a loop stay as they are |
| `prepared.py` | what the rules take in one form alone |
| `alignment.py`, `windows.py`, `neighbours.py` | rows beside rows: `x[1:]` and sliding windows |
| `prefixes.py`, `orders.py` | cumulative sums in two rounds; medians and quantiles by counting |
| `own_code.py`, `picked.py`, `searches.py` | the code of a chunk; for rows by number; for what it counts |
| `stages.py`, `shortcuts.py` | the programs of stages, and the plan; rounds that may be left out |
| `printing.py` | a plan as functions of MLIR |

Soundness: the plan computes what the function does, up to rounding, whatever the chunks are, or there is a
`SplitError` with the user's line. To add an op: `rules.py`.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.concrete_sizes import stated_sizes
from mlirad.distributed.plan import Plan
from mlirad.errors import SplitError, UnsupportedError
from mlirad.ir.call_graph import CallGraph, functions_by_name
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.differentiate import chosen
from mlirad.passes.function_pass import replace_function
from mlirad.passes.inline import inline_calls
from mlirad.passes.shard_rows.branches import pulled_out
from mlirad.passes.shard_rows.flow import GROUP, Flow, TooEarly
from mlirad.passes.shard_rows.hoisting import MOST_REWRITES, hoist
from mlirad.passes.shard_rows.own_code import own_code
from mlirad.passes.shard_rows.pairs import pair
from mlirad.passes.shard_rows.prepared import prepared
from mlirad.passes.shard_rows.printing import functions_of_plan
from mlirad.passes.shard_rows.rules import visit
from mlirad.passes.shard_rows.stages import POLICIES, Cutting, Residuals

__all__ = ["Residuals", "ShardRowsPass", "plan_of_module"]


@dataclass(frozen=True)
class ShardRowsPass(ModulePass):
    """Replaces a function by those that run on chunks of its rows, round by round; `size` is that of rows.

    Without a name, the function is `@main` or the only one. `residuals` is `cost`, `keep` or `again`.
    """

    name = "shard-rows"
    size: str = "n"
    function: str | None = None
    residuals: str = "cost"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the function. Raises `SplitError` for what cannot be split."""
        functions = functions_by_name(op)
        function = chosen(functions, self.function)
        residuals = POLICIES.get(self.residuals)
        if residuals is None:
            raise UnsupportedError(f"residuals '{self.residuals}' is not one of {', '.join(POLICIES)}")
        if self.size not in stated_sizes(function):
            there = ", ".join(stated_sizes(function)) or "none"
            raise UnsupportedError(
                f"@{function.sym_name.data} states no size {self.size}; it states: {there}",
                location=location_of(function),
            )
        plan = plan_of_module(op, self.size, residuals, function.sym_name.data)
        name = function.sym_name.data
        for old in list(op.body.block.ops):
            old.detach()
            old.erase()
        for made in functions_of_plan(plan, name):
            op.body.block.add_op(made)


def plan_of_module(
    module: ModuleOp, size: str, residuals: Residuals = "cost", function: str = "main"
) -> Plan:
    """The plan of a function of a module of array code, split by rows of a size; changes the module.

    Raises `SplitError` for what cannot be split.
    """
    functions = functions_by_name(module)
    main = _inlined(functions[function], functions)
    replace_function(functions[function], main)
    eliminate_dead_code(main)
    prepared(main, size)
    main = _in_fewer_rounds(main, size)
    flow = _states(main, size)
    sources = own_code(main, flow)
    return Cutting(main, flow, sources, residuals).plan()


def _in_fewer_rounds(main: FuncOp, size: str) -> FuncOp:
    """The function with sums taken apart, where it takes fewer rounds by that."""
    rounds = _states(main, size).rounds(main)
    if rounds < 2:
        return main
    copied = main.clone()
    for _ in range(MOST_REWRITES):
        flow = _states(copied, size)
        if not hoist(copied, flow) and not pair(copied, flow):
            break
    if _states(copied, size).rounds(copied) >= rounds:
        return main
    replace_function(main, copied)
    return copied


def _states(main: FuncOp, size: str) -> Flow:
    """The states of all values, once branches have their rounds in front of them."""
    while True:
        flow = Flow(size, visit)
        try:
            flow.function(main)
        except TooEarly as error:
            if pulled_out(main, flow, error):
                erase_unused(main.body.block, GROUP)
                continue
            raise SplitError(error.message, location=error.location, hint=error.hint) from None
        return flow


def _inlined(main: FuncOp, functions: dict[str, FuncOp]) -> FuncOp:
    """The function without calls, but of functions that call themselves."""
    kept = CallGraph(functions).recursive()
    while True:
        inlined = inline_calls(main, functions, kept)
        if inlined is main:
            return main
        main = inlined
