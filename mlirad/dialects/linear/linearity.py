"""In which operands each op of the array language is linear, and the check that code is linear in a tangent.

    add, sub, select, concatenate ...   jointly in several operands: the others of a group must be 0
    mul, dot                            in each of two operands alone
    exp, max, sort ...                  in none: entered nowhere
    scan, while, if ...                 by their regions

    array.add %dx, %dy      linear             array.mul %dx, %k     linear
    array.add %dx, %one     not linear         array.mul %dx, %dx    not linear

Linear code may compute anything from captured values, and may read 0 where a tangent is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import Operation, Region
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array import control, indexing, ordering, reductions, structural
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.linear.application import ApplicationOp, ApplyOp, ApplyTransposeOp
from mlirad.dialects.shapes import Value, is_float

Tangents: TypeAlias = "set[Value]"
"""The values that depend linearly on the tangent."""

ALL = -1
"""In a group: every operand."""

LINEAR_IN: dict[type[Operation], tuple[tuple[int, ...], ...]] = {
    ew.NegOp: ((0,),),
    ew.AddOp: ((0, 1),),
    ew.SubOp: ((0, 1),),
    ew.MulOp: ((0,), (1,)),
    ew.AbsorbingMulOp: ((0,), (1,)),
    ew.DivOp: ((0,),),
    ew.SelectOp: ((1, 2),),
    ew.ConvertOp: ((0,),),
    structural.BroadcastOp: ((0,),),
    structural.TransposeOp: ((0,),),
    structural.ReshapeOp: ((0,),),
    structural.ReverseOp: ((0,),),
    structural.SliceOp: ((0,),),
    structural.PadOp: ((0, 1),),
    structural.ConcatenateOp: ((ALL,),),
    structural.StackOp: ((ALL,),),
    indexing.IndexOp: ((0,),),
    indexing.GatherOp: ((0,),),
    indexing.ScatterOp: ((0,),),
    indexing.UpdateOp: ((0, 1),),
    reductions.SumOp: ((0,),),
    reductions.DotOp: ((0,), (1,)),
    ordering.CumulativeOp: ((0,),),
}
"""The groups of operands in which an op is linear, each together, while the other operands are fixed.

