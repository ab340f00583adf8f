"""Fewer rounds: sums over rows that are linear in what an earlier round returns are taken apart.

    sum_i (a_i * c + b_i)  =  c * sum_i a_i + sum_i b_i            c is known after a round, a and b before

The sums of `a` and `b` need not wait for `c`. That is done where the function takes fewer rounds by it, and
changes rounding as `raise-contractions` does. The difference of data and what is computed of them, as in
`x - mean`, is not taken apart: large numbers would cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as changed

from xdsl.dialects.builtin import i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.array.structural import BroadcastOp, SizeOp
from mlirad.dialects.extents_attribute import ExtentAttr
from mlirad.dialects.shapes import Value, array_type, element_of, ints, is_float, shape_of, values_of
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.shard_rows.emission import before, replace
from mlirad.passes.shard_rows.flow import GROUP, Flow
from mlirad.passes.shard_rows.states import WHOLE, Rows, Whole

MOST_REWRITES = 64
"""The most sums of a function that are taken apart."""


@dataclass(frozen=True)
class Factor:
    """A factor without rows, of all dimensions but that of the rows: `op` of the sum and it."""

    op: type[Operation]
    value: Value


@dataclass(frozen=True)
class Term:
    """A term: its sign, rows that are known before, or 1, and its factors."""

    is_negative: bool
    rows: Value | None
    factors: tuple[Factor, ...]


def hoist(function: FuncOp, flow: Flow) -> bool:
    """Take one sum apart, in place; return False if no sum can be taken apart."""
    order = [v for v in flow.partials if flow.levels[v] > 1 and flow.partials[v] == "add"]
    for value in sorted(order, key=lambda v: flow.levels[v]):
        op = value.owner
        if isinstance(op, SumOp | DotOp) and is_float(value) and GROUP not in op.attributes:
            made = _Hoisting(flow, op, flow.levels[value] - 1).made()
            if made is not None:
                replace(op, made)
                erase_unused(function.body.block, GROUP)
                return True
    return False


class _Hoisting:
    """A sum or contraction over rows in a round, which reads what the round before returns."""

    def __init__(self, flow: Flow, op: SumOp | DotOp, level: int):
        self.flow = flow
        self.op = op
        self.level = level

    def made(self) -> Value | None:
        """The value by sums that need not wait, or None."""
        op = self.op
        if isinstance(op, SumOp):
            terms = self._worthwhile(op.operand)
            if terms is None:
                return None
            return self._total([self._summed(op, t) for t in terms])
        if op.batch[0] or len(op.contract[0]) != 1:
            return None
        known = [self._is_known(v) for v in (op.lhs, op.rhs)]
        if sorted(known) != [False, True]:
            return None
        other = op.lhs if known[1] else op.rhs
        terms = self._worthwhile(other)
        if terms is None:
            return None
        return self._total([self._contracted(op, other, t) for t in terms])

    # Taking apart --------------------------------------------------------------------------------

    def _worthwhile(self, value: Value) -> list[Term] | None:
        terms = self._terms(value)
        if terms is None or not any(t.factors for t in terms) or len(terms) > 8:
            return None
        return terms

    def _is_rows(self, value: Value) -> bool:
        return isinstance(self.flow.states.get(value), Rows)

    def _is_known(self, value: Value) -> bool:
        """Tell whether rows are known before the round."""
        return self._is_rows(value) and self.flow.levels.get(value, 1 << 30) < self.level

    def _dim(self, value: Value) -> int:
        state = self.flow.states[value]
        assert isinstance(state, Rows)
        return state.dim

    def _terms(self, value: Value) -> list[Term] | None:
        """The terms of rows, None for what is not linear in what the round before returns."""
        if self._is_known(value):
            return [Term(is_negative=False, rows=value, factors=())]
        op = value.owner
        if not self._is_rows(value) or not isinstance(op, Operation):
            return None
        operands = own_operands(op)
        if isinstance(op, BroadcastOp):
            whole = self._whole(value)
            return None if whole is None else [Term(False, None, (Factor(ew.MulOp, whole),))]
        if isinstance(op, ew.NegOp):
            return self._negated(self._terms(operands[0]))
        if isinstance(op, ew.AddOp | ew.SubOp):
            left, right = self._terms(operands[0]), self._terms(operands[1])
            if left is None or right is None:
                return None
            terms = left + (right if isinstance(op, ew.AddOp) else self._negated(right) or [])
            is_shift = any(t.rows is None for t in terms) and any(self._is_data(t) for t in terms)
            return None if is_shift else terms
        if isinstance(op, ew.MulOp | ew.AbsorbingMulOp):
            for a, b in (operands, operands[::-1]):
                made = self._scaled(a, b, type(op))
                if made is not None:
                    return made
        if isinstance(op, ew.DivOp):
            return self._scaled(operands[0], operands[1], ew.DivOp)
        return None

    def _negated(self, terms: list[Term] | None) -> list[Term] | None:
        return None if terms is None else [changed(t, is_negative=not t.is_negative) for t in terms]

    def _is_data(self, term: Term) -> bool:
        """Tell whether a term has rows as they come, from which a mean may be subtracted."""
        return not term.factors and term.rows is not None and self.flow.levels[term.rows] == 0

    def _scaled(self, value: Value, by: Value, op_class: type[Operation]) -> list[Term] | None:
        """The terms of a product, or quotient, with what has no rows or rows that are known."""
        whole = self._whole(by)
        if whole is None and not self._is_known(by):
            return None
        terms = self._terms(value)
        if terms is None:
            return None
        if whole is not None:
            return [changed(t, factors=(*t.factors, Factor(op_class, whole))) for t in terms]
        if op_class is ew.DivOp and any(t.rows is None for t in terms):
            return None
        made: list[Term] = []
        for term in terms:
            rows = by
            if term.rows is not None:
                rows = self._emit(op_class, [term.rows, by], term.rows.type)
                self._enter(rows, max(self.flow.levels[term.rows], self.flow.levels[by], 1), self._dim(by))
            made.append(changed(term, rows=rows))
        return made

    def _whole(self, value: Value) -> Value | None:
        """The value that is broadcast along rows, without this dimension; None for other values."""
        op = value.owner
        if not isinstance(op, BroadcastOp) or not self._is_rows(value):
            return None
        if not isinstance(self.flow.states.get(op.operand, WHOLE), Whole):
            return None
        dim, dims, shape = self._dim(value), values_of(op.dims), shape_of(value)
        rest = (*shape[:dim], *shape[dim + 1 :])
        if shape_of(op.operand) == rest and list(dims) == [d for d in range(len(shape)) if d != dim]:
            return op.operand
        places = tuple(d if d < dim else d - 1 for d in dims)
        return self._broadcast(op.operand, rest, places)

    # Putting together ----------------------------------------------------------------------------

    def _emit(
        self, op_class: type[Operation], operands: list[Value], type_: object, **properties: object
    ) -> Value:
        return before(self.op, op_class, operands, type_, properties)  # pyright: ignore[reportArgumentType]

    def _enter(self, value: Value, level: int, dim: int) -> None:
        """Note the state of new rows, for terms that are made of them."""
        self.flow.states[value] = Rows(dim)
        self.flow.levels[value] = level

    def _broadcast(self, value: Value, shape: Sequence[int], dims: Sequence[int]) -> Value:
        type_ = array_type(tuple(shape), element_of(value))
        return self._emit(BroadcastOp, [value], type_, dims=ints(tuple(dims)))

    def _summed(self, op: SumOp, term: Term) -> Value:
        """The sum of a term over the dimensions of the op."""
        dim, dims = self._dim(op.operand), values_of(op.dims)
        shape, element = shape_of(op.operand), element_of(op.operand)
        rest = (*shape[:dim], *shape[dim + 1 :])
        type_ = array_type(rest, element)
        if term.rows is None:
            total = self._number_of_rows(rest, element, shape[dim])
        else:
            total = self._emit(SumOp, [term.rows], type_, dims=ints((dim,)))
        total = self._with_factors(total, term, rest, range(len(rest)))
        others = tuple(d if d < dim else d - 1 for d in dims if d != dim)
        return self._emit(SumOp, [total], op.result.type, dims=ints(others)) if others else total

    def _number_of_rows(self, shape: tuple[int, ...], element: object, extent: int) -> Value:
        number = self._emit(SizeOp, [], i64, extent=ExtentAttr(extent))
        number = self._emit(ew.ConvertOp, [number], element)
        return self._broadcast(number, shape, ()) if shape else number

    def _contracted(self, op: DotOp, other: Value, term: Term) -> Value:
        """The contraction of a term with the operand that is known."""
        shape = shape_of(op.result)
        left = len(shape_of(op.lhs)) - 1
        is_left = other is op.lhs
        places = range(left) if is_left else range(left, len(shape))
        if term.rows is None:
            known, (dim,) = (op.rhs, op.contract[1]) if is_left else (op.lhs, op.contract[0])
            rest = [e for d, e in enumerate(shape_of(known)) if d != dim]
            total = self._emit(SumOp, [known], array_type(tuple(rest), element_of(known)), dims=ints((dim,)))
            free = [d for d in range(len(shape)) if d not in places]
            if tuple(rest) != shape:
                total = self._broadcast(total, shape, free)
        else:
            operands = [term.rows, op.rhs] if is_left else [op.lhs, term.rows]
            total = self._emit(DotOp, operands, op.result.type, **op.properties)
        return self._with_factors(total, term, shape, places)

    def _with_factors(self, total: Value, term: Term, shape: Sequence[int], places: Sequence[int]) -> Value:
        for factor in term.factors:
            value = factor.value
            if shape_of(value) != tuple(shape) or list(places) != list(range(len(shape))):
                value = self._broadcast(value, shape, places)
            total = self._emit(factor.op, [total, value], total.type)
        return self._emit(ew.NegOp, [total], total.type) if term.is_negative else total

    def _total(self, values: Sequence[Value]) -> Value:
        first, *rest = values
        for value in rest:
            first = self._emit(ew.AddOp, [first, value], first.type)
        return first
