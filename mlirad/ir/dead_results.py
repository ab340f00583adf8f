"""Removal of the parts of loops and branches that serve only results which nothing reads.

    %a, %b = array.scan %x, %y (...) {carries = 2, ...}        only %b is read, which does not need carry %a
    -->
    %b = array.scan %y (...) {carries = 1, ...}

A carry is needed when its last value is read, or when a needed carry, stacked value, recorded value or the
condition depends on it. A recorded value is needed when a replay, or the map of a loop, reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.shapes import Value, integer
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values
from mlirad.ir.regions import keep_yields, remove_argument


def prune_dead_results(op: Operation) -> Operation:
    """The op, in place, without the results that nothing reads and all that only they need.

    Returns the op that stands there now: a new one where results were dropped.
    """
    match op:
        case control.ScanOp():
            return _prune_scan(op)
        case control.WhileOp():
            return _prune_while(op)
        case control.ReplayOp():
            return _prune_replay(op)
        case control.IfOp() | control.SwitchOp():
            return _prune_branches(op)
        case _:
            return op


def _is_read(value: Value) -> bool:
    return value.first_use is not None


class _Needs:
    """The ops and arguments of some blocks that values asked for so far depend on."""

    def __init__(self, *blocks: Block):
        self.blocks = blocks
        self.ops: set[Operation] = set()
        self.args: set[Value] = set()

    def add(self, values: Iterable[Value]) -> list[BlockArgument]:
        """Ask for values; the arguments that are needed for the first time."""
        pending = list(values)
        new: list[BlockArgument] = []
        while pending:
            value = pending.pop()
            if isinstance(value, BlockArgument):
                if value.block in self.blocks and value not in self.args:
                    self.args.add(value)
                    new.append(value)
            else:
                owner = value.owner
                if isinstance(owner, Operation) and owner.parent in self.blocks and owner not in self.ops:
                    self.ops.add(owner)
                    pending += free_values(owner)
        return new

    def erase_the_rest(self) -> None:
        """Erase the ops of the blocks that nothing asked for depends on; the terminators stay."""
        for block in self.blocks:
            last = block.last_op
            op = None if last is None else last.prev_op
            while op is not None:
                before = op.prev_op
                if op not in self.ops:
                    op.detach()
                    op.erase()
                op = before


def _needed_carries(
    needs: _Needs, read: Iterable[int], roots: Iterable[Value], made: Sequence[Value], first: int
) -> list[int]:
    """The carries that the results `read` and the values `roots` need; argument `first + k` is carry k."""
    needed: set[int] = set()
    pending = list(read)
    count = len(made)
    pending += [a.index - first for a in needs.add(roots) if 0 <= a.index - first < count]
    while pending:
        k = pending.pop()
        if k not in needed:
            needed.add(k)
            new = needs.add([made[k]])
            pending += [a.index - first for a in new if 0 <= a.index - first < count]
    return sorted(needed)


def _drop_arguments(blocks: Iterable[Block], kept: set[int]) -> None:
    for block in blocks:
        for argument in reversed(block.args):
            if argument.index not in kept:
                remove_argument(argument)


def _replace(
    op: Operation,
    operands: Sequence[Value],
    results: Sequence[int],
    changes: Mapping[str, Attribute | None],
    types: Sequence[Attribute] | None = None,
) -> Operation:
    """Put an op with these operands and only these results in the place of `op`, around its regions."""
    properties = {**op.properties, **changes}
    kept = [op.results[k] for k in results]
    regions: list[Region] = [op.detach_region(region) for region in list(op.regions)]
    new = type(op).create(
        operands=operands,
        result_types=[r.type for r in kept] if types is None else types,
        properties={name: value for name, value in properties.items() if value is not None},
        attributes=op.attributes,
        regions=regions,
        location=op.location,
    )
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    for old, result in zip(kept, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()
    return new


def _prune_scan(op: control.ScanOp) -> Operation:
    count, block, made = op.carry_count, op.body.block, yields(op.body)
    stacked = [k for k in range(count, len(made)) if _is_read(op.results[k])]
    read = [k for k in range(count) if _is_read(op.results[k])]
    needs = _Needs(block)
    carries = _needed_carries(needs, read, [made[k] for k in stacked], made[:count], 1)
    inputs = [*carries, *(k for k in range(count, len(op.operands)) if block.args[k + 1] in needs.args)]
    outputs = [*carries, *stacked]
    if len(inputs) == len(op.operands) and len(outputs) == len(made):
        return op
    keep_yields(op.body, outputs)
    needs.erase_the_rest()
    _drop_arguments([block], {0, *(k + 1 for k in inputs)})
    return _replace(op, [op.operands[k] for k in inputs], outputs, {"carries": integer(len(carries))})


def _prune_while(op: control.WhileOp) -> Operation:
    count, made = len(op.operands), yields(op.body)
    tape = op.tape
    columns = () if tape is None else _read_columns(tape)
    recorded = [count + k for k in columns]
    keeps_tape = tape is not None and _is_read(tape)
    needs = _Needs(op.condition.block, op.body.block)
    roots = [*yields(op.condition), *(made[k] for k in recorded)]
    read = [k for k in range(count) if _is_read(op.results[k])]
    carries = _needed_carries(needs, read, roots, made[:count], 0)
    if len(carries) == count and (tape is None or (keeps_tape and len(recorded) == len(made) - count)):
        return op
    keep_yields(op.body, [*carries, *recorded])
    needs.erase_the_rest()
    _drop_arguments([op.condition.block, op.body.block], set(carries))
    types = [op.operands[k].type for k in carries]
    results = list(carries)
    if tape is not None and keeps_tape:
        types.append(control.tape_type([made[k].type for k in recorded]))
        results.append(count)
        for use in tape.uses:
            entry, body = len(control.entry_types(tape)), use.operation.regions[0].block
            _drop_arguments([body], {*columns, *range(entry, len(body.args))})
    changes = {"record": integer(len(recorded)) if keeps_tape else None}
    return _replace(op, [op.operands[k] for k in carries], results, changes, types)


def _read_columns(tape: Value) -> list[int]:
    """The places in an entry that some reader of the tape reads."""
    bodies = [use.operation.regions[0].block for use in tape.uses]
    return [k for k in range(len(control.entry_types(tape))) if any(_is_read(b.args[k]) for b in bodies)]


def _prune_replay(op: control.ReplayOp) -> Operation:
    made, block, entry = yields(op.body), op.body.block, len(control.entry_types(op.tape))
    needs = _Needs(block)
    read = [k for k in range(len(made)) if _is_read(op.results[k])]
    carries = _needed_carries(needs, read, (), made, entry)
    if len(carries) == len(made):
        return op
    keep_yields(op.body, carries)
    needs.erase_the_rest()
    _drop_arguments([block], {*range(entry), *(entry + k for k in carries)})
    return _replace(op, [op.tape, *(op.init[k] for k in carries)], carries, {})


def _prune_branches(op: control.BranchOp) -> Operation:
    read = [k for k in range(len(op.results)) if _is_read(op.results[k])]
    if len(read) == len(op.results):
        return op
    for region in op.regions:
        keep_yields(region, read)
    return _replace(op, list(op.operands), read, {})
