"""The `linear` dialect: linear maps as first-class values, and the differentiation operator that makes them.

    %y, %d = linear.linearize %x, %c {callee = @f, wrt = [0]} : A, C -> (B, !linear.map<A, B>)
    %dy    = linear.apply %d, %dx : !linear.map<A, B>, A -> B
    %ct_x  = linear.apply_transpose %d, %ct_y : !linear.map<A, B>, B -> A

A value of type `!linear.map<S, T>` is a linear map from the space S to the space T. A space is a float
scalar or array, or a tuple of spaces; `tuple<>` has dimension 0. A map with several inputs or outputs has a
tuple as its domain or codomain, and `apply` takes and returns the components, leaving out those of dimension
0. Captured primal values are ordinary operands, so a shared map is a shared SSA value.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    param_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.indexing import check_gather
from mlirad.dialects.shapes import (
    FLOATS,
    UNIT,
    array_type,
    check_broadcast,
    check_dims,
    check_reshape,
    components_of,
    concatenate_shape,
    dot_shape,
    element_of,
    is_array,
    is_boolean,
    pad_shape,
    product_type,
    reduce_shape,
    shape_of,
    slice_shape,
    stack_shape,
    tangent_type,
    tuple_type,
    values_of,
)
from mlirad.dialects.syntax import StructuredOp


@irdl_attr_definition
class MapType(ParametrizedAttribute, TypeAttribute):
    """The type of linear maps from `domain` to `codomain`."""

    name = "linear.map"
    domain: Attribute = param_def()
    codomain: Attribute = param_def()

    def verify(self) -> None:
        """Domain and codomain are spaces."""
        for space in (self.domain, self.codomain):
            if not is_space(space):
                raise VerifyException(f"{space} is not a space of a linear map")


def is_space(type_: Attribute) -> bool:
    """Whether `type_` is a float scalar or array, or a tuple of such spaces."""
    if isinstance(type_, TupleType):
        return all(is_space(t) for t in type_.types.data)
    return is_array(type_, FLOATS)


def carried(space: Attribute) -> tuple[Attribute, ...]:
    """The components of a space that carry data: all but those of dimension 0 by type."""
    return tuple(c for c in components_of(space) if c != UNIT)


def map_type(type_: Attribute, what: str) -> MapType:
    """`type_` as a map type; raises when it is none."""
    if not isinstance(type_, MapType):
        raise VerifyException(f"{what} must be a linear map, got {type_}")
    return type_


class MapOp(StructuredOp, ABC):
    """An op whose result is a linear map. Every other operand is a captured primal value."""

    result = result_def(MapType)
    traits = traits_def(Pure())

    @property
    def domain(self) -> Attribute:
        """The space the map starts from."""
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
    """The transposed map: from the codomain's space back to the domain's."""

    name = "linear.transpose"
    operand = operand_def()

    def verify_(self) -> None:
        """Domain and codomain exchanged."""
        type_ = map_type(self.operand.type, "operand")
        self.require(type_.codomain, type_.domain)


def component(space: Attribute, index: int, what: str) -> Attribute:
    """Component `index` of a tuple space; raises when there is none."""
    if not isinstance(space, TupleType) or not 0 <= index < len(space.types.data):
        raise VerifyException(f"{what} {space} has no component {index}")
    return space.types.data[index]


# Primitive maps ----------------------------------------------------------------------------------


@irdl_op_definition
class ScaleOp(PrimitiveMapOp):
    """dx goes to k * dx, and 0 to 0 whatever k is (infinite and NaN included), anything to 0 where k is 0.

    The coefficient is a scalar or has the shape of the space. The map is its own transpose.
    """

    name = "linear.scale"
    coefficient = operand_def()

    def verify_(self) -> None:
        """A float coefficient of the space's element type, scalar or of its shape."""
        self.require(self.domain, self.domain)
        check_space_array(self.domain)
        if self.coefficient.type not in (self.domain, element_of(self.domain)):
            raise VerifyException(
                f"coefficient must be a scalar or of type {self.domain}, got {self.coefficient.type}"
            )


