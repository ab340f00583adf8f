"""The possible closures at each place: sets of codes, propagated along the flow of values.

    %f = array.if %p {... yield %g} else {... yield %h}        %g: {g}, %h: {h}, %f: {g, h}

A code is a `lambda` or `partial` op. A node stands for one place that a closure may be in: a value, or a part
of a tuple or sum. Codes flow from node to node in one direction, so a closure that is captured is not taken
for one that is chosen afterwards. The codes that an application runs, and so what flows into its parameters
and out of its results, are found while codes arrive (0-CFA; Shivers, Control-Flow Analysis of Higher-Order
Languages, chapter 3). Where all that happens to a value is that it gets another name, both have one node:
carries of a loop and what it leaves, components and the tuple of them, what a function returns and the
results of its calls.

Sets of codes are kept per place, not classes. Classes made by uniting everything that meets would be found in
one pass, and would need no conversion of layouts; but they admit `f = if p then f else lambda z: f(z)` for a
closure that captures itself, and sets do not. Where a closure flows to a place that may hold more, its tag
and slots are re-created, which is a branch if it has a tag already. Sets do not distinguish calls; inlining
second-order code first gives back most of that loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.function import (
    ApplyOp,
    CaseOp,
    ClosureType,
    GetOp,
    InjectOp,
    LambdaOp,
    PartialOp,
    RollOp,
    SumType,
    TupleOp,
    UnrollOp,
)
from mlirad.dialects.function.closures import signature_of
from mlirad.dialects.linear import DifferentiationOp
from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.builder import function_block, returned, yields
from mlirad.ir.call_graph import functions_of
from mlirad.ir.free_values import own_operands
from mlirad.ir.functions import holds_closures
from mlirad.ir.locations import location_of

Code: TypeAlias = LambdaOp | PartialOp
"""The ops that make closures."""


class FlowNode:
    """One place that a closure may be in."""

    __slots__ = ("applications", "codes", "successors")

    def __init__(self) -> None:
        self.codes = 0
        """The codes that it may have, as bits at their numbers in the order of the program."""
        self.successors: list[FlowNode] = []
        self.applications: list[ApplyOp] = []


Tree: TypeAlias = "FlowNode | tuple[Tree, ...] | None"
"""The nodes inside of a value: of a closure, of the parts of a tuple or sum; else None.

