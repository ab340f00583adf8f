"""Loops and branches as control flow of `mlirad_main`.

Carries lie in memory: a carry that is updated in place has one address, two addresses take turns for one with
spare memory, and a scalar has a stack slot, which LLVM turns into a register. Slices are addresses inside the
stacked arrays.

    scan of n trips        t = 0 ... n - 1; the turns are arranged so that the last trip writes the result
    while, replay          if the last trip wrote the spare memory, it is copied to the result once
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.kernel_plans import COPIED, IN_PLACE, stated_carries
from mlirad.dialects.kernel_strips import StripsOp
from mlirad.dialects.shapes import Value as Ssa
from mlirad.lower.emit.buffers import Buffer, Place
from mlirad.lower.emit.tapes import Reading
from mlirad.lower.llvm_text import Value
from mlirad.lower.llvm_text.polling import ASSUMED_TRIPS
from mlirad.lower.plan_memory.carries import body_of, carry_arguments, initial_carries

if TYPE_CHECKING:
    from mlirad.lower.emit.main import FunctionEmitter


def write_control(main: FunctionEmitter, op: Operation) -> None:
    """Write a loop or branch."""
    for result in op.results:
        if result in main.memory.buffers:
            main.pointer(result)
    match op:
        case control.ScanOp():
            _write_scan(main, op)
        case StripsOp():
            _write_strips(main, op)
        case control.WhileOp():
            _write_while(main, op)
        case control.ReplayOp():
            _write_replay(main, op)
        case control.IfOp():
            condition = main.f.load(main.pointer(op.condition), "i1")
            index = main.f.zext(main.f.not_(condition), "i64")
            _write_branches(main, index, [op.then, op.otherwise])
        case control.SwitchOp():
            index = main.f.load(main.pointer(op.index), "i64")
            index = main.f.intrinsic("smax", index, 0)
            _write_branches(main, index, list(op.branches))
        case _:
            raise AssertionError(op.name)


def _write_branches(main: FunctionEmitter, index: Value, regions: list[Region]) -> None:
    def writer(region: Region) -> Callable[[], None]:
        return lambda: main.write_block(region.block)

    main.f.choose(index, [writer(region) for region in regions])


# Carries -----------------------------------------------------------------------------------------


@dataclass
class _Carry:
    """One carry of a loop: its initial value, its argument, its result, how it is kept.

    For one with spare memory, `current` holds the address of the present value, `following` that of the next
    and `other` that which takes its turn after it.
    """

    init: Buffer
    argument: Buffer
    following_place: Place
    yielded: Buffer
    result: Buffer
    mode: int
    turns: tuple[Value, Value, Value] | None = None


class _Carries:
    """The carries of one loop."""

    def __init__(self, main: FunctionEmitter, op: Operation):
        self.main = main
        body = body_of(op)
        last = body.block.last_op
        assert last is not None
        self.carries = [
            _Carry(
                main.buffer(init),
                main.buffer(argument),
                main.memory.yields[body][k],
                main.buffer(last.operands[k]),
                main.buffer(result),
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

    def begin(self, trips: int | None = None) -> None:
        """Before the loop: put initial values where the first trip finds them."""
        main, f = self.main, self.main.f
        for carry in self.carries:
            home = main.pointers[carry.result.place]
            if carry.mode in (IN_PLACE, COPIED):
                main.copy(carry.init, carry.result)
                main.pointers[carry.argument.place] = home
                continue
            spare = f.gep(main.arena, carry.mode, "i8")
            slots = f.alloca("ptr", 1, 8), f.alloca("ptr", 1, 8), f.alloca("ptr", 1, 8)
            first, second = (home, spare) if trips is None or trips % 2 else (spare, home)
            for slot, pointer in zip(slots, (main.pointers[carry.init.place], first, second), strict=True):
                f.store(pointer, slot)
            carry.turns = slots

    def enter(self) -> None:
        """At the start of a trip: find the carries."""
        main, f = self.main, self.main.f
        for carry in self.carries:
            if carry.turns is not None:
                current, following, _ = carry.turns
                main.pointers[carry.argument.place] = f.load(current, "ptr")
                main.pointers[carry.following_place] = f.load(following, "ptr")

    def leave(self) -> None:
        """At the end of a trip: make the new carries the present ones."""
        main, f = self.main, self.main.f
        for carry in self.carries:
            if carry.mode == COPIED:
                main.copy(carry.yielded, carry.result)
            if carry.turns is not None:
                current, following, other = carry.turns
                written, next_one = f.load(following, "ptr"), f.load(other, "ptr")
                for slot, pointer in ((current, written), (following, next_one), (other, written)):
                    f.store(pointer, slot)

    def end(self) -> None:
        """After a loop of an unknown number of trips: put the last carries into the results."""
        main, f = self.main, self.main.f
        for carry in self.carries:
            if carry.turns is None:
                continue
            last = f.load(carry.turns[0], "ptr")
            home = main.pointers[carry.result.place]
            with f.conditional(f.icmp("ne", last, home)):
                f.memcpy(home, last, carry.result.nbytes)


# Loops -------------------------------------------------------------------------------------------


def _write_scan(main: FunctionEmitter, op: control.ScanOp) -> None:
    f, emitter = main.f, main.emitter
    trips = op.trips
    carries = _Carries(main, op)
    carries.begin(trips)
    block = op.body.block
    index, slices = block.args[0], block.args[1 + op.carry_count :]
    handed = main.memory.yields[op.body][op.carry_count :]
    if not trips:
        for carry in carries.carries:
            main.copy(carry.init, carry.result)
        return
    around, emitter.trips = emitter.trips, emitter.trips * trips
    i_slot = main.pointer(index)
    with f.loop(0, trips, name="t") as loop:
        i = f.sub(trips - 1, loop.index) if op.reverse is not None else loop.index
        f.store(i, i_slot)
        carries.enter()
        for x, piece in zip(op.xs, slices, strict=True):
            _point_at_slice(main, main.buffer(piece).place, x, main.buffer(piece), i)
        for y, place, value in zip(op.stacked, handed, _handed_over(op, op.carry_count), strict=True):
            _point_at_slice(main, place, y, main.buffer(value), i)
        main.write_block(block)
        carries.leave()
    emitter.trips = around


def _write_strips(main: FunctionEmitter, op: StripsOp) -> None:
    f, emitter = main.f, main.emitter
    carries = _Carries(main, op)
    carries.begin(op.trips)
    block = op.body.block
    start_slot, fresh_slot = main.pointer(block.args[0]), main.pointer(block.args[1])
    handed = main.memory.yields[op.body][op.carry_count :]
    around, emitter.trips = emitter.trips, emitter.trips * op.trips
    with f.loop(0, op.trips, name="s") as loop:
        wanted = f.mul(loop.index, op.strip_rows)
        start = f.intrinsic("umin", wanted, op.rows - op.strip_rows)
        f.store(start, start_slot)
        f.store(f.sub(wanted, start), fresh_slot)
        carries.enter()
        for y, place, value in zip(op.joined, handed, _handed_over(op, op.carry_count), strict=True):
            row_bytes = main.buffer(value).nbytes // op.strip_rows
            main.pointers[place] = f.gep(main.pointer(y), f.mul(start, row_bytes), "i8")
        main.write_block(block)
        carries.leave()
    emitter.trips = around


def _handed_over(op: Operation, start: int) -> list[Ssa]:
    """What the body of a loop yields after its carries."""
    last = body_of(op).block.last_op
    assert last is not None
    return list(last.operands[start:])


def _point_at_slice(main: FunctionEmitter, place: Place, whole: Ssa, piece: Buffer, i: Value) -> None:
    """Let a place be slice i of an array."""
    offset = main.f.mul(i, piece.nbytes)
    main.pointers[place] = main.f.gep(main.pointer(whole), offset, "i8")


def _write_while(main: FunctionEmitter, op: control.WhileOp) -> None:
    f, emitter = main.f, main.emitter
    carries = _Carries(main, op)
    carries.begin()
    (decided,) = main.memory.yields[op.condition]
    main.pointers[decided] = main.slot("i1")
    tape = None if op.tape is None else main.tape(op.tape)
    if tape is not None:
        tape.clear(f)

    def condition() -> Value:
        carries.enter()
        for argument, carry in zip(op.condition.block.args, carries.carries, strict=True):
            main.pointers[main.buffer(argument).place] = main.pointers[carry.argument.place]
        main.write_block(op.condition.block)
        return f.load(main.pointers[decided], "i1")

    around, emitter.trips = emitter.trips, emitter.trips * ASSUMED_TRIPS
    with f.repeat(condition):
        if tape is not None:
            recorded = main.memory.yields[op.body][len(carries.carries) :]
            pieces = tape.pieces(f, tape.push(main))
            main.pointers.update(zip(recorded, pieces, strict=True))
        main.write_block(op.body.block)
        carries.leave()
    carries.end()
    emitter.trips = around


def _write_replay(main: FunctionEmitter, op: control.ReplayOp) -> None:
    emitter = main.emitter
    carries = _Carries(main, op)
    carries.begin()
    tape = main.tape(op.tape)
    reading = Reading(main.f, tape, reverse=op.reverse is not None)
    around, emitter.trips = emitter.trips, emitter.trips * ASSUMED_TRIPS
    with main.f.repeat(reading.has_more):
        pieces = tape.pieces(main.f, reading.entry())
        for argument, piece in zip(op.body.block.args, pieces, strict=False):
            main.pointers[main.buffer(argument).place] = piece
        carries.enter()
        main.write_block(op.body.block)
        carries.leave()
    carries.end()
    emitter.trips = around
