"""Functions of one operand."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise.classes import (
    FloatTestOp,
    UnaryOp,
)
from mlirad.dialects.shapes import (
    INTEGERS_AND_BOOLEANS,
    NUMBERS,
)


@irdl_op_definition
class NegOp(UnaryOp):
    """-x."""

    name = "array.neg"
    DOMAIN: ClassVar = NUMBERS


@irdl_op_definition
class AbsOp(UnaryOp):
    """|x|."""

    name = "array.abs"
    DOMAIN: ClassVar = NUMBERS


@irdl_op_definition
class SignOp(UnaryOp):
    """-1, 0 or 1 by the sign of x; NaN and signed zeros are kept."""

    name = "array.sign"
    DOMAIN: ClassVar = NUMBERS


@irdl_op_definition
class ExpOp(UnaryOp):
    """e^x."""

    name = "array.exp"


@irdl_op_definition
class Exp2Op(UnaryOp):
    """2^x."""

    name = "array.exp2"


@irdl_op_definition
class Expm1Op(UnaryOp):
    """e^x - 1, accurate near 0."""

    name = "array.expm1"


@irdl_op_definition
class LogOp(UnaryOp):
    """Natural logarithm."""

    name = "array.log"


@irdl_op_definition
class Log2Op(UnaryOp):
    """Logarithm to base 2."""

    name = "array.log2"


@irdl_op_definition
class Log1pOp(UnaryOp):
    """Log(1 + x), accurate near 0."""

    name = "array.log1p"


@irdl_op_definition
class SqrtOp(UnaryOp):
    """Square root."""

    name = "array.sqrt"


@irdl_op_definition
class RsqrtOp(UnaryOp):
    """1 / sqrt(x)."""

    name = "array.rsqrt"


@irdl_op_definition
class CbrtOp(UnaryOp):
    """Cube root, odd."""

    name = "array.cbrt"


@irdl_op_definition
class SinOp(UnaryOp):
    """Sine of x in radians."""

    name = "array.sin"


@irdl_op_definition
class CosOp(UnaryOp):
    """Cosine of x in radians."""

    name = "array.cos"


@irdl_op_definition
class TanOp(UnaryOp):
    """Tangent of x in radians."""

    name = "array.tan"


@irdl_op_definition
class AsinOp(UnaryOp):
    """Arc sine."""

    name = "array.asin"


@irdl_op_definition
class AcosOp(UnaryOp):
    """Arc cosine."""

    name = "array.acos"


@irdl_op_definition
class AtanOp(UnaryOp):
    """Arc tangent."""

    name = "array.atan"


@irdl_op_definition
class SinhOp(UnaryOp):
    """Hyperbolic sine."""

    name = "array.sinh"


@irdl_op_definition
class CoshOp(UnaryOp):
    """Hyperbolic cosine."""

    name = "array.cosh"


@irdl_op_definition
class TanhOp(UnaryOp):
    """Hyperbolic tangent."""

    name = "array.tanh"


@irdl_op_definition
class AsinhOp(UnaryOp):
    """Inverse hyperbolic sine."""

    name = "array.asinh"


@irdl_op_definition
class AcoshOp(UnaryOp):
    """Inverse hyperbolic cosine."""

    name = "array.acosh"


@irdl_op_definition
class AtanhOp(UnaryOp):
    """Inverse hyperbolic tangent."""

    name = "array.atanh"


@irdl_op_definition
class ErfOp(UnaryOp):
    """Error function."""

    name = "array.erf"


@irdl_op_definition
class ErfcOp(UnaryOp):
    """1 - erf(x), accurate in the tail."""

    name = "array.erfc"


@irdl_op_definition
class ErfinvOp(UnaryOp):
    """Inverse of the error function on (-1, 1)."""

    name = "array.erfinv"


@irdl_op_definition
class LgammaOp(UnaryOp):
    """Log |Gamma(x)|."""

    name = "array.lgamma"


@irdl_op_definition
class LogisticOp(UnaryOp):
    """1 / (1 + e^-x)."""

    name = "array.logistic"


@irdl_op_definition
class SoftplusOp(UnaryOp):
    """Log(1 + e^x), without overflow."""

    name = "array.softplus"


@irdl_op_definition
class FloorOp(UnaryOp):
    """Largest integer at most x."""

    name = "array.floor"


@irdl_op_definition
class CeilOp(UnaryOp):
    """Smallest integer at least x."""

    name = "array.ceil"


@irdl_op_definition
class RoundOp(UnaryOp):
    """Nearest integer, halves to even."""

    name = "array.round"


@irdl_op_definition
class TruncOp(UnaryOp):
    """Nearest integer towards 0."""

    name = "array.trunc"


@irdl_op_definition
class NotOp(UnaryOp):
    """Bitwise complement; logical negation of booleans."""

    name = "array.not"
    DOMAIN: ClassVar = INTEGERS_AND_BOOLEANS


@irdl_op_definition
class StopGradientOp(UnaryOp):
    """x, with derivative zero."""

    name = "array.stop_gradient"


@irdl_op_definition
class DeviationOp(UnaryOp):
    """-0, with the derivative of x: how far x is from the point at which the program is differentiated.

    A polynomial in deviations is a Taylor expansion around that point, by coefficients that are constants.
    """

    name = "array.deviation"


@irdl_op_definition
class PolygammaOp(UnaryOp):
    """The derivative of order `order + 1` of log Gamma(x); order 0 is digamma, 100 the highest."""

    name = "array.polygamma"
    order = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("order",)
    HIGHEST_ORDER: ClassVar = 100

    def verify_(self) -> None:
        """An order with finite values and coefficients."""
        super().verify_()
        if not 0 <= self.order.value.data <= self.HIGHEST_ORDER:
            raise VerifyException(
                f"order must be from 0 to {self.HIGHEST_ORDER}, got {self.order.value.data}"
            )


@irdl_op_definition
class IsFiniteOp(FloatTestOp):
    """True where x is neither infinite nor NaN."""

    name = "array.is_finite"


@irdl_op_definition
class IsNanOp(FloatTestOp):
    """True where x is NaN."""

    name = "array.is_nan"
