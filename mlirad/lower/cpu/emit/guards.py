"""Guards of a body that are constant inside of an array, and where that is.

    %c = array.compare gt %i, 0          true for all lanes of a block that does not begin at 0

A comparison of affine forms that has one truth in the middle of all loops has it wherever a sum of indices is
at least 0: its `Condition`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final

from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.extents import is_static, nominal
from mlirad.dialects.kernel import LoadOp, StripsOp
from mlirad.dialects.shapes import Value as Ssa
from mlirad.lower.bodies.body import Body
from mlirad.lower.bodies.elementwise import kind_of

_MIDDLE: Final = (2, 5)
"""The eighths of a loop between which a guard has to be constant, so that most blocks lie inside."""

_FAR: Final = 1 << 62
"""Beyond this, sums of indices are not trusted to be what they are without wrapping."""

Condition = tuple[tuple[tuple[int | Ssa, int], ...], int]
"""A sum of coefficients of loops, of the kernel and around it, and a constant: at least 0 for all lanes."""


def truths_inside(
    body: Body, ops: Sequence[Operation], lane: int | None, width: int
) -> tuple[dict[Ssa, bool], list[Condition]]:
    """Booleans that are constant inside, and the conditions that hold there, for blocks of so many lanes."""
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
    """A loop of the kernel, or the value itself where it says how far a loop around the kernel is."""
    loop = body.loop_of(value)
    return value if loop is None and _extent_around(value) is not None else loop


def _extent(body: Body, variable: int | Ssa) -> int:
    """Return how far a loop of the kernel, or one around it, reaches."""
    extent = body.extents[variable] if isinstance(variable, int) else _extent_around(variable)
    assert extent is not None
    return nominal(extent)


def _extent_around(value: Ssa) -> int | None:
    """The extent of the loop around the kernel of which a value is the trip, or a strip's first row."""
    owner = value.owner
    if not isinstance(owner, LoadOp) or not isinstance(owner.buffer.owner, Block):
        return None
    loop = owner.buffer.owner.parent_op()
    if owner.buffer is not owner.buffer.owner.args[0]:
        return None
    return loop.rows if isinstance(loop, StripsOp) else loop.trips if isinstance(loop, ScanOp) else None


_IMPLIED: Final = {
    "ge": ((True, 1, 0), (False, -1, -1)),
    "gt": ((True, 1, -1), (False, -1, 0)),
    "le": ((True, -1, 0), (False, 1, -1)),
    "lt": ((True, -1, -1), (False, 1, 0)),
    "eq": ((False, 1, -1), (False, -1, -1)),
    "ne": ((True, 1, -1), (True, -1, -1)),
}
"""How a comparison of a form with 0 has a truth where sign * form + offset >= 0: truth, sign, offset."""
