"""The program on what stands for its values: closures, tuples and sums are gone.

    function.lambda, partial     nothing; where they flow on, their environment, with a tag if not alone
    function.apply               a call of the code, or a switch on the tag of such calls
    function.inject              the tag, the value in its slots, what is there in others
    function.case                a switch on the tag
    function.tuple, get          nothing
    function.roll, unroll        a record is saved, restored
    loops, branches, calls       the same on what stands for their values

The code of a lambda becomes a private function of the parameters and the environment, with the name and place
of the lambda.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, cast

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.array.frames import RestoreOp, SaveOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.function import (
    FUNCTION_OPS,
    ApplyOp,
    CaseOp,
    GetOp,
    InjectOp,
    LambdaOp,
    PartialOp,
    RollOp,
    TupleOp,
    UnrollOp,
)
from mlirad.dialects.linear import DifferentiationOp
from mlirad.dialects.shapes import Value, ints, values_of
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of, new_function
from mlirad.ir.builder import function_block, handed_over, yields
from mlirad.ir.call_graph import is_private
from mlirad.ir.first_order import is_higher
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.regions import nested_ops
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.eliminate_functions.applications import Applications, names_of
from mlirad.passes.eliminate_functions.choices import Box, Key, is_choice, source_of
from mlirad.passes.eliminate_functions.flow import FlowNode, Tree, part_of
from mlirad.passes.eliminate_functions.layout import Layouts
from mlirad.passes.eliminate_functions.layout_conversion import Standing
from mlirad.passes.function_pass import replace_function

Scope: TypeAlias = dict[Key, Value]
"""The values that stand for those of the source program."""

HandOver: TypeAlias = Callable[[ArrayBuilder, Sequence[Value], Scope], list[Value]]
"""Emits what stands for the values that a block hands over, where these flow to."""


class Rewriting:
    """The functions of a module on what stands for their values."""

    def __init__(self, layouts: Layouts):
        self.layouts = layouts
        self.flow = layouts.flow
        self.standing = Standing(layouts)
        self.applications = Applications(self.standing)

    def run(self) -> None:
        """Rewrite all functions of the module, and add those that applications call."""
        concerned = [
            function
            for function in self.flow.functions.values()
            if self.layouts.boxes.are_parameters or _is_concerned(function)
        ]
        made = [self._function(function) for function in concerned]
        pending = self.applications.pending
        while pending:
            self.flow.module.body.block.add_op(self._asked_for(pending.pop(0)))
        # Only now, as layouts ask where values of the source stand.
        for function, new in zip(concerned, made, strict=True):
            replace_function(function, new)

    # Functions -----------------------------------------------------------------------------------

    def _asked_for(self, wanted: Value | FlowNode) -> FuncOp:
        """The function of a closure, or that applies the records at a node."""
        if isinstance(wanted, FlowNode):
            return self.applications.of_records(wanted, self._emitted)
        return self.applications.of_choice(wanted) if is_choice(wanted) else self._code(wanted)

    def _function(self, function: FuncOp) -> FuncOp:
        block = function_block(function)
        for parameter in filter(lambda v: is_higher(v.type), block.args):
            self.layouts.require_no_maps(parameter)

        boxed = self.layouts.boxes.parameters(function)

        def body(b: ArrayBuilder, *args: Value) -> list[Value]:
            scope: Scope = {}
            start = 0
            for k, parameter in enumerate(block.args):
                count = len(self.layouts.own_types(parameter))
                if k in boxed:
                    self._open(b, Box(parameter), args[start], scope)
                else:
                    self._bind(b, [parameter], args[start : start + count], scope)
                start += count
            return self._emit(b, block, scope, self._to(self.flow.returns(function)))

        visibility = function.sym_visibility
        new = new_function(
            function.sym_name.data,
            self._parameter_types(function),
            body,
            None if visibility is None else visibility.data,
            self._hints(block.args),
        )
        if not is_private(function):
            _require_no_records(new, function)
        new.location = function.location
        new.attributes.update(function.attributes)
        if new.function_type == function.function_type:
            new.properties.update(function.properties)
        return eliminate_dead_code(new)

    def _code(self, closure: Value) -> FuncOp:
        """The function of the code of a lambda."""
        op = cast(LambdaOp, closure.owner)
        block, keys = op.body.block, self.layouts.environment(op)

        def body(b: ArrayBuilder, *given: Value) -> list[Value]:
            count = len(given) - len(keys)
            return self._emitted(b, op, given[:count], given[count:])

        types, hints = self._types(block.args), self._hints(block.args)
        types += self.layouts.environment_types(op)
        return self.applications.lifted(closure, types, body, [*hints, *names_of(keys)])

    def _emitted(
        self, b: ArrayBuilder, op: LambdaOp, arguments: Sequence[Value], environment: Sequence[Value]
    ) -> list[Value]:
        """The code of a lambda on arguments and its environment."""
        scope: Scope = {}
        for key, value in zip(self.layouts.environment(op), environment, strict=True):
            if isinstance(key, Box):
                self._open(b, key, value, scope)
            else:
                scope[key] = value
        self._bind(b, op.body.block.args, arguments, scope)
        return self._emit(b, op.body.block, scope, self._to(self.flow.returns(op)))

    def _types(self, values: Iterable[Value]) -> list[Attribute]:
        return [leaf for value in values for leaf in self.layouts.own_types(value)]

    def _parameter_types(self, function: FuncOp) -> list[Attribute]:
        boxed = self.layouts.boxes.parameters(function)
        types: list[Attribute] = []
        for k, parameter in enumerate(function_block(function).args):
            types += (
                [self.layouts.key_type(Box(parameter))] if k in boxed else self.layouts.own_types(parameter)
            )
        return types

    def _hints(self, values: Iterable[Value]) -> list[str | None]:
        return [
            v.name_hint if not is_higher(v.type) else None for v in values for _ in self.layouts.own_types(v)
        ]

    # Values --------------------------------------------------------------------------------------

    def _bind(self, b: ArrayBuilder, values: Iterable[Value], leaves: Sequence[Value], scope: Scope) -> None:
        """Let the leaves stand for the values, in order; arrays that records share get boxes."""
        rest = iter(leaves)
        for value in values:
            if is_higher(value.type):
                for k in range(len(self.layouts.own_types(value))):
                    scope[value, k] = next(rest)
                    self._box(b, (value, k), scope)
            else:
                leaf = scope[value] = next(rest)
                if leaf.name_hint is None:
                    leaf.name_hint = value.name_hint
                self._box(b, value, scope)

    def _box(self, b: ArrayBuilder, key: Value | tuple[Value, int], scope: Scope) -> None:
        """Put what is at a key in a box, if closures hold it in one."""
        box = self.layouts.boxes.kept(key, self.layouts.key_type(key))
        if isinstance(box, Box):
            scope[box] = b.emit(SaveOp, [scope[key]], self.layouts.key_type(box))

    def _open(self, b: ArrayBuilder, box: Box, value: Value, scope: Scope) -> None:
        """Let a value stand for a box, and what it holds for the array."""
        scope[box] = value
        (scope[box.array],) = b.insert(RestoreOp, [value], [self.layouts.key_type(box.array)]).results

    def _to(self, targets: Sequence[Tree]) -> HandOver:
        """Hands values over to the nodes that they flow to."""
        return lambda b, values, scope: self.standing.all_given(b, values, targets, scope)

    def _arrays(self, b: ArrayBuilder, values: Sequence[Value], scope: Scope) -> list[Value]:
        """Hands arrays over."""
        return [scope[v] for v in values]

    def _chosen(self, op: Operation, number: int) -> HandOver:
        """Hands the values of a region of a branch over as its results."""

        def hand_over(b: ArrayBuilder, values: Sequence[Value], scope: Scope) -> list[Value]:
            made: list[Value] = []
            for result, value in zip(op.results, values, strict=True):
                if not is_choice(result):
                    made += self.standing.given(b, value, self.flow.tree(result), scope)
                    continue
                choice = self.layouts.choice(result)
                slots = choice.given[number]
                if len(choice.own) > len(slots):
                    made.append(b.index_constant(choice.chosen[number]))
                types = choice.own[len(choice.own) - len(slots) :]
                made += [
                    b.zeros(type_) if key is None else scope[key]
                    for key, type_ in zip(slots, types, strict=True)
                ]
            return made

        return hand_over

    # Ops -----------------------------------------------------------------------------------------

    def _emit(self, b: ArrayBuilder, block: Block, scope: Scope, hand_over: HandOver) -> list[Value]:
        """Emit the ops of a block; what stands for the values that it hands over."""
        for op in block.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return hand_over(b, own_operands(op), scope)
            b.location = op.location
            b.name_hint = op.results[0].name_hint if op.results else None
            leaves = self._op(b, op, scope)
            if leaves is not None:
                self._bind(b, op.results, leaves, scope)
        raise AssertionError("a block without a terminator")

    def _region(
        self, b: ArrayBuilder, region: Region, scope: Scope, hand_over: HandOver
    ) -> Callable[..., list[Value]]:
        """Emits the body of a region on what stands for its arguments."""

        def body(*args: Value) -> list[Value]:
            inner = dict(scope)
            self._bind(b, region.block.args, args, inner)
            return self._emit(b, region.block, inner, hand_over)

        return body

    def _op(self, b: ArrayBuilder, op: Operation, scope: Scope) -> Sequence[Value] | None:
        """Return what stands for the results of an op; None where it is in the scope already."""
        match op:
            case GetOp() if not is_higher(op.result.type):
                return [scope[key] for key in self.layouts.component(op)]
            case LambdaOp() | PartialOp() | TupleOp() | GetOp():
                return None
            case ApplyOp():
                return self.applications.apply(b, op, scope)
            case InjectOp():
                tree, index = self.flow.tree(op.result), op.index.value.data
                given = self.standing.given(b, op.value, part_of(tree, index), scope)
                return self.standing.tagged(b, op.result.type, tree, index, given)
            case CaseOp():
                bodies = self._branches(b, op, scope)
                held = self.standing.held(op.value, scope)
                tree = self.flow.tree(source_of(op.value))
                return self.standing.by_tag(
                    b, op.value.type, tree, held, [lambda own, body=body: body(*own) for body in bodies]
                )
            case RollOp():
                self.layouts.require_no_maps(op.value)
                _, tree = self.flow.rolled[op.result.type]
                given = self.standing.given(b, op.value, tree, scope)
                return [b.emit(SaveOp, given, self.layouts.records.type_of_name(op.result.type))]
            case UnrollOp():
                held = self.standing.held(op.operand, scope)
                return b.insert(RestoreOp, held, self.layouts.rolled_types(op.operand.type)).results
            case control.ScanOp() | control.WhileOp() | control.ReplayOp():
                return self._loop(b, op, scope)
            case control.IfOp() | control.SwitchOp() | CheckpointOp():
                choice = next((scope[o] for o in own_operands(op)), None)
                return b.choose(choice, self._branches(b, op, scope))
            case CallOp():
                callee = self.flow.functions[op.callee.root_reference.data]
                boxed = self.layouts.boxes.parameters(callee)
                arguments: list[Value] = []
                for k, (value, parameter) in enumerate(
                    zip(op.arguments, function_block(callee).args, strict=True)
                ):
                    if k in boxed:
                        arguments.append(scope[Box(value)])
                    else:
                        arguments += self.standing.given(b, value, self.flow.tree(parameter), scope)
                return b.call(callee.sym_name.data, arguments, self._types(op.results))
            case DifferentiationOp():
                return self._differentiation(b, op, scope)
            case _:
                return self._other(b, op, scope)

    def _branches(self, b: ArrayBuilder, op: Operation, scope: Scope) -> list[Callable[..., list[Value]]]:
        """Emit the regions of a branch."""
        for result in op.results:
            self.layouts.require_no_maps(result)
        unread = self._visible([v for region in op.regions for v in yields(region)], scope)
        return [
            self._filled(b, unread, self._region(b, region, scope, self._chosen(op, k)))
            for k, region in enumerate(op.regions)
        ]

    def _visible(self, values: Iterable[Value], scope: Scope) -> dict[Key, Value]:
        """Return what is in scope of that which closures and sums are made of."""
        sources = (source_of(v) for v in values if is_higher(v.type))
        return {key: scope[key] for v in sources for key in self.layouts.parts(v) if key in scope}

    def _filled(
        self, b: ArrayBuilder, unread: Mapping[Key, Value], body: Callable[..., list[Value]]
    ) -> Callable[..., list[Value]]:
        """The body of a region, in which these arrays stand in slots that nothing reads."""

        def filled(*args: Value) -> list[Value]:
            with self.standing.unread(b, unread):
                return body(*args)

        return filled

    def _other(self, b: ArrayBuilder, op: Operation, scope: Scope) -> Sequence[Value] | None:
        """An op between arrays; only its regions may hold closures."""
        if not op.regions:
            b.rebuild(op, cast(Environment, scope))
            for result in op.results:
                self._box(b, result, scope)
            return None
        regions = [
            b.region_over(
                extents_of(op), region.block.arg_types, self._region(b, region, scope, self._arrays)
            )
            for region in op.regions
        ]
        operands = [scope[o] for o in own_operands(op)]
        return b.insert(type(op), operands, op.result_types, op.properties, regions).results

    # Loops and derivatives -----------------------------------------------------------------------

    def _loop(self, b: ArrayBuilder, op: control.LoopOp, scope: Scope) -> list[Value]:
        carries = self.flow.trees(op.results)[: len(op.init)]
        for result in op.results:
            self.layouts.require_no_maps(result)
        with self.standing.unread(b, self._visible(yields(op.body), scope)):
            init = self.standing.all_given(b, op.init, carries, scope)
        others: list[Tree] = [None] * (len(yields(op.body)) - len(carries))
        emitted = self._region(b, op.body, scope, self._to([*carries, *others]))
        is_unread = [is_higher(v.type) for v in op.results[: len(op.init)] for _ in self.layouts.own_types(v)]

        def body(carries: Sequence[Value], *args: Value) -> list[Value]:
            with self.standing.unread(b, {k: v for k, v in enumerate(carries) if is_unread[k]}):
                return emitted(*args)

        match op:
            case control.ScanOp():

                def iteration(
                    i: Value, carries: list[Value], xs: list[Value]
                ) -> tuple[list[Value], list[Value]]:
                    made = body(carries, i, *carries, *xs)
                    return made[: len(init)], made[len(init) :]

                final, stacked = b.scan_like(op, init, [scope[x] for x in op.xs], iteration)
                return [*final, *stacked]
            case control.WhileOp():
                condition = self._region(b, op.condition, scope, self._arrays)
                record = None if op.record is None else op.record.value.data
                return b.while_(
                    init,
                    lambda *carries: condition(*carries)[0],
                    lambda *carries: body(carries, *carries),
                    record,
                )
            case control.ReplayOp():
                return b.replay(
                    scope[op.tape],
                    init,
                    lambda entry, carries: body(carries, *entry, *carries),
                    reverse=op.reverse is not None,
                )

    def _differentiation(self, b: ArrayBuilder, op: DifferentiationOp, scope: Scope) -> Sequence[Value]:
        """The derivative by the same operands, which may stand at other places."""
        concerned = [*op.values, *(op.given[k] for k in values_of(op.wrt))]
        if any(is_higher(v.type) for v in concerned):
            raise UnsupportedError(
                f"{op.name} differentiates @{op.callee_name}, which takes or returns tuples",
                location=location_of(op),
                hint="let it take and return their components",
            )
        starts: list[int] = []
        arguments: list[Value] = []
        parameters = function_block(self.flow.functions[op.callee_name]).args
        for argument, parameter in zip(op.given, parameters, strict=True):
            starts.append(len(arguments))
            arguments += self.standing.given(b, argument, self.flow.tree(parameter), scope)
        arguments += [scope[v] for v in op.arguments[len(op.given) :]]
        wrt = ints(tuple(starts[k] for k in values_of(op.wrt)))
        properties: Mapping[str, Attribute] = {**op.properties, "wrt": wrt}
        return b.insert(type(op), arguments, op.result_types, properties).results


def _require_no_records(function: FuncOp, source: FuncOp) -> None:
    """Raise for a function that is there for others and takes or returns records."""
    types = (*function.function_type.inputs.data, *function.function_type.outputs.data)
    if any(isinstance(t, FrameType) for t in types):
        raise UnsupportedError(
            f"@{function.sym_name.data} takes or returns functions that may hold functions of their own "
            "kind, and can be called from outside",
            location=location_of(source),
            hint="make it private, or write the function that calls it into its place",
        )


def _is_concerned(function: FuncOp) -> bool:
    """Return whether closures, tuples or sums occur in a function."""
    values = [*function_block(function).args, *handed_over(function.body)]
    return any(is_higher(v.type) for v in values) or any(
        isinstance(op, FUNCTION_OPS) or any(is_higher(r.type) for r in op.results)
        for op in nested_ops(function.body)
    )
