"""The code of a chunk for a search for elements of some ranks: what it counts for given pivots.

    %v = shard_rows.ranks(%x, %ranks)      ->   %counts = sum(%x < %pivots), %above, %below, %numbers

The four are partial results that are combined together, and in the end the elements come in their place
(`distributed/ranks.py`); so the op stands for them, and is in no program.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.reductions import ReduceOp, SumOp, identity
from mlirad.dialects.array.structural import BroadcastOp
from mlirad.dialects.shapes import Value, array_type, element_of, ints, keyword, shape_of
from mlirad.distributed.plan import PIVOTS
from mlirad.ir.free_values import own_operands
from mlirad.passes.shard_rows.emission import before, replace, splat
from mlirad.passes.shard_rows.flow import RANKS, Flow, new_group
from mlirad.passes.shard_rows.orders import RanksOp


def counted(op: RanksOp, block: Block, flow: Flow) -> BlockArgument:
    """Have a chunk count, in place; returns the argument of the pivots."""
    x, ranks = own_operands(op)
    element, rest = element_of(x), shape_of(x)[1:]
    narrow, wide = (PIVOTS, *rest), (shape_of(x)[0], PIVOTS, *rest)
    pivots = block.insert_arg(array_type(narrow, element), len(block.args))
    columns = tuple(range(2, len(wide)))
    rows = before(op, BroadcastOp, [x], array_type(wide, element), {"dims": ints((0, *columns))})
    spread = before(op, BroadcastOp, [pivots], array_type(wide, element), {"dims": ints((1, *columns))})
    less = _compared(op, "lt", rows, spread)
    counts = _number_of(op, less)
    high = splat(op, identity("min", element), rows)
    above = before(op, ew.SelectOp, [_compared(op, "ge", rows, spread), rows, high], rows.type)
    below = before(op, ew.SelectOp, [less, rows, splat(op, identity("max", element), rows)], rows.type)
    members = [
        counts,
        _extremum(op, "min", above, narrow),
        _extremum(op, "max", below, narrow),
        _number_of(op, _compared(op, "eq", x, x)),
    ]
    (found,) = op.results
    for member in members:
        flow.partials[member], flow.levels[member] = RANKS, flow.levels[found]
    flow.groups[new_group(RANKS).data] = members
    standing = before(op, RanksOp, [ranks, *members], found.type)
    flow.rename(found, standing)
    flow.searched[standing] = pivots
    replace(op, standing)
    return pivots


def _compared(place: Operation, predicate: str, a: Value, b: Value) -> Value:
    type_ = array_type(shape_of(a), i1)
    return before(place, ew.CompareOp, [a, b], type_, {"predicate": keyword(predicate)})


def _number_of(place: Operation, flags: Value) -> Value:
    """The number of rows that have a flag, for each of the other dimensions."""
    numbers = before(place, ew.ConvertOp, [flags], array_type(shape_of(flags), i64))
    return before(place, SumOp, [numbers], array_type(shape_of(flags)[1:], i64), {"dims": ints((0,))})


def _extremum(place: Operation, kind: str, values: Value, shape: tuple[int, ...]) -> Value:
    properties: dict[str, Attribute] = {"kind": keyword(kind), "dims": ints((0,))}
    return before(place, ReduceOp, [values], array_type(shape, element_of(values)), properties)
