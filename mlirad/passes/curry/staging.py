"""Combinators as code: rep-functions and their back-propagators run before the program does.

    %f = function.compose %g, %h             the code of %h, then that of %g; back through %g, then through %h
    %f = function.curry %g                   a closure that also returns its back-propagator, a closure
    %y, %d = function.pullback %f, %x        the code of %f at %x; %d is the closure of its back-propagator

This does for code what `mlirad.interpreter.combinators` does for values. A rep-function emits its value and
returns what emits the tangents of what it took, given those of what it made. Where only the program knows
which code runs (closures, branches, calls), or how often (loops), back-propagators are closures, those of the
iterations of a loop a list. By `calls` the tangent of a closure is a collection of its calls
(`maps_to_closures/elements.py`), by `environment` that of what it captured (`environments.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.function import (
    InductiveType,
    SumType,
)
from mlirad.dialects.function import combinators as core
from mlirad.dialects.function import control_combinators as control
from mlirad.dialects.function.rep import CombinatorOp, RepType
from mlirad.dialects.shapes import Value, components_of
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import returned
from mlirad.ir.call_graph import callee_name, functions_of
from mlirad.ir.locations import location_of
from mlirad.linear_maps.elements import Element, as_value, from_leaves, injected, part, parts
from mlirad.passes.curry.closures import curried, evaluated, primitive
from mlirad.passes.curry.loops import folded, iterated, tabulated
from mlirad.passes.curry.rep_functions import Back, Data, RepFunctions, components, reified, rep_type
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import replace_function
from mlirad.passes.maps_to_closures.maps_to_closures import Builder


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


class Staging(RepFunctions):
    """Emits rep-functions, and all other code on what stands for maps and closures."""

    def further(self) -> list[FuncOp]:
        """The functions that what was emitted calls."""
        return self.elements.functions

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
                return curried(self, b, op, x)
            case core.EvalOp():
                return evaluated(self, b, op, x)
            case core.PrimitiveOp():
                return primitive(self, b, op, x)
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
                return tabulated(self, b, op, x)
            case control.FoldOp():
                return folded(self, b, op, x)
            case control.IterateOp():
                return iterated(self, b, op, x)
            case _:
                raise AssertionError(f"{op.name} makes no rep-function")

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
