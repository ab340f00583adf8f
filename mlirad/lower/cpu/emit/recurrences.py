"""`kernel.recurrence` as an LLVM function: all iterations of one block of elements, then of the next block.

    for o in 0, 16, ..., 240:
      a = load init[o + <0 ... 15>]
      for k in 0 ... 128:                  a is a phi: the carries of a block stay in registers
        store a in powers[k, o + ...]
        a = body(o + ..., k, a)
      store a

Values that depend on the element alone are computed before the iterations. A last block overlaps the one
before: as results share no memory with what is read, elements may be computed twice.
"""

from __future__ import annotations

from math import prod

from mlirad.dialects.extents import at_most, nominal
from mlirad.dialects.kernel import RecurrenceOp
from mlirad.dialects.kernel.schedules import CutLoops
from mlirad.dialects.shapes import values_of
from mlirad.lower.bodies.assumptions import Assumptions
from mlirad.lower.bodies.body import Address, Body
from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.bodies.code import BodyCode
from mlirad.lower.cpu.emit.fast_path import write_both_paths
from mlirad.lower.cpu.emit.kernels import (
    KernelEmitter,
    KernelText,
    begin_kernel,
    stated_fast_path,
    stated_loops,
)
from mlirad.lower.cpu.emit.output_loops import OutputLoops, tasks_of
from mlirad.lower.cpu.emit.parallel import Tasks
from mlirad.lower.large_sizes import is_loop
from mlirad.lower.machine import instructions_of


def emit_recurrence(emitter: KernelEmitter, op: RecurrenceOp) -> None:
    """Write the function of a recurrence and the call of it; nothing if it has no elements."""
    if at_most(prod(values_of(op.space)), 0):
        return
    outputs = [emitter.buffers[r] for r in op.roots]
    body = Body(op, emitter.buffers, outputs)
    initial = [emitter.buffers[v] for v in op.init]
    read = [*initial, *(address.buffer for address in body.loads())]
    work = nominal(prod(op.extents)) * (instructions_of(body.needed(body.yielded)) + len(op.stacked))
    around = stated_loops(op)
    tasks = tasks_of(op, around)
    kernel = begin_kernel(emitter, op, "recurrence", read, outputs, work, tasks)
    loops = op.around_iterations(around)
    fast = stated_fast_path(emitter, op, body, loops)
    _RecurrenceCode(kernel, op, body, initial, loops, fast, tasks).write()


class _RecurrenceCode(OutputLoops):
    """Writes the loops of one recurrence."""

    def __init__(
        self,
        kernel: KernelText,
        op: RecurrenceOp,
        body: Body,
        initial: list[Buffer],
        loops: CutLoops,
        fast: Assumptions | None,
        tasks: Tasks | None,
    ):
        self._fast = fast
        self._op = op
        self._body = body
        space = values_of(op.space)
        count = op.carry_count
        self._initial = [
            body.own_addresses(b, space)[0] if b.shape == space else Address(b, (), (), 0) for b in initial
        ]
        self._final = [body.own_addresses(b, space)[0] for b in body.result_buffers[:count]]
        self._stacked = [_row_address(body, b) for b in body.result_buffers[count:]]
        level = loops.outer - 1
        used = [(a, level) for a in (*self._initial, *self._final)]
        used += [(a, len(loops.order) - 1) for a in self._stacked]
        code = BodyCode(
            kernel.f,
            kernel.access,
            body,
            loops.order,
            body.yielded,
            used,
            kernel.pointers,
            lane=loops.lane,
        )
        super().__init__(kernel, loops, code, tasks)

    def write(self) -> None:
        """Write everything up to the return."""
        self._outer(0)
        self._f.ret()

    def _point(self) -> None:
        op, f, code = self._op, self._f, self._code
        carries = [f.widen(code.load(a), code.width) for a in self._initial]
        loop_of_iterations = len(op.extents) - 1
        with f.loop(0, op.iterations, carries=carries, name="t") as loop:
            code.start[loop_of_iterations] = (
                loop.index if op.reverse is None else f.sub(op.iterations - 1, loop.index)
            )
            if is_loop(op.iterations):
                code.opened(self._loops.outer)
            for argument, value in zip(op.carried, loop.carries, strict=True):
                code.set(argument, value)
            if self._fast is not None and code.width == self._loops.width:
                write_both_paths(self._fast, code, code.computed(self._body.yielded), 0)
            made = [code.get(value) for value in self._body.yielded]
            for value, address in zip(made[op.carry_count :], self._stacked, strict=True):
                code.store(value, address)
            loop.carry(*(f.widen(value, code.width) for value in made[: op.carry_count]))
        for value, address in zip(loop.results, self._final, strict=True):
            code.store(value, address)


def _row_address(body: Body, buffer: Buffer) -> Address:
    """The address of an element of a stacked result, whose first dimension is the loop of the iterations."""
    steps = [*enumerate(buffer.strides[1:]), (len(buffer.shape) - 1, buffer.strides[0])]
    return Address(buffer, tuple((d, s) for d, s in steps if is_loop(body.extents[d])), (), 0)
