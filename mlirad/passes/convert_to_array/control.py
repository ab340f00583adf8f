"""Ops of `scf`, and what of a program is neither arithmetic nor tensors.

scf.for      ->  array.scan, or array.while where its bounds depend on data
scf.while    ->  array.while, its condition carried along
scf.forall   ->  array.scan over the positions of all its dimensions
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.ir import Block, Operation

from mlirad.dialects.shapes import Value
from mlirad.ir.foreign import name_of_op
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_to_array.conversion import Conversion, Handler
from mlirad.passes.convert_to_array.source_ops import (
    DYNAMIC,
    body_of,
    integers,
    operands,
    refusal,
    segments,
    terminator,
)
from mlirad.passes.convert_to_array.structured import unravelled
from mlirad.passes.convert_to_array.tensors import convert_insert_slice


def _branch(c: Conversion, op: Operation, number: int) -> Callable[[], list[Value]]:
    """Return what a region without arguments yields; nothing for one that is missing."""
    if not op.regions[number].blocks:
        return list
    block = body_of(op, number)
    terminator(op, block, "scf.yield")
    return lambda: c.inlined(block, [])


def _if(c: Conversion, op: Operation) -> Sequence[Value]:
    (condition,) = c.values(operands(op, 1))
    if len(op.regions) != 2:
        raise refusal(op, f"has {len(op.regions)} regions")
    return c.b.if_(condition, _branch(c, op, 0), _branch(c, op, 1))


def _index_switch(c: Conversion, op: Operation) -> Sequence[Value]:
    """The first region is the default, the others are of the cases in order."""
    (choice,) = c.values(operands(op, 1))
    cases = integers(op, "cases")
    if len(op.regions) != len(cases) + 1:
        raise refusal(op, f"has {len(cases)} cases and {len(op.regions)} regions")
    b = c.b
    number = b.index_constant(len(cases))
    for k, case in reversed(list(enumerate(cases))):
        number = b.select(b.compare("eq", choice, b.index_constant(case)), b.index_constant(k), number)
    branches = [_branch(c, op, k) for k in (*range(1, len(op.regions)), 0)]
    return b.switch(number, branches)


def _execute_region(c: Conversion, op: Operation) -> Sequence[Value]:
    operands(op, 0)
    return _branch(c, op, 0)()


def _for(c: Conversion, op: Operation) -> Sequence[Value]:
    low, high, step, *carries = c.values(own_operands(op))
    block, b = body_of(op), c.b
    terminator(op, block, "scf.yield")
    if len(block.args) != len(carries) + 1:
        raise refusal(op, f"its body takes {len(block.args)} values of {len(carries) + 1}")
    known = [b.scalar_of(v) for v in (low, high, step)]
    if known[2] is not None and known[2] <= 0:
        raise refusal(op, f"has the step {known[2]}, which must be positive")
    if None in known:
        return _counting_loop(c, block, low, high, step, carries)
    first, end, by = (int(k or 0) for k in known)

    def iteration(index: Value, inner: list[Value], _: list[Value]) -> tuple[list[Value], list[Value]]:
        counted = b.convert(index, low.type)
        position = b.add(low, b.mul(counted, step))
        return c.inlined(block, [position, *inner]), []

    return b.scan(carries, [], max(0, -((first - end) // by)), iteration)[0]


def _counting_loop(
    c: Conversion, block: Block, low: Value, high: Value, step: Value, carries: Sequence[Value]
) -> list[Value]:
    """A loop whose number of iterations depends on data."""
    b = c.b

    def body(position: Value, *inner: Value) -> list[Value]:
        return [b.add(position, step), *c.inlined(block, [position, *inner])]

    def again(position: Value, *_: Value) -> Value:
        return b.compare("lt", position, high)

    return b.while_([low, *carries], again, body)[1:]


def _while(c: Conversion, op: Operation) -> Sequence[Value]:
    """The condition of the next iteration is carried, with what the first region yields."""
    if len(op.regions) != 2:
        raise refusal(op, f"has {len(op.regions)} regions")
    before, after = body_of(op, 0), body_of(op, 1)
    terminator(op, before, "scf.condition")
    terminator(op, after, "scf.yield")
    b = c.b

    def again(condition: Value, *_: Value) -> Value:
        return condition

    def iteration(_: Value, *handed: Value) -> list[Value]:
        return c.inlined(before, c.inlined(after, handed))

    return b.while_(c.inlined(before, c.values(own_operands(op))), again, iteration)[1:]


def _forall(c: Conversion, op: Operation) -> Sequence[Value]:
    """One position after another; each replaces its slices of the shared results."""
    lower, upper, steps, outputs = segments(op, 4)
    b = c.b
    bounds: list[list[int]] = []
    for name, given in (("staticLowerBound", lower), ("staticUpperBound", upper), ("staticStep", steps)):
        rest = [c.known_integer(v) for v in given]
        found = [rest.pop(0) if k == DYNAMIC and rest else k for k in integers(op, name)]
        stated = [k for k in found if k is not None and k != DYNAMIC]
        if len(stated) != len(found):
            raise refusal(op, f"'{name}' depends on data", "give constants")
        bounds.append(stated)
    extents = [max(0, -((low - high) // step)) for low, high, step in zip(*bounds, strict=True)]
    block = body_of(op)
    last = terminator(op, block, "scf.forall.in_parallel")
    if len(block.args) != len(extents) + len(outputs):
        raise refusal(op, f"its body takes {len(block.args)} values of {len(extents) + len(outputs)}")
    shared = list(block.args[len(extents) :])

    def iteration(index: Value, inner: list[Value], _: list[Value]) -> tuple[list[Value], list[Value]]:
        positions = [
            b.add(b.index_constant(low), b.mul(p, b.index_constant(step)))
            for p, low, step in zip(unravelled(b, index, extents), bounds[0], bounds[2], strict=True)
        ]
        c.inline(block, [*positions, *inner])
        for write in body_of(last).ops:
            if name_of_op(write) != "tensor.parallel_insert_slice":
                raise refusal(write, "is not a write of a slice, which alone may stand here")
            destination = segments(write, 5)[1]
            if len(destination) != 1 or destination[0] not in shared:
                raise refusal(write, "writes to what is not shared by the loop")
            (c.env[destination[0]],) = convert_insert_slice(c, write)
        return c.values(shared), []

    return b.scan(c.values(outputs), [], prod(extents), iteration)[0]


CONTROL: dict[str, Handler] = {
    "scf.execute_region": _execute_region,
    "scf.for": _for,
    "scf.forall": _forall,
    "scf.if": _if,
    "scf.index_switch": _index_switch,
    "scf.while": _while,
}
