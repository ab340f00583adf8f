"""Passes that transform a module one function at a time, and the walk through nested regions.

class DcePass(FunctionPass):              a pass is its function-level transformation, FuncOp -> FuncOp
    name = "mlirad-dce"
    def transform(self, function, module): return eliminate_dead_code(function)

Passes rebuild functions instead of changing ops in place. In xDSL this is several times as fast as pattern
rewriting, and since the source location is state of the builder, no rewrite can forget it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, Region
from xdsl.passes import ModulePass

from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.kernel.nests import ScheduledOp
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of
from mlirad.ir.call_graph import CallGraph, functions_by_name, functions_of, is_private, references_of
from mlirad.ir.free_values import own_operands
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass

Visit: TypeAlias = Callable[[ArrayBuilder, Operation, Environment], None]
"""Emits what stands for one source op, and enters its results in the environment."""


@dataclass(frozen=True)
class FunctionPass(ModulePass, ABC):
    """Replaces every function of the module that has a body."""

    @abstractmethod
    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """Return what the function becomes; itself if nothing is to be done."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Transform the functions in program order; each sees those before it already transformed."""
        transform_functions(op, lambda function: self.transform(function, op))


def transform_functions(module: ModuleOp, transform: Callable[[FuncOp], FuncOp]) -> None:
    """Replace every function that has a body by `transform` of it, in program order."""
    for function in functions_of(module):
        replace_function(function, transform(function))


def replace_function(old: FuncOp, new: FuncOp) -> None:
    """Put `new` in the place of `old`."""
    block = old.parent
    if new is old or block is None:
        return
    block.insert_op_before(new, old)
    old.detach()
    old.erase()


def drop_unreferenced(module: ModuleOp, entry: str | None = None) -> None:
    """Remove private functions that nothing kept refers to any more; with `entry` all but what that needs."""
    functions = functions_by_name(module)
    starts = [name for name, f in functions.items() if not is_private(f)] if entry is None else [entry]
    kept = CallGraph(functions, references_of).reachable(starts)
    for name, function in functions.items():
        if name not in kept:
            function.detach()
            function.erase()


def holds(function: FuncOp, op_class: type[Operation] | tuple[type[Operation], ...]) -> bool:
    """Return whether an op of the class stands anywhere in the function."""
    return any(isinstance(op, op_class) for op in nested_ops(function.body))


def visit_regions(b: ArrayBuilder, op: Operation, env: Environment, visit: Visit) -> None:
    """Emit `op` unfolded, each op of its regions through `visit`; enters the results in `env`."""
    b.location = op.location
    b.name_hint = op.results[0].name_hint if op.results else None
    if not op.regions:
        b.rebuild_unfolded(op, env)
        return
    regions = [visit_region(b, region, env, visit, extents_of(op)) for region in op.regions]
    operands = [env.get(o, o) for o in own_operands(op)]
    new = b.insert(type(op), operands, op.result_types, op.properties, regions)
    for old, result in zip(op.results, new.results, strict=True):
        env[old] = result
        if result.name_hint is None:
            result.name_hint = old.name_hint


def visit_region(
    b: ArrayBuilder, region: Region, env: Environment, visit: Visit, extents: Sequence[int]
) -> Region:
    """The region rebuilt, each op through `visit`; its leading arguments range over `extents`.

    No pass on array programs changes the body of a kernel.
    """
    if isinstance(region.parent, ScheduledOp):
        return b.clone_region(region, env, extents)
    source = region.block

    def body(*args: Value) -> list[Value]:
        inner = dict(env)
        for old, arg in zip(source.args, args, strict=True):
            arg.name_hint = old.name_hint
            inner[old] = arg
        for op in source.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return [inner.get(v, v) for v in own_operands(op)]
            visit(b, op, inner)
        raise AssertionError("a region without a terminator")

    return b.region_over(extents, source.arg_types, body)
