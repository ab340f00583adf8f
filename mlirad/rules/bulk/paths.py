"""Code that only some lanes run: its path mask, and the values that the other lanes run it on.

A branch that depends on a lane has no bulk form of its own: both sides are evaluated over all lanes, each
under the mask of the lanes that take it, and the results are selected. The mask is what keeps a `while`
inside from waiting for a lane that never gets there. What the other lanes compute is not selected, yet must
not do harm: where a coefficient is infinite its derivative is infinite times zero, which is NaN, and a sum
over lanes brings that into the derivative of what all lanes read. So what enters the code (what it captures,
its arguments, elements it reads of captured arrays) is guarded, in one of two ways:

- if nothing that enters has to be copied along the lanes: floats are selected to be 1 in lanes that are not
  on the path, so that their cotangents are masked in every lane, and none reaches anything outside;
- else lanes off the path get what the first lane on the path has, whose coefficients are as finite as the
  program's own. If there may be no such lane, the code stands in a real `if` that asks whether there is one.

Code whose derivatives have no coefficients (sums, selections, readings, integers) is not guarded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Operation, Region

from mlirad.dialects.array import control, indexing, reductions, structural
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, array_type, is_array, is_float, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import yields
from mlirad.ir.dependences import Dependences
from mlirad.ir.free_values import captures
from mlirad.rules.bulk.reader import Reader
from mlirad.rules.bulk.terms import Lane, Lanes, Term, extents, joined, position

_WITHOUT_COEFFICIENTS: frozenset[type[Operation]] = frozenset(
    (
        ew.AddOp,
        ew.SubOp,
        ew.NegOp,
        ew.ConvertOp,
        ew.SelectOp,
        ew.StopGradientOp,
        *structural.STRUCTURAL_OPS,
        *indexing.INDEXING_OPS,
        reductions.SumOp,
        *control.CONTROL_OPS,
    )
)


@dataclass(eq=False)
class Guard:
    """What protects code under `mask`: the indices of its first lane, or None where floats become 1."""

    mask: Term
    first: Mapping[Lane, Term] | None
    scope: int
    safe: dict[Value, Term] = field(default_factory=dict[Value, Term])


@dataclass(frozen=True)
class BulkTape:
    """A tape whose entries have lanes: of each column, and of the mask, the last column, if it has one."""

    value: Value
    columns: tuple[Lanes, ...]
    mask: Lanes = ()


class Paths:
    """What the rules of loops and branches know beyond single terms: masks, guards, tapes, dependences."""

    def __init__(self, reader: Reader, term_of: Callable[[Value], Term]):
        self.r = reader
        self.mask: Term | None = None
        """The lanes that run what is evaluated now; None for all."""
        self.tapes: dict[Value, BulkTape] = {}
        self._term_of = term_of
        self._guarded: dict[Value, Guard] = {}
        self._dependences = Dependences()
        self._harmless: dict[Region, bool] = {}

    @property
    def b(self) -> ArrayBuilder:
        """The builder."""
        return self.r.b

    # Values --------------------------------------------------------------------------------------

    def is_guarded(self, value: Value) -> bool:
        """Whether a value of the source comes from outside of code that is guarded."""
        return value in self._guarded

    def term(self, value: Value) -> Term:
        """A value of the source, as the lanes that are not on the path may use it."""
        guard = self._guarded.get(value)
        if guard is None:
            return self._term_of(value)
        known = guard.safe.get(value)
        if known is None:
            with self.r.in_scope(guard.scope):
                known = guard.safe[value] = self._safe(guard, self._term_of(value))
        return known

    def part(self, value: Value, read: Callable[[Term], Term]) -> Term:
        """What `read` takes of an array of the source: only that is guarded, not the whole array."""
        return self.guarded(value, read(self.whole_term(value)))

    def whole_term(self, value: Value) -> Term:
        """A value of the source without protection, of which only parts will be used."""
        return self._term_of(value)

    def guarded(self, value: Value, part: Term) -> Term:
        """A part of the array `value`, as the lanes that are not on the path may use it."""
        guard = self._guarded.get(value)
        return part if guard is None else self._safe(guard, part)

    def result_lanes(self, op: Operation) -> list[Lanes]:
        """The lanes that results of a loop or branch may depend on through what it reads."""
        found: list[Lanes] = []
        for values in self._dependences.of(op):
            lanes = joined(self.lanes(v) for v in values)
            if lanes and self.mask is not None:
                lanes = joined((lanes, self.mask.lanes))
            found.append(lanes)
        return found

    def yielded_lanes(self, region: Region, args: Mapping[Value, Lanes]) -> list[Lanes]:
        """The lanes that what a region yields may depend on, given those of its arguments."""
        return [
            joined(args[v] if v in args else self.lanes(v) for v in values)
            for values in self._dependences.yielded(region)
        ]

    def lanes(self, value: Value) -> Lanes:
        """The lanes that a value of the source depends on."""
        tape = self.tapes.get(value)
        if tape is not None:
            return joined((*tape.columns, tape.mask))
        term, guard = self._term_of(value), self._guarded.get(value)
        if guard is None:
            return term.lanes
        changed = is_float(value) if guard.first is None else _shares_lanes(term.lanes, guard.mask.lanes)
        return joined((term.lanes, guard.mask.lanes)) if changed else term.lanes

    # Code under a mask ---------------------------------------------------------------------------

    def restricted(self, condition: Term, *, negated: bool = False) -> Term:
        """The path mask of lanes on the path for which the condition holds, or does not."""
        if negated:
            condition = self.r.elementwise(ew.NotOp, (condition,), i1)
        if self.mask is None:
            return condition
        return self.r.elementwise(ew.AndOp, (self.mask, condition), i1)

    def evaluate(self, mask: Term | None, region: Region, args: Sequence[Term]) -> list[Term]:
        """What a region yields when lanes outside of `mask` do not matter, but do no harm by themselves."""
        before, self.mask = self.mask, mask
        values = self.r.evaluate(region, args)
        self.mask = before
        return values

    def under(self, mask: Term, region: Region, args: Sequence[Term], *, taken: bool = False) -> list[Term]:
        """What a region yields in the lanes of `mask`, anything in the others, which do no harm.

        `taken` says that there is a lane on the path whenever this is run.
        """
        if self._is_harmless(region):
            return self.evaluate(mask, region, args)
        outer = captures(region)
        lanes = {v: self._term_of(v).lanes for v in outer if v not in self.tapes}
        lanes.update((v, t.lanes) for v, t in zip(region.block.args, args, strict=True))
        if all(self._is_cheap_to_mask(v, own, mask, region) for v, own in lanes.items()):
            return self._guarded_evaluation(Guard(mask, None, len(self.b.scopes)), lanes, region, args)
        some = self.any_of(mask)
        known = self.b.scalar_of(some)
        if known is False:
            return [self.r.whole(self.b.zeros(v.type)) for v in yields(region)]
        if taken or known:
            return self._guarded_evaluation(self._first_lane(mask), lanes, region, args)
        found: list[Term] = []

        def run() -> list[Value]:
            found[:] = self._guarded_evaluation(self._first_lane(mask), lanes, region, args)
            return [self.r.value(t) for t in found]

        def skip() -> list[Value]:
            return [self.b.zeros(array_type((*extents(t.lanes), *t.shape), t.element)) for t in found]

        values = self.b.if_(some, run, skip)
        return [self.r.term(t.lanes, v) for t, v in zip(found, values, strict=True)]

    def any_of(self, mask: Term) -> Value:
        """Whether a mask holds in any lane."""
        return self.b.reduce("or", self.r.value(mask), range(len(mask.lanes)))

    def _guarded_evaluation(
        self, guard: Guard, values: Mapping[Value, Lanes], region: Region, args: Sequence[Term]
    ) -> list[Term]:
        before = self._guarded
        self._guarded = {**before, **dict.fromkeys(values, guard)}
        found = self.evaluate(guard.mask, region, args)
        self._guarded = before
        return found

    def _first_lane(self, mask: Term) -> Guard:
        """The guard by the first lane on the path, whose indices are computed here."""
        r, b = self.r, self.b
        shape = extents(mask.lanes)
        flat = b.reshape(r.value(mask), (prod(shape),))
        number = b.argmax(b.convert(flat, i64), 0)
        indices = r.unravel(r.whole(number), shape)
        return Guard(mask, dict(zip(mask.lanes, indices, strict=True)), len(b.scopes))

    def _safe(self, guard: Guard, term: Term) -> Term:
        r = self.r
        if guard.first is None:
            if not is_float(term.element):
                return term
            fill = r.whole(self.b.splat(1, array_type(term.shape, term.element)))
        else:
            first = guard.first
            if not _shares_lanes(term.lanes, guard.mask.lanes):
                return term
            slots = [first[lane] if lane in first else position(lane) for lane in term.lanes]
            fill = r.read(r.value(term), (*slots, *[None] * len(term.shape)))
            if is_float(term.element):
                fill = r.elementwise(ew.StopGradientOp, (fill,), term.element)
        return r.elementwise(ew.SelectOp, (guard.mask, term, fill), term.element)

    # What needs a guard, and which ---------------------------------------------------------------

    def _is_harmless(self, region: Region) -> bool:
        known = self._harmless.get(region)
        if known is None:
            known = self._harmless[region] = all(
                type(op) in _WITHOUT_COEFFICIENTS
                or not any(is_float(r) for r in op.results if is_array(r.type))
                for op in region.walk()
            )
        return known

    @staticmethod
    def _is_cheap_to_mask(value: Value, lanes: Lanes, mask: Term, region: Region) -> bool:
        """Whether masking what enters a region copies no array along lanes that it does not depend on."""
        if not is_float(value) or not shape_of(value) or all(lane in lanes for lane in mask.lanes):
            return True
        return all(
            _is_reading(use.operation, use.index) for use in value.uses if _is_in(use.operation, region)
        )


def _shares_lanes(lanes: Lanes, others: Lanes) -> bool:
    return any(lane in others for lane in lanes)


def _is_reading(op: Operation, operand: int) -> bool:
    """Whether an op takes parts of that operand, which `Paths.part` guards instead of the whole."""
    if isinstance(op, control.ScanOp):
        return operand >= op.carry_count
    return operand == 0 and isinstance(op, indexing.IndexOp | indexing.GatherOp)


def _is_in(op: Operation, region: Region) -> bool:
    """Whether an op stands in a region or in one inside it."""
    inner = op.parent_region()
    while inner is not None and inner is not region:
        inner = inner.parent_region()
    return inner is region
