"""Elementwise ops: operands and result of one shape, one scalar function applied at every position.

There is no implicit broadcasting; a scalar is an array of rank 0, so the same ops serve scalar code inside
regions and whole arrays outside. The scalar meaning of every op stands in `mlirad.dialects.array.scalars`.
No op traps, whatever its operands.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.special_functions import SPECIAL_FUNCTIONS, SpecialFunction
from mlirad.dialects.shapes import (
    ELEMENTS,
    FLOATS,
    INTEGERS,
    INTEGERS_AND_BOOLEANS,
    NUMBERS,
    STORED,
    array_type,
    element_of,
    is_array,
    is_boolean,
    shape_of,
)
from mlirad.dialects.syntax import StructuredOp

PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge")


def check_elements(type_: Attribute, elements: tuple[Attribute, ...], what: str) -> None:
    """Require a scalar or a static array of rank at least 1 over one of `elements`."""
    if not is_array(type_, elements):
        names = ", ".join(str(e) for e in elements)
        raise VerifyException(f"{what} must be a scalar or static array of {names}, got {type_}")


class ArrayOp(StructuredOp, ABC):
    """An op with one result, an array or a scalar."""

    result = result_def()


class OperandOp(ArrayOp, ABC):
    """An op that makes its result of one array."""

    operand = operand_def()


class ElementwiseOp(ArrayOp, ABC):
    """Applies one scalar function at every position; `DOMAIN` is the element types it is defined on."""

    DOMAIN: ClassVar[tuple[Attribute, ...]]


class UnaryOp(ElementwiseOp, OperandOp, ABC):
    """One operand, of floats unless `DOMAIN` says otherwise; the result has its type."""

    DOMAIN: ClassVar = FLOATS
    ONE_TYPE: ClassVar = True

    def verify_(self) -> None:
        """Operand of a known element type; result of the same type."""
        check_elements(self.operand.type, self.DOMAIN, "operand")
        if self.result.type != self.operand.type:
            raise VerifyException(
                f"result type {self.result.type} must equal operand type {self.operand.type}"
            )


class BinaryOp(ElementwiseOp, ABC):
    """Two operands of one type, of numbers unless `DOMAIN` says otherwise; the result has it too."""

    DOMAIN: ClassVar = NUMBERS
    lhs = operand_def()
    rhs = operand_def()
    ONE_TYPE: ClassVar = True

    def verify_(self) -> None:
        """Operands and result of one type with a known element type."""
        check_elements(self.lhs.type, self.DOMAIN, "left operand")
        if self.rhs.type != self.lhs.type:
            raise VerifyException(
                f"operands must have one type, got {self.lhs.type} and {self.rhs.type}; "
                "broadcast or convert one of them"
            )
        if self.result.type != self.lhs.type:
            raise VerifyException(f"result type {self.result.type} must equal operand type {self.lhs.type}")


class FloatTestOp(ElementwiseOp, OperandOp, ABC):
    """A property of a float: the result is boolean, of the operand's shape."""

    DOMAIN: ClassVar = FLOATS

    def verify_(self) -> None:
        """A float operand and booleans of its shape as result."""
        check_elements(self.operand.type, self.DOMAIN, "operand")
        check_boolean_result(self.operand.type, self.result.type)


