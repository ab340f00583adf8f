"""Operators on Python numbers: exact comparisons, booleans that count, lists that are repeated.

int32 array < 2**31      -->  compared in int64                  True + True      -->  2
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import BOOL, I32, I64, Dtype, Kind
from mlirad.frontend.tracing.operations import Operand, kind_of
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.ir.arrays import ArrayBuilder

ARITHMETIC = frozenset(
    (
        np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.power,
        np.negative, np.positive, np.absolute, np.invert, np.left_shift, np.right_shift,
    )
)  # fmt: skip
"""The operators that Python computes with integers in place of booleans."""

COMPARISONS: dict[np.ufunc, bool] = {
    np.equal: False,
    np.not_equal: True,
    np.less: True,
    np.less_equal: True,
    np.greater: False,
    np.greater_equal: False,
}
"""The comparisons, and what comes out where the second operand is larger than any value of the first."""


def as_numbers(kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Between Python scalars, booleans are integers."""
    if any(isinstance(k, np.dtype) for k in kinds):
        return kinds
    return tuple(int if k is bool else k for k in kinds)


def order_beyond(ufunc: np.ufunc, operands: Sequence[Operand]) -> bool | None:
    """The result of comparing integers with a Python integer that 64 bits do not hold, `None` for others."""
    for place, (x, other) in enumerate(zip(operands, reversed(operands), strict=True)):
        if type(x) is int and not -(1 << 63) <= x < 1 << 63 and _dtype(other).kind in "bi":
            if ufunc in (np.equal, np.not_equal):
                return COMPARISONS[ufunc]
            return COMPARISONS[ufunc] == ((x > 0) == (place == 1))
    return None


def _dtype(operand: Operand) -> Dtype:
    return operand.dtype if isinstance(operand, Array | np.ndarray) else np.dtype(type(operand))


def wide_enough(b: ArrayBuilder, operands: Sequence[Operand], dtypes: tuple[Dtype, ...]) -> tuple[Dtype, ...]:
    """The dtypes to compare in, wide where a Python integer may not fit: these are compared exactly."""
    if dtypes[0] != I32:
        return dtypes
    for x in operands:
        if kind_of(x) is int:
            low, high = b.ranges.bounds(x.value) if isinstance(x, Array) else (x, x)
            if low is None or high is None or low < -(1 << 31) or high >= 1 << 31:
                return (I64, I64, BOOL)
    return dtypes


def require_no_repetition(ufunc: np.ufunc, inputs: Sequence[Any]) -> None:
    """Raise for what Python does with a list and a number: `[x] * n` is a longer list."""
    for x in inputs:
        if isinstance(x, Array) and not x.ndim and (x.weak or (ufunc is np.multiply and x.dtype.kind == "i")):
            raise tracing_error(
                f"a list and the number {x!r}: Python repeats a list that is multiplied, and has no other "
                f"arithmetic on lists",
                "name the number in static_argnames if it gives a length; for arithmetic make the list "
                "an array: ad.stack(values) * n",
            )
