"""Windows of rows: reads and writes at positions a known number of rows on, moved one after the other.

%w = array.gather %x (%i, %j) { %i + %j }              stack of %x moved by 0, 1, ..., as dimension 1
%y = array.scatter %w (%i, %j) { %i + %j }             sum of %w[:, 0], %w[:, 1] moved by -1, ...
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Final

from xdsl.dialects.builtin import i64
from xdsl.ir import Block, BlockArgument, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import GatherOp, ScatterOp
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.structural import (
    ConstantOp,
    ReshapeOp,
    StackOp,
    TransposeOp,
)
from mlirad.dialects.extents import is_static, size
from mlirad.dialects.shapes import (
    Value,
    array_type,
    element_of,
    integer,
    ints,
    shape_of,
)
from mlirad.ir.affine import AffineForms
from mlirad.ir.free_values import free_values, own_operands, replace_operand
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.shard_rows.emission import before, chosen, sliced, splat
from mlirad.passes.shard_rows.neighbours import moved_by
from mlirad.passes.shard_rows.states import behind_all

MOST_MOVES: Final = 64
"""The most positions that windows may have."""


@dataclass(frozen=True)
class Windows:
    """Position i of dimension `space` of what is read, or written, is row i + offset of dimension `rows`.

    The offset is `first`, and for each dimension in `dims` a factor times the position along it.
    """

    space: int
    rows: int
    first: int
    dims: dict[int, int]


def windows_of(op: GatherOp | ScatterOp, name: str) -> Windows | None:
    """Find how an op reads or writes rows that are some rows on; None for any other op."""
    last, arguments = op.body.block.last_op, list(op.body.block.args)
    indexed, space = (op.operand, op.result) if isinstance(op, GatherOp) else (op.result, op.operand)
    into, of = (
        [(d, k) for d, e in enumerate(shape_of(v)) if (k := behind_all(e, name)) is not None]
        for v in (indexed, space)
    )
    assert last is not None
    positions = list(own_operands(last))
    if len(into) != 1 or len(of) != 1 or into[0][0] >= len(positions) or of[0][0] >= len(arguments):
        return None
    (rows, there), (dim, wanted) = into[0], of[0]
    form = AffineForms().of(_unclamped(positions[rows], shape_of(indexed)[rows] - 1))
    factors, first = dict(form.terms), form.constant
    if factors.pop(arguments[dim], 0) != 1 or not factors.keys() <= set(arguments) or not is_static(first):
        return None
    dims = {d: factors[argument] for d, argument in enumerate(arguments) if argument in factors}
    extents = [shape_of(space)[d] for d in dims]
    if not all(map(is_static, extents)) or not 0 < prod(extents) <= MOST_MOVES:
        return None
    ends = [factor * (extent - 1) for factor, extent in zip(dims.values(), extents, strict=True)]
    if (
        first + sum(min(end, 0) for end in ends) < 0
        or first + sum(max(end, 0) for end in ends) > there - wanted
    ):
        return None  # clamping changes some positions
    used = {arguments[dim], *(arguments[d] for d in dims)}
    others = [p for k, p in enumerate(positions) if k != rows]
    return None if any(_reads(p, used) for p in others) else Windows(dim, rows, first, dims)


def _unclamped(position: Value, last: int) -> Value:
    """The position that is clamped to the first row and the last one."""
    op = position.owner
    if not isinstance(op, ew.MaxOp | ew.MinOp):
        return position
    inner, bound = own_operands(op)
    form = AffineForms().of(bound)
    is_clamp = not form.terms and form.constant == (0 if isinstance(op, ew.MaxOp) else last)
    return _unclamped(inner, last) if is_clamp else position


def _reads(value: Value, used: set[BlockArgument]) -> bool:
    if isinstance(value, BlockArgument):
        return value in used
    op = value.owner
    assert isinstance(op, Operation)
    if isinstance(op, ew.RemOp) and scalar_of(own_operands(op)[1]) == 1:
        return False
    return any(_reads(v, used) for v in free_values(op))


def moved(op: GatherOp | ScatterOp, x: Value, windows: Windows, name: str) -> Value:
    """The result of an op for values of all rows, one position of the windows after the other."""
    space = op.result if isinstance(op, GatherOp) else op.operand
    dims = sorted(windows.dims)
    extents = [shape_of(space)[d] for d in dims]
    made: list[Value] = []
    for places in product(*map(range, extents)):
        at = dict(zip(dims, places, strict=True))
        offset = windows.first + sum(k * windows.dims[d] for d, k in at.items())
        if isinstance(op, GatherOp):
            made.append(_read(op, moved_by(op, x, windows.rows, offset), windows, at, name))
        else:
            made.append(_written(op, x, windows, at, offset, name))
    if isinstance(op, GatherOp):
        return _stacked(op, made, dims, extents)
    total = made[0]
    for value in made[1:]:
        total = before(op, ew.AddOp, [total, value], total.type)
    return total


def _read(op: GatherOp, x: Value, windows: Windows, at: dict[int, int], name: str) -> Value:
    """The rows of one position of the windows, read at the row's own position."""
    shape = _without(op.result, windows, at, name)
    return before(op, GatherOp, [x], array_type(shape, element_of(x)), None, [_body(op, windows, at)])


