"""Kinks of values from outside of a region, moved out of it, so that what reads its results sees them.

    %r = array.if %c {                         %a = array.abs %x
        %a = array.abs %x                      %r = array.if %c {
        yield %a                      --->         yield %a
    } else { ... }                             } else { ... }
    %s = array.mul %r, %r                      %s = array.mul %r, %r

A kink that its region squares by itself stays, and so does one that reads an argument of the region.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Final

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import structural
from mlirad.dialects.array.indexing import IndexOp
from mlirad.dialects.array.reductions import DotOp, ReduceOp, SumOp
from mlirad.dialects.shapes import Value, is_float
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.ir.regions import nested_ops
from mlirad.ir.structural import scalar_of
from mlirad.passes.expand_ties.cones import Cone
from mlirad.passes.function_pass import visit_regions
from mlirad.passes.smooth_identities.roots import is_inner, is_radius

_MOVABLE: Final = (
    ew.ElementwiseOp,
    structural.ConstantOp,
    structural.IotaOp,
    structural.BroadcastOp,
    structural.ReshapeOp,
    structural.TransposeOp,
    structural.ReverseOp,
    structural.SliceOp,
    SumOp,
    ReduceOp,
)
"""Ops that may be computed where their result may not be needed, if that is a float."""


def with_outer_kinks(function: FuncOp, cones: Iterable[Cone]) -> FuncOp:
    """The function, with kinks that leave regions around them moved out; itself without such kinks."""
    wanted = [list(cone.kink.symbols) for cone in cones if _leaves(cone)]
    if not wanted:
        return function
    moved = False

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        nonlocal moved
        if op.results and op.results[0] in env:
            return
        if not op.regions:
            b.rebuild(op, env)
            return
        for inner in _outer(op, wanted):
            b.rebuild(inner, env)
            moved = True
        visit_regions(b, op, env, visit)

    found = rebuild_function(function, visit)
    return found if moved else function


def _leaves(cone: Cone) -> bool:
    """Tell if a region yields what is not smooth at the tie of a kink of its own."""
    maker = cone.kink.size.owner
    region = maker.parent_region() if isinstance(maker, Operation) else None
    if region is None or isinstance(region.parent, FuncOp):
        return False
    return any(map(cone.is_moving, yields(region)))


def _outer(op: Operation, wanted: Iterable[Iterable[Value]]) -> list[Operation]:
    """The ops in the regions of an op that make the wanted values of nothing that these regions define."""
    inside: dict[Operation, None] = {inner: None for region in op.regions for inner in nested_ops(region)}
    movable: set[Operation] = set()
    for inner in inside:
        if _is_movable(inner) and all(_is_outer(v, inside, movable, op) for v in own_operands(inner)):
            movable.add(inner)
    needed: set[Operation] = set()
    for values in wanted:
        makers = [v.owner for v in values]
        if all(maker in movable for maker in makers):
            pending = list(makers)
            while pending:
                maker = pending.pop()
                if isinstance(maker, Operation) and maker in movable and maker not in needed:
                    needed.add(maker)
                    pending.extend(v.owner for v in own_operands(maker))
    return [inner for inner in inside if inner in needed]


def _is_outer(
    value: Value, inside: Container[Operation], movable: Container[Operation], op: Operation
) -> bool:
    maker = value.owner
    if isinstance(maker, Operation):
        return maker not in inside or maker in movable
    around = maker.parent_op()
    return around is None or (around is not op and around not in inside)


def _is_movable(op: Operation) -> bool:
    match op:
        case DotOp():
            return is_inner(op)
        case IndexOp():
            return all(scalar_of(v) is not None for v in own_operands(op)[1:])
        case _ if isinstance(op, _MOVABLE):
            return is_float(op.results[0]) or isinstance(op, ew.CompareOp | structural.ConstantOp)
        case _:
            return bool(op.results) and is_radius(op.results[0])
