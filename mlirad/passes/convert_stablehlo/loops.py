"""Loops and branches. A loop that counts becomes a scan, whose derivatives keep only what they need.

while (i = 0; i < n) { a' = f(i, a); ys' = dynamic_update_slice(ys, g(i, a), i) }
    -->  scan of n iterations over a, stacking g(i, a)
"""

from __future__ import annotations

from xdsl.ir import BlockArgument, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import UpdateOp
from mlirad.dialects.shapes import Value, element_of, shape_of
from mlirad.dialects.stablehlo import HloOp
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.ir.regions import discard
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.convert_stablehlo.converter import Converter, meaning


@meaning("stablehlo.case")
def _case(c: Converter, op: HloOp, o: list[Value]) -> list[Value]:
    """An index below 0 means the last branch, as one above does."""
    b, last = c.b, len(op.regions) - 1
    index = c.position(o[0])
    low = b.compare("lt", index, b.index_constant(0))
    index = b.select(low, b.index_constant(last), index)
    return b.switch(index, [lambda region=region: c.region(region, ()) for region in op.regions])


@meaning("stablehlo.if")
def _if(c: Converter, op: HloOp, o: list[Value]) -> list[Value]:
    then, otherwise = op.regions
    return c.b.if_(o[0], lambda: c.region(then, ()), lambda: c.region(otherwise, ()))


@meaning("stablehlo.while")
def _while(c: Converter, op: HloOp, o: list[Value]) -> list[Value]:
    b = c.b
    types = [v.type for v in o]
    condition = b.region(types, lambda *carries: c.region(op.regions[0], carries))
    body = b.region(types, lambda *carries: c.region(op.regions[1], carries))
    count = _counted(b, o, condition, body)
    if count is None:
        return b.while_from(o, condition, body)
    made = _scanned(b, o, body, count)
    discard(condition, body)
    return made


@dataclass
class _Count:
    """Carry number `counter` goes up by `step` from `start`, `iterations` times."""

    counter: int
    start: int
    step: int
    iterations: int


def _counted(b: ArrayBuilder, init: list[Value], condition: Region, body: Region) -> _Count | None:
    """Return how a loop counts, if its condition compares a counter with a bound, both known."""
    test = yields(condition)[0].owner
    if not isinstance(test, ew.CompareOp):
        return None
    counter, bound = own_operands(test)
    predicate = test.predicate.data
    if not (isinstance(counter, BlockArgument) and counter.block is condition.block):
        return None
    k = counter.index
    start, limit = b.scalar_of(init[k]), _known(b, bound, init, condition, body)
    made = yields(body)[k].owner
    if not isinstance(made, ew.AddOp) or start is None or limit is None or predicate not in ("lt", "le"):
        return None
    own = body.block.args[k]
    steps = [b.scalar_of(v) for v in own_operands(made) if v is not own]
    if len(steps) != 1 or steps[0] is None or steps[0] < 1:
        return None
    step, first = int(steps[0]), int(start)
    reach = int(limit) - first + (predicate == "le")
    return _Count(k, first, step, max(-(-reach // step), 0))


def _known(b: ArrayBuilder, value: Value, init: list[Value], condition: Region, body: Region) -> float | None:
    """The number that a value of the condition is in every iteration."""
    if isinstance(value, BlockArgument) and value.block is condition.block:
        k = value.index
        same = yields(body)[k] is body.block.args[k]
        return b.scalar_of(init[k]) if same else None
    return b.scalar_of(value)


def _scanned(b: ArrayBuilder, init: list[Value], body: Region, count: _Count) -> list[Value]:
    """The loop as a scan: the counter is computed from the iteration, rows written once per iteration are
    stacked.
    """
    carried = [k for k in range(len(init)) if k != count.counter]
    kind = element_of(init[count.counter])
    reversed_rows: dict[int, bool] = {}

    def counter(iteration: Value) -> Value:
        scaled = b.mul(iteration, b.index_constant(count.step))
        return b.convert(b.add(scaled, b.index_constant(count.start)), kind)

    def emit(iteration: Value, carries: list[Value], _: list[Value]) -> tuple[list[Value], list[Value]]:
        arguments = list(carries)
        arguments.insert(count.counter, counter(iteration))
        made = b.inline_region(body, arguments, {})
        rows: list[Value] = []
        for k in carried:
            own = arguments[k]
            row = _row(b, made[k], own, iteration, count.iterations)
            if row is not None:
                reversed_rows[k] = row[1]
                rows.append(row[0])
                made[k] = own
        return [made[k] for k in carried], rows

    carries, stacked = b.scan([init[k] for k in carried], [], count.iterations, emit)
    final = dict(zip(carried, carries, strict=True))
    for (k, backwards), rows in zip(reversed_rows.items(), stacked, strict=True):
        final[k] = b.reverse(rows, [0]) if backwards else rows
    last = count.start + count.iterations * count.step
    final[count.counter] = b.constant(last, kind)
    return [final[k] for k in range(len(init))]


def _row(
    b: ArrayBuilder, made: Value, carry: Value, iteration: Value, iterations: int
) -> tuple[Value, bool] | None:
    """Return what an iteration sets as row number `iteration` of a carry that nothing else reads, or as row
    `iterations - 1 - iteration`.
    """
    op = made.owner
    if not isinstance(op, UpdateOp) or op.kind.data != "set" or op.base is not carry or iterations < 2:
        return None
    shape = shape_of(carry)
    alone = made.first_use is None and len(list(carry.uses)) == 1
    if not alone or not shape or shape[0] != iterations or op.body.block.args:
        return None
    places = yields(op.body)
    if len(places) != 1:
        return None
    line = _line(b, places[0], iteration)
    if line not in ((1, 0), (-1, iterations - 1)):
        return None
    return op.operand, line[0] < 0


def _line(b: ArrayBuilder, value: Value, iteration: Value) -> tuple[int, int]:
    """`value = slope * iteration + offset`; (0, 0) where it is not seen to be such a line."""
    if value is iteration:
        return 1, 0
    known = b.scalar_of(value)
    if known is not None:
        return 0, int(known)
    op = value.owner
    if isinstance(op, ew.ConvertOp):
        return _line(b, op.operand, iteration)
    if isinstance(op, ew.AddOp | ew.SubOp):
        (p, q), (r, s) = (_line(b, v, iteration) for v in own_operands(op))
        sign = 1 if isinstance(op, ew.AddOp) else -1
        if (p, q) == (0, 0) and b.scalar_of(own_operands(op)[0]) is None:
            return 0, 0
        if (r, s) == (0, 0) and b.scalar_of(own_operands(op)[1]) is None:
            return 0, 0
        return p + sign * r, q + sign * s
    return 0, 0
