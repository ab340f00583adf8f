"""The program on what stands for its values: closures, tuples and sums are gone.

    function.lambda, partial     nothing; where they flow on, their environment, with a tag if not alone
    function.apply               a call of the code, or a switch on the tag of such calls
    function.inject              the tag, the value in its slots, zeros in all others
    function.case                a switch on the tag
    function.tuple, get          nothing
    loops, branches, calls       the same on what stands for their values

The code of a lambda becomes a private function of the parameters and the environment, with the name and place
of the lambda.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.function import (
    FUNCTION_OPS,
    ApplyOp,
    CaseOp,
    GetOp,
    InjectOp,
    LambdaOp,
    PartialOp,
    TupleOp,
)
from mlirad.dialects.linear import DifferentiationOp, MapType
from mlirad.dialects.shapes import Value, ints, values_of
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of, new_function
from mlirad.ir.builder import function_block, handed_over, returned, yields
from mlirad.ir.first_order import is_higher
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.regions import nested_ops
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.eliminate_functions.flow import Code
from mlirad.passes.eliminate_functions.layout import Key, Layouts, source_of
from mlirad.passes.eliminate_functions.order import free_name
from mlirad.passes.function_pass import replace_function

Scope: TypeAlias = dict[Key, Value]
"""The values that stand for those of the source program."""


class Rewriting:
    """The functions of a module on what stands for their values."""

    def __init__(self, layouts: Layouts):
        self.layouts = layouts
        self.functions = dict(layouts.flow.functions)
        self._lifted: dict[LambdaOp, str] = {}
        self._pending: list[LambdaOp] = []

    def run(self) -> None:
        """Rewrite all functions of the module, and add those of the codes that are called."""
        for function in self.layouts.flow.functions.values():
            if _is_concerned(function):
                replace_function(function, self._function(function))
        while self._pending:
            self.layouts.flow.module.body.block.add_op(self._code(self._pending.pop(0)))

    # Functions -----------------------------------------------------------------------------------

    def _function(self, function: FuncOp) -> FuncOp:
        block = function_block(function)

        def body(b: ArrayBuilder, *args: Value) -> list[Value]:
            scope: Scope = {}
            self._bind(block.args, args, scope)
            return self._emit(b, block, scope)

        visibility = function.sym_visibility
        new = new_function(
            function.sym_name.data,
            self._types(block.args),
            body,
            None if visibility is None else visibility.data,
            self._hints(block.args),
        )
        new.location = function.location
        new.attributes.update(function.attributes)
        if new.function_type == function.function_type:
            new.properties.update(function.properties)
        return eliminate_dead_code(new)

    def _code(self, op: LambdaOp) -> FuncOp:
        """The function of the code of a lambda."""
        block, keys = op.body.block, self.layouts.environment(op)

        def body(b: ArrayBuilder, *given: Value) -> list[Value]:
            count = len(given) - len(keys)
            scope: Scope = dict(zip(keys, given[count:], strict=True))
            self._bind(block.args, given[:count], scope)
            return self._emit(b, block, scope)

        types = [*self._types(block.args), *self.layouts.environment_types(op)]
        hints = [*self._hints(block.args), *(k.name_hint if not isinstance(k, tuple) else None for k in keys)]
        new = new_function(self._lifted[op], types, body, "private", hints)
        new.location = op.location
        return eliminate_dead_code(new)

    def _types(self, values: Iterable[Value]) -> list[Attribute]:
        return [leaf for value in values for leaf in self.layouts.types(value)]

    def _hints(self, values: Iterable[Value]) -> list[str | None]:
        return [v.name_hint if not is_higher(v.type) else None for v in values for _ in self.layouts.types(v)]

    # Values --------------------------------------------------------------------------------------

    def _bind(self, values: Iterable[Value], leaves: Sequence[Value], scope: Scope) -> None:
        """Let the leaves stand for the values, in order."""
        rest = iter(leaves)
        for value in values:
            if is_higher(value.type):
                for k in range(len(self.layouts.types(value))):
                    scope[value, k] = next(rest)
            else:
                leaf = scope[value] = next(rest)
                if leaf.name_hint is None:
                    leaf.name_hint = value.name_hint

    def _leaves(self, b: ArrayBuilder, values: Iterable[Value], scope: Scope) -> list[Value]:
        """What stands for the values, in order."""
        return [leaf for value in values for leaf in self._standing(b, value, scope)]

    def _standing(self, b: ArrayBuilder, value: Value, scope: Scope) -> list[Value]:
        if not is_higher(value.type):
            return [scope[value]]
        value = source_of(value)
        owner = value.owner
        if isinstance(owner, TupleOp):
            return self._leaves(b, owner.components, scope)
        own = [scope[key] for key in self.layouts.parts(value)]
        if isinstance(owner, LambdaOp | PartialOp):
            codes = self.layouts.codes(value)
            if len(codes) > 1:
                return self._tagged(b, value, codes.index(self.layouts.flow.code(owner)), own, owner)
        return own

    # Ops -----------------------------------------------------------------------------------------

    def _emit(self, b: ArrayBuilder, block: Block, scope: Scope) -> list[Value]:
        """Emit the ops of a block; what stands for the values that it hands over."""
        for op in block.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return self._leaves(b, own_operands(op), scope)
            b.location = op.location
            b.name_hint = op.results[0].name_hint if op.results else None
            leaves = self._op(b, op, scope)
            if leaves is not None:
                self._bind(op.results, leaves, scope)
        raise AssertionError("a block without a terminator")

    def _region(self, b: ArrayBuilder, region: Region, scope: Scope) -> Callable[..., list[Value]]:
        """Emits the body of a region on what stands for its arguments."""

        def body(*args: Value) -> list[Value]:
            inner = dict(scope)
            self._bind(region.block.args, args, inner)
            return self._emit(b, region.block, inner)

        return body

    def _op(self, b: ArrayBuilder, op: Operation, scope: Scope) -> Sequence[Value] | None:
        """What stands for the results of an op; None where it is in the scope already."""
        match op:
            case GetOp() if not is_higher(op.result.type):
                return [scope[key] for key in self.layouts.component(op)]
            case LambdaOp() | PartialOp() | TupleOp() | GetOp():
                return None
            case ApplyOp():
                return self._apply(b, op, scope)
            case InjectOp():
                return self._tagged(b, op.result, op.index.value.data, self._leaves(b, [op.value], scope))
            case CaseOp():
                tag, *slots = self._leaves(b, [op.value], scope)
                return self._switch(b, op.value, tag, slots, [self._region(b, arm, scope) for arm in op.arms])
            case control.ScanOp() | control.WhileOp() | control.ReplayOp():
                return self._loop(b, op, scope)
            case control.IfOp() | control.SwitchOp() | CheckpointOp():
                choice = next((scope[o] for o in own_operands(op)), None)
                return b.choose(choice, [self._region(b, region, scope) for region in op.regions])
            case CallOp():
                arguments = self._leaves(b, op.arguments, scope)
                return b.call(op.callee.root_reference.data, arguments, self._types(op.results))
            case DifferentiationOp():
                return self._differentiation(b, op, scope)
            case _:
                return self._other(b, op, scope)

    def _other(self, b: ArrayBuilder, op: Operation, scope: Scope) -> Sequence[Value] | None:
        """An op between arrays; only its regions may hold closures."""
        if not op.regions:
            b.rebuild(op, cast(Environment, scope))
            return None
        regions = [
            b.region_over(extents_of(op), region.block.arg_types, self._region(b, region, scope))
            for region in op.regions
        ]
        operands = [scope[o] for o in own_operands(op)]
        return b.insert(type(op), operands, op.result_types, op.properties, regions).results

    # Closures and sums ---------------------------------------------------------------------------

    def _tagged(
        self, b: ArrayBuilder, value: Value, number: int, own: Sequence[Value], op: Operation | None = None
    ) -> list[Value]:
        """A tag and slots: of these the given values, and zeros in all others."""
        _, *types = self.layouts.types(value)
        held = dict(zip(self.layouts.places(value)[number], own, strict=True))
        for type_ in types:
            if op is not None and isinstance(type_, MapType):
                raise UnsupportedError(
                    "one of several functions that may be applied in one place captures a linear map",
                    location=location_of(op),
                    hint="apply the map outside, or capture what it is made of",
                )
        slots = [held[k] if k in held else b.zeros(type_) for k, type_ in enumerate(types, 1)]
        return [b.index_constant(number), *slots]

    def _apply(self, b: ArrayBuilder, op: ApplyOp, scope: Scope) -> Sequence[Value]:
        arguments, closure = self._leaves(b, op.arguments, scope), source_of(op.closure)
        held = [scope[key] for key in self.layouts.parts(closure)]
        if isinstance(closure.owner, LambdaOp | PartialOp):
            return self._calling(b, self.layouts.flow.code(closure.owner), arguments)(*held)
        calls = [self._calling(b, code, arguments) for code in self.layouts.codes(closure)]
        if not calls:
            return [b.zeros(type_) for type_ in self._types(op.results)]
        if len(calls) == 1:
            return calls[0](*held)
        return self._switch(b, closure, held[0], held[1:], calls)

    def _calling(self, b: ArrayBuilder, code: Code, arguments: Sequence[Value]) -> Callable[..., list[Value]]:
        """Calls a code on the arguments and on the environment that it is given."""

        def call(*environment: Value) -> list[Value]:
            if isinstance(code, LambdaOp):
                made = yields(code.body)
                return b.call(self._name_of(code), [*arguments, *environment], self._types(made))
            held = dict(zip(self.layouts.environment(code), environment, strict=True))
            fixed = [held[key] for value in code.fixed for key in self.layouts.parts(value)]
            made = returned(self.layouts.flow.functions[code.callee_name])
            return b.call(code.callee_name, [*arguments, *fixed], self._types(made))

        return call

    def _name_of(self, code: LambdaOp) -> str:
        """The name of the function of a code, which is made if it is called."""
        if code not in self._lifted:
            name = free_name(code.closure.name_hint or "lambda", self.functions)
            self._lifted[code] = name
            self.functions[name] = FuncOp(name, ((), ()))
            self._pending.append(code)
        return self._lifted[code]

    def _switch(
        self,
        b: ArrayBuilder,
        value: Value,
        tag: Value,
        slots: Sequence[Value],
        bodies: Sequence[Callable[..., list[Value]]],
    ) -> list[Value]:
        """The results of the body that the tag chooses, on its slots."""

        def branch(body: Callable[..., list[Value]], places: Sequence[int]) -> Callable[[], list[Value]]:
            return lambda: body(*(slots[place - 1] for place in places))

        return b.switch(tag, [branch(*pair) for pair in zip(bodies, self.layouts.places(value), strict=True)])

    # Loops and derivatives -----------------------------------------------------------------------

    def _loop(self, b: ArrayBuilder, op: control.LoopOp, scope: Scope) -> list[Value]:
        init = self._leaves(b, op.init, scope)
        body = self._region(b, op.body, scope)
        match op:
            case control.ScanOp():

                def trip(i: Value, carries: list[Value], xs: list[Value]) -> tuple[list[Value], list[Value]]:
                    made = body(i, *carries, *xs)
                    return made[: len(init)], made[len(init) :]

                final, stacked = b.scan_like(op, init, [scope[x] for x in op.xs], trip)
                return [*final, *stacked]
            case control.WhileOp():
                condition = self._region(b, op.condition, scope)
                record = None if op.record is None else op.record.value.data
                return b.while_(init, lambda *carries: condition(*carries)[0], body, record)
            case control.ReplayOp():
                return b.replay(
                    scope[op.tape],
                    init,
                    lambda entry, carries: body(*entry, *carries),
                    reverse=op.reverse is not None,
                )

    def _differentiation(self, b: ArrayBuilder, op: DifferentiationOp, scope: Scope) -> Sequence[Value]:
        """The derivative by the same operands, which may stand at other places."""
        concerned = [*op.primals[:-1], *(op.arguments[k] for k in values_of(op.wrt))]
        if any(is_higher(v.type) for v in concerned):
            raise UnsupportedError(
                f"{op.name} differentiates @{op.callee_name}, which takes or returns tuples",
                location=location_of(op),
                hint="let it take and return their components",
            )
        starts: list[int] = []
        arguments: list[Value] = []
        for argument in op.arguments:
            starts.append(len(arguments))
            arguments += self._leaves(b, [argument], scope)
        properties: Mapping[str, Attribute] = {
            "callee": SymbolRefAttr(op.callee_name),
            "wrt": ints(tuple(starts[k] for k in values_of(op.wrt))),
        }
        return b.insert(type(op), arguments, op.result_types, properties).results


def _is_concerned(function: FuncOp) -> bool:
    """Whether closures, tuples or sums occur in a function."""
    values = [*function_block(function).args, *handed_over(function.body)]
    return any(is_higher(v.type) for v in values) or any(
        isinstance(op, FUNCTION_OPS) or any(is_higher(r.type) for r in op.results)
        for op in nested_ops(function.body)
    )
