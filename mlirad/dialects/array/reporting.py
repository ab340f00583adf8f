"""Reports of values to whoever runs the program: what it prints, and what went wrong in it.

    %u = array.report print %t, %p, %x {message = "x = {}", lanes = 0} : i64, i1, f64 -> i64

The language has no effects. A report takes a token and makes one, and whoever wants it to happen makes a
result of the program depend on the last token. So reports happen in the order in which tokens pass through
them, as often as the code around them runs, and no pass has to know of them.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, i1, i64
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import check_arrays
from mlirad.dialects.shapes import array_type, shape_of
from mlirad.dialects.syntax import StructuredOp

REPORT_KINDS = ("print", "position", "nan", "overflow")
"""What a report does: print its message, or make the call fail for a position outside, or for a NaN."""


@irdl_op_definition
class ReportOp(StructuredOp):
    """The token, after the values were reported for every lane in which the condition holds.

    The first `lanes` dimensions of the condition and of the values are lanes, which are reported one by one.
    `message` is filled with the values of a lane, as `str.format` does. `source` is the user's line.
    """

    name = "array.report"
    token = operand_def(i64)
    condition = operand_def()
    values = var_operand_def()
    kind = prop_def(StringAttr)
    message = prop_def(StringAttr)
    source = opt_prop_def(StringAttr)
    lanes = prop_def(IntegerAttr[I64])
    result = result_def(i64)
    traits = traits_def(Pure())
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("message", "source", "lanes")

    @property
    def lane_count(self) -> int:
        """How many leading dimensions are lanes."""
        return self.lanes.value.data

    def verify_(self) -> None:
        """A condition per lane, values that begin with the lanes."""
        if self.kind.data not in REPORT_KINDS:
            raise VerifyException(f"kind '{self.kind.data}' is not one of {', '.join(REPORT_KINDS)}")
        check_arrays([v.type for v in self.values], "value")
        shape = shape_of(self.condition)
        if self.condition.type != array_type(shape, i1):
            raise VerifyException(f"the condition must be of i1, got {self.condition.type}")
        if len(shape) != self.lane_count:
            raise VerifyException(f"the condition of {self.lane_count} lanes has type {self.condition.type}")
        for k, value in enumerate(self.values):
            if shape_of(value)[: len(shape)] != shape:
                raise VerifyException(f"value {k} of type {value.type} does not begin with the lanes")


REPORTING_OPS = (ReportOp,)
"""Every op of this file."""
