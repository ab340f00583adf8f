"""Cumulative sums, products and extrema along the rows: in two rounds.

    %y = array.cumulative sum %x {dim = 0}

    %t = array.sum %x {dims = [0]}               of the chunk, a list over chunks: "before sum"
    %f = %x, to whose first row that of the chunks before is added
    %y = array.cumulative sum %f {dim = 0}       of the chunk

A chunk's read of the list is combined from the entries of the chunks before it, or after it, in their order
(`plan.Before`). It goes into the first row, or the last one, and not to the results: so a product stays 0 as
it does on one machine, where the chunk's own is infinite.
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import StringAttr, UnitAttr, i1, i64
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.ordering import CUMULATIVE_KINDS, CumulativeOp
from mlirad.dialects.array.reductions import ReduceOp, SumOp
from mlirad.dialects.array.structural import BroadcastOp, IotaOp, ReshapeOp, SizeOp
from mlirad.dialects.shapes import (
    Value,
    array_type,
    element_of,
    integer,
    integer_of,
    ints,
    keyword,
    reduce_shape,
    shape_of,
)
from mlirad.ir.free_values import own_operands
from mlirad.passes.shard_rows.emission import before, replace
from mlirad.passes.shard_rows.flow import LOCAL, PREFIX, Flow
from mlirad.passes.shard_rows.picked import Numbers
from mlirad.passes.shard_rows.states import OWN, Partial, Rows, State, rows_of

READ: Final = "read"
"""The mark of ops that read what a chunk has of a list, and of the chunk's own cumulative sum."""

EDGE: Final = {False: "first row", True: "last row"}
"""The mark of the op that combines rows with what comes before, or after: in one row alone."""

_COMBINED: Final[dict[str, type[Operation]]] = {
    "sum": ew.AddOp,
    "prod": ew.MulOp,
    "max": ew.MaxOp,
    "min": ew.MinOp,
}


def in_two_rounds(op: CumulativeOp, name: str) -> None:
    """Rewrite a cumulative op along the rows, in place."""
    rows, dim = rows_of(op.operand, name, op), integer_of(op.dim)
    if rows is None or rows.dim != dim:
        return
    x, kind = op.operand, op.kind.data
    is_after = op.reverse is not None
    rest, element = reduce_shape(shape_of(x), (dim,)), element_of(x)
    if kind == "sum":
        total = before(op, SumOp, [x], array_type(rest, element), {"dims": ints((dim,))})
    else:
        properties = {"kind": keyword(CUMULATIVE_KINDS[kind]), "dims": ints((dim,))}
        total = before(op, ReduceOp, [x], array_type(rest, element), properties)
    _mark(total, LOCAL)
    entry = before(op, ReshapeOp, [total], array_type((1, *rest), element))
    _mark(entry, PREFIX, f"{'after' if is_after else 'before'} {kind}")
    read = before(op, ReshapeOp, [entry], array_type(rest, element))
    _mark(read, PREFIX, READ)
    kept = tuple(d for d in range(len(shape_of(x))) if d != dim)
    spread = before(op, BroadcastOp, [read], x.type, {"dims": ints(kept)})
    _mark(spread, PREFIX, READ)
    combined = before(op, _COMBINED[kind], [spread, x], x.type)
    _mark(combined, PREFIX, EDGE[is_after])
    made = before(op, CumulativeOp, [combined], op.result.type, op.properties)
    _mark(made, PREFIX, READ)
    replace(op, made)


def _mark(value: Value, name: str, mark: str | None = None) -> None:
    assert isinstance(value.owner, Operation)
    value.owner.attributes[name] = UnitAttr() if mark is None else StringAttr(mark)


def states_of(flow: Flow, op: Operation) -> list[State]:
    """The states of the results of a marked op."""
    mark = op.attributes[PREFIX]
    assert isinstance(mark, StringAttr)
    if " " in mark.data and not is_at_edge(op):
        return [Partial(mark.data) for _ in op.results]
    return [state if isinstance(state, Rows) else OWN for state in flow.typed(op)]


def is_at_edge(op: Operation) -> bool:
    """Tell if an op combines one row of the chunk with what comes before or after."""
    mark = op.attributes.get(PREFIX)
    return isinstance(mark, StringAttr) and mark.data in EDGE.values()


def at_edges(op: Operation, flow: Flow, numbers: Numbers) -> None:
    """Have a marked op change one row of the chunk alone."""
    mark = op.attributes.pop(PREFIX)
    assert isinstance(mark, StringAttr)
    combined, following = op.results[0], op.next_op
    assert following is not None
    rows = rows_of(combined, flow.name, op)
    assert rows is not None
    dim = rows.dim
    type_ = array_type(shape_of(combined), i64)
    position = before(following, IotaOp, [], type_, {"dim": integer(dim)})
    edge = numbers.constant(0)
    if mark.data == EDGE[True]:
        there = before(following, SizeOp, [], i64, {"extent": integer(shape_of(combined)[dim])})
        edge = before(following, ew.SubOp, [there, numbers.constant(1)], i64)
    spread = before(following, BroadcastOp, [edge], type_, {"dims": ints(())})
    is_edge = before(
        following,
        ew.CompareOp,
        [position, spread],
        array_type(shape_of(combined), i1),
        {"predicate": keyword("eq")},
    )
    made = before(following, ew.SelectOp, [is_edge, combined, own_operands(op)[1]], combined.type)
    combined.replace_uses_with_if(made, lambda use: use.operation is not made.owner)
    flow.rename(combined, made)
