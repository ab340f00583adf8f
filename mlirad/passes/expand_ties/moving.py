"""Kinks that move where they are 0: only these need terms.

    %d = array.div %c, %l          of constants c, 0 where they are, whatever l is: its derivative is 0 there
    %e = array.sub %x, %y          0 and moving where x meets y
    %r = array.sub %i, %j          of elements of one array: never moves where both are the same element

The term of a kink a at a tie is a^2 times a number, where a^2 is a sum of squares of such values. Its second
derivative is the product of their derivatives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import field
from functools import partial, reduce
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import CHOICES, MOVES
from mlirad.dialects.array.reductions import DotOp, ReduceOp, SumOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value, is_boolean, is_integer, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.builder import function_block, yields
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.moves import moved, sources
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.expand_ties.kinks import Kink
from mlirad.passes.smooth_identities.roots import guarded_radicand, is_form, is_inner, vector_of_form

_SCALES = (ew.NegOp, ew.ConvertOp, ew.AbsOp, ew.SqrtOp)
"""Ops of one operand that are 0 where it is, and nowhere else."""

_NEVER_ZERO = (ew.ExpOp, ew.Exp2Op, ew.LogisticOp, ew.CoshOp)


class Movement:
    """The values of a function that move: those with a derivative by one of some arguments."""

    def __init__(self, function: FuncOp, arguments: Collection[int] | None):
        """`arguments` are the positions of arguments that are differentiated by; `None` is all."""
        self._active: set[Value] = set()
        args = function_block(function).args
        self._add(args if arguments is None else [args[k] for k in arguments])
        self._enter(function.body)

    def _add(self, values: Iterable[Value]) -> None:
        self._active.update(v for v in values if not (is_integer(v) or is_boolean(v)))

    def _enter(self, region: Region) -> None:
        for op in region.block.ops:
            is_active = not self._active.isdisjoint(free_values(op))
            if is_active:
                self._add(op.results)
            for inner in op.regions:
                if is_active:
                    self._add(self._moving_arguments(op, inner.block))
                self._enter(inner)

    def _moving_arguments(self, op: Operation, block: Block) -> Sequence[Value]:
        """The arguments of a region of an op that moves, without slices of arrays that do not."""
        if not isinstance(op, ScanOp):
            return block.args
        slices = block.args[1 + op.carry_count :]
        resting = {s for s, x in zip(slices, op.xs, strict=True) if x not in self._active}
        return [v for v in block.args if v not in resting]

    def moves(self, value: Value) -> bool:
        """Tell if a value has a derivative by one of the arguments."""
        return value in self._active

    def of_kink(self, kink: Kink) -> bool:
        """Tell if a kink may move where it is 0."""
        if kink.numbers is not None:
            x, y = kink.numbers
            if x is None or y is None:
                return any(self._moves(v) for v in (x, y) if v is not None)
            return x in self._active or y in self._active
        op = kink.size.owner
        if isinstance(op, ew.SelectOp):
            s = guarded_radicand(op)
            return s is None or self._moves(s)
        return isinstance(op, Operation) and any(map(self._moves, own_operands(op)))

    def _moves(self, value: Value) -> bool:
        """Tell if elements of a value may move where they are 0."""
        if value not in self._active:
            return False
        op = value.owner
        match op:
            case ew.AddOp() if is_form(value):
                return self._moves(op.lhs) or self._moves(op.rhs)
            case ew.DivOp():
                return self._moves(op.lhs)
            case ew.MulOp() | DotOp():
                x = vector_of_form(op)
                parts = [x] if x is not None else [v for v in (op.lhs, op.rhs) if is_form(v)]
                return any(map(self._moves, parts or [op.lhs, op.rhs]))
            case ReduceOp() | SumOp():
                return self._moves(op.operand)
            case _ if isinstance(op, _NEVER_ZERO):
                return False
            case _ if isinstance(op, _SCALES):
                return self._moves(own_operands(op)[0])
            case _ if isinstance(op, MOVES):
                return any(map(self._moves, sources(op)))
            case _:
                return True


def rests(b: ArrayBuilder, kink: Kink, env: Environment) -> Value | None:
    """The elements of a kink that are 0 whatever is read, emitted with `b`; `None` if none are known."""
    resting = _Resting(b, env)
    if kink.numbers is not None:
        x, y = kink.numbers
        return resting.of_difference(x, y) if x is not None and y is not None else resting.of(x or y)
    op = kink.size.owner
    match op:
        case ew.SelectOp():
            return resting.of(guarded_radicand(op))
        case CustomOp():
            resting.inside.update(zip(op.body.block.args, own_operands(op), strict=True))
            return resting.of(yields(op.body)[1])
        case _:
            return resting.of(kink.size)


@dataclass
class _Resting:
    """Emits where elements of values are 0 whatever is read."""

    b: ArrayBuilder
    env: Environment
    inside: Environment = field(default_factory=dict[Value, Value])
    """The operands that arguments of a region stand for."""

    def of(self, value: Value | None) -> Value | None:
        """The mask of a value; `None` if no such element is known."""
        b, op = self.b, None if value is None else self.inside.get(value, value).owner
        match op:
            case ew.SubOp():
                return self.of_difference(op.lhs, op.rhs)
            case ew.MulOp():
                found = [mask for mask in map(self.of, dict.fromkeys((op.lhs, op.rhs))) if mask is not None]
                return reduce(partial(b.binary, ew.OrOp), found) if found else None
            case ew.AddOp() | ew.HypotOp():
                one, other = self.of(op.lhs), self.of(op.rhs)
                return None if one is None or other is None else b.logical_and(one, other)
            case ew.DivOp():
                return self.of(op.lhs)
            case SumOp() | ReduceOp():
                return self._all(op.operand, values_of(op.dims))
            case DotOp() if op.lhs is op.rhs and is_inner(op):
                return self._all(op.lhs, op.contract[0])
            case _ if isinstance(op, _SCALES):
                return self.of(own_operands(op)[0])
            case _ if isinstance(op, CHOICES) and not op.regions:
                inner = self.of(sources(op)[0])
                return None if inner is None else moved(b, op, [inner], self.env)
            case _:
                return None

    def of_difference(self, x: Value, y: Value) -> Value | None:
        """Return where two arrays have the same element of a third one."""
        b = self.b
        (source, to_x), (other, to_y) = (_moves_of(v) for v in (x, y))
        shape = shape_of(source)
        if source is not other or not all(map(is_static, shape)):
            return None
        positions = b.reshape(b.iota((prod(shape),), 0), shape)
        found = [positions, positions]
        for k, moves in enumerate((to_x, to_y)):
            for op in moves:
                found[k] = moved(b, op, [found[k]], self.env)
        return b.compare("eq", *found)

    def _all(self, value: Value, dims: Sequence[int]) -> Value | None:
        mask = self.of(value)
        return None if mask is None else self.b.reduce("and", mask, dims)


def _moves_of(value: Value) -> tuple[Value, list[Operation]]:
    """The array that moves take the elements of a value from, and these, first to last."""
    moves: list[Operation] = []
    while isinstance(value.owner, CHOICES) and not value.owner.regions:
        moves.append(value.owner)
        value = sources(value.owner)[0]
    return value, moves[::-1]
