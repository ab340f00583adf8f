"""Functions of their inverses: exp(log(x)) = x, sin(arcsin(x)) = x, and their kind.

    exp(log(x)), exp2(log2(x))            x                 NaN where x < 0
    exp(n log(x)), n = 2, 3, 4            x^n               NaN where x < 0
    expm1(log1p(x))                       x                 NaN where x < -1
    sin(asin(x)), cos(acos(x)), tanh(atanh(x)), erf(erfinv(x))    x     NaN where |x| > 1
    cosh(acosh(x))                        x                 NaN where x < 1

The inverse has an infinite derivative at the end of its domain, where that of the function is 0. Nothing is
rewritten the other way round, as in log(exp(x)), where the inner function may overflow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.ir.structural import scalar_of
from mlirad.passes.smooth_identities.products import power
from mlirad.passes.smooth_identities.roots import unless

_POWERS = (2, 3, 4)
"""The powers that are products of a few factors."""


def below(bound: float) -> Callable[[ArrayBuilder, Value], Value]:
    """Return where x is less than a number."""
    return lambda b, x: b.compare("lt", x, b.splat(bound, x.type))


def _beyond_one(b: ArrayBuilder, x: Value) -> Value:
    return b.compare("gt", b.unary(ew.AbsOp, x), b.splat(1.0, x.type))


INVERSES: Final[dict[type[Operation], tuple[type[Operation], Callable[[ArrayBuilder, Value], Value]]]] = {
    ew.ExpOp: (ew.LogOp, below(0.0)),
    ew.Exp2Op: (ew.Log2Op, below(0.0)),
    ew.Expm1Op: (ew.Log1pOp, below(-1.0)),
    ew.SinOp: (ew.AsinOp, _beyond_one),
    ew.CosOp: (ew.AcosOp, _beyond_one),
    ew.TanhOp: (ew.AtanhOp, _beyond_one),
    ew.ErfOp: (ew.ErfinvOp, _beyond_one),
    ew.CoshOp: (ew.AcoshOp, below(1.0)),
}
"""The inverse of a function, and where that is NaN."""


def undone(b: ArrayBuilder, op_class: type[Operation], x: Value) -> Value | None:
    """The function of x, where x is its inverse of something; `None` where it is not."""
    inverse, is_outside = INVERSES[op_class]
    n, inner = _multiple(x.owner) if op_class is ew.ExpOp else (1, x.owner)
    if not isinstance(inner, inverse):
        return None
    (inside,) = own_operands(inner)
    found = unless(b, is_outside(b, inside), power(b, inside, n))
    return b.add(found, b.zeros(found.type)) if op_class in (ew.ExpOp, ew.Exp2Op) else found  # never -0


def _multiple(op: Operation | object) -> tuple[int, object]:
    """The whole number that something is multiplied by, and what makes it."""
    if isinstance(op, ew.MulOp):
        for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            number = scalar_of(one)
            if number in _POWERS:
                return int(number), other.owner
    return 1, op