def _written(op: ScatterOp, x: Value, windows: Windows, at: dict[int, int], offset: int, name: str) -> Value:
    """The rows that one position of the windows adds."""
    if at:
        x = sliced(op, x, {d: (k, k + 1) for d, k in at.items()})
        x = before(op, ReshapeOp, [x], array_type(_without(op.operand, windows, at, name), element_of(x)))
    kept = windows.space - sum(d < windows.space for d in at)
    x = chosen(op, kept, shape_of(op.operand)[windows.space], x, splat(op, 0, x))
    shape = list(shape_of(op.result))
    shape[windows.rows] = size(name)
    type_ = array_type(tuple(shape), element_of(x))
    x = before(op, ScatterOp, [x], type_, None, [_body(op, windows, at)])
    x = moved_by(op, x, windows.rows, -offset)
    return chosen(op, windows.rows, offset, splat(op, 0, x), x) if offset else x


def _without(space: Value, windows: Windows, at: dict[int, int], name: str) -> tuple[int, ...]:
    """The shape of a space without the windows' dimensions, with all rows."""
    shape = list(shape_of(space))
    shape[windows.space] = size(name)
    return tuple(e for d, e in enumerate(shape) if d not in at)


def _body(op: GatherOp | ScatterOp, windows: Windows, at: dict[int, int]) -> Region:
    """The region of an op for one position of the windows, with rows at their own position."""
    body = op.body.clone()
    block: Block = body.block
    last = block.last_op
    assert last is not None
    replace_operand(last, windows.rows, block.args[windows.space])
    for d in sorted(at, reverse=True):
        first = block.first_op
        assert first is not None
        number = before(first, ConstantOp, [], i64, {"value": literal(at[d], i64)})
        block.args[d].replace_all_uses_with(number)
        block.erase_arg(block.args[d])
    return body


def _stacked(op: GatherOp, parts: list[Value], dims: list[int], extents: list[int]) -> Value:
    """The parts, with the windows' dimensions in their places."""
    if not dims:
        return parts[0]
    rest, element = shape_of(parts[0]), element_of(parts[0])
    value = before(op, StackOp, parts, array_type((len(parts), *rest), element), {"dim": integer(0)})
    shape = (*extents, *rest)
    value = before(op, ReshapeOp, [value], array_type(shape, element))
    others = iter(range(len(dims), len(shape)))
    order = [dims.index(d) if d in dims else next(others) for d in range(len(shape))]
    type_ = array_type(tuple(shape[k] for k in order), element)
    return before(op, TransposeOp, [value], type_, {"permutation": ints(tuple(order))})
