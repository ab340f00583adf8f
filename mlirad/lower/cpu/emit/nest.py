"""`kernel.nest` as an LLVM function.

The loops run in the order of the schedule, which ends in reduction loops, if there are any: their sums are
kept in registers. Where reduction loops stand outside loops of the output, results are started in memory and
every pass adds to them.

    space [100], reduction [8], lane 0, width 8

    for o in 0, 8, ..., 88, 92: (the last block overlaps)
      total = sum of body(o + <0 ... 7>, r) for r in 0 ... 8      (`reduction_loops.py`)
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
from mlirad.dialects.kernel.schedules import CutLoops, number_of
from mlirad.dialects.shapes import values_of
from mlirad.ir.builder import yields
from mlirad.lower.bodies import reductions
from mlirad.lower.bodies.assumptions import Assumptions
from mlirad.lower.bodies.body import Address, Body
from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.bodies.code import BodyCode
from mlirad.lower.bodies.reductions import Accumulator
from mlirad.lower.cpu.emit.fills import copy, fill
from mlirad.lower.cpu.emit.kernels import (
    KernelEmitter,
    KernelText,
    begin_kernel,
    stated_fast_path,
    stated_loops,
)
from mlirad.lower.cpu.emit.output_loops import tasks_of
from mlirad.lower.cpu.emit.parallel import Tasks
from mlirad.lower.cpu.emit.partial_sums import LONG, RADIX, PartialSums, in_blocks
from mlirad.lower.cpu.emit.reduction_loops import ReductionLoops
from mlirad.lower.llvm.text import Value, constant
from mlirad.lower.machine import instructions_of


def emit_nest(emitter: KernelEmitter, op: NestOp) -> None:
    """Write the function of a nest and the call of it; nothing if no element is to be computed."""
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
    read = [address.buffer for address in body.loads()]
    work = nominal(prod(op.extents)) * (instructions_of(body.needed(body.yielded)) + len(outputs))
    in_place = any(a.overlaps(b) for a in outputs for b in read)
    loops = stated_loops(op)
    tasks = tasks_of(op, loops)
    kernel = begin_kernel(emitter, op, what, read, outputs, work, tasks)
    # The first rows of an array have its strides, and are not all of it.
    is_copy = not in_place and [(b.shape, b.strides) for b in copied] == [
        (b.shape, b.strides) for b in outputs
    ]
    if tasks is None and (is_copy or _is_zero(op)):
        for k, output in enumerate(outputs):
            if is_copy:
                copy(kernel.f, kernel.pointers, copied[k], output)
            else:
                fill(kernel, output, constant(output.kind, 0))
        kernel.f.ret()
        return
    fast = stated_fast_path(emitter, op, body, loops, reduces=bool(combiners))
    _NestCode(kernel, op, body, combiners, outputs, loops, fast, tasks).write()


def _are_same(a: Buffer, b: Buffer) -> bool:
    """Return whether two buffers are the same elements of memory in the same order, whatever their shapes."""
    in_order = a.strides == b.strides if a.shape == b.shape else a.is_row_major and b.is_row_major
    return a.place == b.place and a.kind == b.kind and a.size == b.size and in_order


def _is_zero(op: NestOp) -> bool:
    """Return whether all that a nest stores is 0 with all bits 0."""
    return op.combiners is None and all(
        isinstance(v.owner, ConstantOp) and not any(literal_array(v.owner).tobytes()) for v in yields(op.body)
    )


def _memory_identity(combiner: str, output: Buffer) -> Value:
    return reductions.identity(combiner, output.kind, of_memory=True)


class _NestCode(ReductionLoops):
    """Writes the loops of one nest."""

    def __init__(
        self,
        kernel: KernelText,
        op: NestOp,
        body: Body,
        combiners: Sequence[str],
        outputs: Sequence[Buffer],
        loops: CutLoops,
        fast: Assumptions | None,
        tasks: Tasks | None,
    ):
        self._of_results = combiners
        self._prefetch = number_of(op.prefetch)
        prefetches = op.prefetch is not None and loops.lane_is_innermost
        self._passing = body.passing(loops.lane) if prefetches else ()
        self._outputs = outputs
        space = values_of(op.space)
        self._rank = len(space)
        elements = [body.own_addresses(b, space) for b in outputs]
        self._results = [address for addresses in elements for address in addresses]
        yielded = [c for c, a in zip(combiners, elements, strict=False) for _ in a]
        level = loops.outer - 1
        code = BodyCode(
            kernel.f,
            kernel.access,
            body,
            loops.order,
            body.yielded,
            [(a, level) for a in self._results],
            kernel.pointers,
            lane=loops.lane,
            tile=loops.tile,
            unroll=loops.unroll,
        )
        if loops.lane_is_reduced:
            code.width = loops.width
        super().__init__(kernel, loops, code, body, yielded, fast, tasks, op.bounds)

    def write(self) -> None:
        """Write everything up to the return."""
        if self._loops.in_memory:
            for combiner, output in zip(self._of_results, self._outputs, strict=True):
                fill(self._kernel, output, _memory_identity(combiner, output))
        if self._is_long_in_memory:
            self._outer_in_blocks()
        else:
            self._outer(0)
        self._f.ret()

    @property
    def _is_long_in_memory(self) -> bool:
        """Return whether many floats of 32 bits are added to each sum in memory."""
        loops, extents = self._loops, self._body.extents
        if not loops.in_memory or loops.order[0] < self._rank:
            return False
        additions = prod(extents[d] for d in loops.order[: loops.outer] if d >= self._rank)
        return nominal(additions) >= LONG and PartialSums.fit(self._sums)

    @property
    def _sums(self) -> list[Buffer]:
        return [b for c, b in zip(self._of_results, self._outputs, strict=True) if c == "add"]

    def _outer_in_blocks(self) -> None:
        """The loops around a store, the first one, which is a reduction, block by block."""
        d = self._loops.order[0]
        totals = PartialSums(self._kernel, self._sums, keep=False)
        for segment in self._loops.segments[d]:
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
            if self._prefetch is not None and code.width > 1:
                from mlirad.lower.cpu.emit.prefetches import prefetch

                for addresses, writes in zip(self._passing, (False, True), strict=True):
                    prefetch(code, addresses, self._prefetch, writes=writes)
            self._both_paths()
            # All values first: a result may lie where another one reads.
            values = [[code.get(value, j) for value in self._body.yielded] for j in range(code.tiles)]
            for k, address in enumerate(self._results):
                own = [copy_of_tile[k] for copy_of_tile in values]
                if self._stores_squares(address):
                    code.store_square(own, address)
                    continue
                for j, value in enumerate(own):
                    self._store(value, address, j)
            return
        totals = self._reduced()
        for j in range(code.tiles):
            for k, combiner in enumerate(self._combiners):
                total = totals[k][j]
                address = self._results[k]
                if self._loops.in_memory:
                    before = code.load(address, j)
                    total = reductions.merge(self._f, combiner, [before], total)
                self._store(self._of_all(combiner, total)[-1], address, j)

    def _stores_squares(self, address: Address) -> bool:
        """Return whether the copies of a tile are as many as lanes, and neighbours in memory, as lanes are
        not: transposed in registers they are stored as vectors.
        """
        code, step = self._code, address.coefficient(self._code.lane)
        return (
            code.width > 1
            and code.tiles == code.width
            and address.coefficient(code.tile) == 1 != step
            and not address.values
            and self._remaining is None
            and code.valid is None
        )

    def _of_all(self, combiner: str, total: Accumulator) -> Accumulator:
        """The total, and 0 instead of the -0.0 that a sum in registers starts at where it has no operands."""
        operands = prod(self._body.extents[self._rank :])
        if at_most(1, operands) or combiner != "add" or not total[0].is_float:
            return total
        is_empty = self._f.icmp("eq", self._f.value(operands, "i64"), 0)
        return [self._f.select(is_empty, constant(total[0].kind, 0), total[0])]

    def _store(self, value: Value, address: Address, j: int) -> None:
        if self._remaining is not None and not self._loops.lane_is_reduced:
            value = self._f.select(self._remaining, value, self._code.load(address, j))
        self._code.store(value, address, j)
