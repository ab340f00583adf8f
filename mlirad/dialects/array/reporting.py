"""Reports of values to the caller of a program: what it prints, and what went wrong in it.

    %u = array.report print %t, %p, %x {message = "x = {}", batch_rank = 0} : i64, i1, f64 -> i64

The language has no side effects. A report takes a token and makes one, and takes place if a result of the
program depends on the last token. So reports come in the order in which tokens pass through them, as often
as the code around them runs, and no pass has to know of them.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, i1, i64
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import check_elements
from mlirad.dialects.messages import check_message
from mlirad.dialects.shapes import ELEMENTS, Value, array_type, element_of, shape_of
from mlirad.dialects.syntax import StructuredOp

REPORT_KINDS = (
    "print",
    "call",
    "position",
    "nan",
    "pole",
    "overflow",
    "matrix",
    "convergence",
    "assertion",
    "argument",
    "exception",
)
"""The kinds of reports. They print the message, call the Python function that it names, or make the call fail
for a position outside, a NaN, a zero that absorbs an infinite derivative, an integer that is too large, a
matrix without the factorisation that is asked for, a solver that does not converge, an `assert` that does not
hold, an argument without a result, or an exception of the program's own, whose message begins with the name
of its class and a colon."""


class AnyReport(StructuredOp, ABC):
    """A report of arrays of the language, or of arrays in memory."""

    token = operand_def(i64)
    condition = operand_def()
    values = var_operand_def()
    kind = prop_def(StringAttr)
    message = prop_def(StringAttr)
    source = opt_prop_def(StringAttr)
    batch_rank = prop_def(IntegerAttr[I64])
    result = result_def(i64)
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("message", "source", "batch_rank")

    def verify_(self) -> None:
        """A known kind, a condition and values that begin with the batch axes, a message for them."""
        kind, batch_rank = self.kind.data, self.batch_rank.value.data
        if kind not in REPORT_KINDS:
            raise VerifyException(f"kind '{kind}' is not one of {', '.join(REPORT_KINDS)}")
        check_batch(batch_rank, self.condition, {"value": self.values})
        if kind == "call":
            return
        types = [array_type(shape_of(v)[batch_rank:], element_of(v)) for v in self.values]
        try:
            check_message(self.message.data, types)
        except ValueError as error:
            raise VerifyException(f"message: {error}") from error


def check_batch(batch_rank: int, condition: Value, groups: Mapping[str, Sequence[Value]]) -> None:
    """Require a condition for each element of a batch, and values that begin with the batch axes.

    `groups` are the values by the words that messages have for them.
    """
    named = [(f"{what} {k}", value) for what, values in groups.items() for k, value in enumerate(values)]
    for name, value in named:
        check_elements(value.type, ELEMENTS, name)
    shape = shape_of(condition)
    if condition.type != array_type(shape, i1):
        raise VerifyException(f"the condition must be of i1, got {condition.type}")
    if len(shape) != batch_rank:
        raise VerifyException(f"the condition of {batch_rank} batch axes has type {condition.type}")
    for name, value in named:
        if shape_of(value)[:batch_rank] != shape:
            raise VerifyException(f"{name} of type {value.type} does not begin with the batch axes")


@irdl_op_definition
class ReportOp(AnyReport):
    """The token, after the values were reported for every element of a batch in which the condition holds.

    The first `batch_rank` dimensions of the condition and of the values are batch axes, whose elements are
    reported one by one. `message` is filled with the values of an element (`mlirad.dialects.messages`).
    `source` is the user's line.
    """

    name = "array.report"


REPORTING_OPS = (ReportOp,)
"""Every op of this file."""
