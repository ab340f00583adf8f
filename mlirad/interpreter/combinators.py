"""Rep-functions: what they compute, and their back-propagators, by either form of the differentiable curry.

The tangent of a closure is, by `tangents`,

    calls           the list of its applications, each an argument with the cotangent of the result; the
                    back-propagator of `curry` runs the function again at each (curry paper, figure 3)
    environment     the tangent of what the closure captured, which the back-propagator of an application
                    returns beside that of the argument; every function runs once (section 5)

Tangents are trees: None is 0, a Python tuple a tuple, an `Alternative` the tangent of a sum's value. The type
of an environment differs from closure to closure of one type, so there are maps of these between arrays only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import TupleType, i64
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.function import combinators as core
from mlirad.dialects.function import control_combinators as control
from mlirad.dialects.linear import MapType
from mlirad.dialects.shapes import shape_of, values_of
from mlirad.interpreter.functions import Alternative
from mlirad.interpreter.linear_maps import LinearMap, transposed_by_basis
from mlirad.interpreter.machine import Frame, Meaning
from mlirad.interpreter.spaces import Element, zeros
from mlirad.lazy_dataclass import dataclass

Tangent: TypeAlias = Any
Pullback: TypeAlias = Callable[[Tangent], Tangent]
"""From the cotangent of what a function made, which is not 0, to that of what it took."""


@dataclass(frozen=True)
class Rep:
    """A rep-function: `run(x, by_calls)` is its value at x and its back-propagator there."""

    run: Callable[[Any, bool], tuple[Any, Pullback]]

    def at(self, x: Any, by_calls: bool) -> tuple[Any, Pullback]:
        """The value at x and the back-propagator, which takes 0 to 0."""
        y, back = self.run(x, by_calls)
        return y, lambda w: None if w is None else back(w)


@dataclass(frozen=True)
class Closure:
    """A closure: its results at arguments, and the back-propagator to its own tangent and the arguments'."""

    call: Callable[[tuple[Any, ...]], tuple[tuple[Any, ...], Pullback]]


@dataclass(frozen=True)
class Calls:
    """Applications of a closure: arguments, and the cotangents of results."""

    entries: tuple[tuple[tuple[Any, ...], Tangent], ...]


def plus(x: Tangent, y: Tangent) -> Tangent:
    """The sum of two tangents of one value."""
    if x is None or y is None:
        return y if x is None else x
    if isinstance(x, tuple):
        return tuple(plus(a, b) for a, b in zip(cast("tuple[Any, ...]", x), y, strict=True))
    if isinstance(x, Alternative):
        return Alternative(x.index, plus(x.value, y.value))
    if isinstance(x, Calls):
        return Calls(x.entries + y.entries)
    return np.add(x, y)


def total(tangents: Sequence[Tangent]) -> Tangent:
    """The sum of tangents of one value."""
    result: Tangent = None
    for tangent in tangents:
        result = plus(result, tangent)
    return result


def _component(w: Tangent, k: int) -> Tangent:
    return None if w is None else w[k]


# The core ----------------------------------------------------------------------------------------


def _identity(op: core.IdentityOp, operands: Sequence[Any], frame: Frame) -> Rep:
    return Rep(lambda x, by_calls: (x, lambda w: w))


def _compose(op: core.ComposeOp, operands: Sequence[Rep], frame: Frame) -> Rep:
    outer, inner = operands

    def run(x: Any, by_calls: bool) -> tuple[Any, Pullback]:
        y, first = inner.at(x, by_calls)
        z, second = outer.at(y, by_calls)
        return z, lambda w: first(second(w))

    return Rep(run)


def _proj(op: core.ProjOp, operands: Sequence[Any], frame: Frame) -> Rep:
    k = op.index.value.data
    assert isinstance(op.domain, TupleType)
    count = len(op.domain.types.data)
    return Rep(lambda x, by_calls: (x[k], lambda w: tuple(w if i == k else None for i in range(count))))


def _prod(op: core.ProdOp, operands: Sequence[Rep], frame: Frame) -> Rep:
    def run(x: Any, by_calls: bool) -> tuple[Any, Pullback]:
        made = [f.at(x, by_calls) for f in operands]
        return tuple(y for y, _ in made), lambda w: total([b(c) for (_, b), c in zip(made, w, strict=True)])

    return Rep(run)


