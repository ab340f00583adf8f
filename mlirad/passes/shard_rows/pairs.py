"""Fewer rounds: sums that wait for a maximum or a mean are computed with that of the chunk, and corrected.

    m = max_i z_i,  s = sum_i exp(z_i - m)           a pair (m, s) of chunks: logsumexp
    m = sum_i x_i / n,  q = sum_i (x_i - m)**2       a triple (n, sum, q): moments, by Chan's formula

A chunk computes the second with its own maximum or mean. When two are combined, what they have is brought to
what both have: with `exp(m_1 - m)`, and by the difference of the means. Results are those of all rows except
for rounding, and as accurate. Ops are marked, as a chunk's own maximum is not what it is of all rows.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import StringAttr, UnitAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.reductions import DotOp, ReduceOp, SumOp
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp, SizeOp
from mlirad.dialects.shapes import Value, array_type, element_of, ints, keyword, shape_of, values_of
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.free_values import own_operands, replace_operand
from mlirad.passes.shard_rows.emission import before, replace
from mlirad.passes.shard_rows.flow import GROUP, LOCAL, Flow, new_group
from mlirad.passes.shard_rows.states import Rows


def pair(function: FuncOp, flow: Flow) -> bool:
    """Have one sum computed beside the maximum or mean that it waits for; return False if none waits."""
    order = [v for v in flow.partials if flow.levels[v] > 1 and flow.partials[v] == "add"]
    for value in sorted(order, key=lambda v: flow.levels[v]):
        op = value.owner
        assert isinstance(op, Operation)
        if GROUP in op.attributes:
            continue
        if (isinstance(op, SumOp) and _centred(flow, op)) or _shifted(flow, op):
            erase_unused(function.body.block, GROUP)
            return True
    return False


def _level(flow: Flow, value: Value) -> int:
    return flow.levels.get(value, 1 << 30)


def _dim(flow: Flow, value: Value) -> int | None:
    state = flow.states.get(value)
    return state.dim if isinstance(state, Rows) else None


# Maxima ----------------------------------------------------------------------------------------------


def _shifted(flow: Flow, op: Operation) -> bool:
    """A sum over rows of `exp(z - m)`, perhaps times rows that are known, with the maximum m of z."""
    if isinstance(op, SumOp):
        path = _path(flow, op.operand, op)
    elif isinstance(op, DotOp) and not op.batch[0] and len(op.contract[0]) == 1:
        path = _path(flow, op.lhs, op) or _path(flow, op.rhs, op)
    else:
        return False
    if path is None:
        return False
    exp, maximum = path
    reduced = maximum.owner
    assert isinstance(reduced, ReduceOp)
    level = flow.levels[maximum]
    if not _is_ready(flow, op, exp, level) or not _fits(flow, op, exp, maximum):
        return False
    own = _own_maximum(reduced)
    shift = own_operands(exp)[0].owner
    assert isinstance(shift, ew.SubOp) and isinstance(shift.rhs.owner, BroadcastOp)
    spread = before(exp, BroadcastOp, [own], shift.rhs.type, dict(shift.rhs.owner.properties))
    moved = before(exp, ew.SubOp, [shift.lhs, spread], exp.results[0].type)
    local = before(exp, ew.ExpOp, [moved], exp.results[0].type)
    _rebuilt(op, exp.results[0], local, _group(reduced, "logsumexp"))
    return True


def _path(flow: Flow, value: Value, op: Operation) -> tuple[Operation, Value] | None:
    """The exponential that a product has as its only factor that waits, and the maximum that it waits for."""
    owner = value.owner
    if isinstance(owner, ew.MulOp | ew.AbsorbingMulOp):
        level = flow.levels[op.results[0]] - 1
        known = [_level(flow, v) < level for v in own_operands(owner)]
        if sorted(known) != [False, True]:
            return None
        return _path(flow, own_operands(owner)[known.index(False)], op)
    if not isinstance(owner, ew.ExpOp) or not isinstance(owner.operand.owner, ew.SubOp):
        return None
    z, spread = own_operands(owner.operand.owner)
    if not isinstance(spread.owner, BroadcastOp):
        return None
    maximum = spread.owner.operand
    while isinstance(maximum.owner, ew.StopGradientOp):
        maximum = maximum.owner.operand
    reduced = maximum.owner
    if not isinstance(reduced, ReduceOp) or reduced.kind.data != "max" or flow.partials.get(maximum) != "max":
        return None
    dims = values_of(reduced.dims)
    kept = [d for d in range(len(shape_of(z))) if d not in dims]
    same = reduced.operand is z and list(values_of(spread.owner.dims)) == kept
    return (owner, maximum) if same else None


def _is_ready(flow: Flow, op: Operation, exp: Operation, level: int) -> bool:
    """Tell whether everything but the exponential is known where the maximum is computed."""
    pending = list(own_operands(op))
    while pending:
        value = pending.pop()
        if value is exp.results[0]:
            continue
        if _level(flow, value) < level:
            continue
        owner = value.owner
        if not isinstance(owner, ew.MulOp | ew.AbsorbingMulOp):
            return False
        pending += own_operands(owner)
    return True


def _fits(flow: Flow, op: Operation, exp: Operation, maximum: Value) -> bool:
    """Tell whether a factor for each maximum is one for elements of the sum, by NumPy's broadcasting."""
    shape = shape_of(maximum)
    if not shape:
        return True
    summed = op.results[0]
    if isinstance(op, SumOp):
        return shape_of(summed) == shape
    assert isinstance(op, DotOp)
    rest = len(shape_of(exp.results[0])) - 1
    return _is_part(op.rhs, exp.results[0]) and rest == len(shape) and shape_of(summed)[-rest:] == shape


