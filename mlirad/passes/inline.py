"""Inlining: every `func.call` becomes the body of its callee, callees first.

    %y = func.call @f(%x) : (f64) -> f64        -->        the ops of @f on %x

Calls of functions that reach themselves stay, and of those whose copies would let the program grow too much
(`mark_no_inline.py`). Callees of `linear.linearize` are not calls: they stay.
"""

from __future__ import annotations

from collections.abc import Container

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlirad.dialects.array.indexing import BuildOp
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import (
    CALLS,
    CallGraph,
    callee_name,
    callee_of,
    calls_except,
    calls_of,
    functions_by_name,
)
from mlirad.ir.free_values import own_operands
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import Visit, drop_unreferenced, replace_function, visit_regions
from mlirad.passes.mark_no_inline import has_maps, kept_functions, mark_kept


@dataclass(frozen=True)
class InlinePass(ModulePass):
    """Inline every call but those that stay; with `builds` or `maps`, fewer of them.

    With `builds` those inside builds, with `maps` those of functions that take or return linear maps.
    """

    name = "mlirad-inline"
    builds: bool = False
    maps: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inline into every function, callees before callers; private ones no longer used go."""
        mark_kept(op)
        functions = functions_by_name(op)
        kept = kept_functions(functions)
        if self.maps:
            _inline_all(functions, {n for n, f in functions.items() if n in kept or not has_maps(f)})
        if self.builds:
            for function in list(functions.values()):
                replace_function(function, inline_in_builds(function, functions, kept))
        if not (self.maps or self.builds):
            _inline_all(functions, kept)
        drop_unreferenced(op)


def _inline_all(functions: dict[str, FuncOp], kept: Container[str]) -> None:
    """Replace all calls but of those `kept`, in the module and in `functions`."""
    for name in CallGraph(functions, calls_except(kept)).postorder(functions):
        inlined = inline_calls(functions[name], functions, kept)
        replace_function(functions[name], inlined)
        functions[name] = inlined


def inline_in_builds(function: FuncOp, functions: dict[str, FuncOp], kept: Container[str] = ()) -> FuncOp:
    """Replace calls inside builds by the callees' bodies, except for callees in `kept`."""
    builds = [op for op in nested_ops(function.body) if isinstance(op, BuildOp)]
    inside = (inner for build in builds for inner in nested_ops(build.body))
    called = {callee_name(op): None for op in inside if isinstance(op, CALLS) and callee_name(op) not in kept}
    if not called:
        return function
    bodies: dict[str, FuncOp] = {}
    for name in CallGraph(functions, calls_except(kept)).postorder(called):
        bodies[name] = inline_calls(functions[name], bodies, kept)

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        visit_regions(b, op, env, inlining(bodies, kept) if isinstance(op, BuildOp) else visit)

    return rebuild_function(function, visit)


def inline_calls(function: FuncOp, callees: dict[str, FuncOp], kept: Container[str] = ()) -> FuncOp:
    """Replace calls by the callees' bodies, except for callees in `kept`; the calls in the bodies stay."""
    if all(name in kept for name, _ in calls_of(function)):
        return function
    return rebuild_function(function, inlining(callees, kept))


def inlining(callees: dict[str, FuncOp], kept: Container[str] = ()) -> Visit:
    """Return a visitor that emits the callee's body for every call of a function that is not in `kept`."""

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if not isinstance(op, CALLS) or callee_name(op) in kept:
            visit_regions(b, op, env, visit)
            return
        arguments = [env.get(o, o) for o in own_operands(op)]
        body = function_block(callee_of(op, callee_name(op), callees))
        env.update(zip(op.results, b.inline_block(body, arguments, {}), strict=True))

    return visit
