"""The spaces that linear maps go between.

    f64, tensor<3xf64>            float scalars and arrays
    tuple<S, T, ...>              products; `tuple<>` has dimension 0
    !linear.power<A, W>           functions from points of A to W, added point by point
    !linear.copower<A, W>         finite collections of pairs of a point of A and an element of W
    !linear.inductive<name>       0, or what `linear.roll` makes of elements, some of the space itself

A point is a value of any type, closures and sums included. The zero of a copower is the empty collection
and its sum the union; (a, w) and (a, w') together count as (a, w + w'), and (a, 0) as nothing. Neither the
order of pairs nor whether they were merged can be observed. Powers and copowers are each other's duals: a
collection c pairs with a function h to the sum of <h(a), w> over c (CHAD paper, section 9).

The tangents of values of an inductive type are of a space with a name as well: those of a list of scalars are
a list that ends where the rest is 0. `linear.roll` and `linear.unroll` state the spaces that its elements are
made of.

An element is given by its leaves, one for each scalar, array or space with elements of its own that its space
is made of. Leaves that are not arrays are values in the code of a `linear.lambda` only, where `linear.apply`
and the ops of `mlirad.dialects.linear.elements` make and use them and nothing else does.

The product of one tuple is not that tuple. A closure that takes one pair and one that takes two numbers have
points of different types, `tuple<tuple<f64, f64>>` and `tuple<f64, f64>`, so that the components of a point
are its arguments.
"""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, TupleType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.shapes import FLOATS, is_array, is_value, tuple_type
from mlirad.dialects.type_lists import TypeByName


@irdl_attr_definition
class PowerType(ParametrizedAttribute, TypeAttribute):
    """The space of functions from points of `point` to `space`."""

    name = "linear.power"
    point: Attribute = param_def()
    space: Attribute = param_def()

    def verify(self) -> None:
        """Points of the language, and a space."""
        _check(self.point, self.space)


@irdl_attr_definition
class CopowerType(ParametrizedAttribute, TypeAttribute):
    """The space of finite collections of pairs of a point of `point` and an element of `space`."""

    name = "linear.copower"
    point: Attribute = param_def()
    space: Attribute = param_def()

    def verify(self) -> None:
        """Points of the language, and a space."""
        _check(self.point, self.space)


@irdl_attr_definition
class InductiveSpace(TypeByName):
    """The space of the tangents of values of an inductive type, known by a name."""

    name = "linear.inductive"
    type_name: StringAttr = param_def()


FunctionSpace = PowerType | CopowerType

ElementSpace = FunctionSpace | InductiveSpace
"""Spaces whose elements are not arrays."""


def is_space(type_: Attribute) -> bool:
    """Return whether linear maps may start from `type_` and end in it."""
    if isinstance(type_, TupleType):
        return all(is_space(t) for t in type_.types.data)
    return isinstance(type_, ElementSpace) or is_array(type_, FLOATS)


def dual(space: Attribute) -> Attribute:
    """The space of cotangents: powers and copowers change places, everything else is its own dual."""
    match space:
        case TupleType() if not is_plain(space):
            return tuple_type([dual(t) for t in space.types.data])
        case PowerType():
            return CopowerType(space.point, dual(space.space))
        case CopowerType():
            return PowerType(space.point, dual(space.space))
        case _:
            return space


def is_plain(space: Attribute) -> bool:
    """Return whether a space is made of scalars and arrays alone, so that its elements are values."""
    if isinstance(space, TupleType):
        return all(is_plain(t) for t in space.types.data)
    return not isinstance(space, ElementSpace)


def carried(space: Attribute) -> tuple[Attribute, ...]:
    """The spaces of the leaves of an element, in order: what a space is made of that is not a product."""
    if isinstance(space, TupleType):
        return tuple(leaf for part in space.types.data for leaf in carried(part))
    return (space,)


def _check(point: Attribute, space: Attribute) -> None:
    if not is_value(point):
        raise VerifyException(f"{point} is not a type of points, which are values")
    if not is_space(space):
        raise VerifyException(f"{space} is not a space of a linear map")
