"""The pass `shard-rows`: a function of arrays becomes programs that run on chunks of their rows.

    shard-rows{size=n}          the rows are the dimensions whose extent is the size n

The input is array code, after differentiation, with a size (`docs/dynamic-sizes.md`): that says which
dimensions of which values are rows. So the pass is a check of each op, with a number for each value: how many
rounds over all chunks come before it. Differentiation knows nothing of chunks.

| file | job |
| --- | --- |
| `states.py` | how a value of a chunk is related to that of all rows |
| `flow.py` | the walk that finds states and levels |
| `rules.py` | the rule of each op, or why there is none |
| `positions.py`, `loops.py` | rules of gathers and scatters; of loops and branches |
| `linear.py` | what may be done to partial results |
| `branches.py` | what branches sum over rows is summed in front of them |
| `frozen.py` | the proof that rows that are done with a loop stay as they are |
| `own_code.py` | the code of a chunk |
| `stages.py` | the programs of stages, and the plan |

Soundness: the plan computes what the function does, but for rounding, whatever the chunks are, or there is a
`SplitError` with the user's line. To add an op: `rules.py`.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.distributed.plan import Plan
from mlirad.errors import SplitError
from mlirad.ir.call_graph import CallGraph, functions_by_name
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import replace_function
from mlirad.passes.inline import inline_calls
from mlirad.passes.shard_rows.branches import pulled_out
from mlirad.passes.shard_rows.flow import Flow, TooEarly
from mlirad.passes.shard_rows.own_code import own_code, prepared
from mlirad.passes.shard_rows.rules import visit
from mlirad.passes.shard_rows.stages import Cutting, Residuals

__all__ = ["Residuals", "plan_of_module"]


def plan_of_module(module: ModuleOp, size: str, residuals: Residuals = "cost") -> Plan:
    """The plan of `@main` of a module of array code, split by rows of a size; changes the module.

    Raises `SplitError` for what cannot be split.
    """
    functions = functions_by_name(module)
    main = _inlined(functions["main"], functions)
    replace_function(functions["main"], main)
    eliminate_dead_code(main)
    prepared(main, size)
    flow = _states(main, size)
    sources = own_code(main, flow)
    return Cutting(main, flow, sources, residuals).plan()


def _states(main: FuncOp, size: str) -> Flow:
    """The states of all values, once branches have their rounds in front of them."""
    while True:
        flow = Flow(size, visit)
        try:
            flow.function(main)
        except TooEarly as error:
            if pulled_out(main, flow, error):
                eliminate_dead_code(main)
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
