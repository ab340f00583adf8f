"""Application of maps to values, and the differentiation operators that make maps."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, FlatSymbolRefAttrConstr, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.linear.maps import map_type
from mlirad.dialects.linear.spaces import carried, is_plain
from mlirad.dialects.shapes import UNIT, check_dims, product_type, tangent_type, values_of
from mlirad.dialects.syntax import StructuredOp


class ApplicationOp(StructuredOp, ABC):
    """A map applied to the leaves of an element of its domain (or codomain)."""

    map = operand_def()
    arguments = var_operand_def()
    images = var_result_def()

    def check(self, domain: Attribute, codomain: Attribute) -> None:
        """Require one argument per leaf of an element of `domain`, one result per one of `codomain`."""
        if tuple(self.arguments.types) != carried(domain):
            raise VerifyException(
                f"arguments of types {[str(t) for t in self.arguments.types]} do not make an "
                f"element of {domain}"
            )
        if tuple(self.images.types) != carried(codomain):
            raise VerifyException(
                f"results of types {[str(t) for t in self.images.types]} do not make an element of {codomain}"
            )


@irdl_op_definition
class ApplyOp(ApplicationOp):
    """`apply %m, %x...`: the image m x, by leaf.

    Where leaves are elements of powers or copowers, it stands in the code of a `linear.lambda`.
    """

    name = "linear.apply"

    def verify_(self) -> None:
        """Arguments from the domain, results in the codomain."""
        type_ = map_type(self.map.type, "first operand")
        self.check(type_.domain, type_.codomain)


@irdl_op_definition
class ApplyTransposeOp(ApplicationOp):
    """`apply_transpose %m, %ct...`: the image of a cotangent under the transposed map, by leaf.

    Maps from or to functions are transposed as maps, by `linear.transpose`.
    """

    name = "linear.apply_transpose"

    def verify_(self) -> None:
        """Arguments from the codomain, results in the domain."""
        type_ = map_type(self.map.type, "first operand")
        for space in (type_.domain, type_.codomain):
            if not is_plain(space):
                raise VerifyException(f"elements of {space} are no values: transpose the map, and apply that")
        self.check(type_.codomain, type_.domain)


class DifferentiationOp(StructuredOp, ABC):
    """The results of `callee` at the operands, and a linear map: the only way to differentiate.

    `wrt` lists the operands differentiated with respect to; the space of inputs is the product of their
    tangents, that of outputs the product of the tangents of all results (unit for integers and booleans).
    """

    arguments = var_operand_def()
    callee = prop_def(FlatSymbolRefAttrConstr)
    wrt = prop_def(DenseArrayBase.constr(i64))
    primals = var_result_def()
    BRACED: ClassVar = ("callee", "wrt")

    @property
    def callee_name(self) -> str:
        """The symbol of the differentiated function."""
        return self.callee.root_reference.data

    def spaces(self) -> tuple[Attribute, Attribute]:
        """The spaces of inputs and of outputs; raises when an input has no tangent."""
        positions = values_of(self.wrt)
        check_dims(positions, len(self.arguments), "wrt")
        if not positions:
            raise VerifyException("wrt names no operand to differentiate with respect to")
        for k in positions:
            if tangent_type(self.arguments[k].type) == UNIT:
                raise VerifyException(
                    f"operand {k} of type {self.arguments[k].type} has no tangent: wrt must name "
                    "floating-point operands"
                )
        inputs = product_type([tangent_type(self.arguments[k].type) for k in positions])
        outputs = product_type([tangent_type(t) for t in self.primals.types[:-1]])
        return inputs, outputs

    def check(self, domain: Attribute, codomain: Attribute) -> None:
        """Require the last result to be a map between these spaces."""
        type_ = map_type(self.primals.types[-1], "last result")
        if (type_.domain, type_.codomain) != (domain, codomain):
            raise VerifyException(f"last result must be a map from {domain} to {codomain}")


@irdl_op_definition
class LinearizeOp(DifferentiationOp):
    """The value of `callee` and its derivative, from the inputs' tangents to the outputs'."""

    name = "linear.linearize"

    def verify_(self) -> None:
        """The map goes from inputs to outputs."""
        if not self.primals:
            raise VerifyException("needs a result for the map")
        inputs, outputs = self.spaces()
        self.check(inputs, outputs)


@irdl_op_definition
class PullbackOp(DifferentiationOp):
    """The value of `callee` and the transposed derivative, from the outputs' cotangents to the inputs'."""

    name = "linear.pullback"

    def verify_(self) -> None:
        """The map goes from outputs to inputs."""
        if not self.primals:
            raise VerifyException("needs a result for the map")
        inputs, outputs = self.spaces()
        self.check(outputs, inputs)


VALUE_OPS = (ApplyOp, ApplyTransposeOp, LinearizeOp, PullbackOp)
"""Ops between maps and values."""