@irdl_op_definition
class MaskOp(PrimitiveMapOp):
    """dx goes to itself where the condition holds, to 0 elsewhere. The map is its own transpose."""

    name = "linear.mask"
    condition = operand_def()

    def verify_(self) -> None:
        """A boolean condition, scalar or of the space's shape."""
        self.require(self.domain, self.domain)
        check_space_array(self.domain)
        if not is_boolean(self.condition) or shape_of(self.condition) not in (
            (),
            shape_of(self.domain),
        ):
            raise VerifyException(
                f"condition must be i1, scalar or in shape {list(shape_of(self.domain))}, "
                f"got {self.condition.type}"
            )


@irdl_op_definition
class ConvertOp(PrimitiveMapOp):
    """Conversion between float element types. The transpose converts back."""

    name = "linear.convert"

    def verify_(self) -> None:
        """Domain and codomain of one shape."""
        check_space_array(self.domain)
        self.require(self.domain, array_type(shape_of(self.domain), element_of(self.codomain)))


@irdl_op_definition
class SumOp(PrimitiveMapOp):
    """The sum over `dims`. The transpose is a broadcast."""

    name = "linear.sum"
    dims = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("dims",)

    def verify_(self) -> None:
        """As `array.sum`."""
        check_space_array(self.domain)
        shape = reduce_shape(shape_of(self.domain), values_of(self.dims))
        self.require(self.domain, array_type(shape, element_of(self.domain)))


@irdl_op_definition
class BroadcastOp(PrimitiveMapOp):
    """As `array.broadcast`. The transpose sums the new dimensions and permutes the others back."""

    name = "linear.broadcast"
    dims = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("dims",)

    def verify_(self) -> None:
        """As `array.broadcast`."""
        check_same_space_element(self.domain, self.codomain)
        check_broadcast(shape_of(self.domain), values_of(self.dims), shape_of(self.codomain))


@irdl_op_definition
class ReshapeOp(PrimitiveMapOp):
    """As `array.reshape`. The transpose reshapes back."""

    name = "linear.reshape"

    def verify_(self) -> None:
        """As `array.reshape`."""
        check_same_space_element(self.domain, self.codomain)
        check_reshape(shape_of(self.domain), shape_of(self.codomain))


@irdl_op_definition
class ReverseOp(PrimitiveMapOp):
    """As `array.reverse`. The map is its own transpose."""

    name = "linear.reverse"
    dims = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("dims",)

    def verify_(self) -> None:
        """As `array.reverse`."""
        self.require(self.domain, self.domain)
        check_space_array(self.domain)
        check_dims(values_of(self.dims), len(shape_of(self.domain)), "dims")


@irdl_op_definition
class SliceOp(PrimitiveMapOp):
    """As `array.slice`. The transpose pads with zeros."""

    name = "linear.slice"
    starts = prop_def(DenseArrayBase.constr(i64))
    limits = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("starts", "limits", "strides")

    def verify_(self) -> None:
        """As `array.slice`."""
        check_space_array(self.domain)
        shape = slice_shape(
            shape_of(self.domain),
            values_of(self.starts),
            values_of(self.limits),
            values_of(self.strides),
        )
        self.require(self.domain, array_type(shape, element_of(self.domain)))


@irdl_op_definition
class PadOp(PrimitiveMapOp):
    """As `array.pad` with fill value 0. The transpose is the slice that takes the operand out again."""

    name = "linear.pad"
    low = prop_def(DenseArrayBase.constr(i64))
    high = prop_def(DenseArrayBase.constr(i64))
    interior = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("low", "high", "interior")

    def verify_(self) -> None:
        """As `array.pad`."""
        check_space_array(self.domain)
        shape = pad_shape(
            shape_of(self.domain),
            values_of(self.low),
            values_of(self.high),
            values_of(self.interior),
        )
        self.require(self.domain, array_type(shape, element_of(self.domain)))


@irdl_op_definition
class ConcatenateOp(PrimitiveMapOp):
    """The tuple's components one after the other along `dim`. The transpose is `split`."""

    name = "linear.concatenate"
    dim = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("dim",)

    def verify_(self) -> None:
        """As `array.concatenate`, over the domain's components."""
        self.require(self.domain, _concatenated(self.domain, self.dim.value.data))


