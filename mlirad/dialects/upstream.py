"""Upstream's dialect `arith` with the op that xDSL's lacks.

%r = arith.remf %x, %y : f64
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition


@irdl_op_definition
class RemFOp(arith.FloatingPointLikeBinaryOperation):
    """The remainder of division truncated towards 0, with the sign of the dividend."""

    name = "arith.remf"


Arith = Dialect("arith", [*arith.Arith.operations, RemFOp], list(arith.Arith.attributes))
