"""Code with a derivative of its own becomes plain code, once nothing is left to differentiate.

array.custom %x (%a) {t} derivative (...) {...}        -->        t, with %x for %a
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import yields
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, holds, visit_regions


@dataclass(frozen=True)
class LowerCustomDerivativesPass(FunctionPass):
    """Replaces code with a derivative of its own by the code."""

    name = "lower-custom-derivatives"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without custom derivatives."""
        return rebuild_function(function, _visit) if holds(function, CustomOp) else function


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    if not isinstance(op, CustomOp):
        visit_regions(b, op, env, _visit)
        return
    source = op.body.block
    inner = dict(env)
    inner.update(zip(source.args, (env.get(x, x) for x in op.inputs), strict=True))
    for inside in source.ops:
        if not isinstance(inside, YieldOp):
            _visit(b, inside, inner)
    env.update(zip(op.outputs, (inner.get(v, v) for v in yields(op.body)), strict=True))
