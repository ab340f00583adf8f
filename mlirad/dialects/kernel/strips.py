"""`kernel.strips`: a group of kernels, run for one strip of rows after the other.

Kernels that only work along one long dimension need not finish it before the next one starts. In strips, what
they pass to each other is as long as a strip, and stays in the first levels of cache.

    %a = nest over 100000: exp x               %s, %y = kernel.strips %zero (%start, %done, %acc: f64)
    %s = sum over 100000: a             -->       {carries = 1, extent = 100000, block = 500} {
    %y = nest over 100000: a * a                    %a = nest over 500: exp x[start + i]
                                                    %p = sum over 500: a
                                                    %t = acc + p
                                                    %z = nest over 500: a * a
                                                    array.yield %t, %z
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, i64
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, region_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import (
    CONTROL_OPS,
    ReplayOp,
    ScanOp,
    WhileOp,
    check_arguments,
    check_arrays,
    check_results,
    check_types,
)
from mlirad.dialects.array.indexing import yielded
from mlirad.dialects.extents import at_most
from mlirad.dialects.shapes import EXTENT, Value, array_type, element_of, integer_of, shape_of
from mlirad.dialects.syntax import StructuredOp


@irdl_op_definition
class StripsOp(StructuredOp):
    """A loop over strips of `block` rows, which cover `extent` rows; the last may overlap its neighbour.

    The region takes the first row of the strip, how many of its rows the strip before has done, and the
    carries. It yields the next carries, then strips of results: `block` rows, which stand from the first row
    of the strip on; then `parts`, which each strip makes for itself. The results are the last carries, then
    arrays of `extent` rows, then the parts of all strips, stacked.
    """

    name = "kernel.strips"
    inputs = var_operand_def()
    carries = prop_def(IntegerAttr[I64])
    extent = prop_def(EXTENT)
    block = prop_def(IntegerAttr[I64])
    parts = opt_prop_def(IntegerAttr[I64])
    body = region_def("single_block")
    outputs = var_result_def()
    BRACED: ClassVar = ("carries", "extent", "block", "parts")

    @property
    def rows(self) -> int:
        """Return how many rows there are."""
        return integer_of(self.extent)

    @property
    def strip_rows(self) -> int:
        """Return how many rows a strip has."""
        return self.block.value.data

    @property
    def iterations(self) -> int:
        """The number of strips."""
        return -(-self.rows // self.strip_rows)

    @property
    def carry_count(self) -> int:
        """The number of carries."""
        return self.carries.value.data

    @property
    def joined(self) -> Sequence[Value]:
        """The results that are joined of strips."""
        return self.results[self.carry_count : len(self.results) - self.part_count]

    @property
    def part_count(self) -> int:
        """Return how many results are stacked parts."""
        return 0 if self.parts is None else self.parts.value.data

    @property
    def stacked(self) -> Sequence[Value]:
        """The results that are stacked parts."""
        return self.results[len(self.results) - self.part_count :]

    def start_of(self, iteration: int) -> tuple[int, int]:
        """The first row of a strip, and how many of its rows the strip before has done."""
        wanted = iteration * self.strip_rows
        start = min(wanted, self.rows - self.strip_rows)
        return start, wanted - start

    def verify_(self) -> None:
        """Strips no longer than the whole; arguments and results follow from the carries and the yields."""
        types = [o.type for o in self.operands]
        if self.carry_count != len(types):
            raise VerifyException(f"{self.carry_count} carries of {len(types)} operands")
        if self.strip_rows < 1 or not at_most(self.strip_rows, self.rows):
            raise VerifyException(f"strips of {self.strip_rows} rows do not cover {self.rows} rows")
        check_arrays(types, "operand")
        check_arguments(self.body.block, [i64, i64, *types], "region")
        made, _ = yielded(self.body)
        check_arrays(made, "yielded value")
        check_types(made[: len(types)], types, "carry", "region yields")
        last = len(made) - self.part_count
        if not len(types) <= last <= len(made):
            raise VerifyException(f"{self.part_count} parts of {len(made)} values that the region yields")
        for type_ in made[len(types) : last]:
            if shape_of(type_)[:1] != (self.strip_rows,):
                raise VerifyException(f"a strip of type {type_} does not have {self.strip_rows} rows")
        joined = [array_type((self.rows, *shape_of(t)[1:]), element_of(t)) for t in made[len(types) : last]]
        stacked = [array_type((self.iterations, *shape_of(t)), element_of(t)) for t in made[last:]]
        check_results(self.result_types, [*types, *joined, *stacked])


LOWERED_LOOPS = (ScanOp, WhileOp, ReplayOp, StripsOp)
"""The loops of kernel programs."""

LOWERED_CONTROL = (*CONTROL_OPS, StripsOp)
"""The ops of kernel programs whose regions hold kernels."""
