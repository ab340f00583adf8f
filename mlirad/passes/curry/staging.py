"""Combinators as code: rep-functions and their back-propagators run before the program does.

    %f = function.compose %g, %h             the code of %h, then that of %g; back through %g, then through %h
    %f = function.curry %g                   a closure that also returns its back-propagator, a closure
    %y, %d = function.pullback %f, %x        the code of %f at %x; %d is the closure of its back-propagator

What `mlirad.interpreter.combinators` does for values, this does for code. A rep-function emits its value and
returns what emits the tangents of what it took, given those of what it made. Where only the program knows
which code runs (closures, branches, calls), or how often (loops), back-propagators are closures, those of the
iterations of a loop a list. By `calls` the tangent of a closure is a collection of its calls
(`maps_to_closures/elements.py`), by `environment` that of what it captured (`environments.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp, TupleType, i1
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.function import (
    ClosureType,
    InductiveType,
    SumType,
    closure_type,
    inductive_type,
    sum_type,
)
from mlirad.dialects.function import combinators as core
from mlirad.dialects.function import control_combinators as control
from mlirad.dialects.function.rep import CombinatorOp, RepType
from mlirad.dialects.shapes import UNIT, Value, components_of, integer_of, tuple_type, values_of
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import returned
from mlirad.ir.call_graph import callee_name, functions_of
from mlirad.ir.locations import location_of
from mlirad.linear_maps.elements import Element, as_value, from_leaves, injected, is_zero, part, parts
from mlirad.passes.chad.types import Types as Tangents
from mlirad.passes.curry.environments import Environments, EnvironmentTangents, EnvironmentTypes
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import replace_function
from mlirad.passes.maps_to_closures.elements import Elements, Types
from mlirad.passes.maps_to_closures.maps_to_closures import Builder, Rewriting

Back: TypeAlias = Callable[[Element], Element]
"""Emits the tangent of what a function took, given that of what it made."""

Data: TypeAlias = "Value | tuple[Data, ...]"
"""A value, or the components of a tuple."""


def stage(module: ModuleOp) -> None:
    """Make closures of the combinators and linear maps of a module, in place.

    Raises `UnsupportedError` for pullbacks by both forms of tangents in one module.
    """
    asked = {op.tangents.data: op for op in module.walk() if isinstance(op, core.PullbackOp)}
    if len(asked) > 1:
        raise UnsupportedError(
            "there are tangents of closures by calls and by environments",
            location=location_of(next(iter(asked.values()))),
            hint="take all derivatives of a program by one method",
        )
    staging = Staging(module, by_calls="calls" in asked)
    for function in functions_of(module):
        replace_function(function, staging.function(function))
    module.body.block.add_ops(staging.further())


class Staging(Rewriting):
    """Emits rep-functions, and all other code on what stands for maps and closures."""

    def __init__(self, module: ModuleOp, *, by_calls: bool):
        self.by_calls = by_calls
        if by_calls:
            self.tangents = Tangents("reverse")
            elements = Elements(module, Types(module))
        else:
            self.tangents = EnvironmentTangents("reverse")
            elements = Environments(module, EnvironmentTypes(module, self.tangents))
        for op in module.walk():
            if isinstance(op, control.RollOp):
                elements.types.define(self.tangents.linear(op.codomain), self._linear_leaves(op.domain))
            elif isinstance(op, control.UnrollOp):
                elements.types.define(self.tangents.linear(op.domain), self._linear_leaves(op.codomain))
        super().__init__(elements)

    def further(self) -> list[FuncOp]:
        """The functions that what was emitted calls."""
        return self.elements.functions

    def _linear_leaves(self, type_: Attribute) -> tuple[Attribute, ...]:
        return linear.carried(self.tangents.linear(type_))

    def function(self, function: FuncOp) -> FuncOp:
        """The function, or for one that returns a rep-function that itself."""
        if not any(isinstance(t, RepType) for t in function.function_type.outputs.data):
            return super().function(function)
        (rep,) = returned(function)
        type_ = rep_type(rep)

        def body(b: ArrayBuilder, *arguments: Value) -> list[Value]:
            b.location = function.location
            y, back = self.run(b, rep, arguments)
            return [*self.flat(b, y, type_.codomain), self.back_closure(b, type_, back)]

        types = [self.value_type(t) for t in components_of(type_.domain)]
        new = eliminate_dead_code(
            new_function(function.sym_name.data, types, body, "private", builder_class=Builder)
        )
        new.location = function.location
        return new

    def op(self, b: ArrayBuilder, op: Operation, env: Environment) -> Sequence[Value] | None:
        """Return what stands for the results of an op; None for rep-functions, which are emitted where they
        run.
        """
        if isinstance(op, CombinatorOp) or (
            isinstance(op, CallOp) and isinstance(op.results[0].type, RepType)
        ):
            return None
        if not isinstance(op, core.PullbackOp):
            return super().op(b, op, env)
        y, back = self.run(b, op.function, tuple(self.handed_over(b, op.arguments, env)))
        type_ = rep_type(op.function)
        return [*self.flat(b, y, type_.codomain), self.back_closure(b, type_, back)]

    # Values and tangents -------------------------------------------------------------------------

    def value_type(self, type_: Attribute) -> Attribute:
        """The type of what stands for a value that a rep-function takes or makes."""
        return self.types.of(self.tangents.primal(type_))

    def leaves(self, type_: Attribute) -> list[Attribute]:
        """The types of the leaves of the tangent of a value."""
        return self.types.leaves(self.tangents.linear(type_))

    def back_type(self, type_: RepType) -> ClosureType:
        """The type of the back-propagator of a rep-function, as a closure."""
        return closure_type(self.leaves(type_.codomain), self.leaves(type_.domain))

    def back_closure(self, b: ArrayBuilder, type_: RepType, back: Back) -> Value:
        """A back-propagator as a closure."""
        b.name_hint = None
        made = self.back_type(type_)

        def body(*leaves: Value) -> list[Value]:
            return self.written(b, back(self.tangent(type_.codomain, leaves)), type_.domain)

        return b.lambda_(made.inputs, body)

    def tangent(self, type_: Attribute, leaves: Sequence[Value]) -> Element:
        """The tangent of a value with these leaves."""
        return from_leaves(self.tangents.linear(type_), leaves)

    def written(self, b: ArrayBuilder, tangent: Element, type_: Attribute) -> list[Value]:
        """The leaves of the tangent of a value."""
        return self.elements.written(b, tangent, self.tangents.linear(type_))

    def applied(self, b: ArrayBuilder, type_: RepType, back: Value) -> Back:
        """The back-propagator that a closure is."""

        def of(w: Element) -> Element:
            return self.tangent(type_.domain, b.apply(back, self.written(b, w, type_.codomain)))

        return of

    def flat(self, b: ArrayBuilder, data: Data, type_: Attribute) -> list[Value]:
        """The values that a tuple of values consists of."""
        return [reified(b, part_) for part_ in components(b, data, type_)]

    # Rep-functions -------------------------------------------------------------------------------

    def run(self, b: ArrayBuilder, rep: Value, x: Data) -> tuple[Data, Back]:
        """Emit the value of a rep-function; with what emits its back-propagator, which takes 0 to 0."""
        op = rep.owner
        assert isinstance(op, Operation)
        b.location, b.name_hint = op.location, None
        y, back = self._run(b, op, rep_type(rep), x)
        return y, lambda w: None if is_zero(w) else back(w)

    def _run(self, b: ArrayBuilder, op: Operation, type_: RepType, x: Data) -> tuple[Data, Back]:
        match op:
            case core.IdentityOp():
                return x, lambda w: w
            case core.ComposeOp():
                y, first = self.run(b, op.inner, x)
                z, second = self.run(b, op.outer, y)
                return z, lambda w: first(second(w))
            case core.ProjOp():
                index, space = op.index.value.data, self.tangents.linear(type_.domain)
                return components(b, x, type_.domain)[index], lambda w: injected(w, space, index)
            case core.ProdOp():
                made = [self.run(b, f, x) for f in op.functions]

                def total(w: Element) -> Element:
                    found: Element = None
                    for (_, back), c in zip(made, parts(w, len(made)), strict=True):
                        found = self.elements.plus(b, found, back(c))
                    return found

                return tuple(y for y, _ in made), total
            case core.CurryOp():
                return self._curry(b, op, x)
            case core.EvalOp():
                return self._eval(b, op, x)
            case core.PrimitiveOp():
                return self._primitive(b, op, x)
            case core.NamedOp() | CallOp():
                name = op.callee_name if isinstance(op, core.NamedOp) else callee_name(op)
                results = [self.value_type(t) for t in components_of(type_.codomain)]
                arguments = self.flat(b, x, type_.domain)
                *values, back = b.call(name, arguments, [*results, self.back_type(type_)])
                return tuple(values), self.applied(b, type_, back)
            case control.InjectOp():
                index = op.index.value.data
                sum_ = self.value_type(type_.codomain)
                assert isinstance(sum_, SumType)
                return b.alternative(reified(b, x), index, sum_), lambda w: part(w, index)
            case control.RollOp():
                return self._renamed(b, op.domain, op.codomain, x, rolls=True)
            case control.UnrollOp():
                return self._renamed(b, op.codomain, op.domain, x, rolls=False)
            case control.MatchOp() | control.ChooseOp():
                return self._chosen(b, op, x)
            case control.TabulateOp():
                return self._tabulate(b, op, x)
            case control.FoldOp():
                return self._fold(b, op, x)
            case control.IterateOp():
                return self._iterate(b, op, x)
            case _:
                raise AssertionError(f"{op.name} makes no rep-function")

    # Closures ------------------------------------------------------------------------------------

    def _curry(self, b: ArrayBuilder, op: core.CurryOp, context: Data) -> tuple[Data, Back]:
        closures, space = self.tangents.linear(op.codomain), self.tangents.linear(op.domain)
        assert isinstance(op.codomain, ClosureType)
        assert isinstance(closures, linear.CopowerType)
        function, inputs = rep_type(op.function), op.codomain.inputs
        types = [self.value_type(t) for t in inputs]

        def run(*arguments: Value) -> tuple[list[Value], Back]:
            y, back = self.run(b, op.function, (context, *arguments))
            return self.flat(b, y, function.codomain), back

        def of_arguments(found: Element) -> list[Value]:
            return self.written(b, parts(found, 1 + len(inputs))[1:], tuple_type(inputs))

        if isinstance(self.elements, Environments):
            elements = self.elements

            def body(*arguments: Value) -> list[Value]:
                values, back = run(*arguments)

                def both(*leaves: Value) -> list[Value]:
                    found = back(self.tangent(function.codomain, leaves))
                    own = elements.packed(b, closures, space, part(found, 0))
                    zero = [] if own is not None else [elements.zero(b, self.types.of(closures))]
                    return [*zero, *([] if own is None else [own]), *of_arguments(found)]

                return [*values, b.lambda_(self.leaves(function.codomain), both)]

            closure = b.lambda_(types, body)
            return closure, lambda w: elements.unpacked(b, closures, space, as_value(w))

        def with_context(*arguments: Value) -> list[Value]:
            values, back = run(*arguments)
            return [*values, self.back_closure(b, function, back)]

        both = b.lambda_(types, with_context)

        def alone(*arguments: Value) -> list[Value]:
            *values, back = b.apply(both, arguments)

            def of(*leaves: Value) -> list[Value]:
                found = self.tangent(function.domain, b.apply(back, leaves))
                return of_arguments(found)

            return [*values, b.lambda_(self.leaves(function.codomain), of)]

        def again(w: Element) -> Element:
            def at(point: Sequence[Value], leaves: Sequence[Value]) -> list[Value]:
                back = b.apply(both, point)[-1]
                found = self.tangent(function.domain, b.apply(back, leaves))
                return self.elements.written(b, part(found, 0), space)

            return from_leaves(space, self.elements.folded(b, closures, as_value(w), space, at))

        return b.lambda_(types, alone), again

    def _eval(self, b: ArrayBuilder, op: core.EvalOp, x: Data) -> tuple[Data, Back]:
        closure, *arguments = self.flat(b, x, op.domain)
        *values, back = b.apply(closure, arguments)
        closures = self.tangents.linear(components_of(op.domain)[0])
        assert isinstance(closures, linear.CopowerType)

        def both(w: Element) -> Element:
            leaves = self.written(b, w, op.codomain)
            made = b.apply(back, leaves)
            if self.by_calls:
                made = [self.elements.single(b, closures, arguments, leaves), *made]
            return self.tangent(op.domain, made)

        return tuple(values), both

    def _primitive(self, b: ArrayBuilder, op: core.PrimitiveOp, x: Data) -> tuple[Data, Back]:
        block = op.body.block
        env: Environment = dict(zip(block.args, self.flat(b, x, op.domain), strict=True))
        *values, map_ = self.block(b, block, env)
        type_ = linear.map_type(map_.type, "map")

        def back(w: Element) -> Element:
            given = w if isinstance(type_.domain, TupleType) else part(w, 0)
            image = self.images.image(b, map_, given, env)
            return image if isinstance(type_.codomain, TupleType) else [image]

        return tuple(self.handed_over(b, values, env)), back

    def _renamed(
        self, b: ArrayBuilder, held: Attribute, named: Attribute, x: Data, *, rolls: bool
    ) -> tuple[Data, Back]:
        """The value of type `held` under its name, or the other way round; tangents go against values."""
        name, space = self.value_type(named), self.tangents.linear(held)
        rolled = self.tangents.linear(named)
        assert isinstance(name, InductiveType)
        assert isinstance(rolled, linear.InductiveSpace)

        def unrolled(w: Element) -> Element:
            return from_leaves(space, self.elements.unrolled(b, rolled, as_value(w)))

        def under_name(w: Element) -> Element:
            return self.elements.rolled(b, rolled, self.elements.written(b, w, space))

        value = reified(b, x)
        if rolls:
            return b.roll(value, name), unrolled
        return b.unroll(value, self.value_type(held)), under_name

    # Branches ------------------------------------------------------------------------------------

    def _chosen(self, b: ArrayBuilder, op: control.MatchOp | control.ChooseOp, x: Data) -> tuple[Data, Back]:
        context, chosen = components(b, x, op.domain)
        domain, codomain = op.domain, op.codomain
        type_ = RepType(domain, codomain)
        sums = self.tangents.linear(components_of(domain)[1])

        def arm(number: int, rep: Value, *value: Value) -> list[Value]:
            given = (context, *value) if value else context
            y, back = self.run(b, rep, given)

            def of(w: Element) -> Element:
                found = back(w)
                if not value:
                    return [found, None]
                own, inside = parts(found, 2)
                return [own, None if inside is None else injected(inside, sums, number)]

            return [*self.flat(b, y, codomain), self.back_closure(b, type_, of)]

        index = reified(b, chosen)
        if isinstance(op, control.MatchOp):
            made = b.case(index, [partial(arm, k, rep) for k, rep in enumerate(op.arms)])
        else:
            made = b.choose(index, [partial(arm, k, rep) for k, rep in enumerate(op.branches)])
        return tuple(made[:-1]), self.applied(b, type_, made[-1])

    # Loops ---------------------------------------------------------------------------------------

    def _tabulate(self, b: ArrayBuilder, op: control.TabulateOp, x: Data) -> tuple[Data, Back]:
        function, extents = rep_type(op.function), values_of(op.extents)
        stack = _Iterations(self, function)
        context = self.tangents.linear(op.domain)

        def element(at: list[Value], carried: list[Value]) -> tuple[list[Value], list[Value]]:
            y, back = self.run(b, op.function, (x, *at))
            pushed = stack.pushed(b, self.back_closure(b, function, back), carried[0])
            return [pushed], self.flat(b, y, function.codomain)

        (backs,), (whole,) = b.scan_over(extents, [stack.empty(b)], element)

        def summed(w: Element) -> Element:
            (given,) = parts(w, 1)

            def back(at: list[Value], carried: list[Value]) -> tuple[list[Value], list[Value]]:
                found, rest = stack.applied(b, carried[-1], [b.index(as_value(given), at)])
                total = self.elements.plus(b, from_leaves(context, carried[:-1]), part(found, 0))
                return [*self.elements.written(b, total, context), rest], []

            start = [*self.elements.written(b, None, context), backs]
            final, _ = b.scan_over(extents, start, back, reverse=True)
            return from_leaves(context, final[:-1])

        return (whole,), summed

    def _fold(self, b: ArrayBuilder, op: control.FoldOp, x: Data) -> tuple[Data, Back]:
        function, count, length = rep_type(op.function), op.carries.value.data, integer_of(op.length)
        context, *given = components(b, x, op.domain)
        flat = [reified(b, v) for v in given]
        stack, reverse = _Iterations(self, function), op.reverse is not None

        def iteration(i: Value, state: list[Value], xs: list[Value]) -> tuple[list[Value], list[Value]]:
            y, back = self.run(b, op.function, (context, i, *state[:-1], *xs))
            made = self.flat(b, y, function.codomain)
            return [*made[:count], stack.pushed(b, self.back_closure(b, function, back), state[-1])], made[
                count:
            ]

        final, stacked = b.scan(
            [*flat[:count], stack.empty(b)], flat[count:], length, iteration, reverse=reverse
        )
        domain = components_of(op.domain)
        of_context, of_state, of_slices = (
            self.tangents.linear(t)
            for t in (domain[0], tuple_type(domain[1 : count + 1]), tuple_type(domain[count + 1 :]))
        )
        stacked_type = tuple_type(components_of(op.codomain)[count:])

        def backwards(w: Element) -> Element:
            elements, total_count = self.elements, len(components_of(op.codomain))
            cts = parts(w, total_count)
            sizes = [len(linear.carried(s)) for s in (of_context, of_state)]

            def iteration(
                _: Value, state: list[Value], slices: list[Value]
            ) -> tuple[list[Value], list[Value]]:
                carried = state[sizes[0] : -1]
                found, rest = stack.applied(b, state[-1], [*carried, *slices])
                total = elements.plus(b, from_leaves(of_context, state[: sizes[0]]), part(found, 0))
                before = parts(found, 2 + len(domain) - 1)[2:]
                after = elements.written(b, before[:count], of_state)
                return (
                    [*elements.written(b, total, of_context), *after, rest],
                    elements.written(b, before[count:], self.tangents.linear(_slices(function, count))),
                )

            start = [
                *elements.written(b, None, of_context),
                *elements.written(b, cts[:count], of_state),
                final[-1],
            ]
            xs = self.written(b, cts[count:], stacked_type)
            last, made = b.scan(start, xs, length, iteration, reverse=not reverse)
            of = from_leaves(of_context, last[: sizes[0]])
            state = from_leaves(of_state, last[sizes[0] : -1])
            slices = from_leaves(of_slices, made)
            return [of, *parts(state, count), *parts(slices, len(domain) - 1 - count)]

        return (*final[:-1], *stacked), backwards

    def _iterate(self, b: ArrayBuilder, op: control.IterateOp, x: Data) -> tuple[Data, Back]:
        function = rep_type(op.function)
        context, *given = components(b, x, op.domain)
        stack = _Iterations(self, function)
        types = components_of(op.domain)
        of_context, of_state = self.tangents.linear(types[0]), self.tangents.linear(tuple_type(types[1:]))

        def goes_on(*state: Value) -> Value:
            y, _ = self.run(b, op.condition, (context, *state[:-1]))
            return self.flat(b, y, rep_type(op.condition).codomain)[0]

        def again(*state: Value) -> list[Value]:
            y, back = self.run(b, op.function, (context, *state[:-1]))
            pushed = stack.pushed(b, self.back_closure(b, function, back), state[-1])
            return [*self.flat(b, y, function.codomain), pushed]

        final = b.while_([*(reified(b, v) for v in given), stack.empty(b)], goes_on, again)

        def backwards(w: Element) -> Element:
            elements, size = self.elements, len(linear.carried(of_context))

            def step(*state: Value) -> list[Value]:
                found, rest = stack.applied(b, state[-1], state[size:-1])
                total = elements.plus(b, from_leaves(of_context, state[:size]), part(found, 0))
                after = elements.written(b, parts(found, len(types))[1:], of_state)
                return [*elements.written(b, total, of_context), *after, rest]

            start = [*elements.written(b, None, of_context), *elements.written(b, w, of_state), final[-1]]
            last = b.while_(start, lambda *state: stack.is_left(b, state[-1]), step)
            state = from_leaves(of_state, last[size:-1])
            return [from_leaves(of_context, last[:size]), *parts(state, len(types) - 1)]

        return tuple(final[:-1]), backwards


class _Iterations:
    """The back-propagators of the iterations of a loop, the last one first."""

    def __init__(self, staging: Staging, function: RepType):
        self._staging, self._function = staging, function
        self._closure = staging.back_type(function)
        self._name = inductive_type(staging.types.new_name("iterations"))
        self._cell = sum_type([UNIT, tuple_type([self._closure, self._name])])

    def empty(self, b: ArrayBuilder) -> Value:
        """None of them."""
        return b.roll(b.alternative(b.tuple_([]), 0, self._cell), self._name)

    def pushed(self, b: ArrayBuilder, back: Value, others: Value) -> Value:
        """One before others."""
        return b.roll(b.alternative(b.tuple_([back, others]), 1, self._cell), self._name)

    def is_left(self, b: ArrayBuilder, stack: Value) -> Value:
        """Return whether there is one."""
        yes, no = (b.constant(flag, i1) for flag in (True, False))
        return b.case(b.unroll(stack, self._cell), [lambda _: [no], lambda _: [yes]])[0]

    def applied(self, b: ArrayBuilder, stack: Value, leaves: Sequence[Value]) -> tuple[Element, Value]:
        """Return what the first makes of a tangent given by its leaves, and the others."""
        zero = self._staging.elements.zero

        def none(_: Value) -> list[Value]:
            return [*(zero(b, t) for t in self._closure.outputs), stack]

        def first(pair: Value) -> list[Value]:
            return [*b.apply(b.get(pair, 0), leaves), b.get(pair, 1)]

        *made, rest = b.case(b.unroll(stack, self._cell), [none, first])
        return self._staging.tangent(self._function.domain, made), rest


def rep_type(rep: Value) -> RepType:
    """The type of a rep-function."""
    assert isinstance(rep.type, RepType)
    return rep.type


def components(b: ArrayBuilder, data: Data, type_: Attribute) -> list[Data]:
    """The components of a tuple."""
    if isinstance(data, tuple):
        return list(cast("tuple[Data, ...]", data))
    return [b.get(data, k) for k in range(len(components_of(type_)))]


def reified(b: ArrayBuilder, data: Data) -> Value:
    """Return what is known as a tuple of values, as one value."""
    return b.tuple_([reified(b, v) for v in data]) if isinstance(data, tuple) else data


def _slices(function: RepType, count: int) -> Attribute:
    """The types of the slices that an iteration takes, behind its context, index and carries."""
    return tuple_type(components_of(function.domain)[2 + count :])
