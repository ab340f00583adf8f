"""CHAD of functions, tuples and sums: the derivative of a closure is a map that comes with its results.

    f = lambda x. t, captures c      Y = lambda x. R(t), with maps to the cotangents of c and of x
                                     f1 = lambda x. (z, the part of x of z')    where (z, z') = Y x
                                     backwards: c gets the sum over the pairs (x, w) of f of z' w's part of c
    z = apply f a                    (z, z') = f1 a
                                     backwards: f gets the pair (a, z's cotangent), a gets z' of it

Forward, the tangent of f is the function from x to z' of c's tangent and 0 (CHAD paper, section 6.2). A call
is an application of a known function, `partial` a lambda that calls. Components and alternatives are taken
from elements, and put into them, by the compiler. The elements of values of an inductive type are rolled and
unrolled as the values are, the other way round backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import SymbolRefAttr, TupleType
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.function import (
    ApplyOp,
    GetOp,
    InductiveType,
    InjectOp,
    LambdaOp,
    PartialOp,
    RollOp,
    TupleOp,
    UnrollOp,
)
from mlirad.dialects.function.closures import signature_of
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import captures
from mlirad.linear_maps.elements import injected, part, parts
from mlirad.passes.chad.specification.derivation import Derivation, Sweep
from mlirad.passes.chad.types import Types, product


def lambda_(d: Derivation, op: LambdaOp) -> None:
    """Emit the lambda with its derivative as a result, twice where it captures what depends on the inputs."""
    block = op.body.block
    captured = d.active_of(captures(op.body))
    groups = [captured, block.args] if captured else [block.args]

    def body(*arguments: Value) -> list[Value]:
        for argument, source in zip(arguments, block.args, strict=True):
            argument.name_hint = source.name_hint
        inner = d.inner(zip(block.args, arguments, strict=True), [*captured, *block.args])
        made = inner.block(block)
        return [*inner.values(made), inner.map(groups, made)]

    types = d.types.closure(signature_of(op.closure)).inputs
    _closure(d, op, captured, d.b.lambda_(types, body), _first, _second)


def partial(d: Derivation, op: PartialOp) -> None:
    """Emit the lambda that calls the derivative of the function with the fixed arguments."""
    type_ = d.types.closure(signature_of(op.closure))
    inputs = [d.types.linear(t) for t in signature_of(op.closure).inputs]
    fixed_types = [v.type for v in op.fixed]
    fixed, count = d.values(op.fixed), len(inputs)
    whole = product([*inputs, *(d.types.linear(t) for t in fixed_types)])
    outputs = d.types.linear_product(signature_of(op.closure).outputs)
    name = d.derivative_of(op.callee_name)

    def body(*arguments: Value) -> list[Value]:
        results = [*type_.outputs[:-1], d.types.map(whole, outputs)]
        return d.b.call(name, [*arguments, *fixed], results)

    total = count + len(fixed)

    def own(d: Derivation, map_: Value) -> Value:
        return partial_map(d.b, d.types, map_, whole, range(count), total)

    def of_fixed(d: Derivation, map_: Value) -> Value:
        return partial_map(d.b, d.types, map_, whole, range(count, total), total)

    # All fixed arguments, those that do not depend on the inputs too: it is their map that there is.
    captured = list(op.fixed) if d.active_of(op.fixed) else []
    if not captured:

        def alone(*arguments: Value) -> list[Value]:
            *values, map_ = body(*arguments)
            return [*values, own(d, map_)]

        d.enter([op.closure], [d.b.lambda_(type_.inputs, alone)])
        d.activate([op.closure])
        return
    _closure(d, op, captured, d.b.lambda_(type_.inputs, body), of_fixed, own)


def _closure(
    d: Derivation,
    op: LambdaOp | PartialOp,
    captured: Sequence[Value],
    both: Value,
    of_captured: Callable[[Derivation, Value], Value],
    of_parameters: Callable[[Derivation, Value], Value],
) -> None:
    """Enter a closure, given the one whose map has a part for what is captured and one for parameters."""
    b, types = d.b, d.types
    type_ = types.closure(signature_of(op.closure))
    d.activate([op.closure])
    if not captured:
        d.enter([op.closure], [both])
        return

    names = op.body.block.args if isinstance(op, LambdaOp) else ()
    if op.closure.name_hint is not None:
        both.name_hint = f"{op.closure.name_hint}_both"

    def applied(arguments: Sequence[Value]) -> list[Value]:
        b.name_hint = None
        for argument, source in zip(arguments, names, strict=False):
            argument.name_hint = source.name_hint
        return list(b.insert(ApplyOp, [both, *arguments], signature_of(both).outputs).results)

    def body(*arguments: Value) -> list[Value]:
        *values, map_ = applied(arguments)
        return [*values, of_parameters(d, map_)]

    d.enter([op.closure], [b.lambda_(type_.inputs, body)])
    space, whole = types.linear(op.closure.type), d.space([captured])

    def step(sweep: Sweep) -> None:
        def at(*point: Value) -> list[Value]:
            return [of_captured(d, applied(point)[-1])]

        if sweep.types.is_reverse and sweep.of(op.closure) is None:
            return
        region = b.region(type_.inputs, at)
        if sweep.types.is_reverse:
            map_ = b.map_of(linear.EliminateOp, space, whole, (), None, (region,))
        else:
            map_ = b.map_of(linear.FunctionOp, whole, space, (), None, (region,))
        sweep.through(map_, [captured], [op.closure])

    d.step(op, step)


def apply(d: Derivation, op: ApplyOp) -> None:
    """Emit the application, whose last result is the map of the arguments."""
    b, types = d.b, d.types
    closure, arguments = d.value(op.closure), d.values(op.arguments)
    results = b.insert(ApplyOp, [closure, *arguments], signature_of(closure).outputs).results
    d.enter(op.outputs, results[:-1])
    if not d.active_of([op.closure, *op.arguments]):
        return
    d.activate(op.outputs)

    space, values = types.linear(op.closure.type), d.space([op.outputs])
    op_class = linear.SingleOp if types.is_reverse else linear.EvaluateOp
    map_type = types.map(space, values)

    def step(sweep: Sweep) -> None:
        known = op.outputs if types.is_reverse else [op.closure]
        if op.closure in d.active and any(sweep.of(v) is not None for v in known):
            at = b.map_of(op_class, map_type.domain, map_type.codomain, arguments)
            sweep.through(at, [[op.closure]], op.outputs)
        sweep.through(results[-1], [op.arguments], op.outputs)

    d.step(op, step)


def call(d: Derivation, op: CallOp) -> None:
    """Emit the call of the function's derivative, whose last result is the map of the arguments."""
    types = [v.type for v in op.arguments], [v.type for v in op.res]
    map_type = d.types.map(*map(d.types.linear_product, types))
    results = [*(d.types.primal(t) for t in types[1]), map_type]
    properties = {"callee": SymbolRefAttr(d.derivative_of(op.callee.root_reference.data))}
    *values, map_ = d.b.insert(CallOp, d.values(op.arguments), results, properties).results
    d.enter(op.res, values)
    if d.active_of(op.arguments):
        d.activate(op.res)
        d.step(op, lambda sweep: sweep.through(map_, [op.arguments], op.res))