def _curry(op: core.CurryOp, operands: Sequence[Rep], frame: Frame) -> Rep:
    (function,) = operands
    counter = frame.machine.counter

    def applied(context: Any, arguments: tuple[Any, ...], by_calls: bool) -> tuple[Any, Pullback]:
        if counter is not None:
            counter.applications[op] += 1
        return function.at((context, *arguments), by_calls)

    def run(context: Any, by_calls: bool) -> tuple[Any, Pullback]:
        def call(arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], Pullback]:
            results, back = applied(context, arguments, by_calls)

            def both(w: Tangent) -> Tangent:
                of_context, *of_arguments = back(w) or (None,) * (1 + len(arguments))
                own = Calls(((arguments, w),)) if by_calls else of_context
                return own, tuple(of_arguments)

            return results, both

        def again(calls: Calls) -> Tangent:
            pullbacks = [(applied(context, a, by_calls)[1], w) for a, w in calls.entries]
            return total([_component(back(w), 0) for back, w in pullbacks])

        return Closure(call), again if by_calls else lambda environment: environment

    return Rep(run)


def _eval(op: core.EvalOp, operands: Sequence[Any], frame: Frame) -> Rep:
    def run(x: Any, by_calls: bool) -> tuple[Any, Pullback]:
        closure, *arguments = x
        results, back = closure.call(tuple(arguments))

        def both(w: Tangent) -> Tangent:
            own, of_arguments = back(w)
            return own, *of_arguments

        return results, both

    return Rep(run)


def _primitive(op: core.PrimitiveOp, operands: Sequence[Any], frame: Frame) -> Rep:
    block = op.body.block

    def run(x: Any, by_calls: bool) -> tuple[Any, Pullback]:
        inside = Frame(frame.machine, {})
        inside.bind(block, x)
        *values, map_ = inside.run(block)

        def back(w: Tangent) -> Tangent:
            if all(c is None for c in w):
                return None
            image = map_.apply(_element(map_.domain, w))
            return tuple(None if isinstance(c, tuple) else c for c in _parts(map_.codomain, image))

        return tuple(values), back

    return Rep(run)


def _element(space: Attribute, w: Tangent) -> Element:
    """The cotangents of several arrays as an element of their product, zeros written out."""
    if not isinstance(space, TupleType):
        return zeros(space) if w[0] is None else w[0]
    return tuple(zeros(s) if c is None else c for s, c in zip(space.types.data, w, strict=True))


def _parts(space: Attribute, element: Element) -> Sequence[Element]:
    return element if isinstance(space, TupleType) else (element,)


def _named(op: core.NamedOp, operands: Sequence[Any], frame: Frame) -> Rep:
    machine = frame.machine
    return Rep(lambda x, by_calls: machine.call(op.callee_name, ())[0].at(x, by_calls))


def _pullback(op: core.PullbackOp, operands: Sequence[Any], frame: Frame) -> Any:
    rep, *arguments = operands
    results, back = rep.at(tuple(arguments), op.tangents.data == "calls")
    map_ = cast(MapType, op.result_types[-1])

    def apply(ct: Element) -> Element:
        found = back(tuple(None if isinstance(c, tuple) else c for c in _parts(map_.domain, ct)))
        return _element(map_.codomain, found or (None,) * len(arguments))

    transposed = transposed_by_basis(map_.domain, apply)
    return *results, LinearMap(map_.domain, map_.codomain, apply, transposed)


# Sums, branches, builds and loops ----------------------------------------------------------------


def _injection(op: control.InjectOp, operands: Sequence[Any], frame: Frame) -> Rep:
    k = op.index.value.data
    return Rep(lambda x, by_calls: (Alternative(k, x), lambda w: w.value))


def _renamed(op: control.RollOp | control.UnrollOp, operands: Sequence[Any], frame: Frame) -> Rep:
    """A value and its tangent are what they are under a name."""
    return Rep(lambda x, by_calls: (x, lambda w: w))


def _match(op: control.MatchOp, operands: Sequence[Rep], frame: Frame) -> Rep:
    def run(x: Any, by_calls: bool) -> tuple[Any, Pullback]:
        context, chosen = x
        arm: Rep = operands[int(chosen.index)]
        y, back = arm.at((context, chosen.value), by_calls)

        def both(w: Tangent) -> Tangent:
            found = back(w)
            return _component(found, 0), Alternative(chosen.index, _component(found, 1))

        return y, both

    return Rep(run)


