"""The calls of a module: who calls whom, which functions reach themselves, callees before callers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.errors import UnsupportedError
from mlirad.ir.locations import location_of
from mlirad.passes.function_pass import nested_ops

CALLS = (CallOp, linear.CallOp)
"""Ops that stand for the body of their callee."""


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
