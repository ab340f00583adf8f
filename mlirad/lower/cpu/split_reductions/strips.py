"""Strips that carry totals, as groups that hand over what they have come to: no group waits for another.

    kernel.strips %zero (%start, %done, %total) {extent = 10000, block = 20}       500 strips

      -->  kernel.strips (%first, %before) {extent = 10000, block = 100, parts = 1}       100 groups
             kernel.strips %zero (%start, %done, %total) {extent = 100, block = 20}       of five strips each

Within a group the strips are what they were, from row %first + %start on. The totals of all groups are then
combined. A strip that leaves out rows that the one before has done does so in groups, which may overlap, too;
where strips do not overlap, all groups are of the same number of them.

Every group makes totals of its own in memory, so there are as many groups only as cost little beside the
strips, on one thread too. Where strips are few and nests make their totals, each strip is a group: it hands
over what is otherwise added to the total, which costs no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from xdsl.dialects.builtin import ArrayAttr, i64
from xdsl.ir import Block, Operation, OpResult, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.kernel import LoadOp, NestOp
from mlirad.dialects.kernel.parallel import keeps_to_one_thread
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import Value, array_type, element_of, integer, keyword, shape_of
from mlirad.ir.builder import yields
from mlirad.lower.cpu.schedule_kernels.kernel_costs import cycles_of
from mlirad.lower.cpu.schedule_kernels.parallel import task_count
from mlirad.lower.cpu.split_reductions.totals import (
    MOST_BYTES,
    bytes_of,
    combined_parts,
    combiner_of,
    drop_identities,
    is_identity,
    loads_from,
    most_parts,
)
from mlirad.lower.kernels.strip_mine.totals import combined, initial_total, loaded, plain_nest

MOST_TIMES: Final = 8
"""The most groups, in multiples of those wanted, if others do not come out even."""


def in_groups(op: StripsOp, vector_bytes: int) -> None:
    """Let strips that carry totals alone run in groups, if that is worth it."""
    if not op.carry_count or keeps_to_one_thread(op) is not None:
        return
    carries = op.body.block.args[2:]
    found = [combiner_of(c, made) for c, made in zip(carries, yields(op.body), strict=False)]
    combiners = [c for c in found if c is not None]
    if len(combiners) < len(found):
        return
    cycles = cycles_of(op, vector_bytes, scheduled=False)
    if all(isinstance(made.owner, NestOp) for made in yields(op.body)[: op.carry_count]):
        fitting = min(op.iterations, MOST_BYTES // max(1, bytes_of(op.inputs)))
        if task_count(cycles, fitting) == op.iterations > 1:
            _replace(op, combiners, _single_strips)
            return
    most = most_parts(cycles, op.inputs, op.iterations)
    strips = strips_of_group(op, task_count(cycles, most), most)
    if strips is not None:
        _replace(op, combiners, lambda op, init: _groups(op, strips, init))


def strips_of_group(op: StripsOp, wanted: int, most: int) -> int | None:
    """Return how many strips form a group, for about a given number of groups, at most `most`; None if there
    would be one.

    Groups that overlap compute the rows that they share twice.
    """
    overlaps = op.rows % op.strip_rows != 0
    iterations = op.iterations
    best: tuple[float, int] | None = None
    for number in range(2, min(most, MOST_TIMES * wanted) + 1) if wanted > 1 else ():
        strips = -(-iterations // number)
        groups = -(-iterations // strips)
        twice = groups * strips / iterations
        if overlaps or twice == 1:
            cost = twice * max(groups / wanted, wanted / groups)
            best = min(best or (cost, strips), (cost, strips))
    return None if best is None else best[1]


def _replace(
    op: StripsOp, combiners: Sequence[str], groups_from: Callable[[StripsOp, Sequence[Value]], StripsOp]
) -> None:
    """Put groups of strips, and what combines their totals, in the place of strips. `groups_from` makes the
    groups, given what their totals begin with.
    """
    assert op.parent is not None
    before: list[Operation] = []
    init: list[Value] = []
    for value, result, combiner in zip(op.inputs, op.results, combiners, strict=False):
        if is_identity(value, combiner):
            init.append(value)
        else:
            before.append(initial_total(result, combiner))
            init.append(before[-1].results[0])
    groups = groups_from(op, init)
    made: list[Operation] = [*before, groups]
    results: list[Value] = []
    for k, (part, combiner) in enumerate(zip(groups.stacked, combiners, strict=True)):
        whole = combined_parts([part], ArrayAttr([keyword(combiner)]), op)
        made.append(whole)
        if init[k] is not op.inputs[k]:
            made.append(combined([(op.inputs[k], whole.roots[0], combiner)], op))
        results.append(made[-1].results[0])
    op.parent.insert_ops_before(made, op)
    for old, new in zip(op.results, [*results, *groups.joined], strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def _groups(op: StripsOp, strips: int, init: Sequence[Value]) -> StripsOp:
    """A loop over groups; the strips of each group run from these initial totals."""
    rows, count, groups = strips * op.strip_rows, op.carry_count, -(-op.iterations // strips)
    block = Block(arg_types=[i64, i64])
    first, before = block.args
    first.name_hint, before.name_hint = "first", "before"
    _move_rows(op, first, before)
    joined = [array_type((rows, *shape_of(v)[1:]), element_of(v)) for v in op.joined]
    properties = dict(op.properties)
    properties["extent"] = integer(rows)
    inner = StripsOp.create(
        operands=init,
        result_types=[*(v.type for v in init), *joined],
        properties=properties,
        regions=[op.detach_region(op.body)],
        location=op.location,
    )
    block.add_ops([inner, YieldOp.create(operands=[*inner.results[count:], *inner.results[:count]])])
    stacked = [array_type((groups, *shape_of(v)), element_of(v)) for v in init]
    properties = dict(op.properties)
    properties |= {"carries": integer(0), "block": integer(rows), "parts": integer(count)}
    return StripsOp.create(
        operands=[],
        result_types=[*op.result_types[count:], *stacked],
        properties=properties,
        regions=[Region(block)],
        location=op.location,
    )


def _single_strips(op: StripsOp, init: Sequence[Value]) -> StripsOp:
    """The strips as groups of one each, whose totals begin with these constants."""
    count, block = op.carry_count, op.body.block
    for carry, value in zip(list(block.args[2:]), init, strict=True):
        _begin_at_constant(carry, value)
        block.erase_arg(carry)
    drop_identities(block)
    made, last = yields(op.body), block.last_op
    assert last is not None
    last.detach()
    last.erase()
    block.add_op(YieldOp.create(operands=[*made[count:], *made[:count]]))
    properties = dict(op.properties)
    properties |= {"carries": integer(0), "parts": integer(count)}
    stacked = [array_type((op.iterations, *shape_of(v)), element_of(v)) for v in init]
    return StripsOp.create(
        operands=[],
        result_types=[*op.result_types[count:], *stacked],
        properties=properties,
        regions=[op.detach_region(op.body)],
        location=op.location,
    )


def _begin_at_constant(carry: Value, init: Value) -> None:
    """Let the nest that reads a carry compute with the constant that `init` is filled with."""
    source = init.owner
    assert isinstance(source, NestOp) and isinstance(init, OpResult)
    constant = yields(source.body)[init.index].owner
    assert isinstance(constant, ConstantOp)
    for nest in {use.operation for use in carry.uses if isinstance(use.operation, NestOp)}:
        for load in loads_from(nest, carry):
            copy = constant.clone()
            nest.body.block.insert_op_before(copy, load)
            load.result.replace_all_uses_with(copy.result)
            load.detach()
            load.erase()
        nest.operands = loaded(nest.body.block)


def _move_rows(op: StripsOp, first: Value, before: Value) -> None:
    """Let the strips of an op begin at row `first`, and leave out a given number of rows that were done
    before.
    """
    block = op.body.block
    start, done = block.args[:2]
    users = [list(v.uses) for v in (start, done)]
    number = _scalar(ew.AddOp, first, start, op)
    left = _scalar(ew.SubOp, before, start, op)
    for uses, new in zip(users, (number, left), strict=True):
        for use in uses:
            use.operation.operands[use.index] = new.results[0]
    head = [nest for nest, uses in zip((number, left), users, strict=True) if uses]
    first_op = block.first_op
    assert first_op is not None
    block.insert_ops_before(head, first_op)
    number.results[0].name_hint, left.results[0].name_hint = "start", "done"


def _scalar(op_class: type[ew.BinaryOp], x: Value, y: Value, like: Operation) -> NestOp:
    """A nest that computes one integer of two."""
    loads = [LoadOp.create(operands=[v], result_types=[i64]) for v in (x, y)]
    both = op_class.create(operands=[load.result for load in loads], result_types=[i64])
    body = Block()
    body.add_ops([*loads, both, YieldOp.create(operands=[both.results[0]])])
    return plain_nest((), (), [i64], body, like)
