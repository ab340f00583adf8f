"""Code with the Taylor coefficients of its values: the series table, applied op by op.

    %y = array.exp %x        -->        %y = array.exp %x
                                        %1 = array.mul %x1, %y
                                        %2 = ...                      (x1 y1 + 2 x2 y) / 2

Coefficients belong to values of the code that is emitted, and are computed when they are asked for, order by
order: the factor of exp is its result, that of sin a cosine, whose factor is that sine, so recurrences meet
themselves as the builder shares equal ops. Of an op that has no factor the tangent is emitted, by forward
mode, along a value that stands for dx/dt; k times the coefficient k of the result is its coefficient k - 1.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, TypeAlias, TypeVar

from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Operation

from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value, is_float
from mlirad.ir.arrays import ArrayBuilder, Environment, Images
from mlirad.ir.free_values import free_values, own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dual_arrays.duals import Construct
from mlirad.passes.tangents.control import FORWARD_RULES
from mlirad.passes.tangents.forward_mode import ForwardMode
from mlirad.passes.taylor.stand_ins import stand_in
from mlirad.rules.derivatives import READS_POSITIONS, ZERO
from mlirad.rules.series import (
    BY_DERIVATIVE,
    FACTORED,
    SERIES,
    by_factors,
    factor_of,
    has_own_rule,
    multiplied,
)

K = TypeVar("K")
V = TypeVar("V")

Callee: TypeAlias = Callable[[str, tuple[int, ...], int], str]
"""From the name of a function, the operands that have coefficients, and the order, to a function of these."""

JetRule: TypeAlias = "Callable[[Jets, Any], None]"
"""Emits an op with regions or a call, and enters its results and their coefficients."""


class _Tangents(ForwardMode):
    """Forward mode in which the tangents of calls are ops that name the function."""

    def _call(self, op: CallOp) -> None:
        self._by_maps(op, [v for v in own_operands(op) if v in self.tangents])


Order: TypeAlias = tuple[Value, int]
"""A value with an order, or with the place of an operand of the op that makes it."""


class Known:
    """Coefficients and factors of the values visible in one region, on top of those known around it."""

    def __init__(self, around: Known | None = None):
        self.coefficients: ChainMap[Order, Value | None] = _more(around and around.coefficients)
        self.active: ChainMap[Value, bool] = _more(around and around.active)
        self.factors: ChainMap[Order, Value | None] = _more(around and around.factors)
        self.tangents: ChainMap[Value, Value] = _more(around and around.tangents)
        """The tangents of results of ops without factors, which give the coefficients."""
        self.equal: ChainMap[Value, Value] = _more(around and around.equal)
        """Values that have the coefficients of others."""
        self.moving: ChainMap[Value, Value] = _more(around and around.moving)
        """Values that stand for dx/dt, with x."""
        self.speeds: ChainMap[Value, Value] = _more(around and around.speeds)


def _more(known: ChainMap[K, V] | None) -> ChainMap[K, V]:
    return ChainMap() if known is None else known.new_child()


@dataclass
class Jets(Images):
    """The values that stand for source values, and their coefficients up to `order`."""

    b: ArrayBuilder
    order: int
    callee: Callee
    control: Mapping[type[Operation], JetRule]
    constructs: Mapping[type[Operation], Construct]
    env: Environment = field(default_factory=dict[Value, Value])
    known: Known = field(default_factory=Known)

    # Coefficients ----------------------------------------------------------------------------------

    def is_moving(self, source: Value) -> bool:
        """Tell whether the value that stands for a source value has coefficients that are not 0."""
        return self.is_active(self.value(source))

    def is_active(self, value: Value) -> bool:
        """Tell whether a value depends on those that were given coefficients."""
        known = self.known.active.get(value)
        if known is None:
            owner = value.owner
            known = (
                isinstance(owner, Operation)
                and is_float(value)
                and type(owner) not in ZERO
                and any(map(self.is_active, _reads(owner)))
            )
            self.known.active[value] = known
        return known

    def enter(self, value: Value, coefficients: Sequence[Value | None]) -> None:
        """Give a value its coefficients, from order 1 on."""
        self.known.active[value] = True
        for k, coefficient in enumerate(coefficients, 1):
            self.known.coefficients[value, k] = coefficient

    def enter_input(self, source: Value, value: Value, coefficients: Sequence[Value]) -> None:
        """Let a source value be `value`, with these coefficients, literal zeros left out."""
        b = self.b
        own = self.env[source] = stand_in(b, value)
        self.enter(own, [None if b.scalar_of(c) == 0 else c for c in coefficients])

    def jet(self, source: Value) -> list[Value]:
        """The coefficients of what a source value became, zeros written out."""
        value = self.value(source)
        found = (self.coefficient(value, k) for k in range(1, self.order + 1))
        return [self.b.zeros(value.type) if c is None else c for c in found]

    def coefficient(self, value: Value, k: int) -> Value | None:
        """The coefficient of order k, `None` for 0."""
        if k == 0:
            return value
        if not self.is_active(value):
            return None
        known = self.known.coefficients
        if (value, k) not in known:
            known[value, k] = self._computed(value, k)
        return known[value, k]

    def _computed(self, value: Value, k: int) -> Value | None:
        b, known = self.b, self.known
        if value in known.equal:
            return self.coefficient(known.equal[value], k)
        if value in known.moving:
            part = self.coefficient(known.moving[value], k + 1)
            return None if part is None else b.scaled(part, k + 1)
        if value in known.tangents:
            part = self.coefficient(known.tangents[value], k - 1)
            return None if part is None else b.scaled(part, 1 / k)
        op = value.owner
        assert isinstance(op, Operation)
        product = multiplied(b, op)
        if product is not None and product is not value:
            known.equal[value] = product
        elif has_own_rule(b, op):
            return SERIES[type(op)](b, op, self.coefficient, k)
        elif type(op) in FACTORED:
            return by_factors(b, op, [self._factor(op, n) for n in range(len(own_operands(op)))],
                              self.coefficient, k)  # fmt: skip
        elif type(op) in self.control:
            self._repeat(op, k)
        else:
            self._differentiate(op, {})
        return self._computed_or_known(value, k)

    def _computed_or_known(self, value: Value, k: int) -> Value | None:
        known = self.known.coefficients
        return known[value, k] if (value, k) in known else self._computed(value, k)

    def _factor(self, op: Operation, place: int) -> Value | None:
        """The factor of an operand that has coefficients."""
        key, factors = (op.results[0], place), self.known.factors
        if key not in factors:
            is_needed = self.is_active(own_operands(op)[place])
            factors[key] = factor_of(self.b, op, place) if is_needed else None
        return factors[key]

    # Ops without factors -----------------------------------------------------------------------------

    def _differentiate(self, op: Operation, env: Environment) -> None:
        """Emit an op with the tangents of its results; `env` has what its source values became."""
        tangents = _Tangents(self.b, _never, FORWARD_RULES, self.constructs, dict(env))
        for source in free_values(op):
            value = env.get(source, source)
            if self.is_active(value):
                tangents.tangents[source] = self._speed(value)
        tangents.transform([op])
        for result in op.results:
            value, tangent = tangents.value(result), tangents.tangents.get(result)
            env[result] = value
            if tangent is None:
                self.known.active[value] = False
            elif (value, 1) not in self.known.coefficients:
                self.known.tangents[value] = tangent
                self.known.active[value] = True
            if value is not result and self.known.active.get(result):
                self.known.equal[result] = value

    def _speed(self, value: Value) -> Value:
        """The stand-in for the derivative of a value by t, with coefficients from those of the value."""
        speeds = self.known.speeds
        if value not in speeds:
            first = self.coefficient(value, 1)
            speed = speeds[value] = stand_in(self.b, self.b.zeros(value.type) if first is None else first)
            self.known.moving[speed] = value
            self.known.active[speed] = True
        return speeds[value]

    def _repeat(self, op: Operation, k: int) -> None:
        """Emit an op with regions again, with the coefficients of its results up to order k."""
        order, env = self.order, self.env
        self.order, self.env = k, {}
        try:
            self.control[type(op)](self, op)
            made = [(r, self.env[r], self.jet(r) if is_float(r) else []) for r in op.results]
        finally:
            self.order, self.env = order, env
        for result, _, coefficients in made:
            self.enter(result, coefficients)

    # Code ------------------------------------------------------------------------------------------

    @contextmanager
    def region(self) -> Generator[None]:
        """Forget at the end of the `with` block the coefficients that were computed in it."""
        outside, env = self.known, self.env
        self.known, self.env = Known(outside), dict(env)
        try:
            yield
        finally:
            self.known, self.env = outside, env

    def transform(self, ops: Iterable[Operation]) -> None:
        """Emit ops with the coefficients of their results, up to a terminator."""
        for op in ops:
            if isinstance(op, YieldOp | ReturnOp):
                return
            self.b.location, self.b.name_hint = op.location, None
            moves = type(op) not in ZERO and any(map(self.is_moving, _reads(op)))
            if moves and type(op) in self.control:
                self.control[type(op)](self, op)
            elif moves and (type(op) in BY_DERIVATIVE or type(op) in self.constructs):
                self._differentiate(op, self.env)
            else:
                self.b.rebuild(op, self.env)
            self.b.name_hint = None
            for result in op.results:
                for k in range(1, self.order + 1):
                    self.coefficient(self.value(result), k)


def _reads(op: Operation) -> Sequence[Value]:
    """The values that the results of an op can move with."""
    return own_operands(op) if type(op) in READS_POSITIONS else free_values(op)


def _never(name: str, group: tuple[int, ...]) -> str:
    raise AssertionError("calls are differentiated by maps")
