"""Checkpoints become branches that are always taken, so that lowering keeps their code apart.

    %y = array.checkpoint : -> f64 {t}        -->        %y = array.if %true : i1 -> f64 {t} else {zeros}

Code that runs again is equal to code that ran before. In one block the two would be shared, and what the
checkpoint is not to keep would be kept. To be run when nothing folds any more.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.control import IfOp
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.passes.function_pass import FunctionPass, holds, visit_region, visit_regions


@dataclass(frozen=True)
class FenceCheckpointsPass(FunctionPass):
    """Replaces checkpoints by branches."""

    name = "fence-checkpoints"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without checkpoints."""
        return rebuild_function(function, _visit) if holds(function, CheckpointOp) else function


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    if not isinstance(op, CheckpointOp):
        visit_regions(b, op, env, _visit)
        return
    taken = visit_region(b, op.body, env, _visit, ())
    other = b.region((), lambda: [b.zeros(y.type) for y in op.outputs])
    condition = b.constant(True, i1)
    new = b.insert(IfOp, (condition,), op.result_types, None, (taken, other))
    env.update(zip(op.outputs, new.results, strict=True))
