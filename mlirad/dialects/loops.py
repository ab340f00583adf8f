"""The common description of loops of several dialects: iteration counts, operands and results that are
carries.

IterationsOp (array.scan, linear.scan)   a CountedOp with what its derivative keeps
array.scan, kernel.recurrence            a CarryingOp: its operands and results begin with the carries
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import I64, IntegerAttr, UnitAttr
from xdsl.irdl import opt_prop_def, prop_def, region_def

from mlirad.dialects.shapes import EXTENT, Value, integer_of
from mlirad.dialects.syntax import StructuredOp


class CountedOp(StructuredOp, ABC):
    """A loop of `length` iterations with `carries`; with `reverse` the iterations run from the last to the
    first.
    """

    carries = prop_def(IntegerAttr[I64])
    length = prop_def(EXTENT)
    reverse = opt_prop_def(UnitAttr)
    body = region_def("single_block")

    @property
    def iterations(self) -> int:
        """The number of iterations."""
        return integer_of(self.length)

    @property
    def carry_count(self) -> int:
        """The number of carries."""
        return self.carries.value.data


class CarryingOp(CountedOp, ABC):
    """A loop whose first operands are initial carries; its results are the last ones, then stacked values."""

    @property
    def init(self) -> Sequence[Value]:
        """The initial carries."""
        return self.operands[: self.carry_count]

    @property
    def final(self) -> Sequence[Value]:
        """The results that are last carries."""
        return self.results[: self.carry_count]

    @property
    def stacked(self) -> Sequence[Value]:
        """The results that are stacked over the iterations."""
        return self.results[self.carry_count :]
