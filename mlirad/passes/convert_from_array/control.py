"""Loops, branches, and ops whose region is simply their code.

array.scan    ->  scf.for, stacked values written to slices         array.if      ->  scf.if
array.while   ->  scf.while                                          array.switch  ->  scf.index_switch
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.shapes import Value, array_type, element_of, shape_of
from mlirad.errors import UnsupportedError
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.passes.convert_from_array.arrays import clamp
from mlirad.passes.convert_from_array.conversion import Conversion, Handler


def _scan(c: Conversion, op: control.ScanOp) -> list[Value]:
    u, count = c.u, op.carry_count
    init, xs = c.values(op.init), c.values(op.xs)
    stacks = [u.empty(r.type) for r in op.results[count:]]
    last = u.constant(op.iterations - 1, i64)

    def iteration(index: Value, carries: list[Value]) -> Sequence[Value]:
        at = u.op(arith.SubiOp, last, index) if op.reverse is not None else index
        slices = [u.slice(x, [at], array_type(shape_of(x)[1:], element_of(x))) for x in xs]
        made = c.inlined(op.body, [at, *carries[:count], *slices])
        stacked = zip(carries[count:], made[count:], strict=True)
        return [*made[:count], *(u.replace(whole, part, [at]) for whole, part in stacked)]

    return u.loop(op.iterations, [*init, *stacks], iteration)


def _while(c: Conversion, op: control.WhileOp) -> list[Value]:
    u, init = c.u, c.values(own_operands(op))
    if op.record is not None:
        raise UnsupportedError(
            f"{op.name}: a tape of iterations whose number depends on data has no form in upstream dialects",
            location=location_of(op),
            hint="write a loop of a known number of iterations, or differentiate forwards: mode=forward",
        )
    types = [v.type for v in init]
    condition, body = op.regions

    def before(*carries: Value) -> Sequence[Value]:
        return [*c.inlined(condition, carries), *carries]

    first = u.region(types, before, scf.ConditionOp)
    second = u.region(types, lambda *carries: c.inlined(body, carries), scf.YieldOp)
    return list(u.add(scf.WhileOp(init, types, first, second)).results)


def _branch(c: Conversion, region: Region) -> Region:
    return c.u.region((), lambda: c.inlined(region, ()), scf.YieldOp)


def _if(c: Conversion, op: control.IfOp) -> list[Value]:
    u, types = c.u, [r.type for r in op.results]
    (condition,) = c.values(own_operands(op))
    then, otherwise = (_branch(c, region) for region in op.regions)
    return list(u.add(scf.IfOp(condition, types, then, otherwise)).results)


def _switch(c: Conversion, op: control.SwitchOp) -> list[Value]:
    """The last branch is the default, as positions are clamped."""
    u, types = c.u, [r.type for r in op.results]
    (choice,) = c.values(own_operands(op))
    *cases, default = [_branch(c, region) for region in op.regions]
    index = u.as_index(clamp(u, choice, len(op.regions)))
    numbers = DenseArrayBase.from_list(i64, range(len(cases)))
    return list(u.add(scf.IndexSwitchOp(index, numbers, default, cases, types)).results)


def _custom(c: Conversion, op: CustomOp) -> list[Value]:
    return c.inlined(op.body, c.values(own_operands(op)))


def _checkpoint(c: Conversion, op: CheckpointOp) -> list[Value]:
    return c.inlined(op.body, ())


CONTROL: dict[type[Operation], Handler] = cast(
    "Any",
    {
        control.ScanOp: _scan,
        control.WhileOp: _while,
        control.IfOp: _if,
        control.SwitchOp: _switch,
        CustomOp: _custom,
        CheckpointOp: _checkpoint,
    },
)
"""Ops with regions that run as code."""
