"""Makes the functions that `linear.push` and `linear.pull` name, once nothing is left to differentiate.

    linear.push %x, %n, %dx {callee = @f, along = [[0]]}       call @f_jvp(%x, %n, %dx)
    linear.pull %x, %n, %ct, %sum {callee = @f, wrt = [0]}     call @f_vjp(%x, %n, %ct, %sum)

`@f_jvp` computes tangents beside values (`passes.tangents`); `@f_vjp` records a call and goes back through it
(`recording.py`). Each is made once for every function and choice of operands, however often it is called, and
is recursive where f is. Derivatives of functions that do not call themselves are written out where they are
used.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.linear import PullOp, PushOp
from mlirad.ir.call_graph import functions_of
from mlirad.ir.first_order import require_first_order
from mlirad.ir.inner_pipelines import INNER
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import drop_unreferenced, holds, replace_function


@dataclass(frozen=True)
class OutlineDerivativesPass(ModulePass):
    """Makes the derivatives of functions that are called, and calls them."""

    name = "outline-derivatives"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that call derived ones, and add these; loops without carries become bulk."""
        require_first_order(op)
        functions = functions_of(op)
        if not any(holds(f, (PushOp, PullOp)) for f in functions):
            return
        from mlirad.passes.outline_derivatives.derived import DerivedFunctions

        derived = DerivedFunctions(op)
        for function in functions:
            replace_function(function, derived.expanded(function))
        derived.add_functions()
        drop_unreferenced(op)
        if any(holds(f, BuildOp) for f in functions_of(op)):
            INNER[self.name](ctx, op)