A value of an inductive type has none: those of what is rolled under its name are in `Flow.rolled`."""


class Flow:
    """The codes that the closures of a module may have."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self.functions = {f.sym_name.data: f for f in functions_of(module)}
        self.codes: list[Code] = []
        self.rolled: dict[Attribute, tuple[Attribute, Tree]] = {}
        """For each inductive type, the type of what is rolled, and the nodes inside, one for all values."""
        self._trees: dict[Value, Tree] = {}
        self._returns: dict[FuncOp | LambdaOp, list[Tree]] = {}
        self._flows: list[tuple[Value, Tree]] = []
        self._arrived: list[tuple[FlowNode, int]] = []
        for function in self.functions.values():
            self._flow(returned(function), self.returns(function))
            for op in function.body.walk():
                self._visit(op)
        # Only now every value has the node of what it is another name of.
        for value, target in self._flows:
            self._edge(self.tree(value), target)
        self._propagate()

    def tree(self, value: Value) -> Tree:
        """The nodes inside of a value."""
        if value not in self._trees:
            self._trees[value] = _fresh(value.type)
        return self._trees[value]

    def trees(self, values: Iterable[Value]) -> list[Tree]:
        """The nodes inside of each of the values."""
        return [self.tree(v) for v in values]

    def returns(self, code: FuncOp | Code) -> list[Tree]:
        """The nodes inside of the results of a function or code."""
        if isinstance(code, PartialOp):
            code = self.functions[code.callee_name]
        if code not in self._returns:
            made = returned(code) if isinstance(code, FuncOp) else yields(code.body)
            self._returns[code] = [_fresh(v.type) for v in made]
        return self._returns[code]

    def parameters(self, code: Code) -> Sequence[Value]:
        """The parameters of a code; of a function that is partially applied, those left."""
        if isinstance(code, LambdaOp):
            return code.body.block.args
        args = function_block(self.functions[code.callee_name]).args
        return args[: len(signature_of(code.closure).inputs)]

    def fixed(self, code: PartialOp) -> Sequence[Value]:
        """The parameters of the function that a partial application fixes."""
        args = function_block(self.functions[code.callee_name]).args
        return args[len(signature_of(code.closure).inputs) :]

    def members(self, codes: int) -> list[Code]:
        """The codes of a set, in the order of the program."""
        found: list[Code] = []
        while codes:
            low = codes & -codes
            found.append(self.codes[low.bit_length() - 1])
            codes ^= low
        return found

    def order(self, code: Code) -> int:
        """The number of a code in the order of the program."""
        return self._order[code]

    @cached_property
    def _order(self) -> dict[Code, int]:
        return {code: k for k, code in enumerate(self.codes)}

    # Edges ---------------------------------------------------------------------------------------

    def _edge(self, source: Tree, target: Tree) -> None:
        """Let the codes inside of one value flow to the same places of another."""
        pending = [(source, target)]
        while pending:
            a, b = pending.pop()
            if isinstance(a, tuple) and isinstance(b, tuple):
                pending += zip(a, b, strict=True)
            elif isinstance(a, FlowNode) and isinstance(b, FlowNode) and a is not b:
                a.successors.append(b)
                self._arrive(b, a.codes)

    def _flow(self, values: Iterable[Value], targets: Iterable[Tree]) -> None:
        """Let the codes inside of values flow to these nodes, once all ops are visited."""
        self._flows += [pair for pair in zip(values, targets, strict=True) if pair[1] is not None]

    def _arrive(self, node: FlowNode, codes: int) -> None:
        if codes & ~node.codes:
            self._arrived.append((node, codes & ~node.codes))

    def _propagate(self) -> None:
        while self._arrived:
            node, codes = self._arrived.pop()
            codes &= ~node.codes
            if not codes:
                continue
            node.codes |= codes
            for successor in node.successors:
                self._arrive(successor, codes)
            for op in node.applications:
                for code in self.members(codes):
                    for value, parameter in zip(op.arguments, self.parameters(code), strict=True):
                        self._edge(self.tree(value), self.tree(parameter))
                    for result, output in zip(self.returns(code), op.outputs, strict=True):
                        self._edge(result, self.tree(output))

    # The flow of each op -------------------------------------------------------------------------

    def _visit(self, op: Operation) -> None:
        match op:
            case LambdaOp():
                self._add_code(op)
                self._flow(yields(op.body), self.returns(op))
            case PartialOp():
                self._add_code(op)
                self._flow(op.fixed, self.trees(self.fixed(op)))
            case ApplyOp():
                node = self.tree(op.closure)
                assert isinstance(node, FlowNode)
                node.applications.append(op)
            case TupleOp():
                self._trees[op.result] = _together(self.trees(op.components))
            case GetOp():
                self._trees[op.result] = part_of(self.tree(op.operand), op.index.value.data)
            case InjectOp():
                self._flow([op.value], [part_of(self.tree(op.result), op.index.value.data)])
            case CaseOp():
                for k, arm in enumerate(op.arms):
                    self._trees[arm.block.args[0]] = part_of(self.tree(op.value), k)
                    self._flow(yields(arm), self.trees(op.outputs))
            case RollOp():
                self._flow([op.value], [self._inside(op.result.type, op.value.type)])
            case UnrollOp():
                self._trees[op.result] = self._inside(op.operand.type, op.result.type)
            case control.IfOp() | control.SwitchOp() | CheckpointOp():
                for region in op.regions:
                    self._flow(yields(region), self.trees(op.results))
            case control.ScanOp():
                count = op.carry_count
                self._loop(op.init, op.final, yields(op.body)[:count], op.body.block.args[1 : count + 1])
            case control.WhileOp():
                args = op.condition.block.args, op.body.block.args
                self._loop(op.init, op.final, yields(op.body)[: len(op.init)], *args)
            case CallOp():
                callee = self.functions[op.callee.root_reference.data]
                self._flow(op.arguments, self.trees(function_block(callee).args))
                self._trees.update(zip(op.res, self.returns(callee), strict=True))
            case DifferentiationOp():
                callee = self.functions[op.callee_name]
                self._flow(op.given, self.trees(function_block(callee).args))
            case _:
                _require_arrays(op)

    def _loop(
        self,
        init: Sequence[Value],
        final: Sequence[Value],
        carried_on: Sequence[Value],
        *names: Sequence[Value],
    ) -> None:
        """The carries of a loop: what it starts and goes on with flows into them; `names` stand for them."""
        carries = self.trees(final)
        for values in names:
            self._trees.update(zip(values, carries, strict=True))
        self._flow(init, carries)
        self._flow(carried_on, carries)

    def _inside(self, type_: Attribute, held: Attribute) -> Tree:
        """The nodes inside of what is rolled under a name."""
        if type_ not in self.rolled:
            self.rolled[type_] = (held, _fresh(held))
        return self.rolled[type_][1]

    def _add_code(self, op: Code) -> None:
        node = self.tree(op.closure)
        assert isinstance(node, FlowNode)
        self._arrived.append((node, 1 << len(self.codes)))
        self.codes.append(op)


def part_of(tree: Tree, index: int) -> Tree:
    """The nodes inside of a part of a tuple or sum."""
    return tree[index] if isinstance(tree, tuple) else None


def _fresh(type_: Attribute) -> Tree:
    """New nodes for the closures inside of a value of the type."""
    if isinstance(type_, ClosureType):
        return FlowNode()
    if isinstance(type_, TupleType | SumType) and holds_closures((type_,)):
        return tuple(_fresh(t) for t in cast("Sequence[Attribute]", type_.types.data))
    return None


def _together(trees: Sequence[Tree]) -> Tree:
    return None if all(t is None for t in trees) else tuple(trees)


def _require_arrays(op: Operation) -> None:
    """Raise for an op that cannot take or make closures and does."""
    arguments = [argument for region in op.regions for argument in region.block.args]
    values: Sequence[Value] = [*own_operands(op), *op.results, *arguments]
    if op.results and holds_closures(v.type for v in values):
        raise UnsupportedError(f"{op.name} takes or makes functions as values", location=location_of(op))
