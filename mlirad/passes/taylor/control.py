"""Taylor mode through loops, branches and calls: coefficients are carried, stacked, yielded beside values.

    scan (c; x) {t}      -->   scan (c, c1, c2; x, x1, x2) {t, t1, t2}
    while c {p} {t}      -->   while c, c1, c2 {p} {t, t1, t2}
    if p {t} {u}         -->   if p {t, t1, t2} {u, u1, u2}
    call f(x)            -->   call f_taylor(x, x1, x2)

Only what depends on what has coefficients gets them (`dual_arrays.activity`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.shapes import Value, is_float
from mlirad.errors import DifferentiationError
from mlirad.ir.builder import yields
from mlirad.ir.free_values import captures, own_operands
from mlirad.ir.locations import location_of
from mlirad.passes.dual_arrays.activity import active_carries, active_values
from mlirad.passes.taylor.jets import JetRule, Jets


class _Loop:
    """The carries of a loop, and which of them have coefficients."""

    def __init__(
        self, t: Jets, region: Region, arguments: Sequence[Value], init: Sequence[Value], sliced: set[Value]
    ):
        self.t, self.arguments, self.init = t, arguments, init
        self.made = yields(region)
        active = {v for v in captures(region) if t.is_moving(v)} | sliced
        starts = [t.is_moving(v) for v in init]
        depending, self.inside = active_carries(
            region.block, arguments, self.made[: len(init)], starts, active
        )
        self.active = [k for k, depends in enumerate(depending) if depends]

    def start(self) -> list[Value]:
        """The initial carries, then their coefficients."""
        return [*map(self.t.value, self.init), *_jets(self.t, [self.init[k] for k in self.active])]

    def enter(self, state: Sequence[Value]) -> None:
        """The carries of an iteration."""
        _enter(self.t, self.arguments, state, self.active)

    def next(self) -> list[Value]:
        """The new carries, then their coefficients."""
        made = self.made[: len(self.init)]
        return [*map(self.t.value, made), *_jets(self.t, [made[k] for k in self.active])]

    def finish(self, results: Sequence[Value], final: Sequence[Value]) -> None:
        """The results of the loop from its last carries."""
        _enter(self.t, results, final, self.active)


def _jets(t: Jets, sources: Sequence[Value]) -> list[Value]:
    return [c for source in sources for c in t.jet(source)]


def _enter(t: Jets, results: Sequence[Value], made: Sequence[Value], active: Sequence[int]) -> None:
    """Source values from what is made of them, and then of the coefficients of those that are active."""
    count = len(results)
    t.env.update(zip(results, made[:count], strict=True))
    for n, k in enumerate(active):
        begin = count + n * t.order
        t.enter(made[k], made[begin : begin + t.order])


def _scan(t: Jets, op: control.ScanOp) -> None:
    count, block = op.carry_count, op.body.block
    slices = block.args[count + 1 :]
    sliced = [k for k, x in enumerate(op.xs) if t.is_moving(x)]
    loop = _Loop(t, op.body, block.args[1 : count + 1], op.init, {slices[k] for k in sliced})
    outputs = loop.made[count:]
    stacked = [k for k, y in enumerate(outputs) if y in loop.inside]

    def iteration(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
        with t.region():
            t.env[block.args[0]] = index
            loop.enter(state)
            _enter(t, slices, parts, sliced)
            t.transform(block.ops)
            return loop.next(), [*map(t.value, outputs), *_jets(t, [outputs[k] for k in stacked])]

    xs = [*map(t.value, op.xs), *_jets(t, [op.xs[k] for k in sliced])]
    final, ys = t.b.scan_like(op, loop.start(), xs, iteration)
    loop.finish(op.final, final)
    _enter(t, op.stacked, ys, stacked)


def _while(t: Jets, op: control.WhileOp) -> None:
    if op.tape is not None:
        raise _no_record(op)
    block = op.body.block
    loop = _Loop(t, op.body, block.args, op.init, set())

    def condition(*state: Value) -> Value:
        return t.b.inline_region(op.condition, state[: len(op.init)], t.env)[0]

    def body(*state: Value) -> list[Value]:
        with t.region():
            loop.enter(state)
            t.transform(block.ops)
            return loop.next()

    loop.finish(op.final, t.b.while_(loop.start(), condition, body, None))


def _replay(t: Jets, op: control.ReplayOp) -> None:
    raise _no_record(op)


def _no_record(op: Operation) -> DifferentiationError:
    return DifferentiationError(
        "the record of a while loop has no Taylor coefficients",
        location=location_of(op),
        hint="take the jet of the function itself, and its derivative of that",
    )


def _branch(t: Jets, op: control.BranchOp | CheckpointOp) -> None:
    made = [yields(region) for region in op.regions]
    active: set[int] = set()
    for region, values in zip(op.regions, made, strict=True):
        inside = active_values(region.block, {v for v in captures(region) if t.is_moving(v)})
        active.update(k for k, v in enumerate(values) if v in inside)
    places = sorted(active)

    def emit(block: Block, values: list[Value]) -> list[Value]:
        with t.region():
            t.transform(block.ops)
            return [*map(t.value, values), *_jets(t, [values[k] for k in places])]

    choice = next(map(t.value, own_operands(op)), None)
    branches = [partial(emit, region.block, values) for region, values in zip(op.regions, made, strict=True)]
    _enter(t, op.results, t.b.choose(choice, branches), places)


def _call(t: Jets, op: CallOp) -> None:
    b, operands = t.b, own_operands(op)
    group = tuple(k for k, v in enumerate(operands) if t.is_moving(v))
    name = t.callee(op.callee.root_reference.data, group, t.order)
    floats = [k for k, r in enumerate(op.results) if is_float(r)]
    types = [*op.result_types, *(op.results[k].type for k in floats for _ in range(t.order))]
    given = [*map(t.value, operands), *_jets(t, [operands[k] for k in group])]
    made = b.insert(CallOp, given, types, {"callee": SymbolRefAttr(name)}).results
    _enter(t, op.results, made, floats)


JET_RULES: dict[type[Operation], JetRule] = {
    control.ScanOp: _scan,
    control.WhileOp: _while,
    control.ReplayOp: _replay,
    control.IfOp: _branch,
    control.SwitchOp: _branch,
    CheckpointOp: _branch,
    CallOp: _call,
}
"""The rules of ops with regions that run code, and of calls."""
