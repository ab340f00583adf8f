"""Maps into functions and out of collections, the tangents and cotangents of functions.

    linear.function (%a) : -> !linear.map<f64, !linear.power<i64, f64>> {...}        x to (a to m_a x)
    linear.evaluate %a : i64 -> !linear.map<!linear.power<i64, f64>, f64>            h to h(a)
    linear.single %a : i64 -> !linear.map<f64, !linear.copower<i64, f64>>            w to the pair (a, w)
    linear.eliminate (%a) : -> !linear.map<!linear.copower<i64, f64>, f64> {...}     c to the sum of m_a w

`function` and `eliminate` are each other's transposes, and so are `evaluate` and `single`. The linear-map
notes call them L and, with a finite collection in the place of its infinite sum, L'; the CHAD paper calls
them lswap, lcopowfold, leval and lsingleton.

The notes' transpose of L sums over infinitely many points. Here cotangents of functions are finite
collections: the calls that were made (`eliminate`). Their transposes are exact, and spaces of functions have
duals that differ from themselves. Functions and collections exist only while code is emitted: applied,
`single` is a point and an element, which are not stored, and `eliminate` emits code for them. So there is no
list of pairs at run time, and its order and merging cannot be observed. Programs that would need such a list
are ill-typed, except the code of CHAD's specification, which the interpreter runs: there elements are values,
which a few ops make and use.
"""

from __future__ import annotations

from abc import ABC

from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    region_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import check_arguments
from mlirad.dialects.linear.control import yielded_map
from mlirad.dialects.linear.maps import ControlMapOp, MapType, PrimitiveMapOp
from mlirad.dialects.linear.spaces import CopowerType, PowerType
from mlirad.dialects.shapes import components_of, product_type


class PointwiseMapOp(ControlMapOp, ABC):
    """A map made of one map per point; the region takes the components of the point."""

    body = region_def("single_block")

    def made(self, function_space: Attribute, expected: type[PowerType] | type[CopowerType]) -> MapType:
        """The type of the map at a point; raises where the space has no points or the region no map."""
        if not isinstance(function_space, expected):
            raise VerifyException(f"{function_space} is not a {expected.name.removeprefix('linear.')}")
        check_arguments(self.body.block, components_of(function_space.point), "region")
        return yielded_map(self.body, "region")


@irdl_op_definition
class FunctionOp(PointwiseMapOp):
    """x goes to the function a to m_a x, where m_a is what the region yields.

    The transpose is `eliminate`.
    """

    name = "linear.function"

    def verify_(self) -> None:
        """The codomain is the power of that of the maps."""
        made = self.made(self.codomain, PowerType)
        assert isinstance(self.codomain, PowerType)
        self.require(made.domain, PowerType(self.codomain.point, made.codomain))


@irdl_op_definition
class EliminateOp(PointwiseMapOp):
    """A collection goes to the sum of m_a w over its pairs, where m_a is what the region yields.

    The transpose is `function`.
    """

    name = "linear.eliminate"

    def verify_(self) -> None:
        """The domain is the copower of that of the maps."""
        made = self.made(self.domain, CopowerType)
        assert isinstance(self.domain, CopowerType)
        self.require(CopowerType(self.domain.point, made.domain), made.codomain)


class PointMapOp(PrimitiveMapOp, ABC):
    """A map that is fixed by a point, whose components are the operands."""

    point = var_operand_def()

    @property
    def point_type(self) -> Attribute:
        """The type of the point."""
        return product_type([p.type for p in self.point])

    def check_point(self, function_space: PowerType | CopowerType) -> None:
        """Require the operands to make a point of the space."""
        expected = components_of(function_space.point)
        given = tuple(p.type for p in self.point)
        if given == (function_space.point,) != expected:
            what = f"the point is one operand of type {function_space.point}"
            raise VerifyException(f"{what}: give its {len(expected)} components as operands")
        if given != expected:
            raise VerifyException(f"operands make a {self.point_type}, {function_space.point} expected")


@irdl_op_definition
class EvaluateOp(PointMapOp):
    """A function goes to its value at the point. The transpose is `single`."""

    name = "linear.evaluate"

    def verify_(self) -> None:
        """From functions of such points to their values."""
        if not isinstance(self.domain, PowerType):
            raise VerifyException(f"{self.domain} is not a power")
        self.check_point(self.domain)
        self.require(self.domain, self.domain.space)


@irdl_op_definition
class SingleOp(PointMapOp):
    """w goes to the collection of the one pair of the point and w. The transpose is `evaluate`."""

    name = "linear.single"

    def verify_(self) -> None:
        """From a space to collections with such points."""
        if not isinstance(self.codomain, CopowerType):
            raise VerifyException(f"{self.codomain} is not a copower")
        self.check_point(self.codomain)
        self.require(self.codomain.space, self.codomain)


POINTWISE_OPS: tuple[type[PointwiseMapOp], ...] = (FunctionOp, EliminateOp)
"""Maps whose regions make a map per point."""

POINT_OPS: tuple[type[PointMapOp], ...] = (EvaluateOp, SingleOp)
"""Maps at one point."""
