"""Code that only some batch members run: its path mask, and what the others do meanwhile.

A branch that depends on a batch axis has no bulk form of its own: both sides are evaluated over the batch,
each under the mask of the members that take it, and the results are selected. The mask keeps a `while` inside
from running for members that do not take the branch.

Results of the other members are not selected, and have cotangent 0; yet they must not reach the derivative of
what members share. Infinities and NaN do not, where they are coefficients of elementwise ops: 0 times these
is 0 in a linear map. A contraction multiplies as it is, though. So one of its operands is 0 off the path:

    %m over the batch                       %x = array.select %m, %x, 0      its own cotangent is masked, and
    %y = array.dot %w, %x        -->        %y = array.dot %w, %x            that of %w is a sum of 0 times 0

Batch elements off the path compute with whatever values they have. The usual remedy is to feed them harmless
inputs. Here a linear map takes 0 times infinity to be 0, so a pole off the path stays in its batch element,
and a branch costs no selections except on its results. Contractions are the exception: they are fed zeros off
the path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import TapeType
from mlirad.dialects.array.frames import NextRowOp
from mlirad.dialects.array.ordering import CumulativeOp
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.array.structural import BroadcastOp
from mlirad.dialects.shapes import Value, is_float, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.dependences import Dependences
from mlirad.ir.free_values import free_values, own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.bulk_operations.reader import BatchReader
from mlirad.passes.bulk_operations.terms import BatchAxes, BatchAxis, Term, joined


@dataclass(frozen=True)
class BulkTape:
    """A tape with the batch axes of each column, and of the mask, the last column, if it has one."""

    value: Value
    columns: tuple[BatchAxes, ...]
    mask: BatchAxes = ()


class Paths:
    """The context of the rules of loops and branches: the mask, tapes, dependences."""

    def __init__(self, reader: BatchReader, term: Callable[[Value], Term]):
        self.r = reader
        self.term = term
        """The term of a value of the source."""
        self.mask: Term | None = None
        """The members that run what is evaluated now; None for all."""
        self.taken: Term | None = None
        """A mask that is known to hold for some member."""
        self.tapes: dict[Value, BulkTape] = {}
        self._dependences = Dependences()

    @property
    def b(self) -> ArrayBuilder:
        """The builder."""
        return self.r.b

    # Batch axes ----------------------------------------------------------------------------------

    def result_axes(self, op: Operation) -> list[BatchAxes]:
        """The batch axes that results of a loop or branch may depend on through what it reads."""
        if not any(self._axes(v) for v in free_values(op)):
            return [()] * len(op.results)
        return [self._reached(values, {}) for values in self._dependences.of(op)]

    def yielded_axes(self, region: Region, args: Mapping[Value, BatchAxes]) -> list[BatchAxes]:
        """The batch axes that what a region yields may depend on, given those of its arguments."""
        return [self._reached(values, args) for values in self._dependences.yielded(region)]

    def _reached(self, values: Iterable[Value], known: Mapping[Value, BatchAxes]) -> BatchAxes:
        axes = joined(known[v] if v in known else self._axes(v) for v in values)
        # Values that differ between members may be decided by them, under the mask.
        return joined((axes, self.mask.axes)) if axes and self.mask is not None else axes

    def tape(self, tape: Value) -> BulkTape:
        """A tape; that of a loop that was left as it stands has no batch axes."""
        known = self.tapes.get(tape)
        if known is None:
            columns = cast(TapeType, tape.type).types.data
            known = self.tapes[tape] = BulkTape(self.r.value(self.term(tape)), ((),) * len(columns))
        return known

    def _axes(self, value: Value) -> BatchAxes:
        tape = self.tapes.get(value)
        return self.term(value).axes if tape is None else joined((*tape.columns, tape.mask))

    # Code under a mask ---------------------------------------------------------------------------

    def restricted(self, condition: Term, *, negated: bool = False) -> Term:
        """The members on the path for which the condition holds, or does not."""
        if negated:
            condition = self.r.elementwise(ew.NotOp, (condition,), i1)
        if self.mask is None:
            return condition
        return self.r.elementwise(ew.AndOp, (self.mask, condition), i1)

    def evaluate(self, mask: Term | None, region: Region, args: Sequence[Term]) -> list[Term]:
        """Return what a region yields for the members of `mask`, anything for the others."""
        before, self.mask = self.mask, mask
        values = self.r.evaluate(region, args)
        self.mask = before
        return values

    def any_of(self, mask: Term) -> Value:
        """Return whether a mask holds for any member."""
        if mask is self.taken:
            return self.b.splat(True, i1)
        b, axes = self.b, self.r.value(mask)
        hint, b.name_hint = b.name_hint, None
        found = b.reduce("or", axes, range(len(mask.axes)))
        b.name_hint = hint
        return found

    def protected(self, op: Operation, operands: Sequence[Term]) -> Sequence[Term]:
        """The operands of an op, so that members off the path do no harm to the derivatives of the others."""
        if self.mask is None:
            return operands
        match op:
            case DotOp() | CumulativeOp() if is_float(op.results[0]):
                found = self._factors([(self.r.value(t), dict(enumerate(t.axes))) for t in operands])
                return [self.r.term(t.axes, v) for t, v in zip(operands, found, strict=True)]
            case SumOp() if is_float(op.result):
                return [self._sum_of_products(operands[0])]
            case NextRowOp():
                none = self.r.whole(self.b.zeros(op.result.type))
                return [self.r.elementwise(ew.SelectOp, (self.mask, operands[0], none), i64)]
            case _:
                return operands

    def _sum_of_products(self, x: Term) -> Term:
        """Return what is summed, where it is a product of broadcast arrays, which may become a
        contraction.
        """
        owner = None if x.value is None else x.value.owner
        if not isinstance(owner, ew.MulOp):
            return x
        sources = [o.owner for o in own_operands(owner)]
        if not any(isinstance(s, BroadcastOp) for s in sources):
            return x
        parts: list[tuple[Value, dict[int, BatchAxis]]] = []
        for operand, source in zip(own_operands(owner), sources, strict=True):
            if isinstance(source, BroadcastOp):
                dims = values_of(source.dims)
                at = {k: x.axes[d] for k, d in enumerate(dims) if d < len(x.axes)}
                parts.append((source.operand, at))
            else:
                parts.append((operand, dict(enumerate(x.axes))))
        factors = [
            self.b.broadcast(v, shape_of(owner.result), values_of(s.dims))
            if isinstance(s, BroadcastOp)
            else v
            for v, s in zip(self._factors(parts), sources, strict=True)
        ]
        return self.r.term(x.axes, self.b.mul(*factors))

    def _factors(self, parts: Sequence[tuple[Value, Mapping[int, BatchAxis]]]) -> list[Value]:
        """Arrays that are multiplied, with their batch axes by dimension: one that has all axes of the mask
        is 0 off the path, or each where none of what it stands for is on the path."""
        assert self.mask is not None
        for k, (value, axes) in enumerate(parts):
            if all(axis in axes.values() for axis in self.mask.axes):
                masked = self._masked(self.mask, value, axes)
                return [masked if j == k else v for j, (v, _) in enumerate(parts)]
        return [self._masked(self.mask, value, axes) for value, axes in parts]

    def _masked(self, mask: Term, value: Value, axes: Mapping[int, BatchAxis]) -> Value:
        b = self.b
        dims = {axis: d for d, axis in axes.items()}
        missing = [k for k, axis in enumerate(mask.axes) if axis not in dims]
        placed = [dims[axis] for axis in mask.axes if axis in dims]
        condition = self.r.value(mask)
        hint, b.name_hint = b.name_hint, None
        condition = b.broadcast(b.reduce("or", condition, missing), shape_of(value), placed)
        value = b.select(condition, value, b.zeros(value.type))
        b.name_hint = hint
        return value
