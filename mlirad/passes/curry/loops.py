"""Rep-functions of loops: their back-propagators run through the closures that the iterations have left.

tabulated(staging, b, op, x)       an array of a function's values: one closure for each element
folded(staging, b, op, x)          a loop of known length: a list of closures, the last iteration first
iterated(staging, b, op, x)        a loop with a condition, by the same list
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.function import control_combinators as control
from mlirad.dialects.function import inductive_type, sum_type
from mlirad.dialects.function.rep import RepType
from mlirad.dialects.shapes import UNIT, Value, components_of, integer_of, tuple_type, values_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.linear_maps.elements import Element, as_value, from_leaves, part, parts
from mlirad.passes.curry.rep_functions import Back, Data, RepFunctions, components, reified, rep_type


def tabulated(staging: RepFunctions, b: ArrayBuilder, op: control.TabulateOp, x: Data) -> tuple[Data, Back]:
    function, extents = rep_type(op.function), values_of(op.extents)
    stack = Iterations(staging, function)
    context = staging.tangents.linear(op.domain)

    def element(at: list[Value], carried: list[Value]) -> tuple[list[Value], list[Value]]:
        y, back = staging.run(b, op.function, (x, *at))
        pushed = stack.pushed(b, staging.back_closure(b, function, back), carried[0])
        return [pushed], staging.flat(b, y, function.codomain)

    (backs,), (whole,) = b.scan_over(extents, [stack.empty(b)], element)

    def summed(w: Element) -> Element:
        (given,) = parts(w, 1)

        def back(at: list[Value], carried: list[Value]) -> tuple[list[Value], list[Value]]:
            found, rest = stack.applied(b, carried[-1], [b.index(as_value(given), at)])
            total = staging.elements.plus(b, from_leaves(context, carried[:-1]), part(found, 0))
            return [*staging.elements.written(b, total, context), rest], []

        start = [*staging.elements.written(b, None, context), backs]
        final, _ = b.scan_over(extents, start, back, reverse=True)
        return from_leaves(context, final[:-1])

    return (whole,), summed


def folded(staging: RepFunctions, b: ArrayBuilder, op: control.FoldOp, x: Data) -> tuple[Data, Back]:
    function, count, length = rep_type(op.function), op.carries.value.data, integer_of(op.length)
    context, *given = components(b, x, op.domain)
    flat = [reified(b, v) for v in given]
    stack, reverse = Iterations(staging, function), op.reverse is not None

    def iteration(i: Value, state: list[Value], xs: list[Value]) -> tuple[list[Value], list[Value]]:
        y, back = staging.run(b, op.function, (context, i, *state[:-1], *xs))
        made = staging.flat(b, y, function.codomain)
        return [*made[:count], stack.pushed(b, staging.back_closure(b, function, back), state[-1])], made[
            count:
        ]

    final, stacked = b.scan([*flat[:count], stack.empty(b)], flat[count:], length, iteration, reverse=reverse)
    domain = components_of(op.domain)
    of_context, of_state, of_slices = (
        staging.tangents.linear(t)
        for t in (domain[0], tuple_type(domain[1 : count + 1]), tuple_type(domain[count + 1 :]))
    )
    stacked_type = tuple_type(components_of(op.codomain)[count:])

    def backwards(w: Element) -> Element:
        elements, total_count = staging.elements, len(components_of(op.codomain))
        cts = parts(w, total_count)
        sizes = [len(linear.carried(s)) for s in (of_context, of_state)]

        def iteration(_: Value, state: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
            carried = state[sizes[0] : -1]
            found, rest = stack.applied(b, state[-1], [*carried, *slices])
            total = elements.plus(b, from_leaves(of_context, state[: sizes[0]]), part(found, 0))
            before = parts(found, 2 + len(domain) - 1)[2:]
            after = elements.written(b, before[:count], of_state)
            return (
                [*elements.written(b, total, of_context), *after, rest],
                elements.written(b, before[count:], staging.tangents.linear(_slices(function, count))),
            )

        start = [
            *elements.written(b, None, of_context),
            *elements.written(b, cts[:count], of_state),
            final[-1],
        ]
        xs = staging.written(b, cts[count:], stacked_type)
        last, made = b.scan(start, xs, length, iteration, reverse=not reverse)
        of = from_leaves(of_context, last[: sizes[0]])
        state = from_leaves(of_state, last[sizes[0] : -1])
        slices = from_leaves(of_slices, made)
        return [of, *parts(state, count), *parts(slices, len(domain) - 1 - count)]

    return (*final[:-1], *stacked), backwards


def iterated(staging: RepFunctions, b: ArrayBuilder, op: control.IterateOp, x: Data) -> tuple[Data, Back]:
    function = rep_type(op.function)
    context, *given = components(b, x, op.domain)
    stack = Iterations(staging, function)
    types = components_of(op.domain)
    of_context, of_state = staging.tangents.linear(types[0]), staging.tangents.linear(tuple_type(types[1:]))

    def goes_on(*state: Value) -> Value:
        y, _ = staging.run(b, op.condition, (context, *state[:-1]))
        return staging.flat(b, y, rep_type(op.condition).codomain)[0]

    def again(*state: Value) -> list[Value]:
        y, back = staging.run(b, op.function, (context, *state[:-1]))
        pushed = stack.pushed(b, staging.back_closure(b, function, back), state[-1])
        return [*staging.flat(b, y, function.codomain), pushed]

    final = b.while_([*(reified(b, v) for v in given), stack.empty(b)], goes_on, again)

    def backwards(w: Element) -> Element:
        elements, size = staging.elements, len(linear.carried(of_context))

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


class Iterations:
    """The back-propagators of the iterations of a loop, the last one first."""

    def __init__(self, staging: RepFunctions, function: RepType):
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


def _slices(function: RepType, count: int) -> Attribute:
    """The types of the slices that an iteration takes, behind its context, index and carries."""
    return tuple_type(components_of(function.domain)[2 + count :])
