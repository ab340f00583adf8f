"""Code that only some lanes run: its path mask, and what the other lanes do meanwhile.

A branch that depends on a lane has no bulk form of its own: both sides are evaluated over all lanes, each
under the mask of the lanes that take it, and the results are selected. The mask keeps a `while` inside from
waiting for a lane that never gets there.

What the other lanes compute is not selected, and has cotangent 0; yet it must not reach the derivative of
what lanes share. Infinities and NaN do not, where they are coefficients of elementwise ops: 0 times these is
0 in a linear map. A contraction multiplies as it is, though. So one of its operands is 0 off the path:

    %m over lanes i                         %x = array.select %m, %x, 0      its own cotangent is masked, and
    %y = array.dot %w, %x        -->        %y = array.dot %w, %x            that of %w is a sum of 0 times 0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.ordering import CumulativeOp
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.array.structural import BroadcastOp
from mlirad.dialects.shapes import Value, is_float, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.dependences import Dependences
from mlirad.ir.free_values import free_values, own_operands
from mlirad.passes.bulk_operations.reader import Reader
from mlirad.passes.bulk_operations.terms import Lane, Lanes, Term, joined


@dataclass(frozen=True)
class BulkTape:
    """A tape whose entries have lanes: of each column, and of the mask, the last column, if it has one."""

    value: Value
    columns: tuple[Lanes, ...]
    mask: Lanes = ()


class Paths:
    """What the rules of loops and branches know beyond single terms: the mask, tapes, dependences."""

    def __init__(self, reader: Reader, term: Callable[[Value], Term]):
        self.r = reader
        self.term = term
        """The term of a value of the source."""
        self.mask: Term | None = None
        """The lanes that run what is evaluated now; None for all."""
        self.taken: Term | None = None
        """A mask that is known to hold in some lane."""
        self.tapes: dict[Value, BulkTape] = {}
        self._dependences = Dependences()

    @property
    def b(self) -> ArrayBuilder:
        """The builder."""
        return self.r.b

    # Lanes ---------------------------------------------------------------------------------------

    def result_lanes(self, op: Operation) -> list[Lanes]:
        """The lanes that results of a loop or branch may depend on through what it reads."""
        if not any(self._lanes(v) for v in free_values(op)):
            return [()] * len(op.results)
        return [self._reached(values, {}) for values in self._dependences.of(op)]

    def yielded_lanes(self, region: Region, args: Mapping[Value, Lanes]) -> list[Lanes]:
        """The lanes that what a region yields may depend on, given those of its arguments."""
        return [self._reached(values, args) for values in self._dependences.yielded(region)]

    def _reached(self, values: Iterable[Value], known: Mapping[Value, Lanes]) -> Lanes:
        lanes = joined(known[v] if v in known else self._lanes(v) for v in values)
        # What differs between lanes may be decided by them, under the mask.
        return joined((lanes, self.mask.lanes)) if lanes and self.mask is not None else lanes

    def _lanes(self, value: Value) -> Lanes:
        tape = self.tapes.get(value)
        return self.term(value).lanes if tape is None else joined((*tape.columns, tape.mask))

    # Code under a mask ---------------------------------------------------------------------------

    def restricted(self, condition: Term, *, negated: bool = False) -> Term:
        """The lanes on the path for which the condition holds, or does not."""
        if negated:
            condition = self.r.elementwise(ew.NotOp, (condition,), i1)
        if self.mask is None:
            return condition
        return self.r.elementwise(ew.AndOp, (self.mask, condition), i1)

    def evaluate(self, mask: Term | None, region: Region, args: Sequence[Term]) -> list[Term]:
        """What a region yields in the lanes of `mask`, anything in the others."""
        before, self.mask = self.mask, mask
        values = self.r.evaluate(region, args)
        self.mask = before
        return values

    def any_of(self, mask: Term) -> Value:
        """Whether a mask holds in any lane."""
        if mask is self.taken:
            return self.b.splat(True, i1)
        b, lanes = self.b, self.r.value(mask)
        hint, b.name_hint = b.name_hint, None
        found = b.reduce("or", lanes, range(len(mask.lanes)))
        b.name_hint = hint
        return found

    def protected(self, op: Operation, operands: Sequence[Term]) -> Sequence[Term]:
        """The operands of an op, so that lanes off the path do no harm to the derivatives of the others."""
        if self.mask is None:
            return operands
        match op:
            case DotOp() | CumulativeOp() if is_float(op.results[0]):
                found = self._factors([(self.r.value(t), dict(enumerate(t.lanes))) for t in operands])
                return [self.r.term(t.lanes, v) for t, v in zip(operands, found, strict=True)]
            case SumOp() if is_float(op.result):
                return [self._sum_of_products(operands[0])]
            case _:
                return operands

    def _sum_of_products(self, x: Term) -> Term:
        """What is summed, where it is a product of broadcast arrays, which may become a contraction."""
        owner = None if x.value is None else x.value.owner
        if not isinstance(owner, ew.MulOp):
            return x
        sources = [o.owner for o in own_operands(owner)]
        if not any(isinstance(s, BroadcastOp) for s in sources):
            return x
        parts: list[tuple[Value, dict[int, Lane]]] = []
        for operand, source in zip(own_operands(owner), sources, strict=True):
            if isinstance(source, BroadcastOp):
                dims = values_of(source.dims)
                at = {k: x.lanes[d] for k, d in enumerate(dims) if d < len(x.lanes)}
                parts.append((source.operand, at))
            else:
                parts.append((operand, dict(enumerate(x.lanes))))
        factors = [
            self.b.broadcast(v, shape_of(owner.result), values_of(s.dims))
            if isinstance(s, BroadcastOp)
            else v
            for v, s in zip(self._factors(parts), sources, strict=True)
        ]
        return self.r.term(x.lanes, self.b.mul(*factors))

    def _factors(self, parts: Sequence[tuple[Value, Mapping[int, Lane]]]) -> list[Value]:
        """Arrays that are multiplied, with their lanes by dimension: one that has all lanes of the mask is 0
        off the path, or each where none of what it stands for is on the path."""
        assert self.mask is not None
        for k, (value, lanes) in enumerate(parts):
            if all(lane in lanes.values() for lane in self.mask.lanes):
                masked = self._masked(self.mask, value, lanes)
                return [masked if j == k else v for j, (v, _) in enumerate(parts)]
        return [self._masked(self.mask, value, lanes) for value, lanes in parts]

    def _masked(self, mask: Term, value: Value, lanes: Mapping[int, Lane]) -> Value:
        b = self.b
        dims = {lane: d for d, lane in lanes.items()}
        missing = [k for k, lane in enumerate(mask.lanes) if lane not in dims]
        placed = [dims[lane] for lane in mask.lanes if lane in dims]
        condition = self.r.value(mask)
        hint, b.name_hint = b.name_hint, None
        condition = b.broadcast(b.reduce("or", condition, missing), shape_of(value), placed)
        value = b.select(condition, value, b.zeros(value.type))
        b.name_hint = hint
        return value
