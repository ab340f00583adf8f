"""Applications of closures: calls of private functions, one for each code and for each choice among choices.

    function.apply %g, %x                         call @g(%x, environment of g)
    function.apply %f, %x, chosen by %p           if %p {call @g(%x, ...)} else {call @h(%x, ...)}
    function.apply %k, %x, chosen by %q           if %q {call @l(%x, ...)} else {call @f(%x, parts of %f)}
    function.apply %r, %x, a record               call @apply_k(%r, %x), which restores it and goes by the tag

A closure chosen from chosen ones calls a function that chooses, so that the code of n such closures, each
chosen from those before, is not of size n squared. The function that applies records has the code of those
closures that are in no other records, so that a chain of n records takes n calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects.function import ApplyOp, LambdaOp, PartialOp
from mlirad.dialects.function.closures import signature_of
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.functions import holds_closures
from mlirad.ir.symbols import free_name
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.eliminate_functions.choices import Box, Key, is_choice, source_of
from mlirad.passes.eliminate_functions.flow import Code, FlowNode, Tree
from mlirad.passes.eliminate_functions.layout_conversion import Scope, Standing


@dataclass(frozen=True)
class Application:
    """The arguments that a closure is applied to, whichever it is, and where its results flow to."""

    arguments: Callable[[ArrayBuilder, Code | None], list[Value]]
    """The representatives of the arguments, for a code; None stands for any code if all are arrays."""
    outputs: Sequence[Tree]


class Applications:
    """Emits applications, and notes which functions these call."""

    def __init__(self, standing: Standing):
        self.standing = standing
        self.layouts = standing.layouts
        self.flow = standing.flow
        self.functions = dict(self.flow.functions)
        self.pending: list[Value | FlowNode] = []
        """The closures, and places of records, whose functions are called and not made yet."""
        self._names: dict[int, str] = {}
        self._record_names: dict[int, str] = {}

    def apply(self, b: ArrayBuilder, op: ApplyOp, scope: Scope) -> list[Value]:
        """The results of an application."""
        closure = source_of(op.closure)
        application = Application(
            lambda b, code: self._arguments(b, op, code, scope), self.flow.trees(op.outputs)
        )
        return self._applied(b, closure, self.standing.held(closure, scope), application)

    def _arguments(self, b: ArrayBuilder, op: ApplyOp, code: Code | None, scope: Scope) -> list[Value]:
        """The arguments of an application for a code; arrays are the same for all."""
        targets: Sequence[Tree] = [None] * len(op.arguments)
        if code is not None:
            targets = self.flow.trees(self.flow.parameters(code))
        return self.standing.all_given(b, op.arguments, targets, scope)

    def _applied(
        self, b: ArrayBuilder, closure: Value, held: Sequence[Value], application: Application
    ) -> list[Value]:
        """The results of a closure that is given by what stands for its parts."""
        if is_choice(closure):

            def chosen(alternative: Value, own: Sequence[Value]) -> list[Value]:
                if self._is_called(alternative):
                    outputs = signature_of(alternative).outputs
                    types = [leaf for t in outputs for leaf in self.layouts.types(t, None)]
                    return b.call(self.name_of(alternative), [*application.arguments(b, None), *own], types)
                return self._applied(b, alternative, own, application)

            return self.standing.by_alternative(b, closure, held, chosen)
        if isinstance(closure.owner, LambdaOp | PartialOp):
            return self._called(b, closure.owner, application, held)
        node = self.flow.tree(closure)
        assert isinstance(node, FlowNode)
        codes = self.layouts.codes(node)
        if not codes:
            made = zip(signature_of(closure).outputs, application.outputs, strict=True)
            return [b.zeros(leaf) for result in made for leaf in self.layouts.types(*result)]
        if self.layouts.records.is_record(node):
            if not holds_closures(_signature(closure)):
                types = [leaf for t in signature_of(closure).outputs for leaf in self.layouts.types(t, None)]
                arguments = application.arguments(b, None)
                return b.call(self.name_of_records(node, codes), [*held, *arguments], types)
        elif len(codes) == 1:
            return self._called(b, codes[0], application, held)
        bodies = [partial(self._called, b, code, application) for code in codes]
        return self.standing.by_tag(b, closure.type, node, held, bodies)

    def _is_called(self, closure: Value) -> bool:
        """Return whether a closure that is chosen has a function that chooses again."""
        return (
            is_choice(closure)
            and self.layouts.choice(closure).tag is not None
            and not holds_closures(_signature(closure))
        )

    def _called(
        self, b: ArrayBuilder, code: Code, application: Application, environment: Sequence[Value]
    ) -> list[Value]:
        """The results of a code with an environment."""
        arguments = application.arguments(b, code)
        if isinstance(code, LambdaOp):
            name, further = self.name_of(code.closure), environment
        else:
            held = dict(zip(self.layouts.environment(code), environment, strict=True))
            targets = self.flow.trees(self.flow.fixed(code))
            name, further = code.callee_name, self.standing.all_given(b, code.fixed, targets, held)
        made = list(zip(signature_of(code.closure).outputs, self.flow.returns(code), strict=True))
        types = [self.layouts.types(*result) for result in made]
        leaves = b.call(name, [*arguments, *further], [leaf for own in types for leaf in own])
        results: list[Value] = []
        for (type_, tree), own, output in zip(made, types, application.outputs, strict=True):
            given, leaves = leaves[: len(own)], leaves[len(own) :]
            results += self.standing.converted(b, type_, given, tree, output)
        return results

    def name_of(self, closure: Value) -> str:
        """The name of the function of a code or choice, which is asked for when it is called."""
        kind = self.layouts.kind(closure)
        if kind not in self._names:
            name = free_name(closure.name_hint or "lambda", self.functions, "_")
            self._names[kind] = name
            self.functions[name] = FuncOp(name, ((), ()))
            self.pending.append(closure)
        return self._names[kind]

    def name_of_records(self, node: FlowNode, codes: Sequence[Code]) -> str:
        """The name of the function that applies the records at a node, asked for when it is called."""
        if node.codes not in self._record_names:
            name = free_name(f"apply_{codes[0].closure.name_hint or 'lambda'}", self.functions, "_")
            self._record_names[node.codes] = name
            self.functions[name] = FuncOp(name, ((), ()))
            self.pending.append(node)
        return self._record_names[node.codes]

    def of_records(
        self,
        node: FlowNode,
        emitted: Callable[[ArrayBuilder, LambdaOp, Sequence[Value], Sequence[Value]], list[Value]],
    ) -> FuncOp:
        """The function that applies the records at a node.

        `emitted` emits the code of a lambda on arguments and its environment.
        """
        codes = self.layouts.codes(node)
        closure = codes[0].closure
        inputs, outputs = signature_of(closure).inputs, signature_of(closure).outputs
        types = [leaf for type_ in inputs for leaf in self.layouts.types(type_, None)]

        def body(b: ArrayBuilder, *given: Value) -> list[Value]:
            arguments = list(given[1:])
            application = Application(lambda _, __: arguments, [None] * len(outputs))

            def applied(code: Code, environment: Sequence[Value]) -> list[Value]:
                if isinstance(code, LambdaOp) and self.layouts.records.is_alone(code):
                    return emitted(b, code, arguments, environment)
                return self._called(b, code, application, environment)

            bodies = [partial(applied, code) for code in codes]
            return self.standing.by_tag(b, closure.type, node, given[:1], bodies)

        hints = [
            None,
            *(v.name_hint for v in self.flow.parameters(codes[0]) for _ in self.layouts.own_types(v)),
        ]
        name = self.name_of_records(node, codes)
        new = new_function(name, [*self.layouts.types(closure.type, node), *types], body, "private", hints)
        new.location = codes[0].location
        return eliminate_dead_code(new)

    def of_choice(self, closure: Value) -> FuncOp:
        """The function that applies what was chosen: what is chosen from choices does not write these out."""
        keys = self.layouts.parts(closure)
        inputs, outputs = signature_of(closure).inputs, signature_of(closure).outputs
        types = [leaf for type_ in inputs for leaf in self.layouts.types(type_, None)]

        def body(b: ArrayBuilder, *given: Value) -> list[Value]:
            arguments = list(given[: len(types)])
            application = Application(lambda _, __: arguments, [None] * len(outputs))
            return self._applied(b, closure, given[len(types) :], application)

        hints = [*([None] * len(types)), *names_of(keys)]
        return self.lifted(closure, [*types, *self.layouts.part_types(closure)], body, hints)

    def lifted(
        self,
        closure: Value,
        types: Sequence[Attribute],
        body: Callable[..., list[Value]],
        hints: Sequence[str | None],
    ) -> FuncOp:
        """The private function of a code or choice."""
        new = new_function(self.name_of(closure), types, body, "private", hints)
        new.location = cast(Operation, closure.owner).location
        return eliminate_dead_code(new)


def names_of(keys: Iterable[Key]) -> list[str | None]:
    """The names of arrays of the source program; those that stand for other values have none."""
    arrays = [key.array if isinstance(key, Box) else key for key in keys]
    return [None if isinstance(key, tuple) else key.name_hint for key in arrays]


def _signature(closure: Value) -> Sequence[Attribute]:
    type_ = signature_of(closure)
    return (*type_.inputs, *type_.outputs)
