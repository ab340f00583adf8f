"""Partial derivatives of the scalar ops, as numbers: textbook formulas in double precision.

    PARTIALS[MulOp](op, (x, y), z)          (y, x)

An entry returns one factor per operand; `ONE` is the factor 1 of an operand that is merely added or kept,
which needs no `Scale`. Operands and the result are arrays of one shape in double precision. The numbers at
points without a derivative are the language's conventions (`docs/generated/special-points.md`); the formulas
are chosen without regard to the ones that the compiler emits, and where possible differ from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log, pi, sqrt
from typing import Any, TypeAlias

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.deltas.special_partials import special_partials
from mlirad.packages import scipy_module

Factor: TypeAlias = Array | None

ONE: Factor = None
"""The factor 1, without a node."""

Partials: TypeAlias = Callable[[Any, Sequence[Array], Array], tuple[Factor, ...]]
"""`(op, operands, result) -> a factor per operand`."""


def _special(name: str, *operands: Any) -> Array:
    """A function of `scipy.special`, which is slow to import, imported when it is first needed."""
    return getattr(scipy_module("special"), name)(*operands)


def _by(derivative: Callable[[Array], Array]) -> Partials:
    return lambda op, operands, result: (derivative(operands[0]),)


def _by_both(derivatives: Callable[[Array, Array], tuple[Factor, Factor]]) -> Partials:
    return lambda op, operands, result: derivatives(operands[0], operands[1])


def _logistic_slope(x: Array) -> Array:
    decay = np.exp(-np.abs(x))
    return decay / (1 + decay) ** 2


def _polygamma(op: ew.PolygammaOp, operands: Sequence[Array], result: Array) -> tuple[Factor, ...]:
    return (_special("polygamma", op.order.value.data + 1, operands[0]),)


def _pow(x: Array, y: Array) -> tuple[Factor, Factor]:
    by_base = np.where(y == 0, 0.0, y * np.power(x, y - 1))
    by_exponent = np.where((x == 0) & (y >= 0), 0.0, np.power(x, y) * np.log(x))
    return by_base, by_exponent


def _hypot(x: Array, y: Array) -> tuple[Factor, Factor]:
    angle = np.arctan2(y, x)
    at_origin = (x == 0) & (y == 0)
    return np.where(at_origin, 0.0, np.cos(angle)), np.where(at_origin, 0.0, np.sin(angle))


def _atan2(y: Array, x: Array) -> tuple[Factor, Factor]:
    square = x * x + y * y
    return np.where(square == 0, 0.0, x / square), np.where(square == 0, 0.0, -y / square)


def _rem(x: Array, y: Array) -> tuple[Factor, Factor]:
    """`floor_divide` and not the floor of x / y, which rounds 2.0 / 0.4 up to 5 where 0.4 goes in 4 times."""
    return ONE, np.where(y == 0, np.nan, -np.floor_divide(x, y))


def _fmod(x: Array, y: Array) -> tuple[Factor, Factor]:
    times = np.sign(x) * np.sign(y) * np.floor_divide(np.abs(x), np.abs(y))
    return ONE, np.where(y == 0, np.nan, -times)


def _copysign(x: Array, y: Array) -> tuple[Factor, Factor]:
    return np.sign(x) * np.copysign(1.0, y), np.zeros_like(x)


def _maximum(x: Array, y: Array) -> tuple[Factor, Factor]:
    tie = (x == y) / 2
    return (x > y) + tie, (x < y) + tie


def _minimum(x: Array, y: Array) -> tuple[Factor, Factor]:
    by_x, by_y = _maximum(x, y)
    return by_y, by_x


PARTIALS: dict[type[ew.ElementwiseOp], Partials] = {
    ew.NegOp: _by(lambda x: np.full_like(x, -1.0)),
    ew.DeviationOp: _by(np.ones_like),
    ew.AbsOp: _by(np.sign),
    ew.ExpOp: _by(np.exp),
    ew.Exp2Op: _by(lambda x: log(2) * np.exp2(x)),
    ew.Expm1Op: _by(np.exp),
    ew.LogOp: _by(lambda x: 1 / x),
    ew.Log2Op: _by(lambda x: 1 / log(2) / x),
    ew.Log1pOp: _by(lambda x: 1 / (1 + x)),
    ew.SqrtOp: _by(lambda x: 1 / (2 * np.sqrt(x))),
    ew.RsqrtOp: _by(lambda x: -1 / (2 * x * np.sqrt(x))),
    ew.CbrtOp: _by(lambda x: 1 / (3 * np.cbrt(x) ** 2)),
    ew.SinOp: _by(np.cos),
    ew.CosOp: _by(lambda x: -np.sin(x)),
    ew.TanOp: _by(lambda x: 1 / np.cos(x) ** 2),
    ew.AsinOp: _by(lambda x: 1 / np.sqrt(1 - x * x)),
    ew.AcosOp: _by(lambda x: -1 / np.sqrt(1 - x * x)),
    ew.AtanOp: _by(lambda x: 1 / (1 + x * x)),
    ew.SinhOp: _by(np.cosh),
    ew.CoshOp: _by(np.sinh),
    ew.TanhOp: _by(lambda x: 1 / np.cosh(x) ** 2),
    ew.AsinhOp: _by(lambda x: 1 / np.hypot(1, x)),
    ew.AcoshOp: _by(lambda x: np.where(x < 1, np.nan, 1 / np.sqrt(x * x - 1))),
    ew.AtanhOp: _by(lambda x: 1 / (1 - x * x)),
    ew.ErfOp: _by(lambda x: 2 / sqrt(pi) * np.exp(-x * x)),
    ew.ErfcOp: _by(lambda x: -2 / sqrt(pi) * np.exp(-x * x)),
    ew.ErfinvOp: _by(lambda x: sqrt(pi) / 2 * np.exp(_special("erfinv", x) ** 2)),
    ew.LgammaOp: _by(lambda x: _special("digamma", x)),
    ew.PolygammaOp: _polygamma,
    ew.LogisticOp: _by(_logistic_slope),
    ew.SoftplusOp: _by(lambda x: 1 / (1 + np.exp(-x))),
    ew.AddOp: _by_both(lambda x, y: (ONE, ONE)),
    ew.SubOp: _by_both(lambda x, y: (ONE, np.full_like(y, -1.0))),
    ew.MulOp: _by_both(lambda x, y: (y, x)),
    ew.AbsorbingMulOp: _by_both(lambda x, y: (y, x)),
    ew.DivOp: _by_both(lambda x, y: (1 / y, -x / y / y)),
    ew.PowOp: _by_both(_pow),
    ew.Atan2Op: _by_both(_atan2),
    ew.HypotOp: _by_both(_hypot),
    ew.TanhSlopeOp: _by_both(lambda x, y: (-2 * np.sinh(x) / np.cosh(x) ** 3, np.zeros_like(y))),
    ew.LogisticSlopeOp: _by_both(lambda x, y: (-np.sinh(x / 2) / np.cosh(x / 2) ** 3 / 4, np.zeros_like(y))),
    ew.MaxOp: _by_both(_maximum),
    ew.MinOp: _by_both(_minimum),
    ew.RemOp: _by_both(_rem),
    ew.FmodOp: _by_both(_fmod),
    ew.CopysignOp: _by_both(_copysign),
    ew.SpecialOp: lambda op, operands, result: special_partials(op.function.data, operands, result),
}
"""The elementwise ops on floats that have a derivative."""

CONSTANT: frozenset[type[ew.ElementwiseOp]] = frozenset(
    (ew.SignOp, ew.FloorOp, ew.CeilOp, ew.RoundOp, ew.TruncOp, ew.StopGradientOp, ew.FloorDivOp)
)
"""Those from floats to floats that are constant between jumps, or count as constant."""
