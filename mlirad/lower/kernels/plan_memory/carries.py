"""Loops as memory planning and emission see them: what they carry, and how each carry is kept.

    in place    the new carry overwrites the old one where it lies: `kernel.scatter` on the carry, or a map
                that reads the carry only at the element it writes, each of them the carry's last reader
    scratch     alternates between two pieces of memory; the first iteration reads the initial value in place
    copied      scalars: the new value is put in the place of the old one at the end of the iteration

The result may lie where the initial value does if the carry is updated in place, or takes an even number of
turns: the first one writes the scratch memory, the last one the result.

Stated as the attribute `kernel.carries` of the loop: per carry -1, the offset of the scratch memory, or -2.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.frames import NextRowOp, SaveOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.kernel.plans import IN_PLACE, stated_updates
from mlirad.dialects.kernel.strips import LOWERED_CONTROL, StripsOp
from mlirad.dialects.shapes import Value, shape_of

PLACED_OPS = (*LOWERED_CONTROL, CallOp, SaveOp, NextRowOp)
"""The ops that state the places of their results as an attribute."""


def body_of(op: Operation) -> Region:
    """The region that a loop repeats."""
    return op.regions[-1]


def initial_carries(op: Operation) -> Sequence[Value]:
    """The initial carries of a loop; none for a branch."""
    match op:
        case control.ScanOp() | control.WhileOp() | control.ReplayOp():
            return op.init
        case StripsOp():
            return op.inputs
        case _:
            return ()


def first_carry(op: Operation) -> int:
    """The number of the argument of a loop's body that is its first carry."""
    match op:
        case control.ScanOp():
            return 1
        case StripsOp():
            return 2
        case control.ReplayOp():
            return len(control.entry_types(op.tape))
        case _:
            return 0


def carry_arguments(op: Operation) -> Sequence[Value]:
    """The arguments of a loop's body that are carries."""
    start = first_carry(op)
    return body_of(op).block.args[start : start + len(initial_carries(op))]


def is_copied(carry: Value) -> bool:
    """Return whether a carry is so small that it is copied in every iteration."""
    return not shape_of(carry)


def returns_to_start(op: Operation, mode: int) -> bool:
    """Return whether a loop may leave the result of a carry that it keeps so where the initial value was."""
    if is_static(mode) and mode < 0:
        return mode == IN_PLACE
    return (
        isinstance(op, ScanOp) and is_static(op.iterations) and op.iterations > 0 and op.iterations % 2 == 0
    )


def overwritten_argument(op: Operation, result: int) -> Value | None:
    """The operand of a call whose memory a result takes over, unless the call reads it twice."""
    number = stated_updates(op).get(result)
    if number is None or list(op.operands).count(op.operands[number]) > 1:
        return None
    return op.operands[number]