def _choose(op: control.ChooseOp, operands: Sequence[Rep], frame: Frame) -> Rep:
    def run(x: Any, by_calls: bool) -> tuple[Any, Pullback]:
        context, index = x
        k = (0 if index else 1) if isinstance(index, np.bool_) else min(max(int(index), 0), len(operands) - 1)
        y, back = operands[k].at(context, by_calls)
        return y, lambda w: (back(w), None)

    return Rep(run)


def _tabulate(op: control.TabulateOp, operands: Sequence[Rep], frame: Frame) -> Rep:
    (function,), extents = operands, values_of(op.extents)
    (type_,) = cast(TupleType, op.codomain).types.data
    index = numpy_dtype(i64).type

    def run(x: Any, by_calls: bool) -> tuple[Any, Pullback]:
        whole = np.zeros(shape_of(type_), numpy_dtype(type_))
        backs: list[tuple[tuple[int, ...], Pullback]] = []
        for position in np.ndindex(*extents):
            (whole[position],), back = function.at((x, *(index(i) for i in position)), by_calls)
            backs.append((position, back))

        def summed(w: Tangent) -> Tangent:
            if w[0] is None:
                return None
            return total([_component(back((w[0][i],)), 0) for i, back in backs])

        return (whole[()],), summed

    return Rep(run)


def _fold(op: control.FoldOp, operands: Sequence[Rep], frame: Frame) -> Rep:
    (function,), count, length = operands, op.carries.value.data, op.length.value.data
    stacked = cast(TupleType, op.codomain).types.data[count:]
    order = list(range(length))[:: -1 if op.reverse is not None else 1]

    def run(x: Any, by_calls: bool) -> tuple[Any, Pullback]:
        context, *given = x
        carries, xs = tuple(given[:count]), given[count:]
        ys = [np.zeros(shape_of(t), numpy_dtype(t)) for t in stacked]
        backs: list[Pullback] = []
        for i in order:
            slices = (v[i][()] for v in xs)
            made, back = function.at((context, numpy_dtype(i64).type(i), *carries, *slices), by_calls)
            carries = made[:count]
            backs.append(back)
            for y, value in zip(ys, made[count:], strict=True):
                y[i] = value

        def reversed_iterations(w: Tangent) -> Tangent:
            state, cts = tuple(w[:count]), w[count:]
            of_context: Tangent = None
            of_xs: list[Tangent] = [None] * len(xs)
            for i, back in zip(reversed(order), reversed(backs), strict=True):
                found = back((*state, *(None if c is None else c[i][()] for c in cts)))
                if found is None:
                    state = (None,) * count
                    continue
                of_context = plus(of_context, found[0])
                state = tuple(found[2 : count + 2])
                for k, part in enumerate(found[count + 2 :]):
                    if part is not None:
                        if of_xs[k] is None:
                            of_xs[k] = np.zeros_like(xs[k])
                        of_xs[k][i] = part
            return of_context, *state, *of_xs

        return (*carries, *ys), reversed_iterations

    return Rep(run)


def _iterate(op: control.IterateOp, operands: Sequence[Rep], frame: Frame) -> Rep:
    condition, function = operands

    def run(x: Any, by_calls: bool) -> tuple[Any, Pullback]:
        context, *given = x
        carries, backs = tuple(given), list[Pullback]()
        while condition.at((context, *carries), by_calls)[0][0]:
            carries, back = function.at((context, *carries), by_calls)
            backs.append(back)

        def reversed_iterations(w: Tangent) -> Tangent:
            of_context: Tangent = None
            for back in reversed(backs):
                own, *rest = back(w) or (None,) * (1 + len(given))
                of_context, w = plus(of_context, own), tuple(rest)
            return of_context, *w

        return carries, reversed_iterations

    return Rep(run)


COMBINATOR_MEANINGS: dict[type[Operation], Meaning] = {
    core.IdentityOp: _identity,
    core.ComposeOp: _compose,
    core.ProjOp: _proj,
    core.ProdOp: _prod,
    core.CurryOp: _curry,
    core.EvalOp: _eval,
    core.PrimitiveOp: _primitive,
    core.NamedOp: _named,
    core.PullbackOp: _pullback,
    control.InjectOp: _injection,
    control.RollOp: _renamed,
    control.UnrollOp: _renamed,
    control.MatchOp: _match,
    control.ChooseOp: _choose,
    control.TabulateOp: _tabulate,
    control.FoldOp: _fold,
    control.IterateOp: _iterate,
}
"""From the class of a combinator to its meaning."""
