"""The call graph of a module: which functions name which others.

    graph = CallGraph(functions_by_name(module))
    graph.reachable(["f"])         f and all that it calls, directly or through others
    graph.recursive()              the functions that reach themselves
    graph.postorder(["f"])         those that f reaches and f itself, callees before callers

Every question costs time linear in the functions reached and their calls, and none recurses; but `recursive`
searches again from each function that reaches a cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import Final, TypeAlias

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.concrete_sizes import state_sizes, stated_sizes
from mlirad.errors import UnsupportedError
from mlirad.ir.locations import location_of
from mlirad.ir.regions import nested_ops

PRIVATE: Final = StringAttr("private")
"""The visibility of a function that is called from inside of its module alone."""

CALLS = (CallOp, linear.CallOp)
"""Ops that stand for the body of their callee."""

Named: TypeAlias = Callable[[FuncOp], list[tuple[str, Operation]]]
"""The functions that a function names, with the ops that do, in program order."""


def functions_of(module: ModuleOp) -> list[FuncOp]:
    """The functions of a module that have a body."""
    return [op for op in module.body.block.ops if isinstance(op, FuncOp) and op.body.blocks]


def functions_by_name(module: ModuleOp) -> dict[str, FuncOp]:
    """The functions of a module that have a body, by name."""
    return {function.sym_name.data: function for function in functions_of(module)}


def is_private(function: FuncOp) -> bool:
    """Return whether a function is called from inside of its module alone."""
    return function.sym_visibility == PRIVATE


def state_sizes_like(derived: FuncOp, function: FuncOp) -> None:
    """Have what is made of a function state its sizes, if that does, and it can be called from outside."""
    if stated_sizes(function) and not is_private(derived):
        state_sizes(derived)


def callee_name(op: CallOp | linear.CallOp) -> str:
    """The name of the function that is called."""
    return op.callee.root_reference.data


def calls_of(function: FuncOp) -> list[tuple[str, Operation]]:
    """The calls in a function: the name of the callee, and the op."""
    # Most ops are not calls, which the exact class tells many times faster than `isinstance` of xDSL's class.
    calls = (op for op in nested_ops(function.body) if type(op) in CALLS)
    return [(callee_name(op), op) for op in calls if isinstance(op, CALLS)]


def differentiations(function: FuncOp) -> list[linear.DifferentiationOp]:
    """The ops of a function that differentiate another one, in program order."""
    return [op for op in nested_ops(function.body) if isinstance(op, linear.DifferentiationOp)]


def derivative_orders(functions: Mapping[str, FuncOp], most: int) -> dict[str, int]:
    """Return how many nested derivatives are taken of each function, counted up to `most`."""
    found = dict.fromkeys(functions, 0)
    changed = list(functions)
    while changed:
        name = changed.pop()
        for callee, op in references_of(functions[name]):
            order = min(found[name] + derivatives_taken(op), most)
            if callee in found and order > found[callee]:
                found[callee] = order
                changed.append(callee)
    return found


def derivatives_taken(op: Operation) -> int:
    """Return how many derivatives an op takes of the function that it names."""
    return op.degree if isinstance(op, linear.JetOp) else int(isinstance(op, linear.DifferentiationOp))


def rename_functions(functions: Iterable[FuncOp], names: Mapping[str, str]) -> None:
    """Give functions other names, by the old ones, also where these functions name one another."""
    for function in functions:
        name = function.sym_name.data
        function.properties["sym_name"] = StringAttr(names.get(name, name))
        for op in nested_ops(function.body) if names else ():
            for key, symbol in op.properties.items():
                if isinstance(symbol, SymbolRefAttr) and symbol.root_reference.data in names:
                    op.properties[key] = SymbolRefAttr(names[symbol.root_reference.data])


def calls_except(kept: Container[str]) -> Named:
    """As `calls_of`, without the calls of functions in `kept`."""
    return lambda function: [call for call in calls_of(function) if call[0] not in kept]


def references_of(function: FuncOp) -> list[tuple[str, Operation]]:
    """All ops that name a function, derivatives too, with that name."""
    named = (
        (op.properties[name], op)
        for op in nested_ops(function.body)
        for name in ("callee", "forward")
        if name in op.properties
    )
    return [(symbol.root_reference.data, op) for symbol, op in named if isinstance(symbol, SymbolRefAttr)]


def callee_of(op: Operation, name: str, functions: Mapping[str, FuncOp]) -> FuncOp:
    """The function that `op` names; raises if there is no such function with a body."""
    function = functions.get(name)
    if function is None:
        raise UnsupportedError(f"there is no function @{name} with a body", location=location_of(op))
    return function


class CallGraph:
    """The functions that functions name, read of each when it is first asked for; others than `functions`
    name nothing.
    """

    def __init__(self, functions: Mapping[str, FuncOp], named: Named = calls_of):
        self._functions = functions
        self._named = named
        self._callees: dict[str, dict[str, Operation]] = {}

    def callees(self, name: str) -> dict[str, Operation]:
        """Return what a function names, by the last op that does, in the order of these ops."""
        known = self._callees.get(name)
        if known is None:
            known = self._callees[name] = {}
            if name in self._functions:
                for callee, op in self._named(self._functions[name]):
                    known.pop(callee, None)
                    known[callee] = op
        return known

    def reachable(self, starts: Iterable[str]) -> dict[str, None]:
        """The functions of the graph that `starts` reach, and those of `starts` themselves."""
        found: dict[str, None] = {}
        pending = list(starts)
        while pending:
            name = pending.pop()
            if name in self._functions and name not in found:
                found[name] = None
                pending += self.callees(name)
        return found

    def recursive(self) -> dict[str, set[str]]:
        """The functions that reach themselves, each with all that it reaches."""
        sorter = TopologicalSorter({name: self.callees(name).keys() for name in self._functions})
        with suppress(CycleError):
            sorter.prepare()
        # Functions that become ready reach no cycle.
        ended: set[str] = set()
        while ready := sorter.get_ready():
            ended.update(ready)
            sorter.done(*ready)
        left = (name for name in self._functions if name not in ended)
        found = {name: set(self.reachable(self.callees(name))) for name in left}
        return {name: reached for name, reached in found.items() if name in reached}

    def postorder(self, starts: Iterable[str], *, circles: bool = False) -> list[str]:
        """The functions that `starts` reach, and these, each after those that it reaches.

        Raises `UnsupportedError` for a name that is not a function, and for a function that reaches itself,
        at the call that closes the circle; with `circles` that call does not count.
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
                    if circles:
                        continue
                    raise UnsupportedError(
                        f"@{name} calls itself",
                        location=None if op is None else location_of(op),
                        hint="recursive functions are not supported: write the steps out",
                    )
                elif name not in order:
                    if op is not None:
                        callee_of(op, name, self._functions)
                    path.add(name)
                    pending.append((name, None, True))
                    pending += [(callee, call, False) for callee, call in self.callees(name).items()]
        return list(order)
