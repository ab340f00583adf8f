"""Checkpoints become branches that are always taken, so that lowering keeps their code apart.

    %y = array.checkpoint : -> f64 {t}        -->        %y = array.if %true : i1 -> f64 {t} else {zeros}

Recomputed code is equal to code that ran before. In one block the two would be shared, and what the
checkpoint is not to keep would be kept. To be run once nothing folds any more.

The other branch yields a captured array that the code updates, so that the update works in place.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.control import IfOp
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.array.indexing import UpdateOp
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import yields
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, holds, visit_region, visit_regions


@dataclass(frozen=True)
class LowerCheckpointsPass(FunctionPass):
    """Replaces checkpoints by branches."""

    name = "lower-checkpoints"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without checkpoints."""
        return rebuild_function(function, _visit) if holds(function, CheckpointOp) else function


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    if not isinstance(op, CheckpointOp):
        visit_regions(b, op, env, _visit)
        return
    taken = visit_region(b, op.body, env, _visit, ())
    pairs = [(v, _updated(v, op)) for v in yields(op.body)]
    other = b.region((), lambda: [b.zeros(v.type) if u is None else env.get(u, u) for v, u in pairs])
    condition = b.constant(True, i1)
    new = b.insert(IfOp, (condition,), op.result_types, None, (taken, other))
    env.update(zip(op.outputs, new.results, strict=True))


def _updated(value: Value, op: CheckpointOp) -> Value | None:
    """The value from outside a checkpoint that its code updates to be this one."""
    while isinstance(value.owner, UpdateOp) and value.owner.parent is op.body.block:
        value = value.owner.base
    is_inside = isinstance(value.owner, Operation) and value.owner.parent is op.body.block
    return None if is_inside else value
