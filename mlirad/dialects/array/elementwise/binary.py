"""Functions of two operands of one type."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from mlirad.dialects.array.elementwise.classes import (
    BinaryOp,
)
from mlirad.dialects.shapes import (
    FLOATS,
    INTEGERS,
    INTEGERS_AND_BOOLEANS,
)


@irdl_op_definition
class AddOp(BinaryOp):
    """x + y; integers wrap."""

    name = "array.add"


@irdl_op_definition
class SubOp(BinaryOp):
    """x - y; integers wrap."""

    name = "array.sub"


@irdl_op_definition
class MulOp(BinaryOp):
    """x * y; integers wrap."""

    name = "array.mul"


@irdl_op_definition
class AbsorbingMulOp(BinaryOp):
    """k * dx, and 0 where either is 0, whatever the other is (infinite and NaN included).

    Such a 0 may have either sign. Both operands absorb, because in a second derivative each becomes the
    coefficient of the other's tangent.
    """

    name = "array.absorbing_mul"
    DOMAIN: ClassVar = FLOATS


@irdl_op_definition
class DivOp(BinaryOp):
    """x / y; integers truncate towards 0, and division by 0 gives 0."""

    name = "array.div"


@irdl_op_definition
class PowOp(BinaryOp):
    """x^y; an integer power with a negative exponent is 0."""

    name = "array.pow"


@irdl_op_definition
class Atan2Op(BinaryOp):
    """Angle of the point (y, x), in (-pi, pi]; operands in the order y, x."""

    name = "array.atan2"
    DOMAIN: ClassVar = FLOATS


@irdl_op_definition
class HypotOp(BinaryOp):
    """Sqrt(x^2 + y^2) without overflow."""

    name = "array.hypot"
    DOMAIN: ClassVar = FLOATS


@irdl_op_definition
class TanhSlopeOp(BinaryOp):
    """1 / cosh(x)^2, the derivative of tanh, also where tanh rounds to 1.

    The second operand is tanh(x), which mostly saves computing anything else; it decides nothing.
    """

    name = "array.tanh_slope"
    DOMAIN: ClassVar = FLOATS


@irdl_op_definition
class LogisticSlopeOp(BinaryOp):
    """e^-x / (1 + e^-x)^2, the derivative of the logistic function, also where that rounds to 1.

    The second operand is logistic(x), which mostly saves computing anything else; it decides nothing.
    """

    name = "array.logistic_slope"
    DOMAIN: ClassVar = FLOATS


@irdl_op_definition
class MaxOp(BinaryOp):
    """The larger; NaN if either is."""

    name = "array.max"


@irdl_op_definition
class MinOp(BinaryOp):
    """The smaller; NaN if either is."""

    name = "array.min"


@irdl_op_definition
class RemOp(BinaryOp):
    """x - y * floor(x / y), with the sign of y (NumPy's %); integers by 0 give 0."""

    name = "array.rem"


@irdl_op_definition
class FloorDivOp(BinaryOp):
    """Floor(x / y) (NumPy's //); integers by 0 give 0."""

    name = "array.floor_div"


@irdl_op_definition
class FmodOp(BinaryOp):
    """x - y * trunc(x / y), with the sign of x; integers by 0 give 0."""

    name = "array.fmod"


@irdl_op_definition
class CopysignOp(BinaryOp):
    """|x| with the sign of y."""

    name = "array.copysign"
    DOMAIN: ClassVar = FLOATS


@irdl_op_definition
class AndOp(BinaryOp):
    """Bitwise and."""

    name = "array.and"
    DOMAIN: ClassVar = INTEGERS_AND_BOOLEANS


@irdl_op_definition
class OrOp(BinaryOp):
    """Bitwise or."""

    name = "array.or"
    DOMAIN: ClassVar = INTEGERS_AND_BOOLEANS


@irdl_op_definition
class XorOp(BinaryOp):
    """Bitwise exclusive or."""

    name = "array.xor"
    DOMAIN: ClassVar = INTEGERS_AND_BOOLEANS


@irdl_op_definition
class ShiftLeftOp(BinaryOp):
    """x shifted left by y bits; 0 when y is negative or at least the width."""

    name = "array.shift_left"
    DOMAIN: ClassVar = INTEGERS


@irdl_op_definition
class ShiftRightOp(BinaryOp):
    """x shifted right by y bits keeping the sign; the sign alone when y is negative or at least the width."""

    name = "array.shift_right"
    DOMAIN: ClassVar = INTEGERS
