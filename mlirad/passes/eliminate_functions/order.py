"""Second-order code is written out, where it is known and within a budget of growth.

    two = λf. λz. f (f z)        two cube, two (two cube)        -->        λz. cube (cube z), ...

Functions that take or return closures are inlined, unless they are recursive; lambdas that do so are written
out by the builder. A recursive function is cloned for each set of known closures that it is called with, if
it passes these on to itself unchanged. This is not an optimisation: flow classes do not distinguish calls, so
without it all closures that `two` is ever given would be of one class, in which λz captures its own kind.
Once the budget is spent, the rest stays, and is correct as long as no class needs itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation

from mlirad.dialects.function import LambdaOp, PartialOp
from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import (
    PRIVATE,
    CallGraph,
    functions_by_name,
    functions_of,
    is_private,
    references_of,
)
from mlirad.ir.first_order import is_higher
from mlirad.ir.free_values import own_operands
from mlirad.ir.functions import LEAST_ROOM, Room, holds_closures
from mlirad.ir.locations import location_of
from mlirad.ir.regions import nested_ops
from mlirad.ir.symbols import free_name
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import replace_function

MOST_CLONES = 8
"""The number of functions that a recursive function may become."""

GROWTH = 4
"""The factor by which the ops of a program may grow."""


class Order:
    """The functions of a module, and what is left of the room to write them out."""

    def __init__(self, module: ModuleOp, growth: int | None = None):
        """The program may grow by `growth` times its ops, or by as much as is usual."""
        self.module = module
        self.functions = functions_by_name(module)
        count = sum(1 for _ in module.walk())
        self.room = Room(max(LEAST_ROOM, GROWTH * count) if growth is None else growth * count)
        graph = self._graph = CallGraph(self.functions, references_of)
        called = {callee for name in self.functions for callee in graph.callees(name) if callee != name}
        for name, function in self.functions.items():
            if name not in called and any(map(is_higher, _signature(function))):
                _require_private(function)
        higher = [name for name, f in self.functions.items() if holds_closures(_signature(f))]
        self.inlined = {name for name in higher if name not in graph.reachable(graph.callees(name))}
        self.handed_on = {name: self._unchanged(name) for name in higher if name not in self.inlined}
        self.clones: dict[tuple[str, tuple[Value, ...]], FuncOp] = {}

    def run(self) -> None:
        """Rewrite all functions, callees before callers; functions that are written out everywhere go."""
        for name in self._graph.postorder(list(self.functions), circles=True):
            new = rebuild_function(
                self.functions[name],
                builder_class=lambda block, name=name: _OrderingBuilder(block, self, name),
            )
            new = eliminate_dead_code(new)
            replace_function(self.functions[name], new)
            self.functions[name] = new
        self.module.body.block.add_ops(self.clones.values())
        left = {callee for f in functions_of(self.module) for callee, _ in references_of(f)}
        for name in self.inlined - left:
            self.functions[name].detach()
            self.functions[name].erase()

    def callee(self, name: str, arguments: Sequence[Value], caller: str) -> str:
        """The function to call for the given one: a clone of its own for closures that are known."""
        handed = self.handed_on.get(name, ())
        if not handed or caller == name:
            return name
        closures = tuple(arguments[k] for k in handed)
        known = (name, closures)
        if known in self.clones:
            return self.clones[known].sym_name.data
        count = sum(1 for cloned, _ in self.clones if cloned == name)
        source = self.functions[name]
        is_known = all(isinstance(c.owner, LambdaOp | PartialOp) for c in closures)
        if not is_known or count >= MOST_CLONES or not self.room.take(source):
            return name
        clone = source.clone()
        clone.properties["sym_name"] = StringAttr(free_name(f"{name}_{count + 1}", self.functions, "_"))
        clone.sym_visibility = PRIVATE
        for op in nested_ops(clone.body):
            if op.properties.get("callee") == SymbolRefAttr(name):
                op.properties["callee"] = SymbolRefAttr(clone.sym_name)
        self.clones[known] = self.functions[clone.sym_name.data] = clone
        return clone.sym_name.data

    def _unchanged(self, name: str) -> tuple[int, ...]:
        """The closures that a function takes, if it hands all of them on whenever it calls itself.

        None, if other functions that it calls call it.
        """
        function = self.functions[name]
        args = function_block(function).args
        taken = tuple(k for k, a in enumerate(args) if holds_closures((a.type,)))
        graph = self._graph
        if any(
            name in graph.reachable(graph.callees(callee)) for callee in graph.callees(name) if callee != name
        ):
            return ()
        for op in nested_ops(function.body):
            if op.properties.get("callee") != SymbolRefAttr(name):
                continue
            if not isinstance(op, CallOp) or any(own_operands(op)[k] is not args[k] for k in taken):
                return ()
        return taken


class _OrderingBuilder(ArrayBuilder):
    """Emits a function with the calls that are written out in it replaced by the bodies of the callees."""

    def __init__(self, block: Block, order: Order, function: str):
        super().__init__(block)
        self.room = order.room
        self._order = order
        self._function = function

    def rebuild(self, op: Operation, env: Environment) -> None:
        if not isinstance(op, CallOp):
            super().rebuild(op, env)
            return
        self.location = op.location
        self.name_hint = op.results[0].name_hint if op.results else None
        arguments = [env.get(o, o) for o in own_operands(op)]
        values = self.call(op.callee.root_reference.data, arguments, op.result_types)
        self._enter_results(op, values, env)

    def call(self, callee: str, arguments: Sequence[Value], results: Sequence[Attribute]) -> list[Value]:
        order = self._order
        if callee in order.inlined:
            function = order.functions[callee]
            if self.room.take(function):
                return self.inline_block(function_block(function), arguments, {})
        return super().call(order.callee(callee, arguments, self._function), arguments, results)


def _signature(function: FuncOp) -> Sequence[Attribute]:
    return (*function.function_type.inputs.data, *function.function_type.outputs.data)


def _require_private(function: FuncOp) -> None:
    """Raise for a function that takes or returns more than arrays and is there for others."""
    if not is_private(function):
        raise UnsupportedError(
            f"@{function.sym_name.data} takes or returns functions, tuples or sums, and nothing calls it",
            location=location_of(function),
            hint="functions that are called from outside take and return arrays: make it private, or call it",
        )
