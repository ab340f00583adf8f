"""The functions of a module whose calls stay, and those made from them by forward mode.

sources = Sources(module)
sources.derived_name("f", [(0,)])      "f_jvp", along operand 0
sources.source("f_jvp")                the function, made when it is first asked for
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from mlirad.dialects.linear import PullOp, PushOp
from mlirad.dialects.shapes import Shape
from mlirad.ir.call_graph import CallGraph, calls_except, functions_by_name
from mlirad.ir.symbols import free_name
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.inline import inline_calls
from mlirad.passes.mark_no_inline import kept_functions
from mlirad.passes.outline_derivatives.invariants import invariant_parameters
from mlirad.passes.outline_derivatives.passed_arrays import moved, wanted_whole
from mlirad.passes.tangents import forward_derivative
from mlirad.passes.tangents.control import FORWARD_RULES


class Sources:
    """The functions of a module and their forward derivatives by name, with pushes and pulls as they are.

    `kept` are those whose calls stay; `handed` and `moved` classify their parameters, as `passed_arrays.py`
    says.
    """

    def __init__(self, module: ModuleOp):
        self.functions = {name: f.clone() for name, f in functions_by_name(module).items()}
        kept = kept_functions(self.functions)
        self.kept = set(kept)
        self._inline_others()
        known = {name: self.functions[name] for name in kept}
        self.handed = wanted_whole(known, invariant_parameters(known, CallGraph(known).recursive()))
        self.moved = moved(known)
        self._names = set(self.functions)
        self._tangents: dict[tuple[str, Shape], str] = {}
        self._awaited: dict[str, tuple[str, Shape]] = {}

    def _inline_others(self) -> None:
        """Write out the calls of functions whose calls do not stay in all that has a derivative of its own.

        A loop that calls a function keeps its arguments for the reverse sweep: whole arrays, where the body
        of that function would read an element.
        """
        graph = CallGraph(self.functions, calls_except(self.kept))
        derived = {
            op.callee_name
            for f in self.functions.values()
            for op in f.walk()
            if isinstance(op, PushOp | PullOp)
        }
        starts = [name for name in self.functions if name in self.kept or name in derived]
        if any(graph.callees(name) for name in starts):
            bodies = dict(self.functions)
            for name in graph.postorder(starts):
                bodies[name] = inline_calls(bodies[name], bodies, self.kept)
            self.functions.update((name, bodies[name]) for name in starts)

    def fresh_name(self, name: str) -> str:
        """`name`, with a number where there is such a function."""
        found = free_name(name, self._names)
        self._names.add(found)
        return found

    def derived_name(self, callee: str, along: Sequence[Shape]) -> str:
        """The name of the function derived from `callee` along groups of operands."""
        for group in along:
            callee = self.tangent_name(callee, group)
        return callee

    def tangent_name(self, callee: str, group: Shape) -> str:
        """The name of (callee; group), which is made when its source is asked for."""
        name = self._tangents.get((callee, group))
        if name is None:
            name = self._tangents[callee, group] = self.fresh_name(f"{callee}_jvp")
            self._awaited[name] = (callee, group)
            if callee in self.kept:
                self.kept.add(name)
                count = len(self.argument_types(callee))

                def doubled(places: Collection[int]) -> Shape:
                    return (*places, *(count + j for j, k in enumerate(group) if k in places))

                self.handed[name] = doubled(self.handed[callee])
                self.moved[name] = frozenset(doubled(self.moved[callee]))
        return name

    def argument_types(self, name: str) -> list[Attribute]:
        """The types of the arguments of a function, made or not."""
        awaited = self._awaited.get(name)
        if awaited is None:
            return list(self.functions[name].function_type.inputs.data)
        types = self.argument_types(awaited[0])
        return [*types, *(types[k] for k in awaited[1])]

    def source(self, name: str) -> FuncOp:
        """A function with its pushes and pulls as they are."""
        awaited = self._awaited.pop(name, None)
        if awaited is not None:
            function = self.source(awaited[0])
            self.functions[name] = forward_derivative(
                function, name, awaited[1], self.tangent_name, FORWARD_RULES, CONSTRUCTS
            )
        return self.functions[name]
