"""The fast path of a kernel body: what it computes for most blocks of iterations, with less work.

    %c = array.compare gt %i, 0          true for all lanes, unless the block is the first one
    %a = kernel.load_if %c, %x[%i - 1]   an unguarded load
    %p = array.absorbing_mul %a, %b      a product, unless it makes a result NaN

Inside of an array the guards of its borders are constants. A product in which zeros absorb differs from a
plain one only where that is NaN; so plain ones will do if every NaN that they make would be seen in what the
body yields, and none is. Where either does not hold, the block is computed as the body says.

    inside?  --- yes --->  fast path  --- no NaN --->  results
       |                                   |              |
       no ------------> general path <--- NaN             |
                              '---------------------------'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Final

from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.extents import is_static, nominal
from mlirad.dialects.kernel import LoadIfOp, LoadOp, StripsOp
from mlirad.dialects.shapes import Value as Ssa
from mlirad.dialects.shapes import is_float
from mlirad.lower.emit.body import Body
from mlirad.lower.emit.code import BodyCode
from mlirad.lower.emit.elementwise import kind_of
from mlirad.lower.emit.kernels import cost_of
from mlirad.lower.emit.schedule import NestSchedule
from mlirad.lower.llvm_text import IRBuilder, Value, constant, undefined
from mlirad.lower.machine import INSTRUCTION, SECOND_PATH

MOST_INSTRUCTIONS: Final = 1000
"""The longest body that is written twice."""

LEAST_SAVED: Final = 2
LEAST_SHARE: Final = 1 / 12
"""How many instructions, and which part of the body, a fast path has to save."""

_MIDDLE: Final = (2, 5)
"""The eighths of a loop between which a guard has to be constant, so that most blocks lie inside."""

_FAR: Final = 1 << 62
"""Beyond this, sums of indices are not trusted to be what they are without wrapping."""

_KEEP_NAN: Final = (
    *(ew.NegOp, ew.StopGradientOp, ew.AbsOp, ew.AddOp, ew.SubOp, ew.MulOp, ew.DivOp, ew.MaxOp, ew.MinOp),
    *(ew.SqrtOp, ew.ExpOp, ew.LogOp, ew.SinOp, ew.CosOp, ew.TanhOp),
)
"""Ops on floats that are NaN wherever an operand is."""

_Condition = tuple[tuple[tuple[int | Ssa, int], ...], int]
"""A sum of coefficients of loops, and of starts of strips, and a constant: to be at least 0 for all lanes."""


@dataclass
class FastPath:
    """What is assumed of a body: the truth of guards where all `conditions` hold, and that the absorbing
    `products` are plain ones. `saved` is how many instructions that saves.
    """

    truths: dict[Ssa, bool] = field(default_factory=dict[Ssa, bool])
    conditions: list[_Condition] = field(default_factory=list[_Condition])
    products: set[Operation] = field(default_factory=set[Operation])
    saved: float = 0.0

    @classmethod
    def of(cls, body: Body, schedule: NestSchedule, runs: int) -> FastPath | None:
        """The fast path of a body that runs so many times; None if it would not pay."""
        order, lane, width = schedule.order, schedule.lane, schedule.width
        if not order:
            return None
        needed = body.needed(body.yielded)
        inner = [op for op in needed if order[-1] in body.dependences[op.results[0]]]
        cost = cost_of(inner)
        if cost > MOST_INSTRUCTIONS:
            return None
        path = cls()
        path._find_truths(body, needed, lane, width)
        path._find_products(body, inner)
        path._estimate(body, inner, lane, in_registers=schedule.outer < len(order))
        if not path.conditions and not path.products:
            return None
        blocks = nominal(prod(body.extents)) / width * runs
        pays = path.saved >= max(LEAST_SAVED, LEAST_SHARE * cost)
        return path if pays and blocks * path.saved * INSTRUCTION >= SECOND_PATH else None

    def _find_truths(self, body: Body, needed: Sequence[Operation], lane: int | None, width: int) -> None:
        """Booleans that are constant inside, and where that is."""
        least: dict[tuple[tuple[int | Ssa, int], ...], int] = {}
        for op in needed:
            match op:
                case ew.CompareOp() if kind_of(op.lhs) == "i64":
                    found = _inside(body, op, lane, width)
                    if found is None:
                        continue
                    self.truths[op.result], (terms, number) = found
                    if not is_static(number):
                        self.conditions.append((terms, number))
                    else:
                        least[terms] = min(number, least.get(terms, number))
                case ew.NotOp() if op.operand in self.truths:
                    self.truths[op.result] = not self.truths[op.operand]
                case ew.AndOp() | ew.OrOp() if kind_of(op.result) == "i1":
                    known = {self.truths.get(op.lhs), self.truths.get(op.rhs)}
                    decisive = isinstance(op, ew.OrOp)
                    if decisive in known:
                        self.truths[op.result] = decisive
                    elif None not in known:
                        self.truths[op.result] = not decisive
                case _:
                    pass
        self.conditions += least.items()

    def _find_products(self, body: Body, inner: Sequence[Operation]) -> None:
        """The products whose NaNs show in what the body yields: those that only go into ops which keep them,
        or into a side of a selection, where they count only if they are selected.
        """
        results = {op.results[0] for op in inner}
        hidden: set[Ssa] = set()
        for op in reversed(inner):
            result = op.results[0]
            shows = is_float(result) and result not in hidden
            if isinstance(op, ew.AbsorbingMulOp) and shows:
                self.products.add(op)
            keeps = isinstance(op, (*_KEEP_NAN, ew.AbsorbingMulOp, ew.SelectOp)) or (
                isinstance(op, ew.ConvertOp) and is_float(op.operand)
            )
            for operand in op.operands:
                if operand in results and not (shows and keeps):
                    hidden.add(operand)
            if isinstance(op, ew.SelectOp):
                hidden.add(op.condition)

    def _estimate(
        self, body: Body, inner: Sequence[Operation], lane: int | None, *, in_registers: bool
    ) -> None:
        """The instructions that are saved: masks and their vectors of positions, and absorption.

        Of sums in registers only the totals are tested, if products are all that is assumed.
        """
        for op in inner:
            in_lanes = lane is not None and lane in body.dependences[op.results[0]]
            match op:
                case ew.AbsorbingMulOp() if op in self.products:
                    self.saved += 3
                case ew.CompareOp() if op.result in self.truths:
                    self.saved += 2 if in_lanes else 1
                case LoadIfOp() if op.guard in self.truths:
                    self.saved += 1
                case ew.SelectOp() if op.condition in self.truths:
                    self.saved += 1
                case _:
                    pass
        if self.conditions:
            self.saved -= 2 + len(self.conditions) / 2
        if self.products and (self.conditions or not in_registers):
            self.saved -= 1 + len(body.yielded) / 2

    def write(self, code: BodyCode, values: Sequence[Ssa], u: int) -> None:
        """Write both paths in the innermost loop for one of its unrolled copies, and say in the code what the
        values are there.
        """
        f = code.f
        wanted = [(v, j) for v in values for j in range(code.tiles_of(v))]
        width = {v: code.width if code.lane in code.body.dependences[v] else 1 for v in values}
        work = f.work

        def computed() -> list[Value]:
            return [f.widen(code.get(v, j, u), width[v]) for v, j in wanted]

        def fast() -> list[Value]:
            """The values, and whether they are right."""
            with code.assuming(self.truths, self.products):
                found = computed()
            return [*found, f.not_(any_nan(f, found)) if self.products else constant("i1", 1)]

        if self.conditions:
            start = [undefined(kind_of(v), width[v]) for v, _ in wanted]
            with f.conditional(self._is_inside(code, u), [*start, constant("i1", 0)]) as inside:
                inside.give(*fast())
            *given, holds = inside.results
        else:
            *given, holds = fast()
        f.work = work
        with f.conditional(f.not_(holds), given, unlikely=True) as otherwise, code.assuming({}, ()):
            otherwise.give(*computed())
        for (value, j), result in zip(wanted, otherwise.results, strict=True):
            code.set(value, result, j, u)

    def _is_inside(self, code: BodyCode, u: int) -> Value:
        """Whether all conditions hold in all lanes of the current block."""
        f = code.f
        inside = constant("i1", 1)
        for terms, number in self.conditions:
            total = f.value(number, "i64")
            for variable, coefficient in terms:
                is_loop = isinstance(variable, int)
                index = code.first(variable, 0, u) if is_loop else code.get(variable)
                total = f.add(total, f.mul(index, coefficient))
                if is_loop and coefficient < 0:
                    total = f.add(total, coefficient * (code.block(variable) - 1))
            inside = f.and_(inside, f.icmp("sge", total, 0))
        return inside


def any_nan(f: IRBuilder, values: Sequence[Value]) -> Value:
    """Whether any float is NaN; one comparison tests two of them."""
    waiting: dict[tuple[str, int], Value] = {}
    tests: dict[int, Value] = {}

    def test(a: Value, b: Value) -> None:
        nan = f.fcmp("uno", a, b)
        tests[a.width] = f.or_(tests[a.width], nan) if a.width in tests else nan

    for value in values:
        if value.is_float:
            other = waiting.pop((value.kind, value.width), None)
            if other is None:
                waiting[value.kind, value.width] = value
            else:
                test(value, other)
    for value in waiting.values():
        test(value, value)
    found = constant("i1", 0)
    for mask in tests.values():
        found = f.or_(found, f.any_lane(mask))
    return found


def _inside(body: Body, op: ew.CompareOp, lane: int | None, width: int) -> tuple[bool, _Condition] | None:
    """The truth of a comparison in the middle of all loops, and what implies it; None if it varies there."""
    lhs, rhs = (body.form(value) for value in op.operands)
    form = lhs + rhs.times(-1)
    variables: dict[Ssa, int | Ssa] = {}
    for value, _ in (*lhs.terms, *rhs.terms):
        variable = _variable(body, value)
        if variable is None:
            return None
        variables[value] = variable
    if not form.terms:
        return None
    for side in (lhs, rhs, form):
        reach = sum(abs(c) * _extent(body, variables[v]) for v, c in side.terms)
        if abs(nominal(side.constant)) + reach >= _FAR:
            return None
    # Sums over loops in front, as a set has no order of its own.
    terms = sorted(
        ((variables[v], c) for v, c in form.terms),
        key=lambda term: (-1, term[0]) if isinstance(term[0], int) else (0, body.order_of(term[0])),
    )
    corners: list[tuple[int, ...]] = []
    for variable, _ in terms:
        first, last = (eighths * _extent(body, variable) // 8 for eighths in _MIDDLE)
        if variable == lane:
            first, last = first // width * width, last // width * width + width - 1
        corners.append((first, last))
    totals = [
        nominal(form.constant) + sum(c * i for (_, c), i in zip(terms, point, strict=True))
        for point in product(*corners)
    ]
    for truth, sign, offset in _IMPLIED[op.predicate.data]:
        if all(sign * total + offset >= 0 for total in totals):
            condition = tuple((v, sign * c) for v, c in terms), sign * form.constant + offset
            return truth, condition
    return None


def _variable(body: Body, value: Ssa) -> int | Ssa | None:
    """A loop, or the value itself where it is the start of a strip."""
    loop = body.loop_of(value)
    return value if loop is None and _strips_of(value) is not None else loop


def _extent(body: Body, variable: int | Ssa) -> int:
    """How far a loop, or the starts of strips, reach."""
    if isinstance(variable, int):
        return nominal(body.extents[variable])
    strips = _strips_of(variable)
    assert strips is not None
    return nominal(strips.rows)


def _strips_of(value: Ssa) -> StripsOp | None:
    """The strips whose start a value is."""
    owner = value.owner
    if not isinstance(owner, LoadOp) or not isinstance(owner.buffer.owner, Block):
        return None
    strips = owner.buffer.owner.parent_op()
    return strips if isinstance(strips, StripsOp) and owner.buffer is owner.buffer.owner.args[0] else None


_IMPLIED: Final = {
    "ge": ((True, 1, 0), (False, -1, -1)),
    "gt": ((True, 1, -1), (False, -1, 0)),
    "le": ((True, -1, 0), (False, 1, -1)),
    "lt": ((True, -1, -1), (False, 1, 0)),
    "eq": ((False, 1, -1), (False, -1, -1)),
    "ne": ((True, 1, -1), (True, -1, -1)),
}
"""How a comparison of a form with 0 has a truth where sign * form + offset >= 0: truth, sign, offset."""
