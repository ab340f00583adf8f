"""Elements of a kernel program's arrays that are read, as far as differences of indices tell.

    %m = kernel.nest ...                                          64 x 64 moments
    %r = kernel.nest %m (%i, %j) { select(%j <= %i, load %m[%i, %j], 0) }
      -->  of %m {(1, 0): 0}: the lower triangle and the diagonal

A backward analysis: it starts with the results of the function, which are read as a whole, and goes from the
result of a kernel to what it loads. An element counts as read where its value matters, so the arm of a select
counts where the condition chooses it. Conditions are masks that are constants, and comparisons of loop
indices; positions that are found in constants are known, too. Loops are repeated until nothing more is read.

Elements that nobody reads may hold anything, so all of this is for floats only: other values may be
positions, and the code that uses them knows more about them than their type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.kernel.nests import MAX_POINTS, is_element_wise
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import Value, is_boolean, is_float, is_integer, shape_of
from mlirad.errors import VerifyError
from mlirad.ir.affine import Affine, AffineForms
from mlirad.ir.builder import function_block, yields
from mlirad.ir.locations import location_of
from mlirad.ir.regions import nested_ops
from mlirad.lower.kernels.triangles import EVERYTHING, Part, common, moved, of_mask, shifted, union

MOST_ROUNDS = 8
"""The number of times that a loop is repeated before all of its carries count as read."""


def check_skipped(function: FuncOp) -> None:
    """Raise `VerifyError` if a kernel leaves out elements that may be read."""
    stated = [op for op in nested_ops(function.body) if isinstance(op, NestOp) and op.bounds]
    reads = Reads(function_block(function)) if stated else None
    for op in stated:
        part = reads.of_loops(op) if reads is not None else None
        for x, y, offset in op.bounds:
            if part is not None and part.get((x, y), MAX_POINTS) > offset:
                raise VerifyError(
                    f"elements whose index {x} is above index {y} + {offset} may be read",
                    location=location_of(op),
                    hint="leave out `within`: `eliminate-dead-elements` states it",
                )


class Reads:
    """The parts of each value of a function that are read; all of those about which nothing is known."""

    def __init__(self, block: Block):
        self._parts: dict[Value, Part] = {}
        self._block(block)

    def of(self, value: Value) -> Part:
        """The elements of an array that are read."""
        return self._parts.get(value)

    def of_loops(self, op: NestOp) -> Part:
        """The iterations of the output space with any result that is read."""
        if not is_element_wise(op):
            return EVERYTHING
        found: Part = None
        for root in op.roots:
            found = union(found, self.of(root) if is_float(root) else EVERYTHING)
        return found

    def add(self, value: Value, part: Part) -> None:
        """Note that so much of an array is read, too."""
        self._parts[value] = union(self._parts.get(value), part)

    def _add_all(self, values: Sequence[Value]) -> None:
        for value in values:
            self._parts[value] = EVERYTHING

    def _block(self, block: Block) -> None:
        for op in reversed(block.ops):
            match op:
                case NestOp():
                    part = self.of_loops(op)
                    _Body(op, self).read([part] * len(yields(op.body)))
                case ScatterOp():
                    self._scatter(op)
                case StripsOp() | ScanOp():
                    self._loop(op)
                case YieldOp():
                    pass  # what is read of it is known to whoever has the block
                case _:
                    self._add_all(op.operands)
                    for region in op.regions:
                        self._add_all(yields(region))
                        self._block(region.block)

    def _scatter(self, op: ScatterOp) -> None:
        made = yields(op.body)
        rank = len(shape_of(op.result))
        body = _Body(op, self)
        written: Part = EVERYTHING
        if len(made) > 1 + rank:
            written = body.where(made[1 + rank], holds=True)
        body.read([written, *[EVERYTHING] * (len(made) - 1)])
        if op.from_zero is None:
            self.add(op.inputs[0], EVERYTHING)

    def _loop(self, op: StripsOp | ScanOp) -> None:
        """A loop with carries: what the last iteration hands over is read, and what any iteration reads of a
        carry.
        """
        carries = op.carry_count
        block, made = op.body.block, yields(op.body)
        first = 1 if isinstance(op, ScanOp) else 2
        arguments = block.args[first : first + carries]
        stacked = len(made) - (op.part_count if isinstance(op, StripsOp) else len(made) - carries)
        for k, value in enumerate(made[carries:], carries):
            part = self.of(op.results[k])
            # Strips are rows of the whole, which begin elsewhere.
            self.add(value, shifted(part, -1) if k >= stacked else _without_rows(part))
        for _ in range(MOST_ROUNDS):
            before = [self.of(a) for a in arguments]
            for value, result, part in zip(made[:carries], op.results[:carries], before, strict=True):
                self.add(value, union(self.of(result), part))
            self._block(block)
            if [self.of(a) for a in arguments] == before:
                break
        else:
            self._add_all(made)
            self._block(block)
            self._add_all(arguments)
        for k, operand in enumerate(op.operands):
            part = self.of(block.args[first + k])
            if k < carries:
                self.add(operand, union(part, self.of(op.results[k])))
            else:
                self.add(operand, shifted(part, 1))


def _without_rows(part: Part) -> Part:
    if part is None:
        return None
    return {pair: bound for pair, bound in part.items() if 0 not in pair}


class _Body:
    """The body of one kernel, read from what it yields to its loads."""

    def __init__(self, op: NestOp | ScatterOp, reads: Reads):
        self._op, self._reads = op, reads
        self._loops: dict[Value, int] = {value: x for x, value in enumerate(op.body.block.args)}
        self._forms = AffineForms()

    def read(self, parts: Sequence[Part]) -> None:
        """Note what is loaded, where so much of what the body yields is read."""
        needed: dict[Value, Part] = {}

        def need(value: Value, part: Part) -> None:
            needed[value] = union(needed.get(value), part)

        for value, part in zip(yields(self._op.body), parts, strict=True):
            need(value, part)
        for op in reversed(self._op.body.block.ops):
            part = needed.get(op.results[0]) if op.results else None
            if part is None:
                continue
            match op:
                case ew.SelectOp():
                    condition, on_true, on_false = op.operands
                    need(condition, part)
                    need(on_true, common(part, self.where(condition, holds=True)))
                    need(on_false, common(part, self.where(condition, holds=False)))
                case LoadOp():
                    self._load(op, part)
                    for position in op.positions:
                        need(position, part)
                case LoadIfOp():
                    need(op.guard, part)
                    inside = common(part, self.where(op.guard, holds=True))
                    self._load(op, inside)
                    for position in op.positions:
                        need(position, inside)
                case _:
                    for operand in op.operands:
                        need(operand, part)

    def _load(self, op: LoadOp | LoadIfOp, part: Part) -> None:
        places: dict[int, list[tuple[int, int]]] = {}
        for d, position in enumerate(op.positions):
            form = self._forms.of(position)
            if len(form.terms) == 1 and is_static(form.constant):
                ((variable, coefficient),) = form.terms
                if coefficient == 1 and variable in self._loops:
                    places.setdefault(self._loops[variable], []).append((d, form.constant))
        read = common(moved(part, places), self._at_tables(op)) if is_float(op.result) else EVERYTHING
        self._reads.add(op.buffer, read)

    def _at_tables(self, op: LoadOp | LoadIfOp) -> Part:
        """The bounds of positions that are found in constants, all at the same place."""
        tables = {d: table for d, p in enumerate(op.positions) if (table := self._table(p)) is not None}
        return {
            (d, e): int(np.max(first - second))
            for d, (place, first) in tables.items()
            for e, (other, second) in tables.items()
            if d != e and place == other and first.size
        }

    def _table(self, position: Value) -> tuple[Sequence[Value], Any] | None:
        """Return where in a constant a position is found, and the constant; clamped as the position is."""
        op = position.owner
        match op:
            case LoadOp() if isinstance(op.buffer.owner, ConstantOp):
                return list(op.positions), literal_array(op.buffer.owner)
            case ew.MaxOp() | ew.MinOp() if isinstance(op.rhs.owner, ConstantOp):
                found = self._table(op.lhs)
                clamp = np.maximum if isinstance(op, ew.MaxOp) else np.minimum
                return None if found is None else (found[0], clamp(found[1], literal_array(op.rhs.owner)))
            case _:
                return None

    def where(self, condition: Value, *, holds: bool) -> Part:
        """The iterations in which a condition holds, or does not."""
        op = condition.owner
        match op:
            case ew.NotOp():
                return self.where(op.operand, holds=not holds)
            case ew.AndOp() if holds and is_boolean(condition):
                return common(self.where(op.lhs, holds=True), self.where(op.rhs, holds=True))
            case ew.OrOp() if not holds and is_boolean(condition):
                return common(self.where(op.lhs, holds=False), self.where(op.rhs, holds=False))
            case ew.CompareOp() if is_integer(op.lhs):
                return self._compared(op, holds=holds)
            case LoadOp() if isinstance(op.buffer.owner, ConstantOp) and op.positions:
                return self._masked(op, op.buffer.owner, holds=holds)
            case _:
                return EVERYTHING

    def _masked(self, op: LoadOp, table: ConstantOp, *, holds: bool) -> Part:
        loops = [self._loops.get(position) for position in op.positions]
        if None in loops or len({*loops}) < len(loops):
            return EVERYTHING
        mask = literal_array(table)
        part = of_mask(mask if holds else ~mask)
        return moved(part, {d: [(x, 0)] for d, x in enumerate(loops) if x is not None})

    def _compared(self, op: ew.CompareOp, *, holds: bool) -> Part:
        """The bounds that a comparison of two loop indices, with offsets, states."""
        predicate = op.predicate.data if holds else _OPPOSITE[op.predicate.data]
        difference = self._forms.of(op.rhs) + self._forms.of(op.lhs).times(-1)
        found: Part = EVERYTHING
        for sign, offset in _AT_LEAST_ZERO[predicate]:
            found = common(found, self._at_least_zero(difference.times(sign).plus(offset)))
        return found

    def _at_least_zero(self, form: Affine) -> Part:
        """Return where a form is not negative. Loop indices and their offsets are too small to wrap."""
        terms = {coefficient: variable for variable, coefficient in form.terms}
        if set(terms) != {1, -1} or len(form.terms) != 2 or not is_static(form.constant):
            return EVERYTHING
        x, y = self._loops.get(terms[-1]), self._loops.get(terms[1])
        if x is None or y is None or abs(form.constant) > _LARGEST_OFFSET:
            return EVERYTHING
        return {(x, y): form.constant}


_LARGEST_OFFSET = 2**48

_OPPOSITE: Mapping[str, str] = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}

_AT_LEAST_ZERO: Mapping[str, Sequence[tuple[int, int]]] = {
    "le": [(1, 0)],
    "lt": [(1, -1)],
    "ge": [(-1, 0)],
    "gt": [(-1, -1)],
    "eq": [(1, 0), (-1, 0)],
    "ne": [],
}
"""The expression that has to be at least 0 for `lhs predicate rhs`: rhs - lhs times the sign, plus the
offset.
"""
