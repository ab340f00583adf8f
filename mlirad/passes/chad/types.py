"""CHAD on types: a primal and a linear part, in either mode (CHAD paper, sections 5 and 6).

    A                    primal part                            linear part, reverse    linear part, forward
    float array          A                                      A                       A
    integers, booleans   A                                      tuple<>                 tuple<>
    tuple<A, B>          tuple<A1, B1>                          tuple<A2, B2>           tuple<A2, B2>
    sum<A, B>            sum<A1, B1>                            tuple<A2, B2>           tuple<A2, B2>
    (A) -> B, reverse    (A1) -> (B1, map<B2, A2>)              copower<A1, B2>
    (A) -> B, forward    (A1) -> (B1, map<A2, B2>)                                      power<A1, B2>
    name, reverse        name_reverse                           inductive<name_reverse>
    name, forward        name_forward                                  inductive<name_forward>

A function of several parameters or results takes and makes the product of their linear parts. Of the linear
part of a sum, only the component of the alternative that the value is may differ from zero. The
name of an inductive type stands for another one, of the linear part of what it stands for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from xdsl.dialects.builtin import StringAttr, TupleType
from xdsl.ir import Attribute

from mlirad.dialects.function import (
    ClosureType,
    InductiveType,
    SumType,
    closure_type,
    inductive_type,
    sum_type,
)
from mlirad.dialects.linear import CopowerType, InductiveSpace, MapType, PowerType
from mlirad.dialects.shapes import UNIT, is_float, tuple_type
from mlirad.lazy_dataclass import dataclass

MODES = ("reverse", "forward")
"""The modes of CHAD."""


def product(types: Sequence[Attribute]) -> Attribute:
    """The product of the types of a signature: of one type that type itself, unless it is a tuple."""
    if len(types) == 1 and not isinstance(types[0], TupleType):
        return types[0]
    return tuple_type(types)


@dataclass(frozen=True)
class Types:
    """The parts of types in one of the `MODES`."""

    mode: str

    @cached_property
    def is_reverse(self) -> bool:
        """Return whether maps go from results to parameters."""
        return self.mode == "reverse"

    def primal(self, type_: Attribute) -> Attribute:
        """The type of the values that stand for values of a type."""
        match type_:
            case TupleType():
                return tuple_type([self.primal(t) for t in type_.types.data])
            case SumType():
                return self.sum(type_)
            case ClosureType():
                return self.closure(type_)
            case InductiveType():
                return inductive_type(self._name(type_))
            case _:
                return type_

    def sum(self, type_: SumType) -> SumType:
        """The primal part of a sum."""
        return sum_type([self.primal(t) for t in type_.types.data])

    def closure(self, type_: ClosureType) -> ClosureType:
        """The primal part of a function: it also returns a map between linear parts."""
        outputs = [self.primal(t) for t in type_.outputs]
        map_ = self.map(self.linear_product(type_.inputs), self.linear_product(type_.outputs))
        return closure_type([self.primal(t) for t in type_.inputs], [*outputs, map_])

    def linear(self, type_: Attribute) -> Attribute:
        """The space of the tangents, or cotangents, of values of a type."""
        match type_:
            case TupleType() | SumType():
                return tuple_type([self.linear(t) for t in type_.types.data])
            case ClosureType():
                space = CopowerType if self.is_reverse else PowerType
                points = product([self.primal(t) for t in type_.inputs])
                return space(points, self.linear_product(type_.outputs))
            case InductiveType():
                return InductiveSpace(StringAttr(self._name(type_)))
            case _:
                return type_ if is_float(type_) else UNIT

    def _name(self, type_: InductiveType) -> str:
        """The name of the parts of an inductive type: of values that hold functions they are not its own."""
        return f"{type_.type_name.data}_{self.mode}"

    def linear_product(self, types: Sequence[Attribute]) -> Attribute:
        """The product of the linear parts of the types of a signature."""
        return product([self.linear(t) for t in types])

    def map(self, inputs: Attribute, outputs: Attribute) -> MapType:
        """The type of the derivative of a function between such linear parts: forward, or transposed."""
        return MapType(outputs, inputs) if self.is_reverse else MapType(inputs, outputs)
