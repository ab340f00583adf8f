"""Assumptions under which a body can be computed with less work: guards that hold, products that are plain.

    %c = array.compare gt %i, 0          true for all lanes, unless the block is the first one
    %a = kernel.load_if %c, %x[%i - 1]   an unguarded load
    %p = array.absorbing_mul %a, %b      a product, unless it makes a result NaN

Inside of an array the guards of its borders are constants. A product in which zeros absorb differs from a
plain one only where that is NaN; so plain ones will do if every NaN that they make would be seen in what the
body yields, and none is. The `fast_path` of a kernel names which of these are made:

    inside                  guards are what they are inside, products plain
    inside_and_borders      and at borders products are plain, too
    products                products are plain
    totals                  the same, and only sums in registers are tested for NaN, which they keep

A comparison of affine forms that is constant in the middle of all loops is so wherever a sum of indices, its
`Condition`, is at least 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.extents import is_static, nominal
from mlirad.dialects.kernel import LoadOp, StripsOp
from mlirad.dialects.kernel.schedules import CutLoops
from mlirad.dialects.shapes import Value as Ssa
from mlirad.dialects.shapes import is_float
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies.body import Body
from mlirad.lower.bodies.elementwise import kind_of
from mlirad.lower.bodies.nan_tests import KEEP_NAN

_MIDDLE: Final = (2, 5)
"""The eighths of a loop between which a guard has to be constant, so that most blocks lie inside."""

_FAR: Final = 1 << 62
"""Sums of indices beyond this may wrap, so no condition is drawn from them."""

Condition = tuple[tuple[tuple[int | Ssa, int], ...], int]
"""A sum of coefficients of loops, of the kernel and around it, and a constant: at least 0 for all lanes."""


@dataclass(frozen=True)
class Assumptions:
    """The truth of guards where all `conditions` hold, and the absorbing `products` that are plain ones.

    With `tests_totals` reductions in registers are computed under these assumptions, which are about no
    guards, and only their totals are tested for NaN. With `at_borders` the products are plain where the
    conditions do not hold, too.
    """

    truths: Mapping[Ssa, bool]
    conditions: Sequence[Condition]
    products: frozenset[Operation]
    tests_totals: bool = False
    at_borders: bool = False

    @classmethod
    def named(cls, name: str, body: Body, loops: CutLoops, *, reduces: bool) -> Assumptions | None:
        """The assumptions of a fast path; None if there is nothing in the body to assume.

        `reduces`: the loops inside of a store are reductions.
        """
        products = products_that_show(body, innermost(body, loops))
        if name in ("products", "totals"):
            tests_totals = name == "totals"
            if not products or (tests_totals and not sums_in_registers(loops, reduces=reduces)):
                return None
            return cls({}, (), products, tests_totals)
        truths, conditions = truths_inside(body, body.needed(body.yielded), loops.lane, loops.width)
        return (
            cls(truths, conditions, products, at_borders=name == "inside_and_borders") if conditions else None
        )

    @property
    def name(self) -> str:
        """The fast path that makes these assumptions."""
        if not self.conditions:
            return "totals" if self.tests_totals else "products"
        return "inside_and_borders" if self.at_borders else "inside"


def innermost(body: Body, loops: CutLoops) -> list[Operation]:
    """The ops that the innermost loop computes."""
    needed, order = body.needed(body.yielded), loops.order
    return [op for op in needed if not order or order[-1] in body.dependences[op.results[0]]]


def sums_in_registers(loops: CutLoops, *, reduces: bool) -> bool:
    """Return whether the innermost loops are reductions, whose sums are in registers."""
    return reduces and loops.outer < len(loops.order)


def products_that_show(body: Body, inner: Sequence[Operation]) -> frozenset[Operation]:
    """The absorbing products whose NaNs show in what the body yields, if all of these are plain.

    A NaN shows if an op that keeps it takes it to a result that shows. A selection keeps the NaN of the side
    that it selects, so this value must have no other use, where its NaN would count unseen.
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
    return frozenset(products)


def truths_inside(
    body: Body, ops: Sequence[Operation], lane: int | None, width: int
) -> tuple[dict[Ssa, bool], list[Condition]]:
    """Booleans that are constant inside, and the conditions that hold there, for blocks of `width` lanes."""
    truths: dict[Ssa, bool] = {}
    conditions: list[Condition] = []
    least: dict[tuple[tuple[int | Ssa, int], ...], int] = {}
    for op in ops:
        match op:
            case ew.CompareOp() if kind_of(op.lhs) == "i64":
                found = _inside(body, op, lane, width)
                if found is None:
                    continue
                truths[op.result], (terms, number) = found
                if not is_static(number):
                    conditions.append((terms, number))
                else:
                    least[terms] = min(number, least.get(terms, number))
            case ew.NotOp() if op.operand in truths:
                truths[op.result] = not truths[op.operand]
            case ew.AndOp() | ew.OrOp() if kind_of(op.result) == "i1":
                known = {truths.get(op.lhs), truths.get(op.rhs)}
                decisive = isinstance(op, ew.OrOp)
                if decisive in known:
                    truths[op.result] = decisive
                elif None not in known:
                    truths[op.result] = not decisive
            case _:
                pass
    return truths, [*conditions, *least.items()]


def _inside(body: Body, op: ew.CompareOp, lane: int | None, width: int) -> tuple[bool, Condition] | None:
    """The truth of a comparison in the middle of all loops, and its condition; None if it varies there."""
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
    """A loop of the kernel, or the value itself where it says how far a loop around the kernel is."""
    loop = body.loop_of(value)
    return value if loop is None and _extent_around(value) is not None else loop


def _extent(body: Body, variable: int | Ssa) -> int:
    """The nominal extent of a loop of the kernel, or of one around it."""
    extent = body.extents[variable] if isinstance(variable, int) else _extent_around(variable)
    assert extent is not None
    return nominal(extent)


def _extent_around(value: Ssa) -> int | None:
    """The extent of the loop around the kernel whose index, or a strip's first row, is this value."""
    owner = value.owner
    if not isinstance(owner, LoadOp) or not isinstance(owner.buffer.owner, Block):
        return None
    loop = owner.buffer.owner.parent_op()
    if owner.buffer is not owner.buffer.owner.args[0]:
        return None
    return loop.rows if isinstance(loop, StripsOp) else loop.iterations if isinstance(loop, ScanOp) else None


_IMPLIED: Final = {
    "ge": ((True, 1, 0), (False, -1, -1)),
    "gt": ((True, 1, -1), (False, -1, 0)),
    "le": ((True, -1, 0), (False, 1, -1)),
    "lt": ((True, -1, -1), (False, 1, 0)),
    "eq": ((False, 1, -1), (False, -1, -1)),
    "ne": ((True, 1, -1), (True, -1, -1)),
}
"""The truths of a comparison of a form with 0, each where sign * form + offset >= 0: truth, sign, offset."""
