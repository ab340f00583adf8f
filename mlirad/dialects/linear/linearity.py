"""The operands in which each op of the array language is linear, and how the results of code depend on a
tangent.

    add, sub, select, concatenate ...   jointly in several operands
    mul, dot                            in each of two operands alone
    exp, max, sort, sign ...            in none: entered nowhere
    scan, while, if ...                 by their regions

    array.add %dx, %dy      linear             array.mul %dx, %k     linear
    array.add %dx, %one     affine             array.mul %dx, %dx    not linear

A value is either the sum of a part that does not depend on the tangent and a linear part, where either may be
0, or not linear. That is a lattice, so what branches and loops make is found by joining; linear code may
compute anything from captured values, and may yield 0 where a tangent is asked for.

Linear code is differentiated, not transposed. A map given by code (`linear.lambda`) is its own derivative.
The derivative table turns the code into a map expression, with the constructs for loops and branches, so no
second table says how each op is transposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation, Region
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array import control, factorisations, indexing, ordering, reductions, structural
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.transforms import FftOp
from mlirad.dialects.linear.application import ApplicationOp, ApplyOp, ApplyTransposeOp
from mlirad.dialects.linear.calls import PullOp, PushOp
from mlirad.dialects.linear.elements import NothingOp, PlusOp, RollOp, UnrollOp
from mlirad.dialects.shapes import Value, is_float
from mlirad.lazy_dataclass import dataclass

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
    factorisations.TriangularSolveOp: ((1,),),
    factorisations.SolveOp: ((1,),),
    FftOp: ((0,),),
}
"""The groups of operands in which an op is linear, each together, while the other operands are fixed.

