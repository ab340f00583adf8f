"""A check that a stretch of equal ops repeats the same code, and between which repetitions.

Repetition r holds the ops `start + r * period ... `. The code is the same if every operand follows a rule
(`operands.py`). Values that a repetition reads from those before it are carried; values that other code reads
are handed out. Where a repetition begins is not known from the ops, as a ring has no beginning: it is put
where fewest bytes cross from one to the next.

Unrolled loops are recognised in the program, not in Python. The trace has the copies whatever wrote them: a
`for`, a comprehension, a recursion over lists, a program of another framework. Rewriting the source sees the
loop, but cannot know that its iterations do the same. The price is the time to trace the copies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from xdsl.ir import Block, Operation

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value, is_array, size_of
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.reroll_loops.operands import Made, Operand, Outer, find_operand
from mlirad.passes.reroll_loops.parts import Parts, is_step, reads
from mlirad.passes.reroll_loops.periods import Stretch

MAX_SHIFTS = 4
"""The number of repetitions that are given up for carries to begin with values that are known."""

Result = tuple[int, int]
"""A result of a repetition: the number of its op, and which of its results."""


@dataclass
class Line:
    """The ops of a block in order, without the steps between arrays and their parts."""

    block: Block
    ops: list[Operation]
    parts: Parts

    def __post_init__(self) -> None:
        self.places = {op: k for k, op in enumerate(self.ops)}
        self._reads: dict[int, list[Value]] = {}
        self._sources: dict[int, tuple[object, ...]] = {}

    def reads(self, place: int) -> list[Value]:
        """Return what an op reads."""
        known = self._reads.get(place)
        if known is None:
            known = self._reads[place] = reads(self.ops[place])
        return known

    def sources(self, place: int) -> tuple[object, ...]:
        """Return where the operands of an op come from: from how many ops before it, from outside, or a
        constant.
        """
        known = self._sources.get(place)
        if known is None:
            known = self._sources[place] = tuple(self._source(v, place) for v in self.reads(place))
        return known

    def _source(self, value: Value, place: int) -> object:
        part = self.parts[value]
        if part.is_constant:
            return None
        own = self.place(part.base)
        return id(part.base) if own is None else (place - own, len(part.steps))

    def place(self, value: Value) -> int | None:
        """The place of the op that makes a value, if it is one of the line."""
        owner = value.owner
        return self.places.get(owner) if isinstance(owner, Operation) else None

    def is_made_before(self, value: Value, place: int) -> bool:
        """Return whether a value is known before the op at a place."""
        own = self.place(value)
        return own is None or own < place

    def used_at(self, value: Value) -> list[int | None]:
        """The places of the ops that read a value, or a part of it; `None` for other code."""
        found: list[int | None] = []
        for use in value.uses:
            op: Operation | None = use.operation
            while op is not None and op.parent is not self.block:
                op = op.parent_op()
            if op is None:
                found.append(None)
            elif op.parent is self.block and is_step(op):
                found += self.used_at(op.results[0])
            else:
                found.append(self.places.get(op))
        return found


@dataclass
class Repetitions:
    """`count` repetitions of `period` ops from place `start` on."""

    line: Line
    start: int
    period: int
    count: int
    reads: list[list[Operand]]
    """The operands of each op of a repetition."""
    skipped: int
    """The number of repetitions that the operands know of that come before the first."""
    initial: dict[Result, list[Value]]
    """The carried results, with the values of the repetitions before: that of the last one first."""

    @property
    def ops(self) -> list[Operation]:
        """The ops of a repetition, each from one in which its captures are told apart."""
        first = self.start - self.skipped * self.period
        middle = self.skipped + self.count // 2
        found: list[Operation] = []
        for op, operands in enumerate(self.reads):
            sample = told_apart(self.line.ops[first + op], operands, middle)
            assert sample is not None  # or there would be no repetitions
            found.append(self.line.ops[first + sample * self.period + op])
        return found

    @property
    def stop(self) -> int:
        """The place behind the last op."""
        return self.start + self.count * self.period

    def result(self, result: Result, repetition: int) -> Value:
        """The value that a result is in a repetition."""
        return self.line.ops[self.start + repetition * self.period + result[0]].results[result[1]]

    def read_outside(self) -> dict[Result, list[int]]:
        """The results that other code reads, and the repetitions that make them."""
        found: dict[Result, list[int]] = defaultdict(list)
        for place in range(self.start, self.stop):
            repetition, op = divmod(place - self.start, self.period)
            for result in self.line.ops[place].results:
                if any(p is None or not self.start <= p < self.stop for p in self.line.used_at(result)):
                    found[op, result.index].append(repetition)
        return found

    def hands_out_arrays(self) -> bool:
        """Return whether all that other code reads can be stacked."""
        return all(is_array(self.result(result, 0).type) for result in self.read_outside())

    def ending_at(self, count: int) -> Repetitions:
        """The first `count` repetitions."""
        return Repetitions(self.line, self.start, self.period, count, self.reads, self.skipped, self.initial)

    def trimmed(self, least: int) -> Repetitions:
        """Drop the last repetition if later code reads values that the loop would not carry."""
        alone = [
            result
            for result, repetitions in self.read_outside().items()
            if repetitions == [self.count - 1] and result not in self.initial
        ]
        return self.ending_at(self.count - 1) if alone and self.count > least else self


def find_in_halves(line: Line, stretch: Stretch, least: int) -> Repetitions | None:
    """The code that repeats itself in a half of a stretch, or in a half of that, at least a given number of
    times.
    """
    start, period, length = stretch
    half = length // period // 2 * period
    for part in (Stretch(start, period, half), Stretch(start + half, period, length - half)):
        if part.length // period >= least:
            found = find_repetitions(line, part, least) or find_in_halves(line, part, least)
            if found is not None:
                return found
    return None


def find_with_lists(line: Line, stretch: Stretch, least: int) -> Repetitions | None:
    """As `find_repetitions`, where repetitions may read values that are put together to arrays before."""
    return find_repetitions(line, stretch, least, may_list=True)


def find_repetitions(
    line: Line, stretch: Stretch, least: int, *, may_list: bool = False
) -> Repetitions | None:
    """The code that repeats itself at least a given number of times, from the middle of a stretch as far as
    it does.
    """
    start, period, length = stretch
    operands = _operands(line, start, period, length // period, may_list)
    turn = 0 if operands is None else _turn(operands, period)
    if turn and (length - turn) // period >= least:
        start, length = start + turn, length - turn
        operands = _operands(line, start, period, length // period, may_list)
    if operands is None:
        return None
    every = [operand for own in operands for operand in own]
    first = max((o.earliest for o in every), default=0)
    stop = min((o.stop for o in every), default=length // period)
    for skipped in range(first, min(first + MAX_SHIFTS, stop - least + 1)):
        begin = start + skipped * period
        initial = _initial(line, operands, skipped, stop, begin)
        if initial is not None and _are_outer(line, every, begin) and _is_first_order(initial):
            return Repetitions(line, begin, period, stop - skipped, operands, skipped, initial)
    return None


def _operands(line: Line, start: int, period: int, count: int, may_list: bool) -> list[list[Operand]] | None:
    found: list[list[Operand]] = []
    for op in range(period):
        reads = [line.reads(place) for place in range(start + op, start + count * period, period)]
        if any(len(r) != len(reads[0]) for r in reads):
            return None
        own: list[Operand] = []
        for values in zip(*reads, strict=True):
            parts = [line.parts[v] for v in values]
            operand = find_operand(values, parts, line.place, start, period, may_list=may_list)
            if operand is None:
                return None
            own.append(operand)
        if told_apart(line.ops[start + op], own, count // 2) is None:
            return None
        found.append(own)
    return found


def told_apart(op: Operation, operands: Sequence[Operand], middle: int) -> int | None:
    """The repetition nearest to the middle in which values that the regions of an op capture are two values
    wherever they are two in any repetition; `None` if no repetition is like this.
    """
    captured = {tuple(map(id, operand.values)) for operand in operands[len(own_operands(op)) :]}
    if len(captured) < 2:
        return middle
    by_repetition = list(zip(*captured, strict=True))
    nearest = sorted(range(len(by_repetition)), key=lambda k: abs(k - middle))
    return next((k for k in nearest if len(set(by_repetition[k])) == len(captured)), None)


def _are_outer(line: Line, operands: Sequence[Operand], begin: int) -> bool:
    """Return whether what is the same in all repetitions was made before them."""
    bases = {o.origin.base for o in operands if isinstance(o.origin, Outer)}
    return all(line.is_made_before(base, begin) for base in bases)


def _is_first_order(initial: dict[Result, list[Value]]) -> bool:
    return all(is_array(v.type) for values in initial.values() for v in values)


def _initial(
    line: Line, operands: Sequence[Sequence[Operand]], skipped: int, stop: int, begin: int
) -> dict[Result, list[Value]] | None:
    """Return what carries begin with where `skipped` repetitions come before the loop, if it is known.

    Results of the first repetition have to be read before repetition `stop`.
    """
    found: dict[Result, dict[int, Value]] = defaultdict(dict)
    for operand in (o for own in operands for o in own):
        origin = operand.origin
        if not isinstance(origin, Made):
            continue
        if skipped + origin.lag >= stop:
            return None
        for k in range(skipped, skipped + origin.lag):
            ruled = k >= operand.first
            if not ruled and operand.template.steps:
                return None
            value = operand.parts[k].base if ruled else operand.values[k]
            if value.type != operand.template.base.type:
                return None
            if not line.is_made_before(operand.parts[k].base, begin):
                return None
            known = found[origin.op, origin.result].setdefault(origin.lag - (k - skipped), value)
            if known is not value:
                return None
    return {result: [values[lag] for lag in sorted(values)] for result, values in found.items()}


def _turn(operands: Sequence[Sequence[Operand]], period: int) -> int:
    """The op that a repetition best begins with: what is carried is smallest."""
    last: dict[Result, tuple[int, int]] = {}
    for op, own in enumerate(operands):
        for operand in own:
            if isinstance(operand.origin, Made):
                made, use = operand.origin, op + operand.origin.lag * period
                base = operand.template.base
                size = (
                    nominal(size_of(base)) * numpy_dtype(base.type).itemsize
                    if is_array(base.type)
                    else 1 << 40
                )
                known = last.get((made.op, made.result), (0, 0))
                last[made.op, made.result] = max(use, known[0]), size
    changes = [0] * (period + 1)
    for (op, _), (use, size) in last.items():
        # Alive at the beginnings `op + 1 .. use`, counted round the ring.
        whole, rest = divmod(use - op, period)
        changes[0] += whole * size
        first, stop = (op + 1) % period, (op + 1) % period + rest
        changes[first] += size
        changes[min(stop, period)] -= size
        if stop > period:
            changes[0] += size
            changes[stop - period] -= size
    sizes: list[int] = []
    total = 0
    for change in changes[:period]:
        total += change
        sizes.append(total)
    return sizes.index(min(sizes))
