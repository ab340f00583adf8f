"""`kernel.nest` as an LLVM function.

The loops run in the order of the schedule, which ends in reduction loops, if there are any: their sums are
kept in registers. Where reduction loops stand outside loops of the output, results are started in memory and
every pass adds to them.

    space [100], reduction [8], lane 0, width 8

    for o in 0, 8, ..., 88, 92: (the last block overlaps)
      total = <8 x double> -0.0
      for r in 0 ... 8: total += body(o + <0 ... 7>, r)
      store total
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.extents import at_most, nominal
from mlirad.dialects.kernel import NestOp
from mlirad.dialects.kernel.nests import copied_arrays
from mlirad.dialects.shapes import values_of
from mlirad.ir.builder import yields
from mlirad.lower.emit import reductions
from mlirad.lower.emit.body import Address, Body
from mlirad.lower.emit.buffers import Buffer
from mlirad.lower.emit.code import BodyCode
from mlirad.lower.emit.fast_path import FastPath, any_nan
from mlirad.lower.emit.fills import copy, fill
from mlirad.lower.emit.kernels import KernelEmitter, KernelText, begin_kernel, cost_of
from mlirad.lower.emit.output_loops import OutputLoops
from mlirad.lower.emit.partial_sums import LONG, RADIX, PartialSums, block_of, in_blocks, most_trips
from mlirad.lower.emit.reductions import IDEMPOTENT, Accumulator
from mlirad.lower.emit.schedule import NestSchedule
from mlirad.lower.emit.segments import Segment, known_trips, trips_of
from mlirad.lower.llvm_text import Operand, Value, constant


def emit_nest(emitter: KernelEmitter, op: NestOp) -> None:
    """Write the function of a nest and the call of it; there is none if no element is to be computed."""
    outputs = [emitter.buffers[r] for r in op.roots]
    space = values_of(op.space)
    if at_most(prod(space), 0):
        return
    combiners = [] if op.combiners is None else [c.data for c in op.combiners.data]
    what = combiners[0] if combiners else "map"
    if at_most(prod(values_of(op.reduction)), 0):
        kernel = begin_kernel(emitter, op, what, (), outputs, nominal(prod(space)) * len(outputs))
        for combiner, output in zip(combiners, outputs, strict=True):
            is_position = combiner.startswith("arg")
            number = constant("i64", 0) if is_position else _memory_identity(combiner, output)
            fill(kernel, output, number)
        kernel.f.ret()
        return
    copied = [emitter.buffers[value] for value in copied_arrays(op)]
    if len(copied) == len(outputs) and all(map(_are_same, copied, outputs)):
        return
    body = Body(op, emitter.buffers, outputs)
    needed = body.needed(body.yielded)
    read = [body.addresses[o].buffer for o in needed if o in body.addresses]
    work = nominal(prod(op.extents)) * (cost_of(needed) + len(outputs))
    in_place = any(a.overlaps(b) for a in outputs for b in read)
    schedule = NestSchedule.of(op, body, combiners, emitter.program.vector_bytes, may_repeat=not in_place)
    kernel = begin_kernel(emitter, op, what, read, outputs, work, schedule.tasks)
    # The first rows of an array have its strides, and are not all of it.
    is_copy = not in_place and [(b.shape, b.strides) for b in copied] == [
        (b.shape, b.strides) for b in outputs
    ]
    if schedule.tasks is None and (is_copy or _is_zero(op)):
        for k, output in enumerate(outputs):
            if is_copy:
                copy(kernel.f, kernel.pointers, copied[k], output)
            else:
                fill(kernel, output, constant(output.kind, 0))
        kernel.f.ret()
        return
    fast = None
    if not emitter.program.address_checks:
        fast = FastPath.of(body, schedule, emitter.trips)
    _NestCode(kernel, op, body, combiners, outputs, schedule, fast).write()


def _are_same(a: Buffer, b: Buffer) -> bool:
    """Whether two buffers are the same elements of memory in the same order, whatever their shapes."""
    in_order = a.strides == b.strides if a.shape == b.shape else a.is_row_major and b.is_row_major
    return a.place == b.place and a.kind == b.kind and a.size == b.size and in_order


def _is_zero(op: NestOp) -> bool:
    """Whether all that a nest stores is 0, of which all bits are 0."""
    return op.combiners is None and all(
        isinstance(v.owner, ConstantOp) and not any(literal_array(v.owner).tobytes()) for v in yields(op.body)
    )


def _memory_identity(combiner: str, output: Buffer) -> Value:
    return reductions.identity(combiner, output.kind, of_memory=True)


class _NestCode(OutputLoops):
    """Writes the loops of one nest."""

    def __init__(
        self,
        kernel: KernelText,
        op: NestOp,
        body: Body,
        combiners: Sequence[str],
        outputs: Sequence[Buffer],
        schedule: NestSchedule,
        fast: FastPath | None,
    ):
        self._fast = fast
        self._body = body
        self._of_results = combiners
        self._outputs = outputs
        space = values_of(op.space)
        self._rank = len(space)
        elements = [body.own_addresses(b, space) for b in outputs]
        self._results = [address for addresses in elements for address in addresses]
        self._combiners = [c for c, a in zip(combiners, elements, strict=False) for _ in a]
        level = schedule.outer - 1
        code = BodyCode(
            kernel.f,
            kernel.access,
            body,
            schedule.order,
            body.yielded,
            [(a, level) for a in self._results],
            kernel.pointers,
            lane=schedule.lane,
            tile=schedule.tile,
            unroll=schedule.unroll,
        )
        if schedule.lane_is_reduced:
            code.width = schedule.width
        super().__init__(kernel, schedule, code)

    def write(self) -> None:
        """Write everything up to the return."""
        if self._schedule.in_memory:
            for combiner, output in zip(self._of_results, self._outputs, strict=True):
                fill(self._kernel, output, _memory_identity(combiner, output))
        if self._is_long_in_memory:
            self._outer_in_blocks()
        else:
            self._outer(0)
        self._f.ret()

    @property
    def _is_long_in_memory(self) -> bool:
        """Whether many floats of 32 bits are added to each sum in memory."""
        schedule, extents = self._schedule, self._body.extents
        if not schedule.in_memory or schedule.order[0] < self._rank:
            return False
        additions = prod(extents[d] for d in schedule.order[: schedule.outer] if d >= self._rank)
        return nominal(additions) >= LONG and PartialSums.fit(self._sums)

    @property
    def _sums(self) -> list[Buffer]:
        return [b for c, b in zip(self._of_results, self._outputs, strict=True) if c == "add"]

    def _outer_in_blocks(self) -> None:
        """The loops around a store, the first one, which is a reduction, block by block."""
        d = self._schedule.order[0]
        totals = PartialSums(self._kernel, self._sums, keep=False)
        for segment in self._schedule.segments[d]:
            bounds = segment.lower, segment.upper
            self._code.lanes_ahead(0, segment.width)
            with in_blocks(self._f, bounds, RADIX * segment.step, f"b{d}") as (block, end):
                with self._f.loop(
                    block.index, end, segment.step, name=f"i{d}", at_most=RADIX, at_least=1
                ) as loop:
                    self._enter(0, segment, loop)
                    self._outer(1)
                totals.flush()
        totals.finish()

    def _point(self) -> None:
        code = self._code
        if not self._combiners:
            self._both_paths()
            for j in range(code.tiles):
                # All values first: a result may lie where another one reads.
                values = [code.get(value, j) for value in self._body.yielded]
                for value, address in zip(values, self._results, strict=True):
                    self._store(value, address, j)
            return
        totals = self._reduced()
        for j in range(code.tiles):
            for k, combiner in enumerate(self._combiners):
                total = totals[k][j]
                address = self._results[k]
                if self._schedule.in_memory:
                    before = code.load(address, j)
                    total = reductions.merge(self._f, combiner, [before], total)
                self._store(self._of_all(combiner, total)[-1], address, j)

    def _of_all(self, combiner: str, total: Accumulator) -> Accumulator:
        """The total, of no operands what memory holds of such: a sum in registers starts at -0.0."""
        operands = prod(self._body.extents[self._rank :])
        if at_most(1, operands) or combiner != "add" or not total[0].is_float:
            return total
        is_empty = self._f.icmp("eq", self._f.value(operands, "i64"), 0)
        return [self._f.select(is_empty, constant(total[0].kind, 0), total[0])]

    def _both_paths(self) -> None:
        """Compute what the body yields by the fast path, if there is one and this is no narrow last block."""
        code = self._code
        if self._fast is not None and not self._tests_sums and code.width == self._schedule.width:
            values = code.computed(self._body.yielded)
            for u in range(code.unrolls):
                self._fast.write(code, values, u)

    def _store(self, value: Value, address: Address, j: int) -> None:
        if self._remaining is not None and not self._schedule.lane_is_reduced:
            value = self._f.select(self._remaining, value, self._code.load(address, j))
        self._code.store(value, address, j)

    def _reduced(self) -> list[list[Accumulator]]:
        """The reductions of each result over the inner loops, one for each copy of the tile loop."""
        f, code, schedule = self._f, self._code, self._schedule
        slots = [
            (k, j, u)
            for k in range(len(self._combiners))
            for j in range(code.tiles)
            for u in range(schedule.copies)
        ]
        flat = self._inner_by_both_paths(slots) if self._tests_sums else self._inner_of(slots)
        totals: list[list[Accumulator]] = [[] for _ in self._combiners]
        at = 0
        for (k, _, u), size in zip(slots, self._sizes(slots), strict=True):
            total = flat[at : at + size]
            at += size
            if u == 0:
                totals[k].append(total)
            else:
                totals[k][-1] = reductions.merge(f, self._combiners[k], totals[k][-1], total)
        if schedule.lane_is_reduced:
            for k, combiner in enumerate(self._combiners):
                totals[k] = [reductions.across_lanes(f, combiner, t) for t in totals[k]]
        return totals

    def _width_of(self, k: int) -> int:
        """The width of the accumulators of a result.

        A value that does not differ between the lanes of the output is reduced once for all of them.
        """
        code = self._code
        if code.width == 1 or self._schedule.lane_is_reduced:
            return code.width
        return code.width if code.lane in self._body.dependences[self._body.yielded[k]] else 1

    @property
    def _tests_sums(self) -> bool:
        """Whether the fast path may make NaNs, and nothing else that is wrong, in reductions in registers."""
        fast, schedule = self._fast, self._schedule
        return fast is not None and not fast.conditions and schedule.outer < len(schedule.order)

    def _inner_of(self, slots: Sequence[tuple[int, int, int]]) -> list[Value]:
        """The reductions of all operands, in one list."""
        return self._inner(self._schedule.outer, self._initial_accumulators(slots), slots)

    def _inner_by_both_paths(self, slots: Sequence[tuple[int, int, int]]) -> list[Value]:
        """The same by the fast path, and again if it has made a NaN, which no sum or extremum loses."""
        f, work = self._f, self._f.work
        assert self._fast is not None
        with self._code.assuming({}, self._fast.products):
            fast = self._inner_of(slots)
        f.work = work
        with f.conditional(any_nan(f, fast), fast, unlikely=True) as otherwise:
            otherwise.give(*self._inner_of(slots))
        return otherwise.results

    def _inner(self, level: int, flat: list[Value], slots: Sequence[tuple[int, int, int]]) -> list[Value]:
        """The reduction loops from a level inwards, given and giving all accumulators in one list."""
        if level == len(self._schedule.order):
            return self._step(flat, slots)
        d = self._schedule.order[level]
        for segment in self._schedule.segments[d]:
            bounds = segment.lower, segment.upper
            trips = most_trips(trips_of(segment))
            if trips >= LONG and self._is_rounding:
                flat = self._in_blocks(level, segment, bounds, trips, flat, slots)
            else:
                flat = self._over(level, segment, bounds, known_trips(segment), flat, slots)
        return flat

    def _over(
        self,
        level: int,
        segment: Segment,
        bounds: tuple[Operand, Operand],
        at_most: int | None,
        flat: list[Value],
        slots: Sequence[tuple[int, int, int]],
    ) -> list[Value]:
        """One loop over a part of a segment, of so many trips at most; it is not empty unless that may be."""
        d = self._schedule.order[level]
        self._code.lanes_ahead(level, segment.width)
        with self._f.loop(
            *bounds,
            segment.step,
            carries=flat,
            name=f"r{d}",
            at_most=at_most,
            at_least=segment.least_trips,
        ) as loop:
            self._enter(level, segment, loop)
            loop.carry(*self._inner(level + 1, loop.carries, slots))
        return loop.results

    def _in_blocks(
        self,
        level: int,
        segment: Segment,
        bounds: tuple[Operand, Operand],
        trips: int,
        flat: list[Value],
        slots: Sequence[tuple[int, int, int]],
    ) -> list[Value]:
        """A long loop, block by block: each has accumulators of its own, which are then put together."""
        f, inside = self._f, block_of(trips)
        name = f"b{self._schedule.order[level]}"
        with in_blocks(f, bounds, segment.step * inside, name, flat) as (loop, end):
            own, initial = (loop.index, end), self._initial_accumulators(slots)
            if inside > RADIX:
                made = self._in_blocks(level, segment, own, inside, initial, slots)
            else:
                made = self._over(level, segment, own, inside, initial, slots)
            merged: list[Value] = []
            at = 0
            for (k, _, _), size in zip(slots, self._sizes(slots), strict=True):
                parts = loop.carries[at : at + size], made[at : at + size]
                merged += reductions.merge(f, self._combiners[k], *parts)
                at += size
            loop.carry(*merged)
        return loop.results

    @property
    def _is_rounding(self) -> bool:
        """Whether 32-bit floats are added or multiplied."""
        return any(
            c in ("add", "prod") and self._body.kind_of_yield(k) == "float"
            for k, c in enumerate(self._combiners)
        )

    def _sizes(self, slots: Sequence[tuple[int, int, int]]) -> list[int]:
        return [2 if self._combiners[k].startswith("arg") else 1 for k, _, _ in slots]

    def _initial_accumulators(self, slots: Sequence[tuple[int, int, int]]) -> list[Value]:
        flat: list[Value] = []
        for k, _, _ in slots:
            kind = self._body.kind_of_yield(k)
            flat += reductions.start(self._f, self._combiners[k], kind, self._width_of(k))
        return flat

    def _step(self, flat: list[Value], slots: Sequence[tuple[int, int, int]]) -> list[Value]:
        """One operand into every accumulator that has one in this block."""
        f, code = self._f, self._code
        self._both_paths()
        result = list(flat)
        sizes = self._sizes(slots)
        # Copy by copy: all that one of them computes is used up before the next one needs registers.
        for number in sorted(range(len(slots)), key=lambda number: slots[number][1:]):
            k, j, u = slots[number]
            combiner, size = self._combiners[k], sizes[number]
            at = sum(sizes[:number])
            total = flat[at : at + size]
            if u < code.unrolls:
                new = [code.get(self._body.yielded[k], j, u)]
                if size == 2:
                    new.append(code.index(len(self._body.extents) - 1, j, u))
                after = reductions.combine(f, combiner, total, new)
                entering = code.valid
                if entering is None and combiner not in IDEMPOTENT:
                    entering = self._remaining
                if entering is not None and self._schedule.lane_is_reduced:
                    after = [f.select(entering, a, b) for a, b in zip(after, total, strict=True)]
                result[at : at + size] = after
        return result
