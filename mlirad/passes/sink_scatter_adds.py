"""Scatters sink below the loops that sum over them: the sum of M v_t is M times the sum of v_t.

The gradient of a loop with respect to a matrix whose rows the body reads adds rows to a matrix in every
iteration. Their positions are loop-invariant, so their sums are carried, and scattered once, after the loop:

    %g = scan %g0 (%i, %a) {                           %s = scan zeros (%i, %b) {
      %v = ...                                           %v = ...
      yield update add %a, %v at row 2       -->         yield %b + %v
    }                                                  }
                                                       %g = update add %g0, %s at row 2

The carries are then small arrays, each updated by an elementwise op that fuses with what computes it. The
scatters are additions to fixed positions, pads with zeros, and scatters to fixed positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, structural
from mlirad.dialects.array.control import ReplayOp, ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value, is_float, size_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import yields
from mlirad.ir.free_values import captures, own_operands
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, visit_regions

MAX_PARTS = 64
"""The most sums that one carry becomes."""

_PLACEMENTS = (indexing.UpdateOp, indexing.ScatterOp, structural.PadOp)


@dataclass(frozen=True)
class SinkScatterAddsPass(FunctionPass):
    """Carries sums of parts instead of sums of arrays in which parts have fixed places."""

    name = "sink-scatter-adds"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function whose loops place nothing that could be placed after them."""
        # Loops in loops: what leaves the inner one may then leave the outer one.
        while any(_accumulators(op) for op in nested_ops(function.body) if isinstance(op, ScanOp | ReplayOp)):
            function = rebuild_function(function, _visit)
        return function


@dataclass
class _Accumulator:
    """The carry number `number` of a loop: what is added to it in an iteration, as ops on the sums of
    `parts`.

    `ops` compute the next carry from the parts and the carry `argument`, in order.
    """

    number: int
    argument: Value
    result: Value
    ops: list[Operation] = field(default_factory=list[Operation])
    parts: dict[Value, None] = field(default_factory=dict[Value, None])
    places: bool = False

    def enter(self, value: Value, block: Block, *, carries: bool) -> bool:
        """Take apart a value that is part of the sum; `carries` says that it contains the carry."""
        op = value.owner
        if value is self.argument:
            return carries
        if isinstance(op, Operation) and self._enter_op(op, value, block, carries=carries):
            self.ops.append(op)
            return True
        self.parts[value] = None
        return not carries

    def _enter_op(self, op: Operation, value: Value, block: Block, *, carries: bool) -> bool:
        if op.parent is not block or not value.has_one_use():
            return False
        match op:
            case indexing.UpdateOp() if op.kind.data == "add" and _are_fixed(captures(op.body), block):
                terms = [(op.base, carries), (op.operand, False)]
            case indexing.ScatterOp() if not carries and _are_fixed(captures(op.body), block):
                terms = [(op.operand, False)]
            case structural.PadOp() if not carries and _is_zero(op.value):
                terms = [(op.operand, False)]
            case ew.AddOp():
                left, right = own_operands(op)
                right_has_it = carries and self._contains(right, block)
                terms = [(left, carries and not right_has_it), (right, right_has_it)]
            case _:
                return False
        self.places = self.places or isinstance(op, _PLACEMENTS)
        return all(self.enter(v, block, carries=has_it) for v, has_it in terms)

    def _contains(self, value: Value, block: Block) -> bool:
        """Return whether a term is, or was made from, the carry."""
        pending, seen = [value], set[Value]()
        while pending:
            v = pending.pop()
            if v is self.argument:
                return True
            op = v.owner
            if v not in seen and isinstance(op, ew.AddOp | indexing.UpdateOp) and op.parent is block:
                seen.add(v)
                pending += own_operands(op)
        return False


def _are_fixed(values: Sequence[Value], block: Block) -> bool:
    """Return whether values are the same in every iteration of the loop that a block is the body of."""
    owners = [v.owner for v in values]
    inside = [o for o in owners if (o if isinstance(o, Block) else o.parent) is block]
    return all(isinstance(o, structural.ConstantOp) for o in inside)


def _is_zero(value: Value) -> bool:
    op = value.owner
    return isinstance(op, structural.ConstantOp) and not literal_array(op).any()


