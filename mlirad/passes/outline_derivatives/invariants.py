"""Parameters that recursion passes on unchanged: the reverse sweep is given them, so no call keeps them.

f(x, w, n) = ... f(x + 1, w, n - 1) ...          w is invariant; no call has to keep it
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, BlockArgument

from mlirad.dialects.shapes import Value
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import callee_name, calls_of
from mlirad.ir.free_values import own_operands


def invariant_parameters(
    functions: Mapping[str, FuncOp], reached: Mapping[str, Set[str]]
) -> dict[str, tuple[int, ...]]:
    """For each recursive function the parameters that are invariant parameters of every caller among them.

    `reached` says what each recursive function calls, directly or not.
    """
    calls = [
        (caller, callee_name(op), op)
        for caller in reached
        for _, op in calls_of(functions[caller])
        if isinstance(op, CallOp) and caller in reached.get(callee_name(op), ())
    ]
    found = {name: set(range(len(functions[name].function_type.inputs.data))) for name in reached}
    changed = True
    while changed:
        changed = False
        for caller, callee, op in calls:
            block = function_block(functions[caller])
            for k, operand in enumerate(own_operands(op)):
                if k in found[callee] and not _is_parameter(operand, block, found[caller]):
                    found[callee].discard(k)
                    changed = True
    return {name: tuple(sorted(places)) for name, places in found.items()}


def _is_parameter(value: Value, block: Block, places: Set[int]) -> bool:
    return isinstance(value, BlockArgument) and value.block is block and value.index in places
