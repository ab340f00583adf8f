"""Linear maps simplified by the laws of their algebra.

    %m = linear.build (%i) ... { index[e i] }     %m = linear.gather (%i) ... { e i }
    %t = linear.transpose %m                      %t = linear.scatter (%i) ... { e i }

One walk that rebuilds the function: each map goes through the folding constructors and then through the
laws (`mlirad.linear_maps.laws`), on operands that these have already simplified. Dead code is dropped.
"""

from __future__ import annotations

from collections import Counter

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from mlirad.dialects import linear
from mlirad.ir.arrays import rebuild_function
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.laws import LawBuilder
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import FunctionPass, holds


@dataclass(frozen=True)
class SimplifyMapsPass(FunctionPass):
    """Simplifies linear maps by the laws of their algebra."""

    name = "simplify-maps"
    keep_transposes: bool = False

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function with simplified maps."""
        return simplify_maps(function, transposes=not self.keep_transposes)


def simplify_maps(
    function: FuncOp, applied: Counter[str] | None = None, *, transposes: bool = True
) -> FuncOp:
    """The function with simplified maps; itself when it has none. Counts the laws used in `applied`.

    Without `transposes`, transposes are not pushed inwards: application does not need it, as it walks the map
    backwards.
    """
    if not holds(function, linear.MapOp):
        return function

    def builder(block: Block) -> LawBuilder:
        return LawBuilder(block, applied, transposes)

    return eliminate_dead_code(rebuild_function(function, builder_class=builder))
