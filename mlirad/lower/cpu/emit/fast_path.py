"""The fast path of a kernel body: what it computes for most blocks of iterations, with less work.

    %c = array.compare gt %i, 0          true for all lanes, unless the block is the first one
    %a = kernel.load_if %c, %x[%i - 1]   an unguarded load
    %p = array.absorbing_mul %a, %b      a product, unless it makes a result NaN

Inside of an array the guards of its borders are constants. A product in which zeros absorb differs from a
plain one only where that is NaN; so plain ones will do if every NaN that they make would be seen in what the
body yields, and none is. Where either does not hold, the block is computed as the body says. Reductions in
registers lose no NaN: if only products are assumed to be plain, it is enough to test the totals.

    inside?  --- yes --->  fast path  --- no NaN --->  results
       |                                   |              |
       no ------------> general path <--- NaN             |
                              '---------------------------'

Scalars in a loop have a fast path, too: a trip that multiplies what the trip before has made would wait for
comparisons with 0, where the test for NaN is foreseen.

Of small arrays many blocks lie at borders. There is a path for these, too, where products are plain.

An absorbed zero has either sign. With a sign of its own, `absorbing_mul` would need two compares and two
masks wherever it stands. As it is, a plain product is right unless it is NaN, so kernels multiply first and
test their results; for a sum, which is NaN if a term is, one test replaces those of all terms. The price is a
second computation where derivatives are NaN or a zero does absorb an infinity, and the time to compile it:
kernels with little work have none.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from math import prod
from typing import Final

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import LoadIfOp
from mlirad.dialects.shapes import Value as Ssa
from mlirad.dialects.shapes import is_float
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies.body import Body
from mlirad.lower.bodies.code import BodyCode
from mlirad.lower.bodies.elementwise import kind_of
from mlirad.lower.bodies.nan_tests import KEEP_NAN
from mlirad.lower.cpu.emit.guards import Condition, truths_inside
from mlirad.lower.cpu.emit.kernels import cost_of
from mlirad.lower.cpu.emit.schedule import NestSchedule
from mlirad.lower.llvm.text import IRBuilder, Value, constant, undefined
from mlirad.lower.machine import INSTRUCTION, SECOND_PATH

MOST_INSTRUCTIONS: Final = 1000
"""The longest body that is written twice."""

LEAST_BORDER: Final = 1 / 8
"""The part of the blocks that lie at borders from which on these have a path of their own."""

LEAST_SAVED: Final = 2
LEAST_SHARE: Final = 1 / 12
"""How many instructions, and which part of the body, a fast path has to save."""


@dataclass(frozen=True)
class FastPath:
    """The assumptions about a body: the truth of guards where all `conditions` hold, and that the absorbing
    `products` are plain ones.

    With `tests_totals` reductions in registers are computed under these assumptions, of which none are about
    guards, and only their totals are tested for NaN. With `at_borders` the products are assumed to be plain
    where the conditions do not hold, too.
    """

    truths: Mapping[Ssa, bool]
    conditions: Sequence[Condition]
    products: Container[Operation]
    tests_totals: bool
    at_borders: bool = False

    @classmethod
    def of(cls, body: Body, schedule: NestSchedule, runs: int, *, reduces: bool = False) -> FastPath | None:
        """The fast path of a body that runs so many times; None if it would not pay.

        `reduces`: the loops that the schedule has inside of a store are reductions.
        """
        order, lane, width = schedule.order, schedule.lane, schedule.width
        needed = body.needed(body.yielded)
        inner = [op for op in needed if not order or order[-1] in body.dependences[op.results[0]]]
        cost = cost_of(inner)
        if cost > MOST_INSTRUCTIONS:
            return None
        in_registers = reduces and schedule.outer < len(order)
        products = _products_that_show(body, inner)
        truths, conditions = truths_inside(body, needed, lane, width)
        ways: list[FastPath] = []
        blocks = nominal(prod(body.extents)) / width * runs
        if conditions:
            border = _border(body, conditions, lane, width)
            plain = cls({}, (), products, tests_totals=False)
            gain = plain._saved(body, inner, schedule) if products else 0.0
            at_borders = border >= LEAST_BORDER and border * blocks * gain * INSTRUCTION >= SECOND_PATH
            ways.append(cls(truths, conditions, products, tests_totals=False, at_borders=at_borders))
        if products and (in_registers or not conditions):
            ways.append(cls({}, (), products, tests_totals=in_registers))
        if not ways:
            return None
        saved = [way._saved(body, inner, schedule) for way in ways]
        most = max(saved)
        pays = most >= max(LEAST_SAVED, LEAST_SHARE * cost) and blocks * most * INSTRUCTION >= SECOND_PATH
        return ways[saved.index(most)] if pays else None

    def _saved(self, body: Body, inner: Sequence[Operation], schedule: NestSchedule) -> float:
        """The instructions saved: masks and their vectors of positions, and absorption; tests take some."""
        saved = 0.0
        for op in inner:
            in_lanes = schedule.lane is not None and schedule.lane in body.dependences[op.results[0]]
            match op:
                case ew.AbsorbingMulOp() if op in self.products:
                    saved += 3
                case ew.CompareOp() if op.result in self.truths:
                    saved += 2 if in_lanes else 1
                case LoadIfOp() if op.guard in self.truths:
                    saved += 1
                case ew.SelectOp() if op.condition in self.truths:
                    saved += 1
                case _:
                    pass
        if self.conditions:
            saved -= 2 + len(self.conditions) / 2
        if self.products:
            saved -= (1 + len(body.yielded) / 2) / self._blocks_of_test(body, schedule)
        return saved

    def _blocks_of_test(self, body: Body, schedule: NestSchedule) -> float:
        """Return how many blocks of iterations one test is for."""
        if not self.tests_totals:
            return 1.0
        terms = nominal(prod(body.extents[d] for d in schedule.order[schedule.outer :]))
        at_once = schedule.copies * (schedule.width if schedule.lane_is_reduced else 1)
        return max(1.0, terms / at_once)

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

        def fast(truths: Mapping[Ssa, bool]) -> list[Value]:
            """The values, and whether they are right."""
            with code.assuming(truths, self.products):
                found = computed()
            return [*found, f.not_(any_nan(f, found)) if self.products else constant("i1", 1)]

        if self.conditions:
            start = [undefined(kind_of(v), width[v]) for v, _ in wanted]
            is_inside = self._is_inside(code, u)
            with f.conditional(is_inside, [*start, constant("i1", 0)]) as inside:
                inside.give(*fast(self.truths))
            found = inside.results
            if self.at_borders:
                f.work = work
                with f.conditional(f.not_(is_inside), found) as border:
                    border.give(*fast({}))
                found = border.results
            *given, holds = found
        else:
            *given, holds = fast(self.truths)
        f.work = work
        with f.conditional(f.not_(holds), given, unlikely=True) as otherwise, code.assuming({}, ()):
            otherwise.give(*computed())
        for (value, j), result in zip(wanted, otherwise.results, strict=True):
            code.set(value, result, j, u)

    def _is_inside(self, code: BodyCode, u: int) -> Value:
        """Return whether all conditions hold in all lanes of the current block."""
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


def _border(body: Body, conditions: Sequence[Condition], lane: int | None, width: int) -> float:
    """Return which part of the blocks of iterations lies at borders, roughly: one of a loop for each
    condition.
    """
    inside = 1.0
    for d, extent in enumerate(body.extents):
        blocks = max(1.0, nominal(extent) / (width if d == lane else 1))
        borders = sum(any(variable == d for variable, _ in terms) for terms, _ in conditions)
        inside *= max(0.0, 1 - borders / blocks)
    return 1 - inside


def _products_that_show(body: Body, inner: Sequence[Operation]) -> set[Operation]:
    """The absorbing products whose NaNs show in what the body yields, if all of these are plain.

    A NaN shows if an op that keeps it takes it to a result that shows. On a side of a selection it does if it
    is selected, so the value may go nowhere else, where its NaN would count unseen.
    """
    certain, hidden = set(body.yielded), set[Ssa]()
    products: set[Operation] = set()
    for op in reversed(inner):
        result = op.results[0]
        shows = is_float(result) and (result in certain or result not in hidden)
        if isinstance(op, ew.AbsorbingMulOp) and shows:
            products.add(op)
        keeps = isinstance(op, (*KEEP_NAN, ew.AbsorbingMulOp, ew.SelectOp)) or (
            isinstance(op, ew.ConvertOp) and is_float(op.operand)
        )
        if not (shows and keeps):
            hidden.update(op.operands)
        elif isinstance(op, ew.SelectOp):
            hidden.add(op.condition)
        elif result in certain:
            certain.update(op.operands)
    return products


def any_nan(f: IRBuilder, values: Sequence[Value]) -> Value:
    """Return whether any float is NaN; one comparison tests two of them."""
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
