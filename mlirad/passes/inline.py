"""Inlining: every `func.call` becomes the body of its callee, callees first.

    %y = func.call @f(%x) : (f64) -> f64        -->        the ops of @f on %x

Calls of functions that reach themselves stay. Callees of `linear.linearize` are not calls: they stay.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import BuildOp
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.passes.function_pass import (
    Visit,
    drop_unreferenced,
    functions_of,
    nested_ops,
    replace_function,
    visit_regions,
)

CALLS = (CallOp, linear.CallOp)
"""Ops that stand for the body of their callee."""


@dataclass(frozen=True)
class InlinePass(ModulePass):
    """Resolves every call but those of recursive functions; with `builds`, calls inside builds only."""

    name = "mlirad-inline"
    builds: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inline into every function, callees before callers; private ones no longer used go."""
        functions = {f.sym_name.data: f for f in functions_of(op)}
        kept = recursive_functions(functions)
        if self.builds:
            for function in list(functions.values()):
                replace_function(function, inline_in_builds(function, functions, kept))
            drop_unreferenced(op)
            return

        def resolved(function: FuncOp) -> list[tuple[str, Operation]]:
            return [call for call in calls_of(function) if call[0] not in kept]

        for name in callees_first(functions, functions, resolved):
            inlined = inline_calls(functions[name], functions, kept)
            replace_function(functions[name], inlined)
            functions[name] = inlined
        drop_unreferenced(op)


def inline_in_builds(function: FuncOp, functions: dict[str, FuncOp], kept: Container[str] = ()) -> FuncOp:
    """The function with the calls inside its builds, but of those `kept`, replaced by the callees' bodies."""
    builds = [op for op in nested_ops(function.body) if isinstance(op, BuildOp)]
    inside = (inner for build in builds for inner in nested_ops(build.body))
    called = {callee_name(op): None for op in inside if isinstance(op, CALLS) and callee_name(op) not in kept}
    if not called:
        return function

    def resolved(callee: FuncOp) -> list[tuple[str, Operation]]:
        return [call for call in calls_of(callee) if call[0] not in kept]

    bodies: dict[str, FuncOp] = {}
    for name in callees_first(called, functions, resolved):
        bodies[name] = inline_calls(functions[name], bodies, kept)

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        visit_regions(b, op, env, inlining(bodies, kept) if isinstance(op, BuildOp) else visit)

    return rebuild_function(function, visit)


def inline_calls(function: FuncOp, callees: dict[str, FuncOp], kept: Container[str] = ()) -> FuncOp:
    """The function with its calls, but of those `kept`, replaced by the callees' bodies.

    These must hold no call to be replaced themselves.
    """
    if all(name in kept for name, _ in calls_of(function)):
        return function

    return rebuild_function(function, inlining(callees, kept))


def inlining(callees: dict[str, FuncOp], kept: Container[str] = ()) -> Visit:
    """Emits an op with calls in it, and a call itself, replaced by the bodies of the callees."""

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if not isinstance(op, CALLS) or callee_name(op) in kept:
            visit_regions(b, op, env, visit)
            return
        arguments = [env.get(o, o) for o in own_operands(op)]
        body = function_block(callee_of(op, callee_name(op), callees))
        env.update(zip(op.results, b.inline_block(body, arguments, {}), strict=True))

    return visit


def calls_of(function: FuncOp) -> list[tuple[str, Operation]]:
    """The calls in a function: the name of the callee, and the op."""
    return [(callee_name(op), op) for op in nested_ops(function.body) if isinstance(op, CALLS)]


def callee_name(op: CallOp | linear.CallOp) -> str:
    """The name of the function that is called."""
    return op.callee.root_reference.data


def recursive_functions(functions: dict[str, FuncOp]) -> dict[str, set[str]]:
    """The functions that reach themselves by calls, each with all that it reaches."""
    calls = {
        name: {callee for callee, _ in calls_of(f) if callee in functions} for name, f in functions.items()
    }
    callers: dict[str, list[str]] = {name: [] for name in functions}
    for name, callees in calls.items():
        for callee in callees:
            callers[callee].append(name)
    # What is left after taking away, again and again, what calls nothing that is left.
    left = {name: len(callees) for name, callees in calls.items()}
    ended = [name for name, count in left.items() if not count]
    while ended:
        name = ended.pop()
        del left[name]
        for caller in callers[name]:
            left[caller] -= 1
            if not left[caller]:
                ended.append(caller)
    found: dict[str, set[str]] = {}
    for name in left:
        reached: set[str] = set()
        pending = [*calls[name]]
        while pending:
            callee = pending.pop()
            if callee not in reached:
                reached.add(callee)
                pending += calls[callee]
        if name in reached:
            found[name] = reached
    return found


def callee_of(op: Operation, name: str, functions: dict[str, FuncOp]) -> FuncOp:
    """The function that `op` names; raises when there is none with a body."""
    function = functions.get(name)
    if function is None:
        raise UnsupportedError(f"there is no function @{name} with a body", location=location_of(op))
    return function


def callees_first(
    starts: Iterable[str],
    functions: dict[str, FuncOp],
    callees: Callable[[FuncOp], list[tuple[str, Operation]]],
) -> list[str]:
    """The functions that `starts` reach, and these, each after those that it reaches. Not recursive.

    Raises `UnsupportedError` for a function that reaches itself, at the call that closes the circle.
    """
    order: dict[str, None] = {}
    for start in starts:
        path: set[str] = set()
        pending: list[tuple[str, Operation | None, bool]] = [(start, None, False)]
        while pending:
            name, op, leaving = pending.pop()
            if leaving:
                path.discard(name)
                order[name] = None
            elif name in path:
                raise _recursive(name, op)
            elif name not in order:
                function = functions[name] if op is None else callee_of(op, name, functions)
                path.add(name)
                pending.append((name, None, True))
                pending += [(callee, call, False) for callee, call in callees(function)]
    return list(order)


def _recursive(name: str, op: Operation | None) -> UnsupportedError:
    return UnsupportedError(
        f"@{name} calls itself",
        location=None if op is None else location_of(op),
        hint="recursive functions are not supported: write the steps out",
    )
