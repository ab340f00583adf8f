"""`form-recurrences`: a scan whose body only works element by element becomes one kernel.

    %p, %powers = array.scan %one (%k, %a: tensor<256xf64>) {carries = 1, length = 128} {
      %b = kernel.nest %a, %t (%i) {space = [256]} { ... a[i] * t[i] ... }
      array.yield %b, %b
    }
      -->
    %p, %powers = kernel.recurrence %one, %t (%i, %k, %a: f64) {carries = 1, space = [256], length = 128} {
      ... a * t[i] ...
    }

The scan calls its kernels in every iteration, and the values that they carry and pass to each other go
through memory. In the recurrence a few vectors of elements make all iterations, with these values in
registers. The costs of both decide (`costs.py`); `lower/kernels/element_loops.py` finds scans of this form.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.kernel.strips import LOWERED_CONTROL
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import functions_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.form_recurrences.costs import Costs
from mlirad.lower.kernels.element_loops import ElementLoop
from mlirad.lower.kernels.moves import considered

__all__ = ["FormRecurrencesPass", "form_recurrences", "form_recurrences_in_place"]


@dataclass(frozen=True)
class FormRecurrencesPass(ModulePass):
    """Makes one kernel of a loop whose body works element by element, with its carries in registers.

    With `always`, wherever that is possible; otherwise where costs say so, for vectors of a given size.
    """

    name = "form-recurrences"

    always: bool = False
    vector_bytes: int = 32

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Form recurrences in every function of the module."""
        for function in functions_of(op):
            form_recurrences_in_place(function, always=self.always, vector_bytes=self.vector_bytes)


def form_recurrences(function: FuncOp, *, always: bool = False, vector_bytes: int = 32) -> FuncOp:
    """The function with recurrences in the place of scans."""
    formed = function.clone()
    form_recurrences_in_place(formed, always=always, vector_bytes=vector_bytes)
    return formed


def form_recurrences_in_place(function: FuncOp, *, always: bool = False, vector_bytes: int = 32) -> None:
    """Let loops of this function be recurrences where that pays, or `always` where it is possible."""
    _form_block(function_block(function), always, vector_bytes)


def _form_block(block: Block, always: bool, vector_bytes: int) -> None:
    for op in list(block.ops):
        if isinstance(op, LOWERED_CONTROL):
            for region in op.regions:
                _form_block(region.block, always, vector_bytes)
        loop = ElementLoop.of(op) if isinstance(op, ScanOp) else None
        if loop is None:
            continue
        new = loop.recurrence()
        costs = Costs.of(loop, new, vector_bytes)
        is_done = always or costs.pay
        what = f"a recurrence of {loop.op.iterations} iterations, {len(new.body.block.ops)} ops"
        considered(op, what, costs.scan, costs.recurrence, is_done=is_done)
        if is_done:
            loop.replace_by(new)
        else:
            new.erase()
