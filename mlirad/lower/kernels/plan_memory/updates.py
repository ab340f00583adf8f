"""Results of called functions that take over the memory of an argument.

    @f(%h, %ct, %sum : tensor<9xf64>) -> tensor<9xf64>         result 0 overwrites argument 2

So an array passes through calls that update it without being copied: a call that adds to one element costs
one element. A result can overwrite the argument that it is made from only if the function and the calls that
it makes allow it; so at first all are assumed to, and those that cannot are withdrawn until nothing changes.

Stated as the attribute `kernel.updates` of the function and of every call of it. Whoever calls passes one
address for both, and copies the argument there before, unless it is the last to read it.

So it is with arguments that callers outside of the program donate: the new weights of a step of an optimiser
are computed where the old ones are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult

from mlirad.dialects.array.control import BranchOp
from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.kernel.plans import UPDATES_ATTRIBUTE, stated_updates
from mlirad.dialects.shapes import Value, ints, shape_of
from mlirad.ir.builder import function_block, returned, yields
from mlirad.ir.call_graph import is_private
from mlirad.lower.kernels.plan_memory.carries import initial_carries
from mlirad.lower.kernels.plan_memory.lifetimes import Lifetimes


def updated_arguments(
    functions: Mapping[str, FuncOp], donated: Mapping[str, Collection[int]]
) -> dict[str, Lifetimes]:
    """State for functions and calls which results overwrite arguments; returns plans of such functions.

    Arguments of functions that no other calls are overwritten if they are among those `donated`.
    """
    calls = [op for f in functions.values() for op in f.walk() if isinstance(op, CallOp)]
    called = {op.callee.root_reference.data for op in calls}
    updates = {name: _candidates(f) for name, f in functions.items() if name in called and is_private(f)}
    for name, arguments in donated.items():
        if arguments and name in functions and name not in called:
            updates[name] = _made_of_donated(functions[name], arguments)
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
    return {}


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
    """For each array that is returned the argument that it is made of, by the way back through the function.

    Where there is no such way it is the one as far from the end, if the types agree.
    """
    made, args = returned(function), function_block(function).args
    pairs = _made_of_arguments(function, range(len(args)))
    first = len(args) - len(made)
    for k, value in enumerate(made):
        j = first + k
        free = j >= 0 and j not in pairs.values() and k not in pairs
        if free and shape_of(value) and args[j].type == value.type:
            pairs[k] = j
    return dict(sorted(pairs.items()))


def _made_of_arguments(function: FuncOp, among: Collection[int]) -> dict[int, int]:
    """For each array that is returned the one of these arguments that it is made of, if there is one left."""
    block = function_block(function)
    pairs: dict[int, int] = {}
    for k, value in enumerate(returned(function)):
        if shape_of(value):
            sources = (a.index for a in _sources(value, block) if a.index in among)
            found = next((j for j in sources if j not in pairs.values()), None)
            if found is not None:
                pairs[k] = found
    return pairs


def _made_of_donated(function: FuncOp, donated: Collection[int]) -> dict[int, int]:
    """The same, where results and arguments that correspond by type and order are made for each other."""
    block = function_block(function)
    args, left = block.args, list(donated)
    pairs: dict[int, int] = {}
    for k, value in enumerate(returned(function)):
        j = next((j for j in left if args[j].type == value.type), None)
        if j is not None and shape_of(value):
            left.remove(j)
            if any(a.index == j for a in _sources(value, block)):
                pairs[k] = j
    others = _made_of_arguments(function, [j for j in donated if j not in pairs.values()])
    return {**others, **pairs}


def _sources(value: Value, block: Block) -> Iterator[BlockArgument]:
    """The arguments of the type of a value that it may be an update of, those on the shortest way first."""
    seen: set[Value] = set()
    pending = deque([value])
    while pending:
        value = pending.popleft()
        if value in seen:
            continue
        seen.add(value)
        if not isinstance(value, BlockArgument):
            pending += [v for v in _made_of(value) if v.type == value.type]
        elif value.block is block:
            yield value


def _made_of(value: Value) -> Sequence[Value]:
    """Return what may be updated to be a value."""
    op = value.owner
    assert isinstance(op, Operation) and isinstance(value, OpResult)
    k = value.index
    match op:
        case ScatterOp():
            return op.inputs[:1] if op.from_zero is None else ()
        case NestOp() | CallOp():
            return op.operands
        case _ if isinstance(op, BranchOp):
            return [yields(region)[k] for region in op.regions]
        case _:
            return initial_carries(op)[k : k + 1]


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
