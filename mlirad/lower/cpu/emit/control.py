"""Loops and branches as control flow of `mlirad_main`.

Carries lie in memory: a carry that is updated in place has one address, one with scratch memory alternates
between two, and a scalar has a stack slot, which LLVM turns into a register. Slices are addresses inside the
stacked arrays.

A slot is not a place that other code can name, so a scalar carry stays in its register while the loop stores
elsewhere. Kept in the arena it would go through memory in every iteration, some ten cycles.

    scan of length n     t = 0 ... n - 1; the turns are arranged so that the last iteration writes the result
    while, replay        if the last iteration wrote the scratch memory, it is copied to the result once
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.extents import at_most, is_static, nominal
from mlirad.dialects.kernel.plans import COPIED, IN_PLACE, stated_carries
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import Value as Ssa
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies.buffers import Buffer, MemorySlot
from mlirad.lower.cpu.emit.addresses import ValueAddresses, in_arena
from mlirad.lower.cpu.emit.fetch_records import fetch_records
from mlirad.lower.cpu.emit.kernels import KernelEmitter
from mlirad.lower.cpu.emit.loop_tasks import LoopTasks
from mlirad.lower.cpu.emit.tapes import Reading
from mlirad.lower.kernels.plan_memory.carries import body_of, carry_arguments, initial_carries
from mlirad.lower.llvm.text import BYTES, Value
from mlirad.lower.llvm.text.polling import ASSUMED_ITERATIONS


class ControlEmitter:
    """Writes the loops and branches of a function, whose blocks `write_block` writes.

    `within` makes another writer for a function in which values have other addresses: a task.
    """

    def __init__(
        self,
        emitter: KernelEmitter,
        at: ValueAddresses,
        write_block: Callable[[Block], None],
        within: Callable[[ValueAddresses], ControlEmitter],
    ) -> None:
        self._emitter = emitter
        self._at = at
        self._write_block = write_block
        self._within = within

    def write(self, op: Operation) -> None:
        """Write a loop or branch."""
        at = self._at
        for result in op.results:
            if result in at.memory.buffers:
                at.pointer(result)
        match op:
            case control.ScanOp():
                self._write_scan(op)
            case StripsOp():
                self._write_strips(op)
            case control.WhileOp():
                self._write_while(op)
            case control.ReplayOp():
                self._write_replay(op)
            case control.IfOp():
                condition = at.f.load(at.pointer(op.condition), "i1")
                at.f.run_either(condition, self._writer(op.then), self._writer(op.otherwise))
            case control.SwitchOp():
                index = at.f.load(at.pointer(op.index), "i64")
                index = at.f.intrinsic("smax", index, 0)
                at.f.choose(index, [self._writer(region) for region in op.branches])
            case _:
                raise AssertionError(op.name)

    def _writer(self, region: Region) -> Callable[[], None]:
        return lambda: self._write_block(region.block)

    def _write_scan(self, op: control.ScanOp) -> None:
        carries = _Carries(self._at, op)
        carries.begin(op.iterations)
        if not at_most(op.iterations, 0):
            self._write_iterations(op, carries)
            carries.end()
            return
        for carry in carries.carries:
            self._at.copy(carry.init, carry.result)

    def _write_scan_iteration(self, op: control.ScanOp, carries: _Carries, iteration: Value) -> None:
        at, f = self._at, self._at.f
        block = op.body.block
        index, slices = block.args[0], block.args[1 + op.carry_count :]
        handed = at.memory.yields[op.body][op.carry_count :]
        i = f.sub(op.iterations - 1, iteration) if op.reverse is not None else iteration
        f.store(i, at.pointer(index))
        carries.enter()
        for x, piece in zip(op.xs, slices, strict=True):
            _point_at_slice(at, at.buffer(piece).place, x, i)
        for y, place in zip(op.stacked, handed, strict=True):
            _point_at_slice(at, place, y, i)
        fetch_records(at, op, i)
        self._write_block(block)
        carries.leave()

    def _write_strips(self, op: StripsOp) -> None:
        carries = _Carries(self._at, op)
        carries.begin(op.iterations)
        self._write_iterations(op, carries)
        carries.end()

    def _write_strip(self, op: StripsOp, carries: _Carries, iteration: Value) -> None:
        at, f = self._at, self._at.f
        block = op.body.block
        handed = at.memory.yields[op.body][op.carry_count :]
        wanted = f.mul(iteration, op.strip_rows)
        start = f.intrinsic("umin", wanted, op.rows - op.strip_rows)
        f.store(start, at.pointer(block.args[0]))
        f.store(f.sub(wanted, start), at.pointer(block.args[1]))
        carries.enter()
        given = _handed_over(op, op.carry_count)
        joined = len(op.joined)
        for y, place, value in zip(op.joined, handed[:joined], given[:joined], strict=True):
            row_bytes = at.buffer(value).nbytes // op.strip_rows
            at.pointers[place] = f.gep(at.pointer(y), f.mul(start, row_bytes), "i8")
        for y, place in zip(op.stacked, handed[joined:], strict=True):
            _point_at_slice(at, place, y, iteration)
        self._write_block(block)
        carries.leave()

    def _write_iterations(self, op: control.ScanOp | StripsOp, carries: _Carries) -> None:
        """Write the iterations of a loop of a known number of them, as a loop or as tasks of several each."""
        tasks = LoopTasks.of(op, self._at.memory)
        with self._emitter.repeated(nominal(op.iterations)):
            if tasks is None:
                with self._at.f.loop(0, op.iterations, name="t") as loop:
                    self.write_iteration(op, carries, loop.index)
                return
            with self._emitter.shared(tasks.tasks), tasks.written(self._at) as (at, lower, upper):
                inside = self._within(at)
                with at.f.loop(lower, upper, name="t", at_most=tasks.most_iterations, at_least=1) as loop:
                    inside.write_iteration(op, _Carries(at, op), loop.index)

    def write_iteration(self, op: control.ScanOp | StripsOp, carries: _Carries, iteration: Value) -> None:
        """Write one iteration."""
        if isinstance(op, StripsOp):
            self._write_strip(op, carries, iteration)
        else:
            self._write_scan_iteration(op, carries, iteration)

    def _write_while(self, op: control.WhileOp) -> None:
        at, f = self._at, self._at.f
        carries = _Carries(at, op)
        carries.begin()
        (decided,) = at.memory.yields[op.condition]
        at.pointers[decided] = at.slot("i1")
        tape = None if op.tape is None else at.tape(op.tape)
        if tape is not None:
            tape.clear(f)

        def condition() -> Value:
            carries.enter()
            for argument, carry in zip(op.condition.block.args, carries.carries, strict=True):
                at.pointers[at.buffer(argument).place] = at.pointers[carry.argument.place]
            self._write_block(op.condition.block)
            return f.load(at.pointers[decided], "i1")

        with self._emitter.repeated(ASSUMED_ITERATIONS), f.repeat(condition):
            if tape is not None:
                recorded = at.memory.yields[op.body][len(carries.carries) :]
                at.pointers.update(zip(recorded, tape.push(f), strict=True))
            self._write_block(op.body.block)
            carries.leave()
        carries.end()

    def _write_replay(self, op: control.ReplayOp) -> None:
        at = self._at
        carries = _Carries(at, op)
        carries.begin()
        tape = at.tape(op.tape)
        reading = Reading(at.f, tape, reverse=op.reverse is not None)
        with self._emitter.repeated(ASSUMED_ITERATIONS), at.f.repeat(reading.has_more):
            for argument, address in zip(op.body.block.args, reading.entry(), strict=False):
                at.pointers[at.buffer(argument).place] = address
            carries.enter()
            self._write_block(op.body.block)
            carries.leave()
        carries.end()


def _handed_over(op: Operation, start: int) -> list[Ssa]:
    """Return what the body of a loop yields after its carries."""
    last = body_of(op).block.last_op
    assert last is not None
    return list(last.operands[start:])


def _point_at_slice(at: ValueAddresses, place: MemorySlot, whole: Ssa, i: Value) -> None:
    """Let a place be slice i of an array."""
    buffer = at.buffer(whole)
    offset = at.f.mul(i, buffer.strides[0] * BYTES[buffer.kind])
    at.pointers[place] = at.f.gep(at.pointer(whole), offset, "i8")


@dataclass
class _Carry:
    """One carry of a loop: its initial value, its argument, its result, how it is kept.

    With scratch memory, `current` holds the address of the present value, `following` that of the next and
    `other` that of the memory whose turn comes after it.
    """

    init: Buffer
    argument: Buffer
    following_place: MemorySlot
    yielded: Buffer
    result: Buffer
    mode: int
    turns: tuple[Value, Value, Value] | None = None


class _Carries:
    """The carries of one loop."""

    def __init__(self, at: ValueAddresses, op: Operation):
        self.at = at
        self._iterations: int | None = None
        body = body_of(op)
        last = body.block.last_op
        assert last is not None
        self.carries = [
            _Carry(
                at.buffer(init),
                at.buffer(argument),
                at.memory.yields[body][k],
                at.buffer(last.operands[k]),
                at.buffer(result),
                mode,
            )
            for k, (init, argument, result, mode) in enumerate(
                zip(
                    initial_carries(op),
                    carry_arguments(op),
                    op.results,
                    stated_carries(op) or (),
                    strict=False,
                )
            )
        ]

    def begin(self, iterations: int | None = None) -> None:
        """Before the loop, of a given number of iterations if that is known: put initial values where the
        first iteration finds them, and arrange turns so that the last of these iterations writes the result.
        """
        self._iterations = iterations
        at, f = self.at, self.at.f
        for carry in self.carries:
            home = at.pointers[carry.result.place]
            if carry.mode == COPIED:
                at.pointers[carry.argument.place] = at.slot(carry.argument.kind)
                at.copy(carry.init, carry.argument)
                continue
            if carry.mode == IN_PLACE:
                at.copy(carry.init, carry.result)
                at.pointers[carry.argument.place] = home
                continue
            spare = in_arena(f, at.arena, carry.mode)
            slots = f.alloca("ptr", 1, 8), f.alloca("ptr", 1, 8), f.alloca("ptr", 1, 8)
            first, second = home, spare
            if iterations is not None and not is_static(iterations):
                is_odd = f.icmp("ne", f.and_(f.value(iterations, "i64"), 1), 0)
                first, second = f.select(is_odd, home, spare), f.select(is_odd, spare, home)
            elif iterations is not None and iterations % 2 == 0:
                first, second = spare, home
            for slot, pointer in zip(slots, (at.pointers[carry.init.place], first, second), strict=True):
                f.store(pointer, slot)
            carry.turns = slots

    def enter(self) -> None:
        """At the start of an iteration: find the carries."""
        at, f = self.at, self.at.f
        for carry in self.carries:
            if carry.turns is not None:
                current, following, _ = carry.turns
                at.pointers[carry.argument.place] = f.load(current, "ptr")
                at.pointers[carry.following_place] = f.load(following, "ptr")

    def leave(self) -> None:
        """At the end of an iteration: make the new carries the present ones."""
        at, f = self.at, self.at.f
        for carry in self.carries:
            if carry.mode == COPIED:
                at.copy(carry.yielded, carry.argument)
            if carry.turns is not None:
                current, following, other = carry.turns
                written, next_one = f.load(following, "ptr"), f.load(other, "ptr")
                for slot, pointer in ((current, written), (following, next_one), (other, written)):
                    f.store(pointer, slot)

    def end(self) -> None:
        """After the loop: put the last carries into the results, where they do not lie there."""
        at, f = self.at, self.at.f
        for carry in self.carries:
            if carry.mode == COPIED:
                at.copy(carry.argument, carry.result)
            if carry.turns is None:
                continue
            if self._iterations is not None:
                if not at_most(1, self._iterations):
                    with f.conditional(f.icmp("eq", f.value(self._iterations, "i64"), 0)):
                        at.copy(carry.init, carry.result)
                continue
            last = f.load(carry.turns[0], "ptr")
            home = at.pointers[carry.result.place]
            with f.conditional(f.icmp("ne", last, home)):
                f.memcpy(home, last, carry.result.nbytes)