def check_boolean_result(operand: Attribute, result: Attribute) -> None:
    """Require booleans of the operand's shape."""
    if not is_boolean(result) or shape_of(result) != shape_of(operand):
        raise VerifyException(
            f"result must hold i1 in the operand's shape {list(shape_of(operand))}, got {result}"
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
class PolygammaOp(UnaryOp):
    """The derivative of order `order + 1` of log Gamma(x); order 0 is digamma, 100 the highest."""

    name = "array.polygamma"
    order = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("order",)
    HIGHEST_ORDER: ClassVar = 100

    def verify_(self) -> None:
        """An order of which values and coefficients are finite."""
        super().verify_()
        if not 0 <= self.order.value.data <= self.HIGHEST_ORDER:
            raise VerifyException(
                f"order must be from 0 to {self.HIGHEST_ORDER}, got {self.order.value.data}"
            )


@irdl_op_definition
class IsFiniteOp(FloatTestOp):
    """Whether x is neither infinite nor NaN."""

    name = "array.is_finite"


@irdl_op_definition
class IsNanOp(FloatTestOp):
    """Whether x is NaN."""

    name = "array.is_nan"


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


@irdl_op_definition
class CompareOp(ElementwiseOp):
    """Comparison of two operands of one type; comparisons with NaN are false, but `ne`, which is true."""

    name = "array.compare"
    DOMAIN: ClassVar = ELEMENTS
    predicate = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    KEYWORD: ClassVar = "predicate"

    def verify_(self) -> None:
        """A known predicate, operands of one type, booleans as result."""
        if self.predicate.data not in PREDICATES:
            raise VerifyException(f"predicate '{self.predicate.data}' is not one of {', '.join(PREDICATES)}")
        check_elements(self.lhs.type, self.DOMAIN, "left operand")
        if self.rhs.type != self.lhs.type:
            raise VerifyException(f"operands must have one type, got {self.lhs.type} and {self.rhs.type}")
        check_boolean_result(self.lhs.type, self.result.type)


@irdl_op_definition
class SelectOp(ElementwiseOp):
    """`on_true` where the condition holds, `on_false` elsewhere. Strict: both are computed.

    The condition has the shape of the others, or is a scalar.
    """

    name = "array.select"
    DOMAIN: ClassVar = STORED
    condition = operand_def()
    on_true = operand_def()
    on_false = operand_def()

    def verify_(self) -> None:
        """A boolean condition, scalar or of the shape of the branches; branches of the result's type."""
        check_elements(self.result.type, self.DOMAIN, "result")
        if not is_boolean(self.condition):
            raise VerifyException(f"condition must hold i1, got {self.condition.type}")
        for branch in (self.on_true, self.on_false):
            if branch.type != self.result.type:
                raise VerifyException(
                    f"branches must have the result's type {self.result.type}, got {branch.type}"
                )
        if shape_of(self.condition) not in ((), shape_of(self.result)):
            raise VerifyException(
                f"condition must be a scalar or have shape {list(shape_of(self.result))}, "
                f"got {self.condition.type}"
            )


@irdl_op_definition
class ConvertOp(ElementwiseOp):
    """Conversion between element types.

    Float to integer truncates towards 0 and saturates, NaN gives 0; anything but 0 is true as a boolean.
    """

    name = "array.convert"
    DOMAIN: ClassVar = ELEMENTS
    operand = operand_def()

    def verify_(self) -> None:
        """Operand and result of one shape."""
        check_elements(self.operand.type, self.DOMAIN, "operand")
        expected = array_type(shape_of(self.operand), element_of(self.result))
        if self.result.type != expected or not is_array(expected, ELEMENTS):
            raise VerifyException(
                f"result must keep the shape {list(shape_of(self.operand))}, got {self.result.type}"
            )


@irdl_op_definition
class SpecialOp(ElementwiseOp):
    """A special function of `scipy.special`, by the name in `mlirad.dialects.array.special_functions`."""

    name = "array.special"
    DOMAIN: ClassVar = FLOATS
    function = prop_def(StringAttr)
    arguments = var_operand_def()
    KEYWORD: ClassVar = "function"
    ONE_TYPE: ClassVar = True

    @property
    def meaning(self) -> SpecialFunction:
        """What the function is."""
        return SPECIAL_FUNCTIONS[self.function.data]

    def verify_(self) -> None:
        """A known function, as many operands as it has parameters, floats of the result's type."""
        known = SPECIAL_FUNCTIONS.get(self.function.data)
        if known is None:
            raise VerifyException(f"'{self.function.data}' is not a special function that is known")
        if len(self.arguments) != known.arity:
            raise VerifyException(
                f"{self.function.data} takes {', '.join(known.parameters)}, "
                f"got {len(self.arguments)} operands"
            )
        check_elements(self.result.type, self.DOMAIN, "result")
        for argument in self.arguments:
            if argument.type != self.result.type:
                raise VerifyException(
                    f"operands must have the result's type {self.result.type}, got {argument.type}"
                )


ELEMENTWISE_OPS: tuple[type[ElementwiseOp], ...] = (
    NegOp,
    AbsOp,
    SignOp,
    ExpOp,
    Exp2Op,
    Expm1Op,
    LogOp,
    Log2Op,
    Log1pOp,
    SqrtOp,
    RsqrtOp,
    CbrtOp,
    SinOp,
    CosOp,
    TanOp,
    AsinOp,
    AcosOp,
    AtanOp,
    SinhOp,
    CoshOp,
    TanhOp,
    AsinhOp,
    AcoshOp,
    AtanhOp,
    ErfOp,
    ErfcOp,
    ErfinvOp,
    LgammaOp,
    LogisticOp,
    SoftplusOp,
    FloorOp,
    CeilOp,
    RoundOp,
    TruncOp,
    NotOp,
    StopGradientOp,
    PolygammaOp,
    IsFiniteOp,
    IsNanOp,
    AddOp,
    SubOp,
    MulOp,
    AbsorbingMulOp,
    DivOp,
    PowOp,
    Atan2Op,
    HypotOp,
    MaxOp,
    MinOp,
    RemOp,
    FloorDivOp,
    FmodOp,
    CopysignOp,
    AndOp,
    OrOp,
    XorOp,
    ShiftLeftOp,
    ShiftRightOp,
    CompareOp,
    SelectOp,
    ConvertOp,
    SpecialOp,
)
"""Every elementwise op, in the order of the documentation."""
