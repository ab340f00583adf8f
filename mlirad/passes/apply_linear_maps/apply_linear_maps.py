"""The pass `apply-linear-maps`: applications of maps become array code or calls, and no map is left.

%dy = linear.apply %d, %dx              one image per node of the map (`application.py`)
%d = linear.call %r {callee = @f_map}   its applications are calls (`application_functions.py`)
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects import linear
from mlirad.ir.call_graph import functions_by_name, functions_of
from mlirad.ir.first_order import require_first_order
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.apply_linear_maps.application import apply_maps
from mlirad.passes.apply_linear_maps.application_functions import add_applications
from mlirad.passes.function_pass import FunctionPass, drop_unreferenced, holds


@dataclass(frozen=True)
class ApplyLinearMapsPass(FunctionPass):
    """Replaces applications by array code and removes the maps."""

    name = "apply-linear-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Apply the maps of all functions; functions that apply the maps of others are added."""
        require_first_order(op)
        called = any(holds(function, linear.CallOp) for function in functions_of(op))
        super().apply(ctx, op)
        if called:
            functions = functions_by_name(op)
            op.body.block.add_ops(add_applications(list(functions.values()), functions))
            drop_unreferenced(op)

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without applications."""
        return apply_maps(function)
