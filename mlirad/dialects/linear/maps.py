"""The type of linear maps, the base of the ops that make them, and maps made of other maps."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, TupleType
from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    param_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.function_types import ValueType
from mlirad.dialects.linear.spaces import dual, is_space
from mlirad.dialects.shapes import tuple_type
from mlirad.dialects.syntax import StructuredOp


@irdl_attr_definition
class MapType(ValueType):
    """The type of linear maps from `domain` to `codomain`."""

    name = "linear.map"
    domain: Attribute = param_def()
    codomain: Attribute = param_def()

    def verify(self) -> None:
        """Domain and codomain are spaces."""
        for space in (self.domain, self.codomain):
            if not is_space(space):
                raise VerifyException(f"{space} is not a space of a linear map")


def map_type(type_: Attribute, what: str) -> MapType:
    """`type_` as a map type; raises for other types."""
    if not isinstance(type_, MapType):
        raise VerifyException(f"{what} must be a linear map, got {type_}")
    return type_


class MapOp(StructuredOp, ABC):
    """An op whose result is a linear map. Every other operand is a captured primal value."""

    result = result_def(MapType)

    @property
    def domain(self) -> Attribute:
        """The domain of the map."""
        return self.result.type.domain

    @property
    def codomain(self) -> Attribute:
        """The space the map ends in."""
        return self.result.type.codomain

    def require(self, domain: Attribute, codomain: Attribute) -> None:
        """Require the map's type."""
        if self.domain != domain or self.codomain != codomain:
            raise VerifyException(
                f"result has type {self.result.type}, the op makes a map from {domain} to {codomain}"
            )


class PrimitiveMapOp(MapOp, ABC):
    """A local map: one that is not made of other maps."""


class ControlMapOp(MapOp, ABC):
    """A local map from a tuple to a tuple: the maps that its regions make, as control flow asks."""


# Structure ---------------------------------------------------------------------------------------


@irdl_op_definition
class ZeroOp(MapOp):
    """The map that sends everything to 0."""

    name = "linear.zero"


@irdl_op_definition
class IdentityOp(MapOp):
    """The map that sends x to x."""

    name = "linear.identity"

    def verify_(self) -> None:
        """Domain and codomain agree."""
        self.require(self.domain, self.domain)


@irdl_op_definition
class ComposeOp(MapOp):
    """`compose %outer, %inner` sends x to outer(inner(x))."""

    name = "linear.compose"
    outer = operand_def()
    inner = operand_def()

    def verify_(self) -> None:
        """The inner codomain is the outer domain."""
        outer = map_type(self.outer.type, "outer operand")
        inner = map_type(self.inner.type, "inner operand")
        if inner.codomain != outer.domain:
            raise VerifyException(
                f"cannot compose: the inner map ends in {inner.codomain}, the outer one starts "
                f"from {outer.domain}"
            )
        self.require(inner.domain, outer.codomain)


@irdl_op_definition
class AddOp(MapOp):
    """The pointwise sum of two maps."""

    name = "linear.add"
    lhs = operand_def()
    rhs = operand_def()
    ONE_TYPE: ClassVar = True

    def verify_(self) -> None:
        """Both operands and the result of one map type."""
        type_ = map_type(self.lhs.type, "left operand")
        if self.rhs.type != type_:
            raise VerifyException(f"cannot add maps of types {type_} and {self.rhs.type}")
        self.require(type_.domain, type_.codomain)


@irdl_op_definition
class VcatOp(MapOp):
    """Pairing: x goes to the tuple (f1 x, ..., fn x)."""

    name = "linear.vcat"
    maps = var_operand_def()

    def verify_(self) -> None:
        """Maps of one domain; the codomain is the tuple of theirs."""
        types = [map_type(m.type, f"operand {k}") for k, m in enumerate(self.maps)]
        for k, type_ in enumerate(types):
            if type_.domain != self.domain:
                raise VerifyException(f"operand {k} starts from {type_.domain}, not {self.domain}")
        self.require(self.domain, tuple_type([t.codomain for t in types]))


@irdl_op_definition
class HcatOp(MapOp):
    """Joining: the tuple (x1, ..., xn) goes to f1 x1 + ... + fn xn."""

    name = "linear.hcat"
    maps = var_operand_def()

    def verify_(self) -> None:
        """Maps of one codomain; the domain is the tuple of theirs."""
        types = [map_type(m.type, f"operand {k}") for k, m in enumerate(self.maps)]
        for k, type_ in enumerate(types):
            if type_.codomain != self.codomain:
                raise VerifyException(f"operand {k} ends in {type_.codomain}, not {self.codomain}")
        self.require(tuple_type([t.domain for t in types]), self.codomain)


@irdl_op_definition
class ProjectOp(MapOp):
    """The component `index` of a tuple."""

    name = "linear.project"
    index = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("index",)

    def verify_(self) -> None:
        """The codomain is component `index` of the domain."""
        self.require(self.domain, component(self.domain, self.index.value.data, "domain"))


@irdl_op_definition
class InjectOp(MapOp):
    """The tuple that is x at component `index` and 0 elsewhere."""

    name = "linear.inject"
    index = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("index",)

    def verify_(self) -> None:
        """The domain is component `index` of the codomain."""
        self.require(component(self.codomain, self.index.value.data, "codomain"), self.codomain)


@irdl_op_definition
class TransposeOp(MapOp):
    """The transposed map: from the dual of the codomain back to the dual of the domain."""

    name = "linear.transpose"
    operand = operand_def()

    def verify_(self) -> None:
        """Domain and codomain exchanged, and dual."""
        type_ = map_type(self.operand.type, "operand")
        self.require(dual(type_.codomain), dual(type_.domain))


def component(space: Attribute, index: int, what: str) -> Attribute:
    """Component `index` of a tuple space; raises if there is no such component."""
    if not isinstance(space, TupleType) or not 0 <= index < len(space.types.data):
        raise VerifyException(f"{what} {space} has no component {index}")
    return space.types.data[index]


STRUCTURE_OPS = (
    ZeroOp,
    IdentityOp,
    ComposeOp,
    AddOp,
    VcatOp,
    HcatOp,
    ProjectOp,
    InjectOp,
    TransposeOp,
)
"""Maps made of other maps, and those every space has."""
