"""Comparisons, choices, conversions and special functions."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise.classes import (
    ElementwiseOp,
    check_boolean_result,
    check_elements,
)
from mlirad.dialects.array.special_functions import SPECIAL_FUNCTIONS, SpecialFunction
from mlirad.dialects.shapes import (
    ELEMENTS,
    FLOATS,
    STORED,
    array_type,
    element_of,
    is_array,
    is_boolean,
    shape_of,
)

PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge")


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
        """Return what the function is."""
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
