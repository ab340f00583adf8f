"""Rep-functions that make, call and differentiate closures, and those of primitive code.

curried(staging, b, op, x)         a closure over x, whose code also returns its back-propagator
evaluated(staging, b, op, x)       the call of a closure, and of the back-propagator that it returns
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TupleType

from mlirad.dialects import linear
from mlirad.dialects.function import ClosureType
from mlirad.dialects.function import combinators as core
from mlirad.dialects.shapes import Value, components_of, tuple_type
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.linear_maps.elements import Element, as_value, from_leaves, part, parts
from mlirad.passes.curry.environments import Environments
from mlirad.passes.curry.rep_functions import Back, Data, RepFunctions, rep_type


def curried(staging: RepFunctions, b: ArrayBuilder, op: core.CurryOp, context: Data) -> tuple[Data, Back]:
    closures, space = staging.tangents.linear(op.codomain), staging.tangents.linear(op.domain)
    assert isinstance(op.codomain, ClosureType)
    assert isinstance(closures, linear.CopowerType)
    function, inputs = rep_type(op.function), op.codomain.inputs
    types = [staging.value_type(t) for t in inputs]

    def run(*arguments: Value) -> tuple[list[Value], Back]:
        y, back = staging.run(b, op.function, (context, *arguments))
        return staging.flat(b, y, function.codomain), back

    def of_arguments(found: Element) -> list[Value]:
        return staging.written(b, parts(found, 1 + len(inputs))[1:], tuple_type(inputs))

    if isinstance(staging.elements, Environments):
        elements = staging.elements

        def body(*arguments: Value) -> list[Value]:
            values, back = run(*arguments)

            def both(*leaves: Value) -> list[Value]:
                found = back(staging.tangent(function.codomain, leaves))
                own = elements.packed(b, closures, space, part(found, 0))
                zero = [] if own is not None else [elements.zero(b, staging.types.of(closures))]
                return [*zero, *([] if own is None else [own]), *of_arguments(found)]

            return [*values, b.lambda_(staging.leaves(function.codomain), both)]

        closure = b.lambda_(types, body)
        return closure, lambda w: elements.unpacked(b, closures, space, as_value(w))

    def with_context(*arguments: Value) -> list[Value]:
        values, back = run(*arguments)
        return [*values, staging.back_closure(b, function, back)]

    both = b.lambda_(types, with_context)

    def alone(*arguments: Value) -> list[Value]:
        *values, back = b.apply(both, arguments)

        def of(*leaves: Value) -> list[Value]:
            found = staging.tangent(function.domain, b.apply(back, leaves))
            return of_arguments(found)

        return [*values, b.lambda_(staging.leaves(function.codomain), of)]

    def again(w: Element) -> Element:
        def at(point: Sequence[Value], leaves: Sequence[Value]) -> list[Value]:
            back = b.apply(both, point)[-1]
            found = staging.tangent(function.domain, b.apply(back, leaves))
            return staging.elements.written(b, part(found, 0), space)

        return from_leaves(space, staging.elements.folded(b, closures, as_value(w), space, at))

    return b.lambda_(types, alone), again


def evaluated(staging: RepFunctions, b: ArrayBuilder, op: core.EvalOp, x: Data) -> tuple[Data, Back]:
    closure, *arguments = staging.flat(b, x, op.domain)
    *values, back = b.apply(closure, arguments)
    closures = staging.tangents.linear(components_of(op.domain)[0])
    assert isinstance(closures, linear.CopowerType)

    def both(w: Element) -> Element:
        leaves = staging.written(b, w, op.codomain)
        made = b.apply(back, leaves)
        if staging.by_calls:
            made = [staging.elements.single(b, closures, arguments, leaves), *made]
        return staging.tangent(op.domain, made)

    return tuple(values), both


def primitive(staging: RepFunctions, b: ArrayBuilder, op: core.PrimitiveOp, x: Data) -> tuple[Data, Back]:
    block = op.body.block
    env: Environment = dict(zip(block.args, staging.flat(b, x, op.domain), strict=True))
    *values, map_ = staging.block(b, block, env)
    type_ = linear.map_type(map_.type, "map")

    def back(w: Element) -> Element:
        given = w if isinstance(type_.domain, TupleType) else part(w, 0)
        image = staging.images.image(b, map_, given, env)
        return image if isinstance(type_.codomain, TupleType) else [image]

    return tuple(staging.handed_over(b, values, env)), back
