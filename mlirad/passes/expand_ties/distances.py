"""Distances for what is computed of both sides of one kink, so that the kink is seen.

    %p = array.max %x, %zero               %a = array.abs %x
    %n = array.min %x, %zero     --->      %p = ...                (x + a) / 2
    %s = (%p * %p) + (%n * %n)             %n = ...                (x - a) / 2

The square of one side alone has no second derivative at the tie; that of both together may have one.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, is_float
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.regions import nested_ops
from mlirad.passes.expand_ties.cones import MOST_OPS, is_linear
from mlirad.passes.expand_ties.kinks import kinks_of
from mlirad.passes.function_pass import visit_regions
from mlirad.passes.smooth_identities.roots import magnitude_of
from mlirad.passes.smooth_identities.sides import Numbers, numbers_of


def with_distances(function: FuncOp) -> FuncOp:
    """The function, with distances of numbers before the first of their sides; itself if it needs none."""
    sides = (op for op in nested_ops(function.body) if isinstance(op, ew.MaxOp | ew.MinOp))
    blocks = dict.fromkeys(op.parent for op in sides)
    wanted = dict(pair for block in blocks if block is not None for pair in _without_distance(block))
    if not wanted:
        return function

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if op in wanted:
            b.location = op.location
            x, y = (None if v is None else env.get(v, v) for v in wanted[op])
            distance = x if y is None else y if x is None else b.sub(x, y)
            assert distance is not None
            b.unary(ew.AbsOp, distance)
        visit_regions(b, op, env, visit) if op.regions else b.rebuild(op, env)

    return rebuild_function(function, visit)


def _without_distance(block: Block) -> Iterator[tuple[Operation, Numbers]]:
    """The first of two sides behind which ops are not linear, with its numbers, by kink."""
    found: dict[frozenset[Value | None], list[tuple[Operation, Numbers]]] = {}
    for op in block.ops:
        if isinstance(op, ew.MaxOp | ew.MinOp) and is_float(op.result) and magnitude_of(op.result) is None:
            numbers = numbers_of(op.lhs, op.rhs)
            found.setdefault(frozenset(numbers), []).append((op, numbers))
    sides = {numbers: ops for numbers, ops in found.items() if len(ops) > 1 and any(numbers)}
    kinks = kinks_of(block) if sides else []
    known = {frozenset(kink.numbers) for kink in kinks if kink.numbers is not None}
    for numbers, ops in sides.items():
        if numbers not in known and sum(_is_curved(op) for op, _ in ops) > 1:
            yield ops[0]


def _is_curved(op: Operation) -> bool:
    """Tell if an op that is not linear reads the result, or what linear ops make of it."""
    reached = dict.fromkeys(op.results)
    waiting = list(reached)
    while waiting and len(reached) <= MOST_OPS:
        for reader in [use.operation for use in waiting.pop().uses]:
            if not reader.results:
                continue
            if not is_linear(reader, reached):
                return True
            made = [r for r in reader.results if r not in reached]
            reached.update(dict.fromkeys(made))
            waiting += made
    return False