@irdl_op_definition
class SplitOp(PrimitiveMapOp):
    """An array cut along `dim` into the components of the codomain. The transpose is `concatenate`."""

    name = "linear.split"
    dim = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("dim",)

    def verify_(self) -> None:
        """As `array.concatenate`, over the codomain's components."""
        self.require(_concatenated(self.codomain, self.dim.value.data), self.codomain)


@irdl_op_definition
class StackOp(PrimitiveMapOp):
    """The tuple's components as slices along a new dimension `dim`. The transpose is `unstack`."""

    name = "linear.stack"
    dim = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("dim",)

    def verify_(self) -> None:
        """As `array.stack`, over the domain's components."""
        self.require(self.domain, _stacked(self.domain, self.dim.value.data))


@irdl_op_definition
class UnstackOp(PrimitiveMapOp):
    """The slices of an array along `dim` as a tuple. The transpose is `stack`."""

    name = "linear.unstack"
    dim = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("dim",)

    def verify_(self) -> None:
        """As `array.stack`, over the codomain's components."""
        self.require(_stacked(self.codomain, self.dim.value.data), self.codomain)


@irdl_op_definition
class IndexOp(PrimitiveMapOp):
    """As `array.index` at the captured positions. The transpose is `one_hot`."""

    name = "linear.index"
    positions = var_operand_def(i64)
    POSITIONS_FROM: ClassVar = 0

    def verify_(self) -> None:
        """As `array.index`."""
        check_indexed(self.domain, self.codomain, self.positions)


@irdl_op_definition
class OneHotOp(PrimitiveMapOp):
    """0 but for dx at the captured positions. The transpose is `index`."""

    name = "linear.one_hot"
    positions = var_operand_def(i64)
    POSITIONS_FROM: ClassVar = 0

    def verify_(self) -> None:
        """As `linear.index` with domain and codomain exchanged."""
        check_indexed(self.codomain, self.domain, self.positions)


@irdl_op_definition
class GatherOp(PrimitiveMapOp):
    """As `array.gather`; the region captures primal values only. The transpose is `scatter`."""

    name = "linear.gather"
    body = region_def("single_block")

    def verify_(self) -> None:
        """As `array.gather`."""
        check_same_space_element(self.domain, self.codomain)
        check_gather(self.body, shape_of(self.domain), shape_of(self.codomain), "domain", "codomain")


@irdl_op_definition
class ScatterOp(PrimitiveMapOp):
    """As `array.scatter`; the region captures primal values only. The transpose is `gather`."""

    name = "linear.scatter"
    body = region_def("single_block")

    def verify_(self) -> None:
        """As `array.scatter`."""
        check_same_space_element(self.domain, self.codomain)
        check_gather(self.body, shape_of(self.codomain), shape_of(self.domain), "codomain", "domain")


class DotMapOp(PrimitiveMapOp, ABC):
    """A contraction with one operand fixed; the properties are those of the `array.dot` it comes from."""

    fixed = operand_def()
    lhs_batch = prop_def(DenseArrayBase.constr(i64))
    rhs_batch = prop_def(DenseArrayBase.constr(i64))
    lhs_contract = prop_def(DenseArrayBase.constr(i64))
    rhs_contract = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract")

    def check_dot(self, lhs: Attribute, rhs: Attribute) -> None:
        """As `array.dot` of operands of these types."""
        check_same_space_element(lhs, rhs)
        shape = dot_shape(
            shape_of(lhs),
            shape_of(rhs),
            values_of(self.lhs_batch),
            values_of(self.rhs_batch),
            values_of(self.lhs_contract),
            values_of(self.rhs_contract),
        )
        self.require(self.domain, array_type(shape, element_of(lhs)))


@irdl_op_definition
class DotLeftOp(DotMapOp):
    """dx goes to `dot dx, fixed`. The transpose is a contraction with the same array."""

    name = "linear.dot_left"

    def verify_(self) -> None:
        """As `array.dot` with the domain as left operand."""
        self.check_dot(self.domain, self.fixed.type)


