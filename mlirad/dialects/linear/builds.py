"""Maps made at every position of an index space: collected into an array, or joined over one.

    %m = linear.build (%i) {extents = [5]} : -> !linear.map<f64, tensor<5xf64>> {
      %k = array.index %a[%i] : tensor<5xf64> -> f64
      %s = linear.scale %k : f64 -> !linear.map<f64, f64>
      array.yield %s : !linear.map<f64, f64>
    }

`build` sends x to the array of all m_i x, `build_transpose` an array x to the sum of all m_i x[i] (linear-map
notes, Figures 3 and 4: B and B'). Where a space is a tuple, an array of it is the tuple of the arrays of its
components; unit stays unit. Both are general forms of `broadcast` and `sum`, of `gather` and `scatter`, and
of pairs and joins of vectors of maps (V and H), for which no type of arrays of maps is needed.

The linear-map notes also have V and H on vectors whose elements are maps. A type of arrays of maps would need
a representation at run time; a region that makes the map of an index needs none. Applied transposed, `build`
adds to accumulators in place, one index after the other, which costs what the maps cost; where only scalars
are summed it is a reduction. The laws of `simplify-maps`, applied beforehand, turn reads, writes and
coefficients that depend on the index into `gather`, `scatter` and `scale` of arrays.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import TupleType, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, prop_def, region_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import check_arguments
from mlirad.dialects.extents import at_most
from mlirad.dialects.linear.control import yielded_map
from mlirad.dialects.linear.maps import ControlMapOp, MapType
from mlirad.dialects.linear.spaces import is_plain
from mlirad.dialects.shapes import EXTENT_LIST, Shape, array_type, element_of, shape_of, tuple_type, values_of


def stacked_space(space: Attribute, extents: Sequence[int]) -> Attribute:
    """The space of arrays of elements of a space: of a tuple, the tuple of arrays of its components.

    Raises for spaces of functions, which have no arrays.
    """
    if not is_plain(space):
        raise VerifyException(f"there are no arrays of elements of {space}")
    if isinstance(space, TupleType):
        return tuple_type([stacked_space(part, extents) for part in space.types.data])
    return array_type((*extents, *shape_of(space)), element_of(space))


class IndexedMapOp(ControlMapOp, ABC):
    """A map made of one map per position of the index space `extents`; the region takes the position."""

    extents = prop_def(EXTENT_LIST)
    body = region_def("single_block")
    BRACED: ClassVar = ("extents",)

    @property
    def space(self) -> Shape:
        """The extents of the index space."""
        return values_of(self.extents)

    def made(self) -> MapType:
        """The type of the map at a position; raises for a region that makes none."""
        if not self.space:
            raise VerifyException("extents must name at least one dimension")
        if not all(at_most(0, extent) for extent in self.space):
            raise VerifyException(f"extents {list(self.space)} must not be negative")
        check_arguments(self.body.block, [i64] * len(self.space), "region")
        return yielded_map(self.body, "region")


@irdl_op_definition
class BuildOp(IndexedMapOp):
    """x goes to the array of m_i x over all positions i, where m_i is what the region yields.

    The transpose is `build_transpose` of the transposed maps.
    """

    name = "linear.build"

    def verify_(self) -> None:
        """The codomain is the array of that of the maps."""
        made = self.made()
        self.require(made.domain, stacked_space(made.codomain, self.space))


@irdl_op_definition
class BuildTransposeOp(IndexedMapOp):
    """An array x goes to the sum of m_i x[i] over all positions i, where m_i is what the region yields.

    The transpose is `build` of the transposed maps.
    """

    name = "linear.build_transpose"

    def verify_(self) -> None:
        """The domain is the array of that of the maps."""
        made = self.made()
        self.require(stacked_space(made.domain, self.space), made.codomain)


INDEXED_OPS: tuple[type[IndexedMapOp], ...] = (BuildOp, BuildTransposeOp)
"""Every op of this file."""