def _is_part(value: Value, factor: Value) -> bool:
    """Tell whether a product has a factor."""
    if value is factor:
        return True
    owner = value.owner
    return isinstance(owner, ew.MulOp | ew.AbsorbingMulOp) and any(
        _is_part(v, factor) for v in own_operands(owner)
    )


def _own_maximum(reduced: ReduceOp) -> Value:
    """The maximum of a chunk; 0 where all its elements are minus infinity, as any shift leaves their sum
    0.
    """
    copied = reduced.clone()
    copied.attributes.pop(GROUP, None)
    copied.attributes[LOCAL] = UnitAttr()
    block = reduced.parent
    assert block is not None and reduced.next_op is not None
    place = reduced.next_op
    block.insert_op_before(copied, place)
    own = copied.results[0]
    least, zero = (_splat(place, v, own) for v in (-np.inf, 0.0))
    is_least = before(
        place, ew.CompareOp, [own, least], array_type(shape_of(own), i1), {"predicate": keyword("eq")}
    )
    return before(place, ew.SelectOp, [is_least, zero, own], own.type)


def _splat(place: Operation, number: float, like: Value) -> Value:
    """An array of one number."""
    element = element_of(like)
    value = before(place, ConstantOp, [], element, {"value": literal(number, element)})
    return before(place, BroadcastOp, [value], like.type, {"dims": ints(())}) if shape_of(like) else value


def _rebuilt(op: Operation, old: Value, new: Value, group: StringAttr) -> None:
    """Put a copy in the place of a sum, with another factor, as a member of a group."""

    def image(value: Value) -> Value:
        if value is old:
            return new
        owner = value.owner
        if not isinstance(owner, ew.MulOp | ew.AbsorbingMulOp) or not _is_part(value, old):
            return value
        return before(op, type(owner), [image(v) for v in own_operands(owner)], value.type)

    copied = op.clone()
    for k, value in enumerate(own_operands(op)):
        replace_operand(copied, k, image(value))
    copied.attributes[GROUP] = group
    block = op.parent
    assert block is not None
    block.insert_op_before(copied, op)
    replace(op, copied.results[0])


def _group(first: Operation, kind: str) -> StringAttr:
    """The mark of the group that an op begins."""
    mark = first.attributes.setdefault(GROUP, new_group(kind))
    assert isinstance(mark, StringAttr)
    return mark


# Means -----------------------------------------------------------------------------------------------


def _centred(flow: Flow, op: SumOp) -> bool:
    """A sum of squares of differences from the mean of the same elements."""
    square = op.operand.owner
    if not isinstance(square, ew.MulOp) or square.lhs is not square.rhs:
        return False
    difference = square.lhs.owner
    if not isinstance(difference, ew.SubOp) or not isinstance(difference.rhs.owner, BroadcastOp):
        return False
    x, spread = difference.lhs, difference.rhs.owner
    total = _total_of_mean(spread.operand, x)
    kept = [d for d in range(len(shape_of(x))) if d not in values_of(op.dims)]
    if total is None or values_of(total.dims) != values_of(op.dims) or list(values_of(spread.dims)) != kept:
        return False
    if GROUP in total.attributes or flow.levels[total.results[0]] != _level(flow, x) + 1:
        return False
    dim = _dim(flow, x)
    if dim is None or dim not in values_of(op.dims):
        return False
    group = new_group("moments")
    one = before(total, ConstantOp, [], element_of(x), {"value": literal(1.0, element_of(x))})
    ones = before(total, BroadcastOp, [one], x.type, {"dims": ints(())})
    number = before(total, SumOp, [ones], total.results[0].type, dict(total.properties))
    assert total.next_op is not None
    place = total.next_op
    own_number = before(place, SumOp, [ones], total.results[0].type, dict(total.properties))
    own_total = before(place, SumOp, [x], total.results[0].type, dict(total.properties))
    for value in (own_number, own_total):
        assert isinstance(value.owner, Operation)
        value.owner.attributes[LOCAL] = UnitAttr()
    mean = before(place, ew.DivOp, [own_total, own_number], own_total.type)
    around = before(place, BroadcastOp, [mean], x.type, dict(spread.properties))
    own = before(place, ew.SubOp, [x, around], x.type)
    squares = before(place, ew.MulOp, [own, own], x.type)
    made = before(place, SumOp, [squares], op.result.type, dict(op.properties))
    for value in (number, total.results[0], made):
        assert isinstance(value.owner, Operation)
        value.owner.attributes[GROUP] = group
    replace(op, made)
    return True


def _total_of_mean(mean: Value, x: Value) -> SumOp | None:
    """The sum that a value divides by the number of elements along some dimensions of x, if it is a mean."""
    division = mean.owner
    if not isinstance(division, ew.DivOp):
        return None
    total, number = division.lhs.owner, division.rhs
    if isinstance(number.owner, BroadcastOp):
        number = number.owner.operand
    if not isinstance(number.owner, ew.ConvertOp) or not isinstance(number.owner.operand.owner, SizeOp):
        return None
    if not isinstance(total, SumOp) or total.operand is not x:
        return None
    elements = 1
    for d in values_of(total.dims):
        elements *= shape_of(x)[d]
    return total if number.owner.operand.owner.extent.data == elements else None
