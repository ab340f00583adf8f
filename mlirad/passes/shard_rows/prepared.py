"""Rewrites of what the rules take in one form alone: done before states are found, in place.

    update add %base, %rows              %base + scatter %rows, where the base has no rows
    slice %x[n - 3 : n]                  gather %x at n - 3 + i
    pad %x with n - 1 rows behind        update set of rows of the padding
    argmax %x                            beside it max %x, with which it is combined
    sort %x, where a few are read        a search for their ranks (`orders.py`)
    cumulative sum %x                    two rounds (`prefixes.py`)
    slice %x[1 : n], of n - 1 rows       n rows, moved by one (`alignment.py`)

The chain of reports is taken apart, so that reports do not wait for one another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import GatherOp, IndexOp, ScatterOp, UpdateOp, YieldOp
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.ordering import CumulativeOp
from mlirad.dialects.array.reductions import ArgmaxOp, ArgminOp, ReduceOp
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp, PadOp, ReshapeOp, SliceOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.linear.linearity import is_zero_value
from mlirad.dialects.shapes import (
    Value,
    array_type,
    element_of,
    int_lists,
    integer_of,
    ints,
    is_boolean,
    keyword,
    reduce_shape,
    shape_of,
    values_of,
)
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.free_values import own_operands, replace_operand
from mlirad.ir.regions import nested_ops
from mlirad.passes.shard_rows.alignment import aligned
from mlirad.passes.shard_rows.emission import before, number, replace, splat
from mlirad.passes.shard_rows.flow import GROUP, new_group
from mlirad.passes.shard_rows.orders import selected
from mlirad.passes.shard_rows.prefixes import in_two_rounds
from mlirad.passes.shard_rows.states import rows_of


def prepared(function: FuncOp, name: str) -> None:
    """Rewrite what the rules take in one form alone, in place."""
    aligned(function, name)
    for op in list(nested_ops(function.body)):
        if isinstance(op, UpdateOp) and op.kind.data == "add":
            _separate(op, name)
        elif isinstance(op, SliceOp):
            _slice(op, name)
        elif isinstance(op, PadOp):
            _pad(op, name)
    selected(function.body.block, name)
    erase_unused(function.body.block, GROUP)
    for op in list(function.body.block.ops):
        if isinstance(op, ArgmaxOp | ArgminOp):
            _pair(op, name)
        elif isinstance(op, CumulativeOp):
            in_two_rounds(op, name)
    _unchain(function)


def _separate(op: UpdateOp, name: str) -> None:
    """`update add %base, %rows` is `%base + scatter %rows`, where the base has no rows."""
    rows = rows_of(op.operand, name, op)
    if rows is None or rows.dim >= len(op.body.block.args) or rows_of(op.base, name, op) is not None:
        return
    body = op.body
    op.detach_region(body)
    added = before(op, ScatterOp, [op.operand], op.result.type, regions=[body])
    total = before(op, ew.AddOp, [op.base, added], op.result.type)
    replace(op, total)


def _slice(op: SliceOp, name: str) -> None:
    """A number of rows that is known, wherever they are; the first row alone has a rule."""
    rows = rows_of(op.operand, name, op)
    if rows is None or not is_static(shape_of(op.result)[rows.dim]):
        return
    d, shape = rows.dim, shape_of(op.result)
    starts, limits, strides = (list(values_of(p)) for p in (op.starts, op.limits, op.strides))
    if (starts[d], limits[d]) == (0, 1):
        return
    if shape[d] == 0:  # of no chunk
        replace(op, splat(op, 0, op.result))
        return
    start, stride = starts[d], strides[d]
    starts[d], limits[d], strides[d] = 0, shape_of(op.operand)[d], 1
    value, wide = op.operand, list(shape)
    wide[d] = limits[d]
    if tuple(wide) != shape_of(value):
        type_ = array_type(tuple(wide), element_of(value))
        value = before(op, SliceOp, [value], type_, int_lists(starts=starts, limits=limits, strides=strides))
    if shape[d] == 1 and d == 0:
        row = before(op, IndexOp, [value, number(op, start)], array_type(shape[1:], element_of(value)))
        replace(op, before(op, ReshapeOp, [row], op.result.type))
        return
    body = _positions(op, d, start, stride)
    replace(op, before(op, GatherOp, [value], op.result.type, regions=[body]))


def _pad(op: PadOp, name: str) -> None:
    """Rows that the array has a known number of, among rows that are the padding."""
    made = rows_of(op.result, name, op)
    if made is None or rows_of(op.operand, name, op) is not None:
        return
    d, shape = made.dim, list(shape_of(op.result))
    low, high, interior = (list(values_of(p)) for p in (op.low, op.high, op.interior))
    start, stride = low[d], interior[d] + 1
    low[d] = high[d] = interior[d] = 0
    value = op.operand
    shape[d] = shape_of(value)[d]
    if any((*low, *high, *interior)):
        type_ = array_type(tuple(shape), element_of(value))
        value = before(op, PadOp, [value, op.value], type_, int_lists(low=low, high=high, interior=interior))
    if shape[d] == 1 and d == 0:
        value = before(op, ReshapeOp, [value], array_type(tuple(shape[1:]), element_of(value)))
        position = number(op, start)
        body = _region(0, lambda block: [position])
    else:
        body = _positions(op, d, start, stride)
    if is_zero_value(op.value) and not is_boolean(value):
        replace(op, before(op, ScatterOp, [value], op.result.type, regions=[body]))
        return
    base = before(op, BroadcastOp, [op.value], op.result.type, {"dims": ints(())})
    properties = {"kind": keyword("set")}
    replace(op, before(op, UpdateOp, [base, value], op.result.type, properties, [body]))


def _positions(place: Operation, dim: int, start: int, stride: int) -> Region:
    """The region from positions of a few rows, and of the dimensions before, to those among all rows."""
    first, step = number(place, start), number(place, stride)

    def made(block: Block) -> Sequence[Value]:
        *outer, k = block.args
        scaled = ew.MulOp.create(operands=[k, step], result_types=[i64])
        moved = ew.AddOp.create(operands=[scaled.results[0], first], result_types=[i64])
        block.add_ops([scaled, moved])
        return [*outer, moved.results[0]]

    return _region(dim + 1, made)


def _region(arguments: int, yielded: Callable[[Block], Sequence[Value]]) -> Region:
    block = Block(arg_types=[i64] * arguments)
    block.add_op(YieldOp.create(operands=yielded(block)))
    return Region(block)


def _pair(op: ArgmaxOp | ArgminOp, name: str) -> None:
    """Have the extremum found beside its position."""
    rows = rows_of(op.operand, name, op)
    dim = integer_of(op.dim)
    if rows is None or rows.dim != dim:
        return
    kind = op.name.removeprefix("array.")
    type_ = array_type(reduce_shape(shape_of(op.operand), (dim,)), element_of(op.operand))
    properties = {"kind": keyword(kind.removeprefix("arg")), "dims": ints((dim,))}
    extremum = before(op, ReduceOp, [op.operand], type_, properties)
    assert isinstance(extremum.owner, Operation)
    mark = new_group(kind)
    for member in (extremum.owner, op):
        member.attributes[GROUP] = mark


def _unchain(function: FuncOp) -> None:
    """Reports take a token of their own, and who reads the last token reads the largest of all."""
    for op in list(function.body.block.ops):
        if not isinstance(op, ReportOp):
            continue
        token, following = own_operands(op)[0], op.next_op
        assert following is not None
        replace_operand(op, 0, before(op, ConstantOp, [], i64, {"value": literal(0, i64)}))
        latest = before(following, ew.MaxOp, [token, op.result], i64)
        op.result.replace_uses_with_if(latest, lambda use, own=latest.owner: use.operation is not own)
