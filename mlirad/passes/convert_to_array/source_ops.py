"""Reading ops of other dialects as generic syntax writes them: by name, operands, attributes and regions.

    attribute(op, "permutation")        a property or an attribute, by whichever a version of MLIR has it
    integers(op, "static_offsets")      (0, 2)
    segments(op, 2)                     the operands in groups, by `operandSegmentSizes`

So ops that xDSL declares, and those that it does not, are read alike. An op that does not fit is an
`UnsupportedError` that names the op and its line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    TensorType,
    UnrankedTensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.shapes import ELEMENTS, Shape, Value, array_type
from mlirad.errors import UnsupportedError
from mlirad.ir.foreign import name_of_op
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of

DYNAMIC = -(2**63)
"""The entry in a list of static positions, sizes or strides for one that an operand gives."""


def refusal(op: Operation, message: str, hint: str | None = None) -> UnsupportedError:
    """The error that an op cannot be converted."""
    return UnsupportedError(f"{name_of_op(op)}: {message}", location=location_of(op), hint=hint)


def attribute(op: Operation, name: str) -> Attribute:
    """A property or attribute that the op must have."""
    found = optional(op, name)
    if found is None:
        raise refusal(op, f"has no attribute '{name}'")
    return found


def optional(op: Operation, name: str) -> Attribute | None:
    """A property or attribute of the op, if it has it."""
    return op.properties.get(name, op.attributes.get(name))


def integers(op: Operation, name: str, default: Sequence[int] | None = None) -> Shape:
    """A list of integers, however it is written."""
    found = optional(op, name)
    if found is None and default is not None:
        return tuple(default)
    match attribute(op, name):
        case DenseArrayBase() | DenseIntOrFPElementsAttr() as list_:
            return tuple(int(v) for v in cast("Any", list_).get_values())
        case ArrayAttr() as list_:
            entries = cast("Sequence[Attribute]", list_.data)
            if all(isinstance(entry, IntegerAttr) for entry in entries):
                return tuple(cast("IntegerAttr[Any]", entry).value.data for entry in entries)
        case _:
            pass
    raise refusal(op, f"attribute '{name}' is not a list of integers")


def integer(op: Operation, name: str) -> int:
    """An attribute that is an integer."""
    found = attribute(op, name)
    if not isinstance(found, IntegerAttr):
        raise refusal(op, f"attribute '{name}' is not an integer")
    return cast("IntegerAttr[Any]", found).value.data


def operands(op: Operation, count: int) -> tuple[Value, ...]:
    """The operands, whose number must be the given one."""
    if len(own_operands(op)) != count:
        raise refusal(op, f"takes {count} operands, got {len(own_operands(op))}")
    return tuple(own_operands(op))


def segments(op: Operation, count: int) -> list[list[Value]]:
    """The operands in a given number of groups. Without sizes, the last two groups of linalg ops are equally
    long.
    """
    sizes = optional(op, "operandSegmentSizes")
    if sizes is None:
        last = len(op.results) if count > 1 else len(own_operands(op))
        lengths: Shape = (len(own_operands(op)) - last, last)[-count:]
    else:
        lengths = integers(op, "operandSegmentSizes")
    if len(lengths) != count or min(lengths, default=0) < 0 or sum(lengths) != len(own_operands(op)):
        raise refusal(op, f"'operandSegmentSizes' does not fit its {len(own_operands(op))} operands")
    groups: list[list[Value]] = []
    start = 0
    for length in lengths:
        groups.append(list(own_operands(op)[start : start + length]))
        start += length
    return groups


def body_of(op: Operation, number: int = 0, region: Region | None = None) -> Block:
    """The one block of a region."""
    if region is None and number >= len(op.regions):
        raise refusal(op, f"has {len(op.regions)} regions", _GENERIC)
    blocks = list((region or op.regions[number]).blocks)
    if len(blocks) != 1 or blocks[0].last_op is None:
        raise refusal(op, "a region must be one block with a terminator")
    return blocks[0]


_GENERIC = "print the module with mlir-opt --mlir-print-op-generic"


def terminator(op: Operation, block: Block, name: str) -> Operation:
    """The last op of a block, which must have this name."""
    last = block.last_op
    if last is None or name_of_op(last) != name:
        found = "nothing" if last is None else name_of_op(last)
        raise refusal(op, f"a region ends in {found}, it must end in {name}")
    return last


def language_type(type_: Attribute, op: Operation) -> Attribute:
    """The type of the language for a type of an upstream program; `index` is i64, and so are arrays of it."""
    match type_:
        case IndexType():
            return i64
        case TensorType():
            element = language_type(type_.element_type, op)
            if element not in ELEMENTS:
                raise refusal(op, f"{type_} is a tensor of tensors", "give it the dimensions of both")
            if any(extent < 0 for extent in type_.get_shape()):
                raise refusal(op, f"{type_} has a dynamic shape", "give every dimension an extent")
            return array_type(tuple(type_.get_shape()), element)
        case UnrankedTensorType():
            raise refusal(op, f"{type_} has no rank", "give every dimension an extent")
        case MemRefType():
            raise refusal(op, f"{type_} is memory, which programs on arrays do not have", "convert tensors")
        case ComplexType():
            raise refusal(op, f"{type_} is complex", "write real and imaginary parts")
        case _:
            if type_ not in ELEMENTS:
                known = ", ".join(map(str, ELEMENTS))
                raise refusal(op, f"{type_} is not a type of arrays", f"elements are of {known} or index")
            return type_
