"""Selections of NaN where an operand is NaN, that what they select from is NaN anyway.

    select (is_nan x) nan (log(min(x, 1e300)) * 2)         log(min(x, 1e300)) * 2

Comparisons are false where an operand is NaN, all but that for inequality, so that what they select is known.
"""

from __future__ import annotations

from math import isnan
from typing import Final

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.shapes import Value, is_float

KEEP_NAN: Final = (
    *(ew.NegOp, ew.StopGradientOp, ew.AbsOp, ew.AddOp, ew.SubOp, ew.MulOp, ew.DivOp, ew.MaxOp, ew.MinOp),
    *(ew.SqrtOp, ew.ExpOp, ew.LogOp, ew.SinOp, ew.CosOp, ew.TanhOp),
)
"""Ops on floats that are NaN wherever an operand is."""

_FOLLOWED: Final = (*KEEP_NAN, ew.Log1pOp, ew.Expm1Op, ew.LgammaOp, ew.ErfOp, ew.ErfcOp)
"""Those that are followed, which one NaN is enough for."""

_MOST: Final = 200
"""The most ops that are followed."""


def without_nan_test(op: ew.SelectOp) -> Value | None:
    """The value that a selection of NaN where x is NaN has anyway, NaN where x is; None for any other op."""
    test = op.condition.owner
    if isinstance(test, ew.NotOp) and isinstance(test.operand.owner, ew.IsNanOp):
        x, chosen, other = test.operand.owner.operand, op.on_false, op.on_true
    elif isinstance(test, ew.IsNanOp):
        x, chosen, other = test.operand, op.on_true, op.on_false
    else:
        return None
    return other if _is_nan(chosen) and _Following(x).is_nan(other) else None


def _is_nan(value: Value) -> bool:
    owner = value.owner
    return isinstance(owner, ConstantOp) and is_float(value) and isnan(literal_array(owner).item())


class _Following:
    """The values known to be NaN where x is, and the conditions known there."""

    def __init__(self, x: Value):
        self._known: dict[Value, bool | None] = {x: True}

    def is_nan(self, value: Value) -> bool:
        """Tell whether a float is NaN there."""
        known = self._known.get(value)
        if known is None and value not in self._known and len(self._known) < _MOST:
            known = self._known[value] = self._find(value)
        return bool(known)

    def _find(self, value: Value) -> bool:
        op = value.owner
        if isinstance(op, _FOLLOWED) and is_float(value):
            return any(self.is_nan(o) for o in op.operands)
        if isinstance(op, ew.SelectOp):
            truth = self._truth(op.condition)
            if truth is None:
                return self.is_nan(op.on_true) and self.is_nan(op.on_false)
            return self.is_nan(op.on_true if truth else op.on_false)
        return _is_nan(value)

    def _truth(self, condition: Value) -> bool | None:
        """The value of a condition there, if it is known."""
        op = condition.owner
        if isinstance(op, ew.CompareOp) and is_float(op.lhs) and any(map(self.is_nan, op.operands)):
            return op.predicate.data == "ne"
        if isinstance(op, ew.IsNanOp | ew.IsFiniteOp) and self.is_nan(op.operand):
            return isinstance(op, ew.IsNanOp)
        if isinstance(op, ew.NotOp):
            truth = self._truth(op.operand)
            return None if truth is None else not truth
        if isinstance(op, ew.AndOp | ew.OrOp):
            decides = isinstance(op, ew.OrOp)
            truths = [self._truth(o) for o in op.operands]
            return decides if decides in truths else None if None in truths else not decides
        return None
