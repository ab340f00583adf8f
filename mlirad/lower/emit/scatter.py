"""`kernel.scatter` as an LLVM function: a copy of the base, or zeros, then a sequential nest that updates it.

Iterations run in row-major order, so of several writes to one element the last wins. Lanes are used only
where they provably write to different elements: the position moves with the lane loop and with nothing else
that the lanes differ in. Sums over lanes that are not innermost are added in another order.
"""

from __future__ import annotations

from math import prod

from mlirad.dialects.kernel import ScatterOp
from mlirad.dialects.shapes import shape_of
from mlirad.lower.emit import segments
from mlirad.lower.emit.body import Address, Body
from mlirad.lower.emit.code import BodyCode
from mlirad.lower.emit.fills import copy, fill
from mlirad.lower.emit.kernels import Emitter, KernelText, begin_kernel, cost_of
from mlirad.lower.emit.reductions import combine
from mlirad.lower.emit.schedule import native_lanes
from mlirad.lower.emit.segments import Segment
from mlirad.lower.llvm_text import Value, constant


def emit_scatter(emitter: Emitter, op: ScatterOp) -> None:
    """Write the function of a scatter and the call of it."""
    output = emitter.buffers[op.result]
    if not output.size:
        return
    is_empty = not prod(op.extents)
    body = Body(op, emitter.buffers, [output])
    rank = len(shape_of(op.result))
    address = body.address(output, body.yielded[1 : 1 + rank])
    roots = [body.yielded[0], *body.yielded[1 + rank :]]
    needed = body.needed(roots, [address])
    read = [] if is_empty else [body.addresses[o].buffer for o in needed if o in body.addresses]
    base = None if op.from_zero is not None else emitter.buffers[op.inputs[0]]
    if base is not None:
        read.append(base)
    work = prod(op.extents) * (cost_of(needed) + 3) + output.size
    kernel = begin_kernel(emitter, op, op.kind.data, read, [output], work)
    if base is None:
        fill(kernel, output, constant(output.kind, 0))
    else:
        copy(kernel.f, kernel.pointers, base, output)
    if not is_empty:
        _ScatterCode(kernel, op, body, address, emitter.vector_bytes).write()
    kernel.f.ret()


class _ScatterCode:
    """Writes the loops of one scatter."""

    def __init__(self, kernel: KernelText, op: ScatterOp, body: Body, address: Address, vector_bytes: int):
        self._f = kernel.f
        self._address = address
        self._adds = op.kind.data == "add"
        self._value = body.yielded[0]
        guards = body.yielded[1 + len(address.buffer.shape) :]
        self._guard = guards[0] if guards else None
        self._order = [d for d, e in enumerate(body.extents) if e > 1]
        lane = None if op.lane is None else op.lane.value.data
        if lane not in self._order or not self._may_use(lane, body):
            lane = None
        self._segments = {d: segments.plain(body.extents[d]) for d in self._order}
        if lane is not None:
            native = native_lanes(body, lane, vector_bytes)
            asked = native if op.width is None else op.width.value.data
            width = segments.fitting_width(body.extents[lane], asked, native, masks=False)
            self._order.remove(lane)
            self._order.append(lane)
            self._segments[lane] = segments.output_lanes(
                body.extents[lane], width, native, may_repeat=False, compact=False
            )
        self._code = BodyCode(
            kernel.f,
            kernel.access,
            body,
            self._order,
            [self._value, *guards],
            [(address, len(self._order))],
            kernel.pointers,
            lane=lane,
        )
        self._fresh: Value | None = None

    def _may_use(self, lane: int, body: Body) -> bool:
        """Whether lanes write to different elements, in an order that does not matter."""
        moves = self._address.coefficient(lane) != 0
        is_alone = all(lane not in body.dependences[v] for v, _ in self._address.values)
        return moves and is_alone and (self._adds or lane == self._order[-1])

    def write(self, level: int = 0) -> None:
        """Write the loops from a level inwards."""
        if level == len(self._order):
            self._update()
            return
        d = self._order[level]
        for segment in self._segments[d]:
            with self._f.loop(segment.lower, segment.upper, segment.step, name=f"i{d}") as loop:
                self._enter(d, segment, loop.index)
                self._code.opened(level)
                self.write(level + 1)

    def _enter(self, d: int, segment: Segment, start: Value) -> None:
        self._code.start[d] = start
        if d == self._code.lane:
            self._code.width = segment.width
            self._fresh = segment.fresh_lanes

    def _update(self) -> None:
        """Add or set one element, or one vector of elements."""
        f, code = self._f, self._code
        value = code.get(self._value)
        guard = None if self._guard is None else code.get(self._guard)
        if guard is not None and guard.width == 1 and guard.literal is None:
            with f.conditional(guard):
                self._write(value, self._fresh)
            return
        if guard is None:
            guard = self._fresh
        elif self._fresh is not None:
            guard = f.and_(guard, self._fresh)
        if guard is None or guard.literal != 0:
            self._write(value, guard)

    def _write(self, value: Value, guard: Value | None) -> None:
        code = self._code
        if self._adds:
            value = combine(self._f, "add", [code.load(self._address, guard=guard)], [value])[0]
        code.store(value, self._address, guard=guard)
