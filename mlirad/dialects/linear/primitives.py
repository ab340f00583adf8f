"""Local maps on arrays: each stands for one op of the array dialect, or for its transpose.

There are fewer maps than array ops. `permute` is a `broadcast`. `pad` fills with 0; the map of a fill value
is a `broadcast` followed by a `mask` that keeps the padding. A `case` with several branches is `switch`. The
sum of m after n over indices is `build_transpose` of the composition after a `broadcast`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, region_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.indexing import UPDATE_KINDS, check_gather
from mlirad.dialects.array.reductions import ContractionOp
from mlirad.dialects.linear.maps import PrimitiveMapOp
from mlirad.dialects.linear.solves import TriangularSolveOp
from mlirad.dialects.linear.transforms import FftOp
from mlirad.dialects.shapes import (
    EXTENT_LIST,
    FLOATS,
    array_type,
    check_broadcast,
    check_dims,
    check_reshape,
    components_of,
    concatenate_shape,
    element_of,
    is_array,
    is_boolean,
    pad_shape,
    reduce_shape,
    shape_of,
    slice_shape,
    stack_shape,
    tuple_type,
    values_of,
)


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
    starts = prop_def(EXTENT_LIST)
    limits = prop_def(EXTENT_LIST)
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
    """As `array.pad` with fill value 0. The transpose is the slice that extracts the operand."""

    name = "linear.pad"
    low = prop_def(EXTENT_LIST)
    high = prop_def(EXTENT_LIST)
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
    """0 except for dx at the captured positions. The transpose is `index`."""

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


@irdl_op_definition
class UpdateOp(PrimitiveMapOp):
    """(dbase, dx) goes to `array.update kind dbase, dx`; the region captures primal values only.

    The transpose of `add` sends ct to (ct, gather ct), that of `set` to (ct with 0 where something is
    written, gather ct at the last writer of each position).
    """

    name = "linear.update"
    kind = prop_def(StringAttr)
    body = region_def("single_block")
    KEYWORD: ClassVar = "kind"

    @property
    def operand_space(self) -> Attribute:
        """The space of what is written."""
        return components_of(self.domain)[1]

    def verify_(self) -> None:
        """As `array.update` of the domain's two components."""
        if self.kind.data not in UPDATE_KINDS:
            raise VerifyException(f"kind '{self.kind.data}' is not one of {', '.join(UPDATE_KINDS)}")
        parts = components_of(self.domain)
        if len(parts) != 2:
            raise VerifyException(f"the domain must be a pair of base and operand, got {self.domain}")
        base, operand = parts
        check_same_space_element(base, operand)
        self.require(tuple_type((base, operand)), base)
        check_gather(self.body, shape_of(base), shape_of(operand), "base", "operand")


class PrefixMapOp(PrimitiveMapOp, ABC):
    """A linear recurrence along one dimension, from its end with `reverse`."""

    dim = prop_def(IntegerAttr[I64])
    reverse = opt_prop_def(UnitAttr)
    BRACED: ClassVar = ("dim", "reverse")

    def check_prefix(self) -> None:
        """Require an array and one of its dimensions."""
        check_space_array(self.domain)
        self.require(self.domain, self.domain)
        check_dims((self.dim.value.data,), len(shape_of(self.domain)), "dim")


@irdl_op_definition
class CumulativeSumOp(PrefixMapOp):
    """As `array.cumulative sum`. The transpose is the same in the other direction."""

    name = "linear.cumulative_sum"

    def verify_(self) -> None:
        """A dimension of the space."""
        self.check_prefix()


@irdl_op_definition
class RecurrenceOp(PrefixMapOp):
    """dx goes to d with d[i] = a[i] d[i - 1] + dx[i] along `dim`; d[-1] = 0. Zero absorbs.

    With `reverse` d[i] = a[i] d[i + 1] + dx[i]. The transpose is the recurrence in the other direction with
    the factors moved by one place.
    """

    name = "linear.recurrence"
    factors = operand_def()

    def verify_(self) -> None:
        """Factors of the space's type, and a dimension of it."""
        self.check_prefix()
        if self.factors.type != self.domain:
            raise VerifyException(f"factors must be of type {self.domain}, got {self.factors.type}")


class DotMapOp(PrimitiveMapOp, ContractionOp, ABC):
    """A contraction with one operand fixed; the properties are those of the `array.dot` it comes from."""

    fixed = operand_def()

    def check_dot(self, lhs: Attribute, rhs: Attribute) -> None:
        """As `array.dot` of operands of these types."""
        check_same_space_element(lhs, rhs)
        shape = self.contracted_shape(lhs, rhs)
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


ARRAY_MAP_OPS: tuple[type[PrimitiveMapOp], ...] = (
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
    UpdateOp,
    CumulativeSumOp,
    RecurrenceOp,
    DotLeftOp,
    DotRightOp,
    TriangularSolveOp,
    FftOp,
)
"""The local maps on arrays."""
