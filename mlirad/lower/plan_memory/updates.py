"""Results of called functions that take over the memory of an argument.

    @f(%h, %ct, %sum : tensor<9xf64>) -> tensor<9xf64>         result 0 overwrites argument 2

So a sum of cotangents goes through a recursion without being copied: a call that adds to one element costs
one element. The last arguments are taken for what the results are made of, where the types agree. Whether a
result can overwrite its argument depends on the function, and on the calls that it makes; so all are assumed
to, and those that turn out not to are taken back until nothing changes.

Stated as the attribute `kernel.updates` of the function and of every call of it. Whoever calls passes one
address for both, and copies the argument there before, unless it is the last to read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects.func import CallOp, FuncOp

from mlirad.dialects.kernel_plans import UPDATES_ATTRIBUTE, stated_updates
from mlirad.dialects.shapes import Value, ints, shape_of
from mlirad.ir.builder import function_block, returned
from mlirad.ir.verification import is_private
from mlirad.lower.plan_memory.lifetimes import Lifetimes


def updated_arguments(functions: Mapping[str, FuncOp]) -> dict[str, Lifetimes]:
    """State for functions and calls which results overwrite arguments; returns plans of such functions."""
    calls = [op for f in functions.values() for op in f.walk() if isinstance(op, CallOp)]
    called = {op.callee.root_reference.data for op in calls}
    updates = {name: _candidates(f) for name, f in functions.items() if name in called and is_private(f)}
    plans: dict[str, Lifetimes] = {}
    while any(updates.values()):
        _state(functions, calls, updates)
        plans = {name: planned_lifetimes(functions[name]) for name, pairs in updates.items() if pairs}
        sound = {
            name: {k: j for k, j in pairs.items() if k in plans[name].updated} if pairs else pairs
            for name, pairs in updates.items()
        }
        if sound == updates:
            return plans
        updates = sound
    _state(functions, calls, updates)
    return plans


def planned_lifetimes(function: FuncOp, known: Mapping[str, Lifetimes] | None = None) -> Lifetimes:
    """The storage of what a function computes, given what it and its calls state."""
    block = function_block(function)
    plan = None if known is None else known.get(function.sym_name.data)
    # A recursive entry is lowered twice, for those outside and for its own calls.
    if plan is None or plan.block is not block:
        carries: dict[Value, int] = {block.args[j]: k for k, j in stated_updates(function).items()}
        plan = Lifetimes(block, carries or None)
    return plan


def _candidates(function: FuncOp) -> dict[int, int]:
    """The results of the types of the last arguments, scalars excepted."""
    made, args = returned(function), function_block(function).args
    first = len(args) - len(made)
    pairs = {k: first + k for k, v in enumerate(made) if first + k >= 0 and shape_of(v)}
    return {k: j for k, j in pairs.items() if args[j].type == made[k].type}


def _state(
    functions: Mapping[str, FuncOp], calls: Iterable[CallOp], updates: Mapping[str, Mapping[int, int]]
) -> None:
    stated = {name: ints(tuple(n for pair in pairs.items() for n in pair)) for name, pairs in updates.items()}
    for name, pairs in updates.items():
        if pairs:
            functions[name].attributes[UPDATES_ATTRIBUTE] = stated[name]
        else:
            functions[name].attributes.pop(UPDATES_ATTRIBUTE, None)
    for op in calls:
        name = op.callee.root_reference.data
        if updates.get(name):
            op.attributes[UPDATES_ATTRIBUTE] = stated[name]
        else:
            op.attributes.pop(UPDATES_ATTRIBUTE, None)