`cumulative` is linear only as a sum, `convert` only between floats.
"""

_FIXED, _LINEAR, _NONLINEAR = 1, 2, 4


@dataclass(frozen=True)
class Dependence:
    """The parts that a value is a sum of, by how they depend on the tangent.

    `op` is the first op where it was no longer linear, and `why` says what that op does.
    """

    parts: int
    op: Operation | None = None
    why: str = ""

    @property
    def is_linear(self) -> bool:
        """Return whether the value is provably linear in the tangent, as 0 is."""
        return not self.parts & ~_LINEAR

    @property
    def has_fixed_part(self) -> bool:
        """Return whether the value is linear except for a part that does not depend on the tangent."""
        return self.parts & ~_LINEAR == _FIXED

    @property
    def is_fixed(self) -> bool:
        """Return whether the value does not depend on the tangent."""
        return not self.parts & ~_FIXED


ZERO, FIXED, LINEAR = Dependence(0), Dependence(_FIXED), Dependence(_LINEAR)

JOINS = "adds to, or joins with, the tangent something that does not depend on it"


def dependences(region: Region, tangents: Iterable[Value]) -> list[Dependence]:
    """Return how each value that a region yields, or a function returns, depends on its values `tangents`."""
    judge = _Judge(dict.fromkeys(tangents, LINEAR))
    found = judge.run(region, ())
    terminator = region.block.last_op
    return [Dependence(_FIXED, terminator, JOINS) if d.parts == _FIXED else d for d in found]


def check_linear(region: Region, tangents: Sequence[Value]) -> None:
    """Require that what a region yields is linear in its values `tangents`; raises for the op that is not."""
    for found in dependences(region, tangents):
        if not found.is_linear:
            assert found.op is not None
            raise NotLinear(found.op, f"{found.op.name} {found.why}")


class NotLinear(VerifyException):
    """The op at which code stops being linear in its tangent."""

    def __init__(self, op: Operation, message: str):
        super().__init__(message)
        self.op = op


def is_zero_value(value: Value) -> bool:
    """Return whether a value is a literal 0, or made of one by broadcasting."""
    owner = value.owner
    while isinstance(owner, structural.BroadcastOp):
        owner = owner.operand.owner
    return isinstance(owner, structural.ConstantOp) and not np.any(literal_array(owner))


def _joined(op: Operation, parts: Iterable[Dependence], why: str = JOINS) -> Dependence:
    """Return what a sum or a choice of such values is."""
    total = ZERO
    for d in parts:
        union = total.parts | d.parts
        if union & _NONLINEAR:
            total = total if total.parts & _NONLINEAR else d
        elif union == total.parts:
            total = total if total.op is not None or d.op is None else d
        elif union == d.parts:
            total = d
        else:
            total = Dependence(union, op, why)
    return total


# Ops -------------------------------------------------------------------------------------------------


class _Judge:
    """The dependences of the values met so far; a value that is not entered is fixed."""

    def __init__(self, known: dict[Value, Dependence]):
        self.known = known

    def of(self, value: Value) -> Dependence:
        """Return how a value depends on the tangent."""
        found = self.known.get(value)
        if found is not None:
            return found
        return ZERO if is_zero_value(value) else FIXED

    def run(self, region: Region, arguments: Iterable[tuple[Value, Dependence]]) -> list[Dependence]:
        """Return what a region yields, given how its arguments depend on the tangent."""
        self.known.update(arguments)
        terminator = region.block.last_op
        for op in region.block.ops:
            if op is not terminator:
                found = _CONSTRUCTS.get(type(op), _op)(self, op)
                self.known.update(zip(op.results, found, strict=True))
        return [] if terminator is None else [self.of(v) for v in terminator.operands]


def _lost(op: Operation, read: Iterable[Dependence], why: str) -> Dependence:
    """Return what is not linear: since `op`, or since what it reads was not."""
    before = next((d for d in read if d.parts & _NONLINEAR), None)
    return Dependence(_NONLINEAR, op, why) if before is None else before


def _op(judge: _Judge, op: Operation) -> list[Dependence]:
    """An op without own code: what depends on the tangent must stand in one group."""
    read = [judge.of(o) for o in op.operands]
    inside = [d for d in map(judge.of, _captured(op)) if not d.is_fixed]
    count = len(op.results)
    if inside:
        return [_lost(op, inside, "finds positions by what depends on the tangent")] * count
    varying = [k for k, d in enumerate(read) if not d.is_fixed]
    groups = [range(len(read)) if g == (ALL,) else g for g in LINEAR_IN.get(type(op), ())]
    if not varying:
        vanishes = any(all(read[k] == ZERO for k in group) for group in groups) or (
            isinstance(op, structural.ConstantOp) and is_zero_value(op.result)
        )
        return [ZERO if vanishes else FIXED] * count
    if isinstance(op, ordering.CumulativeOp) and op.kind.data != "sum":
        why = f"of kind {op.kind.data} is not linear in what depends on the tangent"
        return [_lost(op, read, why)]
    group = next((g for g in groups if all(k in g for k in varying)), None)
    if group is None:
        return [_lost(op, read, "is not linear in what depends on the tangent")] * count
    if not is_float(op.results[0]):
        return [_lost(op, read, "makes an integer or boolean of what depends on the tangent")]
    return [_joined(op, (read[k] for k in group))]


def _captured(op: Operation) -> Iterable[Value]:
    """Yield what the regions of an op read, values of their own included."""
    for region in op.regions:
        for inner in region.walk():
            yield from inner.operands


def _apply(judge: _Judge, op: ApplicationOp) -> list[Dependence]:
    map_ = judge.of(op.map)
    if not map_.is_fixed:
        return [_lost(op, [map_], "applies a map that depends on the tangent")] * len(op.results)
    return [_joined(op, map(judge.of, op.arguments))] * len(op.results)


def _plus(judge: _Judge, op: PlusOp) -> list[Dependence]:
    return [_joined(op, map(judge.of, op.operands))]


def _nothing(judge: _Judge, op: NothingOp) -> list[Dependence]:
    return [ZERO]


def _unroll(judge: _Judge, op: UnrollOp) -> list[Dependence]:
    return [judge.of(op.operand)] * len(op.results)


def _push(judge: _Judge, op: PushOp) -> list[Dependence]:
    """Linear in the last group of tangents."""
    read = [judge.of(o) for o in op.operands]
    last = len(op.groups[-1])
    fixed, tangents = read[: len(read) - last], read[len(read) - last :]
    numbers = op.positions("results")
    if not all(d.is_fixed for d in fixed) or not all(n % 2 for n in numbers):
        return _op(judge, op)
    return [_joined(op, tangents)] * len(op.results)


def _pull(judge: _Judge, op: PullOp) -> list[Dependence]:
    """Linear in the cotangents, with the sums added."""
    count = len(op.positions("results"))
    if not all(judge.of(o).is_fixed for o in op.primals):
        return _op(judge, op)
    extra = [judge.of(o) for o in op.extra]
    return [_joined(op, [*extra[:count], before]) for before in extra[count:]]


def _region(judge: _Judge, op: indexing.BuildOp | CheckpointOp) -> list[Dependence]:
    return judge.run(op.body, ())


def _custom(judge: _Judge, op: CustomOp) -> list[Dependence]:
    read = [judge.of(x) for x in op.inputs]
    return judge.run(op.body, zip(op.body.block.args, read, strict=True))


def _branches(judge: _Judge, op: control.IfOp | control.SwitchOp) -> list[Dependence]:
    choice = judge.of(op.operands[0])
    if not choice.is_fixed:
        why = "chooses a branch by what depends on the tangent"
        return [_lost(op, [choice], why)] * len(op.results)
    made = [judge.run(region, ()) for region in op.regions]
    return [_joined(op, column) for column in zip(*made, strict=True)]


def _rounds(
    judge: _Judge, op: control.LoopOp, first: int, others: Sequence[Dependence]
) -> tuple[list[Dependence], list[Dependence]]:
    """The carries before any iteration, and what the body then yields; `others` are the arguments around
    them.
    """
    carries = [judge.of(v) for v in op.init]
    count = len(carries)
    while True:
        given = [*others[:first], *carries, *others[first:]]
        made = judge.run(op.body, zip(op.body.block.args, given, strict=True))
        after = [_joined(op, pair) for pair in zip(carries, made[:count], strict=True)]
        if [a.parts for a in after] == [c.parts for c in carries]:
            return carries, made
        carries = after


def _scan(judge: _Judge, op: control.ScanOp) -> list[Dependence]:
    carries, made = _rounds(judge, op, 1, [FIXED, *map(judge.of, op.xs)])
    return [*carries, *made[op.carry_count :]]


def _while(judge: _Judge, op: control.WhileOp) -> list[Dependence]:
    carries, made = _rounds(judge, op, 0, ())
    (more,) = judge.run(op.condition, zip(op.condition.block.args, carries, strict=True))
    if not more.is_fixed:
        why = "decides by what depends on the tangent how often it runs"
        return [Dependence(_NONLINEAR, op, why)] * len(op.results)
    if op.tape is None:
        return carries
    record = made[len(carries) :]
    varying = [d for d in record if not d.is_fixed]
    return [*carries, _lost(op, record, "records what depends on the tangent") if varying else FIXED]


def _replay(judge: _Judge, op: control.ReplayOp) -> list[Dependence]:
    entries = len(op.body.block.args) - len(op.init)
    return _rounds(judge, op, entries, [judge.of(op.tape)] * entries)[0]


_CONSTRUCTS: dict[type[Operation], Callable[[_Judge, Any], list[Dependence]]] = {
    control.ScanOp: _scan,
    control.WhileOp: _while,
    control.ReplayOp: _replay,
    control.IfOp: _branches,
    control.SwitchOp: _branches,
    CheckpointOp: _region,
    CustomOp: _custom,
    indexing.BuildOp: _region,
    ApplyOp: _apply,
    ApplyTransposeOp: _apply,
    PlusOp: _plus,
    NothingOp: _nothing,
    RollOp: _plus,
    UnrollOp: _unroll,
    PushOp: _push,
    PullOp: _pull,
}
"""Ops that are linear if their regions, or the maps that they apply, are."""
