"""What a forward sweep accumulates beside values: sets of inputs, or formal derivatives over Z/2.

    PROVENANCE     a set of inputs per value, as the bits of an i64; union; conditions flow into what they
                   decide
    FORMAL         a boolean per boolean; exclusive or; d(x and y) = (y and dx) xor (x and dy)

Derivatives are an instance of the same: a tangent per float, addition, the table of derivatives. They have
sweeps of their own, which use the laws of maps (`mlirad.passes.tangents`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import TypeAlias

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import MOVES
from mlirad.dialects.shapes import Value, element_of
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass

Shadows: TypeAlias = Mapping[Value, Value]
"""What is accumulated for the source values where it is not zero."""


@dataclass(frozen=True)
class Instance:
    """What is accumulated, and how.

    `space` is the type of what a value of a type has, `None` where it has nothing; with `is_whole` that does
    not depend on the position in an array. `forward` gives what an op makes of that of its operands, given
    the source op and the values. `control` is what a condition adds to all that it decides, given the op and
    what the condition has.
    """

    space: Callable[[Attribute], Attribute | None]
    plus: Callable[[ArrayBuilder, Value, Value], Value]
    forward: Callable[[ArrayBuilder, Operation, Callable[[Value], Value], Shadows], Value | None]
    control: Callable[[Operation, Value], Value]
    is_whole: bool


# Sets of inputs --------------------------------------------------------------------------------------


def _union(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.binary(ew.OrOp, x, y)


def _read(b: ArrayBuilder, op: Operation, value: Callable[[Value], Value], sets: Shadows) -> Value | None:
    """All that the op reads, positions too."""
    found = [sets[v] for v in free_values(op) if v in sets]
    return reduce(lambda x, y: _union(b, x, y), found) if found else None


PROVENANCE = Instance(lambda _: i64, _union, _read, lambda _, decided: decided, is_whole=True)
"""Which inputs a value depends on."""


# Formal derivatives of booleans --------------------------------------------------------------------------


def exclusive(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """The sum of two booleans."""
    return b.binary(ew.XorOp, x, y)


def _formal(b: ArrayBuilder, op: Operation, value: Callable[[Value], Value], bits: Shadows) -> Value | None:
    """The formal derivative of a boolean op."""
    operands = list(own_operands(op))
    if element_of(op.results[0].type) != i1 or not any(v in bits for v in operands):
        return _constant(op, bits)
    if isinstance(op, MOVES) and not any(v in bits for v in free_values(op) if v not in operands):
        (places,) = linear.LINEAR_IN[type(op)]
        env = {v: value(v) for v in free_values(op)}
        moved = range(len(operands)) if linear.ALL in places else places
        images = [
            value(v) if k not in moved else bits[v] if v in bits else b.zeros(v.type)
            for k, v in enumerate(operands)
        ]
        return b.insert(
            type(op),
            images,
            op.result_types,
            op.properties,
            [b.clone_region(region, env, extents_of(op)) for region in op.regions],
        ).results[0]
    terms = [formal_partial(b, op, k, value, bits[v]) for k, v in enumerate(operands) if v in bits]
    return reduce(lambda x, y: exclusive(b, x, y), terms)


def formal_partial(
    b: ArrayBuilder, op: Operation, k: int, value: Callable[[Value], Value], bit: Value
) -> Value:
    """What the derivative of an elementwise op by operand `k` makes of a boolean: its own transpose."""
    operands = own_operands(op)
    match op:
        case ew.XorOp() | ew.NotOp():
            return bit
        case ew.AndOp():
            return b.logical_and(value(operands[1 - k]), bit)
        case ew.OrOp():
            return b.logical_and(b.logical_not(value(operands[1 - k])), bit)
        case ew.SelectOp():
            condition, chosen, other = map(value, operands)
            by = (exclusive(b, chosen, other), condition, b.logical_not(condition))
            return b.logical_and(by[k], bit)
        case _:
            raise no_formal_derivative(op)


def _constant(op: Operation, bits: Shadows) -> None:
    if any(v in bits for v in free_values(op)):
        raise no_formal_derivative(op)


def no_formal_derivative(op: Operation, mode: str = "") -> DifferentiationError:
    """The error that a boolean which is differentiated reaches an op that is no polynomial in it."""
    return DifferentiationError(
        f"{op.name} has no formal derivative over Z/2{mode}, and a boolean that is differentiated reaches it",
        location=location_of(op),
        hint="and, or, xor, not and select of booleans have one; no branch may depend on the boolean",
    )


def _undecided(op: Operation, bit: Value) -> Value:
    raise no_formal_derivative(op)


FORMAL = Instance(
    lambda type_: type_ if element_of(type_) == i1 else None, exclusive, _formal, _undecided, is_whole=False
)
"""The formal derivative over Z/2, of booleans by booleans."""