@irdl_op_definition
class DotRightOp(DotMapOp):
    """dx goes to `dot fixed, dx`. The transpose is a contraction with the same array."""

    name = "linear.dot_right"

    def verify_(self) -> None:
        """As `array.dot` with the domain as right operand."""
        self.check_dot(self.fixed.type, self.domain)


def check_space_array(space: Attribute) -> None:
    """Require a float scalar or array, not a tuple."""
    if not is_array(space, FLOATS):
        raise VerifyException(f"the space must be a float scalar or array, got {space}")


def check_same_space_element(domain: Attribute, codomain: Attribute) -> None:
    """Require float arrays of one element type."""
    check_space_array(domain)
    check_space_array(codomain)
    if element_of(domain) != element_of(codomain):
        raise VerifyException(f"element types differ: {element_of(domain)}, {element_of(codomain)}")


def check_indexed(array: Attribute, part: Attribute, positions: Sequence[object]) -> None:
    """Require `part` to be what is left of `array` after its leading dimensions are indexed."""
    check_same_space_element(array, part)
    if shape_of(part) != shape_of(array)[len(positions) :] or len(positions) > len(shape_of(array)):
        raise VerifyException(f"{len(positions)} positions in {array} do not leave {part}")


def _concatenated(space: Attribute, dim: int) -> Attribute:
    parts = _parts(space)
    return array_type(concatenate_shape([shape_of(p) for p in parts], dim), element_of(parts[0]))


def _stacked(space: Attribute, dim: int) -> Attribute:
    parts = _parts(space)
    return array_type(stack_shape([shape_of(p) for p in parts], dim), element_of(parts[0]))


def _parts(space: Attribute) -> tuple[Attribute, ...]:
    parts = components_of(space)
    for part in parts:
        check_same_space_element(parts[0], part)
    if not parts:
        raise VerifyException("needs at least one component")
    return parts


# Application and differentiation -----------------------------------------------------------------


class ApplicationOp(StructuredOp, ABC):
    """A map applied to the components of its domain (or codomain) that carry data."""

    map = operand_def()
    arguments = var_operand_def()
    images = var_result_def()
    traits = traits_def(Pure())

    def check(self, domain: Attribute, codomain: Attribute) -> None:
        """Require one argument per carried component of `domain`, one result per one of `codomain`."""
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
    """`apply %m, %x...`: the image m x, by component."""

    name = "linear.apply"

    def verify_(self) -> None:
        """Arguments from the domain, results in the codomain."""
        type_ = map_type(self.map.type, "first operand")
        self.check(type_.domain, type_.codomain)


@irdl_op_definition
class ApplyTransposeOp(ApplicationOp):
    """`apply_transpose %m, %ct...`: the image of a cotangent under the transposed map, by component."""

    name = "linear.apply_transpose"

    def verify_(self) -> None:
        """Arguments from the codomain, results in the domain."""
        type_ = map_type(self.map.type, "first operand")
        self.check(type_.codomain, type_.domain)


class DifferentiationOp(StructuredOp, ABC):
    """The results of `callee` at the operands, and a linear map: the only door to differentiation.

    `wrt` lists the operands differentiated with respect to; the space of inputs is the product of their
    tangents, that of outputs the product of the tangents of all results (unit for integers and booleans).
    """

    arguments = var_operand_def()
    callee = prop_def(FlatSymbolRefAttrConstr)
    wrt = prop_def(DenseArrayBase.constr(i64))
    primals = var_result_def()
    traits = traits_def(Pure())
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

PRIMITIVE_OPS: tuple[type[PrimitiveMapOp], ...] = (
    ScaleOp,
    MaskOp,
    ConvertOp,
    SumOp,
    BroadcastOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    PadOp,
    ConcatenateOp,
    SplitOp,
    StackOp,
    UnstackOp,
    IndexOp,
    OneHotOp,
    GatherOp,
    ScatterOp,
    DotLeftOp,
    DotRightOp,
)
"""Maps with a line of their own in the tables of transposes and applications."""

VALUE_OPS = (ApplyOp, ApplyTransposeOp, LinearizeOp, PullbackOp)
"""Ops between maps and values."""

Linear = Dialect("linear", [*STRUCTURE_OPS, *PRIMITIVE_OPS, *VALUE_OPS], [MapType])
