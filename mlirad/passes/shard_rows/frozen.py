"""A proof that an iteration of a loop leaves rows as they are that do not take part in it.

`vmap` makes of a loop one that runs as long as any row needs, and keeps the carries of rows that are done:

    while any(%active) { %new = ...;  yield select(%active, %new, %old) }

A chunk leaves the loop when none of its own rows needs it. With all rows, it would have gone on with
`%active` false for all of these. `iteration_of_while` evaluates an iteration under this assumption: what it
yields is, for each carry, `Unchanged`. `iteration_of_replay` does so for the loop backwards, in which
cotangents of rows that were left alone pass through, and the sums over rows have 0 added.

A product with 0 counts as 0. Where the other factor is infinite or NaN it is not: there results differ for
rows that are infinite or NaN themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from xdsl.ir import Attribute, BlockArgument, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import IfOp, ReplayOp, ScanOp, SwitchOp, WhileOp
from mlirad.dialects.array.indexing import GatherOp, IndexOp, ScatterOp, UpdateOp
from mlirad.dialects.array.ordering import CumulativeOp
from mlirad.dialects.array.reductions import DotOp, ReduceOp, SumOp
from mlirad.dialects.array.structural import (
    BroadcastOp,
    ConcatenateOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    StackOp,
    TransposeOp,
)
from mlirad.dialects.array.transforms import FftOp
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import own_operands
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Unchanged:
    """The carry of this number, as it was."""

    carry: int


@dataclass(frozen=True)
class Uniform:
    """An array of zeros, or of `False`; with `one` of `True`."""

    one: bool = False


ZERO: Final = Uniform()
ONE: Final = Uniform(one=True)

Known: TypeAlias = "Unchanged | Uniform | None"
"""A fact about a value in an iteration without rows; None is not a fact."""


def iteration_of_while(op: WhileOp) -> list[Known]:
    """Find what the body yields, carries and then records, where no row takes part."""
    tested = _tested(op)
    if tested is None:
        return [None] * len(op.body.block.args)
    given: dict[Value, Known] = {a: Unchanged(k) for k, a in enumerate(op.body.block.args)}
    keys: dict[Value, object] = {a: k for k, a in enumerate(op.body.block.args)}
    evaluation = _Evaluation(given)

    def assumed(value: Value) -> None:
        if _key(value, keys) == tested:
            evaluation.known[value] = ZERO

    for argument in op.body.block.args:
        assumed(argument)
    found = evaluation.region(op.body, assumed)
    # A flag that is `False` and stays so is unchanged.
    flags = [evaluation.known.get(a) for a in op.body.block.args]
    return [
        Unchanged(k) if k < len(flags) and flags[k] == ZERO and known == ZERO else known
        for k, known in enumerate(found)
    ]


def iteration_of_replay(op: ReplayOp, entries: Sequence[object]) -> list[Known]:
    """Find what the body yields for entries that were recorded in an iteration without rows."""
    arguments = op.body.block.args
    given: dict[Value, Known] = {}
    for argument, entry in zip(arguments, entries, strict=False):
        given[argument] = entry if isinstance(entry, Uniform) else None
    for k, argument in enumerate(arguments[len(entries) :]):
        given[argument] = Unchanged(k)
    return _Evaluation(given).region(op.body)


def _tested(op: WhileOp) -> object | None:
    """The key of what is false for rows that are done: what the condition takes `or` of over the rows."""
    block = op.condition.block
    last = block.last_op
    assert last is not None
    keys: dict[Value, object] = {a: k for k, a in enumerate(block.args)}
    pending = list(own_operands(last))
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, ReduceOp) and owner.kind.data == "or":
            return _key(owner.operand, keys)
        if isinstance(owner, ew.AndOp):
            pending += own_operands(owner)
    return None


def _key(value: Value, keys: dict[Value, object]) -> object:
    """Equal for values that are computed alike from carries and outer values."""
    if value in keys:
        return keys[value]
    owner = value.owner
    if isinstance(value, BlockArgument) or not isinstance(owner, Operation) or owner.regions:
        return value
    operands = tuple(_key(v, keys) for v in own_operands(owner))
    properties: Mapping[str, Attribute] = owner.properties
    made: object = (type(owner), operands, tuple(sorted(properties.items())), value.type)
    keys[value] = made
    return made


class _Evaluation:
    """The facts about the values of an iteration."""

    def __init__(self, known: dict[Value, Known]):
        self.known = known

    def of(self, value: Value) -> Known:
        """Return the fact about a value."""
        if value in self.known:
            return self.known[value]
        number = scalar_of(value)
        if number is None:
            return None
        return ZERO if number == 0 else ONE if number is True else None

    def region(self, region: Region, assumed: Callable[[Value], None] | None = None) -> list[Known]:
        """Return the facts about what a region yields."""
        for op in region.block.ops:
            if op is region.block.last_op:
                break
            for result, known in zip(op.results, self._results(op), strict=True):
                self.known[result] = known
                if assumed is not None:
                    assumed(result)
        last = region.block.last_op
        assert last is not None
        return [self.of(v) for v in own_operands(last)]

    def _results(self, op: Operation) -> Sequence[Known]:
        if isinstance(op, ScanOp | ReplayOp):
            return self._loop(op)
        if isinstance(op, IfOp | SwitchOp):
            made = [self.region(region) for region in op.regions]
            return [a[0] if all(x == a[0] for x in a) else None for a in zip(*made, strict=True)]
        nothing: list[Known] = [None] * len(op.results)
        rule = _RULES.get(type(op))
        if rule is None:
            return nothing
        return [rule(self, own_operands(op), op)]

    def _loop(self, op: ScanOp | ReplayOp) -> Sequence[Known]:
        """The carries that an inner loop keeps as they are, and the zeros that it stacks."""
        count = op.carry_count if isinstance(op, ScanOp) else len(op.init)
        operands = own_operands(op)
        init = operands[:count] if isinstance(op, ScanOp) else operands[1:]
        arguments = op.body.block.args
        first = 1 if isinstance(op, ScanOp) else len(arguments) - count
        carries = [self.of(v) for v in init]
        while True:
            for argument in arguments:
                self.known[argument] = None
            for argument, known in zip(arguments[first : first + count], carries, strict=True):
                self.known[argument] = known
            if isinstance(op, ScanOp):
                for argument, x in zip(arguments[first + count :], operands[count:], strict=True):
                    known = self.of(x)
                    self.known[argument] = known if isinstance(known, Uniform) else None
            found = self.region(op.body)
            kept = [a if a == b else None for a, b in zip(carries, found, strict=False)]
            if kept == carries:
                break
            carries = kept
        stacked = [known if isinstance(known, Uniform) else None for known in found[count:]]
        return [*carries, *(stacked if isinstance(op, ScanOp) else ())]


Rule: TypeAlias = Callable[[_Evaluation, Sequence[Value], Operation], Known]


def _first(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    """Elements of the first operand, and nothing else."""
    known = e.of(operands[0])
    return known if isinstance(known, Uniform) else None


def _zero(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    """0 of 0."""
    return ZERO if e.of(operands[0]) == ZERO else None


def _product(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    return ZERO if any(e.of(v) == ZERO for v in operands) else None


def _all(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    known = [e.of(v) for v in operands]
    return known[0] if isinstance(known[0], Uniform) and all(k == known[0] for k in known) else None


def _sum(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    a, b = (e.of(v) for v in operands)
    return b if a == ZERO else a if b == ZERO else None


def _difference(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    a, b = (e.of(v) for v in operands)
    return a if b == ZERO else None


def _and(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    a, b = (e.of(v) for v in operands)
    if ZERO in (a, b):
        return ZERO
    return b if a == ONE else a if b == ONE else None


def _or(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    a, b = (e.of(v) for v in operands)
    if ONE in (a, b):
        return ONE
    return b if a == ZERO else a if b == ZERO else None


def _not(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    known = e.of(operands[0])
    return Uniform(one=not known.one) if isinstance(known, Uniform) else None


def _select(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    condition, a, b = (e.of(v) for v in operands)
    if isinstance(condition, Uniform):
        return a if condition.one else b
    return a if a == b else None


def _reduce(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    assert isinstance(op, ReduceOp)
    return _first(e, operands, op) if op.kind.data in ("or", "and") else _zero(e, operands, op)


def _update(e: _Evaluation, operands: Sequence[Value], op: Operation) -> Known:
    assert isinstance(op, UpdateOp)
    if op.kind.data == "add" and e.of(operands[1]) == ZERO:
        return e.of(operands[0])
    return _all(e, operands, op)


_RULES: Final[Mapping[type[Operation], Rule]] = {
    **dict.fromkeys((BroadcastOp, TransposeOp, ReshapeOp, ReverseOp, SliceOp, IndexOp, GatherOp), _first),
    **dict.fromkeys((ConcatenateOp, StackOp, PadOp), _all),
    **dict.fromkeys((SumOp, CumulativeOp, FftOp, ScatterOp, ew.NegOp, ew.DivOp, ew.ConvertOp), _zero),
    **dict.fromkeys((ew.MulOp, ew.AbsorbingMulOp, DotOp), _product),
    ew.AddOp: _sum,
    ew.SubOp: _difference,
    ew.AndOp: _and,
    ew.OrOp: _or,
    ew.XorOp: _sum,
    ew.NotOp: _not,
    ew.SelectOp: _select,
    ReduceOp: _reduce,
    UpdateOp: _update,
}
