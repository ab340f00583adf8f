"""Where the values of a program lie in memory: place, layout, size.

A buffer is an array in one of five regions: an input, an output, a literal passed by pointer, a literal in
the text, or a stretch of the arena. Its layout is the storage order of its dimensions, from outermost to
innermost:

    shape (3, 5), layout (1, 0)    strides (1, 3): element (i, j) is i + 3 * j elements from the start

`program_buffers` reads the places that memory planning decided. A result that has none gets an output if it
is returned in row-major layout, else a stretch of the arena of its own, 64-byte aligned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, IntegerAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects import kernel
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.shapes import Shape, Value, element_of, shape_of, values_of
from mlirad.errors import CompileError
from mlirad.ir.locations import location_of
from mlirad.lower.compiled_text import BUFFER_ALIGNMENT
from mlirad.lower.emit.elementwise import KINDS
from mlirad.lower.llvm_text import BYTES, Kind
from mlirad.lower.plan_memory import ARENA_ATTRIBUTE

TEXT_LITERAL_BYTES: Final = 4096
"""Literals up to this size stand in the text; larger ones are passed by pointer."""


@dataclass(frozen=True)
class Place:
    """A start in memory: `number` counts inputs, outputs and literals, and is a byte offset in the arena."""

    region: str
    number: int


@dataclass(frozen=True)
class Buffer:
    """An array in memory; `strides` count elements."""

    kind: Kind
    shape: Shape
    strides: Shape
    place: Place
    size: int

    @property
    def nbytes(self) -> int:
        """Bytes from the first to the last element."""
        return self.size * BYTES[self.kind]

    @property
    def is_row_major(self) -> bool:
        """Whether elements lie in row-major order; extents of 1 have no order."""
        row = row_major(self.shape)
        return self.size == 0 or all(
            e == 1 or s == t for e, s, t in zip(self.shape, self.strides, row, strict=True)
        )

    def overlaps(self, other: Buffer) -> bool:
        """Whether the two share memory. Inputs may be one array, but nobody writes to them."""
        if self.place.region != other.place.region:
            return False
        if self.place.region != "arena":
            return self.place == other.place
        a, b = self.place.number, other.place.number
        return a < b + other.nbytes and b < a + self.nbytes


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


def make_buffer(type_: Attribute, place: Place, layout: Shape | None = None) -> Buffer:
    """The buffer of a value of the given type."""
    shape = shape_of(type_)
    strides = row_major(shape) if layout is None else strides_of(shape, layout)
    size = 1
    for extent in shape:
        size *= extent
    return Buffer(KINDS[element_of(type_)], shape, strides, place, size)


@dataclass(frozen=True)
class Memory:
    """The buffers of a program: by value, those of the outputs, and the bytes of arena they use."""

    buffers: dict[Value, Buffer]
    outputs: tuple[Buffer, ...]
    arena_bytes: int
    literals: tuple[ConstantOp, ...]
    passed: tuple[ConstantOp, ...]


def layouts_of(op: Operation) -> list[Shape | None]:
    """The layout of each result, None for row-major."""
    layouts = op.properties.get("layouts")
    if layouts is None:
        return [None] * len(op.results)
    return [values_of(cast("DenseArrayBase[I64]", a)) for a in cast("ArrayAttr[Attribute]", layouts).data]


def program_buffers(function: FuncOp, returned: ReturnOp) -> Memory:
    """The buffer of every value of the function body, and of every output."""
    block = function.body.block
    buffers: dict[Value, Buffer] = {
        argument: make_buffer(argument.type, Place("input", k)) for k, argument in enumerate(block.args)
    }
    outputs = tuple(make_buffer(v.type, Place("output", k)) for k, v in enumerate(returned.arguments))
    first_output: dict[Value, int] = {}
    for k, value in enumerate(returned.arguments):
        first_output.setdefault(value, k)
    planned = function.attributes.get(ARENA_ATTRIBUTE)
    arena = cast("IntegerAttr[I64]", planned).value.data if planned is not None else 0
    literals: list[ConstantOp] = []
    passed: list[ConstantOp] = []
    for op in block.ops:
        if isinstance(op, ConstantOp):
            is_small = literal_array(op).nbytes <= TEXT_LITERAL_BYTES
            into = literals if is_small else passed
            place = Place("literal" if is_small else "constant", len(into))
            buffers[op.result] = make_buffer(op.result.type, place)
            into.append(op)
            continue
        if op is returned:
            continue
        if not isinstance(op, kernel.NestOp | kernel.ScatterOp | kernel.DotOp):
            raise CompileError(
                f"{op.name} is not an op of lowered programs",
                location=location_of(op),
                hint="run form-kernels on the function first",
            )
        places = None if op.places is None else values_of(op.places)
        for k, (result, layout) in enumerate(zip(op.results, layouts_of(op), strict=True)):
            buffer = make_buffer(result.type, Place("arena", arena), layout)
            if places is not None:
                number = places[k]
                place = Place("output", -1 - number) if number < 0 else Place("arena", number)
            elif isinstance(op, kernel.ScatterOp) and _shares_base(op, buffers):
                place = buffers[op.inputs[0]].place
            elif result in first_output and buffer.is_row_major:
                place = Place("output", first_output[result])
            else:
                place = buffer.place
                arena += -(-buffer.nbytes // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT
            if place.region == "output" and not buffer.is_row_major:
                raise CompileError("a result in an output must be row-major", location=location_of(op))
            buffers[result] = Buffer(buffer.kind, buffer.shape, buffer.strides, place, buffer.size)
    return Memory(buffers, outputs, arena, tuple(literals), tuple(passed))


def _shares_base(op: kernel.ScatterOp, buffers: dict[Value, Buffer]) -> bool:
    """Whether an unplanned scatter may write into its base: the base is a result of the program itself."""
    if op.in_place is None or op.from_zero is not None:
        return False
    return buffers[op.inputs[0]].place.region in ("arena", "output")
