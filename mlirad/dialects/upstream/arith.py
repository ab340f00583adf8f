"""Additions to xDSL's `arith` and `math`, and functions of the C library that stand for ops.

    %r = arith.remf %x, %y : f64
    %s = func.call @hypot(%x, %y) : (f64, f64) -> f64         @hypotf on f32

Upstream programs call what `math` has no op for: such a function is declared, without a body.
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects import arith
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition

from mlirad.dialects.array import elementwise as ew


@irdl_op_definition
class RemFOp(arith.FloatingPointLikeBinaryOperation):
    """The remainder of division truncated towards 0, with the sign of the dividend."""

    name = "arith.remf"


Arith = Dialect("arith", [*arith.Arith.operations, RemFOp], list(arith.Arith.attributes))

C_FUNCTIONS: Final[dict[str, type[ew.ElementwiseOp]]] = {
    "erfc": ew.ErfcOp,
    "lgamma": ew.LgammaOp,
    "hypot": ew.HypotOp,
}
"""The functions of the C library that elementwise ops are; on f32 their names end in f."""
