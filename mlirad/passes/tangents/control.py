"""Forward mode through loops and branches: tangents are carried, stacked, recorded and yielded beside values.

    scan (c; x) {t}      -->   scan (c, dc; x, dx) {t, dt}
    while c {p} {t}      -->   while c, dc {p} {t, dt}         with a tape of values and tangents
    if p {t} {u}         -->   if p {t, dt} {u, du}

Only what depends on the arguments that have tangents gets one (`dual_arrays.activity`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.ir import Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.shapes import Value, is_float
from mlirad.ir.builder import yields
from mlirad.ir.free_values import captures, own_operands
from mlirad.ir.locations import location_of
from mlirad.linear_maps.apply.rules import one_way
from mlirad.passes.dual_arrays.activity import active_carries, active_values
from mlirad.passes.dual_arrays.custom import linear_rule
from mlirad.passes.tangents.forward_mode import ForwardMode, ForwardRule


def _run(t: ForwardMode, region: Region) -> None:
    t.transform(region.block.ops)


class _Loop:
    """The carries of a loop, and which of them have tangents."""

    def __init__(
        self,
        t: ForwardMode,
        region: Region,
        arguments: Sequence[Value],
        init: Sequence[Value],
        others: set[Value],
    ):
        self.t, self.arguments, self.init = t, arguments, init
        self.made = yields(region)
        active = {v for v in captures(region) if v in t.tangents} | others
        starts = [v in t.tangents for v in init]
        depending, self.inside = active_carries(
            region.block, arguments, self.made[: len(init)], starts, active
        )
        self.active = [k for k, depends in enumerate(depending) if depends]

    def start(self) -> list[Value]:
        """The initial carries, then their tangents."""
        t = self.t
        return [*map(t.value, self.init), *(t.tangent(self.init[k]) for k in self.active)]

    def enter(self, state: Sequence[Value]) -> None:
        """The carries of an iteration."""
        t, count = self.t, len(self.init)
        t.env.update(zip(self.arguments, state, strict=False))
        t.tangents.update((self.arguments[k], v) for k, v in zip(self.active, state[count:], strict=True))

    def next(self) -> list[Value]:
        """The new carries, then their tangents."""
        t, made = self.t, self.made[: len(self.init)]
        return [*map(t.value, made), *(t.tangent(made[k]) for k in self.active)]

    def finish(self, results: Sequence[Value], final: Sequence[Value]) -> None:
        """The results of the loop from its last carries."""
        _enter(self.t, results, final, self.active)


def _scan(t: ForwardMode, op: control.ScanOp) -> None:
    count, block = op.carry_count, op.body.block
    slices = block.args[count + 1 :]
    sliced = [k for k, x in enumerate(op.xs) if x in t.tangents]
    loop = _Loop(t, op.body, block.args[1 : count + 1], op.init, {slices[k] for k in sliced})
    outputs = loop.made[count:]
    stacked = [k for k, y in enumerate(outputs) if y in loop.inside]

    def iteration(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
        t.env[block.args[0]] = index
        loop.enter(state)
        t.env.update(zip(slices, parts, strict=False))
        t.tangents.update((slices[k], v) for k, v in zip(sliced, parts[len(slices) :], strict=True))
        _run(t, op.body)
        return loop.next(), [*map(t.value, outputs), *(t.tangent(outputs[k]) for k in stacked)]

    xs = [*map(t.value, op.xs), *(t.tangents[op.xs[k]] for k in sliced)]
    final, ys = t.b.scan(
        loop.start(),
        xs,
        op.iterations,
        iteration,
        reverse=op.reverse is not None,
        checkpoint=op.checkpointing,
    )
    loop.finish(op.final, final)
    _enter(t, op.stacked, ys, stacked)


def _while(t: ForwardMode, op: control.WhileOp) -> None:
    block = op.body.block
    loop = _Loop(t, op.body, block.args, op.init, set())
    recorded = loop.made[len(op.init) :]
    columns = [k for k, v in enumerate(recorded) if v in loop.inside]

    def condition(*state: Value) -> Value:
        t.env.update(zip(op.condition.block.args, state, strict=False))
        return t.b.inline_region(op.condition, state[: len(op.init)], t.env)[0]

    def body(*state: Value) -> list[Value]:
        loop.enter(state)
        _run(t, op.body)
        entry = [*map(t.value, recorded), *(t.tangent(recorded[k]) for k in columns)]
        return [*loop.next(), *entry]

    record = None if op.tape is None else len(recorded) + len(columns)
    results = t.b.while_(loop.start(), condition, body, record)
    if op.tape is not None:
        t.env[op.tape] = results.pop()
        t.tapes[op.tape] = columns
    loop.finish(op.final, results)


def _replay(t: ForwardMode, op: control.ReplayOp) -> None:
    block, count = op.body.block, len(op.init)
    entry, carries = block.args[: len(block.args) - count], block.args[len(block.args) - count :]
    columns = t.tapes.get(op.tape, [])
    loop = _Loop(t, op.body, carries, op.init, {entry[k] for k in columns})

    def body(parts: list[Value], state: list[Value]) -> list[Value]:
        t.env.update(zip(entry, parts, strict=False))
        t.tangents.update((entry[k], v) for k, v in zip(columns, parts[len(entry) :], strict=True))
        loop.enter(state)
        _run(t, op.body)
        return loop.next()

    final = t.b.replay(t.value(op.tape), loop.start(), body, reverse=op.reverse is not None)
    loop.finish(op.results, final)


def _branch(t: ForwardMode, op: control.BranchOp | CheckpointOp) -> None:
    made = [yields(region) for region in op.regions]
    active = _active(t, op.regions, made)

    def emit(region: Region, values: list[Value]) -> list[Value]:
        _run(t, region)
        return [*map(t.value, values), *(t.tangent(values[k]) for k in active)]

    choice = next(map(t.value, own_operands(op)), None)
    branches = [partial(emit, *branch) for branch in zip(op.regions, made, strict=True)]
    _enter(t, op.results, t.b.choose(choice, branches), active)


def _custom(t: ForwardMode, op: CustomOp) -> None:
    b = t.b
    code, free = linear_rule(op, t.constructs) or (op.forward_rule, ())
    if code is None:
        (rule,) = op.rules
        raise one_way(rule, rule.block.args[len(op.known) :], True, location_of(op))
    b.rebuild_unfolded(op, t.env)
    inputs = [t.value(x) for x in op.inputs]
    by_captures = _by_captures(t, op, inputs)
    if not any(x in t.tangents for x in op.inputs):
        t.tangents.update(by_captures)
        return
    tangents = [t.tangent(x) for x in op.inputs if is_float(x)]
    known = map(t.value, (*free, *op.known))
    images = b.inline_region(code, [*known, *tangents], t.env)
    for y, image in zip((y for y in op.outputs if is_float(y)), images, strict=True):
        other = by_captures.get(y)
        t.tangents[y] = image if other is None else b.add(image, other)


def _by_captures(t: ForwardMode, op: CustomOp, inputs: Sequence[Value]) -> dict[Value, Value]:
    """The tangents of results by what the body of a custom op captures, its operands kept fixed."""
    if not any(v in t.tangents for v in captures(op.body)):
        return {}
    t.env.update(zip(op.body.block.args, inputs, strict=True))
    _run(t, op.body)
    made = zip(op.outputs, yields(op.body), strict=True)
    return {y: t.tangents[value] for y, value in made if value in t.tangents}


def _active(t: ForwardMode, regions: Sequence[Region], made: Sequence[Sequence[Value]]) -> list[int]:
    """The results of regions that have tangents."""
    found: set[int] = set()
    for region, values in zip(regions, made, strict=True):
        inside = active_values(region.block, {v for v in captures(region) if v in t.tangents})
        found.update(k for k, v in enumerate(values) if v in inside)
    return sorted(found)


def _enter(t: ForwardMode, results: Sequence[Value], made: Sequence[Value], active: Sequence[int]) -> None:
    """Source results from what is made of them, and then of the tangents of those that are active."""
    count = len(results)
    t.env.update(zip(results, made[:count], strict=True))
    t.tangents.update((results[k], v) for k, v in zip(active, made[count:], strict=True))


FORWARD_RULES: dict[type[Operation], ForwardRule] = {
    control.ScanOp: _scan,
    control.WhileOp: _while,
    control.ReplayOp: _replay,
    control.IfOp: _branch,
    control.SwitchOp: _branch,
    CheckpointOp: _branch,
    CustomOp: _custom,
}
"""The forward rules of ops with regions."""
