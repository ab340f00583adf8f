"""Computed zeros: the shadow of a value says of each element, if it is 0, whether by chance.

    0, a literal                      no: nothing moves, or nothing is taken
    select c, x, 0                    where c holds, and x's shadow does
    x y                               where the shadows of both do
    x + y, sum of x                   where that of one does
    exp(x), any other function        yes

A shadow is a boolean where it is the same for all elements, else an array of booleans of the value's shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias, cast

from xdsl.dialects.builtin import f64, i1
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import MOVES
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.shapes import Value, array_type, is_boolean, is_float, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import own_operands
from mlirad.ir.moves import moved, sources

Shadow: TypeAlias = bool | Value


class Shadows:
    """The shadows of the values of a program that is emitted."""

    def __init__(self, b: ArrayBuilder):
        self.b = b
        self._known: dict[Value, Shadow] = {}

    def of(self, value: Value) -> Shadow:
        """The shadow of a value. Where nothing is known of it, none of its zeros was computed."""
        number = self.b.scalar_of(value)
        if number is not None:
            return number != 0
        known = self._known.get(value)
        return self.b.compare("ne", value, self.b.zeros(value.type)) if known is None else known

    def enter(self, value: Value, shadow: Shadow) -> None:
        """Note the shadow of a value, unless it has one."""
        self._known.setdefault(value, shadow)

    def enter_computed(self, values: Iterable[Value]) -> None:
        """Note that all zeros of these values were computed."""
        self._known.update((v, True) for v in values if is_float(v))

    def known(self, value: Value) -> Shadow | None:
        """The shadow of a value, if it has one."""
        return self._known.get(value) if is_float(value) else None

    def array(self, value: Value) -> Value:
        """The shadow as an array of booleans."""
        shadow = self.of(value)
        return self.b.splat(shadow, array_type(shape_of(value), i1)) if isinstance(shadow, bool) else shadow

    def follow(self, op: Operation, env: Environment) -> None:
        """Note the shadow of what `env` has for the result of an op."""
        result = env[op.results[0]]
        if not is_float(result) or self.b.scalar_of(result) is not None:
            return
        operands = [env.get(o, o) for o in own_operands(op)]
        rule = _RULES.get(type(op))
        if isinstance(op, MOVES):
            self.enter(result, self._moved(op, operands, env))
        elif rule is not None:
            self.enter(result, rule(self, op, operands))
        elif isinstance(op, ew.ElementwiseOp):
            self.enter(result, True)

    def _moved(self, op: Operation, operands: Sequence[Value], env: Environment) -> Shadow:
        """The same elements of the shadow; what is added at borders is not taken."""
        parts = operands[: len(sources(op))]
        if all(self.of(part) is True for part in parts):
            return True
        return moved(self.b, op, [self.array(part) for part in parts], env)

    # Booleans that may be known ------------------------------------------------------------------

    def both(self, x: Shadow, y: Shadow) -> Shadow:
        """The conjunction."""
        if isinstance(x, bool):
            return y if x else False
        if isinstance(y, bool):
            return x if y else False
        return self.b.logical_and(x, y)

    def either(self, x: Shadow, y: Shadow) -> Shadow:
        """The disjunction."""
        if isinstance(x, bool):
            return True if x else y
        if isinstance(y, bool):
            return True if y else x
        return self.b.binary(ew.OrOp, x, y)


# Rules ---------------------------------------------------------------------------------------------


def _first(s: Shadows, op: Operation, o: Sequence[Value]) -> Shadow:
    return s.of(o[0])


def _sum(s: Shadows, op: Operation, o: Sequence[Value]) -> Shadow:
    return s.either(s.of(o[0]), s.of(o[1]))


def _product(s: Shadows, op: Operation, o: Sequence[Value]) -> Shadow:
    return s.both(s.of(o[0]), s.of(o[1]))


def _choice(s: Shadows, op: Operation, o: Sequence[Value]) -> Shadow:
    condition, x, y = o
    if s.of(x) is True and s.of(y) is True:
        return True
    return s.b.select(condition, s.array(x), s.array(y))


def _converted(s: Shadows, op: Operation, o: Sequence[Value]) -> Shadow:
    """Return where a boolean is false, its number says that something is not taken."""
    if is_boolean(o[0]):
        return o[0]
    return s.of(o[0]) if is_float(o[0]) else True


def _total(s: Shadows, op: Operation, o: Sequence[Value]) -> Shadow:
    shadow = s.of(o[0])
    return shadow if isinstance(shadow, bool) else s.b.reduce("or", shadow, values_of(cast(SumOp, op).dims))


def _contraction(s: Shadows, op: Operation, o: Sequence[Value]) -> Shadow:
    """Return where one of the products that are added up has a shadow."""
    if all(s.of(v) is True for v in o):
        return True
    x, y = (s.b.convert(s.array(v), f64) for v in o)
    op = cast(DotOp, op)
    (lhs_batch, rhs_batch), (lhs_contract, rhs_contract) = op.batch, op.contract
    count = s.b.dot(x, y, lhs_batch, rhs_batch, lhs_contract, rhs_contract)
    return s.b.compare("gt", count, s.b.zeros(count.type))


_RULES: Final[dict[type[Operation], Callable[[Shadows, Operation, Sequence[Value]], Shadow]]] = {
    **dict.fromkeys((ew.NegOp, ew.DivOp), _first),
    **dict.fromkeys((ew.AddOp, ew.SubOp), _sum),
    **dict.fromkeys((ew.MulOp, ew.AbsorbingMulOp), _product),
    ew.SelectOp: _choice,
    ew.ConvertOp: _converted,
    SumOp: _total,
    DotOp: _contraction,
}
"""The rules by the op; any other function of numbers computes what it gives, except for those below."""
