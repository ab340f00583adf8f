"""Positions as affine forms: kernel formation proves bounds by them, and others read them.

    affine(e) = constant + sum of coefficient * variable

over the indices of a region and all other integer values that are not themselves sums and multiples
(these are opaque variables). A form is read off the scalar ops of the body, so nothing has to be kept beside
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp, SizeOp
from mlirad.dialects.extents import at_most, is_static
from mlirad.dialects.shapes import Value, is_boolean, is_integer
from mlirad.ir.ranges import Ranges
from mlirad.lazy_dataclass import dataclass

_WRAP = 1 << 63

Terms: TypeAlias = frozenset[tuple[Value, int]]


@dataclass(frozen=True)
class Affine:
    """`constant + sum of coefficient * variable`, with non-zero coefficients."""

    terms: Terms
    constant: int

    def __add__(self, other: Affine) -> Affine:
        total = dict(self.terms)
        for variable, coefficient in other.terms:
            total[variable] = total.get(variable, 0) + coefficient
        return _affine(total, self.constant + other.constant)

    def times(self, factor: int) -> Affine:
        """The form multiplied by an integer."""
        if factor == 0:
            return Affine(frozenset(), 0)
        return Affine(frozenset((v, c * factor) for v, c in self.terms), self.constant * factor)

    def plus(self, constant: int) -> Affine:
        """The form with a constant added."""
        return Affine(self.terms, self.constant + constant)

    def coefficient(self, variable: Value) -> int:
        """The coefficient of a variable, 0 when it does not occur."""
        return next((c for v, c in self.terms if v is variable), 0)


def _affine(terms: Mapping[Value, int], constant: int) -> Affine:
    return Affine(frozenset((v, c) for v, c in terms.items() if c), constant)


@dataclass(frozen=True)
class Fact:
    """A form that is at least 0 where a condition holds.

    Values are integers modulo 2**64, so k - 5 >= 0 says nothing about k: it holds for the least integer. With
    `wrapped` the fact is about the value of that form modulo 2**64: about `wrapped` as it was computed, not
    as it is written.
    """

    form: Affine
    wrapped: Affine | None
    condition: Value

    def implies(self, bound: Affine) -> bool:
        """Return whether a form differs from this one by what is not negative."""
        return self.form.terms == bound.terms and at_most(self.form.constant, bound.constant)


class AffineForms:
    """The affine forms of the i64 scalars of one kernel body, memoised."""

    def __init__(self) -> None:
        self._known: dict[Value, Affine] = {}

    def of(self, value: Value) -> Affine:
        """The affine form of an integer scalar."""
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._read(value)
        return known

    def _read(self, value: Value) -> Affine:
        op = value.owner
        match op:
            case ConstantOp():
                return Affine(frozenset(), int(literal_array(op)))
            case SizeOp():
                return Affine(frozenset(), op.extent.data)
            case ew.AddOp():
                return self.of(op.lhs) + self.of(op.rhs)
            case ew.SubOp():
                return self.of(op.lhs) + self.of(op.rhs).times(-1)
            case ew.NegOp():
                return self.of(op.operand).times(-1)
            case ew.MulOp():
                lhs, rhs = self.of(op.lhs), self.of(op.rhs)
                if not lhs.terms:
                    return rhs.times(lhs.constant)
                if not rhs.terms:
                    return lhs.times(rhs.constant)
            case _:
                pass
        return Affine(frozenset({(value, 1)}), 0)

    def is_exact(self, value: Value, ranges: Ranges) -> bool:
        """Return whether the form is the value itself: where computing it may wrap, they only agree modulo
        2**64.
        """
        form = self.of(value)
        if not form.terms:
            return not is_static(form.constant) or -_WRAP <= form.constant < _WRAP
        return form == Affine(frozenset({(value, 1)}), 0) or ranges.interval(value) is not None

    def facts(self, condition: Value, ranges: Ranges) -> list[Fact]:
        """Return what is known when `condition` holds."""
        op = condition.owner
        if isinstance(op, ew.AndOp) and is_boolean(condition):
            return [*self.facts(op.lhs, ranges), *self.facts(op.rhs, ranges)]
        implied = self._implied(condition, ranges, holds=True)
        return [Fact(form, wrapped, condition) for form, wrapped in implied]

    def _implied(
        self, condition: Value, ranges: Ranges, *, holds: bool
    ) -> list[tuple[Affine, Affine | None]]:
        """The forms of facts when `condition` holds, or when it does not."""
        op = condition.owner
        match op:
            case ew.AndOp() if holds and is_boolean(condition):
                parts = op.lhs, op.rhs
                return [pair for part in parts for pair in self._implied(part, ranges, holds=True)]
            case ew.OrOp() if not holds and is_boolean(condition):
                parts = op.lhs, op.rhs
                return [pair for part in parts for pair in self._implied(part, ranges, holds=False)]
            case ew.NotOp() if is_boolean(condition):
                return self._implied(op.operand, ranges, holds=not holds)
            case ew.CompareOp() if is_integer(op.lhs):
                predicate = op.predicate.data if holds else _NEGATED[op.predicate.data]
                lhs, rhs = self.of(op.lhs), self.of(op.rhs)
                left_is_exact, right_is_exact = (self.is_exact(v, ranges) for v in op.operands)
                if left_is_exact and right_is_exact:
                    wrapped = None
                elif right_is_exact and not rhs.terms:
                    wrapped = lhs
                elif left_is_exact and not lhs.terms:
                    wrapped = rhs
                else:
                    return []
                return [(form, wrapped) for form in _at_least_zero(predicate, lhs + rhs.times(-1))]
            case _:
                return []


_NEGATED = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}


def _at_least_zero(predicate: str, difference: Affine) -> list[Affine]:
    match predicate:
        case "ge":
            return [difference]
        case "gt":
            return [difference.plus(-1)]
        case "le":
            return [difference.times(-1)]
        case "lt":
            return [difference.times(-1).plus(-1)]
        case "eq":
            return [difference, difference.times(-1)]
        case _:
            return []
