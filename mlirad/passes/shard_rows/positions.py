"""The rules of ops that read and write at computed positions.

Reading a table at positions that are computed from rows is local; adding rows into a table is a partial sum.
Rows are read and written at the row's own position alone, which the code that `vmap` makes of `x[i]` does:

    %y = array.gather %x (%i) { array.yield %i }

In a region over rows the arguments are positions among the rows of the chunk. Where such a position is not
one of rows, the code of the chunk adds the number of its first row (`Flow.number`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import BuildOp, GatherOp, IndexOp, ScatterOp, UpdateOp
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import own_operands
from mlirad.ir.structural import scalar_of
from mlirad.passes.shard_rows.flow import FIRST, ROW, Flow
from mlirad.passes.shard_rows.states import WHOLE, Partial, RowNumber, Rows, State, Whole, refused

ELSEWHERE = "rows are {} at positions that are computed, which may be in other chunks"
JOIN = "join the arrays first, so that each row has what it reads; or pass the table whole"


def selected(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """`where(i < 0, i + n, i)` is i, as positions of rows count from 0."""
    assert isinstance(op, ew.SelectOp)
    condition, _, otherwise = own_operands(op)
    if isinstance(states[2], RowNumber) and _is_negative(condition, otherwise):
        flow.number(op, states, but=(2,))
        return [states[2]]
    flow.number(op, states)
    return flow.typed(op)


def _is_negative(condition: Value, position: Value) -> bool:
    owner = condition.owner
    return (
        isinstance(owner, ew.CompareOp)
        and owner.predicate.data == "lt"
        and own_operands(owner)[0] is position
        and scalar_of(own_operands(owner)[1]) == 0
    )


def clamped(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """`max(i, 0)` is i."""
    for k in (0, 1):
        if isinstance(states[k], RowNumber) and scalar_of(own_operands(op)[1 - k]) == 0:
            return [states[k]]
    flow.number(op, states)
    return flow.typed(op)


def index(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """A row is read at its own position; a row that is named is in one chunk alone."""
    assert isinstance(op, IndexOp)
    rows = flow.rows(op.operand, op)
    own = () if rows is None else (rows.dim + 1,)
    if rows is not None and rows.dim < len(op.positions) and states[rows.dim + 1] != RowNumber(rows.each):
        if scalar_of(own_operands(op)[rows.dim + 1]) == 0 and all(isinstance(s, Whole) for s in states[1:]):
            return [Partial(FIRST)]
        if any(not isinstance(s, Whole) for s in states[1:]):
            raise refused(op, ELSEWHERE.format("read"), JOIN)
        flow.picked[op] = rows
        return [Partial(ROW)]
    flow.number(op, states, but=own)
    return flow.typed(op)


def _over(flow: Flow, op: Operation, region: Region, space: Value) -> tuple[list[State], Rows | None]:
    """The states of the positions that a region yields over the leading dimensions of a space, and the rows
    among these dimensions."""
    rows = flow.rows(space, op)
    arguments: list[State] = [WHOLE] * len(region.block.args)
    if rows is not None and rows.dim < len(arguments):
        arguments[rows.dim] = RowNumber(rows.each)
    else:
        rows = None
    found = flow.region(region, arguments)
    for state in found:
        if isinstance(state, Partial):
            raise refused(op, "positions are computed from sums over the rows of one chunk")
    return found, rows


def _at(
    flow: Flow,
    op: Operation,
    region: Region,
    found: Sequence[State],
    rows: Rows | None,
    indexed: Rows | None,
    why: str,
) -> bool:
    """Require that rows of the indexed array are met at the row's own position, or, of a space without rows,
    at positions that all chunks know; tell whether it is these."""
    if indexed is None or indexed.dim >= len(found):
        indexed = None
    elif rows is None and all(isinstance(state, Whole) for state in found):
        flow.picked[op] = indexed
        return True
    elif found[indexed.dim] != RowNumber(indexed.each):
        raise refused(op, ELSEWHERE.format(why), JOIN)
    last = region.block.last_op
    assert last is not None
    flow.number(last, list(found), but=() if indexed is None else (indexed.dim,))
    return False


def gather(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """A table is read anywhere, rows at their own position or at one that all chunks know."""
    assert isinstance(op, GatherOp)
    flow.number(op, states)
    found, rows = _over(flow, op, op.body, op.result)
    if _at(flow, op, op.body, found, rows, flow.rows(op.operand, op), "read"):
        return [Partial(ROW)]
    return flow.typed(op)


def scatter(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """Rows that are added into a table are a partial sum."""
    assert isinstance(op, ScatterOp)
    flow.number(op, states)
    found, rows = _over(flow, op, op.body, op.operand)
    into = flow.rows(op.result, op)
    _at(flow, op, op.body, found, rows, into, "written")
    return [Partial("add")] if rows is not None and into is None else flow.typed(op)


def update(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """Rows are written at their own position. An op that adds rows to a table was rewritten before."""
    assert isinstance(op, UpdateOp)
    flow.number(op, states)
    found, rows = _over(flow, op, op.body, op.operand)
    into = flow.rows(op.base, op)
    _at(flow, op, op.body, found, rows, into, "written")
    if rows is not None and into is None:
        raise refused(
            op,
            "rows are written into an array without rows, where the last one counts",
            "add them up: np.add.at(table, index, x), or ad.bincount",
        )
    return flow.typed(op)


def build(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """An element for each position of a row."""
    assert isinstance(op, BuildOp)
    rows = flow.rows(op.result, op)
    arguments: list[State] = [WHOLE] * len(op.body.block.args)
    if rows is not None and rows.dim < len(arguments):
        arguments[rows.dim] = RowNumber(rows.each)
    found = flow.region(op.body, arguments)
    last = op.body.block.last_op
    assert last is not None
    for state in flow.number(last, found):
        if isinstance(state, Partial):
            raise refused(op, "an element is computed from sums over the rows of one chunk")
    return flow.typed(op)
