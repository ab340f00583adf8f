"""Code as a polynomial of degree 2 in one of the values that it reads.

    f(a) = f(0) + f'(0) a + f''(0) / 2 a^2 + ...        where a is 0, as |x| is at x = 0

The code is emitted once more, on a symbol for a, with its Taylor coefficients (`taylor`); then 0 takes the
place of the symbol, and what is constant folds. Where a is an array, the code works element by element; where
it is one number, the code may be of any ops with a derivative, as all elements depend on a. Such code of an
array has coefficients along a direction, at the value of a.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, Block, Operation

from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.indexing import MOVES, YieldOp
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp
from mlirad.dialects.shapes import Value, is_float, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.regions import nested_ops
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.taylor.control import JET_RULES
from mlirad.passes.taylor.jets import Jets
from mlirad.passes.taylor.stand_ins import StandInOp, settle
from mlirad.rules.derivatives import DERIVATIVES, ZERO
from mlirad.rules.elementwise_derivatives import BINARY, UNARY

Symbol: TypeAlias = Callable[[ArrayBuilder, Value, Sequence[Value]], Value]
"""`(b, a, operands) -> what a value is in terms of a and of the operands of its op`."""

ELEMENTWISE: Final = (*UNARY, *BINARY, ew.MaxOp, ew.MinOp, ew.SelectOp, ew.ConvertOp, ew.SpecialOp, *MOVES)
"""The ops that code of an array may consist of."""

CONTROL: Final = (control.ScanOp, control.WhileOp, control.IfOp, control.SwitchOp, CheckpointOp)


def is_followed(op: Operation, *, alone: bool = False) -> bool:
    """Tell if an op may be part of such code; `alone` says that a is one number."""
    if not any(map(is_float, op.results)):
        return False
    if not alone:
        return _is_elementwise(op) if isinstance(op, CustomOp) else isinstance(op, ELEMENTWISE)
    return _has_series(op) and all(
        _has_series(inner) or type(inner) in ZERO or isinstance(inner, YieldOp)
        for region in op.regions
        for inner in nested_ops(region)
    )


def _has_series(op: Operation) -> bool:
    """Tell if an op has Taylor coefficients by itself, what its regions hold aside."""
    if isinstance(op, control.WhileOp):
        return op.tape is None
    return isinstance(op, (CustomOp, *CONTROL)) or type(op) in DERIVATIVES


def _is_elementwise(op: CustomOp) -> bool:
    """Tell if there is one result whose elements depend only on the elements at their positions."""
    shape = shape_of(op.results[0])
    if len(op.results) > 1 or op.forward_rule is None or any(shape_of(v) != shape for v in own_operands(op)):
        return False
    return all(
        isinstance(inner, ew.ElementwiseOp | ConstantOp | CustomOp | YieldOp)
        or (isinstance(inner, BroadcastOp) and not shape_of(inner.operand))
        for region in op.regions
        for inner in nested_ops(region)
    )


@dataclass(frozen=True)
class Polynomial:
    """The coefficients of a value in a; `None` stands for 0."""

    constant: Value
    linear: Value | None
    quadratic: Value | None


def polynomials(
    b: ArrayBuilder,
    ops: Sequence[Operation],
    values: Sequence[Value],
    symbols: Mapping[Value, Symbol],
    env: Environment,
    degree: int = 2,
    line: tuple[Value, Value] | None = None,
) -> list[Polynomial]:
    """The polynomials of values that `ops` compute from what `env` knows; emitted with `b`.

    `symbols` has those values, all of one type, that are functions of a by themselves. Coefficients beyond
    the degree are left out. Those along a line are in t, where a is the first value of the line plus t times
    the second. Raises `DifferentiationError` where an op has no derivative, as some special functions.
    """
    code = Code(next(iter(symbols)).type, symbols, degree, along=line is not None)
    for op in ops:
        code.enter(op)
    return code.emitted(b, values, env, line)


class Code:
    """Code on a symbol, which takes in op after op, and the coefficients of its values."""

    def __init__(
        self, type_: Attribute, symbols: Mapping[Value, Symbol], degree: int, *, along: bool = False
    ):
        self._symbols, self._degree = symbols, degree
        self._block = Block(arg_types=[type_, type_] if along else [type_])
        self._b = ArrayBuilder(self._block)
        self._leaves: list[Value] = []
        self._jets = Jets(self._b, degree, _never, JET_RULES, CONSTRUCTS)
        direction = self._block.args[1] if along else self._b.splat(1.0, type_)
        self._jets.enter(self._block.args[0], [direction, *[None] * (degree - 1)])
        self._zero = _AtZero(type_, self._block)

    def enter(self, op: Operation) -> None:
        """Take in an op; what it reads that no op before has made is a constant."""
        jets = self._jets
        for v in free_values(op):
            if v not in jets.env:
                number = scalar_of(v)
                jets.env[v] = self._leaf(v) if number is None else self._b.splat(number, v.type)
        result = op.results[0]
        if result in self._symbols:
            operands = [jets.env[o] for o in own_operands(op)]
            jets.env[result] = self._symbols[result](self._b, self._block.args[0], operands)
        else:
            jets.transform([op])

    def _leaf(self, value: Value) -> Value:
        self._leaves.append(value)
        return self._block.insert_arg(value.type, len(self._block.args))

    def depends(self, value: Value) -> bool:
        """Tell if a value that has been computed depends on a."""
        return self._jets.is_moving(value)

    def is_even(self, value: Value) -> bool:
        """Tell if the derivative of a value at 0 is known to be 0."""
        slope = self._jets.coefficient(self._jets.value(value), 1)
        return slope is None or scalar_of(self._zero.of(slope)) == 0

    def emitted(
        self,
        b: ArrayBuilder,
        values: Sequence[Value],
        env: Environment,
        line: tuple[Value, Value] | None = None,
    ) -> list[Polynomial]:
        """The polynomials of values, emitted with `b`; ends the use of this object."""
        block = self._block
        found = [self._coefficients(v) for v in values]
        block.add_op(ReturnOp.create(operands=[c for row in found for c in row if c is not None]))
        settle(block, None)
        erase_unused(block)
        start = (b.zeros(block.args[0].type),) if line is None else line
        arguments = [*start, *(env.get(v, v) for v in self._leaves)]
        made = iter(b.inline_block(block, arguments, {}))
        placed = [[None if c is None else next(made) for c in row] for row in found]
        self._zero.drop()
        block.erase()
        return [
            Polynomial(b.zeros(v.type) if row[0] is None else row[0], *(_unless_zero(c) for c in row[1:3]))
            for v, row in zip(values, placed, strict=True)
        ]

    def _coefficients(self, value: Value) -> list[Value | None]:
        inside = self._jets.value(value)
        known = [self._jets.coefficient(inside, k) for k in range(self._degree + 1)]
        return [*known, None, None]


class _AtZero:
    """The values of the ops of a block where its first argument is 0, as far as they are known."""

    def __init__(self, type_: Attribute, source: Block):
        self._source = source
        self._block = Block()
        self._b = ArrayBuilder(self._block)
        self._env: Environment = {source.args[0]: self._b.zeros(type_)}
        self._last: Operation | None = None

    def of(self, value: Value) -> Value:
        """The value with 0 in the place of the argument."""
        for op in self._new():
            if isinstance(op, StandInOp):
                self._env[op.result] = self._env.get(op.operand, op.operand)
            else:
                self._b.rebuild(op, self._env)
        return self._env.get(value, value)

    def drop(self) -> None:
        """End the use of this object."""
        self._block.erase()

    def _new(self) -> Iterable[Operation]:
        op = self._source.first_op if self._last is None else self._last.next_op
        while op is not None:
            self._last = op
            yield op
            op = op.next_op


def _unless_zero(value: Value | None) -> Value | None:
    return None if value is None or scalar_of(value) == 0 else value


def _never(name: str, group: tuple[int, ...], order: int) -> str:
    raise AssertionError("code with calls is not followed")