def tuple_(d: Derivation, op: TupleOp) -> None:
    """Emit the tuple."""
    d.enter([op.result], [d.b.tuple_(d.values(op.components))])
    if not d.active_of(op.components):
        return
    d.activate([op.result])

    def step(sweep: Sweep) -> None:
        if sweep.types.is_reverse:
            found = parts(sweep.of(op.result), len(op.components))
            for component, x in zip(op.components, found, strict=True):
                sweep.add(component, x)
        else:
            sweep.add(op.result, [sweep.of(c) for c in op.components])

    d.step(op, step)


def get(d: Derivation, op: GetOp) -> None:
    """Emit the component."""
    index = op.index.value.data
    d.enter([op.result], [d.b.get(d.value(op.operand), index)])
    if op.operand in d.active:
        d.component(op, op.operand, op.result, index)


def inject(d: Derivation, op: InjectOp) -> None:
    """Emit the alternative."""
    index, space = op.index.value.data, d.types.linear(op.result.type)
    d.enter([op.result], [d.b.alternative(d.value(op.value), index, d.types.sum(op.result.type))])
    if op.value not in d.active:
        return
    d.activate([op.result])

    def step(sweep: Sweep) -> None:
        if sweep.types.is_reverse:
            sweep.add(op.value, part(sweep.of(op.result), index))
        else:
            known = sweep.of(op.value)
            sweep.add(op.result, None if known is None else injected(known, space, index))

    d.step(op, step)


def roll(d: Derivation, op: RollOp) -> None:
    """Emit the value under its name."""
    type_ = d.types.primal(op.result.type)
    assert isinstance(type_, InductiveType)
    d.enter([op.result], [d.b.roll(d.value(op.value), type_)])
    _renamed(d, op, op.value, op.result)


def unroll(d: Derivation, op: UnrollOp) -> None:
    """Emit what the name stands for."""
    d.enter([op.result], [d.b.unroll(d.value(op.operand), d.types.primal(op.result.type))])
    _renamed(d, op, op.result, op.operand)


def _renamed(d: Derivation, op: RollOp | UnrollOp, held: Value, named: Value) -> None:
    """Note the step between the element of a value and that of the value under a name."""
    made, read = (named, held) if isinstance(op, RollOp) else (held, named)
    if read not in d.active:
        return
    d.activate([made])
    space, name = d.types.linear(held.type), d.types.linear(named.type)

    def step(sweep: Sweep) -> None:
        source, target = (made, read) if sweep.types.is_reverse else (read, made)
        known = sweep.of(source)
        sweep.add(
            target, sweep.rolled(known, space, name) if source is held else sweep.unrolled(known, space)
        )

    d.step(op, step)


# Parts of maps -----------------------------------------------------------------------------------


def _first(d: Derivation, map_: Value) -> Value:
    return restricted(d, map_, 0)


def _second(d: Derivation, map_: Value) -> Value:
    return restricted(d, map_, 1)


def restricted(d: Derivation, map_: Value, index: int) -> Value:
    """The derivative by one of the parts of the inputs, which are a tuple."""
    b, type_ = d.b, linear.map_type(map_.type, "map")
    if d.types.is_reverse:
        return b.compose(b.project(type_.codomain, index), map_)
    return b.compose(map_, b.inject(type_.domain, index))


def partial_map(
    b: ArrayBuilder, types: Types, map_: Value, whole: Attribute, chosen: Sequence[int], total: int
) -> Value:
    """The derivative by some of `total` inputs, whose product is `whole`."""
    if len(chosen) == total:
        return map_
    spaces = whole.types.data if isinstance(whole, TupleType) else (whole,)
    space = product([spaces[k] for k in chosen])
    if types.is_reverse:
        projections = [b.project(whole, k) for k in chosen]
        outer = b.vcat(whole, projections) if isinstance(space, TupleType) else projections[0]
        return b.compose(outer, map_)
    injections = [b.inject(whole, k) for k in chosen]
    inner = b.hcat(whole, injections) if isinstance(space, TupleType) else injections[0]
    return b.compose(map_, inner)
