"""Application of maps to values, and the differentiation operators that make maps."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, FlatSymbolRefAttrConstr, IntegerAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.linear.maps import map_type
from mlirad.dialects.linear.spaces import carried, is_plain
from mlirad.dialects.shapes import (
    UNIT,
    Value,
    check_dims,
    is_float,
    product_type,
    tangent_type,
    values_of,
)
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
                raise VerifyException(
                    f"elements of {space} are not values: transpose the map, and apply that"
                )
        self.check(type_.codomain, type_.domain)


class DifferentiationOp(StructuredOp, ABC):
    """The results of `callee` at the operands, and what is derived of it: the only way to differentiate.

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

    @property
    def given(self) -> Sequence[Value]:
        """The operands of the callee."""
        return self.arguments

    @property
    def values(self) -> Sequence[Value]:
        """The results of the callee."""
        return self.primals[:-1]

    def check_wrt(self) -> Sequence[int]:
        """Require that `wrt` names distinct float operands of the callee; returns it."""
        positions = values_of(self.wrt)
        check_dims(positions, len(self.given), "wrt")
        if not positions:
            raise VerifyException("wrt names no operand to differentiate with respect to")
        for k in positions:
            if tangent_type(self.arguments[k].type) == UNIT:
                raise VerifyException(
                    f"operand {k} of type {self.arguments[k].type} has no tangent: wrt must name "
                    "floating-point operands"
                )
        return positions

    def spaces(self) -> tuple[Attribute, Attribute]:
        """The spaces of inputs and of outputs; raises when an input has no tangent."""
        positions = self.check_wrt()
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


@irdl_op_definition
class JetOp(DifferentiationOp):
    """The Taylor coefficients, up to `order`, of `callee` along a curve that is given by its own.

        %y, %y1, %y2 = linear.jet %x, %x1, %x2 {callee = @f, wrt = [0], order = 2}
                                                f(x + x1 t + x2 t^2) = y + y1 t + y2 t^2 + O(t^3)

    After the operands of the callee come the coefficients of those in `wrt`, for each from order 1 on. After
    its results come those of the results that are floats.
    """

    name = "linear.jet"
    order = prop_def(IntegerAttr.constr(i64))
    BRACED: ClassVar = ("callee", "wrt", "order")

    @property
    def degree(self) -> int:
        """The highest order."""
        return self.order.value.data

    @property
    def given(self) -> Sequence[Value]:
        """The operands of the callee."""
        return self.arguments[: len(self.arguments) - self.degree * len(values_of(self.wrt))]

    @property
    def values(self) -> Sequence[Value]:
        """The results of the callee."""
        total = count = 0
        for result in self.primals:
            if total >= len(self.primals):
                break
            total += 1 + (self.degree if is_float(result) else 0)
            count += 1
        return self.primals[:count]

    @property
    def coefficients(self) -> list[Sequence[Value]]:
        """The coefficients of each operand in `wrt`."""
        return _grouped(self.arguments[len(self.given) :], self.degree)

    @property
    def images(self) -> list[Sequence[Value]]:
        """The coefficients of each result that is a float."""
        return _grouped(self.primals[len(self.values) :], self.degree)

    def verify_(self) -> None:
        """Coefficients have the types of what they belong to."""
        if self.degree < 1:
            raise VerifyException(f"order is {self.degree}, and the lowest is 1")
        if len(self.arguments) < self.degree * len(values_of(self.wrt)):
            raise VerifyException(f"{len(self.arguments)} operands are too few for order {self.degree}")
        given = [self.given[k] for k in self.check_wrt()]
        _check_types("an operand", given, self.coefficients)
        results = [v for v in self.values if is_float(v)]
        if len(self.values) + self.degree * len(results) != len(self.primals):
            raise VerifyException(f"{len(self.primals)} results do not make jets of order {self.degree}")
        _check_types("a result", results, self.images)


def _grouped(values: Sequence[Value], size: int) -> list[Sequence[Value]]:
    return [values[k : k + size] for k in range(0, len(values), size)]


def _check_types(what: str, values: Sequence[Value], coefficients: Sequence[Sequence[Value]]) -> None:
    for value, group in zip(values, coefficients, strict=True):
        for k, coefficient in enumerate(group):
            if coefficient.type != value.type:
                raise VerifyException(
                    f"coefficient {k + 1} of {what} of type {value.type} has type {coefficient.type}"
                )


VALUE_OPS = (ApplyOp, ApplyTransposeOp, LinearizeOp, PullbackOp, JetOp)
"""Ops between maps and values."""