`cumulative` is linear only as a sum, `convert` only between floats.
"""


def check_linear(region: Region, tangents: Sequence[Value]) -> None:
    """Require that what a region yields is linear in its values `tangents`; raises for the op that is not."""
    inside = set(tangents)
    _check_block(region, inside)
    _require_tangents(_terminator(region), _yielded(region), inside)


def is_zero_value(value: Value) -> bool:
    """Whether a value is a literal 0, or made of one by broadcasting."""
    owner = value.owner
    while isinstance(owner, structural.BroadcastOp):
        owner = owner.operand.owner
    return isinstance(owner, structural.ConstantOp) and not np.any(literal_array(owner))


# Ops -------------------------------------------------------------------------------------------------


def _check_block(region: Region, tangents: Tangents) -> None:
    """Enter what depends on tangents; raises for the first op that is not linear in them."""
    for op in region.block.ops:
        if op is not region.block.last_op and _reads(op, tangents):
            REGION_CHECKS.get(type(op), _check_op)(op, tangents)


def _reads(op: Operation, tangents: Tangents) -> bool:
    if any(o in tangents for o in op.operands):
        return True
    return any(_reads(inner, tangents) for r in op.regions for block in r.blocks for inner in block.ops)


def _check_op(op: Operation, tangents: Tangents) -> None:
    """An op with one result: its tangents must stand in one group, with zeros beside them."""
    if any(_reads(inner, tangents) for region in op.regions for inner in region.block.ops):
        raise _not_linear(op, "finds positions by what depends on the tangent")
    found = [k for k, o in enumerate(op.operands) if o in tangents]
    everything = tuple(range(len(op.operands)))
    for group in LINEAR_IN.get(type(op), ()):
        together = everything if group == (ALL,) else group
        if all(k in together for k in found):
            _require_tangents(op, [op.operands[k] for k in together], tangents)
            break
    else:
        raise _not_linear(op, "is not linear in what depends on the tangent")
    if isinstance(op, ordering.CumulativeOp) and op.kind.data != "sum":
        raise _not_linear(op, f"of kind {op.kind.data} is not linear in what depends on the tangent")
    if not is_float(op.results[0]):
        raise _not_linear(op, "makes an integer or boolean of what depends on the tangent")
    tangents.update(op.results)


def _apply(op: ApplicationOp, tangents: Tangents) -> None:
    """A map applied to tangents."""
    _require_tangents(op, op.arguments, tangents)
    tangents.update(op.images)


def _build(op: indexing.BuildOp, tangents: Tangents) -> None:
    _check_block(op.body, tangents)
    _require_tangents(op, _yielded(op.body), tangents)
    tangents.add(op.result)


def _branches(op: control.IfOp | control.SwitchOp | CheckpointOp, tangents: Tangents) -> None:
    """A result is a tangent if one branch yields one; the other branches then yield tangents or zeros."""
    _require_fixed(op, op.operands, tangents)
    for region in op.regions:
        _check_block(region, tangents)
    for k, result in enumerate(op.results):
        made = [_yielded(region)[k] for region in op.regions]
        if any(v in tangents for v in made):
            _require_tangents(op, made, tangents)
            tangents.add(result)


def _scan(op: control.ScanOp, tangents: Tangents) -> None:
    _enter_loop(op, tangents)
    _check_loop(op, tangents)
    stacked = zip(op.stacked, _yielded(op.body)[op.carry_count :], strict=True)
    tangents.update([r for r, y in stacked if y in tangents])


def _while(op: control.WhileOp, tangents: Tangents) -> None:
    _enter_loop(op, tangents)
    pairs = list(zip(op.condition.block.args, op.body.block.args, strict=True))
    inside = tangents.union([c for c, a in pairs if a in tangents])
    if any(_reads(inner, inside) for inner in op.condition.block.ops):
        raise _not_linear(op, "decides by what depends on the tangent how often it runs")
    _check_loop(op, tangents)
    _require_fixed(op, _yielded(op.body)[len(op.init) :], tangents)


def _replay(op: control.ReplayOp, tangents: Tangents) -> None:
    _enter_loop(op, tangents)
    _check_loop(op, tangents)


def _check_loop(op: control.LoopOp, tangents: Tangents) -> None:
    """The body, given the carries that are tangents: these start and go on as tangents or zeros."""
    _check_block(op.body, tangents)
    arguments, init = _carries(op)
    for argument, start, new, result in zip(arguments, init, _yielded(op.body), op.results, strict=False):
        if argument in tangents:
            _require_tangents(op, [start, new], tangents)
            tangents.add(result)


# What depends on the tangent ---------------------------------------------------------------------------


def _carries(op: control.LoopOp) -> tuple[Sequence[Value], Sequence[Value]]:
    """The arguments of the body that are carries, and their initial values."""
    arguments, init = op.body.block.args, op.init
    match op:
        case control.ScanOp():
            first = 1
        case control.WhileOp():
            first = 0
        case control.ReplayOp():
            first = len(arguments) - len(init)
    return arguments[first : first + len(init)], init


def _enter_loop(op: control.LoopOp, tangents: Tangents) -> None:
    """Enter the slices and the carries that depend on tangents, from the start or after some trips."""
    if isinstance(op, control.ScanOp):
        slices = op.body.block.args[1 + op.carry_count :]
        tangents.update([s for s, x in zip(slices, op.xs, strict=True) if x in tangents])
    arguments, init = _carries(op)
    tangents.update([a for a, i in zip(arguments, init, strict=True) if i in tangents])
    found = _reached(op, arguments, tangents)
    while found:
        tangents.update(found)
        found = _reached(op, arguments, tangents)


def _reached(op: control.LoopOp, arguments: Sequence[Value], tangents: Tangents) -> list[Value]:
    """The carries, not among the tangents, that depend on tangents after a trip."""
    inside = set(tangents)
    _flow(op.body, inside)
    made = zip(arguments, _yielded(op.body), strict=False)
    return [a for a, m in made if m in inside and a not in tangents]


def _flow(region: Region, inside: Tangents) -> None:
    """Enter every value of a region that depends on what is entered."""
    for op in region.block.ops:
        if not _reads(op, inside):
            continue
        if isinstance(op, control.LoopOp):
            _enter_loop(op, inside)
            _flow(op.body, inside)
            arguments, _ = _carries(op)
            inside.update([r for r, a in zip(op.results, arguments, strict=False) if a in inside])
            made = zip(op.results[len(arguments) :], _yielded(op.body)[len(arguments) :], strict=False)
            inside.update([r for r, y in made if y in inside])
        elif isinstance(op, control.BranchOp):
            for branch in op.regions:
                _flow(branch, inside)
            for k, result in enumerate(op.results):
                if any(_yielded(branch)[k] in inside for branch in op.regions):
                    inside.add(result)
        else:
            inside.update(op.results)


REGION_CHECKS: dict[type[Operation], Callable[[Any, Tangents], None]] = {
    control.ScanOp: _scan,
    control.WhileOp: _while,
    control.ReplayOp: _replay,
    control.IfOp: _branches,
    control.SwitchOp: _branches,
    CheckpointOp: _branches,
    indexing.BuildOp: _build,
    ApplyOp: _apply,
    ApplyTransposeOp: _apply,
}
"""Ops that are linear if their regions, or the maps that they apply, are."""


# What is required ------------------------------------------------------------------------------------


def _require_tangents(op: Operation, values: Sequence[Value], tangents: Tangents) -> None:
    for value in values:
        if value not in tangents and not is_zero_value(value):
            raise _not_linear(op, "adds to, or joins with, the tangent something that does not depend on it")


def _require_fixed(op: Operation, values: Sequence[Value], tangents: Tangents) -> None:
    if any(v in tangents for v in values):
        raise _not_linear(op, "chooses or records by what depends on the tangent")


def _terminator(region: Region) -> Operation:
    last = region.block.last_op
    assert last is not None
    return last


def _yielded(region: Region) -> list[Value]:
    return list(_terminator(region).operands)


class NotLinear(VerifyException):
    """The op at which code stops being linear in its tangent."""

    def __init__(self, op: Operation, message: str):
        super().__init__(message)
        self.op = op


def _not_linear(op: Operation, what: str) -> NotLinear:
    return NotLinear(op, f"{op.name} {what}")
