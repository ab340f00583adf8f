"""A plan as functions of MLIR: one for each round, and one for the results without rows.

    func.func @f_round0(...) attributes {array.inputs = ["argument 0"], array.combined = ["add 0"]}
    func.func @f_results(...) attributes {array.inputs = ["combined 0"]}

`array.combined` says how the first results of a round are combined over chunks; the others are residuals.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp

from mlirad.distributed.plan import (
    Argument,
    Before,
    Beside,
    ChunkNumber,
    Combined,
    Extent,
    FirstRow,
    Plan,
    Program,
    Residual,
    Rows,
    Source,
    Whole,
)
from mlirad.ir.call_graph import functions_of
from mlirad.ir.parsing import parse_module

INPUTS = "array.inputs"
COMBINED = "array.combined"
RESULTS = "array.split_results"


def functions_of_plan(plan: Plan, name: str) -> list[FuncOp]:
    """The functions of a plan, by the name of the function that was split."""
    made: list[FuncOp] = []
    for number, stage in enumerate(plan.stages):
        function = _functions(stage.program, f"{name}_round{number}", made)
        kinds = [f"{c.kind} {' '.join(map(str, c.numbers))}" for c in stage.combinations]
        function.attributes[COMBINED] = _texts(kinds)
    if plan.final is not None:
        _functions(plan.final, f"{name}_results", made)
    if made:
        made[-1].attributes[RESULTS] = _texts([_place(r) for r in plan.results])
    return made


def _place(result: Whole | Rows) -> str:
    """Say where a result comes from."""
    if isinstance(result, Whole):
        return f"whole {result.index}"
    cut = f", the last {result.left_out} left out" if result.left_out else ""
    return f"rows {result.dimension} of {shown(result.source)}{cut}"


def _functions(program: Program, name: str, made: list[FuncOp]) -> FuncOp:
    """Enter the functions of a program; the first one gets the name."""
    main, *callees = functions_of(parse_module(program.text))
    known = {f.sym_name.data for f in made}
    for function in (main, *(f for f in callees if f.sym_name.data not in known)):
        function.detach()
        made.append(function)
    main.properties["sym_name"] = StringAttr(name)
    main.attributes[INPUTS] = _texts([shown(source) for source in program.inputs])
    return main


def _texts(texts: Sequence[str]) -> ArrayAttr[StringAttr]:
    return ArrayAttr([StringAttr(text) for text in texts])


def shown(source: Source) -> str:
    """Say where an argument of a program comes from."""
    match source:
        case Argument(index):
            return f"argument {index}"
        case Combined(number):
            return f"combined {number}"
        case Before(number, kind, is_after):
            return f"{kind} {'after' if is_after else 'before'} of combined {number}"
        case Beside(number, _, is_after):
            return f"rows {'after' if is_after else 'before'} the chunk of combined {number}"
        case Residual(stage, slot):
            return f"residual {slot} of round {stage}"
        case Extent(scale, offset):
            return f"{scale} * n + {offset}"
        case FirstRow():
            return "first row"
        case ChunkNumber():
            return "chunk number"
