"""The reduction loops of a nest at one point of its output, whose sums are kept in registers.

    total = <8 x double> -0.0
    for r in 0 ... 8: total += body(o + <0 ... 7>, r)

An accumulator stands for a result, a copy of the tile loop, and a copy of the loop that is unrolled so that
several additions are under way.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from mlirad.dialects.array.reductions import IDEMPOTENT
from mlirad.dialects.kernel.schedules import CutLoops, Segment
from mlirad.lower.bodies import reductions
from mlirad.lower.bodies.assumptions import Assumptions
from mlirad.lower.bodies.body import Body
from mlirad.lower.bodies.code import BodyCode
from mlirad.lower.bodies.reductions import Accumulator
from mlirad.lower.cpu.emit.kernels import KernelText
from mlirad.lower.cpu.emit.output_loops import OutputLoops
from mlirad.lower.cpu.emit.parallel import Tasks
from mlirad.lower.cpu.emit.partial_sums import LONG, RADIX, block_of, in_blocks, most_iterations
from mlirad.lower.llvm.text import Operand, Value


class ReductionLoops(OutputLoops, ABC):
    """Writes the loops over the output, and at a point of it those of the reductions.

    `combiners` has one for each value that the body yields.
    """

    def __init__(
        self,
        kernel: KernelText,
        loops: CutLoops,
        code: BodyCode,
        body: Body,
        combiners: Sequence[str],
        fast: Assumptions | None,
        tasks: Tasks | None,
        bounds: Sequence[tuple[int, int, int]],
    ):
        super().__init__(kernel, loops, code, tasks, bounds)
        self._body = body
        self._combiners = combiners
        self._fast = fast

    def _reduced(self) -> list[list[Accumulator]]:
        """The reductions of each result over the inner loops, one for each copy of the tile loop."""
        f, code, loops = self._f, self._code, self._loops
        slots = [
            (k, j, u)
            for k in range(len(self._combiners))
            for j in range(code.tiles)
            for u in range(loops.accumulators)
        ]
        if self._fast is not None and self._fast.tests_totals:
            flat = self._by_both_paths(slots, self._fast)
        else:
            flat = self._of_all_operands(slots)
        totals: list[list[Accumulator]] = [[] for _ in self._combiners]
        at = 0
        for (k, _, u), size in zip(slots, self._sizes(slots), strict=True):
            total = flat[at : at + size]
            at += size
            if u == 0:
                totals[k].append(total)
            else:
                totals[k][-1] = reductions.merge(f, self._combiners[k], totals[k][-1], total)
        if loops.lane_is_reduced:
            for k, combiner in enumerate(self._combiners):
                totals[k] = [reductions.across_lanes(f, combiner, t) for t in totals[k]]
        return totals

    def _width_of(self, k: int) -> int:
        """The width of the accumulators of a result.

        A value that does not differ between the lanes of the output is reduced once for all of them.
        """
        code = self._code
        if code.width == 1 or self._loops.lane_is_reduced:
            return code.width
        return code.width if code.lane in self._body.dependences[self._body.yielded[k]] else 1

    def _of_all_operands(self, slots: Sequence[tuple[int, int, int]]) -> list[Value]:
        """The accumulators of all operands, in one list."""
        return self._inner(self._loops.outer, self._initial_accumulators(slots), slots)

    def _by_both_paths(self, slots: Sequence[tuple[int, int, int]], fast: Assumptions) -> list[Value]:
        """The same by the fast path, and again if it has made a NaN, which no sum or extremum loses."""
        from mlirad.lower.cpu.emit.fast_path import any_nan

        f, work = self._f, self._f.work
        with self._code.assuming({}, fast.products):
            found = self._of_all_operands(slots)
        f.work = work
        with f.conditional(any_nan(f, found), found, unlikely=True) as otherwise:
            otherwise.give(*self._of_all_operands(slots))
        return otherwise.results

    def _inner(self, level: int, flat: list[Value], slots: Sequence[tuple[int, int, int]]) -> list[Value]:
        """The reduction loops from a level inwards, given and giving all accumulators in one list."""
        if level == len(self._loops.order):
            return self._step(flat, slots)
        d = self._loops.order[level]
        for segment in self._loops.segments[d]:
            bounds = segment.lower, segment.upper
            iterations = most_iterations(segment.blocks)
            if iterations >= LONG and self._is_rounding:
                flat = self._in_blocks(level, segment, bounds, iterations, flat, slots)
            else:
                flat = self._over(level, segment, bounds, segment.known_blocks, flat, slots)
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
        """One loop over a part of a segment, of a given number of iterations at most; it is not empty unless
        that may be.
        """
        d = self._loops.order[level]
        self._code.lanes_ahead(level, segment.width)
        with self._f.loop(
            *bounds,
            segment.step,
            carries=flat,
            name=f"r{d}",
            at_most=at_most,
            at_least=segment.least_blocks,
        ) as loop:
            self._enter(level, segment, loop)
            loop.carry(*self._inner(level + 1, loop.carries, slots))
        return loop.results

    def _in_blocks(
        self,
        level: int,
        segment: Segment,
        bounds: tuple[Operand, Operand],
        iterations: int,
        flat: list[Value],
        slots: Sequence[tuple[int, int, int]],
    ) -> list[Value]:
        """A long loop, block by block: each has accumulators of its own, which are then put together."""
        f, inside = self._f, block_of(iterations)
        name = f"b{self._loops.order[level]}"
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
        """Return whether 32-bit floats are added or multiplied."""
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
                if entering is not None and self._loops.lane_is_reduced:
                    after = [f.select(entering, a, b) for a, b in zip(after, total, strict=True)]
                result[at : at + size] = after
        return result

    def _both_paths(self) -> None:
        """Compute what the body yields by the fast path, if there is one and this is no narrow last block."""
        code, fast = self._code, self._fast
        if fast is not None and not fast.tests_totals and code.width == self._loops.width:
            from mlirad.lower.cpu.emit.fast_path import write_both_paths

            values = code.computed(self._body.yielded)
            for u in range(code.unrolls):
                write_both_paths(fast, code, values, u)
