"""Elements of spaces that are not arrays, as values in the code of a `linear.lambda`.

%s = linear.plus %c, %d : !linear.copower<f64, f64>                              c + d
%z = linear.nothing : -> !linear.copower<f64, f64>                               0
%t = linear.roll %x, %r : f64, !linear.inductive<list> -> !linear.inductive<list>
%y, %q = linear.unroll %t : !linear.inductive<list> -> (f64, !linear.inductive<list>)
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import (
    AnyOf,
    BaseAttr,
    irdl_op_definition,
    operand_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.linear.spaces import CopowerType, InductiveSpace, PowerType, carried, is_space
from mlirad.dialects.syntax import StructuredOp

ElementSpaceConstr = AnyOf((BaseAttr(PowerType), BaseAttr(CopowerType), BaseAttr(InductiveSpace)))
"""The spaces whose elements are not arrays."""


@irdl_op_definition
class PlusOp(StructuredOp):
    """The sum of two elements of a power, a copower or an inductive space."""

    name = "linear.plus"
    lhs = operand_def(ElementSpaceConstr)
    rhs = operand_def(ElementSpaceConstr)
    result = result_def(ElementSpaceConstr)
    ONE_TYPE: ClassVar = True

    def verify_(self) -> None:
        """One space."""
        if not self.lhs.type == self.rhs.type == self.result.type:
            raise VerifyException(
                f"adds an element of {self.lhs.type} and one of {self.rhs.type} to one of {self.result.type}"
            )


@irdl_op_definition
class NothingOp(StructuredOp):
    """The zero of such a space: the function to 0, the empty collection, or what unrolls to zeros."""

    name = "linear.nothing"
    result = result_def(ElementSpaceConstr)

    def verify_(self) -> None:
        """Every such space has a zero."""


@irdl_op_definition
class RollOp(StructuredOp):
    """The element of an inductive space that these leaves make.

    All ops of a module that roll or unroll elements of one space say the same leaves.
    """

    name = "linear.roll"
    leaves = var_operand_def()
    result = result_def(InductiveSpace)

    def verify_(self) -> None:
        """The operands are leaves of an element."""
        for k, operand in enumerate(self.operands):
            _check_leaf(f"operand {k}", operand.type)


@irdl_op_definition
class UnrollOp(StructuredOp):
    """The leaves of an element of an inductive space, which are zeros for its zero."""

    name = "linear.unroll"
    operand = operand_def(InductiveSpace)
    leaves = var_result_def()

    def verify_(self) -> None:
        """The results are leaves of an element."""
        for k, type_ in enumerate(self.result_types):
            _check_leaf(f"result {k}", type_)


def _check_leaf(what: str, type_: Attribute) -> None:
    if not (is_space(type_) and carried(type_) == (type_,)):
        raise VerifyException(f"{what} of type {type_} is not a leaf of an element of a space")


ELEMENT_OPS = (PlusOp, NothingOp, RollOp, UnrollOp)
"""Every op of this file."""
