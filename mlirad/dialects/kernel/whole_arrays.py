"""Kernels of whole arrays: contractions passed to BLAS, cumulative reductions, sorting, reports."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import I64, ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import check_elements
from mlirad.dialects.array.ordering import CUMULATIVE_KINDS
from mlirad.dialects.array.reductions import COMBINER_ELEMENTS, ContractionOp
from mlirad.dialects.array.reporting import check_report
from mlirad.dialects.kernel.layouts import LayoutReader, check_layouts, check_places
from mlirad.dialects.kernel.nests import check_parallel
from mlirad.dialects.shapes import (
    ELEMENTS,
    EXTENT,
    EXTENT_LIST,
    FLOATS,
    array_type,
    check_dims,
    element_of,
    shape_of,
    values_of,
)
from mlirad.dialects.syntax import StructuredOp


@irdl_op_definition
class DotOp(ContractionOp, LayoutReader):
    """A contraction passed to BLAS: `array.dot` with its properties, of arrays laid out as matrices.

    With `parallel` threads may share it in blocks of so many members of its first batch dimension or, without
    one, so many rows: free positions of the left operand. Blocks of rows may be cut once more, into blocks of
    so many `columns`: free positions of the right operand.
    """

    name = "kernel.dot"
    lhs = operand_def()
    rhs = operand_def()
    layouts = opt_prop_def(ArrayAttr)
    parallel = opt_prop_def(EXTENT)
    columns = opt_prop_def(EXTENT)
    places = opt_prop_def(EXTENT_LIST)
    result = result_def()
    BRACED: ClassVar = (*ContractionOp.BRACED, "layouts", "parallel", "columns", "places")

    @property
    def shared_extent(self) -> int:
        """How many members of the first batch dimension or, without one, how many rows there are."""
        shape, batch = shape_of(self.lhs), values_of(self.lhs_batch)
        if batch:
            return shape[batch[0]]
        return prod(e for d, e in enumerate(shape) if d not in values_of(self.lhs_contract))

    @property
    def column_extent(self) -> int:
        """How many columns there are: free positions of the right operand."""
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
        check_places(self, self.places)
        check_layouts(self, self.layouts)
        shape = self.contracted_shape(self.lhs, self.rhs)
        expected = array_type(shape, element_of(self.lhs))
        if self.result.type != expected or element_of(self.rhs) != element_of(self.lhs):
            raise VerifyException(f"result has type {self.result.type}, the op computes {expected}")


@irdl_op_definition
class CumulativeOp(StructuredOp):
    """`array.cumulative` with its properties, of row-major arrays."""

    name = "kernel.cumulative"
    kind = prop_def(StringAttr)
    operand = operand_def()
    dim = prop_def(IntegerAttr[I64])
    reverse = opt_prop_def(UnitAttr)
    places = opt_prop_def(EXTENT_LIST)
    result = result_def()
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("dim", "reverse", "places")

    def verify_(self) -> None:
        """As `array.cumulative`."""
        if self.kind.data not in CUMULATIVE_KINDS:
            raise VerifyException(f"kind '{self.kind.data}' is not one of {', '.join(CUMULATIVE_KINDS)}")
        check_elements(self.operand.type, COMBINER_ELEMENTS[CUMULATIVE_KINDS[self.kind.data]], "operand")
        check_dims((self.dim.value.data,), len(shape_of(self.operand)), "dim")
        check_places(self, self.places)
        if self.result.type != self.operand.type:
            raise VerifyException(f"result must have type {self.operand.type}, got {self.result.type}")


@irdl_op_definition
class SortOp(StructuredOp):
    """`array.sort` along `dim` or, with `positions`, `array.argsort`, of row-major arrays.

    The results after the first are memory that the op works in, of unspecified content: two lines of the
    operand's elements and, with `positions`, two lines of positions.
    """

    name = "kernel.sort"
    operand = operand_def()
    dim = prop_def(IntegerAttr[I64])
    positions = opt_prop_def(UnitAttr)
    places = opt_prop_def(EXTENT_LIST)
    outputs = var_result_def()
    BRACED: ClassVar = ("dim", "positions", "places")

    def verify_(self) -> None:
        """Elements or positions in the shape of the operand; two lines to work in for each."""
        check_elements(self.operand.type, ELEMENTS, "operand")
        check_dims((self.dim.value.data,), len(shape_of(self.operand)), "dim")
        check_places(self, self.places)
        expected = sort_types(self.operand.type, self.dim.value.data, positions=self.positions is not None)
        if list(self.result_types) != expected:
            raise VerifyException(f"results must have types {', '.join(map(str, expected))}")


def sort_types(operand: Attribute, dim: int, *, positions: bool) -> list[Attribute]:
    """The types of the results of `kernel.sort`."""
    shape = shape_of(operand)
    elements = array_type((2 * shape[dim],), element_of(operand))
    if not positions:
        return [operand, elements]
    return [array_type(shape, i64), elements, array_type((2 * shape[dim],), i64)]


@irdl_op_definition
class ReportOp(StructuredOp):
    """`array.report` of row-major arrays."""

    name = "kernel.report"
    token = operand_def(i64)
    condition = operand_def()
    values = var_operand_def()
    kind = prop_def(StringAttr)
    message = prop_def(StringAttr)
    source = opt_prop_def(StringAttr)
    batch_rank = prop_def(IntegerAttr[I64])
    places = opt_prop_def(EXTENT_LIST)
    result = result_def(i64)
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("message", "source", "batch_rank", "places")

    def verify_(self) -> None:
        """As `array.report`."""
        batch_rank = self.batch_rank.value.data
        check_report(self.kind.data, self.message.data, batch_rank, self.condition, self.values)
        check_places(self, self.places)
