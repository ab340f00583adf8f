"""Strips that carry totals, as strips that hand over their parts: then none waits for the one before.

    kernel.strips %zero (%start, %done, %total) {carries = 1} {
      %part = ...                                                kernel.strips (%start, %done) {parts = 1} {
      %next = %total + %part                            -->      %part = ...
      array.yield %next                                            array.yield %part
    }                                                            }

The parts of all strips are then combined with what the total began with.

Only totals that are combined by a kernel of their own, at the end of a strip, can be taken out: a scatter
adds to its total all along. Strips that keep one such carry stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation, OpResult

from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.kernel import LoadOp, NestOp, is_element_wise
from mlirad.dialects.kernel_parallel import keeps_to_one_thread
from mlirad.dialects.kernel_strips import StripsOp
from mlirad.dialects.shapes import Value, array_type, element_of, integer, keyword, shape_of, size_of
from mlirad.ir.builder import yields
from mlirad.lower.machine import element_bytes
from mlirad.lower.schedule_kernels.kernel_costs import cycles_of
from mlirad.lower.schedule_kernels.parallel import task_count
from mlirad.lower.split_reductions.nests import combined_parts
from mlirad.lower.strip_mine.totals import COMBINING, combined

MOST_BYTES: Final = 1024 * 1024
"""What the parts of all strips may take."""


@dataclass(frozen=True)
class _Total:
    """A carry that a nest of the strips combines with a part."""

    part: Value
    combiner: str
    nest: NestOp


def without_totals(op: StripsOp, vector_bytes: int) -> None:
    """Let strips hand over the parts of their totals, if that makes them independent and is worth it."""
    if not op.carry_count or keeps_to_one_thread(op) is not None:
        return
    totals = [_total(op, k) for k in range(op.carry_count)]
    found = [t for t in totals if t is not None]
    size = sum(size_of(t.part) * element_bytes(element_of(t.part)) for t in found) * op.trips
    if len(found) < len(totals) or size > MOST_BYTES:
        return
    if task_count(cycles_of(op, vector_bytes, scheduled=False), op.trips) > 1:
        _replace(op, found)


def _total(op: StripsOp, k: int) -> _Total | None:
    """How the carry k is combined with a part, None if it is anything else than a total."""
    carry, made = op.body.block.args[2 + k], yields(op.body)[k]
    if not isinstance(made, OpResult) or not isinstance(made.op, NestOp) or len(list(made.uses)) != 1:
        return None
    nest = made.op
    if (
        nest.combiners is not None
        or not is_element_wise(nest)
        or {use.operation for use in carry.uses} != {nest, *_loads(nest, carry)}
    ):
        return None
    both = yields(nest.body)[made.index].owner
    combiner = next((c for c, op_class in COMBINING.items() if type(both) is op_class), None)
    if combiner is None or not isinstance(both, Operation):
        return None
    loads = [operand.owner for operand in both.operands]
    first, second = loads
    if not isinstance(first, LoadOp) or not isinstance(second, LoadOp):
        return None
    here = list(nest.body.block.args)
    if [list(first.positions), list(second.positions)] != [here, here]:
        return None
    part = second.buffer
    is_part = first.buffer is carry and part is not carry and part.type == carry.type
    is_made_here = isinstance(part, OpResult) and part.op.parent is op.body.block
    return _Total(part, combiner, nest) if is_part and is_made_here else None


def _loads(nest: NestOp, buffer: Value) -> list[Operation]:
    """The loads of a nest from a buffer."""
    return [o for o in nest.body.block.ops if isinstance(o, LoadOp) and o.buffer is buffer]


def _replace(op: StripsOp, totals: list[_Total]) -> None:
    count = op.carry_count
    old = op.body.block
    last = old.last_op
    assert last is not None and op.parent is not None
    made = [*yields(op.body)[count:], *(t.part for t in totals)]
    last.detach()
    last.erase()
    for nest in dict.fromkeys(t.nest for t in totals):
        nest.detach()
        nest.erase()
    old.add_op(YieldOp.create(operands=made))
    for argument in list(old.args[2:]):
        old.erase_arg(argument)
    stacked = [array_type((op.trips, *shape_of(t.part)), element_of(t.part)) for t in totals]
    properties = dict(op.properties)
    properties["carries"], properties["parts"] = integer(0), integer(op.part_count + len(totals))
    strips = StripsOp.create(
        operands=[],
        result_types=[*op.result_types[count:], *stacked],
        properties=properties,
        regions=[op.detach_region(op.body)],
        location=op.location,
    )
    op.parent.insert_op_before(strips, op)
    parts = strips.results[len(strips.results) - len(totals) :]
    for k, (total, part) in enumerate(zip(totals, parts, strict=True)):
        combiners = ArrayAttr([keyword(total.combiner)])
        whole = combined_parts([part], combiners, op)
        result = combined([(op.operands[k], whole.roots[0], total.combiner)], op)
        op.parent.insert_ops_before([whole, result], op)
        result.roots[0].name_hint = op.results[k].name_hint
        op.results[k].replace_all_uses_with(result.roots[0])
    for before, after in zip(op.results[count:], strips.results, strict=False):
        after.name_hint = before.name_hint
        before.replace_all_uses_with(after)
    op.detach()
    op.erase()
