"""Kernels of whole arrays: products of matrices, cumulative reductions, sorting, reports, callbacks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar, Final

from xdsl.dialects.builtin import I64, ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.callbacks import AnyCallback
from mlirad.dialects.array.elementwise import check_elements
from mlirad.dialects.array.ordering import CUMULATIVE_KINDS
from mlirad.dialects.array.reductions import COMBINER_ELEMENTS, ContractionOp
from mlirad.dialects.array.reporting import AnyReport
from mlirad.dialects.extents import at_most
from mlirad.dialects.kernel.layouts import LayoutReader, check_layouts, check_places
from mlirad.dialects.kernel.nests import check_parallel
from mlirad.dialects.kernel.schedules import (
    MOST_LANES,
    CutLoops,
    LoopAttr,
    ProductAttr,
    Segment,
    check_width,
    number_of,
)
from mlirad.dialects.shapes import (
    ELEMENTS,
    EXTENT,
    EXTENT_LIST,
    FLOATS,
    Shape,
    array_type,
    check_dims,
    element_of,
    shape_of,
    values_of,
)
from mlirad.dialects.syntax import StructuredOp

LINES: Final = 0
COLUMNS: Final = 1
"""The numbers of the loops of a cumulative op."""


@irdl_op_definition
class DotOp(ContractionOp, LayoutReader):
    """A contraction in one kernel, or passed to BLAS: `array.dot` with its properties, of arrays laid out as
    matrices.

    With `parallel` threads may share it in blocks of a given number of members of its first batch dimension
    or, without one, of rows: free positions of the left operand. Blocks of rows may be cut once more, into
    blocks of a given number of columns: free positions of the right operand.
    """

    name = "kernel.dot"
    lhs = operand_def()
    rhs = operand_def()
    layouts = opt_prop_def(ArrayAttr)
    parallel = opt_prop_def(EXTENT)
    columns = opt_prop_def(EXTENT)
    width = opt_prop_def(IntegerAttr[I64])
    products = opt_prop_def(ArrayAttr[ProductAttr])
    places = opt_prop_def(EXTENT_LIST)
    result = result_def()
    ATTRIBUTE_LISTS: ClassVar = ("products",)
    BRACED: ClassVar = (
        *ContractionOp.BRACED,
        "layouts",
        "parallel",
        "columns",
        "width",
        "products",
        "places",
    )

    @property
    def shared_extent(self) -> int:
        """Return how many members of the first batch dimension or, without one, how many rows there are."""
        shape, batch = shape_of(self.lhs), values_of(self.lhs_batch)
        if batch:
            return shape[batch[0]]
        return prod(e for d, e in enumerate(shape) if d not in values_of(self.lhs_contract))

    @property
    def column_extent(self) -> int:
        """Return how many columns there are: free positions of the right operand."""
        used = {*values_of(self.rhs_batch), *values_of(self.rhs_contract)}
        return prod(e for d, e in enumerate(shape_of(self.rhs)) if d not in used)

    def verify_(self) -> None:
        """As `array.dot`; blocks of one row, column or member at least."""
        check_elements(self.lhs.type, FLOATS, "left operand")
        if self.parallel is not None:
            check_parallel(self.parallel)
        if self.columns is not None:
            check_parallel(self.columns)
            if self.parallel is None or values_of(self.lhs_batch):
                raise VerifyException(
                    "blocks of columns are cut out of blocks of rows: state parallel, no batch"
                )
        check_width(self.width, MOST_LANES)
        if (self.width is None) != (self.products is None):
            raise VerifyException("width and products are stated together")
        check_places(self, self.places)
        check_layouts(self, self.layouts)
        shape = self.contracted_shape(self.lhs, self.rhs)
        expected = array_type(shape, element_of(self.lhs))
        if self.result.type != expected or element_of(self.rhs) != element_of(self.lhs):
            raise VerifyException(f"result has type {self.result.type}, the op computes {expected}")


@irdl_op_definition
class CumulativeOp(StructuredOp):
    """`array.cumulative` with its properties, of row-major arrays.

    Schedule: `loops` over the lines before the dimension, number 0, where several may run side by side, and
    over the columns after it, number 1, in blocks of at most `width` lanes. `complete-schedules` states them.
    """

    name = "kernel.cumulative"
    kind = prop_def(StringAttr)
    operand = operand_def()
    dim = prop_def(IntegerAttr[I64])
    reverse = opt_prop_def(UnitAttr)
    width = opt_prop_def(IntegerAttr[I64])
    loops = opt_prop_def(ArrayAttr[LoopAttr])
    places = opt_prop_def(EXTENT_LIST)
    result = result_def()
    KEYWORD: ClassVar = "kind"
    ATTRIBUTE_LISTS: ClassVar = ("loops",)
    BRACED: ClassVar = ("dim", "reverse", "width", "loops", "places")

    @property
    def extents(self) -> Shape:
        """The lines before the dimension, and the columns after it."""
        shape, dim = shape_of(self.result), self.dim.value.data
        return prod(shape[:dim]), prod(shape[dim + 1 :])

    @property
    def cut_loops(self) -> CutLoops:
        """The loops, with a complete schedule."""
        assert self.loops is not None
        return cut_lines([loop.data for loop in self.loops.data], number_of(self.width))

    def verify_(self) -> None:
        """As `array.cumulative`."""
        if self.kind.data not in CUMULATIVE_KINDS:
            raise VerifyException(f"kind '{self.kind.data}' is not one of {', '.join(CUMULATIVE_KINDS)}")
        check_elements(self.operand.type, COMBINER_ELEMENTS[CUMULATIVE_KINDS[self.kind.data]], "operand")
        check_dims((self.dim.value.data,), len(shape_of(self.operand)), "dim")
        check_places(self, self.places)
        if self.result.type != self.operand.type:
            raise VerifyException(f"result must have type {self.operand.type}, got {self.result.type}")
        if self.loops is not None:
            loops = self.cut_loops
            loops.check_segments(self.extents, (LINES,), (LINES, COLUMNS))
            loops.check_whole_blocks()
            if COLUMNS in loops.segments and any(s.copies > 1 for s in loops.segments.get(LINES, ())):
                raise VerifyException("lines of several columns do not run side by side")


def cut_lines(loops: Sequence[tuple[int, Sequence[Segment]]], width: int | None) -> CutLoops:
    """The loops of a cumulative op: columns run in lanes, or several lines side by side."""
    return CutLoops.of(loops, 2, lane=COLUMNS, tile=LINES, width=width)


@irdl_op_definition
class SortOp(StructuredOp):
    """`array.sort` along `dim` or, with `positions`, `array.argsort`, of row-major arrays.

    The results after the first are memory that the op works in, of unspecified content: lines of the
    operand's elements and, with `positions`, of positions. It needs two lines of each. Where lines lie one
    after the other, one of them is the line of the result, which has room for two of positions of 32 bits.
    """

    name = "kernel.sort"
    operand = operand_def()
    dim = prop_def(IntegerAttr[I64])
    positions = opt_prop_def(UnitAttr)
    places = opt_prop_def(EXTENT_LIST)
    outputs = var_result_def()
    BRACED: ClassVar = ("dim", "positions", "places")

    @property
    def is_contiguous(self) -> bool:
        """Return whether the elements of a line lie one after the other."""
        return has_contiguous_lines(shape_of(self.operand), self.dim.value.data)

    @property
    def has_short_positions(self) -> bool:
        """Return whether positions have 32 bits while lines are sorted."""
        return has_short_positions(shape_of(self.operand)[self.dim.value.data])

    def verify_(self) -> None:
        """Elements or positions in the shape of the operand; lines to work in."""
        check_elements(self.operand.type, ELEMENTS, "operand")
        check_dims((self.dim.value.data,), len(shape_of(self.operand)), "dim")
        check_places(self, self.places)
        expected = sort_types(self.operand.type, self.dim.value.data, positions=self.positions is not None)
        if list(self.result_types) != expected:
            raise VerifyException(f"results must have types {', '.join(map(str, expected))}")


def sort_types(operand: Attribute, dim: int, *, positions: bool) -> list[Attribute]:
    """The types of the results of `kernel.sort`."""
    shape = shape_of(operand)
    in_result = has_contiguous_lines(shape, dim)
    elements = array_type((shape[dim],), element_of(operand))
    if not positions:
        return [operand, *[elements] * (2 - in_result)]
    lines = 2 - in_result - has_short_positions(shape[dim])
    return [array_type(shape, i64), *[elements] * 2, *[array_type((shape[dim],), i64)] * lines]


def has_contiguous_lines(shape: Shape, dim: int) -> bool:
    """Return whether the elements along a dimension of a row-major array lie one after the other."""
    return all(at_most(extent, 1) for extent in shape[dim + 1 :])


def has_short_positions(extent: int) -> bool:
    """Return whether 32 bits hold the positions in lines of this length."""
    return at_most(extent, 1 << 31)


@irdl_op_definition
class ReportOp(AnyReport):
    """`array.report` of row-major arrays."""

    name = "kernel.report"
    places = opt_prop_def(EXTENT_LIST)
    BRACED: ClassVar = (*AnyReport.BRACED, "places")

    def verify_(self) -> None:
        """As `array.report`."""
        super().verify_()
        check_places(self, self.places)


@irdl_op_definition
class CallbackOp(AnyCallback):
    """`array.callback` of row-major arrays."""

    name = "kernel.callback"
    places = opt_prop_def(EXTENT_LIST)
    BRACED: ClassVar = (*AnyCallback.BRACED, "places")

    def verify_(self) -> None:
        """As `array.callback`."""
        super().verify_()
        check_places(self, self.places)
