"""Buffers: slot, layout and size of the values of a program in memory.

A buffer is an array in one of six regions: an input, an output, a literal passed by pointer, a literal in the
text, a stretch of the arena, or a local place: a stack slot, or memory that a loop chooses in every iteration
(a carry, a slice, a recorded entry). Its layout is the storage order of its dimensions, from outermost to
innermost:

    shape (3, 5), layout (1, 0)    strides (1, 3): element (i, j) is i + 3 * j elements from the start

`program_buffers` reads the places that memory planning decided. A result that has none gets an output if it
is returned in row-major layout, else a stretch of the arena of its own, 64-byte aligned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects import kernel
from mlirad.dialects.array.control import BranchOp
from mlirad.dialects.array.frames import RestoreOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.extents import at_most
from mlirad.dialects.kernel.plans import (
    IN_PLACE,
    stated_arena,
    stated_carries,
    stated_places,
    stated_strides,
    stated_updates,
)
from mlirad.dialects.kernel.strips import LOWERED_CONTROL
from mlirad.dialects.shapes import Shape, Value, is_array, shape_of, values_of
from mlirad.errors import CompileError
from mlirad.ir.builder import yields
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies.elementwise import kind_of
from mlirad.lower.bodies.streaming import passing_results, passing_slices
from mlirad.lower.kernels.arena_offsets import ends_before
from mlirad.lower.kernels.plan_memory.carries import PLACED_OPS, body_of, carry_arguments
from mlirad.lower.llvm.text import BYTES, Kind
from mlirad.lower.native_program import BUFFER_ALIGNMENT

TEXT_LITERAL_BYTES: Final = 4096
"""Literals up to this size stand in the text; larger ones are passed by pointer."""


@dataclass(frozen=True)
class MemorySlot:
    """A start in memory: `number` counts inputs, outputs and literals, and is a byte offset in the arena.

    An offset with sizes in it is rounded up to the alignment when the program runs.
    """

    region: str
    number: int


@dataclass(frozen=True)
class Buffer:
    """An array in memory; `strides` count elements. It `passes` if a loop works on another part of memory in
    each iteration, more in all than caches hold."""

    kind: Kind
    shape: Shape
    strides: Shape
    place: MemorySlot
    size: int
    passes: bool = False

    @property
    def nbytes(self) -> int:
        """Bytes from the first to the last element."""
        if self.size == 0:
            return 0
        last = sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True))
        return (last + 1) * BYTES[self.kind]

    @property
    def is_row_major(self) -> bool:
        """Return whether elements lie in row-major order; extents of 1 have no order."""
        row = row_major(self.shape)
        return self.size == 0 or all(
            e == 1 or s == t for e, s, t in zip(self.shape, self.strides, row, strict=True)
        )

    def overlaps(self, other: Buffer) -> bool:
        """Return whether the two share memory. Inputs may be one array, but nobody writes to them."""
        if self.place.region != other.place.region:
            return False
        if self.place.region != "arena":
            return self.place == other.place
        a, b = self.place.number, other.place.number
        return not (ends_before(a, self.nbytes, b) or ends_before(b, other.nbytes, a))


def row_major(shape: Shape) -> Shape:
    """The strides of row-major order, in elements."""
    return strides_of(shape, tuple(range(len(shape))))


def strides_of(shape: Shape, layout: Shape) -> Shape:
    """The strides of each dimension, in elements, for a storage order from outermost to innermost."""
    strides = [0] * len(shape)
    step = 1
    for d in reversed(layout):
        strides[d] = step
        step *= shape[d]
    return tuple(strides)


def make_buffer(type_: Attribute, place: MemorySlot, layout: Shape | None = None) -> Buffer:
    """The buffer of a value of the given type."""
    shape = shape_of(type_)
    strides = row_major(shape) if layout is None else strides_of(shape, layout)
    size = 1
    for extent in shape:
        size *= extent
    return Buffer(kind_of(type_), shape, strides, place, size)


@dataclass(frozen=True)
class Memory:
    """The buffers of a program: by value, those of the outputs, and the bytes of arena they use."""

    buffers: dict[Value, Buffer]
    outputs: tuple[Buffer, ...]
    arena_bytes: int
    literals: tuple[ConstantOp, ...]
    passed: tuple[ConstantOp, ...]
    yields: dict[Region, list[MemorySlot]]
    """The slots where each region of a loop or branch yields its values."""


def layouts_of(op: Operation) -> list[Shape | None]:
    """The layout of each result, None for row-major."""
    layouts = op.properties.get("layouts")
    if layouts is None:
        return [None] * len(op.results)
    return [values_of(cast("DenseArrayBase[I64]", a)) for a in cast("ArrayAttr[Attribute]", layouts).data]


def program_buffers(function: FuncOp, returned: ReturnOp, *, all_in_text: bool = False) -> Memory:
    """The buffer of every value of the function body, and of every output.

    With `all_in_text` no literal is passed by pointer.
    """
    block = function.body.block
    buffers: dict[Value, Buffer] = {
        argument: make_buffer(argument.type, MemorySlot("input", k)) for k, argument in enumerate(block.args)
    }
    outputs = tuple(make_buffer(v.type, MemorySlot("output", k)) for k, v in enumerate(returned.arguments))
    for k, j in stated_updates(function).items():
        buffers[block.args[j]] = outputs[k]
    assignment = _Assignment(function, buffers, all_in_text=all_in_text)
    first_output: dict[Value, int] = {}
    for k, value in enumerate(returned.arguments):
        first_output.setdefault(value, k)
    assignment.block(block, [o.place for o in outputs], first_output)
    for value, buffer in buffers.items():
        start = buffer.place.number
        if buffer.place.region == "arena" and not (
            at_most(0, start) and ends_before(start, buffer.nbytes, assignment.arena)
        ):
            raise CompileError(
                f"a value of type {value.type} at {start} lies outside of the arena",
                hint="this is a defect of the memory plan",
            )
    return Memory(
        buffers,
        outputs,
        assignment.arena,
        tuple(assignment.literals),
        tuple(assignment.passed),
        assignment.yields,
    )


class _Assignment:
    """Gives the values of a function their buffers, block by block."""

    def __init__(self, function: FuncOp, buffers: dict[Value, Buffer], *, all_in_text: bool):
        self.buffers = buffers
        self._all_in_text = all_in_text
        self.arena = stated_arena(function) or 0
        self.literals: list[ConstantOp] = []
        self.passed: list[ConstantOp] = []
        self.yields: dict[Region, list[MemorySlot]] = {}
        self._passing: set[MemorySlot] = set()
        self._local = 0

    def local(self) -> MemorySlot:
        """A place whose address is made known while the program runs."""
        self._local += 1
        return MemorySlot("local", self._local - 1)

    def block(self, block: Block, outputs: Sequence[MemorySlot], first_output: Mapping[Value, int]) -> None:
        """Buffers for the values that a block defines; it hands its values over in `outputs`."""
        is_function = bool(first_output) or not isinstance(block.last_op, YieldOp)
        for op in block.ops:
            match op:
                case ConstantOp():
                    self._literal(op)
                case _ if isinstance(op, kernel.KERNEL_RESULT_OPS):
                    places = None if op.places is None else values_of(op.places)
                    if places is None and not is_function:
                        raise _unplanned(op)
                    for k, (result, layout) in enumerate(zip(op.results, layouts_of(op), strict=True)):
                        buffer = make_buffer(result.type, MemorySlot("arena", self.arena), layout)
                        pitch = op.pitch_of(result) if isinstance(op, kernel.RecurrenceOp) else None
                        if pitch is not None:
                            buffer = replace(buffer, strides=(pitch, *buffer.strides[1:]))
                        if places is not None:
                            place = self._planned(result, places[k], outputs, is_function=is_function)
                        else:
                            place = self._unplanned(op, result, buffer, first_output)
                        is_handed_over = place.region == "output" and result in first_output
                        if is_handed_over and not buffer.is_row_major:
                            raise CompileError(
                                "a result in an output must be row-major", location=location_of(op)
                            )
                        self.buffers[result] = replace(buffer, place=place, passes=place in self._passing)
                case ReturnOp() | YieldOp():
                    pass
                case RestoreOp():
                    for result in op.results:
                        self.buffers[result] = make_buffer(result.type, self.local())
                case _ if isinstance(op, PLACED_OPS):
                    self._placed(op, outputs, is_function=is_function)
                    if isinstance(op, LOWERED_CONTROL):
                        self._regions(op)
                case _:
                    raise CompileError(
                        f"{op.name} is not an op of lowered programs",
                        location=location_of(op),
                        hint="run form-kernels on the function first",
                    )

    def _planned(
        self, result: Value, number: int, outputs: Sequence[MemorySlot], *, is_function: bool
    ) -> MemorySlot:
        if number < 0:
            return outputs[-1 - number]
        if not is_function and not shape_of(result):
            # A scalar of a loop body gets a stack slot of its own, which LLVM turns into a register.
            return self.local()
        return MemorySlot("arena", number)

    def _unplanned(
        self, op: Operation, result: Value, buffer: Buffer, first_output: Mapping[Value, int]
    ) -> MemorySlot:
        if isinstance(op, kernel.ScatterOp) and _shares_base(op, self.buffers):
            return self.buffers[op.inputs[0]].place
        if result in first_output and buffer.is_row_major:
            return MemorySlot("output", first_output[result])
        self.arena += -(-buffer.nbytes // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT
        return buffer.place

    def _literal(self, op: ConstantOp) -> None:
        is_small = self._all_in_text or literal_array(op).nbytes <= TEXT_LITERAL_BYTES
        into = self.literals if is_small else self.passed
        place = MemorySlot("literal" if is_small else "constant", len(into))
        self.buffers[op.result] = make_buffer(op.result.type, place)
        into.append(op)

    def _placed(self, op: Operation, outputs: Sequence[MemorySlot], *, is_function: bool) -> None:
        """Places of the results of a loop, branch or call."""
        places = stated_places(op)
        if places is None:
            raise _unplanned(op)
        for result, number, stride in zip(op.results, places, stated_strides(op), strict=True):
            if is_array(result.type):
                place = self._planned(result, number, outputs, is_function=is_function)
                buffer = make_buffer(result.type, place)
                if stride:
                    rows = stride // BYTES[buffer.kind]
                    buffer = replace(buffer, strides=(rows, *buffer.strides[1:]))
                self.buffers[result] = buffer

    def _regions(self, op: Operation) -> None:
        """Places of the region arguments of a loop or branch and of what its regions yield.

        An argument and the value that replaces it have one place exactly when the carry is updated in place.
        """
        modes = stated_carries(op) or ()
        body = body_of(op)
        for region in op.regions:
            if isinstance(op, BranchOp):
                yielded = [self.buffers[r].place for r in op.results]
            else:
                yielded = [self.local() for _ in yields(region)]
            if region is body:
                for argument, place, mode in zip(carry_arguments(op), yielded, modes, strict=False):
                    self.buffers[argument] = make_buffer(
                        argument.type, place if mode == IN_PLACE else self.local()
                    )
            slices = passing_slices(op)
            for argument in region.block.args:
                if argument not in self.buffers:
                    buffer = make_buffer(argument.type, self.local())
                    self.buffers[argument] = replace(buffer, passes=argument in slices)
            self._passing.update(yielded[k] for k in passing_results(op))
            self.yields[region] = yielded
            self.block(region.block, yielded, {})


def _unplanned(op: Operation) -> CompileError:
    return CompileError(
        f"{op.name} has no places in memory",
        location=location_of(op),
        hint="run plan-memory on functions with loops, branches or calls",
    )


def _shares_base(op: kernel.ScatterOp, buffers: dict[Value, Buffer]) -> bool:
    """Return whether an unplanned scatter may write into its base: the base is a result of the program
    itself.
    """
    if op.in_place is None or op.from_zero is not None:
        return False
    return buffers[op.inputs[0]].place.region in ("arena", "output")
