"""Operands as parts of arrays: the base, and the steps from it that compute nothing.

    %a = array.index %x[%c5] : tensor<9x3xf64> -> tensor<3xf64>
    %b = array.slice %a {starts = [1], limits = [2], strides = [1]} : tensor<3xf64> -> tensor<1xf64>

    part_of(%b)   -->   base %x, steps (index, slice), numbers (5, 1)

Two operands are parts of the same form if they differ only in their bases and numbers. Steps are
indexing at constants, slices, reshapes and broadcasts. Programs share them where they are equal, so they come
once, in whichever repetition is first; and which part is read is what changes from repetition to repetition.

Parts of arrays are compared, not the ops that take them. Equal ops are shared, so an index or a constant
stands in the first repetition that needs it, and the others lack it. As ops they would break every period; as
descriptions of operands they tell the repetitions apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, Region

from mlirad.dialects.array.indexing import IndexOp
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp, ReshapeOp, SliceOp
from mlirad.dialects.shapes import Value, values_of
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass

Form = tuple[object, ...]


@dataclass(frozen=True)
class Part:
    """A part of a base: by which steps, the first one that of the base, and at which numbers.

    The base of a constant is the constant.
    """

    base: Value
    steps: tuple[Operation, ...]
    numbers: tuple[int, ...]
    form: Form

    @property
    def is_constant(self) -> bool:
        """Return whether it is a constant, or one in another shape."""
        return isinstance(self.base.owner, ConstantOp)


def is_step(op: Operation) -> bool:
    """Return whether the result of an op is a part of its operand, or a constant."""
    return isinstance(op, ConstantOp | SliceOp | ReshapeOp | BroadcastOp) or (
        isinstance(op, IndexOp) and all(isinstance(p.owner, ConstantOp) for p in op.positions)
    )


class Parts:
    """The parts that values are, found once for each."""

    def __init__(self) -> None:
        self._known: dict[Value, Part] = {}

    def __getitem__(self, value: Value) -> Part:
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._find(value)
        return known

    def _find(self, value: Value) -> Part:
        op = value.owner
        if not isinstance(op, Operation) or not is_step(op):
            return Part(value, (), (), (value.type,))
        if isinstance(op, ConstantOp):
            return Part(value, (), (), ("constant", value.type))
        inner = self[own_operands(op)[0]]
        form, numbers = _step(op)
        return Part(
            inner.base, (*inner.steps, op), (*inner.numbers, *numbers), (*inner.form, *form, value.type)
        )


def step_numbers(op: Operation) -> tuple[int, ...]:
    """The numbers of one step: positions of an index, starts of a slice."""
    return _step(op)[1]


def _step(op: Operation) -> tuple[Form, tuple[int, ...]]:
    match op:
        case IndexOp():
            positions = tuple(int(literal_array(_constant(p))) for p in op.positions)
            return ("index", len(positions)), positions
        case SliceOp():
            return ("slice", op.strides), values_of(op.starts)
        case BroadcastOp():
            return ("broadcast", op.dims), ()
        case _:
            return ("reshape",), ()


def _constant(value: Value) -> ConstantOp:
    assert isinstance(value.owner, ConstantOp)
    return value.owner


def reads(op: Operation) -> list[Value]:
    """Return what an op reads, each time that it does: operands, then what its regions capture, in order."""
    found = list(own_operands(op))
    if op.regions:
        defined: set[Value] = set()
        for region in op.regions:
            found += _captured(region, defined)
    return found


def _captured(region: Region, defined: set[Value]) -> Iterator[Value]:
    for block in region.blocks:
        defined.update(block.args)
        for op in block.ops:
            yield from (o for o in own_operands(op) if o not in defined)
            for inner in op.regions:
                yield from _captured(inner, defined)
            defined.update(op.results)
