"""`kernel.scatter` as an LLVM function: a copy of the base, or zeros, then a sequential nest that updates it.

Iterations run in row-major order, so of several writes to one element the last wins. Lanes are used only
where they provably write to different elements: the position moves with the lane loop and with nothing else
that the lanes differ in. Sums over lanes that are not innermost are added in another order.

A guard that rarely holds is evaluated for a vector of iterations; only those where it does are visited. Where
it is known to hold in one iteration at most, it is evaluated for that one:

    sums of [x[j] == m] * (100 + j)      107: it holds for j = 7 alone      211: for two or more
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from math import prod
from typing import Final

from mlirad.dialects.extents import at_most, divides, is_static, nominal
from mlirad.dialects.kernel import ScatterOp
from mlirad.dialects.kernel.schedules import Segment
from mlirad.dialects.shapes import Value as Ssa
from mlirad.dialects.shapes import shape_of
from mlirad.lower.bodies.body import Address, Body
from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.bodies.code import BodyCode
from mlirad.lower.bodies.reductions import combine
from mlirad.lower.bodies.segments import remaining_lanes
from mlirad.lower.cpu.emit.fills import copy, fill
from mlirad.lower.cpu.emit.kernels import KernelEmitter, KernelText, begin_kernel, stated_loops
from mlirad.lower.cpu.emit.partial_sums import LONG, PartialSums, in_blocks
from mlirad.lower.llvm.text import IRBuilder, Value, constant
from mlirad.lower.machine import instructions_of

LEAST_SEARCHED: Final = 8
MOST_SEARCHED: Final = 32
"""The guards that a search compares at a time."""

_MANY: Final = 64
"""Additions per element in a block, on average, beside which adding the block to the totals costs little."""


def emit_scatter(emitter: KernelEmitter, op: ScatterOp) -> None:
    """Write the function of a scatter and the call of it."""
    output = emitter.buffers[op.result]
    if at_most(output.size, 0):
        return
    is_empty = at_most(prod(op.extents), 0)
    body = Body(op, emitter.buffers, [output])
    rank = len(shape_of(op.result))
    address = body.address(output, body.yielded[1 : 1 + rank])
    roots = [body.yielded[0], *body.yielded[1 + rank :]]
    read = [] if is_empty else [a.buffer for a in body.loads(roots, [address])]
    base = None if op.from_zero is not None else emitter.buffers[op.inputs[0]]
    if base is not None:
        read.append(base)
    updates, elements = nominal(prod(op.extents)), nominal(output.size)
    work = updates * (instructions_of(body.needed(roots, [address])) + 3) + elements
    kernel = begin_kernel(emitter, op, op.kind.data, read, [output], work)
    if base is None:
        fill(kernel, output, constant(output.kind, 0))
    else:
        copy(kernel.f, kernel.pointers, base, output)
    if not is_empty:
        others = [b for b in read if base is None or b is not base]
        code = _ScatterCode(kernel, op, body, address)
        with _unless_empty(kernel.f, output.size):
            if updates >= LONG * elements and not any(b.overlaps(output) for b in others):
                code.write_in_blocks(output, keep=base is not None)
            else:
                code.write()
    kernel.f.ret()


@contextmanager
def _unless_empty(f: IRBuilder, size: int) -> Generator[None]:
    """Run the body where an array has elements: no position can be clamped to lie in an empty one."""
    if at_most(1, size):
        yield
        return
    with f.conditional(f.icmp("slt", f.value(0, "i64"), f.value(size, "i64"))):
        yield


class _ScatterCode:
    """Writes the loops of one scatter."""

    def __init__(self, kernel: KernelText, op: ScatterOp, body: Body, address: Address):
        self._f = kernel.f
        self._kernel = kernel
        self._extents = body.extents
        self._address = address
        self._adds = op.kind.data == "add"
        self._value = body.yielded[0]
        guards = body.yielded[1 + len(address.buffer.shape) :]
        self._guard = guards[0] if guards else None
        loops = stated_loops(op)
        self._order, self._segments, lane = loops.order, loops.segments, loops.lane
        self._search = _Search.of(kernel, body, self._order, lane, guards) if op.masked is not None else None
        if self._search is not None:
            self._guard = None
        roots = [self._value] if self._guard is None else [self._value, self._guard]
        addresses = [(address, len(self._order))]
        code = BodyCode(
            kernel.f, kernel.access, body, self._order, roots, addresses, kernel.pointers, lane=lane
        )
        self._code = code
        self._remaining: Value | None = None

    def write_in_blocks(self, output: Buffer, *, keep: bool) -> None:
        """Write the loops; 32-bit floats are summed block by block."""
        if not self._adds or self._search is not None or not self._order or not PartialSums.fit([output]):
            self.write()
            return
        d = self._order[0]
        iterations = max(nominal(segment.blocks) for segment in self._segments[d])
        around = max(1, nominal(prod(self._extents)) // iterations)
        block_iterations = max(1, _MANY * output.size // around)
        totals = PartialSums(self._kernel, [output], keep=keep)
        for segment in self._segments[d]:
            bounds = segment.lower, segment.upper
            with in_blocks(self._f, bounds, block_iterations * segment.step, f"b{d}") as (block, end):
                with self._f.loop(
                    block.index, end, segment.step, name=f"i{d}", at_most=block_iterations, at_least=1
                ) as loop:
                    self._enter(d, segment, loop.index)
                    self._code.opened(0)
                    self.write(1)
                totals.flush()
        totals.finish()

    def write(self, level: int = 0) -> None:
        """Write the loops from a level inwards."""
        if level == len(self._order):
            self._update()
            return
        d = self._order[level]
        if self._search is not None and level == self._search.level:
            self._search.visit(partial(self._visit, level))
            return
        for segment in self._segments[d]:
            self._code.lanes_ahead(level, segment.width)
            with self._f.loop(segment.lower, segment.upper, segment.step, name=f"i{d}") as loop:
                self._enter(d, segment, loop.index)
                self._code.opened(level)
                if self._search is not None and level < self._search.level:
                    self._search.enter(level, loop.index)
                self.write(level + 1)

    def _visit(self, level: int, index: Value) -> None:
        """Write an iteration of the loop of a level, which has been found."""
        self._code.start[self._order[level]] = index
        self._code.opened(level)
        self.write(level + 1)

    def _enter(self, d: int, segment: Segment, start: Value) -> None:
        self._code.start[d] = start
        if d == self._code.lane:
            self._code.width = segment.width
            self._remaining = remaining_lanes(self._f, segment)

    def _update(self) -> None:
        """Add or set one element, or one vector of elements."""
        f, code = self._f, self._code
        value = code.get(self._value)
        guard = None if self._guard is None else code.get(self._guard)
        if guard is not None and guard.width == 1 and guard.literal is None:
            with f.conditional(guard):
                self._write(value, self._remaining)
            return
        if guard is None:
            guard = self._remaining
        elif self._remaining is not None:
            guard = f.and_(guard, self._remaining)
        if guard is None or guard.literal != 0:
            self._write(value, guard)

    def _write(self, value: Value, guard: Value | None) -> None:
        code = self._code
        if self._adds:
            value = combine(self._f, "add", [code.load(self._address, guard=guard)], [value])[0]
        code.store(value, self._address, guard=guard)


class _Search:
    """Looks for the iterations of a loop whose guard holds: a vector of guards at a time, then bit by bit."""

    def __init__(self, f: IRBuilder, code: BodyCode, guard: Ssa, sole: Ssa | None, level: int, extent: int):
        self.level = level
        self._f = f
        self._code = code
        self._guard = guard
        self._sole = sole
        self._extent = extent
        is_long = sole is None and at_most(MOST_SEARCHED, extent)
        self._width = MOST_SEARCHED if is_long else LEAST_SEARCHED
        self._bits = f.alloca("i64", 1, 8)

    @staticmethod
    def of(
        kernel: KernelText, body: Body, order: Sequence[int], lane: int | None, guards: Sequence[Ssa]
    ) -> _Search | None:
        """A search along the innermost loop that the guard depends on, if that is long enough."""
        if not guards:
            return None
        level = max((k for k, d in enumerate(order) if d in body.dependences[guards[0]]), default=None)
        if level is None or order[level] == lane or not at_most(LEAST_SEARCHED, body.extents[order[level]]):
            return None
        outer, d = order[: level + 1], order[level]
        guard, *told = [v for v in guards if v is guards[0] or body.dependences[v] <= set(order[:level])]
        roots = [guard, *told]
        code = BodyCode(kernel.f, kernel.access, body, outer, roots, [], kernel.pointers, lane=d)
        return _Search(kernel.f, code, guard, next(iter(told), None), level, body.extents[d])

    def enter(self, level: int, index: Value) -> None:
        """Enter a loop around that of the search."""
        self._code.start[self._code.order[level]] = index
        self._code.opened(level)

    def visit(self, write: Callable[[Value], None]) -> None:
        """Write what is done for the index of each iteration whose guard holds, in order."""
        if self._sole is None:
            self._visit_all(write)
            return
        f, sole = self._f, self._code.get(self._sole)
        is_known = f.icmp("ult", sole, self._extent)
        f.run_either(is_known, partial(self._visit_one, sole, write), partial(self._visit_all, write))

    def _visit_one(self, index: Value, write: Callable[[Value], None]) -> None:
        """The only iteration that may be found."""
        code = self._code
        code.start[code.order[self.level]] = index
        code.width = 1
        code.opened(self.level)
        with self._f.conditional(code.get(self._guard)):
            write(index)

    def _visit_all(self, write: Callable[[Value], None]) -> None:
        f, code, width = self._f, self._code, self._width
        most = -(-self._extent // width)
        with f.loop(0, self._extent, width, name="found", at_most=most if is_static(most) else None) as loop:
            start = loop.index
            if not divides(width, self._extent):
                start = f.intrinsic("umin", start, self._extent - width)
            code.start[code.order[self.level]] = start
            code.width = width
            code.opened(self.level)
            bits = self._as_bits(f.widen(code.get(self._guard), width))
            # The last block overlaps the one before.
            bits = f.and_(bits, f.shl(-1, f.sub(loop.index, start)))
            f.store(bits, self._bits)
            with f.repeat(lambda: f.icmp("ne", f.load(self._bits, "i64"), 0), at_most=width):
                left = f.load(self._bits, "i64")
                f.store(f.and_(left, f.sub(left, 1)), self._bits)
                write(f.add(start, f.cttz(left)))

    def _as_bits(self, mask: Value) -> Value:
        f = self._f
        kind = f"i{mask.width}"
        narrow = f.pure(f"bitcast {mask.typed} to {kind}", "i32" if mask.width == 32 else "i8")
        return f.zext(narrow, "i64")
