"""Elementwise code as a polynomial of degree 2 in one of the values that it reads.

    f(a) = f(0) + f'(0) a + f''(0) / 2 a^2 + ...        where a is 0, as |x| is at x = 0

The code is emitted once more, on a symbol for a, and differentiated twice by the coefficients of the
derivative table and the rules of `array.custom`; then 0 takes the place of the symbol, and what is constant
folds. If a is one number, the code may sum and contract arrays, too: all elements depend on a.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import MOVES, YieldOp
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp
from mlirad.dialects.shapes import Value, element_of, is_float, shape_of, values_of
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.moves import moved, sources
from mlirad.ir.regions import nested_ops
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.rules.elementwise_derivatives import BINARY, UNARY
from mlirad.rules.special_derivatives.table import special_coefficient

Symbol: TypeAlias = Callable[[ArrayBuilder, Value, Sequence[Value]], Value]
"""`(b, a, operands) -> what a value is in terms of a and of the operands of its op`."""

FOLLOWED: Final = (*UNARY, *BINARY, ew.MaxOp, ew.MinOp, ew.SelectOp, ew.ConvertOp, ew.SpecialOp, *MOVES)
"""The ops that code may consist of."""


def is_followed(op: Operation, *, alone: bool = False) -> bool:
    """Tell if an op may be part of such code; `alone` says that a is one number."""
    if not op.results or not is_float(op.results[0]):
        return False
    if isinstance(op, CustomOp):
        has_rule = len(op.results) == 1 and op.forward_rule is not None
        return has_rule and (alone or _is_elementwise(op))
    return isinstance(op, FOLLOWED) or (alone and isinstance(op, SumOp | DotOp))


def _is_elementwise(op: CustomOp) -> bool:
    """Tell if each element of the result depends only on the elements at its position."""
    shape = shape_of(op.results[0])
    if any(shape_of(v) != shape for v in own_operands(op)):
        return False
    return all(
        isinstance(inner, ew.ElementwiseOp | ConstantOp | CustomOp | YieldOp)
        or (isinstance(inner, BroadcastOp) and not shape_of(inner.operand))
        for region in op.regions
        for inner in nested_ops(region)
    )


@dataclass(frozen=True)
class Jet:
    """A value and its first two derivatives by a, at a = 0; `None` stands for 0."""

    value: Value
    first: Value | None
    second: Value | None


def jet(
    b: ArrayBuilder, ops: Sequence[Operation], value: Value, symbols: Mapping[Value, Symbol], env: Environment
) -> Jet:
    """The jet of a value that `ops`, of `FOLLOWED`, compute from what `env` knows; emitted with `b`.

    `symbols` has those values, all of one type, that are functions of a by themselves. Raises
    `DifferentiationError` where a special function among the ops has no derivative, or a rule has ops that
    are not followed.
    """
    leaves = _leaves(ops)
    block = Block(arg_types=[next(iter(symbols)).type, *(v.type for v in leaves)])
    scratch = ArrayBuilder(block)
    a, *given = block.args
    made: Environment = {}
    for leaf, arg in zip(leaves, given, strict=True):
        number = scalar_of(leaf)
        made[leaf] = arg if number is None else scratch.splat(number, leaf.type)
    for op in ops:
        result = op.results[0]
        if result in symbols:
            made[result] = symbols[result](scratch, a, [made.get(o, o) for o in own_operands(op)])
        else:
            scratch.rebuild(op, made)
    orders: list[Value | None] = [made[value]]
    for _ in range(2):
        tangents = _tangents(scratch, list(block.ops), a)
        before = orders[-1]
        orders.append(None if before is None else tangents.get(before))
    block.add_op(ReturnOp.create(operands=[v for v in orders if v is not None]))
    arguments = [b.zeros(a.type), *(env.get(v, v) for v in leaves)]
    emitted = iter(b.inline_block(block, arguments, {}))
    found = [None if v is None else next(emitted) for v in orders]
    block.erase()
    whole, first, second = (None if v is None or scalar_of(v) == 0 else v for v in found)
    return Jet(whole if whole is not None else b.zeros(value.type), first, second)


def _leaves(ops: Sequence[Operation]) -> list[Value]:
    """What the ops read that none of them makes."""
    inside = {op.results[0] for op in ops}
    return list(dict.fromkeys(v for op in ops for v in free_values(op) if v not in inside))


# Derivatives of code -------------------------------------------------------------------------------


def _tangents(b: ArrayBuilder, ops: Sequence[Operation], a: Value) -> Mapping[Value, Value]:
    """The derivatives of the results of ops by a, those that are not 0."""
    found: dict[Value, Value] = {a: b.splat(1.0, a.type)}
    for op in ops:
        read = [o for o in free_values(op) if o in found]
        if not read:
            continue
        if is_followed(op, alone=True) and set(read).issubset(own_operands(op)):
            tangent = _tangent(b, op, found)
            if tangent is not None:
                found[op.results[0]] = tangent
        elif not isinstance(op, ew.ElementwiseOp) and any(is_float(r) for r in op.results):
            raise DifferentiationError(f"{op.name} is not followed")
    return found


def _tangent(b: ArrayBuilder, op: Operation, tangents: Mapping[Value, Value]) -> Value | None:
    """The derivative of the result of an op, `None` if it is 0."""
    match op:
        case ew.SelectOp():
            chosen = [tangents.get(v) for v in (op.on_true, op.on_false)]
            return _chosen(b, op.condition, *chosen)
        case ew.MaxOp() | ew.MinOp():
            is_left = b.compare("ge" if isinstance(op, ew.MaxOp) else "le", op.lhs, op.rhs)
            return _chosen(b, is_left, tangents.get(op.lhs), tangents.get(op.rhs))
        case ew.ConvertOp():
            return b.convert(tangents[op.operand], element_of(op.result)) if is_float(op.result) else None
        case CustomOp():
            rule = op.forward_rule
            assert rule is not None
            given = [tangents.get(o) or b.zeros(o.type) for o in own_operands(op) if is_float(o)]
            return b.inline_region(rule, [*op.known, *given], {})[0]
        case SumOp():
            return b.sum(tangents[op.operand], values_of(op.dims))
        case DotOp():
            dx, dy = tangents.get(op.lhs), tangents.get(op.rhs)
            pairs = [(dx, op.rhs), (op.lhs, dy)]
            terms = [
                b.dot(x, y, *op.batch, *op.contract) for x, y in pairs if x is not None and y is not None
            ]
        case _ if isinstance(op, MOVES):
            return moved(b, op, [tangents[o] if o in tangents else b.zeros(o.type) for o in sources(op)])
        case ew.SpecialOp():
            coefficients = [special_coefficient(k) for k in range(len(own_operands(op)))]
            terms = [
                b.absorbing_mul(c(b, op), tangents[o])
                for c, o in zip(coefficients, own_operands(op), strict=True)
                if o in tangents
            ]
        case ew.ElementwiseOp():
            terms = _terms(b, op, tangents)
        case _:
            raise AssertionError(f"{op.name} is not followed")
    total: Value | None = None
    for term in terms:
        total = term if total is None else b.add(total, term)
    return total


def _chosen(b: ArrayBuilder, condition: Value, x: Value | None, y: Value | None) -> Value | None:
    present = x if x is not None else y
    if present is None:
        return None
    zeros = b.zeros(present.type)
    return b.select(condition, x if x is not None else zeros, y if y is not None else zeros)


def _terms(b: ArrayBuilder, op: ew.ElementwiseOp, tangents: Mapping[Value, Value]) -> list[Value]:
    """What each operand of a smooth op adds to the derivative of the result."""
    result = op.results[0]
    if type(op) in UNARY:
        (x,) = own_operands(op)
        return [b.absorbing_mul(UNARY[type(op)](b, x, result), tangents[x])]
    x, y = own_operands(op)
    return [
        b.absorbing_mul(coefficient(b, x, y, result), tangents[operand])
        for coefficient, operand in zip(BINARY[type(op)], (x, y), strict=True)
        if coefficient is not None and operand in tangents
    ]
