"""Calls of Python functions while a program runs.

    %y = array.callback %p, %x {function = "model.table", batch_rank = 0} : i1, f64 -> tensor<3xf64>

The function has no effects: it gives equal results for equal arguments, so that equal calls may be made once,
and calls whose results nobody reads not at all.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, UnitAttr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.reporting import check_batch
from mlirad.dialects.syntax import StructuredOp


class AnyCallback(StructuredOp, ABC):
    """A call with arrays of the language, or with arrays in memory."""

    condition = operand_def()
    values = var_operand_def()
    function = prop_def(StringAttr)
    vectorized = opt_prop_def(UnitAttr)
    source = opt_prop_def(StringAttr)
    batch_rank = prop_def(IntegerAttr[I64])
    outputs = var_result_def()
    BRACED: ClassVar = ("function", "vectorized", "source", "batch_rank")

    def verify_(self) -> None:
        """A condition for every element of the batch, operands and results that begin with the batch axes."""
        if not self.outputs:
            raise VerifyException("a callback has a result, or nobody calls it")
        groups = {"operand": self.values, "result": self.outputs}
        check_batch(self.batch_rank.value.data, self.condition, groups)


@irdl_op_definition
class CallbackOp(AnyCallback):
    """The results of a Python function for every element of a batch in which the condition holds, else 0.

    The first `batch_rank` dimensions of the condition, of the operands and of the results are batch axes. The
    function is called for one element at a time or, if it is `vectorized`, once for all in which the
    condition holds, along one more axis in front. It has a name in the process that runs the program.
    `source` is the user's line.
    """

    name = "array.callback"


CALLBACK_OPS = (CallbackOp,)
"""Every op of this file."""
