"""The spaces that linear maps go between.

    f64, tensor<3xf64>            float scalars and arrays
    tuple<S, T, ...>              products; `tuple<>` has dimension 0
    !linear.power<A, W>           functions from points of A to W, added point by point
    !linear.copower<A, W>         finite collections of pairs of a point of A and an element of W

A point is a value of any type: an array, or a tuple of such. The zero of a copower is the empty collection
and its sum the union; (a, w) and (a, w') together count as (a, w + w'), and (a, 0) as nothing. Neither the
order of pairs nor whether they were merged can be observed. Powers and copowers are each other's duals: a
collection c pairs with a function h to the sum of <h(a), w> over c (CHAD paper, section 9).
"""

from __future__ import annotations

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.shapes import ELEMENTS, FLOATS, UNIT, components_of, is_array, tuple_type


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


FunctionSpace = PowerType | CopowerType


def is_space(type_: Attribute) -> bool:
    """Whether linear maps may start from `type_` and end in it."""
    if isinstance(type_, TupleType):
        return all(is_space(t) for t in type_.types.data)
    return isinstance(type_, FunctionSpace) or is_array(type_, FLOATS)


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
    """Whether a space is made of scalars and arrays alone, so that its elements are values."""
    if isinstance(space, TupleType):
        return all(is_plain(t) for t in space.types.data)
    return not isinstance(space, FunctionSpace)


def carried(space: Attribute) -> tuple[Attribute, ...]:
    """The components of a space that carry data: all but those of dimension 0 by type."""
    return tuple(c for c in components_of(space) if c != UNIT)


def _check(point: Attribute, space: Attribute) -> None:
    if not _is_point(point):
        raise VerifyException(f"{point} is not a type of points: scalars, arrays and tuples of these are")
    if not is_space(space):
        raise VerifyException(f"{space} is not a space of a linear map")


def _is_point(type_: Attribute) -> bool:
    if isinstance(type_, TupleType):
        return all(_is_point(t) for t in type_.types.data)
    return is_array(type_, ELEMENTS)