def _accumulators(op: ScanOp | ReplayOp) -> list[_Accumulator]:
    """The carries whose sums can be taken apart."""
    block, made = op.body.block, yields(op.body)
    start = 1 if isinstance(op, ScanOp) else len(block.args) - len(op.init)
    found: list[_Accumulator] = []
    for k, init in enumerate(op.init):
        argument = block.args[start + k]
        if not is_float(init) or made[k] is argument or not argument.has_one_use():
            continue
        accumulator = _Accumulator(k, argument, made[k])
        whole = accumulator.enter(made[k], block, carries=True)
        if not whole or not accumulator.places or len(accumulator.parts) > MAX_PARTS:
            continue
        if sum(nominal(size_of(part)) for part in accumulator.parts) <= nominal(size_of(init)):
            found.append(accumulator)
    return found


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    found = _accumulators(op) if isinstance(op, ScanOp | ReplayOp) else []
    if not found:
        visit_regions(b, op, env, _visit)
        return
    assert isinstance(op, ScanOp | ReplayOp)
    loop = _Loop(b, op, env, found)
    carries = loop.rebuilt()
    for accumulator in found:
        carries[accumulator.number] = loop.placed(accumulator)
    env.update(zip(op.results, carries, strict=True))


class _Loop:
    """A loop rebuilt with sums of parts in the place of accumulators."""

    def __init__(
        self, b: ArrayBuilder, op: ScanOp | ReplayOp, env: Environment, found: Sequence[_Accumulator]
    ):
        self.b, self.op, self.env, self.found = b, op, env, found
        self.numbers = {a.number for a in found}
        self.kept = [k for k in range(len(op.init)) if k not in self.numbers]
        self.parts = list(dict.fromkeys(part for a in found for part in a.parts))
        self.sums: dict[Value, Value] = {}

    def rebuilt(self) -> list[Value]:
        """The results of the source loop, those of the accumulators as yet their initial values."""
        b, op, env = self.b, self.op, self.env
        init = [env.get(v, v) for v in op.init]
        start = [*(init[k] for k in self.kept), *(b.zeros(part.type) for part in self.parts)]
        b.location, b.name_hint = op.location, None
        if isinstance(op, ScanOp):
            xs = [env.get(x, x) for x in op.xs]
            final, stacked = b.scan_like(
                op, start, xs, lambda index, carries, slices: self._body([index], carries, slices)
            )
        else:
            stacked = []
            final = b.replay(
                env.get(op.tape, op.tape),
                start,
                lambda entry, carries: self._body(entry, carries, [])[0],
                reverse=op.reverse is not None,
            )
        self.sums = dict(zip(self.parts, final[len(self.kept) :], strict=True))
        results = list(init)
        for k, value in zip(self.kept, final, strict=False):
            results[k] = value
        return [*results, *stacked]

    def _body(
        self, before: Sequence[Value], carries: Sequence[Value], after: Sequence[Value]
    ) -> tuple[list[Value], list[Value]]:
        """One iteration: the new carries, then what is stacked."""
        b, block = self.b, self.op.body.block
        count = len(self.op.init)
        first = len(before)
        given = dict(zip(block.args, before, strict=False))
        given.update(zip((block.args[first + k] for k in self.kept), carries, strict=False))
        given.update(zip(block.args[first + count :], after, strict=True))
        for old, new in given.items():
            new.name_hint = new.name_hint or old.name_hint
        inner = {**self.env, **given}
        left_out = {o for a in self.found for o in a.ops}
        for op in block.ops:
            if op not in left_out and not isinstance(op, YieldOp):
                _visit(b, op, inner)
        made = yields(self.op.body)
        sums = [
            b.add(total, inner.get(part, part))
            for total, part in zip(carries[len(self.kept) :], self.parts, strict=True)
        ]
        kept = [inner.get(made[k], made[k]) for k in self.kept]
        return [*kept, *sums], [inner.get(v, v) for v in made[count:]]

    def placed(self, accumulator: _Accumulator) -> Value:
        """The last value of an accumulator: its initial value, with the sums of its parts put in place."""
        b, block = self.b, self.op.body.block
        init = self.op.init[accumulator.number]
        local: Environment = {**self.env, **self.sums, accumulator.argument: self.env.get(init, init)}
        for op in accumulator.ops:
            b.location = op.location
            for value in {*own_operands(op), *(v for region in op.regions for v in captures(region))}:
                owner = value.owner
                if value not in local and isinstance(owner, structural.ConstantOp) and owner.parent is block:
                    b.rebuild(owner, local)
            b.rebuild(op, local)
        return local[accumulator.result]
