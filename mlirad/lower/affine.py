"""Positions as affine forms: what kernel formation proves bounds with and scheduling decides from.

    affine(e) = constant + sum of coefficient * variable

over the loop indices of a kernel body and whatever other integer values are not sums and multiples
themselves (these are opaque variables). A form is read off the scalar ops of the body, so nothing has to be
carried beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.shapes import Value, is_boolean, is_integer

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

    @property
    def variables(self) -> list[Value]:
        """The variables that occur."""
        return [v for v, _ in self.terms]


def _affine(terms: Mapping[Value, int], constant: int) -> Affine:
    return Affine(frozenset((v, c) for v, c in terms.items() if c), constant)


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

    def constraints(self, condition: Value) -> list[tuple[Affine, Value]]:
        """Forms known to be at least 0 when `condition` holds, each with the conjunct that says so."""
        op = condition.owner
        if isinstance(op, ew.AndOp) and is_boolean(condition):
            return [*self.constraints(op.lhs), *self.constraints(op.rhs)]
        return [(form, condition) for form in self._implied(condition, holds=True)]

    def _implied(self, condition: Value, *, holds: bool) -> list[Affine]:
        """Forms at least 0 when `condition` holds, or when it does not."""
        op = condition.owner
        match op:
            case ew.AndOp() if holds and is_boolean(condition):
                return [*self._implied(op.lhs, holds=True), *self._implied(op.rhs, holds=True)]
            case ew.OrOp() if not holds and is_boolean(condition):
                return [*self._implied(op.lhs, holds=False), *self._implied(op.rhs, holds=False)]
            case ew.NotOp() if is_boolean(condition):
                return self._implied(op.operand, holds=not holds)
            case ew.CompareOp() if is_integer(op.lhs):
                predicate = op.predicate.data if holds else _NEGATED[op.predicate.data]
                difference = self.of(op.lhs) + self.of(op.rhs).times(-1)
                return _at_least_zero(predicate, difference)
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
